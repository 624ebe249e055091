//! The days of a replay, grouped by week to show a trend.

use super::super::chart::Bar;
use super::super::number_format::growth;
use deadhead_replay::report::monday;
use deadhead_replay::summary::Group;

/// Bars that are drawn at most: the last ones.
const BARS: usize = 60;

/// A bar for each week, and where there is only one a bar for each day.
pub fn bars(days: &[Group]) -> Vec<Bar> {
    let mut weeks: Vec<Group> = Vec::new();
    for day in days {
        let name = monday(&day.name).unwrap_or_else(|| day.name.clone());
        match weeks.last_mut().filter(|week| week.name == name) {
            Some(week) => week.add(day),
            None => weeks.push(Group {
                name,
                ..day.clone()
            }),
        }
    }
    let (shown, of) = if weeks.len() > 1 {
        (&weeks[..], "week of ")
    } else {
        (days, "")
    };
    let bar = |group: &Group| {
        let name = if group.name.is_empty() {
            "unknown day".to_owned()
        } else {
            format!("{of}{}", group.name)
        };
        Bar::pruned(
            &name,
            group,
            &format!(" ({})", growth(group.baseline, group.pruned)),
        )
    };
    shown[shown.len().saturating_sub(BARS)..]
        .iter()
        .map(bar)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_weeks_where_there_are_several() {
        let day = |name: &str| Group {
            name: name.to_owned(),
            requests: 1,
            baseline: 10.0,
            pruned: 8.0,
            tokens: 5.0,
        };
        let labels = |days: &[Group]| {
            bars(days)
                .into_iter()
                .map(|bar| format!("{}: {}", bar.label, bar.text))
                .collect::<Vec<_>>()
        };
        let week = labels(&[day("2026-01-04"), day("2026-01-05"), day("2026-01-11")]);
        assert_eq!(
            week,
            [
                "week of 2025-12-29: $10.00 → $8.00 (-20 %)",
                "week of 2026-01-05: $20.00 → $16.00 (-20 %)"
            ]
        );
        assert_eq!(
            labels(&[day("2026-01-05"), day("2026-01-06")])[1],
            "2026-01-06: $10.00 → $8.00 (-20 %)"
        );
        assert_eq!(labels(&[day("")]), ["unknown day: $10.00 → $8.00 (-20 %)"]);
    }
}
