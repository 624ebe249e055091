//! `edits`: a policy as a list of steps, in the words of Anthropic's `context_management`.

use super::context_pruning::Images;
use crate::settings::amounts::{
    Amount, ClearAtLeast, ClearAtLeastKind, Keep, KeepKind, Messages, ResultTokens, Size, Sizes,
    Stop, StopKind, Triggers,
};
use crate::settings::kinds::{As, Choice, Flag, FromOne, List, Marker, Millis, Optional};
use crate::settings::steps::Inputs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of `edits`. What a step does not state has no effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// The action of the step.
    #[serde(rename = "type", with = "As::<Choice<StepType>>")]
    pub kind: StepType,
    /// The amount above which it does that, or the time from which on; without one always.
    #[serde(
        with = "As::<Optional<Triggers>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub trigger: Option<Amount>,
    /// The time that the conversation rested, for the trigger idle; without it, the time since the last call.
    #[serde(
        with = "As::<Optional<Millis>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub rested: Option<u64>,
    /// The number of newest items that are kept, and their unit; with thinking_turns, the number may be "all".
    #[serde(
        with = "As::<Optional<KeepKind>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub keep: Option<Keep>,
    /// The newest messages or turns, which are neither counted nor cut.
    #[serde(
        with = "As::<Optional<Messages>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub spare: Option<Amount>,
    /// Only these tools, as patterns with *.
    #[serde(with = "As::<List>", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// None of these tools, as patterns with *.
    #[serde(with = "As::<List>", skip_serializing_if = "Vec::is_empty")]
    pub exclude_tools: Vec<String>,
    /// Whether names of tools are compared letter by letter.
    #[serde(with = "As::<Flag>", skip_serializing_if = "is_default")]
    pub exact_names: bool,
    /// Handling of results that are errors.
    #[serde(with = "As::<Choice<Errors>>", skip_serializing_if = "is_default")]
    pub errors: Errors,
    /// Handling of results without text.
    #[serde(with = "As::<Choice<Exemption>>", skip_serializing_if = "is_default")]
    pub empty: Exemption,
    /// Handling of the newest result, whatever keep says.
    #[serde(with = "As::<Choice<Exemption>>", skip_serializing_if = "is_default")]
    pub newest_result: Exemption,
    /// Only results that come again later, by the call that was made or by what they say; the newest stays.
    #[serde(
        with = "As::<Optional<Choice<Duplicates>>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub duplicates: Option<Duplicates>,
    /// Only results larger than this.
    #[serde(
        with = "As::<Optional<Sizes>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub over: Option<Size>,
    /// The tokens that the results of all candidates together must have; else the step does nothing.
    #[serde(
        with = "As::<Optional<ResultTokens>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub candidates_hold: Option<Size>,
    /// The point at which to stop, from the oldest on.
    #[serde(with = "As::<StopKind>", skip_serializing_if = "is_default")]
    pub until: Stop,
    /// The amount that the step must free; else it does nothing.
    #[serde(
        with = "As::<Optional<ClearAtLeastKind>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub clear_at_least: Option<ClearAtLeast>,
    /// Only a multiple of so many is counted, so that cuts come together.
    #[serde(
        with = "As::<Optional<FromOne>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub polling: Option<u64>,
    /// Counted beside the candidates, before the oldest: as a program counts what it never clears.
    #[serde(
        with = "As::<Optional<FromOne>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub also_counted: Option<u64>,
    /// Whether the arguments of the calls go as well: all, or those of tools by name.
    #[serde(with = "As::<Inputs>", skip_serializing_if = "Vec::is_empty")]
    pub clear_tool_inputs: Vec<String>,
    /// The text that replaces a cleared result, with {tool} {chars} {tokens} {lines} {splitlines} {ref}.
    #[serde(with = "As::<Marker>", skip_serializing_if = "is_placeholder")]
    pub placeholder: String,
    /// The size of the beginning that a truncated result keeps.
    #[serde(
        with = "As::<Optional<Sizes>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub head: Option<Size>,
    /// The size of the end that a truncated result keeps.
    #[serde(
        with = "As::<Optional<Sizes>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub tail: Option<Size>,
    /// The text between head and tail: with the names of placeholder, and {removed} {excess} {head} {tail}.
    #[serde(
        with = "As::<Optional<Marker>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub note: Option<String>,
    /// The way tokens are counted.
    #[serde(with = "As::<Choice<Counting>>", skip_serializing_if = "is_default")]
    pub estimator: Counting,
    /// Of soft-trim and hard-clear: what no other step has.
    #[serde(skip)]
    pub pruning: Option<PruningRules>,
}

/// The settings of soft-trim and hard-clear that other steps do not have. These two begin after the first message of a user, and report the results that a rule
/// leaves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruningRules {
    /// Handling of results with images.
    pub images: Images,
    /// Whether results stay that are no longer than the placeholder.
    pub skip_shorter: bool,
}

/// The text that replaces a cleared result, unless the step states another.
pub const CLEARED: &str = "[cleared]";

impl Default for Step {
    fn default() -> Step {
        Step {
            kind: StepType::ClearToolResults,
            trigger: None,
            rested: None,
            keep: None,
            spare: None,
            tools: Vec::new(),
            exclude_tools: Vec::new(),
            exact_names: false,
            errors: Errors::Clear,
            empty: Exemption::Clear,
            newest_result: Exemption::Clear,
            duplicates: None,
            over: None,
            candidates_hold: None,
            until: Stop::All,
            clear_at_least: None,
            polling: None,
            also_counted: None,
            clear_tool_inputs: Vec::new(),
            placeholder: CLEARED.to_owned(),
            head: None,
            tail: None,
            note: None,
            estimator: Counting::Auto,
            pruning: None,
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_placeholder(value: &str) -> bool {
    value == CLEARED
}

/// `type`: what a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepType {
    /// Results give way to a placeholder.
    ClearToolResults,
    /// Large results lose their middle or their end.
    TruncateToolResults,
    /// Reasoning is removed.
    ClearThinking,
    /// Calls are removed with their results.
    DropToolCalls,
}

impl StepType {
    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            StepType::ClearToolResults => "clear_tool_results",
            StepType::TruncateToolResults => "truncate_tool_results",
            StepType::ClearThinking => "clear_thinking",
            StepType::DropToolCalls => "drop_tool_calls",
        }
    }
}

/// `errors`: what happens to results that are errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Errors {
    /// They are as others.
    #[default]
    Clear,
    /// They stay, and do not count.
    Keep,
    /// They are the only ones.
    Only,
}

/// Whether something is as others, or stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exemption {
    /// It is as others.
    #[default]
    Clear,
    /// It stays.
    Keep,
}

/// `duplicates`: what makes two results one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Duplicates {
    /// The same tool was called with the same arguments.
    SameCall,
    /// The same tool said the same.
    SameContent,
}

/// `estimator`: how tokens are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// As the log recorded them; where it did not, four chars make one.
    #[default]
    Auto,
    /// Four chars make one.
    Chars,
    /// Of a result its text: four UTF-16 units make one, rounded.
    Rounded,
    /// Of each message what Python prints of it: four code points make one, rounded up, and three more.
    Messages,
}
