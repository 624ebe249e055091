//! Sentences of an advice.

use super::super::number_format::*;
use deadhead_replay::{
    advice::{Advice, Figures},
    summary::Group,
};

/// The number of places that a line names.
const PLACES: usize = 3;

/// Replaces the best policy if none saves.
pub const NOTHING: &str =
    "no pruning: of no policy's savings anything is left in both halves of these sessions";
/// The footnote of the mark behind the name of a policy.
pub const UNREAD: &str = "cuts texts before the model has read them. What it would have done then is in no recording, so such a policy is never advised.";

/// `240 sessions since 2026-08-14 in ~/.claude/projects: $1,635 spent; 120 of them ($812) measure what the other 120 chose`
pub fn headline(advice: &Advice) -> String {
    let since = advice
        .from
        .as_deref()
        .and_then(|from| from.get(..10))
        .map(|day| format!(" since {day}"))
        .unwrap_or_default();
    let found: Vec<&str> = advice
        .places
        .iter()
        .filter(|place| place.sessions > 0)
        .map(|place| &*place.path)
        .collect();
    let places = match &found[..] {
        [] => String::new(),
        many if many.len() > PLACES => format!(" in {} places", commas(many.len() as u64)),
        [one] => format!(" in {one}"),
        [first @ .., last] => format!(" in {} and {last}", first.join(", ")),
    };
    let measured = advice
        .policies
        .first()
        .map_or(0.0, |row| row.measured.baseline);
    let halves = match advice.sessions {
        0 | 1 => String::new(),
        _ => format!(
            "; {} of them ({}) measure what the other {} chose",
            advice.measured_on,
            dollars(measured),
            advice.chosen_on
        ),
    };
    let sample = advice.sample_of.map_or_else(String::new, |all| {
        format!(
            " (a sample of {}; --all reads the rest)",
            counted(all, "log")
        )
    });
    format!(
        "{}{since}{places}{sample}: {} spent{halves}",
        counted(advice.sessions, "session"),
        dollars(advice.spent)
    )
}

/// `saves $194 (12 %, 10–14 %), 27 % of 935 cuts needed again, 12 % by the control (6.6 % left if each is paid for once more), no session dearer`
pub fn figures(figures: &Figures) -> String {
    let share = match figures.has_range() {
        true => format!("({}, {})", percent(figures.share), range(figures)),
        false => format!("({})", percent(figures.share)),
    };
    let saved = match figures.saved {
        _ if figures.share.abs() < 0.0005 => "saves nothing".to_owned(),
        saved if saved < 0.0 => format!("costs {} more {share}", dollars(-saved)),
        saved => format!("saves {} {share}", dollars(saved)),
    };
    let regrets = match (figures.regrets, figures.cuts) {
        (_, 0) => "nothing is cut".to_owned(),
        (0, cuts) => format!("none of {} needed again", counted(cuts, "cut")),
        (regrets, cuts) => {
            let rate = percent(regrets as f64 / cuts as f64);
            let left = format!(
                "{} left if each is paid for once more",
                percent(figures.left_share)
            );
            let control = percent(figures.expected / cuts as f64);
            format!(
                "{rate} of {} needed again, {control} by the control ({left})",
                counted(cuts, "cut")
            )
        }
    };
    format!("{saved}, {regrets}, {}", dearer(figures))
}

/// `saves at least $19.40 (10 %), at most $0.09 dearer in one session`
pub fn at_worst(figures: &Figures) -> String {
    let saved = match figures.low * figures.baseline {
        saved if saved >= 0.0 => format!(
            "saves at least {} ({})",
            dollars(saved),
            percent(figures.low)
        ),
        cost => format!(
            "costs at most {} more ({})",
            dollars(-cost),
            percent(-figures.low)
        ),
    };
    let dearer = figures.worst.as_ref().map_or_else(
        || "no session dearer".to_owned(),
        |worst| format!("at most {} dearer in one session", dollars(worst.usd)),
    );
    format!("{saved}, {dearer}")
}

/// `codex: saves $54.00 of $200.00 (27 %)`
pub fn agent(agent: &Group) -> String {
    let saved = agent.baseline - agent.pruned;
    let (verb, more) = if saved < 0.0 {
        ("costs", " more than")
    } else {
        ("saves", " of")
    };
    format!(
        "{}: {verb} {}{more} {} ({})",
        agent.name,
        dollars(saved.abs()),
        dollars(agent.baseline),
        percent(saved.abs() / agent.baseline.max(f64::MIN_POSITIVE))
    )
}

fn dearer(figures: &Figures) -> String {
    match &figures.worst {
        None => "no session dearer".to_owned(),
        Some(worst) => {
            format!(
                "{} dearer, worst +{} ({})",
                counted(figures.dearer, "session"),
                percent(worst.share),
                dollars(worst.usd)
            )
        }
    }
}

/// The range of a saving: `10–14 %`.
pub fn range(figures: &Figures) -> String {
    if !figures.has_range() {
        return "of too few".to_owned();
    }
    let (low, high) = (percent(figures.low), percent(figures.high));
    if low == high {
        return low;
    }
    let joint = if figures.low < 0.0 { " to " } else { "–" };
    format!("{}{joint}{high}", low.trim_end_matches(" %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_a_sentence() {
        let some = Figures {
            sessions: 5,
            saved: 194.0,
            share: 0.119,
            low: 0.1,
            high: 0.141,
            left_share: 0.066,
            cuts: 935,
            regrets: 254,
            expected: 93.5,
            ..Figures::default()
        };
        let text = "saves $194.00 (12 %, 10–14 %), 27 % of 935 cuts needed again, 10 % by the control (6.6 % left if each is paid for once more), no session dearer";
        assert_eq!(figures(&some), text);
        let cents = Figures {
            sessions: 5,
            saved: 0.0039,
            share: 0.011,
            low: 0.011,
            high: 0.011,
            ..Figures::default()
        };
        assert_eq!(
            figures(&cents),
            "saves $0.0039 (1.1 %), nothing is cut, no session dearer"
        );
        let few = Figures {
            sessions: 4,
            ..some.clone()
        };
        assert_eq!(figures(&few), text.replace(", 10–14 %", ""));
        let none = Figures {
            sessions: 5,
            saved: -5.0,
            share: -0.003,
            low: -0.02,
            high: 0.01,
            ..Figures::default()
        };
        assert_eq!(
            figures(&none),
            "costs $5.00 more (-0.3 %, -2.0 to 1.0 %), nothing is cut, no session dearer"
        );
    }
}
