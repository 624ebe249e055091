//! Detects defects: each is something that a provider would refuse, and has a code. A file contains one family of rules.
//!
//! The rules run on the input and on the output. A defect of the input is reported; a new one means that the output must not be written.
//! [`Rules`], which depend on the format and the model, say which rules a transcript must follow; in a history only the pairs are checked,
//! as its agent repairs the rest. [`repair`](crate::repair) repairs what it can.

mod alternation;
mod cache_marks;
mod contents;
mod counts;
mod fields;
mod items;
mod locate;
mod order;
mod pairs;
mod places;
mod reasoning;
mod reasoning_content;
#[cfg(test)]
mod rules_tests;
mod searched;
mod server_tools;
mod signatures;
mod syntax;
mod system;
pub(crate) mod table;
mod thinking;

pub use fields::is_refused_everywhere;
pub use locate::located;
pub use reasoning::lost as lost_reasoning;
pub use searched::refused_members;
pub use thinking::{binds_thinking, changed as changed_thinking, thinking_warning};

use crate::diagnostics::DefectRow;
use crate::json::Id;
use crate::read_at::ReadAt;
use crate::transcript::{Block, Fault, Flags, Note, NoteKind, Rules, Transcript};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
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

/// Returns the codes of defects that the transcript has if its model, or the host of that, is one that is not named.
pub fn uncertain(transcript: &Transcript, texts: &dyn ReadAt) -> Vec<&'static str> {
    let named = (transcript.model.as_deref(), transcript.service.as_deref());
    let Some(possible) = (transcript.interface.possible)(named.0, named.1) else {
        return Vec::new();
    };
    let blank = |_, block: &Block| block.flags.has(Flags::BLANK);
    let reported: HashSet<&str> = check(transcript, texts, blank)
        .iter()
        .map(|defect| defect.row.code)
        .collect();
    let mut codes: Vec<&str> = check_by(transcript, possible, texts, blank)
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
    found(transcript, rules, texts, blank, None)
}

/// Returns all defects, also those that only a search of `bytes` shows, from which the transcript was read.
pub fn check_all(transcript: &Transcript, bytes: &[u8]) -> Vec<Defect> {
    let blank = |_, block: &Block| block.flags.has(Flags::BLANK);
    found(transcript, transcript.rules(), &bytes, blank, Some(bytes))
}

fn found(
    transcript: &Transcript,
    rules: Rules,
    texts: &dyn ReadAt,
    blank: impl Fn(u32, &Block) -> bool,
    searched: Option<&[u8]>,
) -> Vec<Defect> {
    let mut facts = transcript.notes.clone();
    facts.sort_by_key(|note| note.block);
    let mut finder = Finder {
        transcript,
        rules,
        texts,
        blank: &blank,
        facts: &facts,
        said: HashMap::new(),
        defects: Vec::new(),
    };
    let count = if rules.is_history { 1 } else { FAMILIES.len() };
    for family in &FAMILIES[..count] {
        (family.find)(&mut finder);
    }
    if let Some(bytes) = searched.filter(|_| !rules.is_history) {
        searched::check(&mut finder, bytes);
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
    let repair = if is_cut { table::TORN } else { table::DAMAGED };
    Some(DefectRow {
        code: "E38",
        message: number,
        detail,
        line: u32::try_from(torn.line).ok(),
        repair,
        ..DefectRow::default()
    })
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
    /// Returns a defect of a transcript. `fault` is its code, or the code and the name of one of several faults with answers of their own.
    fn new(
        transcript: &Transcript,
        provider: Option<&'static str>,
        fault: &'static str,
        place: impl Into<Place>,
        detail: impl Into<String>,
    ) -> Defect {
        let code = &fault[..3];
        let (message, block) = match place.into() {
            Place::Request => (None, None),
            Place::Message(i) => (Some(i), None),
            Place::Block(block) => (Some(transcript.message_of(block)), Some(block)),
        };
        let of = message.map(|i| &transcript.messages[i]);
        Defect {
            row: DefectRow {
                code,
                message: of.map_or(0, |message| message.number),
                detail: detail.into(),
                part: block.map(|b| transcript.blocks[b as usize].part),
                provider,
                path: None,
                line: None,
                call_id: None,
                repair: match of {
                    Some(message) if message.multi_record => table::BY_HAND,
                    _ => table::advice(code),
                },
            },
            message: message.unwrap_or(0),
            block,
            about: DefectSubject::Rule(0),
        }
    }

    /// Sets its subject.
    fn about(&mut self, subject: impl Into<DefectSubject>) -> &mut Defect {
        self.about = subject.into();
        self
    }

    /// Sets the provider's answer.
    fn said(&mut self, provider: Option<&'static str>) -> &mut Defect {
        self.row.provider = provider;
        self
    }

    /// Sets the advice: only a person can repair it.
    fn by_hand(&mut self, advice: &'static str) {
        self.row.repair = advice;
    }
}

/// Of so many defects of a fault the details are kept, and the places of so many of a code: an input may have millions.
const DETAILED: usize = 10_000;

/// A transcript and the defects found so far.
struct Finder<'a> {
    transcript: &'a Transcript,
    /// The rules of the provider.
    rules: Rules,
    texts: &'a dyn ReadAt,
    /// Returns whether the text at a block index is blank.
    blank: &'a dyn Fn(u32, &Block) -> bool,
    /// The notes on blocks, sorted by block. Only a few blocks have any.
    facts: &'a [Note],
    /// The faults that were found, with the provider's errors for them and their numbers.
    said: HashMap<&'static str, (Option<&'static str>, usize)>,
    defects: Vec<Defect>,
}

/// Returns the provider's error for a fault, or else for its code.
fn words(transcript: &Transcript, services: [&str; 2], fault: &str) -> Option<&'static str> {
    let refusal = |fault| transcript.interface.refusal(fault, services);
    refusal(fault).or_else(|| refusal(&fault[..3]))
}

impl<'a> Finder<'a> {
    /// Adds a [`Defect::new`], and returns it.
    fn report(
        &mut self,
        fault: &'static str,
        place: impl Into<Place>,
        detail: impl Into<String>,
    ) -> &mut Defect {
        let (transcript, services) = (self.transcript, self.rules.services);
        let known = self.said.entry(fault);
        let (said, count) = known.or_insert_with(|| (words(transcript, services, fault), 0));
        *count += 1;
        let detail = Some(detail).filter(|_| *count <= DETAILED);
        let (said, detail) = (*said, detail.map_or(String::new(), Into::into));
        let at = self.defects.len();
        self.defects
            .push(Defect::new(transcript, said, fault, place, detail));
        &mut self.defects[at]
    }

    /// Returns the notes on the block at index `block`.
    fn facts_of(&self, block: u32) -> impl Iterator<Item = NoteKind> + use<'a> {
        let from = self.facts.partition_point(|note| note.block < block);
        self.facts[from..]
            .iter()
            .take_while(move |note| note.block == block)
            .map(|note| note.kind)
    }

    /// Returns the blocks with `fault`.
    fn of_fault(&self, fault: Fault) -> impl Iterator<Item = u32> + use<'a> {
        let has = move |note: &&Note| note.kind == NoteKind::Fault(fault);
        self.facts.iter().filter(has).map(|note| note.block)
    }

    /// Returns whether the block at `block` has `fault`.
    fn has(&self, block: u32, fault: Fault) -> bool {
        self.facts_of(block)
            .any(|fact| fact == NoteKind::Fault(fault))
    }

    /// Returns whether the block at `block` is a call or a result of a server's tool.
    fn is_server(&self, block: u32) -> bool {
        self.facts_of(block)
            .any(|fact| matches!(fact, NoteKind::ServerCall(_) | NoteKind::ServerResult(_)))
    }

    /// Returns the turns: consecutive messages of one role, as ranges of indices.
    fn turns(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut end = 0;
        let turns = self.transcript.messages.chunk_by(|a, b| a.role == b.role);
        turns.map(move |turn| {
            end += turn.len();
            end - turn.len()..end
        })
    }
}
