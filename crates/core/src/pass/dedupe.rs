//! dedupe: replaces a result by a short note if the same result comes again later.
//!
//! **What.** Of the candidates (`candidates`) with at least `dedupe.minChars`, a result is replaced
//! by a note if its tool returned exactly the same text again later, or if it read a file, or lines
//! of it, that a later call of the same tool has read as well. The later result is kept.
//!
//! **Why.** Repeated content is read twice and paid for twice. Exact duplicates are few in real
//! sessions; files that are read again are many.
//!
//! **Safety.** Only the content of the earlier result changes, its call is kept. A later read that
//! failed replaces nothing. The text of an earlier version of a file is lost. A note is shorter
//! than the text that it replaces, and no pass replaces a note or a placeholder, so that a second
//! run changes nothing. The pass waits for the cache to expire as the passes by size do; a run that
//! does not consider the clock, such as one with mode off, runs it.
//!
//! ```text
//! before  {"type":"text","text":"fn main() {\n…"}
//! after   {"type":"text","text":"[Read again later; see there]"}
//! ```

use super::{
    candidates::candidates,
    reads::{Read, is_reader, of_call},
    *,
};
use crate::{
    json::{Id, IdMap},
    settings::{AGAIN, SAME},
};
use std::collections::HashSet;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "dedupe",
    about: "replace results by a note if the same content comes again later",
    clocked: true,
    reach: Reach::AnyAge,
    plan,
    ..Pass::REST
};

/// Whether the result is nothing but a note of this pass already.
pub(super) fn is_note(view: &View<'_>, at: Part) -> Result<bool, crate::Error> {
    Ok(view.is_placeholder(at, SAME)? || view.is_placeholder(at, AGAIN)?)
}

/// A result with what is needed to recognize it again.
struct ComparedResult {
    block: u32,
    tool: u32,
    content: Id,
    read: Option<Read>,
    failed: bool,
}

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let (candidates, skipped) = candidates(view, settings, PASS.name)?;
    let candidates: HashMap<u32, Part> = candidates.into_iter().map(|at| (at.1, at)).collect();
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    let mut cuts = Vec::new();
    let notes: [(Arc<str>, Arc<str>); 2] = [
        (SAME.into(), "the same output comes later".into()),
        (AGAIN.into(), "a later call reads it again".into()),
    ];
    let mut said: HashSet<(u32, Id)> = HashSet::new();
    let mut read: HashMap<(u32, Id), Vec<Read>> = HashMap::new();
    // From the end, so that what comes later is known.
    for known in known(view)?.iter().rev() {
        let is_said = said.contains(&(known.tool, known.content));
        let is_read = known.read.as_ref().is_some_and(|this| {
            read.get(&(known.tool, this.resource))
                .is_some_and(|later| later.iter().any(|other| other.part.covers(this.part)))
        });
        let before = view.chars_of_result(known.block);
        if let Some(at) = candidates
            .get(&known.block)
            .filter(|_| (is_said || is_read) && before >= settings.dedupe.min_chars)
        {
            let (note, reason) = &notes[usize::from(!is_said)];
            let after = view.chars_of_text(note);
            if after < before && !is_note(view, *at)? && !view.is_placeholder(*at, placeholder)? {
                cuts.push(view.new_cut(
                    PASS.name,
                    *at,
                    (Action::Clear(note.clone()), after),
                    reason.clone(),
                ));
            }
        }
        said.insert((known.tool, known.content));
        if let Some(this) = known
            .read
            .as_ref()
            .filter(|this| !known.failed && this.named && !is_read)
        {
            read.entry((known.tool, this.resource))
                .or_default()
                .push(this.clone());
        }
    }
    cuts.reverse();
    Ok(Proposal {
        cuts,
        skipped,
        ..Proposal::default()
    })
}

/// All results, in order.
fn known(view: &View<'_>) -> Result<Vec<ComparedResult>, crate::Error> {
    let mut calls: IdMap<Read> = IdMap::default();
    let mut found = Vec::new();
    for (i, index, block) in view.linked() {
        let link = view.transcript.link(block);
        if block.kind == BlockKind::Result {
            let children = view.children(index).iter();
            let contents = children.map(|child| view.bytes(i, child.span));
            found.push(ComparedResult {
                block: index,
                tool: link.tool,
                content: Id::of_all(contents.collect::<Result<Vec<_>, _>>()?),
                read: calls.get(&link.call).cloned(),
                failed: block.flags.has(Flags::ERROR),
            });
        } else if is_reader(view.tool(index))
            && let Some(read) = of_call(&view.bytes(i, block.span)?)
        {
            calls.insert(link.call, read);
        }
    }
    Ok(found)
}
