//! Savings of policies on the sample logs. No default may cost more than no pruning.

use crate::data::samples;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::{Layer, preset, resolve};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};

/// All passes that are off where nobody asks for them.
const ALL: &str = "passes.on=[\"dedupe\",\"ephemeral\",\"stale-resource\",\"turn-drop\"]";

/// Nothing but the pass that replaces results that come again later.
const DOUBLES: &[&str] = &[
    "contextPruning.mode=adaptive",
    "contextPruning.keepLastAssistants=0",
    "passes.on=dedupe",
    "passes.off=hard-clear,soft-trim",
];
/// Each policy: its name, a preset, further settings, and whether it may be dearer on a log.
const POLICIES: &[(&str, Option<&str>, &[&str], bool)] = &[
    ("break-even", Some("break-even"), &[], false),
    ("break-even-safe", Some("break-even-safe"), &[], false),
    ("openclaw-2026.1", Some("openclaw-2026.1"), &[], true),
    ("auto", None, &[], false),
    ("auto, all passes", None, &[ALL], false),
    ("break-even, all passes", Some("break-even"), &[ALL], false),
    (
        "cut by size only if it pays",
        Some("clawdbot-adaptive"),
        &["onlyIf=it-pays"],
        false,
    ),
    ("doubles, whatever it costs", None, DOUBLES, true),
    (
        "doubles only if it pays",
        None,
        &[
            DOUBLES[0],
            DOUBLES[1],
            DOUBLES[2],
            DOUBLES[3],
            "onlyIf=it-pays",
        ],
        false,
    ),
];

#[test]
fn break_even_saves_more_than_openclaw_and_no_default_is_dearer() {
    let policies: Vec<Policy> = POLICIES
        .iter()
        .map(|(name, base, sets, _)| {
            let mut layer = Layer::new("test");
            sets.iter()
                .filter_map(|set| set.split_once('='))
                .for_each(|(key, value)| layer.put_text(key, value).unwrap());
            let layers: Vec<Layer> = base
                .map(|base| preset(base).unwrap())
                .into_iter()
                .chain([layer])
                .collect();
            Policy {
                name: (*name).to_owned(),
                flags: Vec::new(),
                settings: resolve(&layers).unwrap().settings,
                retention: Retention::Sticky,
            }
        })
        .collect();
    let (mut none, mut spent, mut cuts) = (0.0, vec![0.0; policies.len()], vec![0; policies.len()]);
    let (mut logs, mut dearer, mut seen) = (0, Vec::new(), IdSet::default());
    for sample in samples() {
        let Some(format) = by_name(sample.folder()).filter(|format| format.calls.can_be_replayed())
        else {
            continue;
        };
        let Ok(session) = Session::read(sample.bytes.clone(), format) else {
            continue;
        };
        let counts = Range::default().counts(&session, &mut seen);
        let sums = build(&session, sample.name.as_str(), &policies, &counts)
            .unwrap()
            .sums;
        // The simulation without pruning is the recording.
        let truth = &sums.calibration;
        assert!(
            (truth.simulated.usd - truth.recorded_usd).abs() <= truth.recorded_usd * 1e-9,
            "{}",
            sample.name
        );
        for (i, row) in sums.policies.iter().enumerate() {
            spent[i] += row.totals.usd;
            cuts[i] += row.cuts;
            if row.totals.usd > sums.baseline.usd * 1.0005 && !POLICIES[i].3 {
                dearer.push(format!(
                    "{} {}: ${} for ${}",
                    sample.name, row.name, row.totals.usd, sums.baseline.usd
                ));
            }
        }
        none += sums.baseline.usd;
        logs += 1;
    }
    let shown: Vec<String> = POLICIES
        .iter()
        .zip(spent.iter().zip(&cuts))
        .map(|(p, (usd, cuts))| format!("{}: ${usd:.2}, {cuts}", p.0))
        .collect();
    assert!(dearer.is_empty(), "{dearer:#?}\n${none:.2}\n{shown:#?}");
    let usd = |name: &str| spent[POLICIES.iter().position(|policy| policy.0 == name).unwrap()];
    let openclaw = usd("openclaw-2026.1");
    assert!(
        logs >= 12
            && usd("break-even") < openclaw
            && usd("break-even-safe") < openclaw
            && openclaw < none,
        "{logs} logs: {shown:#?}"
    );
    // The condition saves money, and leaves something to cut.
    assert!(
        usd("doubles only if it pays") < none && usd("doubles, whatever it costs") > none,
        "{shown:#?}"
    );
    assert!(cuts.iter().all(|cuts| *cuts > 0), "{shown:#?}");
}
