//! The folders in which agents keep their logs. They are only read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

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

const fn known(agent: &'static str, variable: &'static str, home: &'static str, logs: &'static str) -> KnownFolder {
    KnownFolder { agent, variable, home, logs }
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

/// A folder of an agent.
pub struct Folder {
    pub agent: &'static str,
    pub path: PathBuf,
    /// The path as people write it: `~` is the home folder.
    pub name: String,
}

/// The known folders that are there. `variable` is the environment.
pub fn known_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<Folder> {
    let set = |name: &str| variable(name).filter(|value| !name.is_empty() && !value.is_empty()).map(PathBuf::from);
    let home = set("HOME");
    let mut folders: Vec<Folder> = Vec::new();
    for known in KNOWN {
        let base = set(known.variable).or_else(|| home.as_ref().map(|home| home.join(known.home)));
        let Some(path) = base.map(|base| base.join(known.logs)).filter(|path| path.is_dir()) else { continue };
        if folders.iter().all(|folder| folder.path != path) {
            folders.push(Folder { agent: known.agent, name: short(&path, home.as_deref()), path });
        }
    }
    folders
}

/// The names of all known folders, for a message that none was found.
pub fn listed() -> String {
    KNOWN.iter().map(|known| format!("~/{}/{}", known.home, known.logs)).collect::<Vec<_>>().join(", ")
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
        for folder in [".claude/projects", ".codex/sessions", "elsewhere/projects", ".gemini"] {
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let names = |variable: &[(&str, &str)]| -> Vec<String> {
            let found = known_folders(|name| match variable.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => Some(home.path().join(value).into()),
                None => (name == "HOME").then(|| home.path().into()),
            });
            found.into_iter().map(|folder| format!("{} {}", folder.agent, folder.name)).collect()
        };
        assert_eq!(names(&[]), ["Claude Code ~/.claude/projects", "Codex ~/.codex/sessions"]);
        let set = [("CLAUDE_CONFIG_DIR", "elsewhere"), ("CODEX_HOME", "none")];
        assert_eq!(names(&set), ["Claude Code ~/elsewhere/projects"]);
        assert!(known_folders(|_| None).is_empty());
    }
}
