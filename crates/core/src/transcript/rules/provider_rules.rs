//! The rules that a provider may have. `check` and the passes read these fields and do not know any
//! provider by name.

use super::syntax::Syntax;

/// The required place of a result.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Results {
    /// Anywhere.
    #[default]
    Anywhere,
    /// In the turn after that of the call. Consecutive messages of one role are one turn.
    NextTurn,
    /// In the turn after that of the call, with only results between.
    NextResults,
    /// In separate messages directly after the call.
    Directly,
    /// After the call, with only results between.
    Run,
    /// As for [`Results::NextTurn`] or [`Results::Directly`].
    Either,
}

/// The scope in which the ids of calls must be unique.
#[derive(Clone, Copy, Debug, Default)]
pub enum IdScope {
    /// A message.
    #[default]
    Message,
    /// A turn of the assistant.
    Turn,
    /// All messages.
    Conversation,
}

/// The first message that is accepted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FirstMessage {
    /// Any message.
    #[default]
    Any,
    /// Any message, but passes keep a user message at the beginning if there is one.
    UserKept,
    /// Any message, but one of the user must be among them.
    UserLater,
    /// A message of the user.
    User,
}

/// The accepted beginnings of a conversation after its first messages were removed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum StartAfterCut {
    /// A user message without results.
    #[default]
    User,
    /// A user message without results, or one that the agent itself sends, such as a summary.
    UserOrAgent,
    /// Anything but a result.
    NotResult,
}

/// The last message that is accepted.
#[derive(Clone, Copy, Debug, Default)]
pub enum LastMessage {
    /// Any message.
    #[default]
    Any,
    /// Any message but an answer of the assistant, except one that waits for a server's tool.
    NotAssistant,
    /// Any message but an answer of the assistant, except one marked as a `prefix` to continue.
    Prefix,
}

/// Empty contents that are accepted.
#[derive(Clone, Copy, Debug, Default)]
pub enum EmptyContent {
    /// Any content.
    #[default]
    Any,
    /// Empty texts, but no message without content and calls.
    Text {
        /// Whether an assistant's empty text counts as no content.
        counts: bool,
        /// Whether it does also beside reasoning.
        reasoned: bool,
    },
    /// Empty texts, but no content without parts and no part without data.
    Part,
    /// None, and no blank text unless one beside it has words.
    No {
        /// Whether a last message of the assistant is exempt.
        last: bool,
        /// Whether a blank text beside a call is accepted, unless it is empty.
        beside_calls: bool,
    },
}

/// The accepted places of system messages among the others.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum SystemPlacement {
    /// Anywhere.
    #[default]
    Anywhere,
    /// Nowhere.
    Never,
    /// Before all others.
    First,
    /// Only one, before all others.
    FirstMessage,
    /// Not directly after an answer or a result.
    NotAfterAnswer,
    /// After the user or a server's tool, and before an answer or at the end.
    BeforeAnswer,
}

/// Requirements for thinking in answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThinkingRules {
    /// Whether it must be signed.
    pub signed: bool,
    /// Whether content must follow it in its message.
    pub followed: bool,
    /// Whether the open turn must begin with it if the request asks for it, and must have none if
    /// the request turns it off.
    pub as_asked: bool,
    /// Whether the model thinks only if a request has thinking options.
    pub only_asked: bool,
}

/// The requirement to send `reasoning_content` with calls.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ReasoningContentRule {
    /// None.
    #[default]
    Free,
    /// For every call from the first turn on that has it, and for every call of the open turn.
    Always,
    /// As for [`ReasoningContentRule::Always`], but for the open turn only if the request asks for
    /// thinking.
    WhenAsked,
}

/// The accepted form of a call's arguments.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Arguments {
    /// Any value.
    #[default]
    Any,
    /// An object.
    Object,
    /// A string.
    String,
}

/// The rules of a provider for a model. Those of [`Rules::default`] refuse nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Whether it is a history, which the agent itself repairs before sending it: only pairs are
    /// checked.
    pub is_history: bool,
    /// The required place of results.
    pub results: Results,
    /// Whether results must come before other content of their turn.
    pub results_first: bool,
    /// Whether results must be in separate turns.
    pub results_alone: bool,
    /// Whether calls and results need not be paired.
    pub unpaired: bool,
    /// Whether a turn of calls must be followed by as many results.
    pub results_counted: bool,
    /// Whether calls must be in answers, and results must not.
    pub roles_checked: bool,
    /// Whether only calls may follow a call in an answer.
    pub calls_last: bool,
    /// The scope in which ids of calls must be unique.
    pub unique: IdScope,
    /// The first message that is accepted.
    pub opening: FirstMessage,
    /// The required beginning of a conversation after a cut.
    pub start: StartAfterCut,
    /// The last message that is accepted.
    pub ending: LastMessage,
    /// Whether the last answer must not end with white space.
    pub no_trailing_space: bool,
    /// Whether user and assistant must alternate.
    pub alternates: bool,
    /// Whether a message without results may follow one of its role even so.
    pub neighbours_speak: bool,
    /// Whether the server merges consecutive messages of one role.
    pub merges: bool,
    /// Whether a call must come directly after the user's turn or a result, not after another
    /// answer.
    pub calls_follow_input: bool,
    /// Whether a result is paired by its id alone: between the results of other calls it does not
    /// count as one of theirs.
    pub pairs_by_id: bool,
    /// Whether a call may be answered again: its agent sends it so.
    pub answers_again: bool,
    /// Whether a result contains its call, as calls may be elsewhere, so that it never lacks one.
    pub results_repeat_calls: bool,
    /// Whether a result must come after an answer or another result.
    pub results_follow_calls: bool,
    /// Whether an answer or another result must come after a result.
    pub results_are_answered: bool,
    /// Whether an answer with calls must have no text.
    pub calls_alone: bool,
    /// The accepted places of system messages among the others.
    pub system: SystemPlacement,
    /// The empty contents that are accepted.
    pub empty: EmptyContent,
    /// Whether an empty list of calls is refused.
    pub empty_calls: bool,
    /// Whether a result must not have an empty text.
    pub no_empty_in_results: bool,
    /// Whether a result must not have a blank text.
    pub no_blank_in_results: bool,
    /// Whether a content beside calls must not be an empty string.
    pub filled_beside_calls: bool,
    /// Whether a result must have a content.
    pub result_content: bool,
    /// Whether the content of a result must be a string, and that of an answer no empty list.
    pub plain_results: bool,
    /// Whether a body with calls or results must declare tools.
    pub tools_declared: bool,
    /// Whether the names of declared tools must be unique.
    pub tools_differ: bool,
    /// Whether a declared tool must have parameters.
    pub parameters: bool,
    /// Whether an error may have only text.
    pub error_text: bool,
    /// Whether an error must not be empty.
    pub error_filled: bool,
    /// The maximum number of cache marks, those for an hour first; `None` if marks are not checked.
    pub marks: Option<usize>,
    /// Whether a string content can carry a cache mark, when it is written as an array of one text.
    /// An array always can.
    pub marks_in_strings: bool,
    /// Whether images, calls and results can carry cache marks.
    pub marks_on_parts: bool,
    /// Whether a cache mark is a separate part, rather than a member of the marked part.
    pub marks_are_parts: bool,
    /// Whether declared tools cannot carry cache marks.
    pub unmarked_tools: bool,
    /// Whether thinking cannot carry a cache mark.
    pub unmarked_thinking: bool,
    /// Whether calls and results of server tools are paired in the body.
    pub server_pairs: bool,
    /// The requirements for thinking.
    pub thoughts: ThinkingRules,
    /// Whether thinking is bound to all content before it; `None` if that depends on a model that
    /// is not named.
    pub thinking_bound: Option<bool>,
    /// Whether the server clears results, if a request asks for it.
    pub server_clears: bool,
    /// Whether thinking whose prefix was changed is dropped without an error.
    pub thinking_lost: bool,
    /// Whether a request can ask the server to drop thinking whose prefix was changed.
    pub drops_thinking: bool,
    /// The requirement to send `reasoning_content`.
    pub reasoned: ReasoningContentRule,
    /// Whether the first call of each step of the open turn must be signed.
    pub signed_calls: bool,
    /// Whether the first of parallel calls is signed for all of them.
    pub signed_together: bool,
    /// Whether the signature of a call may be in the reasoning beside it.
    pub signed_in_details: bool,
    /// Whether reasoning with an id must be followed by the item that it led to.
    pub reasoning_followed: bool,
    /// Whether ids of items are checked: their prefix, that none occurs twice, and that referenced
    /// items are stored.
    pub item_ids: bool,
    /// Whether the program that made an item must come before it.
    pub programs: bool,
    /// The accepted form of a call's arguments.
    pub arguments: Arguments,
    /// Whether a result must name the id of its call, if that has one.
    pub results_named: bool,
    /// Whether the arguments of a call, a string, must be JSON.
    pub json_arguments: bool,
    /// Whether a role that is not known is refused.
    pub known_roles: bool,
    /// Whether the role `developer` is refused.
    pub no_developers: bool,
    /// Whether required fields of parts, and roles, are checked.
    pub fields: bool,
    /// The API whose members of messages and parts are checked, as `check/members.tsv` names it;
    /// empty if none is.
    pub types: &'static str,
    /// Whether half of a surrogate pair is refused in a string.
    pub surrogates: bool,
    /// The host and the maker of the model, whose errors may have words of their own.
    pub services: [&'static str; 2],
    /// The member of a message that contains its parts, where it is not `content`.
    pub content: Option<&'static str>,
    /// Whether calls are beside the content, which may then be null.
    pub calls_beside_content: bool,
    /// Whether a block is a separate item, rather than a part of a message's content.
    pub items: bool,
    /// Whether texts need no `type`.
    pub untyped_texts: bool,
    /// The member by which a result without an id names its tool, where it is not `name`.
    pub tool_member: Option<&'static str>,
    /// The accepted spelling of the ids of calls.
    pub call_id: Syntax,
    /// The accepted spelling of the tool's name in a call.
    pub call_name: Syntax,
    /// The accepted spelling of the name of a declared tool.
    pub tool_name: Syntax,
}
