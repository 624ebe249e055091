//! The maker and version of a model, from its name and its provider's name, as far as rules depend
//! on them.

use crate::{tables::table_file, transcript::RefusalRow, wildcard::matches};
use std::sync::LazyLock;

/// A cell without a name.
const NONE: &str = "–";

/// A row of the table of hosts.
struct Host {
    name: &'static str,
    /// Whether it passes requests on to a host that it does not name.
    is_router: bool,
    /// Parts of providers' names, in lower case.
    providers: &'static str,
    /// Patterns of models' names, in lower case.
    models: &'static str,
}

/// Hosts, and the makers of models, with the names by which they are known.
static HOSTS: LazyLock<Vec<Host>> = LazyLock::new(|| {
    let row = |[name, kind, providers, models, ..]: [&'static str; 6]| {
        Ok(Host {
            name,
            is_router: kind == "router",
            providers,
            models,
        })
    };
    table_file!("hosts.tsv", 6, row)
});

/// Returns the names of all providers that are known.
pub fn providers() -> impl Iterator<Item = &'static str> {
    let names = HOSTS.iter().flat_map(|host| host.providers.split(' '));
    names.filter(|name| *name != NONE)
}

/// Returns whether a provider is known: its name contains that of one, as in `amazon-bedrock`.
pub fn is_known_provider(provider: &str) -> bool {
    of_provider(provider).is_some()
}

/// The model and the provider that a request will run on, as far as rules depend on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Model<'a> {
    /// The model's name, as it is spelled.
    pub name: &'a str,
    /// The maker, or the host where the name says nothing; empty if that is unknown, and `None`
    /// where neither is named.
    pub maker: Option<&'static str>,
    /// The host, where it is named; empty if it is unknown.
    pub host: Option<&'static str>,
    /// Its version, where it is a Claude that names one.
    pub claude: Option<(u32, u32)>,
    /// Whether its maker runs it, as far as is known: a router puts a vendor before its name.
    pub own: bool,
    /// Whether Ollama runs it, as its name has a tag (`qwen3:8b`) or its provider says.
    pub ollama: bool,
    /// Whether its host is unknown: none is named, or one that passes requests on.
    pub routed: bool,
    /// Whether it stands for a model that refuses whatever any of its maker's models refuses.
    newest: bool,
    /// Whether it stands for the model at every host that may run it.
    anywhere: bool,
}

impl<'a> Model<'a> {
    /// Returns the facts that the names show. A model's name takes precedence over a provider's.
    pub fn of(model: Option<&'a str>, provider: Option<&str>) -> Model<'a> {
        Model {
            anywhere: false,
            ..Model::read(model, provider)
        }
    }

    /// Returns the model at every host that may run it; `None` if its host is known.
    pub fn anywhere(model: Option<&'a str>, provider: Option<&str>) -> Option<Model<'a>> {
        Some(Model::read(model, provider)).filter(|model| model.anywhere)
    }

    fn read(model: Option<&'a str>, provider: Option<&str>) -> Model<'a> {
        let name = model.unwrap_or_default();
        let lower = name.to_lowercase();
        let by_name = model.map(|_| of_model(&lower));
        let row = provider.map(of_provider);
        let host = row
            .as_ref()
            .map(|row| row.as_ref().map_or("", |row| row.name));
        let maker = by_name
            .filter(|maker| !maker.is_empty())
            .or(host)
            .or(by_name);
        let tagged = lower.contains(':') && !lower.contains('/') && !lower.starts_with("ft:");
        let ollama = host.map_or(tagged, |host| host == "ollama");
        let own = !ollama && host.or(maker) == maker && (host.is_some() || !name.contains('/'));
        let routed = row.is_none_or(|row| row.is_none_or(|row| row.is_router));
        Model {
            name,
            maker,
            host,
            claude: claude_version(&lower),
            own,
            ollama,
            routed,
            newest: false,
            anywhere: !ollama && routed && (!own || maker == Some("")),
        }
    }

    /// A model that is stricter than any that `maker` has now.
    pub fn newest(maker: &'static str) -> Model<'a> {
        Model {
            maker: Some(maker),
            claude: Some((u32::MAX, 0)),
            own: true,
            newest: true,
            ..Model::default()
        }
    }

    /// Whether it is made by `maker`.
    pub fn is(&self, maker: &str) -> bool {
        self.maker == Some(maker)
    }

    /// Its host and its maker, unless the host is another that is known.
    pub fn services(&self) -> [&'static str; 2] {
        let maker = self.maker.filter(|_| self.own || self.routed);
        [self.host, maker].map(Option::unwrap_or_default)
    }

    /// The last part of its name, in lower case: without the vendor that a router puts before it.
    pub fn last(&self) -> String {
        self.name
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_lowercase()
    }

    /// Returns the names of the rules that
    /// [`Provider::refusals`](crate::transcript::Provider::refusals) give to it.
    pub fn held(&self, refusals: &[RefusalRow]) -> Vec<&'static str> {
        let runs = |host: &str| match host {
            "*" => true,
            "own" => self.own,
            host => self.host == Some(host),
        };
        let holds = |row: &&RefusalRow| {
            !row.rule.is_empty()
                && (row.maker == "*" || self.is(row.maker))
                && (self.anywhere || runs(row.host))
                && row.models.split(' ').any(|models| self.is_like(models))
        };
        refusals.iter().filter(holds).map(|row| row.rule).collect()
    }

    /// Returns whether its name fits a pattern of names, or is that of a version from one on, as
    /// `deepseek-v4+`.
    pub fn is_like(&self, pattern: &str) -> bool {
        let last = self.last();
        let since = || {
            let first = pattern.strip_suffix('+')?;
            let (word, first) = first.split_at(first.find(|c: char| c.is_ascii_digit())?);
            Some(version(&last[last.find(word)? + word.len()..])? >= version(first)?)
        };
        self.newest || since().unwrap_or_else(|| matches(pattern, &last))
    }
}

/// The version with which a text begins, as in `2.5-pro` or `2p5`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('-').next()?.split(['.', 'p']);
    let minor = |number: &str| number.parse().ok();
    Some((
        numbers.next()?.parse().ok()?,
        numbers.next().and_then(minor).unwrap_or(0),
    ))
}

/// Whether the prompt cache of a call lives for a time that is known: Anthropic's, of Anthropic's
/// models through OpenRouter, and of an input that names no provider.
pub fn is_cached_by_ttl(provider: Option<&str>, model: Option<&str>) -> bool {
    let model = plain(model);
    match &*plain(provider) {
        "" | "anthropic" => true,
        "openrouter" => begins(&model, &["anthropic/", "openrouter/anthropic/"]),
        _ => false,
    }
}

/// A name in lower case, without white space around it; empty if there is none.
fn plain(name: Option<&str>) -> String {
    name.unwrap_or_default().trim().to_lowercase()
}

fn begins(model: &str, words: &[&str]) -> bool {
    words.iter().any(|word| model.starts_with(word))
}

/// Anthropic's API, as agents name it in their logs.
pub const ANTHROPIC_API: &str = "anthropic-messages";
/// Google's.
const GOOGLE_API: &str = "google-generative-ai";

/// Whether OpenClaw prunes by the clock what is sent to this provider through this API: by the list
/// of 2026.4, or the later one of 2026.9. Providers with a rule of their own are asked first, then
/// whoever speaks Anthropic's API is eligible.
pub fn is_eligible(
    provider: Option<&str>,
    model: Option<&str>,
    api: Option<&str>,
    later: bool,
) -> bool {
    let model = &*plain(model);
    match &*plain(provider) {
        "" | "anthropic" | "anthropic-vertex" | "zai" => true,
        "openrouter" => {
            let model = model.strip_prefix("openrouter/").unwrap_or(model);
            begins(model, &["anthropic/", "moonshot/", "moonshotai/", "zai/"])
                || later && model.starts_with("deepseek/")
        }
        "kilocode" => begins(model, &["anthropic/", "kilocode/anthropic/"]),
        _ if api == Some(ANTHROPIC_API) => true,
        "amazon-bedrock" => {
            let profile = model.contains(":application-inference-profile/")
                && model
                    .rsplit('/')
                    .next()
                    .is_some_and(|id| id.contains("claude"));
            model.contains("anthropic.claude") || model.contains("anthropic/claude") || profile
        }
        "openai" | "openai-codex" => later,
        // A body of Google's names no API.
        "google" | "google-vertex" if api.is_none() => begins(model, &["gemini-2.5", "gemini-3"]),
        _ => api == Some(GOOGLE_API) && begins(model, &["gemini-2.5", "gemini-3"]),
    }
}

/// Whether Anthropic keeps all reasoning of a model unless it is asked not to: Opus from 4.5 and
/// Sonnet from 4.6 on, and what came later.
pub fn keeps_thinking(model: Option<&str>) -> bool {
    let Some(name) = model.map(str::to_lowercase) else {
        return false;
    };
    let from = match name.as_str() {
        name if name.contains("haiku") => return false,
        name if name.contains("opus") => (4, 5),
        name if name.contains("sonnet") => (4, 6),
        _ => (5, 0),
    };
    claude_version(&name).is_some_and(|version| version >= from)
}

/// The maker of a model, whose name is in lower case; empty if that is unknown.
fn of_model(model: &str) -> &'static str {
    let last = model.rsplit('/').next().unwrap_or_default();
    let fits = |pattern: &str| matches(pattern, model) || matches(pattern, last);
    HOSTS
        .iter()
        .find(|host| host.models.split(' ').any(fits))
        .map_or("", |host| host.name)
}

/// The host that a provider's name means.
fn of_provider(provider: &str) -> Option<&'static Host> {
    let provider = provider.to_lowercase();
    HOSTS.iter().find(|host| {
        let mut words = host.providers.split(' ');
        words.any(|word| provider.contains(word))
    })
}

/// The version of a model, whose name is in lower case, where it is a Claude that names one, as
/// (major, minor).
fn claude_version(model: &str) -> Option<(u32, u32)> {
    let name = &model[model.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':'])
        .skip_while(|w| w.parse::<u32>().is_err())
        .map_while(|w| w.parse::<u32>().ok())
        .filter(|n| *n < 1000);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (model, want) in [
            ("claude-opus-5-5", Some((5, 5))),
            ("anthropic/claude-sonnet-4.5", Some((4, 5))),
            ("claude-haiku-4-5-20251001", Some((4, 5))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("us.anthropic.claude-fable-5-1-v1:0", Some((5, 1))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("claude-x", None),
            ("gpt-5.1", None),
        ] {
            assert_eq!(claude_version(model), want, "{model}");
        }
        for (model, want) in [
            ("kimi-k2.5", true),
            ("moonshotai/kimi-k2-0905-preview", false),
            ("accounts/fireworks/models/kimi-k2p5", true),
            ("kimi-k3", true),
            ("kimi-k2-thinking", false),
            ("kimi-latest", false),
        ] {
            assert_eq!(
                Model::of(Some(model), None).is_like("kimi-k2.5+"),
                want,
                "{model}"
            );
        }
    }

    #[test]
    fn makers() {
        for (model, provider, want) in [
            ("gpt-5.4", "", Some("openai")),
            ("openai/gpt-4o-mini", "openrouter", Some("openai")),
            ("o3-mini", "", Some("openai")),
            ("o4", "", Some("openai")),
            ("ft:gpt-4o-mini:acme", "", Some("openai")),
            ("openai/gpt-oss-120b", "groq", Some("groq")),
            ("gpt-oss:120b", "", Some("")),
            ("olmo-3", "", Some("")),
            ("o3de", "", Some("")),
            ("deepseek/deepseek-v4-pro", "openrouter", Some("deepseek")),
            ("sonar-pro", "", Some("perplexity")),
            (
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "amazon-bedrock",
                Some("anthropic"),
            ),
            ("amazon.titan-text-express-v1", "", Some("titan")),
            ("prod-chat", "azure", Some("openai")),
            ("", "azure", Some("openai")),
            ("prod-chat", "", Some("")),
            ("", "", None),
        ] {
            let named = |name: &'static str| Some(name).filter(|name| !name.is_empty());
            assert_eq!(
                Model::of(named(model), named(provider)).maker,
                want,
                "{model} {provider}"
            );
        }
    }

    #[test]
    fn caches_that_live_for_a_known_time() {
        for (provider, model, want) in [
            (None, None, true),
            (Some("Anthropic"), Some("x"), true),
            (
                Some("openrouter"),
                Some("anthropic/claude-sonnet-4.5"),
                true,
            ),
            (Some("openrouter"), Some("openai/gpt-5"), false),
            (Some("openai"), Some("gpt-5"), false),
            (Some("moonshot"), Some("kimi"), false),
        ] {
            assert_eq!(
                is_cached_by_ttl(provider, model),
                want,
                "{provider:?} {model:?}"
            );
        }
    }
}
