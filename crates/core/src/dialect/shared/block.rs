//! Reads one typed block of a content. Its kind is known once all of its members were read, `type`
//! among them.

use crate::{
    dialect::{
        reading::*,
        shared::{
            body::{cache_mark, caller},
            content::{Content, ContentParent, Document, content_of, document, texts},
            pairing::{Pairing, result, result_shape},
            unread::{foreign_key, is_one_of, kind_name},
        },
    },
    transcript::{First, Letters, Syntax, TextTypeMember},
};

/// Types of blocks that are known and have no part in pruning.
const KNOWN: &str = "document search_result server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result \
    bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result tool_reference \
    container_upload mcp_tool_use mcp_tool_result compaction input_audio file input_file refusal fallback document_url \
    reference resource resource_link mid_conv_system mcp_tool_listing advisor_tool_result tool_addition tool_removal \
    browser_state";

/// Further types that services with OpenAI's chat API accept.
const KNOWN_TO_SERVICES: &str = "video video_url input_video audio audio_url file_url image_file image_embeds computer_screenshot";

/// The syntax of the ids of a server's calls.
pub const SERVER_ID: Syntax = Syntax {
    first: First::Prefix("srvtoolu_"),
    letters: Letters::Underscore,
    min: 10,
    ..Syntax::FREE
};

/// Reads one element of a content array, the one at position `part`.
///
/// # Errors
/// The element is malformed JSON.
pub fn block(
    cursor: &mut Cursor<'_>,
    part: usize,
    parent: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let kind = cursor.kind()?;
    let from = cursor.at();
    let index = builder.blocks.len();
    if kind != Kind::Object {
        cursor.skip()?;
        let span = cursor.span_from(from);
        note(
            builder,
            parent,
            index,
            format!("{} in place of a block", kind_name(kind)),
        );
        builder.other_block(part, span);
        builder.note(index, NoteKind::Fault(Fault::Untyped));
        return Ok(());
    }
    let mut seen = BlockMembers {
        parent,
        ..BlockMembers::default()
    };
    // A result comes before its children; whether this is one is known at the end, so a place is
    // kept for it.
    builder.plain_block(BlockKind::Other, part, Span::default(), 0);
    let mut answers = false;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"type" => seen.kind = cursor.bytes_or_skip()?,
            b"text" if cursor.kind()? == Kind::String => seen.text = Some(cursor.text()?),
            b"result" if cursor.kind()? == Kind::String => seen.answer = Some(cursor.text()?),
            b"thinking" if cursor.kind()? == Kind::Array => {
                (seen.thinking, seen.thought) = (texts(cursor, builder)?, true);
            }
            b"document" if cursor.kind()? == Kind::Object => seen.document = document(cursor)?,
            b"thinking" | b"signature" | b"thinkingSignature" | b"data"
                if cursor.kind()? == Kind::String =>
            {
                let found = cursor.text()?;
                seen.thought = true;
                if *key == *b"thinking" {
                    seen.thinking = builder.chars_of(&found);
                } else {
                    seen.signed |= found.units > 0;
                    seen.signature += builder.chars_of_signature(&found);
                }
            }
            b"id" if !answers => seen.pairing.call = CallId::read(cursor)?,
            b"tool_use_id" => (seen.pairing.call, answers) = (CallId::read(cursor)?, true),
            b"name" => seen.pairing.name = cursor.string_or_skip()?,
            b"input" | b"arguments" => {
                seen.object = cursor.kind()? == Kind::Object;
                seen.arguments = Some(stringify::length(cursor)?);
            }
            b"content" if parent != ContentParent::Block => {
                builder.keep_blocks(index + 1);
                seen.content = content_of(cursor, ContentParent::Block, builder)?;
            }
            b"is_error" => seen.pairing.error = cursor.skip()? == Kind::True,
            b"cache_control" => seen.mark = cache_mark(cursor)?,
            b"caller" if cursor.kind()? == Kind::Object => seen.caller = caller(cursor)?,
            _ => {}
        }
    }
    let span = cursor.span_from(from);
    if parent == ContentParent::Block && seen.kind.as_deref() == Some(b"tool_result") {
        // No provider takes a result in a result; what holds one is not cut.
        builder.keep_blocks(index);
        builder.other_block(part, span);
        return Ok(());
    }
    seen.finish(builder, index, part, span, cursor.record_bytes())
}

/// The members of a block.
#[derive(Default)]
struct BlockMembers<'a> {
    parent: ContentParent,
    kind: Option<Cow<'a, [u8]>>,
    text: Option<Text<'a>>,
    answer: Option<Text<'a>>,
    thinking: usize,
    signature: usize,
    /// Whether it has a member that thinking has.
    thought: bool,
    arguments: Option<usize>,
    /// Whether the arguments are an object.
    object: bool,
    signed: bool,
    content: Content,
    pairing: Pairing<'a>,
    mark: Option<bool>,
    caller: Option<Id>,
    document: Option<Document<'a>>,
}

impl BlockMembers<'_> {
    /// Notes what the check needs to know of the block at `index`.
    fn note(&self, builder: &mut TranscriptBuilder, index: usize, kind: &[u8], record: &[u8]) {
        if let Some(long) = self.mark {
            builder.note(index, NoteKind::Mark { long });
        }
        if let Some(made_by) = self.caller {
            builder.note(index, NoteKind::Caller(made_by));
        }
        match kind {
            b"server_tool_use" | b"mcp_tool_use" => {
                builder.note(index, NoteKind::ServerCall(self.pairing.call.hash))
            }
            _ if kind.ends_with(b"_tool_result") => {
                builder.note(index, NoteKind::ServerResult(self.pairing.call.hash))
            }
            // A block without a text is a compaction that failed.
            b"compaction" if matches!(self.content, Content::String(at) if at.end - at.start > 2) => {
                builder.note(index, NoteKind::Compaction)
            }
            _ => {}
        }
        if let Some(fault) = self.fault(kind, record) {
            builder.note(index, NoteKind::Fault(fault));
        }
        let spelled = match kind {
            _ if self.parent != ContentParent::Item => return,
            b"input_text" => TextTypeMember::Input,
            b"output_text" => TextTypeMember::Output,
            b"text" => TextTypeMember::Plain,
            _ => return,
        };
        builder.note(index, NoteKind::TextTypeMember(spelled));
    }

    /// Returns the fault for which some providers refuse a block of this type.
    fn fault(&self, kind: &[u8], record: &[u8]) -> Option<Fault> {
        let server = kind == b"server_tool_use"
            || kind.ends_with(b"_tool_result") && !kind.starts_with(b"mcp_");
        match kind {
            b"" if self.kind.is_none() && self.answer.is_none() => Some(Fault::Untyped),
            b"text" | b"input_text" | b"output_text" if self.text.is_none() => Some(Fault::NoText),
            b"tool_use" if !self.object => Some(Fault::NoObject),
            b"tool_result" if matches!(self.content, Content::Odd(_)) => Some(Fault::NoContent),
            b"thinking" if !self.signed => Some(Fault::Unsigned),
            _ if server
                && SERVER_ID
                    .fault_of_raw(self.pairing.call.span.of(record))
                    .is_some() =>
            {
                Some(Fault::ServerId)
            }
            _ => None,
        }
    }

    /// Turns the place kept at `index` into the block that the type says.
    fn finish(
        self,
        builder: &mut TranscriptBuilder,
        index: usize,
        part: usize,
        span: Span,
        record: &[u8],
    ) -> Scanned {
        let kind = self.kind.as_deref().unwrap_or_default();
        // The content of a block that is not a result belongs to that block.
        let inside = if self.parent == ContentParent::Block {
            Vec::new()
        } else {
            std::mem::take(&mut builder.inside)
        };
        if kind == b"tool_result" {
            inside
                .into_iter()
                .for_each(|what| builder.not_understood(Level::Inside, what));
        } else {
            builder.keep_blocks(index);
        }
        self.note(builder, index, kind, record);
        let json = span.of(record);
        let Some(member) = self.push(kind, builder, index, part, span, json)? else {
            return Ok(());
        };
        // A call, a result or a text that lacks a member, without a member of another spelling, is
        // a fault that has a rule of its own.
        let what = not_understood(json, kind, member)?;
        let has_rule = matches!(
            kind,
            b"tool_use" | b"tool_result" | b"text" | b"input_text" | b"output_text"
        );
        if !has_rule || what.starts_with("key ") {
            if self.parent == ContentParent::Message {
                builder.not_understood_ids(json);
            }
            note(builder, self.parent, index, what);
        }
        Ok(())
    }

    /// Pushes the block that a block of type `kind` at `span` is, which is written as `json`.
    /// Returns the member that it lacks.
    fn push(
        &self,
        kind: &[u8],
        builder: &mut TranscriptBuilder,
        index: usize,
        part: usize,
        span: Span,
        json: &[u8],
    ) -> Scanned<Option<&'static str>> {
        let marked = self.mark.is_some();
        let flags = Flags::default().with(Flags::CACHE_MARK, marked);
        let lacks = |there: bool, name: &'static str| (!there).then_some(name);
        let has_id = self.pairing.call.hash.is_some();
        let mut block = |kind, span, chars| builder.block(kind, flags, part, span, chars, 0);
        Ok(match (kind, &self.text) {
            (
                b"text" | b"input_text" | b"output_text" | b"summary_text" | b"reasoning_text",
                text,
            ) => {
                match text {
                    Some(found) => builder.text(found, part, marked),
                    None => {
                        let chars = stringify::length(&mut Cursor::new(json))?;
                        block(BlockKind::Malformed, span, chars);
                    }
                }
                lacks(text.is_some(), "text")
            }
            (b"thinking" | b"redacted_thinking", _) => {
                block(BlockKind::Thinking, span, self.thinking + self.signature);
                lacks(self.thought, "thinking")
            }
            (b"image" | b"image_url" | b"input_image", _) => {
                block(BlockKind::Image, span, 0);
                None
            }
            (b"tool_use" | b"toolCall", _) => {
                let name = self.pairing.name.as_deref();
                let (tool, chars) = (name.unwrap_or(""), self.arguments.unwrap_or(2));
                builder.call(self.pairing.call, tool, part, span, chars);
                builder.blocks[index].flags = flags;
                lacks(has_id, "id")
                    .or(lacks(name.is_some(), "name"))
                    .or(lacks(self.arguments.is_some(), "input"))
            }
            (b"tool_result", _) => {
                builder.blocks[index].flags = flags.with(Flags::ERROR, self.pairing.error);
                let content = result_shape(self.content);
                result(builder, index, span, content, self.pairing.call, "");
                lacks(has_id, "tool_use_id")
            }
            (b"document", _) if self.document.is_some() => {
                match &self.document {
                    Some(Document::Text(found)) => builder.text(found, part, marked),
                    Some(Document::Json(at, chars)) => block(BlockKind::Malformed, *at, *chars),
                    None => {}
                }
                None
            }
            // One of the answers to a call of Cline's with several queries: `{query, result}`.
            (b"", _) if self.answer.is_some() && self.parent == ContentParent::Block => {
                if let Some(found) = &self.answer {
                    builder.text(found, part, marked);
                }
                None
            }
            (kind, text) => {
                block(BlockKind::Other, span, span.len());
                // A text without a type is a fault that has a rule of its own.
                let is_text = kind.is_empty() && text.is_some();
                let is_known = is_one_of(kind, KNOWN) || is_one_of(kind, KNOWN_TO_SERVICES);
                lacks(is_text || is_known, "type")
            }
        })
    }
}

/// Says what was not understood of a block of this kind that lacks `member`.
fn not_understood(json: &[u8], kind: &[u8], member: &str) -> Scanned<String> {
    let name = printable(kind);
    if member == "type" && !kind.is_empty() {
        return Ok(format!("block of type {name}"));
    }
    let known = match kind {
        b"tool_use" | b"toolCall" => "type id name input arguments cache_control caller",
        b"tool_result" => "type content is_error cache_control",
        _ => "type cache_control citations",
    };
    let instead = foreign_key(&mut Cursor::new(json), 0, known)?;
    let instead = instead
        .map(|key| format!("{key} in a "))
        .unwrap_or_default();
    Ok(if kind.is_empty() {
        format!("{instead}block without type")
    } else {
        format!("{instead}block of type {name} without {member}")
    })
}

/// Notes that the block at `index` was not understood.
fn note(builder: &mut TranscriptBuilder, parent: ContentParent, index: usize, what: String) {
    match parent {
        ContentParent::Message | ContentParent::Item => {
            builder.not_understood_at(index, Level::Part, what)
        }
        ContentParent::Block => builder.inside.push(what),
    }
}
