//! Defects of pairing and order: what a provider would refuse, by the codes of `spec/wire-formats.md` section 9.
//!
//! The rules run on the input and on what would come out. A defect that the input had is told; a new one means that the
//! result must not leave the program. Here are E01 to E03, E05, E06 and E08 to E10, for the rules of [`Rules`]; E07 and E11
//! have files of their own.

mod alternation;
mod counts;
#[cfg(test)]
mod rules_tests;

mod reasoning;

pub use reasoning::lost as lost_reasoning;

use crate::report::DefectRow;
use crate::transcript::{Block, BlockKind, Flags, Role, Rules, Span, Transcript};
use std::collections::HashMap;

/// One defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Code, message and detail.
    pub row: DefectRow,
    /// What it is about, to tell old defects from new ones: the hash of a call id, or 0.
    about: u64,
}

/// All defects of a transcript. `blank` says whether the text at a block index is blank; it differs from the block's own
/// flag where a cut changed the text.
pub fn check(transcript: &Transcript, blank: impl Fn(u32, &Block) -> bool) -> Vec<Defect> {
    let mut defects = Vec::new();
    pairs(transcript, &mut defects);
    contents(transcript, blank, &mut defects);
    reasoning::groups(transcript, &mut defects);
    counts::check(transcript, &mut defects);
    alternation::check(transcript, &mut defects);
    defects.sort_by_key(|d| (d.row.message, d.row.code));
    defects
}

/// The defects of `after` that `before` did not have.
pub fn new_defects<'a>(before: &[Defect], after: &'a [Defect]) -> Vec<&'a Defect> {
    let mut known: HashMap<(&str, u64), usize> = HashMap::new();
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

/// A call that was made.
struct Call {
    message: usize,
    group: usize,
    answered: bool,
    /// What its defects are about: its id, or nothing where the pair has one by its place only, as places change.
    about: u64,
}

/// E01, E02, E03, E05 and E06.
fn pairs(transcript: &Transcript, defects: &mut Vec<Defect>) {
    let rules = transcript.rules;
    let mut calls: HashMap<u64, Call> = HashMap::new();
    let mut defect = |code, i: usize, about, detail: String| {
        defects.push(Defect { row: DefectRow { code, message: transcript.messages[i].number, detail }, about });
    };
    let mut group = 0;
    for (i, message) in transcript.messages.iter().enumerate() {
        if i > 0 && message.role != transcript.messages[i - 1].role {
            group += 1;
        }
        for block in transcript.blocks_of(i).iter().filter(|b| b.is_linked()) {
            let link = transcript.link(block);
            let id = link.call;
            let about = if link.id == Span::default() { 0 } else { id };
            let tool = transcript.tool_of(block);
            if id == 0 {
                continue;
            }
            if block.kind == BlockKind::Call {
                let earlier = calls.insert(id, Call { message: i, group, answered: false, about });
                if let Some(earlier) = earlier {
                    if matches!(rules, Rules::Anthropic | Rules::Converse) || transcript.begin_of(earlier.message) == transcript.begin_of(i)
                    {
                        defect("E06", i, about, format!("the id of a call of {tool:?} was used before"));
                    }
                    if !earlier.answered {
                        defect("E01", earlier.message, earlier.about, format!("a call of {tool:?} has no result"));
                    }
                }
                continue;
            }
            match calls.get_mut(&id) {
                None if transcript.calls_elsewhere => {}
                None => defect("E02", i, about, "a result answers no call".to_owned()),
                Some(call) if call.answered => defect("E05", i, about, format!("a call of {tool:?} has a second result")),
                Some(call) => {
                    call.answered = true;
                    if !is_adjacent(transcript, call, i, group) {
                        defect("E03", i, about, format!("the result of {tool:?} does not follow its call directly"));
                    }
                }
            }
        }
    }
    // In a history the calls of the last step may still be running, and those of a message that broke off never ran.
    let answers = |i: usize| transcript.messages[i].role == Role::Tool || transcript.is_only_results(i);
    let last_step = (0..transcript.messages.len()).rev().find(|&i| !answers(i)).map_or(0, |i| transcript.begin_of(i));
    let excused = |call: &Call| rules == Rules::History && (call.message >= last_step || transcript.messages[call.message].broken_off);
    let mut open: Vec<(&u64, &Call)> = calls.iter().filter(|(_, call)| !call.answered && !excused(call)).collect();
    open.sort_by_key(|(id, call)| (call.message, **id));
    for (id, call) in open {
        let tool = transcript
            .blocks_of(call.message)
            .iter()
            .find(|b| b.is_linked() && transcript.link(b).call == *id)
            .map_or("", |b| transcript.tool_of(b));
        defect("E01", call.message, call.about, format!("a call of {tool:?} has no result"));
    }
}

/// Whether a result in message `i` stands where the provider wants the answer to `call`.
fn is_adjacent(transcript: &Transcript, call: &Call, i: usize, group: usize) -> bool {
    match transcript.rules {
        Rules::History | Rules::Responses => true,
        // Messages of one role are merged by the server; the answer is in the next of them.
        Rules::Anthropic | Rules::Converse => group == call.group + 1,
        Rules::Gemini => i == call.message + 1,
        Rules::OpenAiChat => transcript.messages[call.message + 1..i].iter().all(|m| m.role == Role::Tool),
        Rules::Generic => group == call.group + 1 || transcript.messages[call.message + 1..i].iter().all(|m| m.role == Role::Tool),
    }
}

/// E08, E09 and E10.
fn contents(transcript: &Transcript, blank: impl Fn(u32, &Block) -> bool, defects: &mut Vec<Defect>) {
    let rules = transcript.rules;
    if matches!(rules, Rules::History | Rules::Responses) {
        return;
    }
    let mut defect = |code, i: usize, detail: &str| {
        defects.push(Defect { row: DefectRow { code, message: transcript.messages[i].number, detail: detail.to_owned() }, about: 0 });
    };
    if matches!(rules, Rules::Anthropic | Rules::Gemini | Rules::Converse | Rules::Generic) {
        let first = transcript.messages.iter().position(|m| m.role != Role::System);
        if let Some(i) = first.filter(|&i| transcript.messages[i].role != Role::User) {
            defect("E10", i, "the first message is not the user's");
        }
    }
    for (i, message) in transcript.messages.iter().enumerate() {
        if message.empty_calls {
            defect("E09", i, "tool_calls is an empty array");
        }
        if rules == Rules::OpenAiChat || message.role == Role::System {
            continue;
        }
        let blocks = transcript.blocks_of(i);
        let last = i + 1 == transcript.messages.len();
        let may_be_empty = last && message.role == Role::Assistant && !matches!(rules, Rules::Gemini | Rules::Converse);
        if blocks.is_empty() && !may_be_empty {
            defect("E08", i, "the message has no content");
        }
        // A blank text of Gemini's may carry a signature.
        if rules == Rules::Gemini {
            continue;
        }
        // Texts inside a result may be blank; those of a message may not.
        let mut inside = 0;
        for (index, block) in (message.blocks..).zip(blocks) {
            if inside > 0 {
                inside -= 1;
            } else if block.kind == BlockKind::Result {
                inside = transcript.link(block).children;
            } else if block.kind == BlockKind::Text && blank(index, block) && !block.flags.has(Flags::STRING) {
                defect("E08", i, "a text is empty or blank");
            }
        }
    }
}

/// The model's version where it is a Claude that names one, as (major, minor).
fn claude_version(model: &str) -> Option<(u32, u32)> {
    let model = model.to_lowercase();
    let name = &model[model.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':'])
        .skip_while(|w| w.parse::<u32>().is_err())
        .map_while(|w| w.parse::<u32>().ok())
        .filter(|n| *n < 1000);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// What an edit before thinking blocks means, where it may mean something: from Claude 5.1 on a thinking block is bound to
/// all that comes before it (`spec/wire-formats.md` section 1.5).
pub fn thinking_warning(transcript: &Transcript, model: Option<&str>, first_cut: u32) -> Option<String> {
    let bound = match model {
        Some(model) if model.to_lowercase().contains("claude") => claude_version(model).is_none_or(|v| v >= (5, 1)),
        Some(_) => false,
        None => matches!(transcript.rules, Rules::Anthropic | Rules::Converse),
    };
    let from = transcript.messages.get(first_cut as usize)?.blocks as usize;
    let after = transcript.blocks[from..].iter().filter(|b| b.kind == BlockKind::Thinking).count();
    (bound && after > 0).then(|| {
        format!("{after} thinking blocks follow the first change; Claude 5.1 and later bind them to what comes before and answer 400 (bound to a different conversation) unless they are removed or block_binding is drop_block")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (model, want) in [
            ("claude-opus-5-5", Some((5, 5))),
            ("anthropic/claude-sonnet-4.5", Some((4, 5))),
            ("claude-haiku-4-5-20251001", Some((4, 5))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("us.anthropic.claude-fable-5-1-v1:0", Some((5, 1))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("claude-x", None),
            ("gpt-5.1", None),
        ] {
            assert_eq!(claude_version(model), want, "{model}");
        }
    }
}
