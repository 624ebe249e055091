//! Detects defects: each is something that a provider would refuse, and has a code. A file contains one family of rules.
//!
//! The rules run on the input and on the output. A defect of the input is reported; a new one means that the output must not be written.
//! [`Rules`], which depend on the format and the model, say which rules a transcript must follow; in a history only the pairs are checked,
//! as its agent repairs the rest. [`repair`](crate::repair) repairs what it can.

pub(crate) mod advice;
mod alternation;
mod cache_marks;
mod contents;
mod counts;
mod fields;
mod items;
mod kinds;
mod order;
mod pairs;
mod places;
mod reasoning;
mod reasoning_content;
#[cfg(test)]
mod rules_tests;
mod server_tools;
mod signatures;
mod syntax;
mod system;
mod thinking;

pub use reasoning::lost as lost_reasoning;
pub use thinking::{binds_thinking, changed as changed_thinking, thinking_warning};

use crate::diagnostics::DefectRow;
use crate::json::Id;
use crate::read_at::ReadAt;
use crate::transcript::{Block, BlockKind, Fault, Flags, Note, NoteKind, Rules, Transcript};
pub use advice::REPAIRED;
use kinds::PresentKinds;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// One defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Code, place and detail, as reports say them.
    pub row: DefectRow,
    /// Index of the message in the transcript.
    pub message: usize,
    /// Index of the block in the transcript, if the defect concerns one.
    pub block: Option<u32>,
    /// The subject of the defect, which distinguishes new defects from old ones.
    pub(crate) about: DefectSubject,
}

/// The subject of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DefectSubject {
    /// A call, by its id.
    Call(Id),
    /// The request, or one of several things that the rule numbers.
    Rule(u64),
}

impl From<Id> for DefectSubject {
    fn from(call: Id) -> DefectSubject {
        DefectSubject::Call(call)
    }
}

impl From<u64> for DefectSubject {
    fn from(number: u64) -> DefectSubject {
        DefectSubject::Rule(number)
    }
}

/// Returns all defects of a transcript, whose texts are in `texts`. `blank` returns whether the text at a block index is blank, which a cut
/// may have changed.
pub fn check(
    transcript: &Transcript,
    texts: &dyn ReadAt,
    blank: impl Fn(u32, &Block) -> bool,
) -> Vec<Defect> {
    check_by(transcript, transcript.rules(), texts, blank)
}

/// Returns the codes of defects that only some models have, if neither the model nor the provider is named.
pub fn depends_on_model(transcript: &Transcript, texts: &dyn ReadAt) -> Vec<&'static str> {
    let named = transcript.model.is_some() || transcript.service.is_some();
    let Some(strictest) = transcript.interface.strictest.filter(|_| !named) else {
        return Vec::new();
    };
    let blank = |_, block: &Block| block.flags.has(Flags::BLANK);
    let reported: HashSet<&str> = check(transcript, texts, blank)
        .iter()
        .map(|defect| defect.row.code)
        .collect();
    let mut codes: Vec<&str> = check_by(transcript, strictest(), texts, blank)
        .iter()
        .map(|d| d.row.code)
        .collect();
    codes.retain(|code| !reported.contains(code));
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Returns all defects by these rules.
pub fn check_by(
    transcript: &Transcript,
    rules: Rules,
    texts: &dyn ReadAt,
    blank: impl Fn(u32, &Block) -> bool,
) -> Vec<Defect> {
    let mut facts = transcript.notes.clone();
    facts.sort_by_key(|note| note.block);
    let kinds = PresentKinds::of(transcript);
    let mut finder = Finder {
        transcript,
        rules,
        texts,
        facts,
        kinds,
        defects: Vec::new(),
    };
    pairs::check(&mut finder);
    if !rules.is_history {
        contents::check(&mut finder, blank);
        counts::check(&mut finder);
        alternation::check(&mut finder);
        reasoning::check(&mut finder);
        order::check(&mut finder);
        system::check(&mut finder);
        server_tools::check(&mut finder);
        cache_marks::check(&mut finder);
        signatures::check(&mut finder);
        thinking::check(&mut finder);
        reasoning_content::check(&mut finder);
        places::check(&mut finder);
        syntax::check(&mut finder);
        fields::check(&mut finder);
        items::check(&mut finder);
    }
    finder
        .defects
        .sort_by_key(|d| (d.row.message, d.row.code, d.block));
    finder.defects
}

/// Returns the defects of `after` that `before` did not have.
pub fn new_defects<'a>(before: &[Defect], after: &'a [Defect]) -> Vec<&'a Defect> {
    let mut known: HashMap<(&str, DefectSubject), usize> = HashMap::new();
    for defect in before {
        *known.entry((defect.row.code, defect.about)).or_default() += 1;
    }
    after
        .iter()
        .filter(
            |defect| match known.get_mut(&(defect.row.code, defect.about)) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => true,
            },
        )
        .collect()
}

/// Returns the defect of a log whose last record is incomplete; `is_cut`: a repair removes it.
pub fn torn(transcript: &Transcript, is_cut: bool) -> Option<DefectRow> {
    let torn = transcript.torn?;
    let number = transcript
        .messages
        .iter()
        .map(|m| m.number)
        .max()
        .unwrap_or(0)
        + 1;
    let detail = format!(
        "line {} is torn: it ends in the middle of a record (byte {})",
        torn.line, torn.start
    );
    let repair = if is_cut {
        advice::TORN
    } else {
        advice::DAMAGED
    };
    Some(DefectRow {
        code: "E38",
        message: number,
        detail,
        part: None,
        provider: None,
        repair,
    })
}

/// A transcript and the defects found so far.
struct Finder<'a> {
    transcript: &'a Transcript,
    /// The rules of the provider.
    rules: Rules,
    texts: &'a dyn ReadAt,
    /// The notes on blocks, sorted by block. Only a few blocks have any.
    facts: Vec<Note>,
    kinds: PresentKinds,
    defects: Vec<Defect>,
}

impl Finder<'_> {
    /// Adds a defect of message `i` or of its block at index `block`.
    fn report(
        &mut self,
        code: &'static str,
        i: usize,
        block: Option<u32>,
        about: impl Into<DefectSubject>,
        detail: impl Into<String>,
    ) {
        self.defects
            .push(defect(self.transcript, code, i, block, about, detail));
    }

    /// Adds a defect outside the messages.
    fn report_request(
        &mut self,
        code: &'static str,
        about: impl Into<DefectSubject>,
        detail: impl Into<String>,
    ) {
        let row = DefectRow {
            code,
            message: 0,
            detail: detail.into(),
            part: None,
            provider: self.transcript.interface.refusal(code),
            repair: advice::advice(code),
        };
        self.defects.push(Defect {
            row,
            message: 0,
            block: None,
            about: about.into(),
        });
    }

    /// Sets the provider's answer for the last defect to that for `what`, one of several under its code.
    fn answered(&mut self, what: &str) {
        if let Some(last) = self.defects.last_mut() {
            last.row.provider = self
                .transcript
                .interface
                .refusal(what)
                .or(last.row.provider);
        }
    }

    /// Sets the provider's answer for the last defect.
    fn said(&mut self, provider: &'static str) {
        if let Some(last) = self.defects.last_mut() {
            last.row.provider = Some(provider);
        }
    }

    /// Sets the number of the item, from 1, that has the last defect.
    fn at_item(&mut self, number: u32) {
        if let Some(last) = self.defects.last_mut() {
            (last.row.message, last.row.part) = (number, None);
        }
    }

    /// Sets the advice for the last defect, which only a person can repair.
    fn by_hand(&mut self, advice: &'static str) {
        if let Some(last) = self.defects.last_mut() {
            last.row.repair = advice;
        }
    }

    /// Returns the notes on the block at index `block`.
    fn facts_of(&self, block: u32) -> impl Iterator<Item = NoteKind> + '_ {
        let from = self.facts.partition_point(|note| note.block < block);
        self.facts[from..]
            .iter()
            .take_while(move |note| note.block == block)
            .map(|note| note.kind)
    }

    /// Returns the blocks with `fault`.
    fn of_fault(&self, fault: Fault) -> Vec<u32> {
        self.facts
            .iter()
            .filter(|note| note.kind == NoteKind::Fault(fault))
            .map(|note| note.block)
            .collect()
    }

    /// Returns whether the block at `block` has `fault`.
    fn has(&self, block: u32, fault: Fault) -> bool {
        self.facts_of(block)
            .any(|fact| fact == NoteKind::Fault(fault))
    }

    /// Returns the message that contains the block at `block`.
    fn message_of(&self, block: u32) -> usize {
        self.transcript
            .messages
            .partition_point(|m| m.blocks <= block)
            .saturating_sub(1)
    }

    /// Returns the parts of message `i` with their indices: its blocks without those within results.
    fn parts(&self, i: usize) -> Vec<(u32, Block)> {
        let (first, blocks) = (
            self.transcript.messages[i].blocks,
            self.transcript.blocks_of(i),
        );
        let (mut found, mut at) = (Vec::with_capacity(blocks.len()), 0);
        while let Some(block) = blocks.get(at) {
            found.push((first + at as u32, *block));
            at += 1 + if block.kind == BlockKind::Result {
                self.transcript.link(block).children as usize
            } else {
                0
            };
        }
        found
    }

    /// Returns the turns: consecutive messages of one role, as ranges of indices.
    fn turns(&self) -> Vec<Range<usize>> {
        let messages = &self.transcript.messages;
        let mut found: Vec<Range<usize>> = Vec::with_capacity(messages.len());
        for i in 0..messages.len() {
            match found.last_mut() {
                Some(last) if messages[last.start].role == messages[i].role => last.end = i + 1,
                _ => found.push(i..i + 1),
            }
        }
        found
    }
}

/// Creates a defect of message `i` of a transcript.
fn defect(
    transcript: &Transcript,
    code: &'static str,
    i: usize,
    block: Option<u32>,
    about: impl Into<DefectSubject>,
    detail: impl Into<String>,
) -> Defect {
    let about = about.into();
    let row = DefectRow {
        code,
        message: transcript.messages[i].number,
        detail: detail.into(),
        part: block.map(|b| transcript.blocks[b as usize].part),
        provider: transcript.interface.refusal(code),
        repair: advice_for(transcript, code, i, block),
    };
    Defect {
        row,
        message: i,
        block,
        about,
    }
}

/// Returns the advice for a defect of message `i`.
fn advice_for(
    transcript: &Transcript,
    code: &'static str,
    i: usize,
    block: Option<u32>,
) -> &'static str {
    match block {
        Some(block) if code == "E01" && wants_screen(transcript, block) => advice::SCREEN,
        _ if transcript.messages[i].multi_record => advice::BY_HAND,
        _ => advice::advice(code),
    }
}

/// Returns whether only a screenshot answers the call at index `block`.
fn wants_screen(transcript: &Transcript, block: u32) -> bool {
    let notes = &transcript.notes[transcript.notes.partition_point(|n| n.block < block)..];
    notes
        .iter()
        .take_while(|n| n.block == block)
        .any(|n| n.kind == NoteKind::Screen)
}
