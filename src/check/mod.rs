//! Defects: what a provider would refuse, each by a code, one family of rules a file.
//!
//! The rules run on the input and on what would come out. A defect that the input had is told; a new one means that the
//! result must not leave the program. [`Rules`] says which of them a transcript must keep; a
//! history is held to its pairs alone, as its agent repairs the rest. [`repair`] mends what can be mended.

mod alternation;
mod contents;
mod counts;
mod marks;
mod order;
mod pairs;
mod reasoning;
pub mod repair;
#[cfg(test)]
mod rules_tests;
mod server;
mod signatures;
mod thinking;
mod words;

pub use alternation::takes_turns;
pub use reasoning::lost as lost_reasoning;
pub use thinking::{binds_thinking, changed as changed_thinking, thinking_warning};

use crate::json::Id;
use crate::report::DefectRow;
use crate::transcript::{Block, Fact, Rules, Transcript};
use std::collections::HashMap;

/// One defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Code, place and detail, as reports say them.
    pub row: DefectRow,
    /// Index of the message in the transcript.
    pub message: usize,
    /// Index of the block in the transcript, where it is about one.
    pub block: Option<u32>,
    /// What it is about, so that a new defect is not taken for an old one.
    about: About,
}

/// What a defect is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum About {
    /// A call, by its id.
    Call(Id),
    /// Nothing but its rule, or one of several things that the rule numbers.
    Rule(u64),
}

impl From<Id> for About {
    fn from(call: Id) -> About {
        About::Call(call)
    }
}

impl From<u64> for About {
    fn from(number: u64) -> About {
        About::Rule(number)
    }
}

/// All defects of a transcript. `blank` says whether the text at a block index is blank; it differs from the block's own
/// flag where a cut changed the text.
pub fn check(transcript: &Transcript, blank: impl Fn(u32, &Block) -> bool) -> Vec<Defect> {
    let mut finder = Finder { transcript, defects: Vec::new() };
    pairs::check(&mut finder);
    if transcript.rules != Rules::History {
        contents::check(&mut finder, blank);
        counts::check(&mut finder);
        alternation::check(&mut finder);
        reasoning::check(&mut finder);
        order::check(&mut finder);
        server::check(&mut finder);
        marks::check(&mut finder);
        signatures::check(&mut finder);
        thinking::check(&mut finder);
        thinking::open_turn(&mut finder);
    }
    finder.defects.sort_by_key(|d| (d.row.message, d.row.code, d.block));
    finder.defects
}

/// The defects of `after` that `before` did not have.
pub fn new_defects<'a>(before: &[Defect], after: &'a [Defect]) -> Vec<&'a Defect> {
    let mut known: HashMap<(&str, About), usize> = HashMap::new();
    for defect in before {
        *known.entry((defect.row.code, defect.about)).or_default() += 1;
    }
    after
        .iter()
        .filter(|defect| match known.get_mut(&(defect.row.code, defect.about)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

/// A transcript and what was found in it so far.
struct Finder<'a> {
    transcript: &'a Transcript,
    defects: Vec<Defect>,
}

impl Finder<'_> {
    /// Adds a defect of message `i`, of the block at index `block` where it is about one.
    fn tell(&mut self, code: &'static str, i: usize, block: Option<u32>, about: impl Into<About>, detail: impl Into<String>) {
        self.defects.push(defect(self.transcript, code, i, block, about, detail));
    }

    /// The provider answers this to the defect that was added last, rather than what it answers to most of its code.
    fn answered(&mut self, provider: &'static str) {
        if let Some(last) = self.defects.last_mut() {
            last.row.provider = Some(provider);
        }
    }
}

/// A defect of message `i` of a transcript.
fn defect(
    transcript: &Transcript,
    code: &'static str,
    i: usize,
    block: Option<u32>,
    about: impl Into<About>,
    detail: impl Into<String>,
) -> Defect {
    let about = about.into();
    let row = DefectRow {
        code,
        message: transcript.messages[i].number,
        detail: detail.into(),
        part: block.map(|b| transcript.blocks[b as usize].part),
        provider: words::provider(code, transcript.rules),
        mend: mend(transcript, code, i, block),
    };
    Defect { row, message: i, block, about }
}

/// How a defect of message `i` is mended.
fn mend(transcript: &Transcript, code: &'static str, i: usize, block: Option<u32>) -> &'static str {
    match block {
        Some(block) if code == "E01" && wants_screen(transcript, block) => words::SCREEN,
        _ if transcript.messages[i].pieced => words::BY_HAND,
        _ => words::mend(code, transcript.rules),
    }
}

/// Whether the call at index `block` is one that only a picture of the screen answers.
fn wants_screen(transcript: &Transcript, block: u32) -> bool {
    let notes = &transcript.notes[transcript.notes.partition_point(|n| n.block < block)..];
    notes.iter().take_while(|n| n.block == block).any(|n| n.fact == Fact::Screen)
}
