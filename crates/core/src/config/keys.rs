//! Every key that can be set, as one table: path, kind, doc, and how it is written to and read from [`Settings`].
//!
//! Files, flags, `--set`, presets, `config show`, `config init` and the JSON Schema all read this table; a new key is
//! one row here and one field there.

use serde_json::{Value, json};

use super::duration::format_duration;
use super::kind::Kind;
use super::maps::{rates, rates_as_json, stateful, stateful_as_json, windows, windows_as_json, workloads, workloads_as_json};
use super::settings::{Auth, Compat, Estimator, Images, Markers, Mode, Order, Providers, Scope, Settings, Thinking, ToolTurns, TurnUnit};
use super::values::{
    boolean, choice, count, duration, globs, integer, list, names, optional, patterns, placeholder, ratio, regexes, share, text, tokens,
};
use super::words::{Word, words};

/// One key.
pub struct Key {
    /// Its path, dotted.
    pub path: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// One line about it.
    pub doc: &'static str,
    set: fn(&mut Settings, &Value) -> Option<()>,
    get: fn(&Settings) -> Value,
}

/// The table, in the order in which it is shown.
pub const KEYS: &[Key] = &[
    Key {
        path: "contextPruning.mode",
        kind: Kind::Choice(words::<Mode>),
        doc: "When to prune: by the clock of the provider's cache, by size alone, all that may be cleared, or not at all",
        set: |s, v| put(&mut s.context_pruning.mode, choice(v)),
        get: |s| json!(s.context_pruning.mode.word()),
    },
    Key {
        path: "contextPruning.ttl",
        kind: Kind::Duration,
        doc: "Age of the last call from which the provider's cache counts as expired; 0 never prunes by the clock",
        set: |s, v| put(&mut s.context_pruning.ttl_ms, duration(v)),
        get: |s| json!(format_duration(s.context_pruning.ttl_ms)),
    },
    Key {
        path: "contextPruning.keepLastAssistants",
        kind: Kind::Integer,
        doc: "Assistant messages at the end whose tool results are left alone",
        set: |s, v| put(&mut s.context_pruning.keep_last_assistants, count(v)),
        get: |s| json!(s.context_pruning.keep_last_assistants),
    },
    Key {
        path: "contextPruning.softTrimRatio",
        kind: Kind::Ratio,
        doc: "Share of the context window from which large results are trimmed",
        set: |s, v| put(&mut s.context_pruning.soft_trim_ratio, ratio(v)),
        get: |s| json!(s.context_pruning.soft_trim_ratio),
    },
    Key {
        path: "contextPruning.hardClearRatio",
        kind: Kind::Ratio,
        doc: "Share of the context window from which old results are cleared",
        set: |s, v| put(&mut s.context_pruning.hard_clear_ratio, ratio(v)),
        get: |s| json!(s.context_pruning.hard_clear_ratio),
    },
    Key {
        path: "contextPruning.minPrunableToolChars",
        kind: Kind::Integer,
        doc: "Chars that the results in reach must have together before any is cleared",
        set: |s, v| put(&mut s.context_pruning.min_prunable_tool_chars, integer(v)),
        get: |s| json!(s.context_pruning.min_prunable_tool_chars),
    },
    Key {
        path: "contextPruning.tools.allow",
        kind: Kind::List,
        doc: "Tools whose results may be cut, as patterns with *; none allows all",
        set: |s, v| put(&mut s.context_pruning.tools.allow, patterns(v)),
        get: |s| json!(s.context_pruning.tools.allow),
    },
    Key {
        path: "contextPruning.tools.deny",
        kind: Kind::List,
        doc: "Tools whose results are never cut, as patterns with *; wins over allow",
        set: |s, v| put(&mut s.context_pruning.tools.deny, patterns(v)),
        get: |s| json!(s.context_pruning.tools.deny),
    },
    Key {
        path: "contextPruning.softTrim.maxChars",
        kind: Kind::Integer,
        doc: "Results of more UTF-16 units than this are trimmed",
        set: |s, v| put(&mut s.context_pruning.soft_trim.max_chars, integer(v)),
        get: |s| json!(s.context_pruning.soft_trim.max_chars),
    },
    Key {
        path: "contextPruning.softTrim.headChars",
        kind: Kind::Integer,
        doc: "UTF-16 units a trim keeps of the beginning",
        set: |s, v| put(&mut s.context_pruning.soft_trim.head_chars, integer(v)),
        get: |s| json!(s.context_pruning.soft_trim.head_chars),
    },
    Key {
        path: "contextPruning.softTrim.tailChars",
        kind: Kind::Integer,
        doc: "UTF-16 units a trim keeps of the end",
        set: |s, v| put(&mut s.context_pruning.soft_trim.tail_chars, integer(v)),
        get: |s| json!(s.context_pruning.soft_trim.tail_chars),
    },
    Key {
        path: "contextPruning.hardClear.enabled",
        kind: Kind::Bool,
        doc: "Whether old results are cleared at all; the aggressive mode does not ask",
        set: |s, v| put(&mut s.context_pruning.hard_clear.enabled, boolean(v)),
        get: |s| json!(s.context_pruning.hard_clear.enabled),
    },
    Key {
        path: "contextPruning.hardClear.placeholder",
        kind: Kind::Text,
        doc: "What a cleared result becomes",
        set: |s, v| put(&mut s.context_pruning.hard_clear.placeholder, placeholder(v)),
        get: |s| json!(s.context_pruning.hard_clear.placeholder),
    },
    Key {
        path: "contextPruning.hardClear.skipShorter",
        kind: Kind::Bool,
        doc: "Keep results that are no longer than the placeholder (OpenClaw clears them)",
        set: |s, v| put(&mut s.context_pruning.hard_clear.skip_shorter, boolean(v)),
        get: |s| json!(s.context_pruning.hard_clear.skip_shorter),
    },
    Key {
        path: "contextPruning.images",
        kind: Kind::Choice(words::<Images>),
        doc: "Whether a result with an image is left alone or loses its images",
        set: |s, v| put(&mut s.context_pruning.images, choice(v)),
        get: |s| json!(s.context_pruning.images.word()),
    },
    Key {
        path: "contextPruning.estimator",
        kind: Kind::Choice(words::<Estimator>),
        doc: "How chars are counted: UTF-16 units, or with weights for Chinese, Japanese and Korean",
        set: |s, v| put(&mut s.context_pruning.estimator, choice(v)),
        get: |s| json!(s.context_pruning.estimator.word()),
    },
    Key {
        path: "contextPruning.dropThinkingForEstimate",
        kind: Kind::Bool,
        doc: "Whether thinking, but for the last assistant message's, is left out of the fill that decides",
        set: |s, v| put(&mut s.context_pruning.drop_thinking_for_estimate, boolean(v)),
        get: |s| json!(s.context_pruning.drop_thinking_for_estimate),
    },
    Key {
        path: "contextPruning.providers",
        kind: Kind::Choice(words::<Providers>),
        doc: "Whose calls the cache-ttl mode may prune",
        set: |s, v| put(&mut s.context_pruning.providers, choice(v)),
        get: |s| json!(s.context_pruning.providers.word()),
    },
    Key {
        path: "contextPruning.markers",
        kind: Kind::Choice(words::<Markers>),
        doc: "Which of OpenClaw's markers tell the last call: any, or those of this provider and model",
        set: |s, v| put(&mut s.context_pruning.markers, choice(v)),
        get: |s| json!(s.context_pruning.markers.word()),
    },
    Key {
        path: "ephemeral.enabled",
        kind: Kind::Bool,
        doc: "Whether old calls go that are done with",
        set: |s, v| put(&mut s.ephemeral.enabled, boolean(v)),
        get: |s| json!(s.ephemeral.enabled),
    },
    Key {
        path: "ephemeral.keepTurns",
        kind: Kind::Integer,
        doc: "Turns of the user at the end whose calls the pass ephemeral leaves alone",
        set: |s, v| put(&mut s.ephemeral.keep_turns, count(v)),
        get: |s| json!(s.ephemeral.keep_turns),
    },
    Key {
        path: "ephemeral.compat",
        kind: Kind::OptionalChoice(words::<Compat>),
        doc: "anahata keeps one turn more, as its code does",
        set: |s, v| put(&mut s.ephemeral.compat, optional(v, choice)),
        get: |s| json!(s.ephemeral.compat.map(Compat::word)),
    },
    Key {
        path: "ephemeral.tools",
        kind: Kind::List,
        doc: "Tools known to be ephemeral, as patterns with *: the report does not list them as unknown",
        set: |s, v| put(&mut s.ephemeral.tools, list(v)),
        get: |s| json!(s.ephemeral.tools),
    },
    Key {
        path: "resources.enabled",
        kind: Kind::Bool,
        doc: "Whether older versions of a file go that a newer read or write replaces (the pass stale-resource)",
        set: |s, v| put(&mut s.resources.enabled, boolean(v)),
        get: |s| json!(s.resources.enabled),
    },
    Key {
        path: "resources.stateful",
        kind: Kind::Tools,
        doc: "Tools that hold a resource and the argument that names it, as patterns with *; before the built-in ones, null takes one out",
        set: |s, v| put(&mut s.resources.stateful, stateful(v)),
        get: |s| stateful_as_json(&s.resources.stateful),
    },
    Key {
        path: "resources.builtIn",
        kind: Kind::Bool,
        doc: "Whether the file tools of Claude Code, OpenClaw, Codex, Gemini CLI, OpenCode and the like are known",
        set: |s, v| put(&mut s.resources.built_in, boolean(v)),
        get: |s| json!(s.resources.built_in),
    },
    Key {
        path: "protect.tools",
        kind: Kind::List,
        doc: "Tools whose calls and results no pass cuts, as patterns with *",
        set: |s, v| put(&mut s.protect.tools, patterns(v)),
        get: |s| json!(s.protect.tools),
    },
    Key {
        path: "protect.files",
        kind: Kind::Globs,
        doc: "Globs of paths; calls that name such a path, and their results, no pass cuts",
        set: |s, v| put(&mut s.protect.files, globs(v)),
        get: |s| json!(s.protect.files.list()),
    },
    Key {
        path: "protect.patterns",
        kind: Kind::Regexes,
        doc: "Regular expressions; texts of the user and the assistant in which one is found no pass cuts",
        set: |s, v| put(&mut s.protect.patterns, regexes(v)),
        get: |s| json!(s.protect.patterns.list()),
    },
    Key {
        path: "turnDrop.enabled",
        kind: Kind::Bool,
        doc: "Whether turns in the middle of a long conversation go",
        set: |s, v| put(&mut s.turn_drop.enabled, boolean(v)),
        get: |s| json!(s.turn_drop.enabled),
    },
    Key {
        path: "turnDrop.minMessages",
        kind: Kind::Integer,
        doc: "Conversations of more messages than this are eligible",
        set: |s, v| put(&mut s.turn_drop.size.min_messages, integer(v)),
        get: |s| json!(s.turn_drop.size.min_messages),
    },
    Key {
        path: "turnDrop.minBodyChars",
        kind: Kind::Integer,
        doc: "Conversations of more Unicode scalar values of JSON text than this are eligible, too",
        set: |s, v| put(&mut s.turn_drop.size.min_body_chars, integer(v)),
        get: |s| json!(s.turn_drop.size.min_body_chars),
    },
    Key {
        path: "turnDrop.keepTurns",
        kind: Kind::Integer,
        doc: "Turns at the end that stay, at least one",
        set: |s, v| put(&mut s.turn_drop.keep_turns, count(v).map(|n| n.max(1))),
        get: |s| json!(s.turn_drop.keep_turns),
    },
    Key {
        path: "turnDrop.turnUnit",
        kind: Kind::Choice(words::<TurnUnit>),
        doc: "What a turn is: a message, or what a user says and all up to the next",
        set: |s, v| put(&mut s.turn_drop.turn_unit, choice(v)),
        get: |s| json!(s.turn_drop.turn_unit.word()),
    },
    Key {
        path: "turnDrop.toolTurns",
        kind: Kind::Choice(words::<ToolTurns>),
        doc: "Whether turns with calls or results stay, or go as whole steps",
        set: |s, v| put(&mut s.turn_drop.tool_turns, choice(v)),
        get: |s| json!(s.turn_drop.tool_turns.word()),
    },
    Key {
        path: "turnDrop.dropImages",
        kind: Kind::Bool,
        doc: "Whether messages with images may go",
        set: |s, v| put(&mut s.turn_drop.drop_images, boolean(v)),
        get: |s| json!(s.turn_drop.drop_images),
    },
    Key {
        path: "turnDrop.marker",
        kind: Kind::Text,
        doc: "A note that is left in the place of the turns that went; none where it is empty",
        set: |s, v| put(&mut s.turn_drop.marker, v.as_str().map(str::to_owned)),
        get: |s| json!(s.turn_drop.marker),
    },
    Key {
        path: "thinking",
        kind: Kind::Choice(words::<Thinking>),
        doc: "What happens to thinking that an edit before it makes invalid on Claude 5.1 and later",
        set: |s, v| put(&mut s.thinking, choice(v)),
        get: |s| json!(s.thinking.word()),
    },
    Key {
        path: "ragRerank.enabled",
        kind: Kind::Bool,
        doc: "Whether retrieved chunks are ranked by the question and the last of them go",
        set: |s, v| put(&mut s.rag_rerank.enabled, boolean(v)),
        get: |s| json!(s.rag_rerank.enabled),
    },
    Key {
        path: "ragRerank.minMessages",
        kind: Kind::Integer,
        doc: "Conversations of more messages than this are eligible",
        set: |s, v| put(&mut s.rag_rerank.size.min_messages, integer(v)),
        get: |s| json!(s.rag_rerank.size.min_messages),
    },
    Key {
        path: "ragRerank.minBodyChars",
        kind: Kind::Integer,
        doc: "Conversations of more Unicode scalar values of JSON text than this are eligible, too",
        set: |s, v| put(&mut s.rag_rerank.size.min_body_chars, integer(v)),
        get: |s| json!(s.rag_rerank.size.min_body_chars),
    },
    Key {
        path: "ragRerank.minChunks",
        kind: Kind::Integer,
        doc: "Lists of fewer chunks than this are left alone",
        set: |s, v| put(&mut s.rag_rerank.min_chunks, count(v)),
        get: |s| json!(s.rag_rerank.min_chunks),
    },
    Key {
        path: "ragRerank.order",
        kind: Kind::Choice(words::<Order>),
        doc: "Whether the best chunks come first, or those that stay come as they came",
        set: |s, v| put(&mut s.rag_rerank.order, choice(v)),
        get: |s| json!(s.rag_rerank.order.word()),
    },
    Key {
        path: "ragRerank.threshold",
        kind: Kind::OptionalRatio,
        doc: "Chunks that score less than this are removed, the best one of their list having 1; 0 keeps all, null chooses by the scores of each list",
        set: |s, v| put(&mut s.rag_rerank.threshold, optional(v, share)),
        get: |s| json!(s.rag_rerank.threshold),
    },
    Key {
        path: "ragRerank.maxChunks",
        kind: Kind::Limit,
        doc: "Chunks of a list that may stay; null for no limit",
        set: |s, v| put(&mut s.rag_rerank.max_chunks, tokens(v)),
        get: |s| json!(s.rag_rerank.max_chunks),
    },
    Key {
        path: "ragRerank.maxChars",
        kind: Kind::Limit,
        doc: "UTF-16 units that the chunks of a list may have together; null for no limit",
        set: |s, v| put(&mut s.rag_rerank.max_chars, tokens(v)),
        get: |s| json!(s.rag_rerank.max_chars),
    },
    Key {
        path: "ragRerank.minKeep",
        kind: Kind::Integer,
        doc: "Chunks of a list that stay whatever they score",
        set: |s, v| put(&mut s.rag_rerank.min_keep, count(v)),
        get: |s| json!(s.rag_rerank.min_keep),
    },
    Key {
        path: "passes.on",
        kind: Kind::Names,
        doc: "Passes turned on; layers add up, and a later layer's word on a pass counts",
        set: |s, v| {
            let names = names(v)?;
            s.passes.off.retain(|name| !names.contains(name));
            s.passes.on.extend(names);
            Some(())
        },
        get: |s| json!(s.passes.on),
    },
    Key {
        path: "passes.off",
        kind: Kind::Names,
        doc: "Passes turned off; within one layer this wins over passes.on",
        set: |s, v| {
            let names = names(v)?;
            s.passes.on.retain(|name| !names.contains(name));
            s.passes.off.extend(names);
            Some(())
        },
        get: |s| json!(s.passes.off),
    },
    Key {
        path: "model",
        kind: Kind::OptionalText,
        doc: "Model the request will run on; else the input's own",
        set: |s, v| put(&mut s.model, optional(v, text)),
        get: |s| json!(s.model),
    },
    Key {
        path: "provider",
        kind: Kind::OptionalText,
        doc: "Provider of that model; else the input's own",
        set: |s, v| put(&mut s.provider, optional(v, text)),
        get: |s| json!(s.provider),
    },
    Key {
        path: "contextWindow",
        kind: Kind::Tokens,
        doc: "Context window in tokens, whatever the model",
        set: |s, v| put(&mut s.context_window, tokens(v)),
        get: |s| json!(s.context_window),
    },
    Key {
        path: "models.providers",
        kind: Kind::Object,
        doc: "Context windows of models that the program does not know: {NAME: {models: [{id, contextWindow}]}}",
        set: |s, v| put(&mut s.model_windows, windows(v)),
        get: |s| windows_as_json(&s.model_windows),
    },
    Key {
        path: "agents.defaults.contextTokens",
        kind: Kind::Tokens,
        doc: "Context window in tokens where the model's is not known",
        set: |s, v| put(&mut s.context_tokens, tokens(v)),
        get: |s| json!(s.context_tokens),
    },
    Key {
        path: "scope",
        kind: Kind::Choice(words::<Scope>),
        doc: "What counts: what the agent would send next, or all messages of the file",
        set: |s, v| put(&mut s.scope, choice(v)),
        get: |s| json!(s.scope.word()),
    },
    Key {
        path: "mirrors",
        kind: Kind::Bool,
        doc: "Cut the copies of results that a log keeps for the screen as well: this saves bytes, no tokens",
        set: |s, v| put(&mut s.mirrors, boolean(v)),
        get: |s| json!(s.mirrors),
    },
    Key {
        path: "auth",
        kind: Kind::OptionalChoice(words::<Auth>),
        doc: "How Anthropic is paid; smart defaults follow from it",
        set: |s, v| put(&mut s.auth, optional(v, choice)),
        get: |s| json!(s.auth.map(Auth::word)),
    },
    Key {
        path: "heartbeat.every",
        kind: Kind::OptionalDuration,
        doc: "What a scheduler should use; for information, nothing here acts on it",
        set: |s, v| put(&mut s.heartbeat_every_ms, optional(v, duration)),
        get: |s| json!(s.heartbeat_every_ms.map(format_duration)),
    },
    Key {
        path: "cacheControlTtl",
        kind: Kind::OptionalDuration,
        doc: "What requests should ask of the provider's cache; for information, nothing here acts on it",
        set: |s, v| put(&mut s.cache_control_ttl_ms, optional(v, duration)),
        get: |s| json!(s.cache_control_ttl_ms.map(format_duration)),
    },
    Key {
        path: "state.timeout",
        kind: Kind::Duration,
        doc: "How long to wait for another process's lock on the state file; a bare number is minutes",
        set: |s, v| put(&mut s.state_timeout_ms, duration(v)),
        get: |s| json!(format_duration(s.state_timeout_ms)),
    },
    Key {
        path: "workloads",
        kind: Kind::Workloads,
        doc: "Settings by workload, for --workload: {NAME: {SETTINGS, canary: {floor, minSamples, window}}}",
        set: |s, v| put(&mut s.workloads, workloads(v)),
        get: |s| workloads_as_json(&s.workloads),
    },
    Key {
        path: "dedupe.minChars",
        kind: Kind::Integer,
        doc: "Chars that a result must have for dedupe to replace it by a note",
        set: |s, v| put(&mut s.dedupe_min_chars, integer(v)),
        get: |s| json!(s.dedupe_min_chars),
    },
    Key {
        path: "replay.rates",
        kind: Kind::Rates,
        doc: "Prices and cache rules of models, for replay: {MODEL: {input, output, cacheRead, cacheWrite, lifetime}}",
        set: |s, v| put(&mut s.rates, rates(v)),
        get: |s| rates_as_json(&s.rates),
    },
];

impl Key {
    /// Writes a value; an error says what the key takes.
    pub fn set(&self, settings: &mut Settings, value: &Value) -> Result<(), String> {
        (self.set)(settings, value).ok_or_else(|| self.kind.expected())
    }

    /// Reads the value as JSON that [`Key::set`] takes.
    pub fn get(&self, settings: &Settings) -> Value {
        (self.get)(settings)
    }
}

/// The row of a path.
pub fn key(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// The names that may follow a path, each once; `""` for the top.
pub(super) fn names_under(path: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS {
        let rest = if path.is_empty() { Some(key.path) } else { key.path.strip_prefix(path).and_then(|r| r.strip_prefix('.')) };
        if let Some(name) = rest.and_then(|rest| rest.split('.').next())
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

fn put<T>(slot: &mut T, value: Option<T>) -> Option<()> {
    *slot = value?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_reads_back_as_it_is_written() {
        for key in KEYS {
            let default = key.get(&Settings::default());
            let mut settings = Settings::default();
            assert_eq!(key.set(&mut settings, &default), Ok(()), "{}", key.path);
            assert_eq!(settings, Settings::default(), "{}", key.path);
            assert!(key.set(&mut settings, &json!({"a": 1})).is_err(), "{}", key.path);
            assert!(!key.doc.ends_with('.') && super::key(key.path).is_some());
        }
    }

    #[test]
    fn names_by_place() {
        assert_eq!(names_under("contextPruning.softTrim"), ["maxChars", "headChars", "tailChars"]);
        assert_eq!(names_under("contextPruning.mode"), [""; 0]);
        assert!(names_under("").contains(&"contextPruning"));
        assert!(names_under("contextPrun").is_empty());
    }
}
