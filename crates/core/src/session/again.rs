//! Results that are needed again after they were cut: a later call reads what the call of a cut
//! result read.

use super::sticky::NAME;
use crate::{
    edit::View,
    json::{Id, IdMap},
    pass::reads::{is_reader, of_call},
    transcript::BlockKind,
};
use std::collections::HashSet;

/// Returns the number of calls from message `from` on that read what only a result that an earlier
/// run cut had shown.
///
/// # Errors
/// The input cannot be read any more.
pub fn needed_again(view: &View<'_>, from: u32) -> Result<u64, crate::Error> {
    let transcript = view.transcript;
    let mut again = 0;
    let mut calls = IdMap::default();
    let mut lost = HashSet::<(u32, Id)>::new();
    if view.cuts().all(|cut| cut.pass != NAME) {
        return Ok(again);
    }
    for (i, message) in transcript.messages.iter().enumerate() {
        for (index, block) in transcript.numbered_blocks_of(i) {
            let link = || transcript.link(block);
            match block.kind {
                BlockKind::Call if is_reader(transcript.tool_of(block)) => {
                    let Some(read) = of_call(&message.bytes(view.texts, block.span)?) else {
                        continue;
                    };
                    let what = (link().tool, read.resource);
                    again += u64::from(i as u32 >= from && lost.remove(&what));
                    calls.insert(link().call, what);
                }
                BlockKind::Result => {
                    let Some(what) = calls.get(&link().call) else {
                        continue;
                    };
                    if view.cut(index).is_some_and(|cut| cut.pass == NAME) {
                        lost.insert(*what);
                    } else {
                        lost.remove(what);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(again)
}
