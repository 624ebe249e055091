//! Answers the most frequent refusal, which is not a defect: the prompt does not fit the window.
//! Reports its length, and what policies would leave.

use super::*;

/// Words of which one occurs in such an error of any provider.
const SAID: [&str; 5] = [
    "prompt is too long",
    "context length",
    "context window",
    "context_length_exceeded",
    "exceeds the maximum number of tokens",
];
/// The policies that are tried, with a cold cache: the careful one, the one that saves most, and
/// one that clears all old results.
const TRIED: [&str; 3] = ["break-even-safe", "break-even-more", "clawdbot-aggressive"];
/// A smaller number is not the length of a prompt or a window.
const SMALL: u64 = 1_000;

/// Returns the report on an input whose provider's error is that it is too long; `None` for another
/// error.
pub fn advice(error: &str, input: &Path) -> Option<String> {
    let error = error.to_lowercase();
    SAID.iter().find(|words| error.contains(**words))?;
    let numbers = || {
        let digits = error.split(|c: char| !c.is_ascii_digit() && c != ',');
        digits
            .filter_map(|digits| digits.replace(',', "").parse().ok())
            .filter(|number: &u64| *number >= SMALL)
    };
    let (tokens, most) = (numbers().max(), numbers().min());
    let mut text = match (tokens, most) {
        (Some(tokens), Some(most)) if most < tokens => format!(
            "the prompt is too long, {} tokens of {}",
            commas(tokens),
            commas(most)
        ),
        _ => "the prompt is too long".to_owned(),
    };
    let left = TRIED.iter().filter_map(|preset| {
        let report = pruned(preset, input)?;
        let (before, after) = (report.before.tokens, report.after.tokens);
        // The provider has counted, and the report may have estimated.
        let share = tokens
            .filter(|_| before > 0)
            .map_or(1.0, |said| said as f64 / before as f64);
        (after < before).then(|| {
            format!(
                "--preset {preset} leaves about {}",
                commas((after as f64 * share) as u64)
            )
        })
    });
    match joined(left, ", ") {
        none if none.is_empty() => text += "; no policy here makes it shorter",
        left => text += &format!("; deadhead prune --assume-cold with {left}"),
    }
    Some(text)
}

/// The report of a dry run; `None` where the input cannot be read again, as stdin.
fn pruned(preset: &str, input: &Path) -> Option<Report> {
    let (pruner, _) = emit::policy(&PolicyArgs::default().with_preset(preset)).ok()?;
    let pruner = pruner.with(|setup| {
        setup.clock.assume_cold = true;
        setup.detail = Detail::Totals;
    });
    let mut source = Source::open(input).ok()?;
    let mut reports = pruner.prune_log(&mut source, &mut io::sink()).ok()?;
    (reports.len() == 1).then(|| reports.swap_remove(0))
}
