//! The context of each request of a log: what `prune` reads of the log up to there. Logs whose records name no parents, and logs whose
//! compactions keep messages by their names.

use crate::dice::Dice;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::reader::{self, Reading};
use deadhead_core::internal::transcript::{Block, Transcript};
use deadhead_core::settings::{Estimator, Scope};
use deadhead_replay::session::Session;
use deadhead_replay::steps::{Branched, Step};

/// A log, and for each request the byte at which its answer begins; none where that is within a record.
#[derive(Default)]
struct Log {
    text: String,
    answers: Vec<Option<usize>>,
}

impl Log {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// A message of Gemini CLI's as it is now.
#[derive(Clone)]
struct Message {
    id: String,
    kind: &'static str,
    content: String,
    /// Its call, and what that came to.
    call: Option<(String, Option<String>)>,
}

impl Message {
    fn of_user(id: String, content: String) -> Message {
        Message {
            id,
            kind: "user",
            content,
            call: None,
        }
    }

    fn line(&self) -> String {
        let Message {
            id,
            kind,
            content,
            call,
        } = self;
        let run = call.as_ref().map_or(String::new(), |(call, result)| {
            let result = result.as_ref().map_or(String::new(), |said| {
                format!(r#","result":[{}]"#, answer(call, said))
            });
            format!(r#","toolCalls":[{{"id":"{call}","name":"t","args":{{}}{result}}}]"#)
        });
        let tokens = if *kind == "gemini" {
            r#","tokens":{"input":9,"output":1}"#
        } else {
            ""
        };
        format!(
            r#"{{"id":"{id}","timestamp":"2026-01-01T00:00:00Z","type":"{kind}","content":{content}{tokens}{run}}}"#
        )
    }
}

fn answer(call: &str, said: &str) -> String {
    format!(
        r#"{{"functionResponse":{{"id":"{call}","name":"t","response":{{"output":"{said}"}}}}}}"#
    )
}

fn words(dice: &mut Dice) -> String {
    "x".repeat(1 + dice.below(9))
}

/// A session of Gemini CLI's, in which messages are written again, patched, rewound and replaced by a summary.
fn gemini_cli(dice: &mut Dice) -> Log {
    let mut log = Log::default();
    let mut all: Vec<Message> = Vec::new();
    for number in 0..4 + dice.below(30) {
        let id = format!("m{number}");
        let text = |dice: &mut Dice| format!(r#"[{{"text":"{}"}}]"#, words(dice));
        match dice.below(9) {
            0 | 1 => {
                let message = Message::of_user(id, text(dice));
                log.line(&message.line());
                all.push(message);
            }
            2..=4 => {
                let mut message = Message {
                    id,
                    kind: "gemini",
                    content: text(dice),
                    call: None,
                };
                log.answers.push(Some(log.text.len()));
                log.line(&message.line());
                let call = format!("c{number}");
                for result in [None, Some(words(dice))].into_iter().take(dice.below(3)) {
                    message.call = Some((call.clone(), result));
                    log.line(&message.line());
                }
                let result = message.call.as_ref().and_then(|(_, result)| result.clone());
                all.push(message);
                if let Some(said) = result.filter(|_| dice.once_in(2)) {
                    let content = format!("[{}]", answer(&call, &said));
                    let twin = Message::of_user(format!("r{number}"), content);
                    log.line(&twin.line());
                    all.push(twin);
                }
            }
            5 => log.line(
                r#"{"id":"i","timestamp":"2026-01-01T00:00:00Z","type":"info","content":"note"}"#,
            ),
            6 if !all.is_empty() => {
                let from = dice.below(all.len());
                log.line(&format!(r#"{{"$rewindTo":"{}"}}"#, all[from].id));
                all.truncate(from);
            }
            7 if !all.is_empty() => {
                let at = dice.below(all.len());
                all[at].content = text(dice);
                let Message { id, content, .. } = &all[at];
                match dice.below(3) {
                    0 => log.line(&all[at].line()),
                    1 => log.line(&format!(
                        r#"{{"$patch":{{"id":"{id}","content":{content}}}}}"#
                    )),
                    _ => {
                        let lines: Vec<String> = all.iter().map(Message::line).collect();
                        log.line(&format!(
                            r#"{{"$set":{{"messages":[{}]}}}}"#,
                            lines.join(",")
                        ));
                    }
                }
            }
            8 => {
                all = vec![Message::of_user(id, text(dice))];
                log.line(&format!(r#"{{"$set":{{"messages":[{}]}}}}"#, all[0].line()));
            }
            _ => {}
        }
    }
    log
}

/// Messages of OpenCode's, with several steps, failures and compactions.
fn opencode(dice: &mut Dice) -> Log {
    const TOKENS: &str = r#""tokens":{"input":9,"output":1,"cache":{"read":0,"write":0}}"#;
    let mut log = Log::default();
    let mut asked = None;
    for number in 0..3 + dice.below(20) {
        let text = format!(r#"{{"type":"text","text":"{}"}}"#, words(dice));
        let info = |role: &str, more: &str| {
            format!(r#""info":{{"id":"m{number}","role":"{role}"{more}}}"#)
        };
        match dice.below(6) {
            0 | 1 => log.line(&format!(r#"{{{},"parts":[{text}]}}"#, info("user", ""))),
            2 => {
                let tail = if dice.once_in(2) {
                    format!(r#","tail_start_id":"m{}""#, dice.below(number + 1))
                } else {
                    String::new()
                };
                log.line(&format!(
                    r#"{{{},"parts":[{{"type":"compaction"{tail}}}]}}"#,
                    info("user", "")
                ));
                asked = Some(number);
            }
            3 => log.line(&format!(
                r#"{{{},"parts":[{text}]}}"#,
                info("assistant", r#","error":{"name":"APIError"}"#)
            )),
            _ => {
                let summary = match asked.take() {
                    Some(asked) if dice.below(3) > 0 => {
                        format!(r#","summary":true,"finish":"stop","parentID":"m{asked}""#)
                    }
                    _ => String::new(),
                };
                let step = |at: usize, dice: &mut Dice| {
                    let said = words(dice);
                    let state =
                        format!(r#"{{"status":"completed","input":{{}},"output":"{said}"}}"#);
                    let tool = format!(
                        r#"{{"type":"tool","callID":"c{number}-{at}","tool":"t","state":{state}}}"#
                    );
                    format!(
                        r#"{{"type":"step-start"}},{text},{tool},{{"type":"step-finish",{TOKENS}}}"#
                    )
                };
                let steps: Vec<String> = (0..1 + dice.below(3)).map(|at| step(at, dice)).collect();
                log.answers
                    .extend((0..steps.len()).map(|at| (at == 0).then_some(log.text.len())));
                log.line(&format!(
                    r#"{{{},"parts":[{}]}}"#,
                    info("assistant", &summary),
                    steps.join(",")
                ));
            }
        }
    }
    log
}

/// Messages of Claude Code's, with compactions that keep some of them: as a list or as a part of the way, behind the summary or before it.
fn claude_code(dice: &mut Dice) -> Log {
    let mut log = Log::default();
    let (mut sent, mut last, mut is_straight) = (Vec::<String>::new(), None::<String>, true);
    let line = |kind: &str, id: &str, parent: &Option<String>, more: &str| {
        let parent = parent
            .as_ref()
            .map_or("null".into(), |id| format!("\"{id}\""));
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}","uuid":"{id}","sessionId":"s",{more}}}"#
        )
    };
    for number in 0..4 + dice.below(30) {
        let id = format!("l{number}");
        match dice.below(7) {
            6 if !sent.is_empty() => {
                let gone = sent.remove(dice.below(sent.len()));
                let meta = format!(
                    r#""subtype":"model_refusal_fallback","retractedMessageUuids":["{gone}"]"#
                );
                let notice = Some(format!("n{number}"));
                log.line(&line("system", &format!("n{number}"), &last, &meta));
                let message = format!(r#""message":{{"role":"user","content":"{}"}}"#, words(dice));
                log.line(&line("user", &id, &notice, &message));
                is_straight = false;
            }
            0 | 1 => {
                let message = format!(r#""message":{{"role":"user","content":"{}"}}"#, words(dice));
                log.line(&line("user", &id, &last, &message));
            }
            5 if !sent.is_empty() => {
                let kept = sent.split_off(dice.below(sent.len() + 1));
                let (boundary, is_before) = (format!("z{number}"), dice.once_in(3));
                let anchor = if is_before { &boundary } else { &id };
                let meta = match (kept.first(), kept.last()) {
                    (Some(head), Some(tail)) if is_straight && dice.once_in(2) => format!(
                        r#""preservedSegment":{{"headUuid":"{head}","anchorUuid":"{anchor}","tailUuid":"{tail}"}}"#
                    ),
                    (Some(_), _) => format!(
                        r#""preservedMessages":{{"anchorUuid":"{anchor}","uuids":{kept:?}}}"#
                    ),
                    _ => String::new(),
                };
                let meta = format!(r#""subtype":"compact_boundary","compactMetadata":{{{meta}}}"#);
                log.line(&line("system", &boundary, &None, &meta));
                let message = format!(r#""message":{{"role":"user","content":"{}"}}"#, words(dice));
                log.line(&line("user", &id, &Some(boundary), &message));
                // What follows names the summary or the last of what is kept.
                last = kept
                    .last()
                    .filter(|_| !is_before && dice.once_in(2))
                    .or(Some(&id))
                    .cloned();
                (sent, is_straight) = if is_before {
                    ([&kept[..], &[id]].concat(), false)
                } else {
                    ([&[id], &kept[..]].concat(), false)
                };
                continue;
            }
            _ => {
                let said = words(dice);
                let message = format!(
                    r#""message":{{"id":"m{number}","role":"assistant","model":"claude-a","content":[{{"type":"text","text":"{said}"}}],"usage":{{"input_tokens":9,"output_tokens":1}}}}"#
                );
                log.answers.push(Some(log.text.len()));
                log.line(&line("assistant", &id, &last, &message));
            }
        }
        sent.push(id.clone());
        last = Some(id);
    }
    log
}

/// Messages of pi's on several branches, with edits of what was said before, and compactions that keep some of it.
fn pi(dice: &mut Dice) -> Log {
    let mut log = Log::default();
    log.line(
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}"#,
    );
    // The ids on the way to each entry.
    let mut ways: Vec<Vec<String>> = vec![Vec::new()];
    for number in 0..4 + dice.below(30) {
        // A prompt may begin a branch; all else continues.
        let kind = dice.below(6);
        let back = if matches!(kind, 2 | 3) && dice.once_in(3) {
            dice.below(ways.len())
        } else {
            ways.len() - 1
        };
        let mut way = ways[back].clone();
        let parent = way.last().map_or("null".into(), |id| format!("\"{id}\""));
        let target = (!way.is_empty()).then(|| way[dice.below(way.len())].clone());
        let said = words(dice);
        let more = match (kind, target) {
            (0, Some(id)) => format!(
                r#""type":"context_edit","targetId":"{id}","replacement":{}"#,
                match dice.once_in(2) {
                    true => "null".to_owned(),
                    false => format!(r#"{{"content":"{said}"}}"#),
                }
            ),
            (1, Some(id)) => format!(
                r#""type":"compaction","summary":"{said}","firstKeptEntryId":"{id}","tokensBefore":9"#
            ),
            (2 | 3, _) => {
                format!(r#""type":"message","message":{{"role":"user","content":"{said}"}}"#)
            }
            _ => {
                log.answers.push(Some(log.text.len()));
                format!(
                    r#""type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"{said}"}}],"usage":{{"input":9,"output":1}}}}"#
                )
            }
        };
        let time = format!("2026-01-01T00:00:{number:02}Z");
        log.line(&format!(
            r#"{{"id":"l{number}","parentId":{parent},"timestamp":"{time}",{more}}}"#
        ));
        way.push(format!("l{number}"));
        ways.push(way);
    }
    log
}

/// The role, the kinds and the sizes of a message, as text.
fn said(transcript: &Transcript, message: usize) -> String {
    let block = |block: &Block| format!("{:?}{}", block.kind, block.chars);
    let blocks: Vec<String> = transcript.blocks_of(message).iter().map(block).collect();
    format!(
        "{:?}{}",
        transcript.messages[message].role,
        blocks.join(",")
    )
}

#[test]
fn a_request_has_the_context_that_the_log_up_to_it_makes() {
    let mut compared = 0;
    for seed in 0..1200 {
        let mut dice = Dice(seed);
        let (name, log) = match seed % 4 {
            0 => ("gemini-cli", gemini_cli(&mut dice)),
            1 => ("opencode", opencode(&mut dice)),
            2 => ("openclaw", pi(&mut dice)),
            _ => ("claude-code", claude_code(&mut dice)),
        };
        if log.answers.is_empty() {
            continue;
        }
        let format = by_name(name).unwrap();
        let session = Session::read(log.text.clone().into_bytes(), format).unwrap();
        assert_eq!(
            session.calls.len(),
            log.answers.len(),
            "{seed} {name}\n{}",
            log.text
        );
        let mut context = Branched::new(Vec::<u32>::new());
        for step in &session.threads[0] {
            match *step {
                Step::Keep(length, _) => context.truncate(length as usize),
                Step::Push { message, .. } => context.push(message),
                Step::Summary(message) => context[0] = message,
                Step::Branch(to, ends) => {
                    context.turn(to, ends);
                }
                Step::Call(number) => {
                    let Some(end) = log.answers[number as usize] else {
                        continue;
                    };
                    let before = &log.text.as_bytes()[..end];
                    let reading = Reading::new(format, Estimator::Utf16, Scope::Context);
                    let wanted = reader::log(&before, &reading, 1, &|_| {}).unwrap();
                    let wanted: Vec<String> = (0..wanted.messages.len())
                        .map(|message| said(&wanted, message))
                        .collect();
                    let found: Vec<String> = context
                        .iter()
                        .map(|message| said(&session.transcript, *message as usize))
                        .collect();
                    assert_eq!(
                        found, wanted,
                        "{seed} {name} request {number}\n{}",
                        log.text
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}
