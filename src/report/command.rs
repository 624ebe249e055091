//! The command that a report shows, to be copied.

/// The flag for the state file.
const STATE: &str = "--state ~/.local/state/deadhead.db";

/// Returns the command that prunes with these flags and keeps its cuts.
pub fn prune_command(flags: &[String]) -> String {
    let flags: String = flags
        .iter()
        .map(|word| format!(" {}", quoted(word)))
        .collect();
    format!("deadhead prune{flags} {STATE}")
}

/// A word of a command line, quoted where a shell would read it otherwise.
fn quoted(word: &str) -> String {
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
