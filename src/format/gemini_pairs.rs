//! Which Gemini response answers which call.
//!
//! Where both sides have an id, ids pair them. Else the responses of the next content that has any answer the calls by
//! name and order, and those of a later one what is left. Such a pair gets an id made of where its call stands, so that checks and passes see pairs only.

use super::Gone;
use super::sheet::{Sheet, id_hash};
use crate::config::settings::Scope;
use crate::transcript::BlockKind;

/// All contents count; calls and responses are paired.
pub fn context(sheet: &mut Sheet, _: Scope) -> Result<(), Gone> {
    // Links of calls that wait for the responses to them.
    let mut waiting: Vec<usize> = Vec::new();
    for i in 0..sheet.messages.len() {
        let from = sheet.messages[i].blocks as usize;
        let to = sheet.messages.get(i + 1).map_or(sheet.blocks.len(), |m| m.blocks as usize);
        let links = |kind| sheet.blocks[from..to].iter().filter(move |b| b.kind == kind).map(|b| b.extra as usize).collect::<Vec<_>>();
        let (calls, results) = (links(BlockKind::Call), links(BlockKind::Result));
        if !results.is_empty() {
            waiting = answer(sheet, std::mem::take(&mut waiting), &results);
        }
        if !calls.is_empty() {
            settle(sheet, &waiting);
            waiting = calls;
        }
    }
    settle(sheet, &waiting);
    Ok(())
}

/// Pairs `results` with the calls before them; returns the calls that none of them answers, as a late one may.
fn answer(sheet: &mut Sheet, mut calls: Vec<usize>, results: &[usize]) -> Vec<usize> {
    let by_id = |sheet: &Sheet, call: usize, result: usize| {
        let (a, b) = (sheet.links[call], sheet.links[result]);
        a.call != 0 && a.call == b.call
    };
    let mut open: Vec<usize> = Vec::new();
    for &result in results {
        match calls.iter().position(|&call| by_id(sheet, call, result)) {
            Some(at) => {
                calls.remove(at);
            }
            None => open.push(result),
        }
    }
    for result in open {
        let one = sheet.links[result];
        let fits = |&call: &usize| {
            let other = sheet.links[call];
            other.tool == one.tool && (other.call == 0 || one.call == 0)
        };
        let found = calls.iter().position(fits);
        let id = match found.map(|at| calls.remove(at)) {
            Some(call) => {
                let id = [sheet.links[call].call, one.call].into_iter().find(|&id| id != 0).unwrap_or_else(|| made(call));
                sheet.links[call].call = id;
                id
            }
            None if one.call == 0 => made(result),
            None => one.call,
        };
        sheet.links[result].call = id;
    }
    calls
}

/// Gives calls that nothing answers an id of their own where they have none.
fn settle(sheet: &mut Sheet, calls: &[usize]) {
    for &call in calls {
        let link = &mut sheet.links[call];
        if link.call == 0 {
            link.call = made(call);
        }
    }
}

/// An id made of a link's index. No id of a body is likely to have its hash.
fn made(link: usize) -> u64 {
    id_hash(format!("\0{link}").as_bytes())
}
