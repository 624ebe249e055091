//! `deadhead hook` with a sidecar. The shapes of agents are in `tests/cases/hook-*.txt`.

use crate::support::{Place, deadhead};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The answer to a result of Bash.
fn answer(place: &Place, sidecar: &str, stdout: &str) -> (Vec<u8>, String) {
    let response = json!({"stdout": stdout, "stderr": "", "interrupted": false});
    let event =
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": response});
    let output = deadhead()
        .current_dir(place.root())
        .args(["hook", "claude-code", "--sidecar", sidecar])
        .write_stdin(event.to_string())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    (output.stdout, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_note_names_what_prints_the_original() {
    let place = Place::new();
    let texts = ["é\u{1f600}\"\\\n".repeat(3000), "[1, 2]\n".repeat(3000)];
    for text in &texts {
        let (stdout, _) = answer(&place, "cuts", text);
        let answer: Value = serde_json::from_slice(&stdout).unwrap();
        let new = answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
            .as_str()
            .unwrap();
        assert!(new.encode_utf16().count() < 8_300, "{new}");
        let (_, command) = new.split_once("all of it: deadhead ").unwrap();
        let (command, _) = command.split_once(" ...]").unwrap();
        let words: Vec<&str> = command
            .split(' ')
            .map(|word| word.trim_matches('\''))
            .collect();
        assert_eq!(
            words[3],
            std::path::absolute(place.path("cuts"))
                .unwrap()
                .to_str()
                .unwrap()
        );
        let shown = deadhead().args(words).output().unwrap();
        assert!(shown.stdout == text.as_bytes());
    }
}

#[test]
fn whatever_fails_the_agent_keeps_the_result() {
    let place = Place::new();
    place.file("text", "no sidecar");
    let long = "line\n".repeat(9000);
    for sidecar in ["text", "none/cuts", ".", "/dev/full"] {
        let (stdout, said) = answer(&place, sidecar, &long);
        assert!(
            stdout.is_empty() && said.lines().count() == 1,
            "{sidecar}: {said}"
        );
        assert!(said.contains("the result stays as it is"), "{said}");
    }
    let (stdout, said) = answer(&place, "text", "short");
    assert!(stdout.is_empty() && said.is_empty(), "nothing to keep");
    assert_eq!(place.names(), ["text"]);
}

/// Agents run tools at once, and each of them its hook.
#[test]
fn hooks_at_once_wait_for_each_other() {
    let place = Place::new();
    let texts: Vec<String> = (0..16)
        .map(|i| format!("output {i}\n").repeat(4000))
        .collect();
    std::thread::scope(|scope| {
        for text in &texts {
            scope.spawn(|| {
                let (stdout, said) = answer(&place, "cuts", text);
                assert!(!stdout.is_empty() && said.is_empty(), "{said}");
            });
        }
    });
    for text in &texts {
        let name = &format!("{:x}", Sha256::digest(text))[..12];
        let shown = deadhead()
            .current_dir(place.root())
            .args(["show", name, "--sidecar", "cuts"])
            .output()
            .unwrap();
        assert!(shown.stdout == text.as_bytes(), "{name}");
    }
}

/// A process that holds the lock for ever is waited for half a second.
#[test]
fn a_hook_does_not_wait_for_ever() {
    let place = Place::new();
    let long = "line\n".repeat(9000);
    answer(&place, "cuts", &long);
    let file = std::fs::File::open(place.path("cuts")).unwrap();
    file.lock().unwrap();
    let (stdout, said) = answer(&place, "cuts", &"other\n".repeat(9000));
    assert!(
        stdout.is_empty() && said.contains("the result stays as it is"),
        "{said}"
    );
}
