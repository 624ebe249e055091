//! E18: from Gemini 3 on, the first call of every step of the current turn carries the signature of its thought.
//!
//! The model stands in the address mostly. Where the body does not name it, signed calls in the same turn tell that it wants
//! signatures; a step that has its signature on another part is left then, as older models sign there.

use super::Finder;
use crate::transcript::{BlockKind, Fact, Role, Rules};
use std::collections::HashSet;

/// The first Gemini that refuses a call without a signature.
const SIGNS: u32 = 3;

/// Adds what there is of E18.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let version = transcript.model.as_deref().and_then(gemini_version);
    if transcript.rules != Rules::Gemini || version.is_some_and(|v| v < SIGNS) {
        return;
    }
    let signed: HashSet<u32> = transcript.notes.iter().filter(|n| n.fact == Fact::Signature).map(|n| n.block).collect();
    let own = |&i: &usize| transcript.messages[i].role == Role::User && !transcript.is_only_results(i);
    let turn = (0..transcript.messages.len()).rev().find(own).unwrap_or(0);
    // Steps: message, first call, and the number of blocks.
    let steps: Vec<(usize, u32, u32)> = (turn..transcript.messages.len())
        .filter_map(|i| {
            let (first, blocks) = (transcript.messages[i].blocks, transcript.blocks_of(i));
            let call = blocks.iter().position(|b| b.kind == BlockKind::Call)?;
            Some((i, first + call as u32, first + blocks.len() as u32))
        })
        .collect();
    if version.is_none() && !steps.iter().any(|(_, call, _)| signed.contains(call)) {
        return;
    }
    for (i, call, end) in steps {
        let elsewhere = (transcript.messages[i].blocks..end).any(|b| signed.contains(&b));
        if !signed.contains(&call) && (version.is_some() || !elsewhere) {
            let tool = transcript.tool_of(&transcript.blocks[call as usize]);
            finder.tell("E18", i, Some(call), 0, format!("the first call of the step, of {tool:?}, has no thoughtSignature"));
        }
    }
}

/// The major version of a Gemini.
fn gemini_version(model: &str) -> Option<u32> {
    let model = model.to_lowercase();
    let number = &model[model.find("gemini-")? + "gemini-".len()..];
    number.split(['-', '.', '@']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn the_first_call_of_a_step_is_signed() {
        let call = |signed: bool| {
            let mark = if signed { r#","thoughtSignature":"c2ln""# } else { "" };
            format!(r#"{{"functionCall":{{"name":"f","args":{{}}}}{mark}}}"#)
        };
        let step = |calls: &[bool]| {
            let answers = vec![r#"{"functionResponse":{"name":"f","response":{}}}"#; calls.len()].join(",");
            let calls: Vec<String> = calls.iter().map(|c| call(*c)).collect();
            format!(r#"{{"role":"model","parts":[{}]}},{{"role":"user","parts":[{answers}]}}"#, calls.join(","))
        };
        let user = r#"{"role":"user","parts":[{"text":"x"}]}"#.to_owned();
        let body = |model: &str, contents: &[String]| format!(r#"{{{model}"contents":[{}]}}"#, contents.join(","));
        let (three, two) = (r#""model":"gemini-3-pro-preview","#, r#""model":"models/gemini-2.5-pro","#);
        for (model, contents, want) in [
            (three, vec![user.clone(), step(&[true, false])], &[][..]),
            (three, vec![user.clone(), step(&[false, true])], &["E18"]),
            (three, vec![user.clone(), step(&[false]), user.clone(), step(&[true])], &[]),
            (two, vec![user.clone(), step(&[true]), step(&[false])], &[]),
            ("", vec![user.clone(), step(&[true]), step(&[false])], &["E18"]),
            ("", vec![user.clone(), step(&[false]), step(&[false])], &[]),
        ] {
            let body = body(model, &contents);
            assert_eq!(codes("gemini", &body), want, "{body}");
        }
    }
}
