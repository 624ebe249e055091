//! Items of OpenAI's Responses, the elements of `input`.
//!
//! What the model wrote comes as many items: reasoning, text, a call, another call. All of them
//! between two items of the other side make **one** assistant message here, as a chat would have
//! it: that is what `keepLastAssistants` counts, and it is the group that must stay or go as a
//! whole, since reasoning is tied to what follows it. Every output is a message of its own, of role
//! tool. Items that need no answer (a web search, an MCP call, code that ran on the server) are
//! blocks of the run that are never cut. A reference and an item of an unknown type belong to the
//! run they are in; where there is none they are messages of their own that nobody counts as the
//! model's.
//!
//! A log has the same items, a record each (`Items::default`). What is unknown there is no part of
//! the conversation.

use crate::{
    dialect::{
        openai_responses::{
            contents::{content, summary},
            faults::{ItemSequence, unknown_content},
        },
        reading::*,
        shared,
        shared::{
            Content,
            body::caller,
            content::ContentParent,
            unread::{foreign_calls, holds_calls},
        },
    },
    json::IdMap,
    tables::table_file,
    transcript::{First, Letters, Syntax},
};
use std::{error::Error, sync::LazyLock};

/// What an item is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemKind {
    /// Nothing that is known.
    #[default]
    Unknown,
    /// Words.
    Message,
    /// A call that wants an output, and the name of its tool where it does not give one.
    Call(&'static str),
    /// What answers such a call.
    Output(&'static str),
    /// What the model thought.
    Reasoning,
    /// A picture that the model made.
    Image,
    /// An item of the model or of its server that nothing answers.
    Alone,
    /// What the server compacted, or what a person answered it.
    Separate,
    /// Settings and tools, not talk.
    Setting,
    /// An item that the server keeps.
    Reference,
}

/// A row of the table of types. Older servers call a compaction a summary, and Codex writes a
/// context.
pub struct ItemType {
    name: &'static str,
    is: ItemKind,
    /// The prefix of the ids of such items; empty where it is unknown.
    prefix: &'static str,
    /// The members that it needs, separated by spaces.
    pub needs: &'static str,
}

impl ItemType {
    /// Returns the row of the type of this name.
    pub fn of(name: &str) -> Option<&'static ItemType> {
        static TYPES: LazyLock<Vec<ItemType>> =
            LazyLock::new(|| table_file!("items.tsv", 2, ItemType::read));
        TYPES.iter().find(|row| row.name == name)
    }

    fn read(
        [name, is, tool, prefix, needs]: [&'static str; 5],
    ) -> Result<ItemType, Box<dyn Error>> {
        Ok(ItemType {
            name,
            is: match is {
                "message" => ItemKind::Message,
                "call" => ItemKind::Call(tool),
                "output" => ItemKind::Output(tool),
                "reasoning" => ItemKind::Reasoning,
                "image" => ItemKind::Image,
                "separate" => ItemKind::Separate,
                "setting" => ItemKind::Setting,
                "reference" => ItemKind::Reference,
                "alone" => ItemKind::Alone,
                _ => return Err(is.into()),
            },
            prefix,
            needs,
        })
    }
}

/// Returns the syntax of the ids of items of this type; `None` where it is unknown.
pub fn item_id(kind: &str) -> Option<Syntax> {
    let prefix = ItemType::of(kind)?.prefix;
    (!prefix.is_empty()).then_some(Syntax {
        first: First::Prefix(prefix),
        letters: Letters::Word,
        max: 64,
        ..Syntax::FREE
    })
}

impl ItemKind {
    /// Returns what an item of this type is; `waits` says whether it is answered by its id, rather
    /// than by the server.
    fn of(kind: &str, waits: bool) -> ItemKind {
        match ItemType::of(kind).map(|row| row.is) {
            Some(ItemKind::Call("tool_search") | ItemKind::Output("tool_search")) if !waits => {
                ItemKind::Alone
            }
            Some(found) => found,
            None if kind.starts_with("tool_search_") => ItemKind::Alone,
            None => ItemKind::Unknown,
        }
    }
}

/// Reads items one after another; the run of the model's items that is open is closed by what
/// follows it.
#[derive(Debug, Default)]
pub struct Items {
    run: Option<Run>,
    /// The state of the checks that a provider makes item by item; `None` unless the items are of a
    /// body.
    checked: Option<ItemSequence>,
    /// Calls of the local shell by their own id, by which an output may name them too.
    shells: IdMap<Id>,
    /// The blocks of calls that may be answered in a later request, by their ids.
    pending: IdMap<usize>,
}

/// Items of the model that follow each other.
#[derive(Debug)]
struct Run {
    span: Span,
    first: usize,
    parts: u16,
    /// Whether an item of it was understood, and what was not understood of the first other one.
    known: bool,
    odd: Option<String>,
}

/// The members of an item.
#[derive(Default)]
pub struct ItemMembers<'a> {
    pub kind: Option<Cow<'a, str>>,
    /// Its kind, by its type and its call.
    pub is: ItemKind,
    /// The byte of the cursor at which it begins.
    pub at: usize,
    pub span: Span,
    /// The index of its first block.
    pub first: usize,
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
    /// The member with calls in the spelling of another API, as an error names it.
    pub foreign: Option<String>,
    /// The thing that was not understood of it, with its level.
    pub odd: Option<(Level, String)>,
    /// The number of things that were not understood before it.
    pub unknown_kinds: usize,
    /// Whether arguments are a string.
    pub string: bool,
    /// The JSON kind of an output.
    pub output: Option<Kind>,
    /// Whether it has its encrypted reasoning.
    pub sealed: bool,
    /// Whether the provider runs it.
    pub hosted: bool,
    /// Whether the conversation goes on before it is answered (`async`).
    pub goes_on: bool,
}

impl Items {
    /// For the items of a body, which a provider checks one by one.
    pub fn of_body() -> Items {
        Items {
            checked: Some(ItemSequence::default()),
            ..Items::default()
        }
    }

    fn is_log(&self) -> bool {
        self.checked.is_none()
    }

    /// Reads one item. A value that is not an object is left.
    ///
    /// # Errors
    /// The item is malformed JSON.
    pub fn item(&mut self, cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
        if let Some(checked) = &mut self.checked {
            checked.begin();
        }
        let kind = cursor.kind()?;
        if kind != Kind::Object {
            return shared::no_message(cursor, kind, builder);
        }
        let mut seen = self.members(cursor, builder)?;
        let kind = seen.kind.take().unwrap_or(Cow::Borrowed(match seen.role {
            Some(_) => "message",
            None if seen.id.hash.is_some() && !seen.said => "item_reference",
            None => "",
        }));
        seen.is = ItemKind::of(&kind, seen.call.hash.is_some() && !seen.hosted);
        let record = cursor.record_bytes();
        if self.is_log() && matches!(seen.is, ItemKind::Unknown | ItemKind::Reference) {
            builder.keep_blocks(seen.first);
            builder.not_understood.truncate(seen.unknown_kinds);
            // Never sent: a mark for undoing, and the head and the states of a rollout without
            // envelopes.
            if !matches!(&*kind, "ghost_snapshot" | "item_reference" | "") {
                builder.unknown(Level::Part, "item of type", &kind);
                builder.not_understood_ids(seen.span.of(record));
            }
            return Ok(());
        }
        seen.odd = unknown_content(&kind, &mut seen, cursor, builder)?;
        if seen.odd.is_some() && self.is_log() {
            builder.not_understood_ids(seen.span.of(record));
        }
        self.finish_item(&kind, seen, record, builder);
        Ok(())
    }

    fn members<'a>(
        &self,
        cursor: &mut Cursor<'a>,
        builder: &mut TranscriptBuilder,
    ) -> Scanned<ItemMembers<'a>> {
        let mut seen = ItemMembers {
            at: cursor.at(),
            first: builder.blocks.len(),
            unknown_kinds: builder.unknown_kinds(),
            ..ItemMembers::default()
        };
        let owner = if self.is_log() {
            ContentParent::Message
        } else {
            ContentParent::Item
        };
        cursor.each_member(|key, cursor| {
            match key {
                b"type" => seen.kind = cursor.string_or_skip()?,
                b"role" => seen.role = cursor.string_or_skip()?,
                b"id" => seen.id = CallId::read(cursor)?,
                b"call_id" => seen.call = CallId::read(cursor)?,
                b"name" => seen.name = cursor.string_or_skip()?,
                b"arguments" | b"input" if cursor.kind()? == Kind::String => {
                    (seen.arguments, seen.string) = (Some(cursor.text()?.units), true);
                }
                b"arguments" | b"input" | b"action" | b"actions" | b"operation" => {
                    seen.arguments = Some(stringify::length(cursor)?)
                }
                b"content" | b"output" => {
                    seen.output = Some(cursor.kind()?)
                        .filter(|_| key == b"output")
                        .or(seen.output);
                    builder.keep_blocks(seen.first);
                    (seen.content, seen.said) = (content(cursor, owner, builder)?, true);
                }
                b"summary" if cursor.kind()? == Kind::Array => {
                    seen.reasoning += summary(cursor, builder)?
                }
                b"encrypted_content" if cursor.kind()? == Kind::String => {
                    let found = cursor.text()?;
                    seen.sealed |= found.units > 0;
                    seen.reasoning += builder.chars_of_signature(&found);
                }
                b"caller" if cursor.kind()? == Kind::Object => seen.caller = caller(cursor)?,
                b"async" => seen.goes_on = cursor.skip()? == Kind::True,
                b"execution" => seen.hosted = cursor.bytes_or_skip()?.as_deref() == Some(b"server"),
                b"status" => seen.failed = cursor.bytes_or_skip()?.as_deref() == Some(b"failed"),
                key if key == b"tool_calls" || holds_calls(key) => {
                    seen.foreign = foreign_calls(cursor, key)?.or(seen.foreign.take());
                }
                _ => {}
            }
            Ok(())
        })?;
        seen.span = cursor.span_from(seen.at);
        Ok(seen)
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

    /// Ends a body: a call that runs on (`async`) and has no output yet counts as other content.
    pub fn end(mut self, builder: &mut TranscriptBuilder) {
        self.close(builder);
        for call in self.pending.into_values() {
            let block = &mut builder.blocks[call];
            (block.kind, block.extra) = (BlockKind::Other, 0);
        }
    }

    /// Adds an item as its type requires.
    fn finish_item(
        &mut self,
        kind: &str,
        mut seen: ItemMembers<'_>,
        record: &[u8],
        builder: &mut TranscriptBuilder,
    ) {
        let (first, span) = (seen.first, seen.span);
        let checked = self.checked.as_mut();
        let mut notes = checked.map_or_else(Vec::new, |all| all.faults(&seen, kind, record));
        if self.checked.as_ref().is_some_and(|items| items.is_foreign) {
            builder.service.get_or_insert_with(|| "gateway".into());
        }
        let words = builder.blocks[first..].iter();
        let weight: usize = words.map(|b| b.chars as usize + b.extra as usize).sum();
        if !matches!(seen.is, ItemKind::Message | ItemKind::Output(_)) {
            builder.keep_blocks(first);
        }
        if matches!(seen.is, ItemKind::Call(_) | ItemKind::Output(_)) {
            notes.extend(seen.caller.map(NoteKind::Caller));
        }
        builder.calls_elsewhere |= seen.is == ItemKind::Reference;
        let refers_to_reasoning =
            seen.is == ItemKind::Reference && seen.id.span.of(record).starts_with(b"rs_");
        let block = match seen.is {
            ItemKind::Reasoning => Some((BlockKind::Thinking, seen.reasoning + weight)),
            ItemKind::Image => Some((BlockKind::Image, 0)),
            _ if refers_to_reasoning => Some((BlockKind::Thinking, 0)),
            ItemKind::Reference => Some((BlockKind::Other, 0)),
            ItemKind::Separate if self.is_log() => None,
            ItemKind::Alone | ItemKind::Unknown | ItemKind::Separate => {
                Some((BlockKind::Other, span.len()))
            }
            _ => None,
        };
        if let Some((kind, chars)) = block {
            builder.plain_block(kind, 0, span, chars);
        }
        match seen.is {
            ItemKind::Message if seen.role.as_deref() != Some("assistant") => {
                let role = match seen.role.as_deref() {
                    Some("user") => Role::User,
                    Some("system" | "developer") => Role::System,
                    _ => Role::Other,
                };
                let array = matches!(seen.content, Content::Array(_));
                self.separate_message(role, array, &seen, builder).odd_role = role == Role::Other;
            }
            ItemKind::Output(tool) => self.output(&mut seen, tool, builder),
            ItemKind::Call(tool) => {
                if tool == "local_shell" {
                    // Codex names a call of its shell by either id.
                    if self.is_log() && seen.call.hash.is_none() {
                        seen.call = seen.id;
                    }
                    self.shells.insert(seen.id.hash, seen.call.hash);
                }
                let name = seen.name.as_deref().unwrap_or(tool);
                builder.call(seen.call, name, 0, span, seen.arguments.unwrap_or(2));
                notes.extend((tool == "computer").then_some(NoteKind::Screen));
                if seen.goes_on {
                    self.pending.insert(seen.call.hash, first);
                }
                self.join(&seen, builder);
            }
            ItemKind::Separate => {
                self.separate_message(Role::Other, !self.is_log(), &seen, builder);
            }
            ItemKind::Setting => {
                builder.request.tools |= self.is_log() && kind == "additional_tools";
                self.separate_message(Role::System, true, &seen, builder);
            }
            ItemKind::Unknown | ItemKind::Reference
                if self.run.is_none() && !refers_to_reasoning =>
            {
                self.separate_message(Role::Other, true, &seen, builder);
            }
            _ => self.join(&seen, builder),
        }
        if kind == "program" {
            notes.extend([seen.call.hash, seen.id.hash].map(NoteKind::ServerCall));
        }
        notes.into_iter().for_each(|note| builder.note(first, note));
    }

    /// Adds the blocks of an item to the run, which they may open.
    fn join(&mut self, seen: &ItemMembers<'_>, builder: &mut TranscriptBuilder) {
        let (first, span) = (seen.first, seen.span);
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
                // The things in its content were noted with the content.
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

    /// Makes the blocks of an item a message of its own.
    fn separate_message<'b>(
        &mut self,
        role: Role,
        array: bool,
        seen: &ItemMembers<'_>,
        builder: &'b mut TranscriptBuilder,
    ) -> &'b mut Message {
        let own = builder.unknown_kinds();
        self.close(builder);
        builder.not_understood_next(seen.unknown_kinds, own);
        if let Some((level, what)) = seen.odd.clone() {
            builder.unread(level, what);
        }
        let index = builder.message(role, seen.span, seen.first, array);
        &mut builder.messages[index as usize]
    }

    /// Makes the blocks of an item the content of a result.
    fn output(&mut self, seen: &mut ItemMembers<'_>, tool: &str, builder: &mut TranscriptBuilder) {
        if seen.call.hash.is_none() && (self.is_log() || tool == "local_shell") {
            let call = self.shells.get(&seen.id.hash).copied();
            let hash = call.filter(|call| call.is_some()).unwrap_or(seen.id.hash);
            seen.call = CallId { hash, ..seen.id };
        }
        self.pending.remove(&seen.call.hash);
        builder.not_understood_inside(seen.unknown_kinds);
        if let Content::Odd(picture) = seen.content
            && tool == "computer"
        {
            builder.plain_block(BlockKind::Image, 0, picture, 0);
        }
        shared::answer(
            builder,
            seen.first,
            seen.span,
            seen.content,
            seen.call,
            Some(seen.name.as_deref().unwrap_or(tool)),
            seen.failed,
        );
        let array = matches!(seen.content, Content::Array(_));
        self.separate_message(Role::Tool, array, seen, builder);
    }
}
