//! Inputs: replaces the arguments of a call by an empty object, or texts in them by another text.

use crate::Error;
use crate::edit::{Action, Question, Rewrite, Segment, View};
use crate::json::{Cursor, Kind, stringify};
use crate::pass::dependencies::Part;
use crate::resource::arguments::place;
use crate::settings::Step;
use crate::transcript::{BlockKind, Flags, Span};
use serde_json::{Value, json};

/// Returns the action by which step `number` clears the arguments of a call, and the chars left of them; `None` where they are empty or
/// must not change.
///
/// # Errors
/// The input cannot be read any more.
pub fn cleared(view: &View<'_>, step: &Step, number: usize, (message, index): Part) -> Result<Option<(Action, u64)>, Error> {
    let transcript = view.transcript;
    let block = &transcript.blocks[index as usize];
    // A call without an id is known by what it says, and a signature is for what was signed.
    let bound = transcript.reasoning_binds && transcript.blocks_of(message as usize).iter().any(|b| b.kind == BlockKind::Thinking);
    if transcript.link(block).id == Span::default() || block.flags.has(Flags::SIGNED) || bound || view.cut(index).is_some() {
        return Ok(None);
    }
    let start = view.place(message, index);
    view.once(Question { step: number, ..Question::of("arguments", start) }, || {
        let raw = view.texts.read(start, start + block.span.len() as u64)?;
        let Some((kind, at)) = place(&raw) else { return Ok(None) };
        let new = arguments(view, step, kind, &raw[at.clone()]).filter(|(new, _)| raw[at.clone()] != *new.as_bytes());
        let span = Span { start: block.span.start + at.start as u32, end: block.span.start + at.end as u32 };
        Ok(new.map(|(new, chars)| (Action::ClearInput(Rewrite { span, segments: vec![Segment::Literal(new)] }), chars)))
    })
}

/// Returns the JSON that replaces the arguments, and its size in chars.
fn arguments(view: &View<'_>, step: &Step, kind: Kind, raw: &[u8]) -> Option<(String, u64)> {
    let is_text = kind == Kind::String;
    let Some(text) = &step.input_placeholder else {
        return Some((if is_text { "\"{}\"" } else { "{}" }.to_owned(), EMPTY));
    };
    // Some providers have arguments as a text of JSON.
    let inner = if is_text { serde_json::from_slice::<String>(raw).ok()? } else { std::str::from_utf8(raw).ok()?.to_owned() };
    let new = members_replaced(&inner, text, &step.input_members)?;
    // An object counts as `JSON.stringify` prints it, without the spaces between its members.
    let chars = if is_text { view.chars_of_text(&new) } else { stringify::length(&mut Cursor::new(new.as_bytes())).ok()? as u64 };
    Some((if is_text { json!(new).to_string() } else { new }, chars))
}

/// The object `json` with `text` in the place of the members of `names`, or of all that are texts; none where it stays as it is.
fn members_replaced(json: &str, text: &str, names: &[String]) -> Option<String> {
    let quoted = Value::from(text).to_string();
    let (mut new, mut from) = (String::new(), 0);
    let mut cursor = Cursor::new(json.as_bytes());
    let mut members = cursor.enter_object().ok()?;
    while let Some(key) = cursor.key(&mut members).ok()? {
        let clears = match names {
            [] => cursor.kind().ok()? == Kind::String,
            names => names.iter().any(|name| name.as_bytes() == &*key),
        };
        cursor.kind().ok()?;
        let start = cursor.at();
        cursor.skip().ok()?;
        if clears {
            new.push_str(&json[from..start]);
            new.push_str(&quoted);
            from = cursor.at();
        }
    }
    (from > 0).then(|| new + &json[from..])
}

/// Chars of an empty object.
const EMPTY: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_or_named_members_give_way() {
        let arguments = r#"{ "path": "x y", "n": 1.5, "deep": {"path": "z"}, "e\u0301": "\u00e9" }"#;
        let of =
            |names: &[&str]| members_replaced(arguments, "it's \"gone\"", &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let gone = r#""it's \"gone\"""#;
        let want = format!(r#"{{ "path": {gone}, "n": 1.5, "deep": {{"path": "z"}}, "e\u0301": {gone} }}"#);
        assert_eq!(of(&[]), Some(want));
        let want = format!(r#"{{ "path": "x y", "n": {gone}, "deep": {gone}, "e\u0301": "\u00e9" }}"#);
        assert_eq!(of(&["deep", "n", "other"]), Some(want));
        assert_eq!(of(&["other"]), None);
        for bad in ["{", "[1]", "", "{\"a\" 1}"] {
            assert_eq!(members_replaced(bad, "-", &[]), None, "{bad}");
        }
    }
}
