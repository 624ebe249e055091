//! The parts of an OpenCode message: texts, reasoning, files, and tools with their results, step by
//! step.

use crate::{
    dialect::{
        builder::{CallId, Level, TranscriptBuilder},
        shared,
        shared::Content,
    },
    json::{Cursor, Id, Kind, Scanned, Text, stringify},
    transcript::{Block, BlockKind, Role, Span},
};
use std::borrow::Cow;

/// The messages that the parts of a message make.
#[derive(Default)]
pub struct Parts {
    /// Indices of the messages made of it.
    pub messages: Vec<u32>,
    /// Whether it asks for a compaction, and the id of the first message that this keeps.
    pub compaction: Option<Option<Id>>,
    /// Whether anything but reasoning was said.
    pub speaks: bool,
}

/// Reads `parts`, an array, of a message of `role`. The messages that are no results have no span
/// yet.
///
/// # Errors
/// It is malformed JSON.
pub fn parts(
    cursor: &mut Cursor<'_>,
    role: Role,
    builder: &mut TranscriptBuilder,
) -> Scanned<Parts> {
    let mut found = Parts::default();
    let mut step = Step {
        first: builder.blocks.len(),
        unknown_kinds: builder.unknown_kinds(),
        answers: Vec::new(),
    };
    cursor.each_element(|position, cursor| {
        if cursor.kind()? == Kind::Object {
            let from = cursor.at();
            let part = Part::read(cursor)?;
            let span = cursor.span_from(from);
            let kind = part.kind.as_deref().unwrap_or("");
            if kind == "step-start"
                && (builder.blocks.len() > step.first || !step.answers.is_empty())
            {
                step.end(role, &mut found, builder);
            }
            found.speaks |= !matches!(kind, "step-start" | "reasoning");
            if kind == "compaction" {
                found.compaction = Some(part.tail);
            }
            part.push(position, role, span, &mut step, builder);
        }
        Ok(())
    })?;
    if found.messages.is_empty() || builder.blocks.len() > step.first || !step.answers.is_empty() {
        step.end(role, &mut found, builder);
    }
    Ok(found)
}

/// The answer of the model to one request, and the results of its calls.
struct Step {
    first: usize,
    unknown_kinds: usize,
    answers: Vec<(Span, Vec<Block>)>,
}

impl Step {
    /// Makes messages of the step; the next one begins.
    fn end(&mut self, role: Role, found: &mut Parts, builder: &mut TranscriptBuilder) {
        if role == Role::Other {
            builder.unread(
                Level::Message,
                "message without a role that OpenCode has".to_owned(),
            );
        } else if builder.unknown_kinds() > self.unknown_kinds {
            builder.judge(self.first, self.unknown_kinds, None);
        }
        found
            .messages
            .push(builder.message(role, Span::default(), self.first, true));
        for (span, blocks) in self.answers.drain(..) {
            let first = builder.blocks.len();
            builder.blocks.extend(blocks);
            found
                .messages
                .push(builder.message(Role::Tool, span, first, false));
        }
        (self.first, self.unknown_kinds) = (builder.blocks.len(), builder.unknown_kinds());
    }
}

/// The members of a part.
#[derive(Default)]
struct Part<'a> {
    kind: Option<Cow<'a, str>>,
    text: Option<Text<'a>>,
    ignored: bool,
    mime: Option<Cow<'a, str>>,
    tool: Option<Cow<'a, str>>,
    call: CallId,
    state: Option<State<'a>>,
    tail: Option<Id>,
}

impl<'a> Part<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Scanned<Part<'a>> {
        let mut part = Part::default();
        cursor.each_member(|key, cursor| {
            match (key, cursor.kind()?) {
                (b"type", _) => part.kind = cursor.string_or_skip()?,
                (b"text", Kind::String) => part.text = Some(cursor.text()?),
                (b"ignored", _) => part.ignored = cursor.skip()? == Kind::True,
                (b"mime", _) => part.mime = cursor.string_or_skip()?,
                (b"tool", _) => part.tool = cursor.string_or_skip()?,
                (b"callID", _) => part.call = CallId::read(cursor)?,
                (b"state", Kind::Object) => part.state = Some(State::read(cursor)?),
                (b"tail_start_id", Kind::String) => part.tail = Some(cursor.id_or_skip()?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(part)
    }

    /// Pushes the blocks that are sent.
    fn push(
        self,
        position: usize,
        role: Role,
        span: Span,
        step: &mut Step,
        builder: &mut TranscriptBuilder,
    ) {
        match (self.kind.as_deref().unwrap_or(""), &self.text) {
            ("text", Some(found)) if !(self.ignored && role == Role::User) => {
                builder.text(found, position, false);
            }
            ("reasoning", Some(found)) => {
                let chars = builder.chars_of(found);
                builder.plain_block(BlockKind::Thinking, position, span, chars);
            }
            ("file", _) => match self.mime.as_deref() {
                // Their content is in a text beside them.
                Some("text/plain" | "application/x-directory") => {}
                Some(mime) if mime.starts_with("image/") => {
                    builder.plain_block(BlockKind::Image, position, span, 0)
                }
                _ => builder.other_block(position, span),
            },
            ("tool", _) => {
                if self.tool.is_none() {
                    builder
                        .not_understood(Level::Part, "part of type tool without tool".to_owned());
                }
                self.tool(position, span, step, builder);
            }
            ("text" | "reasoning", None) => {
                builder.not_understood(Level::Part, "part of type text without text".to_owned());
                builder.other_block(position, span);
            }
            // They are sent in words of the agent's.
            ("compaction" | "subtask", _) => {
                builder.plain_block(BlockKind::Other, position, span, 0);
            }
            (
                "text" | "step-start" | "step-finish" | "snapshot" | "patch" | "agent" | "retry",
                _,
            ) => {}
            (unknown, _) => {
                builder.unknown(Level::Part, "part of type", unknown);
                builder.other_block(position, span);
            }
        }
    }

    /// Pushes a call, and keeps its result for the end of the step.
    fn tool(self, position: usize, span: Span, step: &mut Step, builder: &mut TranscriptBuilder) {
        let (state, name) = (
            self.state.unwrap_or_default(),
            self.tool.as_deref().unwrap_or(""),
        );
        let mut call = self.call;
        if call.hash.is_none() {
            // The pair is in one place, which serves as an id.
            call.hash = builder.place_id(span);
        }
        if state.is_answered() {
            let answer = state.answer(span, call, name, builder);
            step.answers.push((span, answer));
            if let Some(span) = state.metadata {
                builder.result_copy(call.hash, span);
            }
        }
        builder.call(call, name, position, span, state.input.unwrap_or(2));
    }
}

/// The `state` of a tool part.
#[derive(Default)]
struct State<'a> {
    status: Option<Cow<'a, [u8]>>,
    input: Option<usize>,
    output: Option<Text<'a>>,
    error: Option<Text<'a>>,
    /// The output of an interrupted tool, which is sent in place of the error.
    printed: Option<Text<'a>>,
    interrupted: bool,
    compacted: bool,
    metadata: Option<Span>,
    attachments: Option<Span>,
}

impl<'a> State<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Scanned<State<'a>> {
        let mut state = State::default();
        cursor.each_member(|key, cursor| {
            let kind = cursor.kind()?;
            let from = cursor.at();
            match (key, kind) {
                (b"status", _) => state.status = cursor.bytes_or_skip()?,
                (b"input", _) => state.input = Some(stringify::length(cursor)?),
                (b"output", Kind::String) => state.output = Some(cursor.text()?),
                (b"error", Kind::String) => state.error = Some(cursor.text()?),
                (b"metadata", Kind::Object) => {
                    cursor.each_member(|key, cursor| {
                        match (key, cursor.kind()?) {
                            (b"interrupted", _) => state.interrupted = cursor.skip()? == Kind::True,
                            (b"output", Kind::String) => state.printed = Some(cursor.text()?),
                            _ => {}
                        }
                        Ok(())
                    })?;
                    state.metadata = Some(cursor.span_from(from));
                }
                (b"attachments", Kind::Array) => {
                    let span = cursor.skip_span()?;
                    state.attachments = (span.len() > 2).then_some(span);
                }
                (b"time", Kind::Object) => {
                    cursor.member(b"compacted", |cursor| {
                        state.compacted = shared::number(cursor)?.is_some_and(|time| time != 0);
                        Ok(())
                    })?;
                }
                _ => {}
            }
            Ok(())
        })?;
        // The output that was sent in place of the error has no second copy.
        if state.status.as_deref() == Some(b"error") && state.interrupted && state.printed.is_some()
        {
            state.metadata = None;
        }
        Ok(state)
    }

    /// Whether the call has a result. An unknown state counts as a result.
    fn is_answered(&self) -> bool {
        match self.status.as_deref() {
            Some(b"pending" | b"running") => false,
            None | Some(b"error") => self.said().0.is_some(),
            Some(b"completed") => {
                self.output.is_some() || self.compacted || self.attachments.is_some()
            }
            Some(_) => true,
        }
    }

    /// The blocks of the result, of the part at `span`.
    fn answer(
        &self,
        span: Span,
        call: CallId,
        name: &str,
        builder: &mut TranscriptBuilder,
    ) -> Vec<Block> {
        let first = builder.blocks.len();
        let (said, failed) = self.said();
        let mut content = Content::Absent;
        if let Some(found) = said {
            builder.text(found, 0, false);
            content = Content::String(found.span);
        }
        if let Some(span) = self.attachments.filter(|_| !self.compacted) {
            // They are elsewhere: a cut of the output could not remove them too.
            builder.plain_block(BlockKind::Other, 1, span, 0);
        }
        shared::answer(builder, first, span, content, call, Some(name), failed);
        builder.blocks.split_off(first)
    }

    /// Returns the text that is sent as the result, and whether it is sent as an error.
    fn said(&self) -> (Option<&Text<'a>>, bool) {
        match self.status.as_deref() {
            Some(b"error") if self.interrupted && self.printed.is_some() => {
                (self.printed.as_ref(), false)
            }
            Some(b"error") => (self.error.as_ref(), true),
            _ => (self.output.as_ref().filter(|_| !self.compacted), false),
        }
    }
}
