//! Layers: order, provenance, smart defaults, error texts.

use super::*;
use deadhead_core::settings::{
    Estimator, Images, Markers, Mode, Providers, RatioBy, Settings, keys,
};

fn file(text: &str) -> Sources {
    Sources {
        file: Some(("config.json5".to_string(), text.to_string())),
        ..Sources::default()
    }
}

fn good(sources: &Sources) -> Resolved {
    resolve(sources).unwrap_or_else(|error| panic!("{sources:?}: {error}"))
}

fn bad(sources: &Sources) -> String {
    let text = resolve(sources)
        .err()
        .unwrap_or_else(|| panic!("{sources:?} is accepted"))
        .to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

/// `value < source` of a key.
fn row(resolved: &Resolved, path: &str) -> String {
    let row = resolved
        .rows()
        .into_iter()
        .find(|row| row.key == path)
        .unwrap_or_else(|| panic!("no row {path}"));
    format!("{} < {}", row.value, row.source)
}

fn sets(sets: &[&str]) -> Sources {
    Sources {
        sets: sets.iter().map(|set| set.to_string()).collect(),
        ..Sources::default()
    }
}

#[test]
fn without_sources_all_is_default() {
    let resolved = good(&Sources::default());
    assert_eq!(resolved.settings, Settings::default());
    assert_eq!(resolved.rows().len(), keys().len());
    assert!(resolved.rows().iter().all(|row| row.source == "default"));
    assert!(resolved.warnings.is_empty());
}

#[test]
fn the_last_layer_wins() {
    let ttl = "contextPruning.ttl";
    let mut sources = Sources {
        auth: Some(Auth::Oauth),
        ..Sources::default()
    };
    assert_eq!(row(&good(&sources), ttl), "\"1h\" < smart default (oauth)");
    sources.file = file("{contextPruning:{ttl:'2m',softTrimRatio:0.2}}").file;
    assert_eq!(row(&good(&sources), ttl), "\"2m\" < config.json5");
    sources.flags.push((ttl, json!("10m")));
    assert_eq!(row(&good(&sources), ttl), "\"10m\" < --ttl");
    sources.sets.push("contextPruning.ttl=90s".to_string());
    assert_eq!(row(&good(&sources), ttl), "\"1m30s\" < --set");
    sources.preset = Some("openclaw-2026.8".to_string());
    let resolved = good(&sources);
    assert_eq!(
        row(&resolved, "contextPruning.softTrimRatio"),
        "0.2 < config.json5"
    );
    assert_eq!(
        row(&resolved, "contextPruning.hardClearRatio"),
        "0.5 < preset openclaw-2026.8"
    );
    assert_eq!(row(&resolved, "auth"), "\"oauth\" < --auth");
    assert_eq!(row(&resolved, "scope"), "\"context\" < default");
    assert_eq!(resolved.settings.context_pruning.ttl_ms, Some(90_000));
}

#[test]
fn presets() {
    for (name, mode, images, estimator, markers) in [
        (
            "openclaw-2026.1",
            Mode::Auto,
            Images::Skip,
            Estimator::Utf16,
            Markers::Any,
        ),
        (
            "openclaw-2026.4",
            Mode::Auto,
            Images::Prune,
            Estimator::CjkV1,
            Markers::Own,
        ),
        (
            "openclaw-2026.7",
            Mode::Auto,
            Images::Prune,
            Estimator::CjkV1b,
            Markers::Own,
        ),
        (
            "openclaw-2026.8",
            Mode::Auto,
            Images::Prune,
            Estimator::CjkV2,
            Markers::Own,
        ),
        (
            "clawdbot-adaptive",
            Mode::Adaptive,
            Images::Skip,
            Estimator::Utf16,
            Markers::Any,
        ),
        (
            "clawdbot-aggressive",
            Mode::Aggressive,
            Images::Skip,
            Estimator::Utf16,
            Markers::Any,
        ),
    ] {
        let settings = good(&Sources {
            preset: Some(name.to_string()),
            ..Sources::default()
        })
        .settings;
        let mut want = Settings {
            preset: settings.preset.clone(),
            ..Settings::default()
        };
        want.context_pruning.mode = mode;
        want.context_pruning.ttl_ms = settings.context_pruning.ttl_ms;
        want.context_pruning.images = images;
        want.context_pruning.estimator = estimator;
        want.context_pruning.ratio_by = RatioBy::Chars;
        want.context_pruning.markers = markers;
        want.context_pruning.providers = if markers == Markers::Own {
            Providers::Openclaw2026_4
        } else {
            Providers::Anthropic
        };
        want.context_pruning.ttl_ms = name.starts_with("openclaw").then_some(300_000);
        want.context_pruning.hard_clear.skip_shorter = false;
        assert_eq!(settings, want, "{name}");
    }
    let error = bad(&Sources {
        preset: Some("openclaw-2026".to_string()),
        ..Sources::default()
    });
    assert!(error.contains("did you mean openclaw-2026."), "{error}");
}

#[test]
fn openclaw_configurations_unchanged() {
    let off = good(&file("{ agent: { contextPruning: { mode: 'off' } } }"));
    assert_eq!(off.settings.context_pruning.mode, Mode::Off);
    let adaptive = good(&file(
        "{ agents: { defaults: { contextTokens: 50000, contextPruning: { mode: 'adaptive', keepLastAssistants: 2, }, }, }, gateway: { port: 1 } } // tail",
    ));
    assert_eq!(adaptive.settings.context_pruning.mode, Mode::Adaptive);
    assert_eq!(adaptive.settings.context_pruning.keep_last_assistants, 2);
    assert_eq!(
        adaptive.settings.agents.defaults.context_tokens,
        Some(50_000)
    );
    let windows = good(&file(
        "{ models: { providers: { anthropic: { models: [ { id: 'claude-x', contextWindow: 50000 } ] } } }, agents: { defaults: { contextPruning: { mode: 'aggressive' } } } }",
    ));
    assert_eq!(windows.settings.context_pruning.mode, Mode::Aggressive);
    assert_eq!(windows.settings.models.providers[0].tokens, 50_000);
    let error = bad(&file("{ contextPruning: { softTrimRatoi: 0.2 } }"));
    assert_eq!(
        error,
        "config.json5: unknown key contextPruning.softTrimRatoi, did you mean contextPruning.softTrimRatio?"
    );
    let mut ttl =
        file("{ agents: { defaults: { contextPruning: { mode: 'cache-ttl', ttl: '2m' } } } }");
    ttl.flags.push(("contextPruning.ttl", json!("10m")));
    assert_eq!(row(&good(&ttl), "contextPruning.ttl"), "\"10m\" < --ttl");
    let both = "{ agent: {contextPruning: {ttl: '1m'}}, contextPruning: {ttl: '3m'}, agents: {defaults: {contextPruning: {ttl: '2m'}}} }";
    assert_eq!(
        good(&file(both)).settings.context_pruning.ttl_ms,
        Some(180_000)
    );
    let moved = "{ agents: {defaults: {contextPruning: {ttl: '2m'}}}, agent: {contextPruning: {ttl: '1m'}} }";
    assert_eq!(
        good(&file(moved)).settings.context_pruning.ttl_ms,
        Some(120_000)
    );
}

#[test]
fn smart_defaults_fill_what_is_not_stated() {
    let oauth = good(&Sources {
        auth: Some(Auth::Oauth),
        ..Sources::default()
    });
    assert_eq!(
        row(&oauth, "contextPruning.mode"),
        "\"cache-ttl\" < smart default (oauth)"
    );
    assert_eq!(
        row(&oauth, "heartbeat.every"),
        "\"1h\" < smart default (oauth)"
    );
    assert_eq!(row(&oauth, "cacheControlTtl"), "null < default");
    let paid = "auth: {profiles: {a: {provider: 'anthropic', mode: 'api_key'}}}";
    let key = good(&file(&format!(
        "{{ {paid}, agents: {{ defaults: {{}} }} }}"
    )));
    assert_eq!(
        row(&key, "contextPruning.ttl"),
        "\"1h\" < smart default (api-key)"
    );
    assert_eq!(
        row(&key, "heartbeat.every"),
        "\"30m\" < smart default (api-key)"
    );
    assert_eq!(
        row(&key, "cacheControlTtl"),
        "\"1h\" < smart default (api-key)"
    );
    assert_eq!(row(&key, "auth"), "\"api-key\" < config.json5");
    let off = good(&file(&format!(
        "{{ {paid}, agents: {{ defaults: {{ contextPruning: {{ mode: 'off' }}, heartbeat: {{ every: '2h' }} }} }} }}"
    )));
    assert_eq!(row(&off, "contextPruning.mode"), "\"off\" < config.json5");
    assert_eq!(row(&off, "contextPruning.ttl"), "\"auto\" < default");
    assert_eq!(row(&off, "heartbeat.every"), "\"2h\" < config.json5");
    let preset = Sources {
        preset: Some("clawdbot-adaptive".to_string()),
        auth: Some(Auth::Oauth),
        ..Sources::default()
    };
    assert_eq!(
        row(&good(&preset), "contextPruning.mode"),
        "\"adaptive\" < preset clawdbot-adaptive"
    );
    assert_eq!(
        row(&good(&file("{auth:'oauth'}")), "contextPruning.mode"),
        "\"cache-ttl\" < smart default (oauth)"
    );
    assert_eq!(
        row(
            &good(&file(&format!("{{ {paid} }}"))),
            "contextPruning.mode"
        ),
        "\"auto\" < default"
    );
}

#[test]
fn set_takes_json5_and_bare_words() {
    let resolved = good(&sets(&[
        "contextPruning.mode=adaptive",
        " contextPruning.tools = {allow: ['Exec'], deny: []}",
        "contextPruning.tools.deny=web_*, browser",
        "contextPruning.softTrim.maxChars=0x10",
        "contextPruning.hardClear.placeholder=42",
        "contextPruning.ttl=7",
        "model=a=b",
        "provider=null",
    ]));
    let pruning = &resolved.settings.context_pruning;
    assert_eq!(pruning.mode, Mode::Adaptive);
    assert_eq!(pruning.tools.allow, ["exec"]);
    assert_eq!(pruning.tools.deny, ["web_*", "browser"]);
    assert_eq!(pruning.soft_trim.max_chars, 16);
    assert_eq!(pruning.hard_clear.placeholder, "42");
    assert_eq!(pruning.ttl_ms, Some(420_000));
    assert_eq!(resolved.settings.model.as_deref(), Some("a=b"));
    assert_eq!(resolved.settings.provider, None);
    for (set, want) in [
        (
            "contextPruning.nope=1",
            "--set: unknown key contextPruning.nope, known here: mode, ttl,",
        ),
        (
            "contextPruning.softTrimRatoi=1",
            "--set: unknown key contextPruning.softTrimRatoi, did you mean contextPruning.softTrimRatio?",
        ),
        (
            "ttl=5m",
            "--set: unknown key ttl, did you mean contextPruning.ttl?",
        ),
        (
            "model.x=1",
            "--set: unknown key model.x, did you mean model?",
        ),
        (
            "contextPruning.ttl",
            "--set: expected KEY=VALUE, not contextPruning.ttl",
        ),
        ("=1", "--set: expected KEY=VALUE, not =1"),
        (
            "contextPruning.tools.allow=[a",
            "--set contextPruning.tools.allow:1:2: expected value",
        ),
        (
            "contextPruning.hardClear.enabled=yes",
            "--set: contextPruning.hardClear.enabled must be true or false, not \"yes\"",
        ),
        (
            "contextPruning.softTrimRatio=NaN",
            "--set: contextPruning.softTrimRatio must be a number from 0 to 1, not null",
        ),
    ] {
        let error = bad(&sets(&[set]));
        assert!(error.starts_with(want), "{error}\n{want}");
    }
}

#[test]
fn wrong_values_are_errors_that_say_what_is_expected() {
    let ttl = Sources {
        flags: vec![("contextPruning.ttl", json!("soon"))],
        ..Sources::default()
    };
    let want = "--ttl: contextPruning.ttl must be auto, or a duration such as 5m, 90s or 1h30m (a bare number is minutes), not \"soon\"";
    assert_eq!(bad(&ttl), want);
    let text = "{agents:{defaults:{contextPruning:{mode:'smart'}}}}";
    let want = "config.json5: agents.defaults.contextPruning.mode must be one of auto, off, cache-ttl, adaptive, aggressive, break-even, not \"smart\"";
    assert_eq!(bad(&file(text)), want);
    let own = bad(&file("{contextPruning: {softTrimRatio: 30}}"));
    assert!(
        own.ends_with("softTrimRatio must be a number from 0 to 1, not 30"),
        "{own}"
    );
    let openclaw = good(&file(
        "{agents: {defaults: {contextPruning: {softTrimRatio: 30}}}}",
    ));
    assert_eq!(openclaw.settings.context_pruning.soft_trim_ratio, 1.0);
    assert!(bad(&file("{contextWindow: 0}")).contains("tokens from 1"));
    assert!(bad(&file("{auth: 'paid'}")).contains("oauth, api-key"));
    assert!(bad(&file("{contextPruning: {tools: {allow: 'exec'}}}")).contains("a list of texts"));
    assert!(
        bad(&file(
            "{ models: { providers: { a: { models: [{ id: 'x', contextWindow: '5' }] } } } }"
        ))
        .contains("{NAME:")
    );
}

#[test]
fn clamped_values_are_reported() {
    let resolved = good(&file(
        "{contextPruning: {keepLastAssistants: -1, minPrunableToolChars: 5.0}}",
    ));
    assert_eq!(resolved.settings.context_pruning.keep_last_assistants, 0);
    let texts: Vec<_> = resolved
        .warnings
        .iter()
        .map(|warning| warning.text.as_str())
        .collect();
    assert_eq!(
        texts,
        ["config.json5: contextPruning.keepLastAssistants -1 is taken as 0",]
    );
}

#[test]
fn passes_add_up_by_name() {
    let mut sources = file("{passes: {off: ['soft-trim', 'x'], on: ['dedupe', 'x']}}");
    sources.flags = vec![
        ("passes.on", json!(["soft-trim"])),
        ("passes.off", json!(["hard-clear"])),
    ];
    let resolved = good(&sources);
    assert_eq!(
        row(&resolved, "passes.on"),
        "[\"dedupe\",\"soft-trim\"] < config.json5, --pass"
    );
    assert_eq!(
        row(&resolved, "passes.off"),
        "[\"hard-clear\",\"x\"] < config.json5, --no-pass"
    );
}

#[test]
fn flags_are_named_as_typed() {
    for (path, want) in [
        ("contextPruning.mode", "--mode"),
        ("contextWindow", "--context-window"),
        ("passes.on", "--pass"),
        ("passes.off", "--no-pass"),
        ("scope", "--scope"),
        ("mirrors", "--mirrors"),
    ] {
        assert_eq!(flag(path), want);
    }
    let unknown = Sources {
        flags: vec![("nope", json!(1))],
        ..Sources::default()
    };
    assert!(bad(&unknown).starts_with("--nope: unknown key nope"));
}

#[test]
fn a_preset_of_break_even_decides_its_steps_and_its_budget() {
    let mut sources = file(
        "{preset:'codex-truncation',edits:[{type:'clear_tool_results'}],breakEven:{budget:0.0005,minTokens:9,caution:2}}",
    );
    for (preset, budget) in [("break-even", None), ("break-even-safe", Some(0.0005))] {
        sources.preset = Some(preset.to_owned());
        let resolved = good(&sources);
        let settings = &resolved.settings;
        assert!(settings.edits.is_empty(), "{preset}");
        assert_eq!(settings.break_even.budget, budget);
        assert_eq!(settings.break_even.caution, 2.0);
        let [warning] = &resolved.warnings[..] else {
            panic!("{:?}", resolved.warnings)
        };
        for key in ["preset", "edits", "breakEven.minTokens", "breakEven.budget"] {
            assert!(warning.text.contains(key), "{key}: {}", warning.text);
        }
    }
}
