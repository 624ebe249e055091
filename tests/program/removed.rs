//! A removed name is an error of one line that says what to use instead.

use crate::support::deadhead;
use deadhead_core::settings::{keys, presets, removed};

#[test]
fn each_removed_name_says_what_to_use_instead() {
    assert!(removed().count() > 20);
    for [kind, name, instead] in removed() {
        let args = match kind {
            "preset" => vec!["--preset".to_owned(), name.to_owned()],
            "key" => vec!["--set".to_owned(), format!("{name}=1")],
            "step" => vec![
                "--set".to_owned(),
                format!("edits=[{{type: 'clear_tool_results', {name}: 1}}]"),
            ],
            kind => panic!("{kind} {name}"),
        };
        let output = deadhead()
            .args(["prune", "-n", "-q"])
            .args(args)
            .write_stdin("{}")
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (
                output.status.code(),
                error.lines().count(),
                output.stdout.len()
            ),
            (Some(2), 1, 0),
            "{name}: {error}"
        );
        assert!(
            error.contains(name) && error.ends_with(&format!("was removed; use {instead}\n")),
            "{error}"
        );
        assert!(
            presets().iter().all(|preset| preset.name != name)
                && keys().iter().all(|key| key.path != name),
            "{name}"
        );
    }
}
