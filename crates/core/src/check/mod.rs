//! Detects defects: each is something that a provider would refuse, and has a code. A file contains
//! one family of rules.
//!
//! The rules run on the input and on the output. A defect of the input is reported; a new one means
//! that the output must not be written. [`Rules`], which depend on the format and the model, say
//! which rules a transcript must follow; of a history the pairs are checked, and the request that
//! it makes. [`repair`](crate::repair) repairs what it can.

mod contents;
mod fields;
mod locate;
mod members;
mod of_log;
mod order;
mod pairs;
mod places;
mod reasoning;
mod request;
#[cfg(test)]
mod rules_tests;
mod searched;
mod syntax;
pub(crate) mod table;

pub use fields::is_defective;
pub use locate::located;
pub use members::{MemberFault, refused_members};
pub use reasoning::{
    binds_thinking, changed as changed_thinking, lost as lost_reasoning, thinking_warning,
};

use crate::{
    diagnostics::DefectRow,
    json::{Id, IdSet},
    read_at::ReadAt,
    transcript::{Block, BlockKind, Fault, Flags, Note, NoteKind, Role, Rules, Transcript},
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt::Debug,
    ops::Range,
};
use table::FAMILIES;
pub use table::REPAIRED;

/// One defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Code, place and detail, as reports say them.
    pub row: DefectRow,
    /// Index of the message in the transcript.
    pub message: usize,
    /// Index of the block in the transcript, if the defect concerns one.
    pub block: Option<u32>,
    /// What it concerns, mostly a call: by this and the code, new defects differ from old ones.
    pub(crate) about: Id,
}

/// Returns all defects of a transcript, whose texts are in `texts`.
pub fn check(transcript: &Transcript, texts: &dyn ReadAt) -> Vec<Defect> {
    check_by(transcript, transcript.rules(), texts, &HashSet::new())
}

/// Returns the codes of defects that the transcript has if its model, or the host of that, is one
/// that is not named.
pub fn uncertain(transcript: &Transcript, texts: &dyn ReadAt) -> Vec<&'static str> {
    let named = (transcript.model.as_deref(), transcript.service.as_deref());
    let Some(possible) = (transcript.provider.possible)(named.0, named.1) else {
        return Vec::new();
    };
    let codes = |rules| -> BTreeSet<&str> {
        check_by(transcript, rules, texts, &HashSet::new())
            .iter()
            .map(|defect| defect.row.code)
            .collect()
    };
    let reported = codes(transcript.rules());
    codes(possible).difference(&reported).copied().collect()
}

/// Returns all defects by these rules. Texts at the block indices `filled` are not blank any more,
/// as a cut has changed them.
pub fn check_by(
    transcript: &Transcript,
    rules: Rules,
    texts: &dyn ReadAt,
    filled: &HashSet<u32>,
) -> Vec<Defect> {
    found(transcript, rules, texts, filled, false)
}

/// Returns all defects: also those that only a search of the bytes of a body shows, and those of
/// the request that a log makes.
pub fn check_all(transcript: &Transcript, texts: &dyn ReadAt) -> Vec<Defect> {
    found(transcript, transcript.rules(), texts, &HashSet::new(), true)
}

fn found(
    transcript: &Transcript,
    rules: Rules,
    texts: &dyn ReadAt,
    filled: &HashSet<u32>,
    is_all: bool,
) -> Vec<Defect> {
    let mut facts = transcript.notes.clone();
    facts.sort_by_key(|note| note.block);
    let mut finder = Finder {
        transcript,
        rules,
        texts,
        filled,
        facts: &facts,
        known: HashMap::new(),
        defects: Vec::new(),
    };
    let count = if rules.is_history { 1 } else { FAMILIES.len() };
    FAMILIES[..count].iter().for_each(|find| find(&mut finder));
    match texts.in_memory().filter(|_| is_all) {
        _ if is_all && rules.is_history => finder.defects.extend(of_log::check(transcript, texts)),
        Some(bytes) => searched::check(&mut finder, bytes),
        None => {}
    }
    finder
        .defects
        .sort_by_key(|d| (d.row.message, d.row.code, d.block));
    finder.defects
}

/// Returns the defects of `after` that `before` did not have.
pub fn new_defects<'a>(before: &[Defect], after: &'a [Defect]) -> Vec<&'a Defect> {
    let mut known: HashMap<(&str, Id), usize> = HashMap::new();
    for defect in before {
        *known.entry((defect.row.code, defect.about)).or_default() += 1;
    }
    let mut is_new = |defect: &&Defect| {
        let left = known.entry((defect.row.code, defect.about)).or_default();
        let is_new = *left == 0;
        *left = left.saturating_sub(1);
        is_new
    };
    after.iter().filter(|defect| is_new(defect)).collect()
}

/// Returns the defects of a log of which records are incomplete: the last one, others with a whole
/// one behind them in their line, and `within` it one that cuts off what came before, by its line
/// and its first byte. `is_cut`: a repair removes the last one.
pub fn torn(transcript: &Transcript, is_cut: bool, within: Option<(u64, u64)>) -> Vec<DefectRow> {
    let last = if is_cut { "E38" } else { "E38 damaged" };
    let last = transcript.torn.map(|torn| (last, torn.line, torn.start));
    let is_within = |line| within.is_some_and(|(other, _)| other == line);
    let before = transcript.torn_before.iter();
    let before = before.filter(|(line, _)| !is_within(*line));
    let before = before.map(|(line, range)| ("E38", *line, range.start));
    let within = within.map(|(line, start)| ("E38 within", line, start));
    let row = |(name, line, start): (&'static str, u64, u64)| {
        let (detail, repair) = table::row(name);
        let numbers = transcript.messages.iter().map(|m| m.number);
        DefectRow {
            code: "E38",
            message: numbers.max().unwrap_or(0) + 1,
            detail: filled(detail, &[&line, &start]),
            line: u32::try_from(line).ok(),
            repair,
            ..DefectRow::default()
        }
    };
    before.chain(within).chain(last).map(row).collect()
}

/// Returns the text of a fault with these particulars.
fn filled(detail: &str, particulars: &[&dyn Debug]) -> String {
    let mut pieces = detail.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (piece, particular) in pieces.zip(particulars) {
        text += &format!("{particular:?}{piece}");
    }
    text
}

/// The place of a defect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside the messages.
    Request,
    /// A message, by its index.
    Message(usize),
    /// A block, by its index.
    Block(u32),
}

impl From<usize> for Place {
    fn from(message: usize) -> Place {
        Place::Message(message)
    }
}

impl From<u32> for Place {
    fn from(block: u32) -> Place {
        Place::Block(block)
    }
}

impl Defect {
    /// Returns a defect of a transcript with the row of its fault.
    fn new(transcript: &Transcript, row: DefectRow, place: Place) -> Defect {
        let (message, block) = match place {
            Place::Request => (None, None),
            Place::Message(i) => (Some(i), None),
            Place::Block(block) => (Some(transcript.message_of(block)), Some(block)),
        };
        let of = message.map(|i| &transcript.messages[i]);
        let repair = match of {
            Some(message) if message.multi_record => table::BY_HAND,
            _ => row.repair,
        };
        Defect {
            row: DefectRow {
                message: of.map_or(0, |message| message.number),
                part: block.map(|b| transcript.block(b).part),
                repair,
                ..row
            },
            message: message.unwrap_or(0),
            block,
            about: Id::NONE,
        }
    }

    /// Adds the particulars of the fault to its text, in the form of `Debug`.
    fn with(&mut self, particulars: &[&dyn Debug]) -> &mut Defect {
        self.row.detail = filled(&self.row.detail, particulars);
        self
    }
}

/// Returns the row of a fault, without a place: its code, or the code and the name of one of
/// several faults. The provider's error is that for the fault, or else for its code.
fn row_of(transcript: &Transcript, services: [&str; 2], fault: &'static str) -> DefectRow {
    let refusal = |fault| transcript.provider.refusal(fault, services);
    let code = &fault[..3];
    let (detail, repair) = table::row(fault);
    DefectRow {
        code,
        detail: detail.to_owned(),
        provider: refusal(fault)
            .or_else(|| refusal(code))
            // The words of the provider are not known.
            .filter(|said| *said != "–"),
        repair,
        ..DefectRow::default()
    }
}

/// Of so many defects of a fault the details are kept, and the places of so many of a code: an
/// input may have millions.
const DETAILED: usize = 10_000;

/// A transcript and the defects found so far.
struct Finder<'a> {
    transcript: &'a Transcript,
    /// The rules of the provider.
    rules: Rules,
    texts: &'a dyn ReadAt,
    /// The texts that are not blank any more.
    filled: &'a HashSet<u32>,
    /// The notes on blocks, sorted by block. Only a few blocks have any.
    facts: &'a [Note],
    /// The faults that were found: their rows and their numbers.
    known: HashMap<&'static str, (DefectRow, usize)>,
    defects: Vec<Defect>,
}

impl<'a> Finder<'a> {
    /// Adds a defect, and returns it. `fault` is its code, or the code and the name of one of
    /// several faults.
    fn report(&mut self, fault: &'static str, place: impl Into<Place>) -> &mut Defect {
        let new = || (row_of(self.transcript, self.rules.services, fault), 0);
        let (row, count) = self.known.entry(fault).or_insert_with(new);
        *count += 1;
        if *count > DETAILED {
            row.detail.clear();
        }
        let at = self.defects.len();
        self.defects
            .push(Defect::new(self.transcript, row.clone(), place.into()));
        &mut self.defects[at]
    }

    /// Returns whether the text at a block index is blank.
    fn is_blank(&self, index: u32, block: &Block) -> bool {
        block.flags.has(Flags::BLANK) && !self.filled.contains(&index)
    }

    /// Returns the notes on the block at index `block`.
    fn facts_of(&self, block: u32) -> impl Iterator<Item = NoteKind> + use<'a> {
        let from = self.facts.partition_point(|note| note.block < block);
        self.facts[from..]
            .iter()
            .take_while(move |note| note.block == block)
            .map(|note| note.kind)
    }

    /// Returns whether there is this note on the block at `block`.
    fn has(&self, block: u32, kind: NoteKind) -> bool {
        self.facts_of(block).any(|fact| fact == kind)
    }

    /// Returns whether the block at `block` is a call or a result of a server's tool.
    fn is_server(&self, block: u32) -> bool {
        self.facts_of(block)
            .any(|fact| matches!(fact, NoteKind::ServerCall(_) | NoteKind::ServerResult(_)))
    }

    /// Returns the turns: consecutive messages of one role, as ranges of indices.
    fn turns(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut end = 0;
        self.transcript
            .messages
            .chunk_by(|a, b| a.role == b.role)
            .map(move |turn| {
                end += turn.len();
                end - turn.len()..end
            })
    }
}
