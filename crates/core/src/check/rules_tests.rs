//! Shared functions of the tests of rules: the defect codes of a body, and the rules of Gemini and
//! Bedrock by example.

use super::{Defect, check};
use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{by_name, transcript};
use crate::json::Cursor;
use crate::settings::{Estimator, Scope};

/// Codes of a body's defects, in the order in which they are reported.
pub fn codes(format: &str, body: &str) -> Vec<&'static str> {
    defects(format, body)
        .into_iter()
        .map(|d| d.row.code)
        .collect()
}

/// A body's defects.
pub fn defects(format: &str, body: &str) -> Vec<Defect> {
    let format = by_name(format).unwrap();
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    builder.begin(0, 1);
    (format.read)(&mut Cursor::new(body.as_bytes()), &mut builder).unwrap();
    let read = transcript(format, builder, Scope::Context).unwrap();
    check(&read, &body.as_bytes())
}

/// A content of Gemini's: its role and its parts.
type Content = (&'static str, String);

fn hi() -> Content {
    ("user", r#"{"text":"hi"}"#.to_owned())
}

/// A call; `id` is the member, with a comma, or nothing.
fn call(id: &str, name: &str) -> String {
    format!(r#"{{"functionCall":{{{id}"name":"{name}","args":{{}}}}}}"#)
}

fn answer(id: &str, name: &str) -> String {
    format!(r#"{{"functionResponse":{{{id}"name":"{name}","response":{{"output":"x"}}}}}}"#)
}

fn gemini_body(contents: &[Content]) -> String {
    let contents: Vec<String> = contents
        .iter()
        .map(|(role, parts)| format!(r#"{{"role":"{role}","parts":[{parts}]}}"#))
        .collect();
    format!(r#"{{"contents":[{}]}}"#, contents.join(","))
}

#[test]
fn gemini_pairs_by_id_and_name() {
    let (a, b) = (r#""id":"a","#, r#""id":"b","#);
    let two = format!("{},{}", call("", "f"), call("", "g"));
    for (contents, want) in [
        (
            vec![hi(), ("model", call("", "f")), ("user", answer("", "f"))],
            &[][..],
        ),
        (
            vec![hi(), ("model", call(a, "f")), ("function", answer("", "f"))],
            &[],
        ),
        (
            vec![hi(), ("model", call("", "f")), ("user", answer(a, "f"))],
            &[],
        ),
        (
            vec![
                hi(),
                ("model", two.clone()),
                ("user", format!("{},{}", answer("", "g"), answer("", "f"))),
            ],
            &[],
        ),
        (
            vec![
                hi(),
                ("model", two.clone()),
                ("user", format!("{},{}", answer("", "f"), answer("", "f"))),
            ],
            &["E01", "E02"],
        ),
        (
            vec![hi(), ("model", call(a, "f")), ("user", answer(b, "f"))],
            &["E01", "E02"],
        ),
    ] {
        let body = gemini_body(&contents);
        assert_eq!(codes("gemini", &body), want, "{body}");
    }
}

#[test]
fn gemini_turns() {
    let two = format!("{},{}", call("", "f"), call("", "g"));
    for (contents, want) in [
        (
            vec![
                hi(),
                ("model", call("", "f")),
                hi(),
                ("user", answer("", "f")),
            ],
            &["E03"][..],
        ),
        (
            vec![
                hi(),
                ("model", call("", "f")),
                ("model", call("", "f")),
                ("user", answer("", "f")),
            ],
            &["E01", "E07"],
        ),
        (
            vec![
                hi(),
                ("model", call("", "f")),
                ("model", call("", "g")),
                ("user", format!("{},{}", answer("", "f"), answer("", "g"))),
            ],
            &[],
        ),
        (vec![hi(), ("model", call("", "f"))], &["E01", "E12"]),
        (vec![hi(), ("user", answer("", "f"))], &["E02"]),
        (vec![("model", r#"{"text":"hi"}"#.to_owned())], &["E10"]),
        (vec![hi(), ("model", String::new()), hi()], &["E08"]),
        (
            vec![
                hi(),
                (
                    "model",
                    r#"{"text":"","thoughtSignature":"c2ln"}"#.to_owned(),
                ),
                hi(),
            ],
            &[],
        ),
        (
            vec![
                hi(),
                ("model", two.clone()),
                ("user", answer("", "g")),
                ("user", answer("", "f")),
            ],
            &[],
        ),
    ] {
        let body = gemini_body(&contents);
        assert_eq!(codes("gemini", &body), want, "{body}");
    }
}

#[test]
fn converse() {
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"{id}","name":"f","input":{{}}}}}}]}}"#
        )
    };
    let answer =
        |id: &str| format!(r#"{{"toolResult":{{"toolUseId":"{id}","content":[{{"text":" "}}]}}}}"#);
    let user = |content: &str| format!(r#"{{"role":"user","content":[{content}]}}"#);
    let hi = || user(r#"{"text":"hi"}"#);
    for (messages, want) in [
        (vec![hi(), call("a"), user(&answer("a"))], &[][..]),
        (
            vec![
                hi(),
                call("a"),
                user(&format!("{},{}", answer("a"), answer("b"))),
            ],
            &["E02", "E07"],
        ),
        (
            vec![
                hi(),
                call("a"),
                user(&answer("a")),
                call("a"),
                user(&answer("a")),
            ],
            &["E06"],
        ),
        (vec![hi(), call("a"), hi()], &["E01"]),
        (vec![call("a"), user(&answer("a"))], &[]),
        (vec![user(r#"{"text":" \n"}"#)], &["E08"]),
        (
            vec![hi(), r#"{"role":"assistant","content":[]}"#.to_owned()],
            &["E08"],
        ),
    ] {
        let body = format!(
            r#"{{"toolConfig":{{"tools":[{{"toolSpec":{{}}}}]}},"messages":[{}]}}"#,
            messages.join(",")
        );
        assert_eq!(codes("bedrock-converse", &body), want, "{body}");
    }
}
