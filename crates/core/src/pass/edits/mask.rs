//! Mask: replaces a result by a preview in a tag, if that saves tokens.

use super::count;
use super::new_text::NewResult;
use crate::Error;
use crate::edit::{Action, Rewrite, Segment, View};
use crate::pass::candidates::Candidate;
use crate::shorten::{self, Masked, TemplateValues};
use serde_json::{Value, json};

/// The end of a file's name. The original's is random.
const SUFFIX: &str = "xjylrx";

/// Returns the masked result; `None` where masking saves nothing, or where it was masked before.
///
/// # Errors
/// The input cannot be read any more.
pub fn masked(
    view: &View<'_>,
    result: Candidate,
    facts: TemplateValues<'_>,
    folder: &str,
    shells: &[String],
) -> Result<Option<NewResult>, Error> {
    let span = view.transcript.link(&view.transcript.blocks[result.block as usize]).content;
    let raw = count::content_of(view, result)?;
    let Ok(response @ Value::Object(_)) = serde_json::from_slice::<Value>(&raw) else { return Ok(None) };
    let letters = |text: &str| -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c.to_ascii_lowercase() } else { '_' };
        text.encode_utf16().map(|unit| char::from_u32(u32::from(unit)).map_or('_', plain)).collect()
    };
    let tool = if facts.tool.is_empty() { "unknown_tool" } else { facts.tool };
    let path = format!("{folder}/{}_{}_{SUFFIX}.txt", letters(tool), letters(facts.id));
    let shell = shells.iter().any(|shell| shell == facts.tool);
    let text = shorten::masked(Masked { response: &response, shell, path: &path });
    let new = json!({ "output": text }).to_string();
    if count::of_part(facts.tool, new.as_bytes()) >= count::of_part(facts.tool, &raw) {
        return Ok(None);
    }
    let chars = view.chars_of_text(&text);
    let rewrite = Rewrite { span, segments: vec![Segment::Literal(new)] };
    Ok(Some(NewResult::of(Action::Preview(rewrite), chars, false)))
}

/// Whether the result at `result` is masked, or has nothing that could be.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_masked(view: &View<'_>, result: Candidate) -> Result<bool, Error> {
    let raw = count::content_of(view, result)?;
    let tag = format!("<{}", shorten::TAG);
    Ok(raw.is_empty() || memchr::memmem::find(&raw, tag.as_bytes()).is_some())
}
