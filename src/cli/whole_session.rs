//! What a policy would have saved of the session of a log that `deadhead prune -n` looks at.

use super::*;
use crate::report::{number_format::growth, quoted};
use deadhead_core::internal::json::IdSet;
use deadhead_replay::{
    report::{Range, build},
    session::Session,
    simulation::{Policy, Retention},
};

/// Bytes of a log for which nobody waits long.
const LARGEST: u64 = 64 << 20;

/// Whether a run is a look at one log, of which a policy alone chooses the cuts.
pub fn is_asked(args: &PruneArgs, found: &Inputs) -> bool {
    let is_small = |path: &PathBuf| path.metadata().is_ok_and(|found| found.len() <= LARGEST);
    let is_text = args.shown.report_format == ReportFormat::Text;
    let is_one = matches!(&found.files[..], [log] if log.is_file() && is_small(log));
    args.dry_run && is_text && is_one && args.choice.select.is_empty()
}

/// The columns of a line of a report.
const COLUMNS: usize = 80;

/// Returns the line that says so, with the command that says more; `None` of what is no log of priced requests. A command that makes the line
/// too long, and is not to be broken, is a hint.
pub fn saved(args: &PruneArgs, settings: Settings, log: &Path) -> Option<String> {
    let bytes = in_memory(log, MaxInput::default()).ok()?;
    let (found, _) = emit::log_format(&bytes, args.input.format.as_deref()).ok()?;
    let session = Session::read(bytes, found.format).ok()?;
    let counts = Range::default().counts(&session, &mut IdSet::default());
    let policy = Policy {
        name: String::new(),
        flags: Vec::new(),
        settings,
        retention: Retention::Sticky,
    };
    let sums = build(&session, "", &[policy], &counts).ok()?.sums;
    let log = log.display().to_string();
    let words = args.policy.words().into_iter().chain([log]);
    let words = joined(words.map(|word| quoted(&word)), " ");
    let change = growth(sums.baseline.usd, sums.pruned.usd);
    if sums.baseline.usd <= 0.0 {
        return None;
    }
    let says = format!("the whole session: about {change} of its cost");
    let whole = format!("{says} (deadhead replay {words})");
    if whole.chars().count() <= COLUMNS {
        return Some(whole);
    }
    hints::say(format!("deadhead replay {words}"));
    Some(says)
}
