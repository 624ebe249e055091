//! The configuration that `deadhead advise --write` writes: the policy, with its savings in a comment.

use deadhead_core::internal::terminal_text::escape;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The file, JSON5: a comment of these lines, and dotted keys as objects.
pub fn policy_file(comment: &[String], settings: &Map<String, Value>) -> String {
    let mut text = String::new();
    for line in comment {
        let _ = writeln!(text, "// {}", escape(line));
    }
    let mut root = json!({});
    for (path, value) in settings {
        let mut at = &mut root;
        for name in path.split('.') {
            at = &mut at[name];
        }
        *at = value.clone();
    }
    let body = serde_json::to_string_pretty(&root).unwrap_or_default();
    text + &body + "\n"
}

/// A word of a command line, quoted where a shell would read it otherwise.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_back() {
        let settings = json!({"contextPruning.mode": "break-even", "breakEven.budget": 0.0005, "protect.tools": ["*/ a"]});
        let text = policy_file(&["it saves $1".into(), "of a\nb */".into()], settings.as_object().unwrap());
        assert!(text.starts_with("// it saves $1\n// of a\\nb */\n{\n"), "{text}");
        let read = deadhead_core::settings::parse("a", &text).unwrap();
        assert_eq!(
            read,
            json!({"contextPruning": {"mode": "break-even"}, "breakEven": {"budget": 0.0005}, "protect": {"tools": ["*/ a"]}})
        );
    }

    #[test]
    fn words_of_a_command() {
        for (word, want) in [("--set", "--set"), ("a=[\"x\"]", "'a=[\"x\"]'"), ("it's", "'it'\\''s'"), ("", "''"), ("~/x y", "'~/x y'")] {
            assert_eq!(quoted(word), want);
        }
    }
}
