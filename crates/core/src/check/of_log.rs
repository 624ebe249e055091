//! What the provider would refuse of a log: the defects of the next request that its context makes,
//! placed in the log. Pairs are checked in the log itself, because its agent answers open calls.

use super::*;
use crate::{
    dialect::{builder::TranscriptBuilder, by_name, transcript as read_as},
    emit,
    json::Cursor,
    settings::{Estimator, Scope},
};

/// Returns the defects of the request that the context of a log makes; none if no request can be
/// made. `bytes` is the whole log.
pub fn check(log: &Transcript, bytes: &[u8]) -> Vec<Defect> {
    let made = by_name(log.format).map(|format| emit::request(bytes, format, Some(emit::PROMPT)));
    let Some(Ok(Some(made))) = made else {
        return Vec::new();
    };
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    builder.begin(0, 1);
    let mut cursor = Cursor::document(&made.body);
    if (made.format.read)(&mut cursor, &mut builder).is_err() {
        return Vec::new();
    }
    let Ok(body) = read_as(made.format, builder, Scope::Context) else {
        return Vec::new();
    };
    let parts = (0..body.messages.len()).flat_map(|i| body.parts(i));
    let parts: Vec<u32> = parts.map(|(block, _)| block).collect();
    let place = |defect: &Defect| {
        let first = body.messages.get(defect.message)?.blocks;
        let block = defect.block.unwrap_or(first);
        let part = parts.partition_point(|part| *part <= block);
        let at = *made.sources.get(part.checked_sub(1)?)?;
        let mut messages = log.messages.iter();
        let i = messages.position(|m| m.range(m.span).contains(&at))?;
        let mut blocks = log.numbered_blocks_of(i);
        let found = blocks.find(|(_, block)| log.messages[i].range(block.span).contains(&at));
        Some(found.map_or(Place::Message(i), |(block, _)| Place::Block(block)))
    };
    let found = check_all(&body, &made.body).into_iter();
    // The beginning may be in another log.
    let is_part = log.missing.is_some() || log.begins_with.is_some() || log.calls_elsewhere;
    let found = found.filter(|defect| {
        !(ITS_OWN.contains(defect.row.code) || is_part && defect.row.code == "E10")
    });
    let moved = |defect: Defect| {
        let place = place(&defect).unwrap_or(Place::Request);
        Defect {
            about: defect.about,
            ..Defect::new(log, defect.row, place)
        }
    };
    found.map(moved).collect()
}

/// Codes that do not apply here: pairs, tools, which the agent declares, parts that no agent writes
/// at such a place, and thinking that an agent does not send.
const ITS_OWN: &str = "E01 E02 E03 E04 E05 E06 E07 E19 E31 E32 E34";
