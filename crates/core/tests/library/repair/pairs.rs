//! No call gets the result of another: each call says its number, and each result that of the call that it was made for.
//!
//! In a step some calls are lost, and some results are lost, come twice, or name an id that nobody has. Where as many results as calls
//! are left without a partner nothing tells whether they are those of these calls; in all other steps no pair may be wrong, and where they are
//! those of these calls, each is there.

use super::conversation::{Call, Outcome};
use super::{BODIES, Ids, LOGS, Message, Part, Spelling, cases, conversation, format_of, repair};
use crate::dice::Dice;
use deadhead_core::input::Source;
use deadhead_core::internal::dialect::{Layout, builder::TranscriptBuilder, transcript};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::reader::{self, Reading};
use deadhead_core::internal::transcript::{BlockKind, Transcript};
use deadhead_core::settings::{Scope, Settings};
use std::collections::BTreeSet;

fn read(text: &str, name: &str) -> Transcript {
    let format = format_of(name);
    let estimator = Settings::default().context_pruning.estimator;
    if format.layout == Layout::Body {
        let mut builder = TranscriptBuilder::new(estimator);
        builder.begin(0, 1);
        (format.read)(&mut Cursor::new(text.as_bytes()), &mut builder).unwrap();
        return transcript(format, builder, Scope::Context).unwrap();
    }
    let source = Source::unpacked(text.as_bytes().to_vec()).unwrap();
    let reading = Reading::new(format, estimator, Scope::Context);
    reader::log(&source, &reading, 1, &|_| {}).unwrap()
}

/// The number behind a word.
fn number(text: &str, word: &str) -> Option<usize> {
    let (_, rest) = text.split_once(word)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The numbers of calls, with those of their results.
fn pairs(text: &str, name: &str) -> BTreeSet<(usize, usize)> {
    let found = read(text, name);
    let of = |block: u32| {
        let message = found.message_with(block);
        let range = message.range(found.block(block).span);
        text[range.start as usize..range.end as usize].replace(['\\', ' ', '\n'], "")
    };
    let results = found
        .all_blocks()
        .filter(|(.., block)| block.kind == BlockKind::Result);
    results
        .filter_map(|(_, result, _)| {
            let call = *found.paired_with(result).first()?;
            Some((
                number(&of(call), "\"n\":")?,
                number(&of(result), "RESULT-")?,
            ))
        })
        .collect()
}

/// A damaged step, and what is known of it.
#[derive(Default)]
struct Step {
    calls: Vec<Part>,
    results: Vec<Part>,
    /// The pairs that must be there.
    kept: BTreeSet<(usize, usize)>,
    /// The calls of which nothing tells whose results they get.
    unknown: BTreeSet<usize>,
}

impl Step {
    fn new(dice: &mut Dice, first: usize) -> Step {
        let (mut step, mut waiting, mut foreign, mut many) = (Step::default(), vec![], vec![], 0);
        for n in first..=first + dice.below(4) {
            let id = format!("call_{n:05}");
            let call = Call {
                n,
                id,
                tool: "look".to_owned(),
            };
            let (mut to, is_there) = (call.clone(), !dice.once_in(5));
            if is_there {
                step.calls.push(Part::Call(call));
            }
            let is_foreign = dice.once_in(2);
            if is_foreign {
                to.id = format!("nobody_{n}");
            }
            let times = dice.pick(&[0, 1, 1, 1, 2]);
            let outcome = Outcome {
                to,
                copy: 0,
                text: String::new(),
                shape: 0,
            };
            step.results.extend(vec![Part::Result(outcome); times]);
            match (is_there, times > 0, is_foreign) {
                (true, true, false) => drop(step.kept.insert((n, n))),
                (true, ..) => waiting.push(n),
                _ => {}
            }
            if times > 0 && (is_foreign || !is_there) {
                foreign.push(n);
                many += times;
            }
        }
        if waiting == foreign {
            step.kept.extend(waiting.iter().map(|n| (*n, *n)));
        } else if waiting.len() == foreign.len() || waiting.len() == many {
            step.unknown.extend(waiting);
        }
        waiting_is_left(&mut step);
        step
    }
}

/// A step without a call or a result is none.
fn waiting_is_left(step: &mut Step) {
    if step.calls.is_empty() {
        *step = Step::default();
    }
}

fn message(model: bool, parts: Vec<Part>) -> Message {
    Message { model, parts }
}

fn whole(spelling: &Spelling) -> String {
    (spelling.write)(&conversation(&mut Dice(0), spelling.ids))
}

#[test]
fn no_call_gets_the_result_of_another() {
    // Escapes in names and documents of several lines are read by the other laws; on side branches a result may be out of the context.
    let is_read = |spelling: &&Spelling| {
        spelling.ids == Ids::Named
            && spelling.name != "claude-code/pieces"
            && !pairs(&whole(spelling), spelling.name).is_empty()
    };
    let named = BODIES.iter().chain(&LOGS).filter(is_read);
    let (mut kept, mut formats) = (0, 0);
    for spelling in named {
        let mut found = 0;
        for case in 0..cases().min(20_000) / 10 {
            let mut dice = Dice(case);
            let mut messages = vec![message(false, vec![Part::Text("begin now".to_owned())])];
            let mut all = Step::default();
            for n in 0..1 + dice.below(3) {
                let step = Step::new(&mut dice, 10 * n + 1);
                messages.push(message(true, step.calls));
                messages.push(message(false, step.results));
                messages.push(message(true, vec![Part::Text(format!("so {n}"))]));
                messages.push(message(false, vec![Part::Text(format!("and {n}"))]));
                all.kept.extend(step.kept);
                all.unknown.extend(step.unknown);
            }
            messages.retain(|message| !message.parts.is_empty());
            let broken = (spelling.write)(&messages);
            let (out, _) = repair(&broken, spelling.name);
            let got = pairs(&out, spelling.name);
            found += got.len();
            let wrong =
                |(call, result): &&(usize, usize)| call != result && !all.unknown.contains(call);
            let about = format!("{}, case {case}\n{broken}\n--\n{out}", spelling.name);
            assert_eq!(got.iter().find(wrong), None, "{about}");
            // A log in which a call holds its result has no place for one of another id.
            let written = |pair: &&(usize, usize)| broken.contains(&format!("RESULT-{}-", pair.1));
            let lost = all
                .kept
                .iter()
                .filter(written)
                .find(|pair| !got.contains(pair));
            assert_eq!(lost, None, "{about}");
        }
        kept += found;
        formats += usize::from(found > 0);
    }
    assert!(
        formats > 8 && kept > 1000,
        "{kept} pairs in {formats} formats"
    );
}
