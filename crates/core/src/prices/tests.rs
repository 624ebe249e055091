//! Rows and variants of models.

use super::*;
use crate::settings::Rate;

fn stated(rate: Rate) -> Replay {
    Replay {
        rates: vec![rate],
        ..Replay::default()
    }
}

#[test]
fn the_longest_family_counts() {
    let of = |model: &str| row(model, &Replay::default()).0.family;
    assert_eq!(of("claude-opus-4-5-20251101"), "claude-opus-4-5");
    assert_eq!(of("anthropic/claude-sonnet-4.5"), "claude-sonnet-4-5");
    assert_eq!(of("claude-opus-4-20250514"), "claude-opus-4");
    assert_eq!(of("gpt-5.1-codex"), "gpt-5.1");
    for unknown in ["gpt-50", "gpt-5.9", "claude-opus-4-9", ""] {
        assert_eq!(of(unknown), "", "{unknown}");
    }
    assert!(!row("llama", &Replay::default()).1);
    let configured = Replay::default();
    let rows = rows(&configured, |_| true);
    assert_eq!(
        rows.len() + 1,
        include_str!("../prices.tsv").lines().count()
    );
    for row in &rows {
        let named = [&row.source, &row.least_source].iter().all(|source| {
            source
                .trim_start_matches("third party, ")
                .starts_with("https://")
        });
        assert!(
            named && row.read <= row.input && row.input < row.output && row.from < row.until,
            "{}",
            row.family
        );
        assert_eq!(&row_at(&row.family, Some(row.from), &configured).0, *row);
        assert_eq!(
            &row_at(&row.family, Some(row.until - 1), &configured).0,
            *row
        );
        // The next row of the family begins where this one ends.
        let next = rows
            .iter()
            .filter(|next| next.family == row.family && next.from == row.until)
            .count();
        assert_eq!(next, usize::from(row.until != i64::MAX), "{}", row.family);
    }
}

#[test]
fn prices_of_variants() {
    // Model, then input, read and output, by the sources that the table names.
    for (model, price) in [
        ("claude-sonnet-5-5", Some((2.0, 0.1, 10.0))),
        ("claude-mythos-5", Some((10.0, 1.0, 50.0))),
        ("claude-fable-5-2[1m]", Some((8.0, 0.2, 40.0))),
        ("gpt-6-astra", Some((10.0, 1.0, 50.0))),
        ("gpt-6.1-terra", Some((1.0, 0.05, 5.0))),
        ("deepseek/deepseek-v4-pro", Some((1.32, 0.044, 3.96))),
        ("moonshot/kimi-k3", Some((3.0, 0.3, 15.0))),
        ("MiniMax-M2.5", Some((0.3, 0.03, 1.2))),
        ("glm-5.3", Some((1.4, 0.26, 4.4))),
        ("grok-4.20-0309-reasoning", Some((1.25, 0.2, 2.5))),
        ("mistral-large-latest", Some((0.5, 0.05, 1.5))),
        ("qwen3.8-max", Some((2.0, 0.25, 6.0))),
        ("gpt-6-sol", Some((2.0, 0.2, 10.0))),
        ("gpt-6-luna", Some((0.1, 0.01, 0.5))),
        ("gpt-6.1-sol-2026-09-29", Some((2.0, 0.1, 10.0))),
        ("gemini-3.1-pro-preview", Some((2.0, 0.2, 12.0))),
        ("gemini-3-flash-preview", Some((0.5, 0.05, 3.0))),
        ("gemini-3-pro-preview", Some((2.0, 0.2, 12.0))),
        ("gemini-3-pro-image-preview", None),
        ("claude-opus-4-1", Some((15.0, 1.5, 75.0))),
        ("claude-opus-4-1-20250805", Some((15.0, 1.5, 75.0))),
        ("claude-opus-4-0", Some((15.0, 1.5, 75.0))),
        ("claude-sonnet-4-0", Some((3.0, 0.3, 15.0))),
        ("claude-opus-4-6[1m]", Some((5.0, 0.5, 25.0))),
        ("gpt-5.6-sol", Some((4.0, 0.4, 20.0))),
        ("gpt-5.6-terra-2026-07-09", Some((2.0, 0.2, 12.0))),
        ("gpt-5.1-codex-max", Some((1.25, 0.125, 10.0))),
        ("gpt-5.4-pro-2026-03-05", Some((30.0, 30.0, 180.0))),
        ("gpt-5.5-pro", Some((30.0, 30.0, 180.0))),
        ("gemini-2.5-pro-preview-05-06", Some((1.25, 0.125, 10.0))),
        ("gemini-2.5-flash-lite", Some((0.1, 0.01, 0.4))),
        ("gpt-5.2-pro", None),
        ("gpt-5-pro", None),
        ("o3-pro-2025-06-10", None),
        ("o3-mini", None),
        ("o3-deep-research", None),
        ("gpt-5.1-codex-mini", None),
        ("gemini-2.5-flash-image", None),
        ("claude-mythos-6", None),
    ] {
        let (row, is_priced) = row(model, &Replay::default());
        assert_eq!(
            is_priced.then_some((row.input, row.read, row.output)),
            price,
            "{model}"
        );
    }
    let (luna, _) = row("gpt-5.6-luna", &Replay::default());
    assert!(
        (luna.input - 0.2).abs() + (luna.read - 0.02).abs() + (luna.output - 1.2).abs() < 1e-9,
        "{luna:?}"
    );
}

#[test]
fn a_call_is_priced_by_its_day() {
    let at = |model: &str, time: Option<&str>| {
        let time = time.map(|time| time.parse::<jiff::Timestamp>().unwrap().as_millisecond());
        let (row, is_priced) = row_at(model, time, &Replay::default());
        is_priced.then_some((row.input, row.read, row.output))
    };
    let (launched, cut) = (Some((5.0, 0.5, 30.0)), Some((4.0, 0.4, 20.0)));
    for model in ["gpt-5.6", "openai/gpt-5.6-sol"] {
        assert_eq!(at(model, Some("2026-08-20T23:59:59.999Z")), launched);
        assert_eq!(at(model, Some("2026-08-21T00:00:00Z")), cut);
        assert_eq!(at(model, None), cut);
    }
    assert_eq!(
        at("gpt-5.6-luna", Some("2026-07-29T23:00:00Z")),
        Some((1.0, 0.1, 6.0))
    );
    assert_eq!(
        at("claude-sonnet-5-5", Some("2026-10-06T12:00:00Z")),
        Some((2.0, 0.2, 10.0))
    );
    assert_eq!(at("gemini-3.8-flash", None), Some((0.75, 0.075, 3.75)));
    assert_eq!(
        at("gemini-3.8-flash", Some("2027-02-28T00:00:00Z")),
        Some((1.5, 0.15, 7.5))
    );
    for model in ["gemini-4-argon", "gemini-4-carbon"] {
        assert_eq!(at(model, None), Some((2.0, 0.1, 10.0)));
        let dearer = Some("2026-12-01T00:00:00Z");
        assert_eq!(at(model, dearer), Some((4.0, 0.2, 20.0)));
    }
    assert_eq!(
        at("claude-opus-4-5", Some("1970-01-01T00:00:00Z")),
        Some((5.0, 0.5, 25.0))
    );
    // What the configuration says holds at any time.
    let stated = stated(Rate {
        family: "gpt-5.6-sol".into(),
        input: Some(8.0),
        ..Rate::default()
    });
    let read = |time| row_at("gpt-5.6-sol", Some(time), &stated).0.read;
    assert_eq!((read(0), read(i64::MAX - 1)), (0.8, 0.8));
}

#[test]
fn least_prefixes() {
    for (model, least) in [
        ("claude-opus-5", 512),
        ("claude-haiku-5-5", 512),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-opus-4-6", 4096),
        ("claude-haiku-4-5-20251001", 4096),
        ("gpt-5.6", 1024),
        ("gemini-2.5-pro", 2048),
        ("gemini-3.1-pro-preview", 4096),
    ] {
        assert_eq!(
            row(model, &Replay::default()).0.cache.least,
            least,
            "{model}"
        );
    }
}

#[test]
fn the_configuration_wins() {
    let rate = Rate {
        family: "llama".into(),
        input: Some(2.0),
        lifetime_ms: Some(60_000),
        ..Rate::default()
    };
    let (found, priced) = row("llama-4", &stated(rate));
    assert!(
        priced && found.input == 2.0 && found.read == 0.2 && found.cache.lifetime == 60,
        "{found:?}"
    );
    let halved = Rate {
        family: "gpt-5.5".into(),
        input: Some(2.5),
        ..Rate::default()
    };
    assert_eq!(row("gpt-5.5", &stated(halved)).0.read, 0.25);
}

#[test]
fn tiers() {
    let (found, _) = row("gpt-5.5", &Replay::default());
    assert_eq!(
        (found.times(272_000), found.times(272_001)),
        ((1.0, 1.0), (2.0, 1.5))
    );
    let (found, _) = row("claude-haiku-5-5", &Replay::default());
    assert_eq!(
        (found.times(100_000), found.times(100_001)),
        ((1.0, 1.0), (5.0, 5.0))
    );
}

#[test]
fn a_table_of_the_user_joins_and_replaces_rows() {
    let line = |family: &str, input: &str| {
        format!("{family}\tme\t{input}\t9\t0.1\t2\t3\t\t\t\t300\t3600\t1024\t0\t20\tyes")
    };
    let read = |text: &str| price_table::table("own.tsv", text);
    let text = format!(
        "\u{feff}# head\n\n{}\n{}\n",
        line("gpt-5.5", "7"),
        line("llama-4", "1")
    );
    let own = Replay {
        table: read(&text).unwrap().into(),
        ..Replay::default()
    };
    let input = |model: &str| row(model, &own).0.input;
    assert_eq!(
        (
            input("gpt-5.5"),
            input("llama-4-scout"),
            own.table[0].cache.step
        ),
        (7.0, 1.0, 1)
    );
    assert_eq!(row("gpt-5.6", &own), row("gpt-5.6", &Replay::default()));
    for (line, why) in [
        (
            line("a", "-1"),
            "own.tsv:2: cell 3 (input) must be a number from 0, not \"-1\"",
        ),
        (
            line("Vendor", "1"),
            "own.tsv:2: cell 1 (family) must be the beginning of an id, in lower case and without its vendor, not \"Vendor\"",
        ),
        (
            line("vendor/a", "1"),
            "own.tsv:2: cell 1 (family) must be the beginning of an id, in lower case and without its vendor, not \"vendor/a\"",
        ),
        (
            line("a", "1").replace("yes", "True"),
            "own.tsv:2: cell 16 (writes are counted) must be yes or no, not \"True\"",
        ),
        (
            line("a", "1") + "\tsoon",
            "own.tsv:2: cell 17 (from) must be a time such as 2026-01-31T00:00:00Z, or empty, not \"soon\"",
        ),
        (
            "a 1 2".to_owned(),
            "own.tsv:2: a row has 16 to 21 cells, separated by tabs, and this line 1",
        ),
        (
            line("a", "1").replace("300", "5m"),
            "own.tsv:2: cell 11 (lifetime) must be a whole number, not \"5m\"",
        ),
    ] {
        assert_eq!(read(&format!("\n{line}")).unwrap_err().to_string(), why);
    }
}
