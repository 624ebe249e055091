//! `edits`: a policy as a list of steps, in the words of Anthropic's `context_management`.

use super::context_pruning::Images;
use crate::{
    settings::{
        kinds::*,
        section::{Words, choices, section},
        steps::{
            ClearAtLeastKind, Inputs, KeepKind, Messages, ResultTokens, Sizes, StopKind, Triggers,
        },
    },
    wildcard,
};

section! {
    /// One step of `edits`. What a step does not state has no effect.
    pub struct Step(step_key) {
        /// The action of the step.
        kind: Choice<StepType>,
        /// The amount above which it does that, or the time from which on; without one always.
        trigger: Optional<Triggers>,
        /// The time that the conversation rested, for the trigger idle; without it, the time since the last call.
        rested: Optional<Millis>,
        /// The number of newest items that are kept, and their unit; with thinking_turns, the number may be "all".
        keep: Optional<KeepKind>,
        /// The newest messages or turns, which are neither counted nor cut.
        spare: Optional<Messages>,
        /// Only these tools, as patterns with *.
        tools: Sparse<List>,
        /// None of these tools, as patterns with *.
        exclude_tools: Sparse<List>,
        /// Whether names of tools are compared letter by letter.
        exact_names: Sparse<Flag>,
        /// Handling of results that are errors.
        errors: Sparse<Choice<Errors>>,
        /// Handling of results without text.
        empty: Sparse<Choice<Exemption>>,
        /// Handling of the newest result, whatever keep says.
        newest_result: Sparse<Choice<Exemption>>,
        /// Only results that come again later, by the call that was made or by what they say; the newest stays.
        duplicates: Optional<Choice<Duplicates>>,
        /// Only results larger than this.
        over: Optional<Sizes>,
        /// The tokens that the results of all candidates together must have; else the step does nothing.
        candidates_hold: Optional<ResultTokens>,
        /// The point at which to stop, from the oldest on.
        until: Sparse<StopKind>,
        /// The amount that the step must free; else it does nothing.
        clear_at_least: Optional<ClearAtLeastKind>,
        /// Only a multiple of so many is counted, so that cuts come together.
        polling: Optional<FromOne>,
        /// Counted beside the candidates, before the oldest: as a program counts what it never clears.
        also_counted: Optional<FromOne>,
        /// Whether the arguments of the calls go as well: all, or those of tools by name.
        clear_tool_inputs: Sparse<Inputs>,
        /// The text that replaces a cleared result, with {tool} {chars} {tokens} {lines} {splitlines} {ref}.
        placeholder: Sparse<Marker> = CLEARED.to_owned(),
        /// The size of the beginning that a truncated result keeps.
        head: Optional<Sizes>,
        /// The size of the end that a truncated result keeps.
        tail: Optional<Sizes>,
        /// The text between head and tail: with the names of placeholder, and {removed} {excess} {head} {tail}.
        note: Optional<Marker>,
        /// The way tokens are counted.
        estimator: Sparse<Choice<Counting>>,
    }
    beside {
        /// Of soft-trim and hard-clear: what no other step has.
        pruning: Option<PruningRules>,
    }
}

impl Step {
    /// The name in reports: of the pass that it is, else of its type.
    pub fn name(&self) -> &'static str {
        self.pruning
            .map_or(self.kind.name(), |pruning| pruning.pass)
    }

    /// Whether the step is about this tool.
    pub fn names(&self, tool: &str) -> bool {
        self.lists(&self.tools, &self.exclude_tools, tool)
    }

    /// Whether lists of the step let a tool through: an empty first list lets all.
    pub fn lists(&self, only: &[String], never: &[String], tool: &str) -> bool {
        if !self.exact_names {
            return wildcard::allows(only, never, tool);
        }
        let has = |list: &[String], name: &str| list.iter().any(|listed| listed == name);
        (only.is_empty() || has(only, "*") || has(only, tool)) && !has(never, tool)
    }
}

/// The key of a field of a step.
fn step_key(field: &str) -> String {
    if field == "kind" { "type" } else { field }.to_owned()
}

/// The settings of soft-trim and hard-clear that other steps do not have. These two begin after the first message of a user, and report the results that a rule
/// leaves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruningRules {
    /// The name of the pass that the step is.
    pub pass: &'static str,
    /// Handling of results with images.
    pub images: Images,
    /// Whether results stay that are no longer than the placeholder.
    pub skip_shorter: bool,
}

/// The text that replaces a cleared result, unless the step states another.
pub const CLEARED: &str = "[cleared]";

choices! {
    /// `type`: what a step does.
    pub enum StepType {
        /// Results give way to a placeholder.
        ClearToolResults = "clear_tool_results",
        /// Large results lose their middle or their end.
        TruncateToolResults = "truncate_tool_results",
        /// Reasoning is removed.
        ClearThinking = "clear_thinking",
        /// Calls are removed with their results.
        DropToolCalls = "drop_tool_calls",
        /// The pass of this name.
        Dedupe = "dedupe",
        /// The pass of this name.
        Ephemeral = "ephemeral",
        /// The pass of this name.
        StaleResource = "stale-resource",
    }

    /// `errors`: what happens to results that are errors.
    pub enum Errors {
        /// They are as others.
        Clear = "clear",
        /// They stay, and do not count.
        Keep = "keep",
        /// They are the only ones.
        Only = "only",
    }

    /// Whether something is as others, or stays.
    pub enum Exemption {
        /// It is as others.
        Clear = "clear",
        /// It stays.
        Keep = "keep",
    }

    /// `duplicates`: what makes two results one.
    pub enum Duplicates {
        /// The same tool was called with the same arguments.
        SameCall = "same_call",
        /// The same tool said the same.
        SameContent = "same_content",
    }

    /// `estimator`: how tokens are counted.
    pub enum Counting {
        /// As the log recorded them; where it did not, four chars make one.
        Auto = "auto",
        /// Four chars make one.
        Chars = "chars",
        /// Of a result its text: four UTF-16 units make one, rounded.
        Rounded = "rounded",
        /// Of each message what Python prints of it: four code points make one, rounded up, and three more.
        Messages = "messages",
    }
}

impl StepType {
    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        StepType::WORDS[self as usize]
    }
}
