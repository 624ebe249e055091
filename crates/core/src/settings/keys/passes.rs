//! Settings of single passes, a section each: `ephemeral`, `resources`, `turnDrop`, `ragRerank`, `dedupe`.

use crate::settings::kinds::{
    As, AtLeastOne, Choice, Count, Flag, FromOne, List, Marker, Nullable, Share, Whole,
};
use crate::settings::maps::Stateful;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `ephemeral`: calls without lasting effect, after a few turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Ephemeral {
    /// Whether to remove old calls that hold no file, that failed, or that have no result.
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Number of last user turns whose calls the pass ephemeral leaves alone.
    #[serde(with = "As::<Count>")]
    pub keep_turns: usize,
    /// anahata: keep one turn more, as Anahata's code does.
    #[serde(with = "As::<Nullable<Choice<Compat>>>")]
    pub compat: Option<Compat>,
    /// Tools known to be ephemeral, as patterns with *: the report does not list them as unknown.
    #[serde(with = "As::<List>")]
    pub tools: Vec<String>,
}

impl Default for Ephemeral {
    fn default() -> Ephemeral {
        Ephemeral {
            enabled: false,
            keep_turns: 5,
            compat: None,
            tools: Vec::new(),
        }
    }
}

/// `ephemeral.compat`: whose way of counting turns, where it is not the one that is documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compat {
    /// Anahata's code, which keeps one turn more than its documentation says.
    Anahata,
}

/// `resources`: which tools read and write what a path names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Resources {
    /// Whether to remove older reads and writes of a file that a newer one replaces (the pass stale-resource).
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Tools that read or write a file and the argument that names it, as patterns with *, before the built-in ones; null removes one.
    #[serde(with = "As::<Stateful>")]
    pub stateful: Vec<StatefulTool>,
    /// Whether to use the built-in table of file tools (Claude Code, OpenClaw, Codex, Gemini CLI, OpenCode and others).
    #[serde(with = "As::<Flag>")]
    pub built_in: bool,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources {
            enabled: false,
            stateful: Vec::new(),
            built_in: true,
        }
    }
}

/// One row of `resources.stateful`. The first row that fits a tool counts.
#[derive(Clone, Debug, PartialEq)]
pub struct StatefulTool {
    /// The tool, as a pattern with `*`.
    pub tool: String,
    /// The arguments that may name the resource; none says that the tool holds no resource.
    pub paths: Vec<String>,
    /// Its operation on the resource; else the tool's name decides.
    pub act: Option<Act>,
    /// Arguments that make a read a partial one, beside those that are known.
    pub partial: Vec<String>,
}

/// The operation of a call on the resource that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Shows it.
    Read,
    /// Writes all of it anew.
    Write,
    /// Changes a part of it.
    Edit,
    /// Deletes it.
    Delete,
    /// Gives it another name.
    Move,
    /// A patch whose headers say what happens to which file.
    Patch,
    /// An argument `command` says what happens.
    Command,
}

/// `turnDrop`: removes turns in the middle of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct TurnDrop {
    /// Whether to remove turns in the middle of a long conversation.
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Conversations of more messages than this are eligible.
    #[serde(with = "As::<Whole>")]
    pub min_messages: u64,
    /// Conversations of more Unicode scalar values of JSON text than this are eligible, too.
    #[serde(with = "As::<Whole>")]
    pub min_body_chars: u64,
    /// Number of last turns to keep, at least one.
    #[serde(with = "As::<AtLeastOne>")]
    pub keep_turns: usize,
    /// The unit of a turn: a message, or a text of the user and all up to the next one.
    #[serde(with = "As::<Choice<TurnUnit>>")]
    pub turn_unit: TurnUnit,
    /// Whether to keep turns with calls or results, or to drop them as whole steps.
    #[serde(with = "As::<Choice<ToolTurns>>")]
    pub tool_turns: ToolTurns,
    /// Whether messages with images may be removed.
    #[serde(with = "As::<Flag>")]
    pub drop_images: bool,
    /// Note that replaces the removed turns; empty for none.
    #[serde(with = "As::<Marker>")]
    pub marker: String,
}

impl Default for TurnDrop {
    fn default() -> TurnDrop {
        let Eligibility {
            min_messages,
            min_body_chars,
        } = Eligibility::default();
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
        Eligibility {
            min_messages: self.min_messages,
            min_body_chars: self.min_body_chars,
        }
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
        Eligibility {
            min_messages: 12,
            min_body_chars: 32_768,
        }
    }
}

/// `turnDrop.turnUnit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TurnUnit {
    /// A message that is not a system prompt.
    Message,
    /// A text of the user and all up to the next one.
    Exchange,
}

/// `turnDrop.toolTurns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolTurns {
    /// They are kept.
    Keep,
    /// They are removed, as whole steps.
    Drop,
}

/// `ragRerank`: ranks retrieved chunks by the question and removes the last ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RagRerank {
    /// Whether to rank retrieved chunks by the question and remove the last ones.
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
    /// Order of the kept chunks: best first (rank), or as in the input (keep).
    #[serde(with = "As::<Choice<Order>>")]
    pub order: Order,
    /// Chunks with a lower score are removed; the best chunk of a list has 1. 0 keeps all, null chooses by the scores of each list.
    #[serde(with = "As::<Nullable<Share>>")]
    pub threshold: Option<f64>,
    /// Largest number of chunks to keep in a list; null for no limit.
    #[serde(with = "As::<Nullable<FromOne>>")]
    pub max_chunks: Option<u64>,
    /// Largest size of the kept chunks of a list together, in UTF-16 units; null for no limit.
    #[serde(with = "As::<Nullable<FromOne>>")]
    pub max_chars: Option<u64>,
    /// Number of chunks of a list to keep whatever they score.
    #[serde(with = "As::<Count>")]
    pub min_keep: usize,
    /// Whether to remove no chunk, where the question needs all of them.
    #[serde(with = "As::<Flag>")]
    pub keep_all: bool,
}

impl Default for RagRerank {
    fn default() -> RagRerank {
        let Eligibility {
            min_messages,
            min_body_chars,
        } = Eligibility::default();
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
            keep_all: false,
        }
    }
}

impl RagRerank {
    /// From which size on a conversation is eligible.
    pub fn size(&self) -> Eligibility {
        Eligibility {
            min_messages: self.min_messages,
            min_body_chars: self.min_body_chars,
        }
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

/// The note of dedupe for a result that occurs again.
pub const SAME: &str = "[Same output as a later call; see there]";
/// The note of dedupe for a read that is repeated.
pub const AGAIN: &str = "[Read again later; see there]";

/// `dedupe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Dedupe {
    /// Smallest result, in chars, that dedupe replaces by a note.
    #[serde(with = "As::<Whole>")]
    pub min_chars: u64,
}

impl Default for Dedupe {
    fn default() -> Dedupe {
        Dedupe { min_chars: 200 }
    }
}
