//! Totals of a report: they count the bytes that were read and written.

use crate::support::{BODY, Place, TINY, deadhead, history};
use serde_json::Value;

/// The bytes that a report gives for all of its inputs.
fn bytes(report: &Value) -> (u64, u64) {
    let number = |value: &Value| value.as_u64().unwrap();
    match report.as_array().and_then(|reports| reports.last()) {
        Some(last) => (
            number(&last["totals"]["bytesIn"]),
            number(&last["totals"]["bytesOut"]),
        ),
        None => (
            number(&report["input"]["bytes"]),
            number(&report["output"]["bytes"]),
        ),
    }
}

#[test]
fn r6_totals_are_the_bytes_of_files() {
    let body = BODY.trim_end();
    let request = |i: usize| format!("{{\"custom_id\": \"{i}\",  \"params\": {body}}}");
    let batch = |bodies: &[String]| {
        format!(
            "{{ \"requests\" : [\n{}\n] , \"more\": [1, 2]}}\n",
            bodies.join(" ,\n")
        )
    };
    let odd = "{\"custom_id\":\"x\",\"params\":{\"hello\":1}}".to_owned();
    for (name, input) in [
        ("a body", BODY.to_owned()),
        ("a batch of one", batch(&[request(1)])),
        (
            "a batch of three",
            batch(&[request(1), request(2), request(3)]),
        ),
        (
            "a batch with one that passes through",
            batch(&[request(1), odd.clone(), request(3)]),
        ),
        (
            "a batch on a line",
            batch(&[request(1), request(2)]).replace('\n', " ") + "\n" + BODY,
        ),
        ("lines", BODY.repeat(4)),
        ("a line with white space around", format!("\n \n{BODY}\n\n")),
        (
            "lines, some of which pass through",
            format!("{BODY}\n{{\"hello\":1}}\n{BODY}{{\"torn\":\n{odd}\n{body}"),
        ),
        ("wrappers", format!("{}\n{}\n", request(1), request(2))),
        ("a log", history(20)),
        ("white space", " \n\n ".to_owned()),
    ] {
        let place = Place::new();
        place.file("in", &input);
        place.file("other", BODY);
        // Alone, and with another input: then there are totals for sure.
        for inputs in [&["in"][..], &["in", "other"]] {
            let mut command = deadhead();
            command
                .current_dir(place.root())
                .args([
                    "prune",
                    "-q",
                    "--report=r",
                    "--report-format=json",
                    "--out-dir=out",
                ])
                .args(TINY);
            let output = command.args(inputs).output().unwrap();
            assert!(
                output.status.success(),
                "{name}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let size = |path: &str| std::fs::metadata(place.path(path)).unwrap().len();
            let wanted = inputs.iter().fold((0, 0), |sum, file| {
                (sum.0 + size(file), sum.1 + size(&format!("out/{file}")))
            });
            let report: Value =
                serde_json::from_slice(&std::fs::read(place.path("r")).unwrap()).unwrap();
            assert_eq!(bytes(&report), wanted, "{name}, {} inputs", inputs.len());
        }
    }
}
