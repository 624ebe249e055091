//! Removals are reproduced in later requests, and keys do not depend on positions.

use super::*;
use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{by_name, transcript};
use crate::json::Cursor;
use crate::settings::{Scope, Settings};
use serde_json::{Value, json};

fn read_as(format: &str, body: &[u8]) -> Transcript {
    let format = by_name(format).unwrap();
    let mut builder = TranscriptBuilder::new(Settings::default().context_pruning.estimator);
    builder.begin(0, 1);
    (format.read)(&mut Cursor::new(body), &mut builder).unwrap();
    transcript(format, builder, Scope::Context).unwrap()
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

fn step(i: usize) -> [Value; 2] {
    let call = json!({"type": "tool_use", "id": format!("t{i}"), "name": "run", "input": {}});
    let result =
        json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": format!("r{i}")});
    [
        json!({"role": "assistant", "content": [{"type": "text", "text": "so"}, call]}),
        json!({"role": "user", "content": [result]}),
    ]
}

fn body(messages: Vec<Value>) -> Vec<u8> {
    serde_json::to_vec(&json!({"model": "m", "max_tokens": 1, "messages": messages})).unwrap()
}

/// Returns the session that the next run has, with the cuts in `learned`.
fn remembered(learned: NewState) -> Session {
    let decisions = learned
        .made
        .into_iter()
        .map(|decision| (decision.call, decision))
        .collect();
    Session {
        decisions,
        ..Session::default()
    }
}

fn cut(view: &View<'_>, message: u32, block: u32, action: Action) -> Cut {
    let (chars_before, reason) = (
        view.chars_of_block_before(message as usize, block),
        "by hand".into(),
    );
    Cut {
        pass: BY_HAND,
        message,
        block,
        action,
        chars_before,
        chars_after: 0,
        linked: false,
        reason,
    }
}

/// Returns the parts of `bytes` that are removed when `decisions` are remembered: message, block,
/// and whether the message is removed whole.
fn gone_from(bytes: &[u8], decisions: &Session) -> Vec<(u32, u32, bool)> {
    let transcript = read_as("anthropic", bytes);
    let view = View::new(&transcript, &bytes, &Settings::default(), 1000);
    let (proposal, _) = replay(
        &view,
        &known(&transcript, &bytes, true).unwrap(),
        decisions,
        true,
    )
    .unwrap();
    proposal
        .cuts
        .iter()
        .map(|cut| (cut.message, cut.block, cut.action == Action::DropMessage))
        .collect()
}

#[test]
fn steps_and_messages_stay_away() {
    let begin = [
        said("user", "go"),
        said("assistant", "ok"),
        said("user", "ok"),
        said("assistant", "ok"),
    ];
    let all = |more: &[Value]| body([&begin[..], &step(1), &step(2), more].concat());
    let bytes = all(&[]);
    let transcript = read_as("anthropic", &bytes);
    let texts = &bytes[..];
    let mut view = View::new(&transcript, &texts, &Settings::default(), 1000);
    // The second of two equal messages, and a call with its result.
    let cuts = vec![
        cut(&view, 3, transcript.messages[3].blocks, Action::DropMessage),
        cut(&view, 4, transcript.messages[4].blocks + 1, Action::Drop),
        cut(&view, 5, transcript.messages[5].blocks, Action::Drop),
    ];
    let places: Vec<_> = cuts
        .iter()
        .map(|cut| (cut.message, cut.block, cut.action == Action::DropMessage))
        .collect();
    view.accept(Proposal {
        cuts,
        ..Proposal::default()
    });
    let learned = new_state(&view, Vec::new(), &[], 7).unwrap();
    assert_eq!(learned.made.len(), 3);
    let decisions = remembered(learned);
    assert!(decisions.is_structural());
    assert_eq!(gone_from(&bytes, &decisions), places);
    assert_eq!(
        gone_from(
            &all(&[said("assistant", "more"), said("user", "ok")]),
            &decisions
        ),
        places
    );
    // A changed result would stay, but its call is removed, so it is removed as well.
    let mut changed = bytes.clone();
    let at = changed.windows(4).position(|w| w == b"\"r1\"").unwrap();
    changed[at + 2] = b'7';
    assert_eq!(gone_from(&changed, &decisions), places);
    // Without the step, nothing of it is left to remove.
    assert_eq!(
        gone_from(&body([&begin[..], &step(2)].concat()), &decisions),
        places[..1]
    );
}

#[test]
fn only_what_rests_or_was_cut_by_hand_is_remembered() {
    let waiting = ["soft-trim", "hard-clear"];
    assert!(
        waiting
            .into_iter()
            .chain([BY_HAND])
            .all(|pass| is_remembered(pass, &waiting))
    );
    assert!(!is_remembered("none", &waiting));
}

#[test]
fn keys_do_not_hang_on_places() {
    let contents = |skip: usize| {
        let call = |i: usize| json!({"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"k": i}}}]});
        let result = |i: usize| json!({"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"output": i}}}]});
        let steps = (skip..6).flat_map(|i| [call(i), result(i)]);
        let all: Vec<Value> = [json!({"role": "user", "parts": [{"text": "go"}]})]
            .into_iter()
            .chain(steps)
            .collect();
        serde_json::to_vec(&json!({"contents": all})).unwrap()
    };
    let keys = |bytes: &[u8]| -> Vec<u64> {
        let known = known(&read_as("gemini", bytes), &bytes, false);
        known.unwrap().into_iter().map(|at| at.key).collect()
    };
    let (all, less) = (keys(&contents(0)), keys(&contents(2)));
    assert_eq!((all.len(), less.len()), (6, 4));
    assert_eq!(all[2..], less[..]);
    let mut unique = all.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), 6);
}

#[test]
fn earlier_cuts_keep_their_bytes() {
    let bytes = body([&[said("user", "go")][..], &step(1), &step(2), &step(3)].concat());
    let transcript = read_as("anthropic", &bytes);
    let texts = &bytes[..];
    let block = |i: usize| transcript.messages[i].blocks;
    let clear = |text: &str| Action::Clear(text.into());
    let trim = || Action::Trim(Vec::new());
    let mut view = View::new(&transcript, &texts, &Settings::default(), 1000);
    let earlier = vec![
        cut(&view, 2, block(2), clear("old")),
        cut(&view, 4, block(4), trim()),
    ];
    view.accept_earlier(Proposal {
        cuts: earlier,
        ..Proposal::default()
    });
    let wanted = vec![
        cut(&view, 2, block(2), clear("new")),
        cut(&view, 4, block(4), trim()),
        cut(&view, 6, block(6), clear("new")),
    ];
    view.accept(Proposal {
        cuts: wanted,
        ..Proposal::default()
    });
    let actions = |view: &View<'_>| {
        view.cuts()
            .map(|cut| (cut.message, cut.action.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        actions(&view),
        [(2, clear("old")), (4, trim()), (6, clear("new"))]
    );
    // A trimmed result may be cleared; anything may be removed.
    let wanted = vec![
        cut(&view, 2, block(2), Action::DropMessage),
        cut(&view, 4, block(4), clear("new")),
    ];
    view.accept(Proposal {
        cuts: wanted,
        ..Proposal::default()
    });
    assert_eq!(
        actions(&view),
        [
            (2, Action::DropMessage),
            (4, clear("new")),
            (6, clear("new"))
        ]
    );
}
