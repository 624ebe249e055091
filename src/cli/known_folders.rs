//! The folders in which agents keep their logs. They are only read.

use super::*;
use deadhead_core::internal::agents::{self, AGENTS, Agent};
use std::ffi::OsString;

/// A folder of an agent.
pub struct Folder {
    pub agent: &'static str,
    pub path: PathBuf,
    /// The path as people write it: `~` is the home folder.
    pub name: String,
    /// The agent's configuration, if it is a file that has the agent's name.
    pub configuration: Option<PathBuf>,
}

/// The agents' usual folders, or those of agents that keep their sessions in a database.
fn rows(are_exported: bool) -> impl Iterator<Item = (&'static Agent, &'static agents::Folder)> {
    let agents = AGENTS
        .iter()
        .filter(move |agent| agent.exports.is_some() == are_exported);
    agents.flat_map(|agent| agent.folders.iter().map(move |folder| (agent, folder)))
}

/// The known folders that are there. `variable` is the environment.
pub fn known_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for folder in rows(false).filter_map(|row| find(row, &variable)) {
        if folders.iter().all(|found| found.path != folder.path) {
            folders.push(folder);
        }
    }
    folders
}

/// A note for each agent that is there and keeps its sessions where they cannot be read.
pub fn exported(variable: impl Fn(&str) -> Option<OsString>) -> Vec<String> {
    let note = |row: (&'static Agent, _)| {
        let Folder { agent, name, .. } = find(row, &variable)?;
        let command = row.0.exports.as_deref()?;
        Some(format!(
            "{agent} keeps its sessions in a database in {name}; to include one, name a file made by {command}"
        ))
    };
    rows(true).filter_map(note).collect()
}

/// The folder of a row, if it is there.
fn find(
    (agent, folder): (&'static Agent, &'static agents::Folder),
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<Folder> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !name.is_empty() && !value.is_empty())
            .map(PathBuf::from)
    };
    let agent = folder.of.as_ref().unwrap_or(&agent.name);
    let home = set("HOME");
    let base = set(&folder.variable).or_else(|| Some(home.as_ref()?.join(&folder.home)))?;
    let path = Some(base.join(&folder.logs)).filter(|path| path.is_dir())?;
    let configuration = base.join(format!("{}.json", agent.to_lowercase()));
    Some(Folder {
        agent,
        configuration: Some(configuration).filter(|path| path.is_file()),
        name: short(&path, home.as_deref()),
        path,
    })
}

/// The names of all known folders, for a message that none was found.
pub fn listed() -> String {
    joined(
        rows(false).map(|(_, folder)| format!("~/{}/{}", folder.home, folder.logs)),
        ", ",
    )
}

fn short(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_there_are_found_once() {
        let home = tempfile::tempdir().unwrap();
        for folder in [
            ".claude/projects",
            ".codex/sessions",
            "elsewhere/projects",
            ".gemini",
        ] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let names = |variable: &[(&str, &str)]| -> Vec<String> {
            let found =
                known_folders(
                    |name| match variable.iter().find(|(known, _)| *known == name) {
                        Some((_, value)) => Some(home.path().join(value).into()),
                        None => (name == "HOME").then(|| home.path().into()),
                    },
                );
            found
                .into_iter()
                .map(|folder| format!("{} {}", folder.agent, folder.name))
                .collect()
        };
        assert_eq!(
            names(&[]),
            ["Claude Code ~/.claude/projects", "Codex ~/.codex/sessions"]
        );
        let set = [("CLAUDE_CONFIG_DIR", "elsewhere"), ("CODEX_HOME", "none")];
        assert_eq!(names(&set), ["Claude Code ~/elsewhere/projects"]);
        assert!(known_folders(|_| None).is_empty());
        let notes = || exported(|name| (name == "HOME").then(|| home.path().into()));
        assert!(notes().is_empty());
        fs::create_dir_all(home.path().join(".local/share/opencode")).unwrap();
        assert!(
            notes()[0].starts_with(
                "OpenCode keeps its sessions in a database in ~/.local/share/opencode; "
            ),
            "{:?}",
            notes()
        );
    }
}
