//! Any bytes in every format: no panic, the same bytes with the mode off, and with cuts JSON where JSON was, never refused. Half of
//! the runs have the passes on that take blocks and messages away.
#![no_main]

use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Estimator, Images, Mode, Settings, ToolTurns};
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::dialect::{DIALECTS, Layout};
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::input::Source;
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::Error;
use deadhead_core::internal::reader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    for format in DIALECTS {
        for mode in [Mode::Off, Mode::Adaptive, Mode::Aggressive] {
            let setup = setup(mode, choice);
            let whole = !setup.settings.passes.on.is_empty();
            match run(bytes, format, &setup) {
                // What is removed changes what stays: a second run may look at it otherwise where the input was damaged.
                Ok(output) if whole => assert!(!is_json(bytes) || is_json(&output) || format.layout == Layout::History),
                Ok(output) if mode == Mode::Off => assert_eq!(output, bytes),
                Ok(output) => {
                    assert!(!is_json(bytes) || is_json(&output));
                    assert_eq!(run(&output, format, &setup).unwrap(), output);
                }
                // Records that are there twice may not go: then nothing does.
                Err(error) => assert!(whole || !error.is_refusal(), "{error}"),
            }
        }
    }
});

fn run(bytes: &[u8], format: &'static deadhead_core::internal::dialect::Dialect, setup: &Setup) -> Result<Vec<u8>, Error> {
    if format.layout == Layout::Body {
        let pruned = engine::body(bytes, 1, format.into(), setup)?;
        return Ok(pruned.slices(bytes)?.iter().flat_map(|slice| slice.iter().copied()).collect());
    }
    let source = Source::Memory(bytes.to_vec());
    let settings = &setup.settings;
    let transcript = reader::log(&source, &reader::Reading::new(format, settings.context_pruning.estimator, settings.scope), 1, &|_| {})?;
    let pruned = engine::history(&transcript, &source, setup)?;
    Ok(pruned.edits.render(&source, 0, source.size())?)
}

fn setup(mode: Mode, choice: u8) -> Setup {
    let mut settings = Settings { context_window: Some(1 + u64::from(choice & 3)), ..Settings::default() };
    let pruning = &mut settings.context_pruning;
    pruning.mode = mode;
    pruning.keep_last_assistants = usize::from(choice >> 2 & 1);
    pruning.min_prunable_tool_chars = 0;
    pruning.hard_clear.enabled = choice >> 3 & 1 == 1;
    pruning.images = if choice >> 4 & 1 == 1 { Images::Prune } else { Images::Skip };
    pruning.estimator = [Estimator::Utf16, Estimator::CjkV1, Estimator::CjkV2, Estimator::CjkV1b][usize::from(choice >> 5 & 3)];
    (pruning.soft_trim.max_chars, pruning.soft_trim.head_chars, pruning.soft_trim.tail_chars) = (4, 2, 2);
    let clock = Clock { now: 0, last_call: None, assume_cold: false };
    if choice >> 7 == 1 {
        settings.passes.on = ["turn-drop", "ephemeral", "stale-resource", "dedupe", "rag-rerank"].map(str::to_owned).into();
        (settings.turn_drop.min_messages, settings.turn_drop.keep_turns) = (0, 1 + usize::from(choice & 3));
        settings.turn_drop.tool_turns = if choice >> 2 & 1 == 1 { ToolTurns::Drop } else { ToolTurns::Keep };
        settings.rag_rerank.min_messages = 0;
        settings.ephemeral.keep_turns = 1;
    }
    Setup { passes: deadhead_retrieval::passes(), ..Setup::new(settings, clock, Detail::Full) }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}
