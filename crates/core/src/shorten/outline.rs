//! An outline of a result of several parts: as much of its texts as fits, and a list of its other parts.
//!
//! The new text has at most as many code points as the limit. Its first line has as much information as fits: the tool, the size
//! and the dropped parts, then less and less.

use super::measure::{Measure, Size, head, size};
use std::collections::BTreeMap;

/// A part of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// Text.
    Text(&'a str),
    /// A part of another kind, and the code points of its members.
    Other {
        /// Its kind.
        kind: &'a str,
        /// Code points of its members.
        points: u64,
    },
}

const SHORTEST: &str = "[Trimmed]";

/// Returns the outline of a result of `items` of the tool `tool`, with at most `preview` code points of its texts. `None` if the result
/// has no more than `limit` code points.
pub fn outline(items: &[Item<'_>], tool: &str, limit: u64, preview: u64) -> Option<String> {
    let points = |text: &str| size(text, Measure::CodePoints);
    let first = |text: &str, number: u64| text[head(text, Size { measure: Measure::CodePoints, number })].to_owned();
    let all: u64 = items.iter().map(|item| if let Item::Text(text) = item { points(text) } else { 0 }).sum::<u64>()
        + items.iter().map(|item| if let Item::Other { points, .. } = item { *points } else { 0 }).sum::<u64>();
    if items.is_empty() || all <= limit {
        return None;
    }
    if limit < points(SHORTEST) {
        return Some(first(SHORTEST, limit));
    }
    let texts: Vec<&str> = items.iter().filter_map(|item| if let Item::Text(text) = item { Some(*text) } else { None }).collect();
    let text = texts.join("\n");
    let mut dropped: BTreeMap<&str, u64> = BTreeMap::new();
    for item in items {
        if let Item::Other { kind, .. } = item {
            *dropped.entry(kind).or_default() += 1;
        }
    }
    // The shortest head line and a line feed come first.
    let kept = points(&text).min(preview).min(limit.saturating_sub(points(SHORTEST) + 1));
    let mut body = if kept > 0 { format!("\n{}", first(&text, kept)) } else { String::new() };
    if kept < points(&text) && points(SHORTEST) + points(&body) + 3 <= limit {
        body.push_str("...");
    }
    let tool = if tool.is_empty() { "unknown_tool" } else { tool };
    let list: Vec<String> = dropped.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let note = if list.is_empty() { String::new() } else { format!("; dropped {}", list.join(", ")) };
    let shown = if text.is_empty() { String::new() } else { format!("; preview {kept}") };
    let mut heads = vec![format!("[Trimmed: {tool}; payload {all}{shown}{note}]")];
    if !dropped.is_empty() {
        heads.push(format!("[Trimmed: {tool}{note}]"));
        heads.push(format!("[Trimmed{note}]"));
        heads.push(format!("[Trimmed: {}]", dropped.keys().copied().collect::<Vec<_>>().join(", ")));
        heads.push(format!("[Trimmed: dropped {} opaque]", dropped.values().sum::<u64>()));
    }
    heads.extend([format!("[Trimmed: payload {all}]"), format!("[Trimmed: {tool}]"), SHORTEST.to_owned()]);
    let fits = |head: &String| points(head) + points(&body) <= limit;
    heads.iter().find(|head| fits(head)).map(|head| format!("{head}{body}"))
}
