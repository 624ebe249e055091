//! Settings of single passes, a section each: `ephemeral`, `resources`, `turnDrop`, `ragRerank`, `dedupe`; and `workloads`: settings for
//! one kind of request, and its quality gate.

use crate::settings::{
    kinds::*,
    maps::{MeanOrShare, Stateful},
    section::{camel, choices, section},
};
use serde_json::{Map, Value};

section! {
    /// `ephemeral`: calls without lasting effect, after a few turns.
    pub struct Ephemeral(camel) {
        /// Whether to remove old calls that hold no file, that failed, or that have no result.
        enabled: Flag,
        /// Number of last user turns whose calls the pass ephemeral leaves alone.
        keep_turns: Count = 5,
        /// anahata: keep one turn more, as Anahata's code does.
        compat: Nullable<Choice<Compat>>,
        /// Tools known to be ephemeral, as patterns with *: the report does not list them as unknown.
        tools: List,
    }
}

choices! {
    /// `ephemeral.compat`: whose way of counting turns, where it is not the one that is documented.
    pub enum Compat {
        /// Anahata's code, which keeps one turn more than its documentation says.
        Anahata = "anahata",
    }

    /// The operation of a call on the resource that it names.
    pub enum Act {
        /// Shows it.
        Read = "read",
        /// Writes all of it anew.
        Write = "write",
        /// Changes a part of it.
        Edit = "edit",
        /// Deletes it.
        Delete = "delete",
        /// Gives it another name.
        Move = "move",
        /// A patch whose headers say what happens to which file.
        Patch = "patch",
        /// An argument `command` says what happens.
        Command = "command",
    }

    /// `turnDrop.turnUnit`.
    pub enum TurnUnit {
        /// A message that is not a system prompt.
        Message = "message",
        /// A text of the user and all up to the next one.
        Exchange = "exchange",
    }

    /// `turnDrop.toolTurns`.
    pub enum ToolTurns {
        /// They are kept.
        Keep = "keep",
        /// They are removed, as whole steps.
        Drop = "drop",
    }

    /// `ragRerank.order`.
    pub enum Order {
        /// The best first.
        Rank = "rank",
        /// As they came.
        Keep = "keep",
    }
}

section! {
    /// `resources`: which tools read and write what a path names.
    pub struct Resources(camel) {
        /// Whether to remove older reads and writes of a file that a newer one replaces (the pass stale-resource).
        enabled: Flag,
        /// Tools that read or write a file and the argument that names it, as patterns with *, before the built-in ones; null removes one.
        stateful: Stateful,
        /// Whether to use the built-in table of file tools (Claude Code, OpenClaw, Codex, Gemini CLI, OpenCode and others).
        built_in: Flag = true,
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

section! {
    /// `turnDrop`: removes turns in the middle of a conversation.
    pub struct TurnDrop(camel) {
        /// Whether to remove turns in the middle of a long conversation.
        enabled: Flag,
        /// Conversations of more messages than this are eligible.
        min_messages: Whole = MIN_MESSAGES,
        /// Conversations of more Unicode scalar values of JSON text than this are eligible, too.
        min_body_chars: Whole = MIN_BODY_CHARS,
        /// Number of last turns to keep, at least one.
        keep_turns: AtLeastOne = 8,
        /// The unit of a turn: a message, or a text of the user and all up to the next one.
        turn_unit: Choice<TurnUnit>,
        /// Whether to keep turns with calls or results, or to drop them as whole steps.
        tool_turns: Choice<ToolTurns>,
        /// Whether messages with images may be removed.
        drop_images: Flag,
        /// Note that replaces the removed turns; empty for none.
        marker: Marker,
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

/// The default of `minMessages`.
const MIN_MESSAGES: u64 = 12;
/// The default of `minBodyChars`.
const MIN_BODY_CHARS: u64 = 32_768;

/// A conversation is eligible when it is larger than either.
#[derive(Clone, Copy, Debug)]
pub struct Eligibility {
    /// Messages, system ones included.
    pub min_messages: u64,
    /// Unicode scalar values of the JSON text.
    pub min_body_chars: u64,
}

section! {
    /// `ragRerank`: ranks retrieved chunks by the question and removes the last ones.
    pub struct RagRerank(camel) {
        /// Whether to rank retrieved chunks by the question and remove the last ones.
        enabled: Flag,
        /// Conversations of more messages than this are eligible.
        min_messages: Whole = MIN_MESSAGES,
        /// Conversations of more Unicode scalar values of JSON text than this are eligible, too.
        min_body_chars: Whole = MIN_BODY_CHARS,
        /// Lists of fewer chunks than this are left alone.
        min_chunks: Count = 3,
        /// Order of the kept chunks: best first (rank), or as in the input (keep).
        order: Choice<Order>,
        /// Chunks with a lower score are removed; the best chunk of a list has 1. 0 keeps all, null chooses by the scores of each list.
        threshold: Nullable<Share>,
        /// Largest number of chunks to keep in a list; null for no limit.
        max_chunks: Nullable<FromOne>,
        /// Largest size of the kept chunks of a list together, in UTF-16 units; null for no limit.
        max_chars: Nullable<FromOne>,
        /// Number of chunks of a list to keep whatever they score.
        min_keep: Count = 1,
        /// Whether to remove no chunk, where the question needs all of them.
        keep_all: Flag,
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

/// The note of dedupe for a result that occurs again.
pub const SAME: &str = "[Same output as a later call; see there]";
/// The note of dedupe for a read that is repeated.
pub const AGAIN: &str = "[Read again later; see there]";

section! {
    /// `dedupe`.
    pub struct Dedupe(camel) {
        /// Smallest result, in chars, that dedupe replaces by a note.
        min_chars: Whole = 200,
    }
}

/// `workloads.NAME`: the settings of one kind of request.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Settings as the configuration writes them, by section; not checked yet.
    pub settings: Map<String, Value>,
    /// Its quality gate.
    pub canary: Canary,
}

section! {
    /// `workloads.NAME.canary`: what the scores of a workload are compared with.
    #[derive(Copy)]
    pub struct Canary(camel) {
        /// The mean may not fall below this: a mean, or a share of the control's mean.
        floor: MeanOrShare = Floor::OfControl(0.95),
        /// Scores from which on it is judged.
        min_samples: FromOne = 20,
        /// Newest scores of each arm that count.
        window: FromOne = 100,
    }
}

/// `canary.floor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Floor {
    /// A mean.
    Absolute(f64),
    /// A share of the control's mean.
    OfControl(f64),
}
