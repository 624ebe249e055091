//! What is said of each code: the provider's own answer where it is known, and the mend.
//!
//! The answers are the services' own, as far as they are known; an ellipsis stands for ids and numbers.

use crate::transcript::Rules;

/// What a provider with these rules answers.
pub(super) fn provider(code: &str, rules: Rules) -> Option<&'static str> {
    PROVIDERS.iter().find(|(c, r, _)| *c == code && *r == rules).map(|(_, _, text)| *text)
}

/// How a defect is mended under these rules.
pub(super) fn mend(code: &str, rules: Rules) -> &'static str {
    // Converse wants two messages to be one, Mistral one between two.
    if code == "E11" && rules == Rules::Mistral {
        return "put an answer of the assistant between the result and the user (--repair)";
    }
    MENDS.iter().find(|(c, _)| *c == code).map_or("", |(_, text)| text)
}

/// The mend of a call that only a picture of the screen answers, and, where it asks for that, a person's word.
pub(super) const SCREEN: &str = "send the screenshot, with the safety checks that a person has acknowledged, or take the call out";

/// The mend of what several records of a log say together.
pub(super) const BY_HAND: &str = "several records make this message: have the agent write it anew, or mend the last of them";

/// What Anthropic answers to marks in the wrong order.
pub(super) const TTL_ORDER: &str = "messages.….content.….cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";

/// What Google answers to a part that holds nothing.
pub(super) const NO_DATA: &str =
    "* GenerateContentRequest.contents[…].parts[…].data: required oneof field 'data' must have one initialized field";

/// What Bedrock answers to an error that says nothing.
pub(super) const EMPTY_ERROR: &str = "The content field at messages.….content.….toolResult cannot be empty when status value is error.";

/// What Anthropic answers to thinking in an answer that was begun, where thinking is off.
pub(super) const THINKING_OFF: &str =
    "messages.….content.…: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. …";

const PROVIDERS: &[(&str, Rules, &str)] = &[
    (
        "E01",
        Rules::Anthropic,
        "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    (
        "E01",
        Rules::OpenAiChat,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: …",
    ),
    (
        "E01",
        Rules::Cohere,
        "invalid request: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: …",
    ),
    ("E01", Rules::Mistral, "Not the same number of function calls and responses"),
    (
        "E02",
        Rules::Anthropic,
        "messages.….content.…: unexpected `tool_use_id` found in `tool_result` blocks: …. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    (
        "E02",
        Rules::OpenAiChat,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ),
    (
        "E03",
        Rules::Anthropic,
        "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    (
        "E03",
        Rules::OpenAiChat,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: …",
    ),
    (
        "E04",
        Rules::Anthropic,
        "Did not find … `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
    ),
    (
        "E05",
        Rules::Anthropic,
        "messages.….content.…: each tool_use must have a single result. Found multiple `tool_result` blocks with id: …",
    ),
    ("E06", Rules::Anthropic, "messages.….content.…: `tool_use` ids must be unique"),
    ("E08", Rules::Anthropic, "messages: text content blocks must be non-empty"),
    (
        "E09",
        Rules::OpenAiChat,
        "Invalid 'messages[…].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ),
    ("E07", Rules::Mistral, "Not the same number of function calls and responses"),
    ("E10", Rules::Anthropic, "messages: first message must use the \"user\" role"),
    ("E11", Rules::Mistral, "Unexpected role '…' after role '…'"),
    // Of this shape, only Perplexity refuses it.
    ("E11", Rules::OpenAiChat, "After the (optional) system message(s), user and assistant roles should be alternating."),
    ("E12", Rules::Mistral, "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"),
    ("E12", Rules::Anthropic, "This model does not support assistant message prefill. The conversation must end with a user message."),
    ("E13", Rules::Anthropic, "messages: final assistant content cannot end with trailing whitespace"),
    ("E14", Rules::Anthropic, "A maximum of 4 blocks with cache_control may be provided. Found …."),
    ("E19", Rules::Anthropic, "Requests which include `tool_use` or `tool_result` blocks must define tools."),
    (
        "E20",
        Rules::Anthropic,
        "messages.….content.…: unexpected `tool_use_id` found in `…_tool_result` blocks: …. Each `…_tool_result` block must have a corresponding `server_tool_use` block before it.",
    ),
    ("E22", Rules::Anthropic, "all content must be type `text` if `is_error` is true"),
    ("E01", Rules::Converse, "Expected toolResult blocks at messages.….content for the following Ids: …"),
    (
        "E01",
        Rules::Gemini,
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    ),
    ("E01", Rules::Responses, "No tool output found for function call …."),
    (
        "E02",
        Rules::Converse,
        "The number of toolResult blocks at messages.….content exceeds the number of toolUse blocks of previous turn.",
    ),
    ("E02", Rules::Gemini, "Please ensure that function response turn comes immediately after a function call turn."),
    ("E02", Rules::Responses, "No tool call found for function call output with call_id …."),
    ("E03", Rules::Converse, "Expected toolResult blocks at messages.….content for the following Ids: …"),
    ("E03", Rules::Gemini, "Please ensure that function response turn comes immediately after a function call turn."),
    (
        "E07",
        Rules::Converse,
        "The number of toolResult blocks at messages.….content exceeds the number of toolUse blocks of previous turn.",
    ),
    (
        "E07",
        Rules::Gemini,
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    ),
    (
        "E08",
        Rules::Converse,
        "The text field in the ContentBlock object at messages.….content.… is blank. Add text to the text field, and try again.",
    ),
    ("E08", Rules::Gemini, "* GenerateContentRequest.contents[…].parts: contents.parts must not be empty."),
    (
        "E10",
        Rules::Converse,
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    ),
    ("E10", Rules::Gemini, "Please ensure that function call turn comes immediately after a user turn or after a function response turn."),
    (
        "E11",
        Rules::Converse,
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
    ),
    ("E12", Rules::Converse, "This model does not support assistant message prefill. The conversation must end with a user message."),
    ("E12", Rules::Gemini, "Please ensure that multiturn requests ends with a user role or a function response."),
    (
        "E15",
        Rules::Anthropic,
        "messages.….content.….type: Expected `thinking` or `redacted_thinking`, but found …. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). …",
    ),
    (
        "E16",
        Rules::Anthropic,
        "messages.….content.…: Invalid `signature` in `thinking` block. The block is bound to a different conversation. …",
    ),
    ("E17", Rules::Responses, "Item '…' of type 'reasoning' was provided without its required following item."),
    (
        "E18",
        Rules::Gemini,
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. …",
    ),
    ("E19", Rules::Converse, "The toolConfig field must be defined when using toolUse and toolResult content blocks."),
    ("E23", Rules::OpenAiChat, "The `reasoning_content` in the thinking mode must be passed back to the API."),
];

const MENDS: &[(&str, &str)] = &[
    ("E01", "answer the call with a neutral text (--repair)"),
    ("E02", "delete the result (--repair)"),
    ("E03", "move the result next to its call (--repair)"),
    ("E04", "put the results before all other content (--repair)"),
    ("E05", "delete the second result (--repair)"),
    ("E06", "give the second call, and its result, an id of its own (--repair)"),
    ("E08", "delete the empty text or message (--repair)"),
    ("E09", "delete the key tool_calls (--repair)"),
    ("E07", "answer each call once: mended with E01, E02 and E03 (--repair)"),
    ("E10", "begin with a message of the user (--repair)"),
    ("E11", "make one message of neighbours of one role (--repair)"),
    ("E12", "end with a message of the user"),
    ("E13", "take the white space off (--repair)"),
    ("E14", "keep the last four marks, those for an hour first (--repair)"),
    ("E15", "send the thinking of the open turn back as it came, or turn thinking off for this request"),
    ("E16", "remove the thinking behind the change, or set block_binding to drop_block"),
    ("E17", "remove reasoning that nothing follows (--repair)"),
    ("E18", "send thoughtSignature back on the part where it came"),
    ("E19", "declare the tools, or take calls and results out"),
    ("E20", "delete what is left of the pair (--repair)"),
    ("E21", "bring the caller's call back, or take the caller off (--repair)"),
    ("E22", "leave text alone in the result, or take is_error off (--repair)"),
    ("E23", "send reasoning_content back as it came"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_mended_by_each_service_s_own_rule() {
        assert!(mend("E11", Rules::Converse).starts_with("make one message"));
        assert!(mend("E11", Rules::Mistral).starts_with("put an answer of the assistant between"));
    }

    #[test]
    fn every_answer_has_a_mend() {
        for (code, rules, text) in PROVIDERS {
            assert!(!mend(code, *rules).is_empty() && !text.is_empty(), "{code}");
        }
    }
}
