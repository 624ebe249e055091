//! The command that a report shows, to be copied.

use deadhead_core::internal::dialect::by_name;
use serde_json::json;

/// The flag for the state file.
const STATE: &str = "--state ~/.local/state/deadhead.db";

/// The flag of a hook, which no other command has.
pub const HOOK: &str = "--max-chars";

/// The agents with hooks that can replace a result: the beginnings of the names of their formats.
pub const HOOKED: [&str; 3] = ["claude-code", "codex", "gemini"];

/// Returns the commands that have a policy applied, to the agents of these formats and to any client.
pub fn commands(flags: &[String], formats: &[&str]) -> Vec<String> {
    let formats = formats.iter();
    if flags.iter().any(|flag| flag == HOOK) {
        let agents =
            formats.filter_map(|format| HOOKED.iter().find(|name| format.starts_with(**name)));
        return agents
            .map(|agent| format!("deadhead hook {agent}{}", words(flags)))
            .collect();
    }
    let agents = formats.filter_map(|format| agent_command(flags, format));
    agents.chain([proxy_command(flags)]).collect()
}

/// Returns the command that prunes the requests of any client with these flags and keeps its cuts.
pub fn proxy_command(flags: &[String]) -> String {
    format!("deadhead proxy{} {STATE}", words(flags))
}

/// Returns the command that has the agent of a format pruned with these flags, if there is one.
pub fn agent_command(flags: &[String], format: &str) -> Option<String> {
    let args = json!(flags).to_string().replace('\'', "'\\''");
    Some(
        by_name(format)?
            .session()?
            .prunes
            .replace("{flags}", &words(flags))
            .replace("{args}", &args),
    )
}

fn words(flags: &[String]) -> String {
    flags
        .iter()
        .map(|word| format!(" {}", quoted(word)))
        .collect()
}

/// A word of a command line, quoted where a shell would read it otherwise.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command() {
        for (word, want) in [
            ("--set", "--set"),
            ("a=[\"x\"]", "'a=[\"x\"]'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
            ("~/x y", "'~/x y'"),
        ] {
            assert_eq!(quoted(word), want);
        }
    }
}
