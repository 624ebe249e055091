//! Context windows of known models, and the order in which the window of a run is found.
//!
//! The registry is data with a source per row. An id must match as a whole: a model that is not in the table has no
//! window here, however much its name resembles one that has. The provider is not compared, as the same model is
//! served under many names.

use super::keys::Settings;
use crate::diagnostics::ContextWindow;

/// The window where nothing is known, in tokens.
pub const DEFAULT_WINDOW: u64 = 200_000;

/// One known model.
pub struct Model {
    /// The id in lower case without its vendor; a `*` at the end represents nothing or a date or `-latest`.
    pub id: &'static str,
    /// The company that provides the model.
    pub provider: &'static str,
    /// Context window in tokens.
    pub window: u64,
    /// The source of the window.
    pub source: &'static str,
    /// When it was read.
    pub date: &'static str,
}

/// The context window of a run: stated, else the model's, else what the configuration says of the model, else of all
/// models, else [`DEFAULT_WINDOW`]. Model and provider of the settings win over those of the input, given here.
pub fn window(settings: &Settings, model: Option<&str>, provider: Option<&str>) -> ContextWindow {
    let model = settings.model.as_deref().or(model);
    let provider = settings.provider.as_deref().or(provider);
    let found = settings.context_window.map(|tokens| (tokens, "flag"));
    let found = found.or_else(|| Some((registry(model?)?.window, "registry")));
    let found = found.or_else(|| Some((configured(settings, model?, provider)?, "models.providers")));
    let found = found.or_else(|| settings.agents.defaults.context_tokens.map(|tokens| (tokens, "agents.defaults.contextTokens")));
    let (tokens, source) = found.unwrap_or((DEFAULT_WINDOW, "default"));
    ContextWindow { tokens, source: source.to_string() }
}

/// The row of a model.
pub fn registry(model: &str) -> Option<&'static Model> {
    let id = plain_id(model);
    MODELS.iter().find(|row| match row.id.strip_suffix('*') {
        None => id == row.id,
        Some(stem) => id.strip_prefix(stem).is_some_and(is_date),
    })
}

/// Returns the context window of a model in `models.providers`, in tokens. The provider must match if one is given.
fn configured(settings: &Settings, model: &str, provider: Option<&str>) -> Option<u64> {
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
    let bare = model.rsplit('/').next().unwrap_or(model);
    let rows = || settings.models.providers.iter().filter(|row| provider.is_none_or(|name| same(name, &row.provider)));
    let row = rows().find(|row| same(&row.model, model)).or_else(|| rows().find(|row| same(&row.model, bare)));
    row.map(|row| row.tokens)
}

/// An id in lower case, without the vendor before it, Bedrock's region and version, and with Claude's version dashed.
pub(crate) fn plain_id(model: &str) -> String {
    let id = model.trim().to_ascii_lowercase();
    let id = id.rsplit('/').next().unwrap_or_default();
    let id = id.rsplit_once("anthropic.").map_or(id, |(_, id)| id);
    let id = match id.rsplit_once("-v") {
        Some((stem, version)) if version.bytes().all(|b| b.is_ascii_digit() || b == b':') => stem,
        _ => id,
    };
    if id.starts_with("claude-") { id.replace('.', "-") } else { id.to_string() }
}

/// Nothing, `-latest`, `-20250929`, `@20250929` or `-2025-04-14`.
fn is_date(suffix: &str) -> bool {
    let shape: String = suffix.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    matches!(shape.as_str(), "" | "-latest" | "-99999999" | "@99999999" | "-9999-99-99")
}

const MODELS_DEV: &str = "https://github.com/anomalyco/models.dev/tree/dev/providers";
const CLAUDE: &str = "https://platform.claude.com/docs/en/models";
const OPENAI: &str = "https://developers.openai.com/api/docs/models";
const VERCEL: &str = "https://vercel.com/ai-gateway/models";
const AZURE: &str = "https://github.com/MicrosoftDocs/azure-ai-docs/pull/544/files";
const GEMINI: &str = "https://ai.google.dev/gemini-api/docs/models";
const VERTEX: &str = "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/gemini/2-5-pro";
const ORACLE: &str = "https://docs.oracle.com/en-us/iaas/Content/generative-ai/google-gemini-2-5-flash.htm";
const LOBE: &str = "https://unpkg.com/@lobehub/chat@1.94.11/src/config/aiModels";
const DEEPSEEK: &str = "https://api-docs.deepseek.com/quick_start/pricing";

const fn row(id: &'static str, provider: &'static str, window: u64, source: &'static str) -> Model {
    Model { id, provider, window, source, date: "2026-11" }
}

/// The registry.
pub const MODELS: &[Model] = &[
    row("claude-3-opus*", "anthropic", 200_000, MODELS_DEV),
    row("claude-3-sonnet*", "anthropic", 200_000, MODELS_DEV),
    row("claude-3-haiku*", "anthropic", 200_000, MODELS_DEV),
    row("claude-3-5-sonnet*", "anthropic", 200_000, MODELS_DEV),
    row("claude-3-5-haiku*", "anthropic", 200_000, MODELS_DEV),
    row("claude-3-7-sonnet*", "anthropic", 200_000, MODELS_DEV),
    row("claude-opus-4*", "anthropic", 200_000, MODELS_DEV),
    row("claude-opus-4-0", "anthropic", 200_000, MODELS_DEV),
    row("claude-opus-4-1*", "anthropic", 200_000, MODELS_DEV),
    row("claude-sonnet-4*", "anthropic", 200_000, MODELS_DEV),
    row("claude-sonnet-4-0", "anthropic", 200_000, MODELS_DEV),
    row("claude-opus-4-5*", "anthropic", 200_000, CLAUDE),
    row("claude-sonnet-4-5*", "anthropic", 200_000, CLAUDE),
    row("claude-haiku-4-5*", "anthropic", 200_000, CLAUDE),
    row("claude-opus-4-6*", "anthropic", 1_000_000, CLAUDE),
    row("claude-sonnet-4-6*", "anthropic", 1_000_000, CLAUDE),
    row("claude-opus-4-7*", "anthropic", 1_000_000, CLAUDE),
    row("claude-opus-4-8*", "anthropic", 1_000_000, MODELS_DEV),
    row("claude-opus-5*", "anthropic", 1_000_000, CLAUDE),
    row("claude-sonnet-5*", "anthropic", 1_000_000, CLAUDE),
    row("claude-opus-5-5*", "anthropic", 1_000_000, CLAUDE),
    row("claude-sonnet-5-5*", "anthropic", 1_000_000, CLAUDE),
    row("claude-haiku-5-5*", "anthropic", 1_000_000, CLAUDE),
    row("claude-fable-5-1*", "anthropic", 1_000_000, CLAUDE),
    row("gpt-3.5-turbo", "openai", 16_385, MODELS_DEV),
    row("gpt-4", "openai", 8_192, OPENAI),
    row("gpt-4o*", "openai", 128_000, MODELS_DEV),
    row("gpt-4o-mini*", "openai", 128_000, AZURE),
    row("gpt-4.1-mini*", "openai", 1_047_576, VERCEL),
    row("gpt-4.1-nano*", "openai", 1_047_576, VERCEL),
    row("gpt-4.1*", "openai", 1_047_576, VERCEL),
    row("gpt-5-codex*", "openai", 400_000, OPENAI),
    row("gpt-5*", "openai", 400_000, VERCEL),
    row("gpt-5.2*", "openai", 400_000, VERCEL),
    row("gpt-5-mini*", "openai", 400_000, MODELS_DEV),
    row("gpt-5-nano*", "openai", 400_000, MODELS_DEV),
    row("gpt-5.1*", "openai", 400_000, MODELS_DEV),
    row("gpt-5.1-codex", "openai", 400_000, MODELS_DEV),
    row("gpt-5.2-codex", "openai", 400_000, MODELS_DEV),
    row("gpt-5.3-codex", "openai", 400_000, MODELS_DEV),
    row("gpt-5.1-chat-latest", "openai", 128_000, MODELS_DEV),
    row("gpt-5.4*", "openai", 1_050_000, MODELS_DEV),
    row("gpt-5.5*", "openai", 1_050_000, MODELS_DEV),
    row("o1*", "openai", 200_000, MODELS_DEV),
    row("o3*", "openai", 200_000, MODELS_DEV),
    row("o4-mini*", "openai", 200_000, MODELS_DEV),
    row("o3-pro*", "openai", 200_000, LOBE),
    row("gemini-2.0-flash", "google", 1_048_576, GEMINI),
    row("gemini-2.5-pro", "google", 1_048_576, VERTEX),
    row("gemini-2.5-flash", "google", 1_048_576, ORACLE),
    row("gemini-3-pro-preview", "google", 1_048_576, GEMINI),
    row("gemini-3.1-pro-preview", "google", 1_048_576, GEMINI),
    row("deepseek-chat", "deepseek", 128_000, DEEPSEEK),
    row("deepseek-reasoner", "deepseek", 128_000, DEEPSEEK),
];

#[cfg(test)]
mod tests {
    use super::super::keys::ModelWindow;
    use super::*;

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
            assert_eq!(registry(id).map(|row| row.window), want, "{id}");
        }
    }

    #[test]
    fn every_row_is_sourced_and_found_by_its_own_id() {
        for row in MODELS {
            assert!(row.source.starts_with("https://") && !row.date.is_empty() && row.window > 0, "{}", row.id);
            let found = registry(row.id.trim_end_matches('*')).expect(row.id);
            assert_eq!(found.window, row.window, "{}", row.id);
        }
    }

    #[test]
    fn the_order() {
        let of = |settings: &Settings, model, provider| {
            let window = window(settings, model, provider);
            format!("{} {}", window.tokens, window.source)
        };
        let row = |provider: &str, model: &str, tokens| ModelWindow { provider: provider.to_string(), model: model.to_string(), tokens };
        let mut settings = Settings::default();
        assert_eq!(of(&settings, Some("claude-x"), None), "200000 default");
        settings.agents.defaults.context_tokens = Some(1);
        assert_eq!(of(&settings, Some("claude-x"), None), "1 agents.defaults.contextTokens");
        settings.models.providers = vec![row("proxy", "claude-x", 2), row("anthropic", "claude-x", 3)];
        assert_eq!(of(&settings, None, None), "1 agents.defaults.contextTokens");
        assert_eq!(of(&settings, Some("claude-x"), None), "2 models.providers");
        assert_eq!(of(&settings, Some("CLAUDE-X"), Some("Anthropic")), "3 models.providers");
        assert_eq!(of(&settings, Some("anthropic/claude-x"), Some("anthropic")), "3 models.providers");
        assert_eq!(of(&settings, Some("claude-x"), Some("other")), "1 agents.defaults.contextTokens");
        settings.models.providers.push(row("anthropic", "claude-opus-4-5", 4));
        assert_eq!(of(&settings, Some("claude-opus-4-5"), None), "200000 registry");
        settings.model = Some("claude-x".to_string());
        settings.provider = Some("anthropic".to_string());
        assert_eq!(of(&settings, Some("claude-opus-4-5"), Some("openai")), "3 models.providers");
        settings.context_window = Some(5);
        assert_eq!(of(&settings, None, None), "5 flag");
    }
}
