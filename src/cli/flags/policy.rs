//! The flags that set configuration, and those of `deadhead config`, which shows what they come to.

use super::*;
use deadhead_core::settings::{Auth, ContextManagement, Mode, OnlyIf, Thinking};

// Flags that set configuration; shared by all commands that resolve it.
#[derive(Args, Clone, Default, Serialize)]
#[command(next_help_heading = "Policy")]
#[serde(rename_all = "kebab-case")]
pub struct PolicyArgs {
    /// Named policy; `deadhead config presets` lists all
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Apply the settings that the configuration has for this workload
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub workload: Option<String>,

    /// Configuration file (JSON5); also an OpenClaw configuration
    ///
    /// Default: $DEADHEAD_CONFIG, else $XDG_CONFIG_HOME/deadhead/config.json5, else ~/.config/deadhead/config.json5.
    #[arg(short, long, value_name = "FILE")]
    #[serde(serialize_with = "as_shown")]
    pub config: Option<PathBuf>,

    /// Set any configuration key; VALUE is JSON5, a bare word is a string
    #[arg(long, value_name = "KEY=VALUE")]
    #[serde(skip)]
    pub set: Vec<String>,

    /// When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even
    ///
    /// The default is auto. cache-ttl cuts when the last call is at least --ttl ago, adaptive when the context fills a share of the window. aggressive
    /// clears all old results. break-even clears a result if that saves more than it costs to write the cache again.
    /// auto is cache-ttl if the time of the last call is known, else adaptive. off cuts no old results; passes that you ask for still run.
    #[arg(long, hide_possible_values = true, value_parser = choices::<Mode>())]
    pub mode: Option<String>,

    /// Lifetime of the provider's cache (1h30m); default auto
    ///
    /// auto is the lifetime that the cache marks of a body or the token counts of a log show; if neither does, cacheControlTtl of the
    /// configuration, else 5m. A cache counts as expired when the last call is at least this long ago.
    #[arg(long, value_name = "DURATION")]
    pub ttl: Option<String>,

    /// Turn passes on, separated by commas; `--pass help` lists all
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub pass: Vec<String>,

    /// Turn passes off
    #[arg(
        long,
        hide_short_help = true,
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub no_pass: Vec<String>,

    /// Condition for the cuts of passes: only if a cut pays for the cache that it breaks
    ///
    /// it-pays allows cuts if the cache has expired, else those that save more in later requests than it costs to write the cache
    /// again. auto, the default, does this for dedupe, ephemeral, stale-resource and, on logs, turn-drop, if the mode depends on the cache and the
    /// time of the last call is known. always cuts whatever the cache is.
    #[arg(long, hide_short_help = true, value_name = "CONDITION", value_parser = choices::<OnlyIf>())]
    pub only_if: Option<String>,

    /// Number of further requests to expect; else as many as there were so far, 5 to 80
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub expect_requests: Option<u64>,

    /// Handling of thinking behind a cut, which Claude 5.1 and later refuse
    ///
    /// server asks Anthropic's server to clear what break-even would, which leaves it valid. strip removes it, and cuts nothing in front of
    /// thinking in an open tool loop. drop-block asks the server to drop it, keep leaves it and warns, refuse refuses the input. auto is
    /// server in run and proxy, where the upstream is Anthropic, else strip.
    #[arg(long, hide_short_help = true, value_name = "HOW", value_parser = choices::<Thinking>())]
    pub thinking: Option<String>,

    /// Handling of the edits that a body asks its server for in context_management
    ///
    /// leave leaves them to the server. apply performs them here, for any provider, and removes them from the body. emit writes the
    /// steps of the policy into the body instead of cutting.
    #[arg(long, value_name = "HOW", value_parser = choices::<ContextManagement>(), hide_short_help = true)]
    pub context_management: Option<String>,

    /// Model that the request is for; else the one that the input names
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,

    /// Provider of that model; else the one that the input names
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = provider)]
    pub provider: Option<String>,

    /// Context window in tokens; else the model's, else 200000
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub context_window: Option<u64>,

    /// Table of prices and cache rules, which joins the built-in one; docs/replay.md describes it
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    #[serde(serialize_with = "as_shown")]
    pub prices: Option<PathBuf>,

    /// Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults
    ///
    /// Both kinds set the mode to cache-ttl and the ttl to 1h unless something else sets them; `deadhead config show --auth KIND` shows
    /// all that follows.
    #[arg(long, hide_short_help = true, value_name = "KIND", value_parser = choices::<Auth>())]
    pub auth: Option<String>,
}

impl PolicyArgs {
    /// Returns the flags that are given but for --set, by their names.
    pub fn given(&self) -> Map<String, Value> {
        let Value::Object(mut given) = json!(self) else {
            return Map::new();
        };
        given.retain(|_, value| !value.is_null() && *value != json!([]));
        given
    }

    /// Returns these values with another policy; protections, rates and the model stay.
    pub fn with_preset(&self, name: &str) -> PolicyArgs {
        PolicyArgs {
            preset: Some(name.to_owned()),
            mode: None,
            ttl: None,
            only_if: None,
            expect_requests: None,
            pass: Vec::new(),
            no_pass: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the words of a command line that have these values.
    pub fn words(&self) -> Vec<String> {
        let given = self.given().into_iter().map(|(name, value)| {
            let value = match value {
                Value::Array(names) => joined(names.iter().filter_map(Value::as_str), ","),
                Value::String(text) => text,
                number => number.to_string(),
            };
            [format!("--{name}"), value]
        });
        let sets = self.set.iter().map(|set| ["--set".to_owned(), set.clone()]);
        given.chain(sets).flatten().collect()
    }
}

/// A path as messages have it, whatever its bytes are.
fn as_shown<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref()
        .map(|path| path.display().to_string())
        .serialize(to)
}

/// A number of tokens.
fn tokens(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "expected a number such as 200000")
}

#[derive(Subcommand)]
#[command(defer = true)]
pub enum ConfigCommand {
    /// Print each value and the layer that it comes from
    Show {
        #[command(flatten)]
        policy: Box<PolicyArgs>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a configuration file with every key at its default
    Init,
    /// Print JSON Schemas of the configuration, the report, the replay and the advice
    Schema,
    /// List the named policies, or describe one
    Presets {
        /// Name of the policy
        name: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    #[test]
    fn words_name_every_flag_and_are_read_back() {
        let words = "--preset a --workload w --config c.json5 --mode adaptive --ttl 5m --pass dedupe,turn-drop --no-pass ephemeral --only-if always \
                     --expect-requests 7 --thinking keep --context-management apply --model m --provider xai --context-window 20000 --prices p.tsv --auth oauth \
                     --set a=1 --set b=2";
        let words: Vec<&str> = words.split_whitespace().collect();
        let command = PolicyArgs::augment_args(Command::new("deadhead").no_binary_name(true));
        let flags: Vec<&str> = command
            .get_arguments()
            .filter_map(|flag| flag.get_long())
            .collect();
        assert!(
            flags
                .iter()
                .all(|flag| words.contains(&&*format!("--{flag}"))),
            "{flags:?}"
        );
        let read = PolicyArgs::from_arg_matches(&command.get_matches_from(&words)).unwrap();
        assert_eq!(read.words(), words);
    }
}
