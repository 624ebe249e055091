//! Tables of passes, tools, cuts and skipped parts.

use super::*;
use deadhead_core::diagnostics::Skip;

/// The number of tools that are drawn.
const BARS: usize = 10;

/// Adds passes and tools.
pub fn add_passes<'a>(document: &mut Document<'a>, report: &'a Report, tools: &[(&'a str, i128)]) {
    if !report.passes.is_empty() {
        document.heading("Passes");
        document.table(
            ALL,
            &report.passes,
            &[
                (ALL, "pass", Left, |pass| pass.name.clone()),
                (ALL, "cuts", Right, |pass| commas(pass.cuts)),
                (ALL, "chars removed", Right, |pass| {
                    commas(pass.chars_removed)
                }),
                (ALL, "left", Right, |pass| commas(pass.skipped)),
            ],
        );
    }
    let columns: [Column<(&str, i128)>; 2] = [
        (ALL, "top tools", First, |(tool, _)| named(tool).to_owned()),
        (ALL, "chars removed", Right, |(_, chars)| commas(chars)),
    ];
    let top: Vec<_> = tools.iter().take(TOOLS).copied().collect();
    document.table(TEXT, top, &columns);
    if !tools.is_empty() {
        let bar = |&(tool, chars): &(&str, i128)| {
            Bar::new(
                "nowbar",
                named(tool),
                format!("{} chars", commas(chars)),
                chars as f64,
            )
        };
        document.bars(
            "Chars removed, by tool",
            "Chars removed, by tool",
            tools.iter().take(BARS).map(bar).collect(),
        );
    }
}

/// Adds cuts and skipped parts.
pub fn add_cuts<'a>(document: &mut Document<'a>, report: &'a Report) {
    if !report.cuts.is_empty() {
        document.heading("Cuts");
        document.table(
            TABLES,
            &report.cuts,
            &[
                (ALL, "message", Place, |cut| place(cut.message, cut.part)),
                (ALL, "line", Right, |cut| cut.line.to_string()),
                (ALL, "tool", Name, |cut| cut.tool.clone()),
                (MARKDOWN, "call", Name, |cut| {
                    cut.call_id.clone().unwrap_or_default()
                }),
                (ALL, "names", Text, |cut| cut.names.clone()),
                (ALL, "before", Right, |cut| commas(cut.chars_before)),
                (ALL, "after", Right, |cut| commas(cut.chars_after)),
                (ALL, "action", Left, action),
                (ALL, "pass", Left, |cut| cut.pass.to_owned()),
                (ALL, "reason, and what goes", Quote, |cut| {
                    format!("{}\t{}", cut.reason, cut.gone)
                }),
            ],
        );
    }
    if !report.skipped.is_empty() {
        document.heading("Left");
        document.table(
            HTML,
            &report.skipped,
            &[
                (ALL, "message", Place, |skip| place(skip.message, skip.part)),
                (ALL, "pass", Left, |skip| skip.pass.to_owned()),
                (ALL, "why", Text, |skip| skip.why.clone()),
            ],
        );
    }
}

pub fn cut(cut: &CutRow) -> Entry {
    Entry {
        lead: format!("{}  line {}", in_words(cut.message, cut.part), cut.line),
        name: format!(
            "{} {}",
            cut.tool,
            cut.call_id.as_deref().unwrap_or_default()
        ),
        tail: format!(
            "{}  {}",
            change(cut.chars_before, cut.chars_after),
            action(cut)
        ),
        reason: Some(cut.reason.clone()),
        more: [("", &cut.names), ("- ", &cut.gone)]
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(sign, text)| format!("{sign}{text}"))
            .collect(),
    }
}

pub fn skip(skip: &Skip) -> Entry {
    let lead = format!(
        "{}  left by {}: {}",
        in_words(skip.message, skip.part),
        skip.pass,
        skip.why
    );
    Entry {
        lead,
        ..Entry::default()
    }
}

fn action(cut: &CutRow) -> String {
    format!("{}{}", cut.action, if cut.linked { ", linked" } else { "" })
}

/// Returns a place as its message and part. A part outside the messages has no message.
pub fn place(message: u32, part: u32) -> String {
    if message == 0 {
        format!("outside/{part}")
    } else {
        format!("{message}/{part}")
    }
}

/// Returns a place as words in a sentence.
fn in_words(message: u32, part: u32) -> String {
    format!(
        "{}{}",
        if message == 0 { "" } else { "message " },
        place(message, part)
    )
}

pub fn named(tool: &str) -> &str {
    if tool.is_empty() { "(none)" } else { tool }
}
