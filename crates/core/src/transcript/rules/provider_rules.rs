//! The rules that a provider may have. `check` and the passes read these fields and do not know any provider by name.

use super::syntax::Syntax;

/// The required place of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Anywhere.
    Anywhere,
    /// In the turn after the call's. Neighbours of one role are one turn.
    NextTurn,
    /// In the turn after the call's, and nothing but results between.
    NextResults,
    /// In messages of their own, before anything else is said.
    Directly,
    /// Behind the call, and nothing but results between.
    Run,
    /// As [`Results::NextTurn`] or [`Results::Directly`] have it.
    Either,
}

/// The scope in which the ids of calls must be unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdScope {
    /// A message.
    Message,
    /// A turn of the assistant.
    Turn,
    /// All messages.
    Conversation,
}

/// The first message that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMessage {
    /// Any message.
    Any,
    /// Any message, but passes keep a message of the user where there is one.
    UserKept,
    /// A message of the user.
    User,
}

/// The accepted beginnings of a conversation after its first messages were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAfterCut {
    /// A message of the user's without results.
    User,
    /// The same, or what the agent itself sends: summaries and the like.
    UserOrAgent,
    /// Anything but a result.
    NotResult,
}

/// The last message that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastMessage {
    /// Any message.
    Any,
    /// No answer of the assistant, but one that waits for a server's tool.
    NotAssistant,
    /// No answer of the assistant, but one that says that it is to be gone on with.
    Prefix,
}

/// Empty contents that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyContent {
    /// Anything.
    Any,
    /// Texts, but no message without content and calls.
    Text {
        /// Whether an assistant's empty text counts as none.
        counts: bool,
    },
    /// Texts, but no content without parts and no part without data.
    Part,
    /// Nothing, and no text may be blank unless one beside it has words.
    No {
        /// But for the last message, where that is the assistant's.
        last: bool,
    },
}

/// The accepted places of system messages among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlacement {
    /// Anywhere.
    Anywhere,
    /// Before all others.
    First,
    /// Not directly behind an answer or a result.
    NotAfterAnswer,
    /// Behind the user or a server's tool, and before an answer or at the end.
    BeforeAnswer,
}

/// Requirements for thinking in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinkingRules {
    /// Whether each is signed.
    pub signed: bool,
    /// Whether something follows it in its message.
    pub followed: bool,
    /// Whether the turn that is open begins with it where it is asked for, and has none where it is turned off.
    pub as_asked: bool,
    /// Whether the model thinks where a request says nothing of it.
    pub unasked: bool,
}

/// The requirement to send `reasoning_content` with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningContentRule {
    /// Nothing.
    Free,
    /// Theirs, from the first turn on in which any has it, and all of the turn that is open.
    Always,
    /// The same, but the turn that is open only where the request asks for thinking.
    WhenAsked,
}

/// The accepted form of a call's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Any value.
    Any,
    /// An object.
    Object,
    /// A string.
    String,
}

/// The rules of a provider for a model, which `check`, passes and repair apply.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether it is a history that the agent itself repairs before it sends it: only pairs count.
    pub is_history: bool,
    /// The required place of results.
    pub results: Results,
    /// Whether results come before all else in their turn.
    pub results_first: bool,
    /// Whether results are in turns of their own.
    pub results_alone: bool,
    /// Whether a turn of calls and the next are counted: as many results as calls.
    pub results_counted: bool,
    /// Whether calls are in answers only, and results in no answer.
    pub roles_checked: bool,
    /// Whether nothing but calls follows a call in an answer.
    pub calls_last: bool,
    /// Within what ids of calls differ.
    pub unique: IdScope,
    /// The first message that is accepted.
    pub opening: FirstMessage,
    /// With what a conversation begins that lost its beginning.
    pub start: StartAfterCut,
    /// The last message that is accepted.
    pub ending: LastMessage,
    /// Whether the last answer may end with white space.
    pub trailing_space: bool,
    /// Whether user and assistant take turns.
    pub alternates: bool,
    /// Whether neighbouring messages of one role are one message to the server.
    pub merges: bool,
    /// Whether a call comes directly after the user's turn or a result, and behind no other answer.
    pub calls_follow_input: bool,
    /// Whether the id alone pairs a result with its call: between the results of others it does not count as one of theirs.
    pub pairs_by_id: bool,
    /// Whether a result repeats its call where calls may be elsewhere, so that it is never without one.
    pub results_repeat_calls: bool,
    /// Whether a result comes after an answer or another result.
    pub results_follow_calls: bool,
    /// The accepted places of system messages among the others.
    pub system: SystemPlacement,
    /// The empty contents that are accepted.
    pub empty: EmptyContent,
    /// Whether an empty list of calls is refused.
    pub empty_calls: bool,
    /// Whether a result must have a content.
    pub result_content: bool,
    /// Whether a body with calls or results declares its tools.
    pub tools_declared: bool,
    /// Whether no two declared tools have one name.
    pub tools_differ: bool,
    /// Whether a result that is an error is nothing but text.
    pub error_text: bool,
    /// Whether a result that is an error is never empty.
    pub error_filled: bool,
    /// The maximum number of cache marks; those for an hour come first. `None` where marks are not checked.
    pub marks: Option<usize>,
    /// Whether a content that is a string takes a cache mark, written as an array of one text; one that is an array always does.
    pub marks_in_strings: bool,
    /// Whether images, calls and results take cache marks.
    pub marks_on_parts: bool,
    /// Whether a cache mark is a part of its own, and no member of the part that it marks.
    pub marks_are_parts: bool,
    /// Whether thinking may carry a cache mark.
    pub marked_thinking: bool,
    /// Whether a server's calls and results are paired in the body.
    pub server_pairs: bool,
    /// The requirements for thinking.
    pub thoughts: ThinkingRules,
    /// Whether thinking is bound to all that comes before it; nothing where the model would tell and is not named.
    pub thinking_bound: Option<bool>,
    /// Whether a request can ask the server to drop thinking that is bound to what is not there any more.
    pub drops_thinking: bool,
    /// The requirement for reasoning beside a content.
    pub reasoned: ReasoningContentRule,
    /// Whether the first call of each step of the open turn is signed.
    pub signed_calls: bool,
    /// Whether the first of parallel calls is signed for all of them.
    pub signed_together: bool,
    /// Whether reasoning that has an id is followed by what it led to.
    pub reasoning_followed: bool,
    /// Whether ids of items are checked: their kind, that none occurs twice, and that what they name is kept.
    pub item_ids: bool,
    /// Whether the program that made an item comes before it.
    pub programs: bool,
    /// The accepted form of a call's arguments.
    pub arguments: Arguments,
    /// Whether fields are checked that every part must have, and roles.
    pub fields: bool,
    /// The member of a message that holds its parts.
    pub content: &'static str,
    /// Whether calls are beside the content, which may then be null.
    pub calls_beside_content: bool,
    /// Whether a block is an item of its own, and no part of a message's content.
    pub items: bool,
    /// Whether texts say that they are (`type`).
    pub typed_texts: bool,
    /// The member by which a result without an id names its tool.
    pub tool_member: &'static str,
    /// The accepted spelling of the ids of calls.
    pub call_id: Syntax,
    /// The accepted spelling of the tool's name in a call.
    pub call_name: Syntax,
    /// The accepted spelling of the name of a declared tool.
    pub tool_name: Syntax,
}
