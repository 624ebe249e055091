//! What the presets save on the sample logs, and that the default of break-even is never dearer than no pruning.

use crate::data::samples;
use deadhead_core::dialect::by_name;
use deadhead_core::json::IdSet;
use deadhead_core::settings::{preset, resolve};
use deadhead_replay::policy::Policy;
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::Manner;

#[test]
fn break_even_saves_more_than_openclaw_and_is_never_dearer() {
    let names = ["break-even", "break-even-safe", "openclaw-2026.1"];
    let policies = names.map(|name| {
        let settings = resolve(&[preset(name).unwrap()]).unwrap().settings;
        Policy { name: name.to_owned(), settings, manner: Manner::Sticky }
    });
    let (mut spent, mut logs, mut seen) = ([0.0; 4], 0, IdSet::default());
    for sample in samples() {
        let Some(format) = by_name(sample.folder()).filter(|format| format.calls.row.is_some()) else { continue };
        let Ok(session) = Session::read(sample.bytes.clone(), format) else { continue };
        let counts = Range::default().counts(&session, &mut seen);
        let sums = build(&session, sample.name.as_str(), &policies, &counts).unwrap().sums;
        // The simulation without pruning is the recording.
        assert!(
            (sums.calibration.simulated.usd - sums.calibration.recorded_usd).abs() <= sums.calibration.recorded_usd * 1e-9,
            "{}",
            sample.name
        );
        for (row, spent) in sums.policies.iter().zip(&mut spent[1..]) {
            *spent += row.totals.usd;
            let is_dearer = row.totals.usd > sums.baseline.usd * 1.0005;
            assert!(!is_dearer || row.name == names[2], "{} {}: ${} for ${}", sample.name, row.name, row.totals.usd, sums.baseline.usd);
        }
        spent[0] += sums.baseline.usd;
        logs += 1;
    }
    let [none, even, safe, openclaw] = spent;
    assert!(logs >= 12 && even < openclaw && safe < openclaw && openclaw < none, "{logs} logs: {spent:?}");
}
