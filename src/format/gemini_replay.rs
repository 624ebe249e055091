//! Which messages of a Gemini CLI session the agent would send, and which copy of a result.
//!
//! A record with the id of an earlier one takes its place; `$set` with messages begins anew; `$rewindTo` takes a message
//! and all after it away, or everything where it names none that is there. Newer releases write what their tools said twice:
//! with the call that asked for it, and as a message of the user that holds nothing else. The user's message is the one
//! that is sent, and the other its twin. Releases until 0.60 send both (gemini-cli#29365), so the two are cut alike.

use super::Gone;
use super::sheet::{EntryKind, NONE, Sheet};
use super::tree::reduce;
use crate::config::settings::Scope;
use crate::transcript::{Block, BlockKind, Flags, Mirror, MirrorKind, Role};
use std::collections::{HashMap, HashSet};

/// Reduces a sheet to the effective context.
///
/// # Errors
/// None: what was let go lies before a `$set` that began anew.
pub fn context(sheet: &mut Sheet, scope: Scope) -> Result<(), Gone> {
    sheet.provider.get_or_insert_with(|| "google".to_owned());
    if scope == Scope::File {
        return Ok(());
    }
    let slots = slots(sheet);
    let order = without_twins(sheet, &slots);
    let records: HashSet<u64> = slots.iter().flatten().map(|&m| sheet.messages[m as usize].record).collect();
    sheet.mirrors.retain(|mirror| records.contains(&mirror.record));
    reduce(sheet, &order);
    Ok(())
}

/// The messages of each record that stands, in the order of the conversation. Where one goes, the older records of the same
/// id go with it (`LINEAGE` of the format).
fn slots(sheet: &Sheet) -> Vec<Vec<u32>> {
    let mut slots: Vec<Vec<u32>> = Vec::new();
    let mut ids: Vec<u64> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut last = 0;
    for entry in &sheet.entries {
        match entry.kind {
            EntryKind::Reset => {
                slots.clear();
                ids.clear();
                places.clear();
            }
            EntryKind::Leaf => {
                let from = places.get(&entry.aim).copied().unwrap_or(0);
                slots.truncate(from);
                ids.drain(from..).for_each(|id| {
                    places.remove(&id);
                });
            }
            EntryKind::Side => {
                if let Some(slot) = slots.get_mut(last) {
                    slot.push(entry.message);
                }
            }
            _ => {
                let known = if entry.id == 0 { None } else { places.get(&entry.id).copied() };
                last = known.unwrap_or(slots.len());
                let slot = if entry.message == NONE { Vec::new() } else { vec![entry.message] };
                if last < slots.len() {
                    slots[last] = slot;
                } else {
                    slots.push(slot);
                    ids.push(entry.id);
                    places.insert(entry.id, last);
                }
            }
        }
    }
    slots
}

/// The messages of all slots but the results that the user's next messages hold once more: those become mirrors.
fn without_twins(sheet: &mut Sheet, slots: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::new();
    let mut recorded: HashSet<u64> = HashSet::new();
    for slot in slots.iter().rev() {
        for &message in slot.iter().rev() {
            let role = sheet.messages[message as usize].role;
            let results: Vec<Block> = blocks_of(sheet, message).iter().filter(|b| b.kind == BlockKind::Result).copied().collect();
            let call = |block: &Block| sheet.links[block.extra as usize].call;
            if role == Role::User {
                recorded.extend(results.iter().map(call));
            } else if role == Role::Tool && !results.is_empty() && results.iter().all(|r| recorded.contains(&call(r))) {
                twins(sheet, message);
                continue;
            }
            order.push(message);
        }
        if slot.first().is_some_and(|&m| sheet.messages[m as usize].role == Role::Assistant) {
            recorded.clear();
        }
    }
    order.reverse();
    order
}

/// Notes the contents of the results of `message` as twins.
fn twins(sheet: &mut Sheet, message: u32) {
    let record = sheet.messages[message as usize].record;
    let blocks = blocks_of(sheet, message);
    let mut found = Vec::new();
    for (i, block) in blocks.iter().enumerate().filter(|(_, b)| b.kind == BlockKind::Result) {
        let link = sheet.links[block.extra as usize];
        let (span, string) = match &blocks[i + 1..i + 1 + link.children as usize] {
            [one] if one.kind == BlockKind::Text => (one.span, true),
            _ => (link.content, block.flags.has(Flags::STRING)),
        };
        if !span.is_empty() {
            found.push(Mirror { call: link.call, record, span, kind: MirrorKind::Twin { string } });
        }
    }
    sheet.mirrors.extend(found);
}

fn blocks_of(sheet: &Sheet, message: u32) -> &[Block] {
    let from = sheet.messages[message as usize].blocks as usize;
    let to = sheet.messages.get(message as usize + 1).map_or(sheet.blocks.len(), |m| m.blocks as usize);
    &sheet.blocks[from..to]
}
