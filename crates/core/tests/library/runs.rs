//! Runs of the engine inside a test, without a process for each.

use deadhead_core::Error;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Layout, detect, unknown_format};
use deadhead_core::internal::engine::{self, Pruned, Setup};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Layer, Settings, resolve};

/// Settings of `--set` flags, with the clocked passes off.
pub fn settings(sets: &[&str]) -> Settings {
    let mut layer = Layer::new("--set");
    for (path, text) in ["contextPruning.mode=off"]
        .iter()
        .chain(sets)
        .filter_map(|set| set.split_once('='))
    {
        layer.put_text(path, text).unwrap();
    }
    resolve(&[layer]).unwrap().settings
}

/// Prunes an input that is one transcript of a format that is detected from its content: what comes out, and the account.
pub fn prune(bytes: &[u8], settings: &Settings) -> Result<(Vec<u8>, Pruned), Error> {
    run(bytes, settings, Detail::Full)
}

/// Lists the parts of an input.
pub fn list(bytes: &[u8], settings: &Settings) -> Result<Pruned, Error> {
    run(bytes, settings, Detail::Parts).map(|(_, pruned)| pruned)
}

fn run(bytes: &[u8], settings: &Settings, detail: Detail) -> Result<(Vec<u8>, Pruned), Error> {
    let clock = Clock {
        now: 0,
        last_call: None,
        assume_cold: false,
    };
    let setup = Setup::new(settings.clone(), clock, detail);
    let found = detect(&mut Cursor::new(bytes))
        .ok()
        .flatten()
        .ok_or_else(|| unknown_format(String::new()))?;
    if found.format.layout == Layout::Body {
        let pruned = engine::body(bytes, 1, found, &setup)?;
        return Ok((
            pruned.output.clone().unwrap_or_else(|| bytes.to_vec()),
            pruned,
        ));
    }
    let source = Source::unpacked(bytes.to_vec())?;
    let transcript = reader::log(
        &source,
        &reader::Reading::new(
            found.format,
            settings.context_pruning.estimator,
            settings.scope,
        ),
        1,
        &|_| {},
    )?;
    let pruned = engine::history(&transcript, &source, &setup)?;
    Ok((pruned.edits.render(&source, 0, source.size())?, pruned))
}
