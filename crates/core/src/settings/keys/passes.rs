//! What the passes have each in a section of their own: `ephemeral`, `resources`, `turnDrop`, `ragRerank`, `dedupe`.

use crate::settings::kinds::{As, AtLeastOne, Choice, Count, Flag, FromOne, List, Marker, Maybe, Share, Whole};
use crate::settings::maps::Stateful;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `ephemeral`: calls that are done with after a few turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Ephemeral {
    /// Whether old calls go that are done with.
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Turns of the user at the end whose calls the pass ephemeral leaves alone.
    #[serde(with = "As::<Count>")]
    pub keep_turns: usize,
    /// anahata keeps one turn more, as its code does.
    #[serde(with = "As::<Maybe<Choice<Compat>>>")]
    pub compat: Option<Compat>,
    /// Tools known to be ephemeral, as patterns with *: the report does not list them as unknown.
    #[serde(with = "As::<List>")]
    pub tools: Vec<String>,
}

impl Default for Ephemeral {
    fn default() -> Ephemeral {
        Ephemeral { enabled: false, keep_turns: 5, compat: None, tools: Vec::new() }
    }
}

/// `ephemeral.compat`: whose way of counting turns, where it is not the one that is documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compat {
    /// Anahata's code, which keeps one turn more than its words say.
    Anahata,
}

/// `resources`: which tools read and write what a path names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Resources {
    /// Whether older versions of a file go that a newer read or write replaces (the pass stale-resource).
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Tools that hold a resource and the argument that names it, as patterns with *; before the built-in ones, null takes one out.
    #[serde(with = "As::<Stateful>")]
    pub stateful: Vec<StatefulTool>,
    /// Whether the file tools of Claude Code, OpenClaw, Codex, Gemini CLI, OpenCode and the like are known.
    #[serde(with = "As::<Flag>")]
    pub built_in: bool,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources { enabled: false, stateful: Vec::new(), built_in: true }
    }
}

/// One row of `resources.stateful`. The first row that fits a tool counts.
#[derive(Clone, Debug, PartialEq)]
pub struct StatefulTool {
    /// The tool, as a pattern with `*`.
    pub tool: String,
    /// The arguments that may name the resource; none says that the tool holds no resource.
    pub paths: Vec<String>,
    /// What it does with the resource; else told by the tool's name.
    pub act: Option<Act>,
    /// Arguments that make a read a partial one, beside those that are known.
    pub partial: Vec<String>,
}

/// What a call does with the resource it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Shows it.
    Read,
    /// Writes all of it anew.
    Write,
    /// Changes a part of it.
    Edit,
    /// Takes it away.
    Delete,
    /// Gives it another name.
    Move,
    /// A patch whose headers say what happens to which file.
    Patch,
    /// An argument `command` says what happens.
    Command,
}

/// `turnDrop`: the middle of a conversation goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct TurnDrop {
    /// Whether turns in the middle of a long conversation go.
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Conversations of more messages than this are eligible.
    #[serde(with = "As::<Whole>")]
    pub min_messages: u64,
    /// Conversations of more Unicode scalar values of JSON text than this are eligible, too.
    #[serde(with = "As::<Whole>")]
    pub min_body_chars: u64,
    /// Turns at the end that stay, at least one.
    #[serde(with = "As::<AtLeastOne>")]
    pub keep_turns: usize,
    /// What a turn is: a message, or what a user says and all up to the next.
    #[serde(with = "As::<Choice<TurnUnit>>")]
    pub turn_unit: TurnUnit,
    /// Whether turns with calls or results stay, or go as whole steps.
    #[serde(with = "As::<Choice<ToolTurns>>")]
    pub tool_turns: ToolTurns,
    /// Whether messages with images may go.
    #[serde(with = "As::<Flag>")]
    pub drop_images: bool,
    /// A note that is left in the place of the turns that went; none where it is empty.
    #[serde(with = "As::<Marker>")]
    pub marker: String,
}

impl Default for TurnDrop {
    fn default() -> TurnDrop {
        let Eligibility { min_messages, min_body_chars } = Eligibility::default();
        TurnDrop {
            enabled: false,
            min_messages,
            min_body_chars,
            keep_turns: 8,
            turn_unit: TurnUnit::Message,
            tool_turns: ToolTurns::Keep,
            drop_images: false,
            marker: String::new(),
        }
    }
}

impl TurnDrop {
    /// From which size on a conversation is eligible.
    pub fn size(&self) -> Eligibility {
        Eligibility { min_messages: self.min_messages, min_body_chars: self.min_body_chars }
    }
}

/// A conversation is eligible when it is larger than either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eligibility {
    /// Messages, system ones included.
    pub min_messages: u64,
    /// Unicode scalar values of the JSON text.
    pub min_body_chars: u64,
}

impl Default for Eligibility {
    fn default() -> Eligibility {
        Eligibility { min_messages: 12, min_body_chars: 32_768 }
    }
}

/// `turnDrop.turnUnit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TurnUnit {
    /// A message that is not a system prompt.
    Message,
    /// What a user says and all up to the next thing a user says.
    Exchange,
}

/// `turnDrop.toolTurns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolTurns {
    /// They stay.
    Keep,
    /// They go, as whole steps.
    Drop,
}

/// `ragRerank`: retrieved chunks are ranked by the question, and the last of them go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RagRerank {
    /// Whether retrieved chunks are ranked by the question and the last of them go.
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Conversations of more messages than this are eligible.
    #[serde(with = "As::<Whole>")]
    pub min_messages: u64,
    /// Conversations of more Unicode scalar values of JSON text than this are eligible, too.
    #[serde(with = "As::<Whole>")]
    pub min_body_chars: u64,
    /// Lists of fewer chunks than this are left alone.
    #[serde(with = "As::<Count>")]
    pub min_chunks: usize,
    /// Whether the best chunks come first, or those that stay come as they came.
    #[serde(with = "As::<Choice<Order>>")]
    pub order: Order,
    /// Chunks that score less than this are removed, the best one of their list having 1; 0 keeps all, null chooses by the scores of each
    /// list.
    #[serde(with = "As::<Maybe<Share>>")]
    pub threshold: Option<f64>,
    /// Chunks of a list that may stay; null for no limit.
    #[serde(with = "As::<Maybe<FromOne>>")]
    pub max_chunks: Option<u64>,
    /// UTF-16 units that the chunks of a list may have together; null for no limit.
    #[serde(with = "As::<Maybe<FromOne>>")]
    pub max_chars: Option<u64>,
    /// Chunks of a list that stay whatever they score.
    #[serde(with = "As::<Count>")]
    pub min_keep: usize,
}

impl Default for RagRerank {
    fn default() -> RagRerank {
        let Eligibility { min_messages, min_body_chars } = Eligibility::default();
        RagRerank {
            enabled: false,
            min_messages,
            min_body_chars,
            min_chunks: 3,
            order: Order::Rank,
            threshold: None,
            max_chunks: None,
            max_chars: None,
            min_keep: 1,
        }
    }
}

impl RagRerank {
    /// From which size on a conversation is eligible.
    pub fn size(&self) -> Eligibility {
        Eligibility { min_messages: self.min_messages, min_body_chars: self.min_body_chars }
    }
}

/// `ragRerank.order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The best first.
    Rank,
    /// As they came.
    Keep,
}

/// `dedupe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Dedupe {
    /// Chars that a result must have for dedupe to replace it by a note.
    #[serde(with = "As::<Whole>")]
    pub min_chars: u64,
}

impl Default for Dedupe {
    fn default() -> Dedupe {
        Dedupe { min_chars: 200 }
    }
}
