//! Context windows of known models, and the order in which the window of a run is found.
//!
//! The registry is models.tsv, with a source per row. An id must match as a whole: a model that is
//! not in the table has no window here, however much its name resembles one that has. The provider
//! is not compared, as the same model is served under many names.

use super::keys::Settings;
use crate::{diagnostics::ContextWindow, tables::table_file};
use std::sync::LazyLock;

/// The window if nothing is known, in tokens.
pub const DEFAULT_WINDOW: u64 = 200_000;

/// Returns the context window of a run: the stated one, else the one that the log names, else the
/// model's, else that of the configuration for the model, else for all models, else
/// [`DEFAULT_WINDOW`]. Model and provider of the settings win over those of the input, given here.
pub fn window(
    settings: &Settings,
    model: Option<&str>,
    provider: Option<&str>,
    logged: Option<u64>,
) -> ContextWindow {
    let model = settings.model.as_deref().or(model);
    let provider = settings.provider.as_deref().or(provider);
    let configured = || configured(settings, model?, provider);
    let usual = settings.agents.defaults.context_tokens;
    let of = |tokens: Option<u64>, source| Some((tokens?, source));
    let logged = logged.filter(|_| settings.model.is_none());
    let (tokens, source) = of(settings.context_window, "flag")
        .or_else(|| of(logged, "log"))
        .or_else(|| of(registry(model?), "registry"))
        .or_else(|| of(configured(), "models.providers"))
        .or_else(|| of(usual, "agents.defaults.contextTokens"))
        .unwrap_or((DEFAULT_WINDOW, "default"));
    ContextWindow {
        tokens,
        source: source.to_owned(),
    }
}

/// The window of a known model, in tokens.
pub fn registry(model: &str) -> Option<u64> {
    static ROWS: LazyLock<Vec<(&str, u64)>> = LazyLock::new(|| {
        let row = |[id, _, window, _, _]: [&'static str; 5]| Ok((id, window.parse()?));
        table_file!("models.tsv", 5, row)
    });
    let id = plain_id(model);
    let is_meant = |known: &str| match known.strip_suffix('*') {
        None => id == known,
        Some(stem) => id.strip_prefix(stem).is_some_and(is_date),
    };
    ROWS.iter()
        .find(|(known, _)| is_meant(known))
        .map(|(_, window)| *window)
}

/// Returns the context window of a model in `models.providers`, in tokens. The provider must match
/// if one is given.
fn configured(settings: &Settings, model: &str, provider: Option<&str>) -> Option<u64> {
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
    let bare = model.rsplit('/').next().unwrap_or(model);
    let find = |model| {
        let mut rows = settings
            .models
            .providers
            .iter()
            .filter(|row| same(&row.model, model));
        rows.find(|row| provider.is_none_or(|name| same(name, &row.provider)))
    };
    find(model).or_else(|| find(bare)).map(|row| row.tokens)
}

/// Returns an id in lower case, without vendor, Bedrock's region and version, and with dashes in
/// Claude's version.
pub(crate) fn plain_id(model: &str) -> String {
    let id = model.trim().to_ascii_lowercase();
    let id = id.rsplit('/').next().unwrap_or_default();
    let id = id.rsplit_once("anthropic.").map_or(id, |(_, id)| id);
    let id = match id.rsplit_once("-v") {
        Some((stem, version)) if version.bytes().all(|b| b.is_ascii_digit() || b == b':') => stem,
        _ => id,
    };
    if id.starts_with("claude-") {
        id.replace('.', "-")
    } else {
        id.to_string()
    }
}

/// Whether a suffix is nothing, `-latest`, `-20250929`, `@20250929` or `-2025-04-14`.
fn is_date(suffix: &str) -> bool {
    let shape: String = suffix
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    matches!(
        shape.as_str(),
        "" | "-latest" | "-99999999" | "@99999999" | "-9999-99-99"
    )
}

#[cfg(test)]
mod tests {
    use super::{super::keys::ModelWindow, *};

    #[test]
    fn ids_match_as_a_whole() {
        for (id, want) in [
            ("claude-sonnet-4-5", Some(200_000)),
            ("claude-sonnet-4-5-20250929", Some(200_000)),
            ("anthropic/claude-sonnet-4.5", Some(200_000)),
            ("us.anthropic.claude-opus-4-5-20251101-v1:0", Some(200_000)),
            ("claude-haiku-4-5@20251001", Some(200_000)),
            ("Claude-Sonnet-4.6", Some(1_000_000)),
            ("claude-3-5-haiku-latest", Some(200_000)),
            ("anthropic/claude-3-7-sonnet", Some(200_000)),
            ("openrouter/openai/gpt-4.1-2025-04-14", Some(1_047_576)),
            ("gpt-4o", Some(128_000)),
            ("gpt-4o-audio-preview", None),
            ("gpt-4o-mini-2024-07-18", Some(128_000)),
            ("gpt-5", Some(400_000)),
            ("gpt-5.1-chat-latest", Some(128_000)),
            ("deepseek-chat", Some(128_000)),
            ("claude-x", None),
            ("claude-a", None),
            ("gpt-99", None),
            ("gpt-50", None),
            ("claude-sonnet-4-55", None),
            ("claude-sonnet-4-5-2025", None),
            ("", None),
            ("/", None),
            ("-v", None),
        ] {
            assert_eq!(registry(id), want, "{id}");
        }
    }

    #[test]
    fn every_row_is_sourced_and_found_by_its_own_id() {
        for line in include_str!("models.tsv").lines().skip(1) {
            let [id, _, window, source, date] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            assert!(source.starts_with("https://") && date.len() == 7, "{line}");
            assert_eq!(
                registry(id.trim_end_matches('*')),
                window.parse().ok(),
                "{line}"
            );
        }
    }

    #[test]
    fn the_order() {
        let of = |settings: &Settings, model, provider| {
            let window = window(settings, model, provider, None);
            format!("{} {}", window.tokens, window.source)
        };
        let row = |provider: &str, model: &str, tokens| ModelWindow {
            provider: provider.to_string(),
            model: model.to_string(),
            tokens,
        };
        let mut settings = Settings::default();
        assert_eq!(of(&settings, Some("claude-x"), None), "200000 default");
        settings.agents.defaults.context_tokens = Some(1);
        assert_eq!(
            of(&settings, Some("claude-x"), None),
            "1 agents.defaults.contextTokens"
        );
        settings.models.providers =
            vec![row("proxy", "claude-x", 2), row("anthropic", "claude-x", 3)];
        assert_eq!(of(&settings, None, None), "1 agents.defaults.contextTokens");
        assert_eq!(of(&settings, Some("claude-x"), None), "2 models.providers");
        assert_eq!(
            of(&settings, Some("CLAUDE-X"), Some("Anthropic")),
            "3 models.providers"
        );
        assert_eq!(
            of(&settings, Some("anthropic/claude-x"), Some("anthropic")),
            "3 models.providers"
        );
        assert_eq!(
            of(&settings, Some("claude-x"), Some("other")),
            "1 agents.defaults.contextTokens"
        );
        settings
            .models
            .providers
            .push(row("anthropic", "claude-opus-4-5", 4));
        assert_eq!(
            of(&settings, Some("claude-opus-4-5"), None),
            "200000 registry"
        );
        settings.model = Some("claude-x".to_string());
        settings.provider = Some("anthropic".to_string());
        assert_eq!(
            of(&settings, Some("claude-opus-4-5"), Some("openai")),
            "3 models.providers"
        );
        let logged = |settings: &Settings, model| window(settings, model, None, Some(7)).source;
        assert_eq!(logged(&Settings::default(), Some("claude-opus-4-5")), "log");
        assert_ne!(logged(&settings, None), "log", "another model is asked for");
        settings.context_window = Some(5);
        assert_eq!(of(&settings, None, None), "5 flag");
    }
}
