//! What the passes have each in a section of their own: `turnDrop`, `ragRerank`, `ephemeral`, `resources`.

/// `turnDrop`: the middle of a conversation goes.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnDrop {
    /// Whether the pass is on.
    pub enabled: bool,
    /// From when on it is worth it.
    pub size: Eligibility,
    /// Turns at the end that stay.
    pub keep_turns: usize,
    /// What a turn is.
    pub turn_unit: TurnUnit,
    /// What happens to turns with calls or results.
    pub tool_turns: ToolTurns,
    /// Whether messages with images may go.
    pub drop_images: bool,
    /// What is left in the place of the turns that went; nothing where it is empty.
    pub marker: String,
}

impl Default for TurnDrop {
    fn default() -> TurnDrop {
        TurnDrop {
            enabled: false,
            size: Eligibility::default(),
            keep_turns: 8,
            turn_unit: TurnUnit::Message,
            tool_turns: ToolTurns::Keep,
            drop_images: false,
            marker: String::new(),
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
        Eligibility { min_messages: 12, min_body_chars: 32_768 }
    }
}

/// `turnDrop.turnUnit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnUnit {
    /// A message that is not a system prompt.
    Message,
    /// What a user says and all up to the next thing a user says.
    Exchange,
}

/// `turnDrop.toolTurns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolTurns {
    /// They stay.
    Keep,
    /// They go, as whole steps.
    Drop,
}

/// `ragRerank`: retrieved chunks are ranked by the question, and the last of them go.
#[derive(Clone, Debug, PartialEq)]
pub struct RagRerank {
    /// Whether the pass is on.
    pub enabled: bool,
    /// From when on it is worth it.
    pub size: Eligibility,
    /// Lists of fewer chunks are left.
    pub min_chunks: usize,
    /// In which order the chunks come out.
    pub order: Order,
    /// Chunks whose score, as a share of the best one's, is below this go; none to choose it by the scores of each list.
    pub threshold: Option<f64>,
    /// Chunks of a list that may stay.
    pub max_chunks: Option<u64>,
    /// UTF-16 units of a list's chunks that may stay.
    pub max_chars: Option<u64>,
    /// Chunks that stay in any case, the best.
    pub min_keep: usize,
}

impl Default for RagRerank {
    fn default() -> RagRerank {
        RagRerank {
            enabled: false,
            size: Eligibility::default(),
            min_chunks: 3,
            order: Order::Rank,
            threshold: None,
            max_chunks: None,
            max_chars: None,
            min_keep: 1,
        }
    }
}

/// `ragRerank.order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The best first.
    Rank,
    /// As they came.
    Keep,
}

/// `ephemeral`: calls that are done with after a few turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Ephemeral {
    /// Whether the pass is on where it is named neither on nor off.
    pub enabled: bool,
    /// Turns of the user at the end that stay as they are.
    pub keep_turns: usize,
    /// Whose way of counting turns, where it is not the one that is documented.
    pub compat: Option<Compat>,
    /// Tools that are known to be ephemeral and need not be told, as patterns with `*`.
    pub tools: Vec<String>,
}

impl Default for Ephemeral {
    fn default() -> Ephemeral {
        Ephemeral { enabled: false, keep_turns: 5, compat: None, tools: Vec::new() }
    }
}

/// `ephemeral.compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// Anahata's code, which keeps one turn more than its words say.
    Anahata,
}

/// `resources`: which tools read and write what a path names.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources {
    /// Whether stale-resource is on where it is named neither on nor off.
    pub enabled: bool,
    /// The user's own rows; the first that fits a tool counts, before those that are built in.
    pub stateful: Vec<StatefulTool>,
    /// Whether the tools of known agents are known.
    pub built_in: bool,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources { enabled: false, stateful: Vec::new(), built_in: true }
    }
}

/// One row of `resources.stateful`.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
