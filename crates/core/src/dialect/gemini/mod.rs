//! Gemini `generateContent` bodies, in camel case and in snake case.
//!
//! A part says what it is by its key. Contents without a role are the user's, and those of the
//! roles `function` and `tool` are filed under the user as well, so that a content of nothing but
//! responses is not taken for a user's own message. The model is in the address, so a body rarely
//! names one. Signatures are counted with the thoughts that carry them.

pub mod response;

use crate::{
    dialect::{
        Confidence, Dialect, Signals,
        builder::id_or_none,
        gemini::response::Response,
        reading::*,
        rules::*,
        shared,
        shared::{by_order, unread::kind_name, untyped::UntypedMessages},
    },
    json::GeneratedId,
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "gemini",
    about: "Gemini generateContent request bodies",
    provider: &PROVIDER,
    results: &[response::RESULTS],
    keys: &[
        "cachedContent",
        "cached_content",
        "contents",
        "generationConfig",
        "generation_config",
        "messages",
        "safetySettings",
        "safety_settings",
        "systemInstruction",
        "system_instruction",
        "toolConfig",
        "tool_config",
    ],
    detect,
    read,
    context: by_order::context,
    provider_name: |_| Some("google"),
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "google", rules),
    refusals: || &REFUSALS,
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    let name = Syntax {
        first: First::LetterOrUnderscore,
        letters: Letters::Dotted,
        min: 1,
        max: 128,
    };
    Rules {
        results: Results::NextResults,
        results_counted: true,
        roles_checked: true,
        unique: IdScope::Turn,
        opening: FirstMessage::User,
        ending: LastMessage::NotAssistant,
        merges: true,
        calls_follow_input: true,
        content: Some("parts"),
        untyped_texts: true,
        signed_together: true,
        empty: EmptyContent::Part,
        empty_calls: true,
        tools_differ: true,
        signed_calls: model.held(&REFUSALS).contains(&"signed calls"),
        arguments: Arguments::Object,
        fields: true,
        types: DIALECT.name,
        call_name: name,
        tool_name: name,
        ..free(model)
    }
}

/// Members that only these bodies have beside their contents.
const OWN: &str = "generationConfig generation_config systemInstruction system_instruction safetySettings safety_settings toolConfig tool_config cachedContent cached_content";

fn detect(signals: &Signals) -> Confidence {
    if !signals.lists("contents")
        || signals.has("messages")
        || signals.array && !signals.message_has("parts")
    {
        return Confidence::No;
    }
    // `contents` that are strings, or absent, occur in other requests too.
    let alone = signals
        .names()
        .all(|key| matches!(key, "contents" | "model" | "tools"));
    if signals.message_has("parts") {
        Confidence::Certain
    } else if !signals.has_messages() && (alone || signals.has_any(OWN)) {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    shared::members(
        cursor,
        builder,
        "contents",
        contents,
        |key, cursor, builder| {
            match key {
                // What is cached comes before what is here.
                b"cachedContent" | b"cached_content" => {
                    builder.calls_elsewhere = cursor.skip()? != Kind::Null;
                    Ok(())
                }
                _ => shared::setting(key, cursor, builder),
            }
        },
    )
}

/// Reads `contents`: an array, or a single one.
fn contents(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    if cursor.kind()? != Kind::Array {
        return content(cursor, builder);
    }
    cursor.each_element(|_, cursor| content(cursor, builder))
}

const MESSAGES: UntypedMessages = UntypedMessages {
    parts: "parts",
    role: role_of,
    read: |cursor, builder| Ok((parts(cursor, builder)?, true)),
};

/// Reads one content: an object, or a string that is a user's text.
///
/// # Errors
/// It is malformed JSON.
pub fn content(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match cursor.kind()? {
        Kind::Object => MESSAGES.message(cursor, builder),
        Kind::String => {
            let (from, first) = (cursor.at(), builder.blocks.len());
            part(cursor, 0, builder)?;
            builder.message(Role::User, cursor.span_from(from), first, false);
            Ok(())
        }
        kind => shared::no_message(cursor, kind, builder),
    }
}

/// Reads `parts`: an array, or a single one. Whether it was an array.
///
/// # Errors
/// It is malformed JSON.
pub fn parts(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<bool> {
    match cursor.kind()? {
        Kind::Array => {
            cursor.each_element(|position, cursor| part(cursor, position, builder))?;
            Ok(true)
        }
        Kind::Null => cursor.skip().map(|_| false),
        _ => part(cursor, 0, builder).map(|()| false),
    }
}

/// The content of a part.
#[derive(Default)]
enum Data<'a> {
    #[default]
    Nothing,
    Text(Text<'a>),
    Call(Call<'a>),
    Response(Response<'a>),
    Media {
        image: bool,
    },
    /// A call of one of Google's own tools, or its result: known, and never pruned.
    Server,
}

/// A call of a function.
struct Call<'a> {
    id: CallId,
    name: Cow<'a, str>,
    arguments: usize,
    object: bool,
}

/// Whether a member holds a file.
fn is_media(key: &[u8]) -> bool {
    matches!(
        key,
        b"inlineData" | b"inline_data" | b"fileData" | b"file_data"
    )
}

fn part(cursor: &mut Cursor<'_>, position: usize, builder: &mut TranscriptBuilder) -> Scanned {
    let kind = cursor.kind()?;
    let from = cursor.at();
    match kind {
        Kind::Object => {
            let index = builder.blocks.len();
            // A result comes before its children; whether this is one is known later, so a place is
            // kept for it.
            builder.plain_block(BlockKind::Other, position, Span::default(), 0);
            let seen = PartMembers::read(cursor, index, builder)?;
            seen.push(index, position, cursor.span_from(from), builder);
        }
        Kind::String => builder.text(&cursor.text()?, position, false),
        _ => {
            cursor.skip()?;
            let what = format!("{} in place of a part", kind_name(kind));
            builder.not_understood(Level::Part, what);
            builder.other_block(position, cursor.span_from(from));
        }
    }
    Ok(())
}

/// The members of a part.
#[derive(Default)]
struct PartMembers<'a> {
    data: Data<'a>,
    thought: bool,
    /// Whether it has a signature, and how many chars that has.
    is_signed: bool,
    signature: usize,
    /// The fault that the check reports of it.
    note: Option<NoteKind>,
    /// Whether it holds a setting.
    setting: bool,
    /// The first member that is not known.
    unknown: Option<String>,
}

impl<'a> PartMembers<'a> {
    /// Reads the part whose place is `index`.
    fn read(
        cursor: &mut Cursor<'a>,
        index: usize,
        builder: &mut TranscriptBuilder,
    ) -> Scanned<PartMembers<'a>> {
        let mut seen = PartMembers::default();
        let nothing = std::mem::discriminant(&Data::Nothing);
        cursor.each_member(|key, cursor| {
            let (kind, before) = (cursor.kind()?, std::mem::discriminant(&seen.data));
            match (key, kind) {
                (b"text", Kind::String) => seen.data = Data::Text(cursor.text()?),
                (b"functionCall" | b"function_call", Kind::Object) => {
                    seen.data = Data::Call(call(cursor)?)
                }
                (b"functionResponse" | b"function_response", Kind::Object) => {
                    builder.blocks.truncate(index + 1);
                    seen.data = Data::Response(Response::read(cursor, builder)?)
                }
                (key, Kind::Object) if is_media(key) => {
                    let image = is_image(cursor)?;
                    seen.data = Data::Media { image };
                }
                (
                    b"executableCode"
                    | b"executable_code"
                    | b"codeExecutionResult"
                    | b"code_execution_result"
                    | b"toolCall"
                    | b"tool_call"
                    | b"toolResponse"
                    | b"tool_response",
                    Kind::Object,
                ) => {
                    seen.note = Some(server_pair(cursor, key, index)?);
                    seen.data = Data::Server;
                }
                (b"thought", _) => seen.thought = cursor.skip()? == Kind::True,
                (b"thoughtSignature" | b"thought_signature", Kind::String) => {
                    let found = cursor.text()?;
                    seen.is_signed = found.units > 0;
                    seen.signature = builder.chars_of_signature(&found);
                }
                // Google accepts a part that holds only a setting of a video.
                (b"videoMetadata" | b"video_metadata", Kind::Object) => seen.setting = true,
                (
                    b"thoughtSignature" | b"thought_signature" | b"videoMetadata"
                    | b"video_metadata" | b"mediaResolution" | b"media_resolution"
                    | b"partMetadata" | b"part_metadata",
                    _,
                ) => {}
                _ => {
                    seen.unknown.get_or_insert_with(|| printable(key));
                }
            }
            // The first of two contents would be lost.
            if before != nothing && before != std::mem::discriminant(&seen.data) {
                let what = format!("part with another content and {}", printable(key));
                builder.not_understood_at(index, Level::Part, what);
            }
            Ok(())
        })?;
        Ok(seen)
    }

    /// Makes the place at `index` the block of the part at `span`.
    fn push(self, index: usize, position: usize, span: Span, builder: &mut TranscriptBuilder) {
        let is_signed = self.is_signed;
        let signed = is_signed.then_some(NoteKind::Signature);
        for note in signed.into_iter().chain(self.note) {
            builder.note(index, note);
        }
        if let Data::Response(response) = self.data {
            if let Some(member) = response.lacks() {
                let what = format!("functionResponse without {member}");
                builder.not_understood_at(index, Level::Part, what);
            }
            return response.push(index, span, builder);
        }
        builder.blocks.truncate(index);
        match self.data {
            Data::Text(found) if self.thought => {
                let chars = builder.chars_of(&found) + self.signature;
                builder.plain_block(BlockKind::Thinking, position, span, chars);
            }
            Data::Text(found) => builder.text(&found, position, false),
            Data::Call(call) => {
                if !call.object {
                    builder.note(index, NoteKind::Fault(Fault::NoObject));
                }
                if call.name.is_empty() {
                    builder.not_understood(Level::Part, "functionCall without name".to_owned());
                }
                builder.call(call.id, &call.name, position, span, call.arguments);
                builder.blocks[index].flags = Flags::default().with(Flags::SIGNED, is_signed);
            }
            Data::Media { image: true } => builder.plain_block(BlockKind::Image, position, span, 0),
            Data::Nothing => {
                let is_blank = self.unknown.is_none() && !is_signed && !self.setting;
                // A part without data says nothing.
                let (level, what) = match &self.unknown {
                    Some(key) => (Level::Part, key.as_str()),
                    None => (Level::Inside, "no data"),
                };
                builder.not_understood(level, format!("part with {what}"));
                builder.other_block(position, span);
                builder.blocks[index].flags = Flags::default().with(Flags::BLANK, is_blank);
            }
            _ => builder.other_block(position, span),
        }
    }
}

/// Reads a call of one of Google's own tools, or its result. They are paired by their id; without
/// one the result directly follows the call.
fn server_pair(cursor: &mut Cursor<'_>, key: &[u8], index: usize) -> Scanned<NoteKind> {
    let mut id = Id::NONE;
    cursor.member(b"id", |cursor| {
        id = id_or_none(cursor)?;
        Ok(())
    })?;
    let id_at = |at: usize| {
        if id.is_some() {
            id
        } else {
            Id::generated(GeneratedId::Server, at as u64)
        }
    };
    Ok(match key {
        b"executableCode" | b"executable_code" | b"toolCall" | b"tool_call" => {
            NoteKind::ServerCall(id_at(index))
        }
        _ => NoteKind::ServerResult(id_at(index.wrapping_sub(1))),
    })
}

fn call<'a>(cursor: &mut Cursor<'a>) -> Scanned<Call<'a>> {
    let (mut id, mut name, mut arguments, mut object) =
        (CallId::default(), Cow::Borrowed(""), 2, true);
    cursor.each_member(|key, cursor| {
        match key {
            b"id" => id = response::id(cursor)?,
            b"name" => name = cursor.string_or_skip()?.unwrap_or_default(),
            b"args" => {
                object = matches!(cursor.kind()?, Kind::Object | Kind::Null);
                arguments = stringify::length(cursor)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(Call {
        id,
        name,
        arguments,
        object,
    })
}

/// Reads the object of an `inlineData` or a `fileData`; returns whether it is an image. A file
/// without a type counts as an image.
pub fn is_image(cursor: &mut Cursor<'_>) -> Scanned<bool> {
    let mut image = true;
    cursor.each_member(|key, cursor| {
        if matches!(key, b"mimeType" | b"mime_type") {
            let kind = cursor.bytes_or_skip()?;
            image = kind.is_none_or(|kind| kind.starts_with(b"image/"));
        }
        Ok(())
    })?;
    Ok(image)
}

/// Returns the role for a name, and whether Google does not know that name.
fn role_of(role: &[u8]) -> (Role, bool) {
    match role {
        b"user" | b"function" | b"tool" | b"" => (Role::User, false),
        b"model" => (Role::Assistant, false),
        b"assistant" => (Role::Assistant, true),
        b"system" | b"developer" => (Role::System, true),
        _ => (Role::Other, true),
    }
}
