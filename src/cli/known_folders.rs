//! The folders in which agents keep their logs. They are only read.

use super::*;
use std::ffi::OsString;

/// The folder in which an agent keeps its logs.
struct KnownFolder {
    agent: &'static str,
    /// The variable that names another folder than the one in the home folder.
    variable: &'static str,
    /// The folder in the home folder.
    home: &'static str,
    /// The folder of the logs below that.
    logs: &'static str,
}

const fn known(
    agent: &'static str,
    variable: &'static str,
    home: &'static str,
    logs: &'static str,
) -> KnownFolder {
    KnownFolder {
        agent,
        variable,
        home,
        logs,
    }
}

/// The agents' usual folders, as they were known in 2026-11; they were not all compared with the agents' own sources. Of Cline's, files
/// without token counts are left out.
const KNOWN: &[KnownFolder] = &[
    known("Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "projects"),
    known("Claude Code", "", ".config/claude", "projects"),
    known("Codex", "CODEX_HOME", ".codex", "sessions"),
    known("Codex", "CODEX_HOME", ".codex", "archived_sessions"),
    known("OpenClaw", "OPENCLAW_STATE_DIR", ".openclaw", "agents"),
    known("Moltbot", "MOLTBOT_STATE_DIR", ".moltbot", "agents"),
    known("Clawdbot", "CLAWDBOT_STATE_DIR", ".clawdbot", "agents"),
    known("pi", "PI_CODING_AGENT_DIR", ".pi/agent", "sessions"),
    known("Gemini CLI", "", ".gemini", "tmp"),
    known("Copilot CLI", "", ".copilot", "session-state"),
    known("Copilot CLI", "", ".copilot", "history-session-state"),
    known("Cline", "", ".cline", "data"),
];

/// The folder of an agent that keeps its sessions in a database, with the command that writes one to a file.
const EXPORTED: &[(KnownFolder, &str)] = &[(
    known("OpenCode", "", ".local", "share/opencode"),
    "opencode export ID > ses_ID.json",
)];

/// A folder of an agent.
pub struct Folder {
    pub agent: &'static str,
    pub path: PathBuf,
    /// The path as people write it: `~` is the home folder.
    pub name: String,
    /// The agent's configuration, if it is a file that has the agent's name.
    pub configuration: Option<PathBuf>,
}

/// The known folders that are there. `variable` is the environment.
pub fn known_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for folder in KNOWN.iter().filter_map(|known| known.find(&variable)) {
        if folders.iter().all(|found| found.path != folder.path) {
            folders.push(folder);
        }
    }
    folders
}

/// A note for each agent that is there and keeps its sessions where they cannot be read.
pub fn exported(variable: impl Fn(&str) -> Option<OsString>) -> Vec<String> {
    let note = |folder: Folder, command: &str| {
        format!(
            "{} keeps its sessions in a database in {}; to include one, name a file made by {command}",
            folder.agent, folder.name
        )
    };
    EXPORTED
        .iter()
        .filter_map(|(known, command)| Some(note(known.find(&variable)?, command)))
        .collect()
}

impl KnownFolder {
    /// The folder, if it is there.
    fn find(&self, variable: impl Fn(&str) -> Option<OsString>) -> Option<Folder> {
        let set = |name: &str| {
            variable(name)
                .filter(|value| !name.is_empty() && !value.is_empty())
                .map(PathBuf::from)
        };
        let home = set("HOME");
        let base = set(self.variable).or_else(|| home.as_ref().map(|home| home.join(self.home)));
        let base = base?;
        let path = Some(base.join(self.logs)).filter(|path| path.is_dir())?;
        let configuration = base.join(format!("{}.json", self.agent.to_lowercase()));
        Some(Folder {
            agent: self.agent,
            configuration: Some(configuration).filter(|path| path.is_file()),
            name: short(&path, home.as_deref()),
            path,
        })
    }
}

/// The names of all known folders, for a message that none was found.
pub fn listed() -> String {
    let path = |known: &KnownFolder| format!("~/{}/{}", known.home, known.logs);
    joined(KNOWN.iter().map(path), ", ")
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
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
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
        std::fs::create_dir_all(home.path().join(".local/share/opencode")).unwrap();
        assert!(
            notes()[0].starts_with(
                "OpenCode keeps its sessions in a database in ~/.local/share/opencode; "
            ),
            "{:?}",
            notes()
        );
    }
}
