//! Lists the parts of an input that can be selected, one row each.

use crate::{
    Result,
    diagnostics::PartRow,
    edit::View,
    estimate,
    json::text,
    pass::{protection::Protection, select::id_of, turns::turns},
    read_at::LineCounter,
    resource::{self, arguments::Arguments},
    settings::Settings,
    transcript::{BlockKind, Role},
};

/// Chars of a text that are shown.
const SHOWN: usize = 160;

/// The rows of a view, in the order of the transcript.
///
/// # Errors
/// The input cannot be read any more.
pub fn listing(view: &View<'_>, settings: &Settings) -> Result<Vec<PartRow>> {
    let protection = Protection::new(view, settings)?;
    let turns = turns(view)?;
    let transcript = view.transcript;
    let mut rows = Vec::with_capacity(transcript.blocks.len());
    let mut lines = LineCounter::new(view.texts);
    // The resource of each call, for its results.
    let mut names = std::collections::HashMap::new();
    for (i, message) in transcript.messages.iter().enumerate() {
        let role = message.role.name();
        let age = (turns.len() - turns.partition_point(|&turn| turn as usize <= i)) as u32;
        let whole = PartRow {
            select: message.number.to_string(),
            message: message.number,
            line: message.line,
            role,
            kind: "message",
            age,
            stays: protection.why_message(i as u32).map(str::to_owned),
            ..PartRow::default()
        };
        if message.role == Role::Other || transcript.blocks_of(i).is_empty() {
            let chars = estimate::message(transcript, i, view.estimator);
            rows.push(PartRow {
                chars,
                tokens: chars / estimate::CHARS_PER_TOKEN,
                ..whole
            });
            continue;
        }
        for (index, block) in view.parts(i) {
            let part = (i as u32, index);
            let chars = view.chars_of_block_before(i, index);
            let linked = block.is_linked();
            let call = if block.kind == BlockKind::Result {
                view.paired_with(index).first().copied()
            } else {
                Some(index)
            };
            if block.kind == BlockKind::Call {
                let accesses = resource::accesses(view, i, index, &settings.resources)?;
                accesses
                    .into_iter()
                    .next()
                    .map(|touch| names.insert(index, touch.path));
            }
            rows.push(PartRow {
                select: format!("{}/{}", message.number, block.part),
                part: Some(block.part.into()),
                line: view.line_of(i, Some(block), &mut lines)?,
                kind: block.kind.name(),
                tool: if linked {
                    transcript.tool_of(block).to_owned()
                } else {
                    String::new()
                },
                call_id: if linked { id_of(view, part)? } else { None },
                resource: call
                    .filter(|_| linked)
                    .and_then(|call| names.get(&call).cloned()),
                chars,
                tokens: chars / estimate::CHARS_PER_TOKEN,
                stays: protection.reason(part).map(str::to_owned),
                text: begins(view, i, index)?,
                ..whole.clone()
            });
        }
    }
    Ok(rows)
}

/// Returns the beginning of a text, of the texts of a result or of the arguments of a call, on one
/// line.
pub fn begins(view: &View<'_>, i: usize, index: u32) -> Result<String> {
    let block = view.transcript.block(index);
    let record = view.transcript.messages[i].record;
    let shown = match block.kind {
        BlockKind::Text => Some(block),
        BlockKind::Result => view
            .children(index)
            .iter()
            .find(|child| child.kind == BlockKind::Text),
        BlockKind::Call => {
            let start = record + u64::from(block.span.start);
            let found = Arguments::of(&view.texts.read(start, start + block.span.len() as u64)?)
                .unwrap_or_default();
            let named = found
                .values
                .iter()
                .flat_map(|(name, value)| value.texts().into_iter().map(move |text| (name, text)));
            let words = named
                .map(|(name, text)| format!("{name}={}", line(&text, SHOWN)))
                .chain(found.text.as_deref().map(|text| line(text, SHOWN)));
            return Ok(words
                .collect::<Vec<_>>()
                .join(" ")
                .chars()
                .take(SHOWN)
                .collect());
        }
        _ => None,
    };
    let Some(shown) = shown else {
        return Ok(String::new());
    };
    let start = record + u64::from(shown.span.start) + 1;
    // A char takes at most twelve bytes: two escapes.
    let length = (shown.span.len() as u64)
        .saturating_sub(2)
        .min(SHOWN as u64 * 12);
    let text = text::lossy(&view.texts.read(start, start + length)?);
    Ok(line(&text, SHOWN))
}

/// Returns the beginning of a text, `shown` chars at most, with each run of white space and control
/// characters as one space.
pub fn line(text: &str, shown: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words = words.filter(|word| !word.is_empty()).take(shown);
    let line = words.collect::<Vec<_>>().join(" ");
    line.chars().take(shown).collect()
}
