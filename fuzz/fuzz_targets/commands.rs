//! Any configuration, selectors and input: no panic; what check finds whole is whole after a prune, repair copies it, and repairs the rest
//! once and for all; a log is replayed.
#![no_main]

use deadhead_core::internal::dialect::DIALECTS;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::Settings;
use deadhead_core::{Config, Pruner};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let (Some(config), Some(selectors), Some(input)) = (parts.next(), parts.next(), parts.next()) else { return };
    let (config, selectors) = (String::from_utf8_lossy(config), String::from_utf8_lossy(selectors));
    let own = Config::from_json5(&config).ok();
    let is_plain = own.is_none() && selectors.is_empty();
    let config = own.unwrap_or_else(|| Config::from_json5("{contextPruning: {mode: 'aggressive', keepLastAssistants: 0}}").unwrap());
    let Ok(pruner) = Pruner::with_passes(config, deadhead_retrieval::passes()) else { return };
    let pruner = pruner.at(1_800_000_000_000);
    let by_hand = pruner.with(|setup| {
        let select = &mut setup.settings.select;
        select.list = selectors.lines().map(str::to_owned).collect();
        select.lenient = true;
    });
    let defects = pruner.check(input);
    let is_whole = defects.is_ok_and(|defects| defects.is_empty());
    if let Ok(pruned) = by_hand.prune(input)
        && is_whole
        && is_plain
    {
        assert_eq!(pruner.check(&pruned.bytes).unwrap(), []);
    }
    if let Ok(repaired) = pruner.repair(input) {
        assert!(!is_whole || *repaired.bytes == *input);
        // Where the only record is removed, nothing is left that can be read.
        let same = pruner.format(&repaired.report.input.format).unwrap();
        if let Ok(again) = same.repair(&repaired.bytes) {
            assert!(again.bytes == repaired.bytes);
        }
    }
    for format in DIALECTS.iter().filter(|format| format.calls.can_be_replayed()) {
        let Ok(session) = Session::read(input.to_vec(), format) else { continue };
        let settings = Settings { context_window: Some(100), ..pruner.setup().settings.clone() };
        let policy = |retention| Policy { name: String::new(), flags: Vec::new(), settings: settings.clone(), retention };
        let policies = [Retention::Sticky, Retention::Transient].map(policy);
        let counts = Range::default().counts(&session, &mut IdSet::default());
        let _ = build(&session, "log", &policies, &counts);
    }
});
