//! Items of OpenAI's Responses, the elements of `input`.
//!
//! What the model wrote comes as many items: reasoning, text, a call, another call. All of them between two items of the
//! other side make **one** assistant message here, as a chat would have it: that is what `keepLastAssistants` counts, and
//! it is the group that must stay or go as a whole, since reasoning is tied to what follows it. Every output is a message
//! of its own, of role tool. Items that need no answer (a web search, an MCP call, code that ran on the server) are blocks
//! of the run that are never cut. A reference and an item of an unknown type belong to the run they are in; where there
//! is none they are messages of their own that nobody counts as the model's.

use crate::dialect::builder::{CallId, Level, TranscriptBuilder};
use crate::dialect::openai_responses::contents::{content, summary};
use crate::dialect::openai_responses::faults::ItemSequence;
use crate::dialect::openai_responses::not_understood::unknown_content;
use crate::dialect::shared;
use crate::dialect::shared::Content;
use crate::dialect::shared::content::ContentParent;
use crate::dialect::shared::unread;
use crate::json::{Cursor, Id, IdMap, Kind, ScanError, stringify};
use crate::settings::Estimator;
use crate::transcript::{BlockKind, Flags, NoteKind, Role, Span};
use std::borrow::Cow;

/// Calls that want an output, and the name of their tool where they do not give one.
pub const CALLS: [(&str, &str, &str); 7] = [
    ("function_call", "function_call_output", ""),
    ("custom_tool_call", "custom_tool_call_output", ""),
    ("local_shell_call", "local_shell_call_output", "local_shell"),
    ("shell_call", "shell_call_output", "shell"),
    ("apply_patch_call", "apply_patch_call_output", "apply_patch"),
    ("computer_call", "computer_call_output", "computer"),
    ("tool_search_call", "tool_search_output", "tool_search"),
];

/// Items of the model or of its server that have nothing to answer them.
pub const ALONE: [&str; 8] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "program",
    "program_output",
];

/// Items in which the server keeps what it compacted. Older servers call one a summary, and Codex writes a context.
pub const COMPACTIONS: [&str; 3] = ["compaction", "compaction_summary", "context_compaction"];

/// Reads items one after another; the run of the model's items that is open is closed by what follows it.
#[derive(Debug, Default)]
pub struct Items {
    run: Option<Run>,
    /// The state of the checks that a provider makes item by item; `None` unless the items are of a body.
    checked: Option<ItemSequence>,
    /// Calls of the local shell by their own id, by which an output may name them too.
    shells: IdMap<Id>,
}

/// Items of the model that follow each other.
#[derive(Debug)]
struct Run {
    span: Span,
    first: usize,
    parts: u16,
    /// Whether some item of it was understood, and what of the first other one was not.
    known: bool,
    odd: Option<String>,
}

/// The members of an item.
#[derive(Default)]
pub struct ItemMembers<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub role: Option<Cow<'a, str>>,
    pub id: CallId,
    pub call: CallId,
    pub name: Option<Cow<'a, str>>,
    pub arguments: Option<usize>,
    pub content: Content,
    /// Whether it has a content, empty or not.
    pub said: bool,
    pub reasoning: usize,
    pub failed: bool,
    pub caller: Option<Id>,
    /// The member with calls in the spelling of another interface, as an error names it.
    pub foreign: Option<String>,
    /// The thing that was not understood of it, with its level.
    pub odd: Option<(Level, String)>,
    /// The number of things that were not understood before it.
    pub unknown_kinds: usize,
    /// Whether arguments are a string.
    pub string: bool,
    /// The JSON kind of an output.
    pub output: Option<Kind>,
    /// Whether it brings what is encrypted of its reasoning.
    pub sealed: bool,
    /// Whether the provider runs it.
    pub hosted: bool,
}

impl Items {
    /// For the items of a body, which a provider checks one by one.
    pub fn of_body() -> Items {
        Items {
            checked: Some(ItemSequence::default()),
            ..Items::default()
        }
    }

    /// Reads one item; `origin` is the byte of the cursor at which its record begins. What is no object is left.
    ///
    /// # Errors
    /// The item is malformed JSON.
    pub fn item(
        &mut self,
        cursor: &mut Cursor<'_>,
        origin: usize,
        builder: &mut TranscriptBuilder,
    ) -> Result<(), ScanError> {
        if let Some(checked) = &mut self.checked {
            checked.begin();
        }
        let kind = cursor.kind()?;
        if kind != Kind::Object {
            return shared::no_message(cursor, kind, builder);
        }
        let from = cursor.at();
        let first = builder.blocks.len();
        let mut seen = ItemMembers {
            unknown_kinds: builder.unknown_kinds(),
            ..ItemMembers::default()
        };
        cursor.each_member(|key, cursor| {
            match key {
                b"type" => seen.kind = cursor.string_or_skip()?,
                b"role" => seen.role = cursor.string_or_skip()?,
                b"id" => seen.id = CallId::read(cursor, origin)?,
                b"call_id" => seen.call = CallId::read(cursor, origin)?,
                b"name" => seen.name = cursor.string_or_skip()?,
                b"arguments" | b"input" if cursor.kind()? == Kind::String => {
                    (seen.arguments, seen.string) = (Some(cursor.text()?.units), true);
                }
                b"arguments" | b"action" | b"actions" | b"operation" => {
                    seen.arguments = Some(stringify::length(cursor)?)
                }
                b"content" | b"output" => {
                    seen.output = Some(cursor.kind()?)
                        .filter(|_| key == b"output")
                        .or(seen.output);
                    builder.keep_blocks(first);
                    (seen.content, seen.said) =
                        (content(cursor, origin, self.owner(), builder)?, true);
                }
                b"summary" if cursor.kind()? == Kind::Array => {
                    seen.reasoning += summary(cursor, origin, builder)?
                }
                b"encrypted_content" if cursor.kind()? == Kind::String => {
                    let found = cursor.text()?;
                    seen.sealed |= found.units > 0;
                    // The oldest estimator counts reasoning without what signs it.
                    let counts = builder.estimator != Estimator::Utf16;
                    seen.reasoning += if counts { builder.chars_of(&found) } else { 0 };
                }
                b"caller" if cursor.kind()? == Kind::Object => {
                    seen.caller = crate::dialect::shared::declared::caller(cursor)?
                }
                b"execution" => seen.hosted = cursor.bytes_or_skip()?.as_deref() == Some(b"server"),
                b"status" => seen.failed = cursor.bytes_or_skip()?.as_deref() == Some(b"failed"),
                key if key == b"tool_calls" || unread::holds_calls(key) => {
                    seen.foreign = unread::foreign_calls(cursor, key)?.or(seen.foreign.take());
                }
                _ => {}
            }
            Ok(())
        })?;
        let kind = seen.kind.take().unwrap_or(Cow::Borrowed(match seen.role {
            Some(_) => "message",
            None if seen.id.hash.is_some() && !seen.said => "item_reference",
            None => "",
        }));
        seen.odd = unknown_content(&kind, &mut seen, cursor, from, first, builder)?;
        let span = shared::span_from(cursor, from, origin);
        self.finish_item(&kind, seen, first, span, &cursor.bytes()[origin..], builder);
        Ok(())
    }

    fn owner(&self) -> ContentParent {
        if self.checked.is_some() {
            ContentParent::Item
        } else {
            ContentParent::Message
        }
    }

    /// Closes the run that is open.
    pub fn close(&mut self, builder: &mut TranscriptBuilder) {
        if let Some(run) = self.run.take() {
            if let Some(odd) = run.odd.filter(|_| !run.known) {
                builder.unread(Level::Parts, odd);
            }
            builder.message(Role::Assistant, run.span, run.first, true);
        }
    }

    /// Makes of an item, whose texts are the blocks from `first` on, what its type says.
    fn finish_item(
        &mut self,
        kind: &str,
        seen: ItemMembers<'_>,
        first: usize,
        span: Span,
        record: &[u8],
        builder: &mut TranscriptBuilder,
    ) {
        let faults = self
            .checked
            .as_mut()
            .map(|checked| checked.faults(&seen, kind, record))
            .unwrap_or_default();
        if self.checked.as_ref().is_some_and(|items| items.is_foreign) {
            builder.service.get_or_insert_with(|| "gateway".into());
        }
        let note = |builder: &mut TranscriptBuilder| {
            faults
                .into_iter()
                .for_each(|fact| builder.note(first, fact))
        };
        if kind == "message" {
            match seen.role.as_deref() {
                Some("assistant") => self.join(first, span, &seen, builder),
                role => {
                    self.separate_message(
                        role_of(role),
                        first,
                        span,
                        matches!(seen.content, Content::Array(_)),
                        &seen,
                        builder,
                    );
                    if let Some(message) = builder.messages.last_mut() {
                        message.odd_role = message.role == Role::Other;
                    }
                }
            }
            return note(builder);
        }
        // A search among tools that the server ran is answered by the server.
        let waits = seen.call.hash.is_some() && !seen.hosted;
        if let Some((_, _, tool)) = CALLS
            .iter()
            .find(|(call, output, _)| *output == kind && (*call != "tool_search_call" || waits))
        {
            self.output(seen, tool, kind, first, span, builder);
            return note(builder);
        }
        let weight: usize = seen.reasoning
            + builder.blocks[first..]
                .iter()
                .map(|b| b.chars as usize + b.extra as usize)
                .sum::<usize>();
        builder.keep_blocks(first);
        builder.calls_elsewhere |= kind == "item_reference";
        note(builder);
        let mut block =
            |kind, chars, extra| builder.block(kind, Flags::default(), 0, span, chars, extra);
        let call = CALLS
            .iter()
            .find(|(call, ..)| *call == kind)
            .filter(|_| kind != "tool_search_call" || waits);
        match (kind, call) {
            (_, Some((_, _, tool))) => {
                if kind == "local_shell_call" {
                    self.shells.insert(seen.id.hash, seen.call.hash);
                }
                builder.call(
                    seen.call,
                    seen.name.as_deref().unwrap_or(tool),
                    0,
                    span,
                    seen.arguments.unwrap_or(2),
                );
                seen.caller
                    .into_iter()
                    .for_each(|made_by| builder.note(first, NoteKind::Caller(made_by)));
                if kind == "computer_call" {
                    builder.note(first, NoteKind::Screen);
                }
                self.join(first, span, &seen, builder);
            }
            ("reasoning", _) => {
                block(BlockKind::Thinking, weight, 0);
                self.join(first, span, &seen, builder);
            }
            ("image_generation_call", _) => {
                block(BlockKind::Image, 0, 0);
                self.join(first, span, &seen, builder);
            }
            (kind, _) if COMPACTIONS.contains(&kind) || kind == "mcp_approval_response" => {
                block(BlockKind::Other, span.len(), 0);
                self.separate_message(Role::Other, first, span, true, &seen, builder);
            }
            // Settings and tools, not talk.
            ("additional_tools" | "configuration_update" | "compaction_trigger", _) => {
                self.separate_message(Role::System, first, span, true, &seen, builder)
            }
            ("item_reference", _) => {
                let reasoning = seen.id.span.of(record).starts_with(b"rs_");
                block(
                    if reasoning {
                        BlockKind::Thinking
                    } else {
                        BlockKind::Other
                    },
                    0,
                    0,
                );
                if reasoning {
                    self.join(first, span, &seen, builder)
                } else {
                    self.attach_to_run(first, span, &seen, builder)
                }
            }
            (kind, _) => {
                block(BlockKind::Other, span.len(), 0);
                if kind == "program" {
                    [seen.call.hash, seen.id.hash]
                        .into_iter()
                        .for_each(|id| builder.note(first, NoteKind::ServerCall(id)));
                }
                if ALONE.contains(&kind) || kind.starts_with("tool_search_") {
                    self.join(first, span, &seen, builder);
                } else {
                    self.attach_to_run(first, span, &seen, builder);
                }
            }
        }
    }

    /// Adds the blocks from `first` on to the run, which they may open.
    fn join(
        &mut self,
        first: usize,
        span: Span,
        seen: &ItemMembers<'_>,
        builder: &mut TranscriptBuilder,
    ) {
        if builder.blocks.len() == first {
            builder.plain_block(BlockKind::Other, 0, span, 0);
        }
        let run = self.run.get_or_insert(Run {
            span,
            first,
            parts: 0,
            known: false,
            odd: None,
        });
        run.span.end = span.end;
        match &seen.odd {
            None => run.known = true,
            Some((level, what)) => {
                // What is in its content was noted there.
                if *level != Level::Parts {
                    builder.not_understood_at(first, Level::Part, what.clone());
                }
                run.odd.get_or_insert(what.clone());
            }
        }
        for block in &mut builder.blocks[first..] {
            block.part = run.parts;
            run.parts = run.parts.saturating_add(1);
        }
    }

    /// Makes the blocks from `first` on a message of its own.
    fn separate_message(
        &mut self,
        role: Role,
        first: usize,
        span: Span,
        array: bool,
        seen: &ItemMembers<'_>,
        builder: &mut TranscriptBuilder,
    ) {
        let own = builder.unknown_kinds();
        self.close(builder);
        builder.not_understood_next(seen.unknown_kinds, own);
        if let Some((level, what)) = seen.odd.clone() {
            builder.unread(level, what);
        }
        builder.message(role, span, first, array);
    }

    /// Adds the blocks from `first` on to the run if one is open.
    fn attach_to_run(
        &mut self,
        first: usize,
        span: Span,
        seen: &ItemMembers<'_>,
        builder: &mut TranscriptBuilder,
    ) {
        match self.run {
            Some(_) => self.join(first, span, seen, builder),
            None => self.separate_message(Role::Other, first, span, true, seen, builder),
        }
    }

    /// Makes the blocks from `first` on the content of a result.
    fn output(
        &mut self,
        mut seen: ItemMembers<'_>,
        tool: &str,
        kind: &str,
        first: usize,
        span: Span,
        builder: &mut TranscriptBuilder,
    ) {
        if seen.call.hash.is_none() && kind == "local_shell_call_output" {
            let hash = self
                .shells
                .get(&seen.id.hash)
                .copied()
                .filter(|call| call.is_some())
                .unwrap_or(seen.id.hash);
            seen.call = CallId { hash, ..seen.id };
        }
        builder.not_understood_inside(seen.unknown_kinds);
        if let Content::Odd(picture) = seen.content
            && kind == "computer_call_output"
        {
            builder.plain_block(BlockKind::Image, 0, picture, 0);
        }
        shared::answer(
            builder,
            first,
            span,
            seen.content,
            seen.call,
            Some(seen.name.as_deref().unwrap_or(tool)),
            seen.failed,
        );
        seen.caller
            .into_iter()
            .for_each(|made_by| builder.note(first, NoteKind::Caller(made_by)));
        self.separate_message(
            Role::Tool,
            first,
            span,
            matches!(seen.content, Content::Array(_)),
            &seen,
            builder,
        );
    }
}

fn role_of(role: Option<&str>) -> Role {
    match role {
        Some("user") => Role::User,
        Some("system" | "developer") => Role::System,
        _ => Role::Other,
    }
}
