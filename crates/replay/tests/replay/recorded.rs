//! The simulation without pruning equals the recording for every log: large prompts, few requests, split answers, copies.

use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::{Mode, Settings};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};
use deadhead_replay::summary::Replay;
use serde_json::{Value, json};

/// Usage of a request: input, read, written, output.
type Counts = (u64, u64, u64, u64);

/// A log of Claude Code: before each request a result of so many chars.
fn log(requests: &[(usize, Counts)]) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    let mut add = |kind: &str, message: Value| {
        let parent = lines.last().map(|line| line["uuid"].clone());
        let at = format!("2026-01-01T00:{:02}:00Z", lines.len());
        lines.push(json!({"type": kind, "uuid": format!("u{}", lines.len()), "parentUuid": parent, "sessionId": "s", "timestamp": at, "cwd": "/w", "message": message}));
    };
    for (i, (size, (input, read, written, output))) in requests.iter().enumerate() {
        let text = "some words ".repeat(size / 11);
        match i.checked_sub(1) {
            None => add("user", json!({"role": "user", "content": text})),
            Some(call) => add(
                "user",
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{call}"), "content": text}]}),
            ),
        }
        let usage = json!({"input_tokens": input, "cache_read_input_tokens": read, "cache_creation_input_tokens": written, "output_tokens": output});
        let content = json!([{"type": "tool_use", "id": format!("t{i}"), "name": "Read", "input": {"file_path": format!("/w/{i}")}}]);
        add(
            "assistant",
            json!({"id": format!("msg_{i}"), "role": "assistant", "model": "claude-sonnet-4-5", "content": content, "usage": usage}),
        );
    }
    lines
}

fn bytes(lines: &[Value]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| format!("{line}\n").into_bytes())
        .collect()
}

fn replay(text: Vec<u8>, mode: Mode, seen: &mut IdSet) -> Replay {
    let session = Session::read(text, by_name("claude-code").unwrap()).unwrap();
    let mut settings = Settings::default();
    settings.context_pruning.mode = mode;
    settings.context_window = Some(20_000);
    let policy = Policy {
        name: "p".to_owned(),
        flags: Vec::new(),
        settings,
        retention: Retention::Sticky,
    };
    let counts = Range::default().counts(&session, seen);
    build(&session, "log", &[policy], &counts).unwrap()
}

/// Replays with further settings.
fn with(lines: &[Value], change: impl FnOnce(&mut Settings)) -> Replay {
    let session = Session::read(bytes(lines), by_name("claude-code").unwrap()).unwrap();
    let mut settings = Settings::default();
    change(&mut settings);
    let policy = Policy {
        name: "p".to_owned(),
        flags: Vec::new(),
        settings,
        retention: Retention::Sticky,
    };
    build(
        &session,
        "log",
        &[policy],
        &Range::default().counts(&session, &mut IdSet::default()),
    )
    .unwrap()
}

fn alone(lines: &[Value], mode: Mode) -> Replay {
    replay(bytes(lines), mode, &mut IdSet::default())
}

/// Requests of which each reads all of the prompt before it.
fn hits(sizes: &[(usize, u64)]) -> Vec<(usize, Counts)> {
    let mut before = 0;
    let request = |&(size, tokens): &(usize, u64)| {
        let found = (size, (3, before, tokens, 40));
        before += tokens + 3;
        found
    };
    sizes.iter().map(request).collect()
}

#[test]
fn a_log_that_reads_all_it_wrote_loses_nothing_and_costs_what_was_recorded() {
    // Tokens that have nothing to do with the chars, and a large prompt in between.
    let odd: Vec<(usize, u64)> = (0..24)
        .map(|i| (300 + i * 997 % 5000, 60 + (i as u64 * 613) % 9000))
        .collect();
    for sizes in [
        odd,
        vec![(900, 17_000); 1],
        vec![(900, 17_000), (4000, 900)],
        vec![(60_000, 2500); 5],
    ] {
        for mode in [Mode::Off, Mode::Adaptive] {
            let found = alone(&log(&hits(&sizes)), mode);
            let calibration = &found.sums.calibration;
            assert_eq!(
                (calibration.requests, calibration.lost, calibration.kept),
                (sizes.len() as u64, 0, 0),
                "{sizes:?}"
            );
            assert!(
                (calibration.simulated.usd - calibration.recorded_usd).abs() < 1e-9,
                "{sizes:?}: {calibration:?}"
            );
            assert!(
                (calibration.rules.usd / calibration.recorded_usd - 1.0).abs() < 0.02,
                "{sizes:?}: {calibration:?}"
            );
            assert!(
                found.sums.pruned.usd > 0.0
                    && found.sums.pruned.prompt <= found.sums.baseline.prompt
            );
        }
    }
}

#[test]
fn a_cache_that_was_lost_is_seen_between_recorded_prompts() {
    let mut requests = hits(&[(2000, 6000); 12]);
    let (_, (_, read, written, _)) = &mut requests[7];
    (*read, *written) = (0, *read + *written);
    let calibration = alone(&log(&requests), Mode::Off).sums.calibration;
    assert_eq!(
        (calibration.lost, calibration.simulated.usd),
        (1, calibration.recorded_usd)
    );
    assert!(calibration.rules.usd < calibration.recorded_usd);
}

#[test]
fn an_answer_in_pieces_counts_the_output_of_its_last() {
    let mut lines = log(&hits(&[(2000, 6000); 3]));
    let mut last = lines[5].clone();
    (last["uuid"], last["parentUuid"]) = (json!("more"), json!("u5"));
    last["message"]["usage"]["output_tokens"] = json!(900);
    last["message"]["content"] = json!([{"type": "text", "text": "and more"}]);
    lines.push(last);
    let calibration = alone(&lines, Mode::Off).sums.calibration;
    assert_eq!(
        (calibration.requests, calibration.recorded.output),
        (3, 40 + 40 + 900)
    );
}

#[test]
fn models_without_a_price_are_named_with_the_key_that_sets_one() {
    let text =
        String::from_utf8(bytes(&log(&hits(&[(1000, 400), (1000, 400), (1000, 400)])))).unwrap();
    let of = |models: [&str; 3]| {
        let mut models = models.iter();
        let text = text
            .split_inclusive("claude-sonnet-4-5")
            .map(|part| part.replace("claude-sonnet-4-5", models.next().unwrap_or(&"")));
        replay(
            text.collect::<String>().into_bytes(),
            Mode::Off,
            &mut IdSet::default(),
        )
    };
    let found = of(["vendor/Made-Up-2", "claude-sonnet-4-5", "kimi\\u001b[2J"]);
    let warning = "2 requests have no price: kimi\\u{1b}[2J (1), vendor/Made-Up-2 (1); set one with replay.rates: {\"kimi\\u{1b}[2j\": {input, output}}";
    assert_eq!(
        found
            .warnings
            .iter()
            .filter(|text| text.contains("price"))
            .collect::<Vec<_>>(),
        [warning]
    );
    let found = of(["vendor/Made-Up-2", "vendor/Made-Up-2", "claude-sonnet-4-5"]);
    let warning = "2 requests have no price: vendor/Made-Up-2 (2); set one with replay.rates: {\"made-up-2\": {input, output}}";
    assert!(
        found.warnings.iter().any(|text| text == warning),
        "{:?}",
        found.warnings
    );
    assert!(
        of(["claude-sonnet-4-5"; 3])
            .warnings
            .iter()
            .all(|text| !text.contains("price"))
    );
}

#[test]
fn a_compaction_is_paid_for_with_and_without_pruning() {
    let mut lines = log(&hits(&[
        (40_000, 9_000),
        (40_000, 9_000),
        (1000, 400),
        (1000, 400),
        (1000, 400),
    ]));
    // The first prompts are still cached at the last.
    lines
        .iter_mut()
        .enumerate()
        .for_each(|(n, line)| line["timestamp"] = json!(format!("2026-01-01T00:00:{:02}Z", n * 5)));
    let mut compacted = lines.clone();
    compacted[7]["message"]["usage"]["iterations"] = json!([
        {"type": "compaction", "input_tokens": 100_000, "output_tokens": 1000},
        {"type": "message", "input_tokens": 3, "output_tokens": 40},
    ]);
    let added = 100_000.0 * 3e-6 + 1000.0 * 15e-6;
    for mode in [Mode::Off, Mode::BreakEven] {
        let (before, after) = (alone(&lines, mode).sums, alone(&compacted, mode).sums);
        assert_eq!(
            before.pruned.prompt < before.baseline.prompt,
            mode == Mode::BreakEven
        );
        let costs = |sums: &deadhead_replay::summary::Sums| {
            [
                sums.baseline.usd,
                sums.pruned.usd,
                sums.calibration.recorded_usd,
                sums.calibration.simulated.usd,
                sums.calibration.rules.usd,
            ]
        };
        for (before, after) in costs(&before).into_iter().zip(costs(&after)) {
            assert!(
                (after - before - added).abs() < 1e-5,
                "{before} {after} {added}"
            );
        }
        assert_eq!(
            (after.calibration.simulated.error, after.baseline.prompt),
            (Some(0.0), before.baseline.prompt)
        );
    }
    // Lines of one answer count it once.
    let mut pieces = compacted.clone();
    let mut piece = pieces[7].clone();
    piece["uuid"] = json!("piece");
    piece["parentUuid"] = pieces[7]["uuid"].clone();
    piece["message"]["content"] = json!([{"type": "text", "text": "more"}]);
    pieces.insert(8, piece);
    assert!(
        (alone(&pieces, Mode::Off).sums.calibration.recorded_usd
            - alone(&compacted, Mode::Off).sums.calibration.recorded_usd)
            .abs()
            < 1e-9
    );
}

#[test]
fn a_request_counts_once_in_all_inputs() {
    let lines = log(&hits(&[(2000, 6000); 9]));
    let fork: Vec<Value> = lines
        .iter()
        .map(|line| {
            let mut line = line.clone();
            line["sessionId"] = json!("other");
            line
        })
        .chain(
            log(&hits(&[(2000, 6000); 10]))
                .split_off(18)
                .into_iter()
                .map(|mut line| {
                    line["uuid"] = json!(format!("fork-{}", line["uuid"]));
                    if line["type"] == "user" {
                        line["parentUuid"] = json!("u17");
                    } else {
                        line["parentUuid"] = json!("fork-\"u18\"");
                    }
                    line
                }),
        )
        .collect();
    let mut seen = IdSet::default();
    let first = replay(bytes(&lines), Mode::Off, &mut seen);
    let again = replay(bytes(&lines), Mode::Off, &mut seen);
    let forked = replay(bytes(&fork), Mode::Off, &mut seen);
    assert_eq!(
        [
            first.sums.requests,
            again.sums.requests,
            forked.sums.requests
        ],
        [9, 0, 1]
    );
    assert_eq!(
        (again.sums.calibration.recorded_usd, again.sums.baseline.usd),
        (0.0, 0.0)
    );
    assert_eq!(
        first.sums.calibration.recorded_usd,
        alone(&lines, Mode::Off).sums.calibration.recorded_usd
    );
}

#[test]
fn counts_that_no_request_can_have_are_no_panic() {
    let most = u64::MAX;
    let lines = log(&[
        (300, (most, most, most, most)),
        (300, (0, 0, 0, most)),
        (300, (most, most, 0, 1)),
        (300, (1, 2, 3, 4)),
    ]);
    for mode in [Mode::Off, Mode::Aggressive, Mode::BreakEven] {
        let sums = alone(&lines, mode).sums;
        assert!(
            sums.requests == 4 && sums.baseline.usd.is_finite() && sums.pruned.usd.is_finite(),
            "{mode:?}: {sums:?}"
        );
    }
}

#[test]
fn a_heartbeat_is_priced_by_the_pauses() {
    // Two minutes, and then an hour, after which nothing of 12,006 tokens is cached any more.
    let mut requests = hits(&[(2000, 6000); 3]);
    let (_, (_, read, written, _)) = &mut requests[2];
    (*read, *written) = (0, *read + *written);
    let mut lines = log(&requests);
    lines[4..]
        .iter_mut()
        .for_each(|line| line["timestamp"] = json!("2026-01-01T01:02:00Z"));
    let every = |minutes: u64| {
        with(&lines, |settings| {
            settings.heartbeat.every_ms = Some(minutes * 60_000)
        })
        .sums
        .heartbeat
        .unwrap()
    };
    let found = every(1);
    assert_eq!(
        (found.every_ms, found.requests, found.too_late),
        (60_000, 1 + 59, 0)
    );
    let (usd, saved) = (
        (6003.0 + 12_006.0 * 59.0) * 0.3e-6,
        12_006.0 * (3.75e-6 - 0.3e-6),
    );
    assert!(
        (found.usd - usd).abs() < 1e-9 && (found.saved_usd - saved).abs() < 1e-9,
        "{found:?}"
    );
    // One in four minutes keeps it as warm.
    assert_eq!(
        (every(4).requests, every(4).saved_usd),
        (14, found.saved_usd)
    );
    assert_eq!(
        (every(5).requests, every(5).too_late, every(5).usd),
        (0, 11, 0.0)
    );
    assert_eq!((every(90).requests, every(90).too_late), (0, 0));
    assert!(with(&lines, |_| {}).sums.heartbeat.is_none());
}

#[test]
fn a_ttl_that_is_not_the_lifetime_is_a_warning() {
    let mut lines = log(&hits(&[(2000, 6000); 3]));
    for line in lines.iter_mut().filter(|line| line["type"] == "assistant") {
        line["message"]["usage"]["cache_creation"] = json!({"ephemeral_1h_input_tokens": 6000});
    }
    let warned = |ttl: u64| {
        with(&lines, |settings| {
            settings.context_pruning.ttl_ms = Some(ttl)
        })
        .warnings
    };
    let warning = "p: contextPruning.ttl is 5 m, and this conversation's prompts are cached for 1 h: it prunes a cache that is warm";
    assert!(
        warned(300_000)
            .iter()
            .any(|found| found.starts_with(warning)),
        "{:?}",
        warned(300_000)
    );
    assert!(warned(3_600_000).is_empty(), "{:?}", warned(3_600_000));
}

/// A log with pauses of two hours before its 4th and its 14th request, each of which the cache either survives or not.
fn paused(survives: [bool; 2]) -> Vec<Value> {
    let mut requests = hits(
        &[
            vec![(2000, 600); 4],
            vec![(12_000, 3000); 3],
            vec![(6000, 1500); 12],
        ]
        .concat(),
    );
    for (at, _) in [3, 13]
        .into_iter()
        .zip(survives)
        .filter(|(_, survives)| !survives)
    {
        let (_, (_, read, written, _)) = &mut requests[at];
        (*read, *written) = (0, *read + *written);
    }
    let mut lines = log(&requests);
    for (i, line) in lines.iter_mut().enumerate() {
        // Requests 3 and 13 are answered by lines 7 and 27; what is answered comes before.
        let seconds = 20 * i + if i >= 6 { 7200 } else { 0 } + if i >= 26 { 7200 } else { 0 };
        line["timestamp"] = json!(format!(
            "2026-01-01T{:02}:{:02}:{:02}Z",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        ));
    }
    lines
}

#[test]
fn a_cache_that_outlived_its_lifetime_is_not_taken_for_expired_again() {
    for (survives, cuts) in [
        ([true, true], false),
        ([false, false], true),
        ([true, false], false),
    ] {
        let found = with(&paused(survives), |settings| {
            settings.context_pruning.mode = Mode::BreakEven;
            settings.break_even.budget = Some(0.0005);
            settings.break_even.min_tokens = 2000.into();
        });
        let (none, pruned) = (&found.sums.baseline, &found.sums.pruned);
        let at: Vec<usize> = (0..)
            .zip(&found.timeline)
            .filter(|(_, call)| call.cuts > 0)
            .map(|(i, _)| i)
            .collect();
        assert_eq!(at.is_empty(), !cuts, "{survives:?}: {at:?}");
        assert!(
            pruned.usd <= none.usd * 1.0005,
            "{survives:?}: {} for {}",
            pruned.usd,
            none.usd
        );
        assert!(
            !cuts || pruned.usd < none.usd,
            "{survives:?}: {} for {}",
            pruned.usd,
            none.usd
        );
    }
}
