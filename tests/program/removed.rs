//! A removed name is an error of one line that says what to use instead.

use crate::support::deadhead;
use deadhead_core::settings::{REMOVED, keys, presets};

#[test]
fn each_removed_name_says_what_to_use_instead() {
    for row in REMOVED {
        let args = match row.kind {
            "preset" => vec!["--preset".to_owned(), row.name.to_owned()],
            "key" => vec!["--set".to_owned(), format!("{}=1", row.name)],
            "step" => vec!["--set".to_owned(), format!("edits=[{{type: 'clear_tool_results', {}: 1}}]", row.name)],
            kind => panic!("{kind} {}", row.name),
        };
        let output = deadhead().args(["prune", "-n", "-q"]).args(args).write_stdin("{}").output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count(), output.stdout.len()), (Some(2), 1, 0), "{}: {error}", row.name);
        assert!(error.contains(row.name) && error.ends_with(&format!("was removed; use {}\n", row.instead)), "{error}");
        assert!(presets().iter().all(|preset| preset.name != row.name) && keys().iter().all(|key| key.path != row.name), "{}", row.name);
    }
}
