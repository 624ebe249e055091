//! Tables of passes, tools, cuts and skipped parts.

use super::*;

/// Adds passes and tools.
pub fn add_passes(document: &mut Document<'_>, report: &Report, tools: &[(&str, i128)]) {
    document.heading("Passes");
    document.table(Table::new(
        &report.passes,
        &[
            ("pass", Left, |pass| pass.name.clone()),
            ("cuts", Right, |pass| commas(pass.cuts)),
            ("chars removed", Right, |pass| commas(pass.chars_removed)),
            ("left", Right, |pass| commas(pass.skipped)),
        ],
    ));
    let tools = tools.iter().take(TOOLS).copied();
    let bars = tools.clone().map(|(_, chars)| [chars as f64, 0.0]);
    document.heading("Chars removed, by tool");
    document.table(
        Table::new(
            tools,
            &[
                ("top tools", Left, |(tool, _)| {
                    named(tool, "(none)").to_owned()
                }),
                ("chars removed", Right, |(_, chars)| commas(chars)),
            ],
        )
        .brief(BRIEF_TOOLS)
        .bars(bars),
    );
}

/// Adds cuts and skipped parts.
pub fn add_cuts(document: &mut Document<'_>, report: &Report) {
    document.heading("Cuts");
    document.table(Table::new(
        &report.cuts,
        &[
            ("message", Place, |cut| place(cut.message, cut.part)),
            ("line", Right, |cut| cut.line.to_string()),
            ("before", Right, |cut| commas(cut.chars_before)),
            ("after", Right, |cut| commas(cut.chars_after)),
            ("action", Left, |cut| {
                format!("{}{}", cut.action, if cut.linked { ", linked" } else { "" })
            }),
            ("pass", Left, |cut| cut.pass.to_owned()),
            ("tool", Name, |cut| cut.tool.clone()),
            ("call", Text, |cut| {
                let id = cut.call_id.as_deref().unwrap_or_default();
                format!("{id} {}", cut.names).trim().to_owned()
            }),
            ("reason, and what goes", Quote, |cut| {
                format!("{}\t{}", cut.reason, cut.gone)
            }),
        ],
    ));
    document.heading("Left");
    document.table(Table::new(
        &report.skipped,
        &[
            ("message", Place, |skip| place(skip.message, skip.part)),
            ("left by", Left, |skip| skip.pass.to_owned()),
            ("why", Text, |skip| skip.why.clone()),
        ],
    ));
}

/// Returns a place as its message and part. A part outside the messages has no message.
pub fn place(message: u32, part: u32) -> String {
    if message == 0 {
        format!("outside/{part}")
    } else {
        format!("{message}/{part}")
    }
}
