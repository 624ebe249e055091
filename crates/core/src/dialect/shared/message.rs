//! Reads one message: `{role, content}` with calls, reasoning and images beside the content, or a message that is one result.

use super::content::{Content, skip_span, span_from, string_span};
use super::document::images;
use super::number;
use super::oddities::Oddities;
use super::pairing::{Pairing, answer, function_call, tool_calls};
use super::unread::{self, foreign_calls, foreign_key, holds_calls};
use crate::dialect::builder::{CallId, Level, Mark, TranscriptBuilder};
use crate::estimate;
use crate::json::locate::{Member, members};
use crate::json::{Cursor, Id, Kind, ScanError};
use crate::transcript::{BlockKind, Fault, NoteKind, Role, Span};
use std::borrow::Cow;

/// Members of a message that is a result, beside the id of its call.
const RESULT: [&[u8]; 12] = [
    b"role",
    b"content",
    b"id",
    b"name",
    b"toolName",
    b"tool_name",
    b"tool_call_id",
    b"toolCallId",
    b"isError",
    b"is_error",
    b"timestamp",
    b"details",
];

/// The members of a message beside its blocks.
#[derive(Debug, Default)]
pub struct MessageFields<'a> {
    /// Its role.
    pub role: Role,
    /// Milliseconds since 1970.
    pub time: Option<i64>,
    /// Model that wrote it.
    pub model: Option<Cow<'a, str>>,
    /// Provider of that model.
    pub provider: Option<Cow<'a, str>>,
    /// API through which it was asked.
    pub api: Option<Cow<'a, str>>,
    /// Its id.
    pub id: Id,
    /// Index of the message in the builder.
    pub index: u32,
    /// The span of the data beside its content that only the agent uses.
    pub details: Option<Span>,
    /// The id of the call that it answers.
    pub answers: Id,
    /// Whether the agent keeps it from the model (`excludeFromContext`).
    pub excluded: bool,
}

/// Members that become blocks, each with a bit of its own.
fn bit(key: &[u8]) -> u8 {
    match key {
        b"content" => 1,
        b"tool_calls" => 2,
        b"function_call" => 4,
        b"reasoning_content" => 8,
        b"reasoning" => 16,
        b"thinking" => 32,
        b"tool_plan" => 64,
        b"images" => 128,
        _ => 0,
    }
}

/// Reads one message object; `origin` is the byte of the cursor at which its record begins.
///
/// # Errors
/// The message is malformed JSON.
pub fn message<'a>(
    cursor: &mut Cursor<'a>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<MessageFields<'a>, ScanError> {
    read(cursor, origin, &[], builder)
}

/// Reads the message at byte `from` of the cursor again, without the members that a later one of the same name replaces.
#[cold]
fn again<'a>(
    cursor: &mut Cursor<'a>,
    from: usize,
    origin: usize,
    before: Mark,
    builder: &mut TranscriptBuilder,
) -> Result<MessageFields<'a>, ScanError> {
    builder.rollback_blocks(before);
    let members = members(cursor.bytes(), from).unwrap_or_default();
    let is_replaced = |at: &usize| {
        bit(&members[*at].name) > 0
            && members[at + 1..]
                .iter()
                .any(|later| later.name == members[*at].name)
    };
    let replaced: Vec<&Member<'_>> = (0..members.len())
        .filter(is_replaced)
        .map(|at| &members[at])
        .collect();
    for member in &replaced {
        builder.not_understood(
            Level::Twice,
            format!("{} twice in a message", unread::key(&member.name)),
        );
    }
    cursor.go_to(from);
    read(cursor, origin, &replaced, builder)
}

/// Reads one message object but for these members.
fn read<'a>(
    cursor: &mut Cursor<'a>,
    origin: usize,
    replaced: &[&Member<'_>],
    builder: &mut TranscriptBuilder,
) -> Result<MessageFields<'a>, ScanError> {
    let mut facts = MessageFields::default();
    cursor.peek();
    let (from, before) = (cursor.at(), builder.mark());
    let (blocks, unknown_kinds) = (builder.blocks.len(), builder.unknown_kinds());
    let mut content = Content::Absent;
    let mut tool = Pairing::default();
    let mut members = cursor.enter_object()?;
    let (mut calls, mut empty_calls, mut broken_off, mut prefix, mut beside, mut reasons) =
        (false, false, false, false, false, false);
    let (mut oddities, mut bits, mut twice) = (Oddities::default(), 0, false);
    let mut becomes_blocks = |key: &[u8]| {
        let bit = bit(key);
        (twice, bits) = (twice || bits & bit > 0, bits | bit);
    };
    while let Some(key) = cursor.key(&mut members)? {
        if replaced
            .iter()
            .any(|member| member.value.start == cursor.at())
        {
            continue;
        }
        match &*key {
            b"role" => facts.role = oddities.role(cursor)?,
            b"content" => {
                becomes_blocks(&key);
                let first = builder.blocks.len();
                content = super::content(cursor, origin, builder)?;
                // Reasoning that is a part of the content is content.
                reasons = builder.blocks[first..]
                    .iter()
                    .any(|b| b.kind == BlockKind::Thinking);
                oddities.content = true;
            }
            b"tool_calls" if cursor.kind()? == Kind::Array => {
                becomes_blocks(&key);
                calls = true;
                empty_calls = tool_calls(cursor, origin, builder)? == 0;
            }
            b"function_call" if cursor.kind()? == Kind::Object => {
                becomes_blocks(&key);
                calls = true;
                function_call(cursor, origin, builder)?;
            }
            b"tool_call_id" | b"toolCallId" => tool.call = CallId::read(cursor, origin)?,
            b"toolName" | b"name" | b"tool_name" => tool.name = cursor.string_or_skip()?,
            b"isError" | b"is_error" => tool.error = cursor.skip()? == Kind::True,
            b"reasoning_content" | b"reasoning" | b"thinking" | b"tool_plan"
                if cursor.kind()? == Kind::String =>
            {
                becomes_blocks(&key);
                if &*key == b"reasoning_content" {
                    builder.note(builder.blocks.len(), NoteKind::ReasoningContent);
                }
                reasoning(cursor, origin, builder)?;
                // What the model says about its calls is text, also without them.
                beside |=
                    &*key == b"tool_plan" && builder.blocks.last().is_some_and(|b| b.chars > 0);
            }
            b"images" if cursor.kind()? == Kind::Array => {
                becomes_blocks(&key);
                images(cursor, origin, builder)?;
            }
            b"reasoning_content" | b"reasoning" | b"thinking" | b"tool_plan" | b"images" => {
                becomes_blocks(&key)
            }
            b"reasoning_details" => {
                cursor.skip()?;
                builder.service.get_or_insert_with(|| "openrouter".into());
            }
            b"refusal" | b"audio" => beside |= cursor.skip()? != Kind::Null,
            b"excludeFromContext" => facts.excluded = cursor.skip()? == Kind::True,
            b"prefix" => prefix = cursor.skip()? == Kind::True,
            b"stopReason" => {
                broken_off = matches!(
                    &*cursor.bytes_or_skip()?.unwrap_or_default(),
                    b"error" | b"aborted"
                )
            }
            b"timestamp" | b"ts" => facts.time = number(cursor)?.or(facts.time),
            b"id" => facts.id = cursor.bytes_or_skip()?.map_or(Id::NONE, |id| Id::of(&id)),
            b"details" => facts.details = Some(skip_span(cursor, origin)?),
            b"model" => facts.model = cursor.string_or_skip()?,
            b"provider" => facts.provider = cursor.string_or_skip()?,
            b"api" => facts.api = cursor.string_or_skip()?,
            b"modelInfo" if cursor.kind()? == Kind::Object => {
                (facts.model, facts.provider) = model_info(cursor)?
            }
            b"tool_calls" | b"function_call" => {
                becomes_blocks(&key);
                let kind = cursor.skip()?;
                if kind != Kind::Null {
                    oddities.calls = Some(format!(
                        "{} that is {}",
                        unread::key(&key),
                        unread::kind_name(kind)
                    ));
                }
            }
            key if holds_calls(key) || key == b"tools" && facts.role == Role::Assistant => {
                oddities.calls = foreign_calls(cursor, key)?.or(oddities.calls);
            }
            _ => {}
        }
    }
    if twice {
        return again(cursor, from, origin, before, builder);
    }
    let (role, developer) = (facts.role, oddities.is_developer);
    let span = span_from(cursor, from, origin);
    facts.answers = tool.call.hash;
    if role == Role::Tool {
        // A cut of the content would leave what is beside it: such a result is left whole.
        let beside = |span: Span| matches!(content, Content::String(at) if span.start < at.start || span.start >= at.end);
        for block in builder.blocks[blocks..]
            .iter_mut()
            .filter(|b| b.kind == BlockKind::Image && beside(b.span))
        {
            (block.kind, block.chars) = (BlockKind::Other, estimate::IMAGE as u32);
        }
        builder.not_understood_inside(unknown_kinds);
        result_message(builder, blocks, span, content, &tool);
        if tool.call.hash.is_none() && !oddities.is_function && !builder.by_order {
            // One that has only no id is a fault that has a rule of its own.
            let instead = foreign_key(cursor, from, &RESULT)?;
            if instead.is_some() || builder.unknown_kinds() > unknown_kinds {
                let instead = instead
                    .map(|key| format!("{key} in a "))
                    .unwrap_or_default();
                builder.not_understood_at(
                    blocks,
                    Level::Part,
                    format!("{instead}result without tool_call_id"),
                );
            }
        }
    }
    if calls && role != Role::Tool {
        builder.count_parts(blocks);
    }
    if builder.is_empty_since(blocks) && !beside
        || oddities.is_there()
        || builder.unknown_kinds() > unknown_kinds
    {
        oddities.explain(cursor, from, blocks, unknown_kinds, content, builder)?;
    }
    let silent = !beside
        && !reasons
        && builder.blocks[blocks..]
            .iter()
            .all(|b| b.kind == BlockKind::Thinking);
    facts.index = builder.message(role, span, blocks, matches!(content, Content::Array(_)));
    let made = &mut builder.messages[facts.index as usize];
    (made.empty_calls, made.broken_off, made.prefix) = (empty_calls, broken_off, prefix);
    made.no_content = silent && matches!(role, Role::User | Role::Assistant);
    made.odd_role = role == Role::Other;
    made.developer = developer;
    made.odd_content = matches!(content, Content::Odd(_)) && role != Role::Tool;
    Ok(facts)
}

/// A name, where there is one.
type Name<'a> = Option<Cow<'a, str>>;

/// The model and provider that Cline notes: `{id, provider}`, before `{modelId, providerId}`.
fn model_info<'a>(cursor: &mut Cursor<'a>) -> Result<(Name<'a>, Name<'a>), ScanError> {
    let (mut model, mut provider) = (None, None);
    cursor.each_member(|key, cursor| {
        match key {
            b"id" | b"modelId" => model = cursor.string_or_skip()?,
            b"provider" | b"providerId" => provider = cursor.string_or_skip()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok((model, provider))
}

/// Makes the blocks of a message that is one result children of a Result block.
fn result_message(
    builder: &mut TranscriptBuilder,
    first: usize,
    span: Span,
    content: Content,
    tool: &Pairing<'_>,
) {
    answer(
        builder,
        first,
        span,
        content,
        tool.call,
        tool.name.as_deref(),
        tool.error,
    );
    if matches!(content, Content::Odd(_)) {
        builder.note(first, NoteKind::Fault(Fault::NoContent));
    }
}

/// Reads a text of reasoning beside the content, as DeepSeek-like models send it.
///
/// # Errors
/// It is no string, or malformed JSON.
pub fn reasoning(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<(), ScanError> {
    let found = cursor.text()?;
    let chars = builder.chars_of(&found);
    builder.plain_block(BlockKind::Thinking, 0, string_span(&found, origin), chars);
    Ok(())
}
