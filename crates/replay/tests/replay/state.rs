//! A session whose state is kept is pruned as its replay says: at each request the same parts are cut, the budget included.

use crate::data::sample;
use deadhead_core::Session as State;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Scope, Settings, preset, resolve};
use deadhead_replay::run::run;
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Retention, Simulation};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The cuts before each request: the line of the request, and the line and action of each cut.
type Cuts = Vec<(u64, BTreeSet<(u32, &'static str)>)>;

/// As the replay has it.
fn replayed(session: &Session, settings: &Settings) -> Cuts {
    let simulation = Simulation::new(session, settings);
    let record =
        |call: usize| session.transcript.messages[session.calls[call].message as usize].record;
    let mut found: Cuts = (0..session.calls.len())
        .map(|call| (record(call), BTreeSet::new()))
        .collect();
    let mut seen = |call: u32, view: &View<'_>| {
        let line = |i: u32| view.transcript.messages[i as usize].line;
        found[call as usize].1 = view
            .cuts()
            .map(|cut| (line(cut.message), cut.action.name()))
            .collect();
    };
    run(
        &simulation,
        &session.transcript,
        settings,
        Retention::Sticky,
        &mut seen,
    )
    .unwrap();
    found
}

/// As `prune --state` has it, which knows no more than the lines before each request.
fn pruned(text: &[u8], session: &Session, settings: &Settings, until: &Cuts) -> Cuts {
    let mut state = State::default();
    let mut found = Cuts::new();
    for (call, (at, _)) in session.calls.iter().zip(until) {
        let source = Source::Memory(text[..*at as usize].to_vec());
        let read = reader::log(
            &source,
            &reader::Reading::new(
                session.format,
                settings.context_pruning.estimator,
                Scope::Context,
            ),
            1,
            &|_| {},
        )
        .unwrap();
        let clock = Clock {
            now: call.start.unwrap(),
            last_call: None,
            assume_cold: false,
        };
        let setup = Setup {
            memory: Some(Arc::new(state.clone())),
            ..Setup::new(settings.clone(), clock, Detail::Full)
        };
        let done = engine::history(&read, &source, &setup).unwrap();
        found.push((
            *at,
            done.report
                .cuts
                .iter()
                .map(|cut| (cut.line, cut.action))
                .collect(),
        ));
        state.add(done.learned.unwrap(), call.seen.unwrap());
    }
    found
}

/// Logs, and how many of their requests are pruned: two sessions with pauses, and one that is compacted at its 171st request and keeps the
/// newest messages.
const LOGS: [(&str, &str, usize); 3] = [
    (
        "claude-code",
        "claude-code/git-sync__0cd46975-a945-4e8b-b0fa-f6cf392e38b2.jsonl",
        200,
    ),
    (
        "claude-code",
        "claude-code/git-sync__5b613073-e70b-48a1-b6ae-c6aaa99ec2b1.jsonl",
        200,
    ),
    ("openclaw", "openclaw/pi-mono__before-compaction.jsonl", 200),
];

#[test]
fn a_session_with_state_is_pruned_as_its_replay_says() {
    let mut cut = 0;
    for (format, name, most) in LOGS {
        let bytes = &sample(name).bytes;
        let session = Session::read(bytes.clone(), by_name(format).unwrap()).unwrap();
        assert_eq!(session.threads.len(), 1);
        for policy in ["break-even", "break-even-safe"] {
            let mut settings = resolve(&[preset(policy).unwrap()]).unwrap().settings;
            // What prunes a log adds no cache marks.
            settings.break_even.own_marks = false;
            let mut replayed = replayed(&session, &settings);
            replayed.truncate(most);
            let pruned = pruned(bytes, &session, &settings, &replayed);
            for (call, ((_, replayed), (_, pruned))) in replayed.iter().zip(&pruned).enumerate() {
                assert_eq!(replayed, pruned, "{name}, {policy}, call {call}");
            }
            cut += usize::from(replayed.iter().any(|(_, cuts)| !cuts.is_empty()));
        }
    }
    // With a budget, the first log is never cut.
    assert_eq!(cut, 2 * LOGS.len() - 1);
}
