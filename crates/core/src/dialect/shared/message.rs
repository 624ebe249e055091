//! Reads one message: `{role, content}` with calls, reasoning and images beside the content, or a
//! message that is one result.
//!
//! The reader notes anything unusual while it reads, at almost no cost; it is evaluated at the end
//! of a message that has such a note, or is empty.

use super::{
    content::{Content, images},
    number,
    pairing::{Pairing, answer, function_call, tool_calls},
    unread,
    unread::{first_key, foreign_calls, foreign_key, has, holds_calls, no_role},
};
use crate::{
    dialect::{builder::Mark, reading::*},
    estimate,
    json::locate::members,
    transcript::Block,
};

/// Members of a message that is a result, beside the id of its call.
const RESULT: &str = "role content id name toolName tool_name tool_call_id toolCallId isError is_error timestamp details";

/// Members that the reader knows, beside those that describe a message.
const KNOWN: &str = "content tool_calls function_call tool_call_id toolCallId toolName tool_name reasoning_content reasoning \
    reasoning_details thinking_blocks thinking tool_plan images";

/// Members that hold the words of a message that an agent writes itself.
const WORDS: &str = "command summary output";

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

/// Reads the message at byte `from` of the cursor again, without the members that a later one of
/// the same name replaces.
#[cold]
fn again<'a>(
    cursor: &mut Cursor<'a>,
    from: usize,
    before: Mark,
    builder: &mut TranscriptBuilder,
) -> Scanned<MessageFields<'a>> {
    builder.rollback_blocks(before);
    let members = members(cursor.bytes(), from).unwrap_or_default();
    let mut replaced = Vec::new();
    for (member, at) in members.iter().zip(1..) {
        if bit(&member.name) > 0 && members[at..].iter().any(|later| later.name == member.name) {
            let what = format!("{} twice in a message", unread::key(&member.name));
            builder.not_understood(Level::Twice, what);
            replaced.push(member.value.start);
        }
    }
    cursor.go_to(from);
    read(cursor, &replaced, builder)
}

/// Reads one message object but for the members whose values begin at the bytes `replaced`.
fn read<'a>(
    cursor: &mut Cursor<'a>,
    replaced: &[usize],
    builder: &mut TranscriptBuilder,
) -> Scanned<MessageFields<'a>> {
    let (from, before) = (cursor.next_at(), builder.mark());
    let blocks = before.blocks;
    let mut seen = MessageMembers::default();
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if !replaced.contains(&cursor.at()) {
            seen.member(&key, cursor, builder)?;
        }
    }
    if seen.twice {
        return again(cursor, from, before, builder);
    }
    let (role, span) = (seen.facts.role, cursor.span_from(from));
    if role == Role::Tool {
        seen.result(cursor, from, before, builder)?;
    } else if seen.calls {
        builder.count_parts(blocks);
    }
    if builder.is_empty_since(blocks) && !seen.beside
        || seen.foreign.is_some()
        || seen.role.is_none()
        || builder.unknown_kinds() > before.unknown_kinds
    {
        seen.explain(cursor, from, before, builder)?;
    }
    let is_thinking = |b: &Block| b.kind == BlockKind::Thinking;
    let silent = !seen.beside && !seen.reasons && builder.blocks[blocks..].iter().all(is_thinking);
    let mut facts = seen.facts;
    facts.answers = seen.tool.call.hash;
    facts.index = builder.add(Message {
        role,
        span,
        blocks: blocks as u32,
        array: matches!(seen.content, Content::Array(_)),
        no_content: silent && matches!(role, Role::User | Role::Assistant),
        odd_role: role == Role::Other,
        developer: seen.name.as_deref() == Some(b"developer"),
        odd_content: matches!(seen.content, Content::Odd(_)) && role != Role::Tool,
        ..seen.made
    });
    Ok(facts)
}

/// The members of a message.
#[derive(Default)]
struct MessageMembers<'a> {
    facts: MessageFields<'a>,
    /// The facts of the message itself.
    made: Message,
    content: Content,
    /// Whether it has a content, empty or not.
    said: bool,
    tool: Pairing<'a>,
    /// Its role, if that is known, and as it is written.
    role: Option<Role>,
    name: Option<Cow<'a, [u8]>>,
    /// The member with calls or results of a foreign spelling, as an error names it.
    foreign: Option<String>,
    calls: bool,
    /// Whether something beside the content and the calls is said.
    beside: bool,
    /// Whether reasoning is a part of the content.
    reasons: bool,
    /// The members that became blocks, and whether one of them occurred twice.
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
            b"role" => {
                let name = cursor.bytes_or_skip()?.unwrap_or_default();
                self.role = role_of(&name);
                facts.role = self.role.unwrap_or(Role::Other);
                self.name = Some(name);
            }
            b"content" => {
                let first = builder.blocks.len();
                self.content = super::content(cursor, builder)?;
                self.reasons = builder.blocks[first..]
                    .iter()
                    .any(|b| b.kind == BlockKind::Thinking);
                self.said = true;
            }
            b"tool_calls" if cursor.kind()? == Kind::Array => {
                self.calls = true;
                self.made.empty_calls = tool_calls(cursor, builder)? == 0;
            }
            b"function_call" if cursor.kind()? == Kind::Object => {
                self.calls = true;
                function_call(cursor, builder)?;
            }
            b"tool_calls" | b"function_call" => {
                let kind = cursor.skip()?;
                if kind != Kind::Null {
                    let what = format!("{} that is {}", unread::key(key), unread::kind_name(kind));
                    self.foreign = Some(what);
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
                // The model's plan for its calls counts as text, even without calls.
                self.beside |=
                    key == b"tool_plan" && builder.blocks.last().is_some_and(|b| b.chars > 0);
            }
            b"images" if cursor.kind()? == Kind::Array => images(cursor, builder)?,
            b"reasoning_details" | b"thinking_blocks" => {
                if key == b"reasoning_details" {
                    builder.service.get_or_insert_with(|| "openrouter".into());
                }
                thinking_list(cursor, builder)?;
            }
            b"provider_specific_fields" if cursor.kind()? == Kind::Object => {
                cursor.each_member(|key, cursor| match key {
                    b"thinking_blocks" => thinking_list(cursor, builder),
                    _ => Ok(()),
                })?;
            }
            b"refusal" | b"audio" => self.beside |= cursor.skip()? != Kind::Null,
            b"excludeFromContext" => facts.excluded = cursor.skip()? == Kind::True,
            b"prefix" => self.made.prefix = cursor.skip()? == Kind::True,
            b"stopReason" => {
                let reason = cursor.bytes_or_skip()?.unwrap_or_default();
                self.made.broken_off = matches!(&*reason, b"error" | b"aborted");
            }
            b"timestamp" | b"ts" => facts.time = number(cursor)?.or(facts.time),
            b"id" => facts.id = cursor.id_or_skip()?,
            b"details" => facts.details = Some(cursor.skip_span()?),
            b"model" => facts.model = cursor.string_or_skip()?,
            b"provider" => facts.provider = cursor.string_or_skip()?,
            b"api" => facts.api = cursor.string_or_skip()?,
            b"modelInfo" if cursor.kind()? == Kind::Object => model_info(cursor, facts)?,
            key if holds_calls(key) || key == b"tools" && facts.role == Role::Assistant => {
                self.foreign = foreign_calls(cursor, key)?.or(self.foreign.take());
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes the blocks since `before` the content of a result, which the message at byte `from` of
    /// the cursor is.
    fn result(
        &self,
        cursor: &mut Cursor<'_>,
        from: usize,
        before: Mark,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        let (blocks, content, tool) = (before.blocks, self.content, &self.tool);
        // A cut of the content would leave what is beside it: such a result is left whole.
        let beside = |span: Span| matches!(content, Content::String(at) if span.start < at.start || span.start >= at.end);
        let images = builder.blocks[blocks..].iter_mut();
        for block in images.filter(|b| b.kind == BlockKind::Image && beside(b.span)) {
            (block.kind, block.chars) = (BlockKind::Other, estimate::IMAGE as u32);
        }
        builder.not_understood_inside(before.unknown_kinds);
        let name = tool.name.as_deref();
        let span = cursor.span_from(from);
        answer(builder, blocks, span, content, tool.call, name, tool.error);
        if matches!(content, Content::Odd(_)) {
            builder.note(blocks, NoteKind::Fault(Fault::NoContent));
        }
        let has_ids = self.name.as_deref() != Some(b"function") && !builder.by_order;
        if tool.call.hash.is_none() && has_ids {
            // A missing id alone is a fault that has a rule of its own.
            let instead = foreign_key(cursor, from, RESULT)?.map(|key| format!("{key} in a "));
            if instead.is_some() || builder.unknown_kinds() > before.unknown_kinds {
                let what = format!("{}result without tool_call_id", instead.unwrap_or_default());
                builder.not_understood_at(blocks, Level::Part, what);
            }
        }
        Ok(())
    }

    /// Says what was not understood of the message at byte `from` of the cursor.
    #[cold]
    fn explain(
        &self,
        cursor: &mut Cursor<'_>,
        from: usize,
        before: Mark,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        let first = before.blocks;
        if let Some(key) = &self.foreign {
            builder.unread(Level::Foreign, key.clone());
            return Ok(());
        }
        if self.role.is_none() {
            let (level, what) = no_role(cursor, from, self.name.as_deref())?;
            // The templates of a local server may know any role.
            if self.name.is_some() && builder.by_order && self.said {
                builder.not_understood(Level::Inside, what);
            } else if self.name.is_some() {
                builder.not_understood_at(first, Level::Part, what.clone());
                builder.unread(Level::Parts, what);
                return Ok(());
            } else {
                builder.unread(level, what);
                return Ok(());
            }
        }
        let said = match self.content {
            _ if self.role == Some(Role::Other) && has(cursor, from, WORDS)? => None,
            Content::Odd(_) => Some(unread::odd_content()),
            _ => first_key(cursor, from, KNOWN, self.said)?,
        };
        builder.judge(first, before.unknown_kinds, said);
        Ok(())
    }
}

fn role_of(role: &[u8]) -> Option<Role> {
    match role {
        b"user" => Some(Role::User),
        b"assistant" => Some(Role::Assistant),
        b"system" | b"developer" => Some(Role::System),
        b"tool" | b"toolResult" | b"function" => Some(Role::Tool),
        // Messages that OpenClaw writes itself.
        b"bashExecution" | b"compactionSummary" | b"branchSummary" | b"custom" | b"hookMessage" => {
            Some(Role::Other)
        }
        _ => None,
    }
}

/// Reads the model and provider that Cline notes: `{id, provider}`, before `{modelId, providerId}`.
fn model_info<'a>(cursor: &mut Cursor<'a>, facts: &mut MessageFields<'a>) -> Scanned {
    (facts.model, facts.provider) = (None, None);
    cursor.each_member(|key, cursor| {
        match key {
            b"id" | b"modelId" => facts.model = cursor.string_or_skip()?,
            b"provider" | b"providerId" => facts.provider = cursor.string_or_skip()?,
            _ => {}
        }
        Ok(())
    })
}

/// Reads a list of thinking beside the content, as LiteLLM and OpenRouter send it. Where its text
/// stands beside it too, it is counted there.
fn thinking_list(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let is_list = cursor.kind()? == Kind::Array;
    let span = cursor.skip_span()?;
    if is_list && span.len() > "[]".len() {
        builder.plain_block(BlockKind::Thinking, 0, span, 0);
    }
    Ok(())
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
