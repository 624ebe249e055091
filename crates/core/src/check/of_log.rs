//! What of a log the provider would refuse: the defects of the next request that its context makes,
//! where they are in the log. Pairs are those of the log itself, whose agent answers what is open.

use super::*;
use crate::{
    emit,
    reader::Reading,
    settings::{Estimator, Scope},
    values,
};

/// Returns the defects of the request that the context of a log makes, whose texts are in `texts`.
/// None where no request can be made of it.
pub fn check(log: &Transcript, texts: &dyn ReadAt) -> Vec<Defect> {
    let Ok(Some(made)) = emit::request(log, texts, Some(emit::PROMPT)) else {
        return Vec::new();
    };
    let reading = Reading::new(made.format, Estimator::Utf16, Scope::Context);
    let Ok(body) = values::history(&made.body, &reading) else {
        return Vec::new();
    };
    let parts = (0..body.messages.len()).flat_map(|i| body.parts(i));
    let parts: Vec<u32> = parts.map(|part| part.0).collect();
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
    let found = check_all(&body, &&*made.body).into_iter();
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

/// The codes of pairs, of tools, which the agent declares, of parts that no agent writes at such a
/// place, and of thinking that an agent does not send.
const ITS_OWN: &str = "E01 E02 E03 E04 E05 E06 E07 E19 E31 E32 E34";
