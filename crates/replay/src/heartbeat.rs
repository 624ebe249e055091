//! Prices a heartbeat: small requests in each pause that keep the cache of a conversation warm.
//!
//! In a pause between two requests one is sent each period. It reads the newest prompt from the cache, which renews the cache's lifetime.
//! This saves the cost of writing again what expired in the pause, and costs a read of the whole prompt each time, in short pauses too.
//! Heartbeats after the last request are not counted.

use super::{recorded::Cause, simulation::Simulation, steps::Step, summary::HeartbeatRow};
use deadhead_core::settings::Settings;

/// Returns cost and savings of the heartbeat in the requests that count; `None` if the settings have none.
pub fn heartbeat(
    simulation: &Simulation<'_>,
    settings: &Settings,
    counts: &[bool],
) -> Option<HeartbeatRow> {
    let every = settings.heartbeat.every_ms.filter(|every| *every > 0)?;
    let mut found = HeartbeatRow {
        every_ms: every,
        ..HeartbeatRow::default()
    };
    for steps in &simulation.session.threads {
        let mut before: Option<usize> = None;
        for step in steps {
            let Step::Call(number) = *step else { continue };
            let number = number as usize;
            if let Some(last) = before.replace(number).filter(|_| counts[number]) {
                pause(simulation, [last, number], &mut found);
            }
        }
    }
    Some(found)
}

/// Adds the pause between two requests.
fn pause(simulation: &Simulation<'_>, [last, next]: [usize; 2], found: &mut HeartbeatRow) {
    let row = &simulation.rows[last].0;
    let start = |call: usize| simulation.session.calls[call].start;
    let idle = start(last)
        .zip(start(next))
        .map_or(0, |(then, now)| now.saturating_sub(then).max(0))
        .cast_unsigned();
    let beats = idle.saturating_sub(1) / found.every_ms;
    if beats == 0 {
        return;
    }
    let (before, after) = (&simulation.recorded[last], &simulation.recorded[next]);
    let is_long = before.long > 0.5;
    let lifetime = row.lifetime_ms(is_long);
    if found.every_ms >= lifetime {
        found.too_late += beats;
        return;
    }
    let times = row.times(before.prompt as u64).0;
    found.requests += beats;
    found.usd += beats as f64 * before.prompt * row.read * times / 1e6;
    if after.cause == Some(Cause::Expired) {
        let lost = (before.prompt.min(after.prompt) - after.read).max(0.0);
        let write = match row.cache.counts_writes {
            true => row.write_price(after.long),
            false => row.input,
        };
        found.saved_usd += lost * (write - row.read) * times / 1e6;
    }
}
