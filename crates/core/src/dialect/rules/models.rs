//! The maker and version of a model, from its name and its provider's name, as far as rules depend on them.

/// The maker of a model, or the service through which it is used. Makers without a rule of their own are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// OpenAI, and Azure, which runs its models. Open models of OpenAI run elsewhere and are not meant.
    OpenAi,
    /// Anthropic, wherever Claude runs.
    Anthropic,
    /// Google.
    Google,
    /// DeepSeek.
    DeepSeek,
    /// Moonshot AI (Kimi).
    Moonshot,
    /// MiniMax.
    MiniMax,
    /// Xiaomi (MiMo).
    Xiaomi,
    /// Perplexity.
    Perplexity,
    /// Amazon's Titan.
    Titan,
    /// Amazon's Nova.
    Nova,
    /// Alibaba (Qwen).
    Alibaba,
    /// Meta's Llama.
    Llama,
    /// Groq, which runs models of others.
    Groq,
    /// Cerebras, which runs models of others.
    Cerebras,
    /// A name that says nothing a rule depends on.
    Other,
}

/// Parts of model names, in lower case, and the maker that they show. The first that is found counts.
const IN_MODELS: &[(&str, Maker)] = &[
    ("claude", Maker::Anthropic),
    ("gemini", Maker::Google),
    ("deepseek", Maker::DeepSeek),
    ("kimi", Maker::Moonshot),
    ("moonshot", Maker::Moonshot),
    ("minimax", Maker::MiniMax),
    ("mimo", Maker::Xiaomi),
    ("perplexity/", Maker::Perplexity),
    ("titan", Maker::Titan),
    ("nova-", Maker::Nova),
    ("qwen", Maker::Alibaba),
    ("llama", Maker::Llama),
];

/// The prefixes of the names of OpenAI's own models, after the vendor's name if there is one.
const OPENAI: &[&str] = &[
    "gpt-",
    "chatgpt-",
    "codex-",
    "computer-use-preview",
    "ft:gpt-",
];

/// Parts of provider names, in lower case, and the maker.
const IN_PROVIDERS: &[(&str, Maker)] = &[
    ("openai", Maker::OpenAi),
    ("azure", Maker::OpenAi),
    ("anthropic", Maker::Anthropic),
    ("google", Maker::Google),
    ("vertex", Maker::Google),
    ("deepseek", Maker::DeepSeek),
    ("moonshot", Maker::Moonshot),
    ("kimi", Maker::Moonshot),
    ("minimax", Maker::MiniMax),
    ("xiaomi", Maker::Xiaomi),
    ("perplexity", Maker::Perplexity),
    ("qwen", Maker::Alibaba),
    ("dashscope", Maker::Alibaba),
    ("groq", Maker::Groq),
    ("cerebras", Maker::Cerebras),
];

/// Names of other providers, in lower case.
const PROVIDERS: &[&str] = &[
    "openrouter",
    "ollama",
    "mistral",
    "cohere",
    "bedrock",
    "xai",
    "together",
    "fireworks",
    "nvidia",
    "huggingface",
    "copilot",
    "kilocode",
    "zai",
    "zhipu",
    "vercel",
    "cloudflare",
    "litellm",
    "vllm",
    "lmstudio",
    "sambanova",
    "baseten",
    "deepinfra",
    "novita",
    "siliconflow",
    "volcengine",
    "tencent",
    "baidu",
    "nebius",
    "opencode",
    "gateway",
];

/// Returns the names of all providers that are known.
pub fn providers() -> impl Iterator<Item = &'static str> {
    let makers = IN_PROVIDERS.iter().map(|(name, _)| *name);
    makers.chain(PROVIDERS.iter().copied())
}

/// Returns whether a provider is known: its name contains that of one, as in `amazon-bedrock`.
pub fn is_known_provider(provider: &str) -> bool {
    let provider = provider.to_lowercase();
    providers().any(|name| provider.contains(name))
}

/// The model and the provider that a request will run on, as far as rules depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model<'a> {
    /// The model's name, as it is spelled.
    pub name: &'a str,
    /// The maker; `None` where neither a model nor a provider is named.
    pub maker: Option<Maker>,
    /// The provider, where it is named.
    pub host: Option<Maker>,
    /// Its version, where it is a Claude that names one.
    pub claude: Option<(u32, u32)>,
    /// Its major version, where it is a Gemini that names one.
    pub gemini: Option<u32>,
    /// Whether its maker runs it, as far as is known: a router puts a vendor before its name.
    pub own: bool,
    /// Whether Ollama runs it, as its name has a tag (`qwen3:8b`) or its provider says.
    pub ollama: bool,
}

impl<'a> Model<'a> {
    /// Returns the facts that the names show. A model's name takes precedence over a provider's.
    pub fn of(model: Option<&'a str>, provider: Option<&str>) -> Model<'a> {
        let name = model.unwrap_or_default();
        let lower = name.to_lowercase();
        let by_name = model.map(|_| of_model(&lower));
        let host = provider.map(of_provider);
        let maker = by_name
            .filter(|maker| *maker != Maker::Other)
            .or(host)
            .or(by_name);
        let tagged = lower.contains(':') && !lower.contains('/') && !lower.starts_with("ft:");
        let ollama = provider.map_or(tagged, |name| name.to_lowercase().contains("ollama"));
        Model {
            name,
            maker,
            host,
            claude: claude_version(&lower),
            gemini: gemini_version(&lower),
            own: !ollama && host.or(maker) == maker && (host.is_some() || !name.contains('/')),
            ollama,
        }
    }

    /// A model that is stricter than any that `maker` has now.
    pub fn newest(maker: Maker) -> Model<'a> {
        Model {
            name: "",
            maker: Some(maker),
            host: None,
            claude: Some((u32::MAX, 0)),
            gemini: Some(u32::MAX),
            own: true,
            ollama: false,
        }
    }

    /// Whether it is made by `maker`.
    pub fn is(&self, maker: Maker) -> bool {
        self.maker == Some(maker)
    }

    /// Whether it is made by `maker`, which runs it.
    pub fn is_at(&self, maker: Maker) -> bool {
        self.is(maker) && self.own
    }

    /// The last part of its name, in lower case: without the vendor that a router puts before it.
    pub fn last(&self) -> String {
        self.name
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_lowercase()
    }

    /// Its version, which follows `word` in its name: `kimi-k`, or `deepseek-v`.
    pub fn version(&self, word: &str) -> Option<(u32, u32)> {
        let name = self.last();
        let numbers = &name[name.find(word)? + word.len()..];
        let mut numbers = numbers.split('-').next()?.split(['.', 'p']);
        Some((
            numbers.next()?.parse().ok()?,
            numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0),
        ))
    }
}

/// Whether the prompt cache of a call lives for a time that is known: Anthropic's, of Anthropic's models through OpenRouter, and of
/// an input that names no provider.
pub fn is_cached_by_ttl(provider: Option<&str>, model: Option<&str>) -> bool {
    let provider = provider.map(|p| p.trim().to_lowercase());
    let model = model.map(|m| m.trim().to_lowercase()).unwrap_or_default();
    match provider.as_deref() {
        None | Some("" | "anthropic") => true,
        Some("openrouter") => {
            model.starts_with("anthropic/") || model.starts_with("openrouter/anthropic/")
        }
        Some(_) => false,
    }
}

/// Anthropic's API, as agents name it in their logs.
pub const ANTHROPIC_API: &str = "anthropic-messages";
/// Google's.
const GOOGLE_API: &str = "google-generative-ai";

/// Whether OpenClaw prunes by the clock what is sent to this provider through this API: by the list of 2026.4, or the later one of
/// 2026.9. Providers with a rule of their own are asked first, then whoever speaks Anthropic's API is eligible.
pub fn is_eligible(
    provider: Option<&str>,
    model: Option<&str>,
    api: Option<&str>,
    later: bool,
) -> bool {
    let provider = provider
        .map(|p| p.trim().to_lowercase())
        .unwrap_or_default();
    let model = model.map(|m| m.trim().to_lowercase()).unwrap_or_default();
    let begins = |words: &[&str]| words.iter().any(|word| model.starts_with(word));
    match provider.as_str() {
        "" | "anthropic" | "anthropic-vertex" | "zai" => true,
        "openrouter" => {
            let model = model.strip_prefix("openrouter/").unwrap_or(&model);
            let named = ["anthropic/", "moonshot/", "moonshotai/", "zai/"]
                .iter()
                .any(|word| model.starts_with(word));
            named || later && model.starts_with("deepseek/")
        }
        "kilocode" => begins(&["anthropic/", "kilocode/anthropic/"]),
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
        "google" | "google-vertex" if api.is_none() => begins(&["gemini-2.5", "gemini-3"]),
        _ => api == Some(GOOGLE_API) && begins(&["gemini-2.5", "gemini-3"]),
    }
}

/// Whether Anthropic keeps all reasoning of a model unless it is asked not to: Opus from 4.5 and Sonnet from 4.6 on, and what came later.
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

/// The maker of a model, whose name is in lower case.
fn of_model(model: &str) -> Maker {
    let last = model.rsplit('/').next().unwrap_or_default();
    // o1, o3-mini, o4-mini-2025-04-16
    let numbered = last.strip_prefix('o').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest[1..].split('-').next() == Some("")
    });
    if last == "sonar" || last.starts_with("sonar-") {
        return Maker::Perplexity;
    }
    if !last.starts_with("gpt-oss")
        && (numbered || OPENAI.iter().any(|name| last.starts_with(name)))
    {
        return Maker::OpenAi;
    }
    IN_MODELS
        .iter()
        .find(|(part, _)| model.contains(part))
        .map_or(Maker::Other, |(_, maker)| *maker)
}

fn of_provider(provider: &str) -> Maker {
    let provider = provider.to_lowercase();
    IN_PROVIDERS
        .iter()
        .find(|(part, _)| provider.contains(part))
        .map_or(Maker::Other, |(_, maker)| *maker)
}

/// The version of a model, whose name is in lower case, where it is a Claude that names one, as (major, minor).
fn claude_version(model: &str) -> Option<(u32, u32)> {
    let name = &model[model.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':'])
        .skip_while(|w| w.parse::<u32>().is_err())
        .map_while(|w| w.parse::<u32>().ok())
        .filter(|n| *n < 1000);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// The major version of a model, whose name is in lower case, where it is a Gemini.
fn gemini_version(model: &str) -> Option<u32> {
    let number = &model[model.find("gemini-")? + "gemini-".len()..];
    number.split(['-', '.', '@']).next()?.parse().ok()
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
            ("kimi-k2.5", Some((2, 5))),
            ("moonshotai/kimi-k2-0905-preview", Some((2, 0))),
            ("accounts/fireworks/models/kimi-k2p5", Some((2, 5))),
            ("kimi-k3", Some((3, 0))),
            ("kimi-k2-thinking", Some((2, 0))),
            ("kimi-latest", None),
        ] {
            assert_eq!(
                Model::of(Some(model), None).version("kimi-k"),
                want,
                "{model}"
            );
        }
    }

    #[test]
    fn makers() {
        for (model, provider, want) in [
            ("gpt-5.4", "", Some(Maker::OpenAi)),
            ("openai/gpt-4o-mini", "openrouter", Some(Maker::OpenAi)),
            ("o3-mini", "", Some(Maker::OpenAi)),
            ("o4", "", Some(Maker::OpenAi)),
            ("ft:gpt-4o-mini:acme", "", Some(Maker::OpenAi)),
            ("openai/gpt-oss-120b", "groq", Some(Maker::Groq)),
            ("gpt-oss:120b", "", Some(Maker::Other)),
            ("olmo-3", "", Some(Maker::Other)),
            ("o3de", "", Some(Maker::Other)),
            (
                "deepseek/deepseek-v4-pro",
                "openrouter",
                Some(Maker::DeepSeek),
            ),
            ("sonar-pro", "", Some(Maker::Perplexity)),
            (
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "amazon-bedrock",
                Some(Maker::Anthropic),
            ),
            ("amazon.titan-text-express-v1", "", Some(Maker::Titan)),
            ("prod-chat", "azure", Some(Maker::OpenAi)),
            ("", "azure", Some(Maker::OpenAi)),
            ("prod-chat", "", Some(Maker::Other)),
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
