//! `edits`: a policy as a list of steps, in the words of Anthropic's `context_management`.

use super::context_pruning::Images;
use super::truncation::{Contents, Form, Limit};
use crate::settings::amounts::{Amount, ClearAtLeast, ClearAtLeastKind, Keep, KeepKind, Numbers, Stop, StopKind, Trigger, Triggers, Unit};
use crate::settings::kinds::{As, Choice, Flag, FromOne, List, Marker, Millis, Nullable, Optional};
use crate::settings::steps::{Inputs, WhichInputs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of `edits`. What a step does not state has no effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// The action of the step.
    #[serde(rename = "type", with = "As::<Choice<StepType>>")]
    pub kind: StepType,
    /// When it does that; without one always.
    #[serde(with = "As::<Optional<Triggers>>", skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The time that the conversation rested, for the trigger idle; without it, the time since the last call.
    #[serde(with = "As::<Optional<Millis>>", skip_serializing_if = "Option::is_none")]
    pub rested: Option<u64>,
    /// The number of newest items that are kept, and their unit.
    #[serde(with = "As::<Optional<KeepKind>>", skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// The newest of what is neither counted nor cut: messages or turns.
    #[serde(with = "As::<Optional<KeepKind>>", skip_serializing_if = "Option::is_none")]
    pub spare: Option<Keep>,
    /// The message after which the step begins; results after the first message of a user that a rule leaves alone are reported.
    #[serde(with = "As::<Choice<Start>>", skip_serializing_if = "is_default")]
    pub start: Start,
    /// Handling of results with images; without it, results that are truncated are left alone, and results that are cleared lose them.
    #[serde(with = "As::<Optional<Choice<Images>>>", skip_serializing_if = "Option::is_none")]
    pub images: Option<Images>,
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
    /// Handling of calls to be removed whose results the model has not read.
    #[serde(with = "As::<Choice<Exemption>>", skip_serializing_if = "stays")]
    pub unread: Exemption,
    /// Only results that come again later, by the call that was made or by what they say, or texts that do; the newest stays.
    #[serde(with = "As::<Optional<Choice<Duplicates>>>", skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<Duplicates>,
    /// The point at which to stop, from the oldest on.
    #[serde(with = "As::<StopKind>", skip_serializing_if = "is_default")]
    pub until: Stop,
    /// The amount that the step must free; else it does nothing.
    #[serde(with = "As::<Optional<ClearAtLeastKind>>", skip_serializing_if = "Option::is_none")]
    pub clear_at_least: Option<ClearAtLeast>,
    /// Only a multiple of so many is counted, so that cuts come together.
    #[serde(with = "As::<Optional<FromOne>>", skip_serializing_if = "Option::is_none")]
    pub polling: Option<u64>,
    /// Counted beside the candidates, before the oldest: as a program counts what it never clears.
    #[serde(with = "As::<Optional<FromOne>>", skip_serializing_if = "Option::is_none")]
    pub also_counted: Option<u64>,
    /// Whether the arguments of the calls go as well: all, or those of tools by name.
    #[serde(with = "As::<Inputs>", skip_serializing_if = "is_default")]
    pub clear_tool_inputs: WhichInputs,
    /// The text that replaces text arguments and those named by input_members; without it an empty object replaces all arguments.
    #[serde(with = "As::<Optional<Marker>>", skip_serializing_if = "Option::is_none")]
    pub input_placeholder: Option<String>,
    /// Only these arguments, whatever they are.
    #[serde(with = "As::<List>", skip_serializing_if = "Vec::is_empty")]
    pub input_members: Vec<String>,
    /// The text that replaces a cleared result, with {tool} {id} {chars} {tokens} {lines} {ref}; null leaves results as they are.
    #[serde(with = "As::<Nullable<Marker>>", skip_serializing_if = "is_placeholder")]
    pub placeholder: Option<String>,
    /// Only results larger than this.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub over: Option<Amount>,
    /// The size of the beginning that a truncated result keeps.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub head: Option<Amount>,
    /// The size of the end that a truncated result keeps.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub tail: Option<Amount>,
    /// The text between head and tail, or after the head: with the names of placeholder, and {removed}.
    #[serde(with = "As::<Optional<Marker>>", skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the note is beside head and tail, or counts in the head, and is itself cut where it is larger.
    #[serde(with = "As::<Choice<Fit>>", skip_serializing_if = "is_default")]
    pub note_fits: Fit,
    /// Only where the new text is smaller, in this unit.
    #[serde(with = "As::<Optional<Choice<Unit>>>", skip_serializing_if = "Option::is_none")]
    pub only_if_smaller: Option<Unit>,
    /// Further limits, for results that are not over the limit: the first one that a result is over says how it is cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub or: Vec<Limit>,
    /// The way the new text is made.
    #[serde(with = "As::<Choice<Form>>", skip_serializing_if = "is_default")]
    pub form: Form,
    /// Only results that are one string, or only those that are a list of parts.
    #[serde(with = "As::<Choice<Contents>>", skip_serializing_if = "is_default")]
    pub contents: Contents,
    /// Only where the line of the log becomes shorter, as compact JSON in ASCII.
    #[serde(with = "As::<Flag>", skip_serializing_if = "is_default")]
    pub only_if_line_shrinks: bool,
    /// Handling of results in the newest message.
    #[serde(with = "As::<Choice<Exemption>>", skip_serializing_if = "is_default")]
    pub newest_message: Exemption,
    /// The amount that all candidates together must have, in tokens of results; else the step does nothing.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub candidates_hold: Option<Amount>,
    /// Of masked results: the folder in which the whole of them would be.
    #[serde(with = "As::<Optional<Marker>>", skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Of masked results: tools whose results are those of a shell.
    #[serde(with = "As::<List>", skip_serializing_if = "Vec::is_empty")]
    pub shells: Vec<String>,
    /// The way tokens are counted.
    #[serde(with = "As::<Choice<Counting>>", skip_serializing_if = "is_default")]
    pub estimator: Counting,
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
            start: Start::Conversation,
            images: None,
            tools: Vec::new(),
            exclude_tools: Vec::new(),
            exact_names: false,
            errors: Errors::Clear,
            empty: Exemption::Clear,
            newest_result: Exemption::Clear,
            unread: Exemption::Keep,
            duplicates: None,
            until: Stop::All,
            clear_at_least: None,
            polling: None,
            also_counted: None,
            clear_tool_inputs: WhichInputs::None,
            input_placeholder: None,
            input_members: Vec::new(),
            placeholder: Some(CLEARED.to_owned()),
            over: None,
            head: None,
            tail: None,
            note: None,
            note_fits: Fit::Beside,
            only_if_smaller: None,
            or: Vec::new(),
            form: Form::Plain,
            contents: Contents::Any,
            only_if_line_shrinks: false,
            newest_message: Exemption::Clear,
            candidates_hold: None,
            folder: None,
            shells: Vec::new(),
            estimator: Counting::Auto,
        }
    }
}

impl Step {
    /// Whether it cuts only what pays for the cache that it breaks.
    pub fn is_weighed(&self) -> bool {
        self.trigger.is_some_and(|trigger| trigger.amount.unit == Unit::BreakEven)
    }

    /// Whether what it cuts depends on calls, beside the texts of results.
    pub fn asks_calls(&self) -> bool {
        let counts_results = matches!(self.estimator, Counting::Auto | Counting::Chars);
        self.clear_tool_inputs != WhichInputs::None || self.duplicates == Some(Duplicates::SameCall) || !counts_results
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn stays(value: &Exemption) -> bool {
    *value == Exemption::Keep
}

fn is_placeholder(value: &Option<String>) -> bool {
    value.as_deref() == Some(CLEARED)
}

/// `type`: what a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepType {
    /// Results give way to a placeholder.
    ClearToolResults,
    /// Large results lose their middle or their end.
    TruncateToolResults,
    /// Long texts of messages lose their middle or their end.
    TruncateTexts,
    /// Reasoning is removed.
    ClearThinking,
    /// Calls are removed with their results.
    DropToolCalls,
    /// Answers at the end of a body are removed, with all that they contain.
    DropLastAnswers,
}

impl StepType {
    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            StepType::ClearToolResults => "clear_tool_results",
            StepType::TruncateToolResults => "truncate_tool_results",
            StepType::TruncateTexts => "truncate_texts",
            StepType::ClearThinking => "clear_thinking",
            StepType::DropToolCalls => "drop_tool_calls",
            StepType::DropLastAnswers => "drop_last_answers",
        }
    }
}

/// `start`: the part of a conversation that a step is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// All of it.
    #[default]
    Conversation,
    /// The part after the first message that a user wrote, in messages of users and tools.
    FirstUserMessage,
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

/// `note_fits`: whether a note counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// It comes beside what is kept.
    #[default]
    Beside,
    /// The head has so much less.
    Within,
    /// The head has so much less, and a note that is larger than the head is cut.
    Hard,
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
    /// Of a result its tool's name and its JSON: four UTF-16 units make one, rounded down.
    Parts,
    /// Of a result its text: four UTF-16 units make one, rounded.
    Rounded,
    /// Of each message what Python prints of it: four code points make one, rounded up, and three more.
    Messages,
    /// With the tokenizer that LiteLLM has for the model, where this program has it.
    Tokenizer,
}
