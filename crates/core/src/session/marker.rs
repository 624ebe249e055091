//! Cuts that OpenClaw recorded in its own markers (since 2026.9). The same results are cut here.
//!
//! A marker has all cuts (`prunedToolResults`), or the changes since the marker before
//! (`cacheTtlDelta`); markers on the path to the leaf count, since its last reset. A trim is made
//! again from its text with the sizes that those releases have fixed; a cleared result gets the
//! recorded placeholder. Markers are read and never written, and are ignored if a state file has
//! the session.

use crate::{
    Result,
    edit::{Action, Proposal, RECORDED, View},
    json::{Id, IdMap, Kind, locate::members},
    pass::{dependencies::Part, edits::trimmed},
    settings::{ContextPruning, PLACEHOLDER},
    transcript::{BlockKind, Flags},
};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// Name under which such cuts are reported.
pub const NAME: &str = RECORDED;

/// The data of a marker.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    pruned_tool_results: Option<Vec<Row>>,
    cache_ttl_delta: Option<Delta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    pruned_tool_results: Option<Change>,
}

#[derive(Deserialize)]
struct Change {
    #[serde(default)]
    set: Vec<Row>,
    #[serde(default)]
    remove: Vec<Value>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
struct Row {
    key: String,
    mode: String,
    placeholder: Option<String>,
}

/// Returns the cuts that the markers of the transcript name.
///
/// # Errors
/// The input cannot be read any more.
pub fn replay(view: &View<'_>) -> Result<Proposal> {
    let mut data = Vec::new();
    for &(start, end) in &view.transcript.projections {
        data.push(serde_json::from_slice::<Data>(&view.texts.read(start, end)?).ok());
    }
    let rows = rows(data);
    // By the id of a call: the time, if the key has one, and the row.
    let mut named: IdMap<Vec<(Option<&str>, &Row)>> = IdMap::default();
    let mut unclear = 0u64;
    for row in rows.values() {
        let Some(rest) = row.key.strip_prefix("tool:") else {
            unclear += 1;
            continue;
        };
        let mut add = |id: &str, time| {
            let rows = named.entry(Id::of(id.as_bytes())).or_default();
            rows.push((time, row));
        };
        add(rest, None);
        if let Some((id, time)) = rest.rsplit_once(':') {
            add(id, Some(time));
        }
    }
    let mut proposal = Proposal::default();
    let reason: Arc<str> = "cut by OpenClaw, as its marker says".into();
    for (i, index, block) in view
        .all_parts()
        .filter(|(.., b)| b.kind == BlockKind::Result && !b.flags.has(Flags::ABSENT))
    {
        let candidates = named.get(&view.transcript.link(block).call);
        let Some(row) = fitting(view, i, candidates.map_or(&[][..], Vec::as_slice))? else {
            continue;
        };
        let at = (i as u32, index);
        let cut = action(view, at, row)?.map(|new| view.new_cut(NAME, at, new, reason.clone()));
        proposal.cuts.extend(cut);
    }
    proposal.note =
        (unclear > 0).then(|| format!("{unclear} cuts of results that have no id are left"));
    Ok(proposal)
}

/// Returns all accepted cuts. A marker that cannot be read voids the changes since the last
/// complete list.
fn rows(data: Vec<Option<Data>>) -> BTreeMap<String, Row> {
    let mut whole = BTreeMap::new();
    let mut now = BTreeMap::new();
    let mut intact = true;
    for data in data {
        match data {
            Some(Data {
                pruned_tool_results: Some(all),
                ..
            }) => {
                whole = all.into_iter().map(|row| (row.key.clone(), row)).collect();
                now = whole.clone();
                intact = true;
            }
            Some(Data {
                cache_ttl_delta: Some(delta),
                ..
            }) if intact => {
                let Some(change) = delta.pruned_tool_results else {
                    continue;
                };
                now.extend(change.set.into_iter().map(|row| (row.key.clone(), row)));
                for key in change.remove {
                    now.remove(
                        key.as_str()
                            .or_else(|| key.get("key")?.as_str())
                            .unwrap_or_default(),
                    );
                }
            }
            Some(_) => {}
            None => (now, intact) = (whole.clone(), false),
        }
    }
    now
}

/// Returns the row of message `i`: an id may occur again, and then the time decides.
fn fitting<'r>(
    view: &View<'_>,
    i: usize,
    candidates: &[(Option<&str>, &'r Row)],
) -> Result<Option<&'r Row>> {
    let find = |wanted: Option<&str>| {
        let row = candidates.iter().find(|(time, _)| *time == wanted);
        row.map(|(_, row)| *row)
    };
    match find(None) {
        None if !candidates.is_empty() => Ok(find(time(view, i)?.as_deref())),
        row => Ok(row),
    }
}

/// Returns the `timestamp` of a message as it is spelled, if it is a number.
fn time(view: &View<'_>, i: usize) -> Result<Option<String>> {
    let raw = view.bytes(i, view.transcript.messages[i].span)?;
    let time = members(&raw, 0)
        .unwrap_or_default()
        .into_iter()
        .rfind(|member| &*member.name == b"timestamp" && member.kind == Kind::Number);
    Ok(time.map(|time| String::from_utf8_lossy(&raw[time.value]).into_owned()))
}

fn action(view: &View<'_>, at: Part, row: &Row) -> Result<Option<(Action, u64)>> {
    match row.mode.as_str() {
        "hard" => {
            let text = row.placeholder.as_deref().unwrap_or(PLACEHOLDER);
            Ok(Some((Action::Clear(text.into()), view.chars_of_text(text))))
        }
        "soft" => trimmed(view, at, &ContextPruning::default()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(markers: &[&str]) -> String {
        let rows = rows(
            markers
                .iter()
                .map(|m| serde_json::from_str(m).ok())
                .collect(),
        );
        rows.values()
            .map(|row| format!("{}={} ", row.key, row.mode))
            .collect()
    }

    #[test]
    fn both_shapes_of_a_marker() {
        let all = r#"{"timestamp":1,"prunedToolResults":[{"key":"a","mode":"soft"},{"key":"b","mode":"hard","placeholder":"[x]"}],"frozenToolResults":[]}"#;
        let delta = r#"{"cacheTtlDelta":{"prunedToolResults":{"set":[{"key":"a","mode":"hard"},{"key":"c","mode":"soft"}],"remove":["b"]}}}"#;
        let time = r#"{"timestamp":2,"provider":"anthropic","modelId":"m"}"#;
        assert_eq!(modes(&[all]), "a=soft b=hard ");
        assert_eq!(modes(&[all, time, delta]), "a=hard c=soft ");
        assert_eq!(modes(&[delta, all]), "a=soft b=hard ");
        let damaged = r#"{"cacheTtlDelta":{"prunedToolResults":{"set":[{"key":1}]}}}"#;
        assert_eq!(modes(&[all, delta, damaged, delta]), "a=soft b=hard ");
        assert_eq!(modes(&[damaged, all, delta]), "a=hard c=soft ");
        assert_eq!(modes(&[]), "");
    }
}
