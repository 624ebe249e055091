//! The net under the passes: a transcript that would be broken is not written.
//!
//! A forced selector may ask for what no provider takes: without message 3 a conversation ends with the assistant, which Mistral
//! refuses; without message 2 two messages of the user follow each other, which Bedrock refuses. What a pass breaks is in the tests
//! of the library.

use crate::support::{BODY, Place, TINY, deadhead};
use std::fs;

const MISTRAL: &str = r#"{"model":"mistral-large-latest","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"ok"},{"role":"user","content":"end"}]}"#;
const BEDROCK: &str = r#"{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{}}]},"messages":[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"ok"}]},{"role":"user","content":[{"text":"end"}]}]}"#;
/// One that holds without its third message.
const WHOLE: &str = r#"{"model":"claude-a","max_tokens":1,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ok"},{"role":"user","content":"on"}]}"#;

fn pretty(body: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(body).unwrap()).unwrap()
}

#[test]
fn a_broken_transcript_is_refused() {
    let broken = [
        ("mistral", MISTRAL, "--select=3", "E12"),
        ("bedrock-converse", BEDROCK, "--select=2", "E11"),
    ];
    for (name, body, select, code) in broken
        .iter()
        .flat_map(|&(n, b, s, c)| [(n, format!("{b}\n"), s, c), (n, pretty(b), s, c)])
    {
        let place = Place::new();
        let file = place.file("body.json", &body);
        let kept = place.file("out.json", "as it was");
        for args in [
            &[][..],
            &["-o", "out.json"],
            &["-o", "new.json"],
            &["--out-dir", "new"],
            &["-n"],
            &["--format", name],
            &["--mode=off"],
        ] {
            let mut command = deadhead();
            command
                .current_dir(place.root())
                .args(["prune", "--force", select])
                .args(args)
                .arg(&file);
            let output = command.output().unwrap();
            let reported = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{name} {args:?}: {reported}");
            assert!(
                output.stdout.is_empty(),
                "{name} {args:?}: {}",
                String::from_utf8_lossy(&output.stdout)
            );
            assert!(
                reported.contains(code)
                    && reported.contains("message 2")
                    && reported.lines().count() == 1,
                "{name} {args:?}: {reported}"
            );
        }
        assert_eq!(fs::read(kept).unwrap(), b"as it was");
        let left: Vec<String> = place.names().into_iter().filter(|n| n != "new").collect();
        assert_eq!(left, ["body.json", "out.json"], "{name}");
        assert!(
            fs::read_dir(place.path("new")).is_ok_and(|mut entries| entries.next().is_none()),
            "{name}"
        );
        // A text alone is refused; a line of a filter comes out as it came, so that whoever sent it has an answer.
        let text = body.trim_end();
        for (input, answer) in [
            (text.to_owned(), ""),
            (
                format!("{text}\n"),
                if text.contains('\n') { "" } else { text },
            ),
        ] {
            let piped = deadhead()
                .args(["prune", "--force", select])
                .write_stdin(input)
                .output()
                .unwrap();
            assert_eq!(piped.status.code(), Some(3), "{name}");
            assert_eq!(
                String::from_utf8_lossy(&piped.stdout).trim_end(),
                answer,
                "{name}"
            );
        }
    }
}

#[test]
fn of_several_bodies_the_broken_ones_pass_through() {
    let cut = WHOLE.replace(r#",{"role":"user","content":"on"}"#, "");
    let output = deadhead()
        .args(["prune", "--force", "--select=3"])
        .write_stdin(format!("{WHOLE}\n{MISTRAL}\n{WHOLE}\n{MISTRAL}\n"))
        .output()
        .unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{reported}");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{cut}\n{MISTRAL}\n{cut}\n{MISTRAL}\n")
    );
    assert!(
        reported.contains("-:2: ")
            && reported.contains("-:4: ")
            && reported.matches("E12").count() == 2,
        "{reported}"
    );
}

#[test]
fn of_several_files_the_worst_code_wins() {
    let place = Place::new();
    let (body, other) = (
        place.file("body.json", MISTRAL),
        place.file("other.json", pretty(MISTRAL)),
    );
    let whole = place.file("whole.json", WHOLE);
    let mut command = deadhead();
    command
        .args(["prune", "-q", "--force", "--select=3", "--out-dir"])
        .arg(place.path("out"));
    let output = command
        .args([&body, &place.path("none.json"), &other, &whole])
        .output()
        .unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{reported}");
    assert!(
        reported.contains("E12") && reported.contains("none.json") && reported.lines().count() == 3,
        "{reported}"
    );
    let made: Vec<_> = fs::read_dir(place.path("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(made, ["whole.json"]);
}

/// A defect that the input had is reported and is no reason to refuse.
#[test]
fn old_defects_do_not_refuse() {
    let orphan = BODY.replace(r#""tool_use_id":"a""#, r#""tool_use_id":"z""#);
    let output = deadhead()
        .args(["prune", "-n", "--report-format=json"])
        .args(TINY)
        .write_stdin(orphan)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes = |side: &str| -> Vec<String> {
        report["integrity"][side]
            .as_array()
            .unwrap()
            .iter()
            .map(|d| d["code"].as_str().unwrap().to_owned())
            .collect()
    };
    // The body declares no tools either.
    assert_eq!(codes("before"), ["E01", "E19", "E02"]);
    assert_eq!(codes("after"), ["E01", "E19", "E02"]);
    assert_eq!(report["cuts"].as_array().unwrap().len(), 1);
}
