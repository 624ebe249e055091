//! Reads one message: `{role, content}` with calls, reasoning and images beside the content, or a message that is one result.

use super::content::Content;
use super::document::images;
use super::number;
use super::oddities::Oddities;
use super::pairing::{Pairing, answer, function_call, tool_calls};
use super::unread::{self, foreign_calls, foreign_key, holds_calls};
use crate::dialect::builder::{CallId, Level, Mark, TranscriptBuilder};
use crate::estimate;
use crate::json::locate::{Member, members};
use crate::json::{Cursor, Id, Kind, Scanned};
use crate::transcript::{Block, BlockKind, Fault, NoteKind, Role, Span};
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

/// Reads one message object.
///
/// # Errors
/// The message is malformed JSON.
pub fn message<'a>(
    cursor: &mut Cursor<'a>,
    builder: &mut TranscriptBuilder,
) -> Scanned<MessageFields<'a>> {
    read(cursor, &[], builder)
}

/// Reads the message at byte `from` of the cursor again, without the members that a later one of the same name replaces.
#[cold]
fn again<'a>(
    cursor: &mut Cursor<'a>,
    from: usize,
    before: Mark,
    builder: &mut TranscriptBuilder,
) -> Scanned<MessageFields<'a>> {
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
    read(cursor, &replaced, builder)
}

/// Reads one message object but for these members.
fn read<'a>(
    cursor: &mut Cursor<'a>,
    replaced: &[&Member<'_>],
    builder: &mut TranscriptBuilder,
) -> Scanned<MessageFields<'a>> {
    let (from, before) = (cursor.next_at(), builder.mark());
    let (blocks, unknown_kinds) = (builder.blocks.len(), builder.unknown_kinds());
    let mut seen = MessageMembers::default();
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let is_replaced = |member: &&Member<'_>| member.value.start == cursor.at();
        if !replaced.iter().any(is_replaced) {
            seen.member(&key, cursor, builder)?;
        }
    }
    if seen.twice {
        return again(cursor, from, before, builder);
    }
    let (role, content, span) = (seen.facts.role, seen.content, cursor.span_from(from));
    let developer = seen.oddities.is_developer;
    if role == Role::Tool {
        seen.result(cursor, from, before, builder)?;
    } else if seen.calls {
        builder.count_parts(blocks);
    }
    if builder.is_empty_since(blocks) && !seen.beside
        || seen.oddities.is_there()
        || builder.unknown_kinds() > unknown_kinds
    {
        let oddities = seen.oddities;
        oddities.explain(cursor, from, blocks, unknown_kinds, content, builder)?;
    }
    let is_thinking = |b: &Block| b.kind == BlockKind::Thinking;
    let silent = !seen.beside && !seen.reasons && builder.blocks[blocks..].iter().all(is_thinking);
    let mut facts = seen.facts;
    facts.answers = seen.tool.call.hash;
    facts.index = builder.message(role, span, blocks, matches!(content, Content::Array(_)));
    let made = &mut builder.messages[facts.index as usize];
    (made.empty_calls, made.broken_off, made.prefix) =
        (seen.empty_calls, seen.broken_off, seen.prefix);
    made.no_content = silent && matches!(role, Role::User | Role::Assistant);
    made.odd_role = role == Role::Other;
    made.developer = developer;
    made.odd_content = matches!(content, Content::Odd(_)) && role != Role::Tool;
    Ok(facts)
}

/// The members of a message.
#[derive(Default)]
struct MessageMembers<'a> {
    facts: MessageFields<'a>,
    content: Content,
    tool: Pairing<'a>,
    oddities: Oddities<'a>,
    calls: bool,
    empty_calls: bool,
    broken_off: bool,
    prefix: bool,
    /// Whether something beside the content and the calls is said.
    beside: bool,
    /// Whether reasoning is a part of the content.
    reasons: bool,
    /// Those that became blocks, and whether one of them did so before.
    bits: u8,
    twice: bool,
}

impl<'a> MessageMembers<'a> {
    fn member(
        &mut self,
        key: &[u8],
        cursor: &mut Cursor<'a>,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        let (facts, tool) = (&mut self.facts, &mut self.tool);
        let bit = bit(key);
        (self.twice, self.bits) = (self.twice || self.bits & bit > 0, self.bits | bit);
        match key {
            b"role" => facts.role = self.oddities.role(cursor)?,
            b"content" => {
                let first = builder.blocks.len();
                self.content = super::content(cursor, builder)?;
                self.reasons = builder.blocks[first..]
                    .iter()
                    .any(|b| b.kind == BlockKind::Thinking);
                self.oddities.content = true;
            }
            b"tool_calls" if cursor.kind()? == Kind::Array => {
                self.calls = true;
                self.empty_calls = tool_calls(cursor, builder)? == 0;
            }
            b"function_call" if cursor.kind()? == Kind::Object => {
                self.calls = true;
                function_call(cursor, builder)?;
            }
            b"tool_calls" | b"function_call" => {
                let kind = cursor.skip()?;
                if kind != Kind::Null {
                    let what = format!("{} that is {}", unread::key(key), unread::kind_name(kind));
                    self.oddities.calls = Some(what);
                }
            }
            b"tool_call_id" | b"toolCallId" => tool.call = CallId::read(cursor)?,
            b"toolName" | b"name" | b"tool_name" => tool.name = cursor.string_or_skip()?,
            b"isError" | b"is_error" => tool.error = cursor.skip()? == Kind::True,
            b"reasoning_content" | b"reasoning" | b"thinking" | b"tool_plan"
                if cursor.kind()? == Kind::String =>
            {
                if key == b"reasoning_content" {
                    builder.note(builder.blocks.len(), NoteKind::ReasoningContent);
                }
                reasoning(cursor, builder)?;
                // What the model says about its calls is text, also without them.
                self.beside |=
                    key == b"tool_plan" && builder.blocks.last().is_some_and(|b| b.chars > 0);
            }
            b"images" if cursor.kind()? == Kind::Array => images(cursor, builder)?,
            b"reasoning_details" => {
                cursor.skip()?;
                builder.service.get_or_insert_with(|| "openrouter".into());
            }
            b"refusal" | b"audio" => self.beside |= cursor.skip()? != Kind::Null,
            b"excludeFromContext" => facts.excluded = cursor.skip()? == Kind::True,
            b"prefix" => self.prefix = cursor.skip()? == Kind::True,
            b"stopReason" => {
                let reason = cursor.bytes_or_skip()?.unwrap_or_default();
                self.broken_off = matches!(&*reason, b"error" | b"aborted");
            }
            b"timestamp" | b"ts" => facts.time = number(cursor)?.or(facts.time),
            b"id" => facts.id = cursor.id_or_skip()?,
            b"details" => facts.details = Some(cursor.skip_span()?),
            b"model" => facts.model = cursor.string_or_skip()?,
            b"provider" => facts.provider = cursor.string_or_skip()?,
            b"api" => facts.api = cursor.string_or_skip()?,
            b"modelInfo" if cursor.kind()? == Kind::Object => {
                (facts.model, facts.provider) = model_info(cursor)?
            }
            key if holds_calls(key) || key == b"tools" && facts.role == Role::Assistant => {
                self.oddities.calls = foreign_calls(cursor, key)?.or(self.oddities.calls.take());
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes the blocks since `before` the content of a result, which the message at byte `from` of the cursor is.
    fn result(
        &self,
        cursor: &mut Cursor<'_>,
        from: usize,
        before: Mark,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        let (blocks, content, tool) = (before.blocks(), self.content, &self.tool);
        // A cut of the content would leave what is beside it: such a result is left whole.
        let beside = |span: Span| matches!(content, Content::String(at) if span.start < at.start || span.start >= at.end);
        let images = builder.blocks[blocks..].iter_mut();
        for block in images.filter(|b| b.kind == BlockKind::Image && beside(b.span)) {
            (block.kind, block.chars) = (BlockKind::Other, estimate::IMAGE as u32);
        }
        builder.not_understood_inside(before.unknown_kinds());
        let name = tool.name.as_deref();
        let span = cursor.span_from(from);
        answer(builder, blocks, span, content, tool.call, name, tool.error);
        if matches!(content, Content::Odd(_)) {
            builder.note(blocks, NoteKind::Fault(Fault::NoContent));
        }
        if tool.call.hash.is_none() && !self.oddities.is_function && !builder.by_order {
            // One that has only no id is a fault that has a rule of its own.
            let instead = foreign_key(cursor, from, &RESULT)?.map(|key| format!("{key} in a "));
            if instead.is_some() || builder.unknown_kinds() > before.unknown_kinds() {
                let what = format!("{}result without tool_call_id", instead.unwrap_or_default());
                builder.not_understood_at(blocks, Level::Part, what);
            }
        }
        Ok(())
    }
}

/// A name, where there is one.
type Name<'a> = Option<Cow<'a, str>>;

/// The model and provider that Cline notes: `{id, provider}`, before `{modelId, providerId}`.
fn model_info<'a>(cursor: &mut Cursor<'a>) -> Scanned<(Name<'a>, Name<'a>)> {
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

/// Reads a text of reasoning beside the content, as DeepSeek-like models send it.
///
/// # Errors
/// It is no string, or malformed JSON.
pub fn reasoning(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let found = cursor.text()?;
    let chars = builder.chars_of(&found);
    builder.plain_block(BlockKind::Thinking, 0, found.span, chars);
    Ok(())
}
