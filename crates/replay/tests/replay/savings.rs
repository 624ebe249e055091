//! Savings of each preset on the sample logs, as a table in the docs.

use crate::data::samples;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::{preset, presets, resolve};
use deadhead_replay::advice::{Figures, Trial};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};

/// Whether the program of a preset keeps its cuts.
fn retention(name: &str) -> Retention {
    match presets()
        .iter()
        .any(|preset| preset.name == name && preset.is_transient)
    {
        true => Retention::Transient,
        false => Retention::Sticky,
    }
}

/// `docs/replay.md` shows what each preset saves on the samples; `UPDATE=1` writes it anew.
#[test]
fn the_table_of_savings_is_what_the_samples_give() {
    let names: Vec<&str> = presets().iter().map(|preset| &*preset.name).collect();
    let settings = |name: &&str| resolve(&[preset(name).unwrap()]).unwrap().settings;
    let policy = |name: &&str| Policy {
        name: (*name).to_owned(),
        flags: Vec::new(),
        settings: settings(name),
        retention: retention(name),
    };
    let policies: Vec<Policy> = names.iter().map(policy).collect();
    let (mut trials, mut seen) = (Vec::new(), IdSet::default());
    for sample in samples() {
        // The samples of formats that are read message by message are made by hand, or without a price.
        let Some(format) = by_name(sample.folder()).filter(|format| format.calls.row.is_some())
        else {
            continue;
        };
        let Ok(session) = Session::read(sample.bytes.clone(), format) else {
            continue;
        };
        let counts = Range::default().counts(&session, &mut seen);
        trials.push(Trial::new(
            &session,
            build(&session, &sample.name, &policies, &counts).unwrap(),
        ));
    }
    let trials: Vec<&Trial> = trials.iter().filter(|trial| trial.is_counted()).collect();
    let unread = |at: usize| trials.iter().any(|trial| trial.policies[at].unread > 0);
    let percent = |share: f64| format!("{:.1} %", share * 100.0 + 0.0).replace('-', "−");
    let mut rows: Vec<(f64, String)> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let figures = Figures::of(&trials, at);
        let worst = figures
            .worst
            .as_ref()
            .map_or("-".to_owned(), |worst| format!("+{}", percent(worst.share)));
        let (mark, saved, left) = (
            if unread(at) { " †" } else { "" },
            percent(figures.share),
            percent(figures.left_share),
        );
        let Figures {
            regrets,
            cuts,
            expected,
            at_risk,
            dearer,
            ..
        } = figures;
        rows.push((
            figures.left_share,
            format!(
                "| {name}{mark} | {saved} | {left} | {regrets} of {cuts} | {expected:.0} | ${at_risk:.2} | {dearer} | {worst} |\n"
            ),
        ));
    }
    rows.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let spent: f64 = trials.iter().map(|trial| trial.spent).sum();
    let head = format!(
        "{} sessions, ${spent:.2} recorded:\n\n| preset | saved | left | needed again | by the control | at risk | dearer | worst |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
        trials.len()
    );
    let table = rows.iter().fold(head, |table, (_, row)| table + row);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/replay.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page
        .split_once("<!-- savings -->\n")
        .expect("the place is there");
    let (shown, after) = rest.split_once("<!-- end -->").expect("its end");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(
            path,
            format!("{before}<!-- savings -->\n{table}<!-- end -->{after}"),
        )
        .unwrap();
    } else {
        assert_eq!(
            shown, table,
            "UPDATE=1 cargo test -p deadhead-replay savings writes it anew"
        );
    }
}
