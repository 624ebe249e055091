//! E18: from Gemini 3 on, the first call of every step of the current turn must carry a thought signature.
//!
//! The model is usually in the URL. Where it is unknown, nothing is reported, because older models sign only some calls.

use super::Finder;
use super::thinking::turn;
use crate::transcript::{BlockKind, NoteKind};

/// Reports E18.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !finder.rules.signed_calls {
        return;
    }
    // A call in the user's own message belongs to the turn as well.
    for i in turn(transcript).saturating_sub(1)..transcript.messages.len() {
        let mut blocks = transcript.numbered_blocks_of(i);
        if let Some((call, block)) = blocks.find(|(_, b)| b.kind == BlockKind::Call)
            && !finder
                .facts_of(call)
                .any(|fact| fact == NoteKind::Signature)
        {
            let tool = transcript.tool_of(block);
            let detail =
                format!("the first call of the step, of {tool:?}, has no thoughtSignature");
            finder.report("E18", call, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn the_first_call_of_a_step_is_signed() {
        let call = |signed: bool| {
            let mark = if signed {
                r#","thoughtSignature":"c2ln""#
            } else {
                ""
            };
            format!(r#"{{"functionCall":{{"name":"f","args":{{}}}}{mark}}}"#)
        };
        let step = |calls: &[bool]| {
            let answers =
                vec![r#"{"functionResponse":{"name":"f","response":{}}}"#; calls.len()].join(",");
            let calls: Vec<String> = calls.iter().map(|c| call(*c)).collect();
            format!(
                r#"{{"role":"model","parts":[{}]}},{{"role":"user","parts":[{answers}]}}"#,
                calls.join(",")
            )
        };
        let user = r#"{"role":"user","parts":[{"text":"x"}]}"#.to_owned();
        let body = |model: &str, contents: &[String]| {
            format!(r#"{{{model}"contents":[{}]}}"#, contents.join(","))
        };
        let (three, two) = (
            r#""model":"gemini-3-pro-preview","#,
            r#""model":"models/gemini-2.5-pro","#,
        );
        for (model, contents, want) in [
            (three, vec![user.clone(), step(&[true, false])], &[][..]),
            (three, vec![user.clone(), step(&[false, true])], &["E18"]),
            (
                three,
                vec![user.clone(), step(&[false]), user.clone(), step(&[true])],
                &[],
            ),
            (two, vec![user.clone(), step(&[true]), step(&[false])], &[]),
            ("", vec![user.clone(), step(&[true]), step(&[false])], &[]),
            ("", vec![user.clone(), step(&[false]), step(&[false])], &[]),
        ] {
            let body = body(model, &contents);
            assert_eq!(codes("gemini", &body), want, "{body}");
        }
    }
}
