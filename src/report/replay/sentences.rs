//! Sentences about a replay.

use super::super::number_format::*;
use deadhead_core::settings::spoken_duration;
use deadhead_replay::summary::{BesideRow, HeartbeatRow, PolicyRow, Replay, Sums, Totals};

/// `471 requests, $42.55 → $40.21 (-5.5 %) by default, $27.53 (-35 %) by break-even-more`: the first policy, and what is cheapest.
pub fn headline(sums: &Sums) -> String {
    let mut named: Vec<&PolicyRow> = sums.policies.iter().take(1).collect();
    let cost = |row: &&PolicyRow| size(sums, &row.totals);
    let best = sums
        .policies
        .iter()
        .min_by(|a, b| cost(a).total_cmp(&cost(b)));
    named.extend(best.filter(|best| cost(best) < size(sums, &sums.pruned)));
    let against = |row: &PolicyRow| {
        let (amount, change) = (amount(sums, &row.totals), change(sums, &row.totals));
        format!("{amount} ({change}) by {}", row.name)
    };
    format!(
        "{}, {} → {}",
        counted(sums.requests, "request"),
        amount(sums, &sums.baseline),
        joined(named.into_iter().map(against), ", ")
    )
}

/// What requests are measured in: dollars or, if none of them has a price, tokens of their prompts.
pub fn size(sums: &Sums, totals: &Totals) -> f64 {
    if sums.baseline.usd > 0.0 {
        totals.usd
    } else {
        totals.prompt
    }
}

/// The size in words.
pub fn amount(sums: &Sums, totals: &Totals) -> String {
    if sums.baseline.usd > 0.0 {
        dollars(totals.usd)
    } else {
        format!("{} tokens", thousands(totals.prompt))
    }
}

/// How the size differs from that without pruning.
pub fn change(sums: &Sums, totals: &Totals) -> String {
    growth(size(sums, &sums.baseline), size(sums, totals))
}

/// `3 of 33 cuts (9 %): 2 read again, 1 quoted (…); 1.2 by the control, $0.10 if each is paid for once more`
pub fn needed(policy: &PolicyRow) -> String {
    let regret = &policy.regret;
    if policy.cuts == 0 {
        return "nothing was cut".to_owned();
    }
    let lost = match regret.lost_ground {
        0 => String::new(),
        n => format!(
            "; loss of ground: {} of a text that was only there",
            counted(n, "edit")
        ),
    };
    let passes = regret
        .passes
        .iter()
        .map(|(name, (cuts, bad))| format!("{name} {bad} of {cuts}"));
    format!(
        "{} of {} ({:.0} %): {} read again, {} quoted ({}); {:.1} by the control, {} if each is paid for once more{lost}",
        commas(regret.cuts),
        counted(policy.cuts, "cut"),
        regret.rate * 100.0,
        regret.read_again,
        regret.quoted,
        joined(passes, ", "),
        regret.expected,
        dollars(regret.usd)
    )
}

/// `every 30 m: 12 requests for $1.20 would have saved $3.40 of expired caches, so that it pays`
pub fn heartbeat(row: &HeartbeatRow) -> String {
    let every = format!("every {}", spoken_duration(row.every_ms));
    match (row.requests, row.too_late) {
        (0, 0) => format!("{every} would have sent nothing: no pause was longer"),
        (0, _) => format!("{every} keeps no cache warm: the cache's lifetime is not longer"),
        (requests, _) => {
            let (cost, saved) = (dollars(row.usd), dollars(row.saved_usd));
            let verdict = if row.saved_usd > row.usd {
                "it pays"
            } else {
                "letting the cache expire is cheaper"
            };
            format!(
                "{every}: {} for {cost} would have saved {saved} of expired caches, so that {verdict}",
                counted(requests, "request")
            )
        }
    }
}

/// `1 request for $0.15 beside the conversation (a compaction, an advisor, a cache kept warm), whatever the policy`
pub fn beside(row: &BesideRow) -> String {
    format!(
        "{} for {} beside the conversation (compactions, advice, caches kept warm), whatever the policy",
        counted(row.requests, "request"),
        dollars(row.usd)
    )
}

/// Returns the accuracy of the simulation as a sentence or two.
pub fn trust(sums: &Sums) -> String {
    let calibration = &sums.calibration;
    let Some(error) = calibration.simulated.error else {
        return "no request has both token counts and a price, so there is nothing to compare with"
            .to_owned();
    };
    let mut text = format!("recorded {}", dollars(calibration.recorded_usd));
    let forecast = &calibration.forecast;
    text += &match forecast.error {
        Some(error) => format!(
            "; of the {} for the prompts of each second half, the first half predicts {} ({})",
            dollars(forecast.recorded_usd),
            dollars(forecast.usd),
            share(error)
        ),
        None => ", too few requests for a forecast".to_owned(),
    };
    if error.abs() >= 0.0005 {
        text += &format!(
            "; simulated without pruning {} ({})",
            dollars(calibration.simulated.usd),
            share(error)
        );
    }
    let seen = [
        (calibration.lost, "lost early"),
        (calibration.kept, "kept longer"),
        (calibration.warm, "with a warm system prompt"),
    ];
    let seen = seen.iter().filter(|(n, _)| *n > 0);
    let seen = joined(seen.map(|(n, what)| format!("{n} {what}")), ", ");
    if !seen.is_empty() {
        text += &format!(
            "; the cache did not treat all prompts as its rules say ({}): by the rules alone {} ({})",
            seen,
            dollars(calibration.rules.usd),
            share(calibration.rules.error.unwrap_or(0.0))
        );
    }
    text
}

/// Returns the fitted ratio of chars to tokens.
pub fn fit(replay: &Replay) -> String {
    match replay.tokens.error {
        Some(_) => fitted(replay) + " beyond the messages",
        None => format!(
            "the counts of this log cannot be fitted; {:.0} chars are taken for a token",
            replay.tokens.chars_per_token
        ),
    }
}

/// Returns the fit in full, with the rules of the cache.
pub fn fit_and_cache(replay: &Replay) -> String {
    let cache = &replay.cache;
    let fitted = match replay.tokens.error {
        Some(_) => format!(
            "{} tokens beyond the messages; a prompt lies {} tokens off",
            fitted(replay),
            thousands(replay.tokens.residual)
        ),
        None => fit(replay),
    };
    format!(
        "{fitted}. \
         The cache keeps a prompt for {} s. Prices: {} {}",
        commas(cache.lifetime),
        cache.source.trim_start_matches("https://"),
        cache.date
    )
}

fn fitted(replay: &Replay) -> String {
    let tokens = &replay.tokens;
    let error = tokens
        .error
        .map(|error| format!(" ± {error:.2}"))
        .unwrap_or_default();
    let (requests, beyond) = (
        counted(tokens.requests, "request"),
        thousands(tokens.overhead),
    );
    format!(
        "{:.2}{error} chars a token, fitted to {requests}; {beyond}",
        tokens.chars_per_token
    )
}

/// A time without its seconds.
pub fn minute(time: &str) -> String {
    time.chars()
        .take(16)
        .map(|c| if c == 'T' { ' ' } else { c })
        .collect()
}
