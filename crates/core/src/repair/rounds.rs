//! Rounds of repair: the kinds of fixes run one after the other, and the result is read again
//! between them.
//!
//! A round is undone if it does not reduce the defects, loses the text of a result, adds more
//! messages than it repairs defects, or has a result that differs from its changes. Then each kind
//! of fix is tried separately, and defects that none repairs are left.

use super::*;
use crate::{
    Error,
    check::{REPAIRED, check_all, located},
    diagnostics::DefectRow,
    edit::Edits,
    json::text::unpaired,
    settings::Scope,
};
use std::borrow::Cow;

/// The maximum number of rounds.
const ROUNDS: usize = 16;
/// The maximum number of times that a kind of fix runs in a round: a change may bring records with
/// defects into the context.
const AGAIN: usize = 3;

/// An input during its repair.
pub struct State<'a> {
    pub bytes: Cow<'a, [u8]>,
    pub read: Transcript,
    off_context: OffContext,
    defects: Vec<Defect>,
}

/// Reads bytes in the format of the input.
type Reading<'a> = dyn Fn(&[u8], Option<Scope>) -> Result<Transcript> + 'a;

/// The configuration of a repair in rounds.
pub struct Rounds<'a> {
    /// Reads the input again, in the scope of the run or in another one.
    pub read: &'a Reading<'a>,
    /// Whether the input may have records outside the context.
    pub whole: bool,
}

impl Rounds<'_> {
    /// Returns the state of `bytes`, which were read as `read`: the defects, and the records
    /// outside the context where they matter. A repair may have made it of the state `before`.
    pub fn state<'a>(
        &self,
        before: Option<&State<'_>>,
        bytes: Cow<'a, [u8]>,
        mut read: Transcript,
    ) -> Result<State<'a>> {
        let defects = check_all(&read, &&*bytes);
        let looks = before.is_some_and(|before| !before.off_context.results.is_empty())
            || self.whole
                && defects
                    .iter()
                    .any(|defect| matches!(defect.row.code, "E01" | "E02"));
        let off_context = if looks {
            OffContext::of(&(self.read)(&bytes, Some(Scope::File))?, &read, &bytes)
        } else {
            OffContext::default()
        };
        if !defects.is_empty() {
            exclude_ambiguous(&mut read, &bytes);
        }
        Ok(State {
            defects,
            bytes,
            read,
            off_context,
        })
    }

    /// Repairs an input in rounds; returns `None` if nothing changes.
    pub fn run(&self, first: &State<'_>) -> Result<Option<State<'static>>> {
        let mut last = self.paired(first)?;
        for _ in 0..ROUNDS {
            let state = last.as_ref().unwrap_or(first);
            let mut next = self.round(state, &FIXES)?;
            for fix in FIXES.chunks(1).filter(|_| !state.defects.is_empty()) {
                if next.is_none() {
                    next = self.round(state, fix)?;
                }
            }
            match next {
                Some(_) => last = next,
                None => break,
            }
        }
        Ok(last)
    }

    /// Replaces halves of surrogate pairs; returns `None` if they are no defects. The new bytes are
    /// as many.
    fn paired(&self, from: &State<'_>) -> Result<Option<State<'static>>> {
        if !from.defects.iter().any(|defect| defect.row.code == "E40") {
            return Ok(None);
        }
        let mut bytes = from.bytes.to_vec();
        for at in unpaired(&from.bytes) {
            bytes[at..at + 6].copy_from_slice(b"\\ufffd");
        }
        let read = (self.read)(&bytes, None)?;
        self.state(Some(from), bytes.into(), read).map(Some)
    }

    /// Applies these kinds of fixes in order; returns `None` unless the input is better afterwards.
    fn round(&self, from: &State<'_>, fixes: &[Fix]) -> Result<Option<State<'static>>> {
        let mut next: Option<State<'static>> = None;
        for &fix in fixes {
            for time in 0..AGAIN {
                let state = next.as_ref().unwrap_or(from);
                // If anything is repaired, results are also put in the order of their calls.
                if state.defects.is_empty() && (fix.0 != TIDIES || next.is_none()) {
                    break;
                }
                let (bytes, size) = (&*state.bytes, state.bytes.len() as u64);
                let changes = changes(fix, &state.read, bytes, &state.defects, &state.off_context)?;
                let edits = Edits::of_changes(&bytes, &changes)?;
                if edits.is_empty() {
                    break;
                }
                let repaired = edits.render(&bytes, 0, size)?;
                let read = (self.read)(&repaired, None).map_err(|error| Error::Mismatch {
                    message: 0,
                    what: error.to_string(),
                })?;
                if !verify::agrees(&changes, &edits, bytes, &state.read, &read, !self.whole) {
                    return Ok(None);
                }
                let again = self.state(Some(from), repaired.into(), read)?;
                // Reordering alone does not change the size.
                if time > 0
                    && again.defects.len() >= state.defects.len()
                    && again.bytes.len() > state.bytes.len()
                {
                    break;
                }
                next = Some(again);
            }
        }
        Ok(next.filter(|next| is_better(from, next)))
    }
}

/// Excludes records from repair in which an object has a member twice: readers may take either. A
/// body is one record.
fn exclude_ambiguous(read: &mut Transcript, bytes: &[u8]) {
    let mut record = None;
    let mut is_ambiguous = false;
    for message in &mut read.messages {
        if record.replace(message.record) != record {
            is_ambiguous = repeats_member(bytes, message.record as usize);
        }
        message.multi_record |= is_ambiguous;
    }
}

/// Deeper objects belong to no format.
const DEPTH: usize = 12;

/// Whether an object in the value that begins at `start` has a member twice. Arguments and outputs
/// of tools may have any members.
pub fn repeats_member(bytes: &[u8], start: usize) -> bool {
    let mut open = vec![(start, 0)];
    while let Some((at, depth)) = open.pop() {
        let inner = |value: Range<usize>| {
            (depth < DEPTH && matches!(bytes[value.start], b'{' | b'['))
                .then_some((value.start, depth + 1))
        };
        if let Some(members) = members(bytes, at) {
            let mut names: Vec<&[u8]> = members.iter().map(|member| &*member.name).collect();
            names.sort_unstable();
            if names.windows(2).any(|pair| pair[0] == pair[1]) {
                return true;
            }
            let is_free = |name: &[u8]| {
                matches!(
                    name,
                    b"input" | b"args" | b"arguments" | b"parameters" | b"response" | b"json"
                )
            };
            open.extend(
                members
                    .into_iter()
                    .filter(|member| !(is_free(&member.name) && bytes[member.value.start] == b'{'))
                    .filter_map(|member| inner(member.value)),
            );
        } else {
            open.extend(elements(bytes, at).into_iter().flatten().filter_map(inner));
        }
    }
    false
}

/// Returns whether there are fewer defects, no more additional messages than that, and all texts of
/// results.
fn is_better(before: &State<'_>, after: &State<'_>) -> bool {
    let repaired = before.defects.len().saturating_sub(after.defects.len());
    // An inserted result may need an answer behind it, too.
    let each = 1 + u64::from(after.read.rules().results_are_answered);
    if repaired == 0
        || size(&after.read) > size(&before.read) + repaired as u64 * each
        || !before
            .off_context
            .keeps_results(&before.read, &after.off_context, &after.read)
    {
        return false;
    }
    let said = |state: &State<'_>| said(&state.read, &state.bytes, &state.off_context);
    let had = said(before);
    let kept = said(after);
    let mut texts = HashMap::new();
    kept.iter()
        .for_each(|(_, text)| *texts.entry(text).or_insert(0) += 1);
    let answered =
        |said: &[(Id, Id)], call: Id| said.iter().filter(|(other, _)| *other == call).count();
    had.iter().all(|(call, text)| match texts.get_mut(text) {
        Some(times) if *times > 0 => {
            *times -= 1;
            true
        }
        // Another result of the call may have taken its place if this one is now outside the
        // context.
        _ => {
            after.off_context.said.contains(text) && answered(&kept, *call) >= answered(&had, *call)
        }
    })
}

/// Returns the number of messages in an input. For a log in lines it is the number of records, as
/// its context may have fewer messages.
fn size(read: &Transcript) -> u64 {
    if read.rules().is_history && read.records > 1 {
        read.records
    } else {
        read.messages.len() as u64
    }
}

/// Returns the rows of the report on the defects of an input, which a repair changes to `repaired`,
/// if at all. Only repaired defects get an advice that says so.
pub fn rows(state: &State<'_>, repaired: Option<&State<'_>>) -> Vec<DefectRow> {
    let advice = state
        .off_context
        .advice(&state.read, &state.bytes, &state.defects);
    // The remaining defects: by message, and in total.
    let of = |defect: &Defect| (defect.row.code, defect.about);
    let mut there = HashMap::new();
    let mut left = HashMap::new();
    for defect in &repaired.unwrap_or(state).defects {
        *there.entry((of(defect), defect.row.message)).or_insert(0) += 1;
        *left.entry(of(defect)).or_insert(0) += 1;
    }
    let mut take = |defect: &Defect, anywhere: bool| {
        let here: &mut usize = there.entry((of(defect), defect.row.message)).or_default();
        let all: &mut usize = left.entry(of(defect)).or_default();
        let is_left = *all > 0 && (anywhere || *here > 0);
        if is_left {
            *here = here.saturating_sub(1);
            *all -= 1;
        }
        is_left
    };
    let stays: Vec<bool> = state
        .defects
        .iter()
        .map(|defect| take(defect, false))
        .collect();
    located(&state.read, &state.bytes, &state.defects)
        .into_iter()
        .zip(&state.defects)
        .zip(advice.into_iter().zip(stays))
        .map(|((row, defect), (advice, stays))| {
            let own = if stays || take(defect, true) {
                defect.row.repair.trim_end_matches(REPAIRED)
            } else {
                defect.row.repair
            };
            let repair = advice.unwrap_or(own);
            DefectRow { repair, ..row }
        })
        .collect()
}
