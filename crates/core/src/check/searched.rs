//! Defects that only a search of the input shows, which no cut causes: E30 of a declared tool, E39
//! and E40. Only `check` and its repair search.

use super::*;
use crate::{
    json::{
        locate::{elements, member_value},
        text::unpaired,
    },
    transcript::Message,
};

/// Reports E30 of a declared tool, E39 and E40 in `bytes`, from which the transcript was read.
pub fn check(finder: &mut Finder<'_>, bytes: &[u8]) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let record = transcript.messages.first().map(|message| message.record);
    if let Some(record) = record {
        members::check(finder, bytes, record as usize);
        if rules.drops_thinking && !rules.types.is_empty() {
            request::check(finder, bytes, record as usize);
        }
    }
    if let Some(record) = record.filter(|_| rules.parameters) {
        let tools = member_value(bytes, record as usize, "tools");
        for tool in tools
            .and_then(|tools| elements(bytes, tools.start))
            .into_iter()
            .flatten()
        {
            let function = member_value(bytes, tool.start, "function");
            if function
                .is_some_and(|function| member_value(bytes, function.start, "parameters").is_none())
            {
                finder.report("E30 tool", Place::Request);
            }
        }
    }
    if !rules.surrogates {
        return;
    }
    let mut known = None;
    for at in unpaired(bytes) {
        let place = place(transcript, at as u64);
        if known.replace(place) != Some(place) {
            finder.report("E40", place);
        }
    }
}

/// Returns the place of the byte at `at`.
pub fn place(transcript: &Transcript, at: u64) -> Place {
    let messages = &transcript.messages;
    let i = messages.partition_point(|message| message.range(message.span).start <= at);
    let around = |span| move |message: &&Message| message.range(span).contains(&at);
    let found = messages[..i]
        .last()
        .filter(|message| around(message.span)(message));
    let Some(message) = found else {
        return Place::Request;
    };
    let blocks = transcript.blocks_of(i - 1);
    let next = blocks.partition_point(|block| message.range(block.span).start <= at);
    match blocks[..next].last() {
        Some(block) if around(block.span)(&message) => {
            Place::Block(message.blocks + next as u32 - 1)
        }
        _ => Place::Message(i - 1),
    }
}
