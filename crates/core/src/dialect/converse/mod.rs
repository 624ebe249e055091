//! Bedrock Converse bodies.
//!
//! Blocks have no type: the key of a block says what it is. Results are blocks of user messages,
//! and a `json` in one counts as its JSON. What belongs to a tool that runs at the provider is
//! known and not touched. The model mostly is in the address; where the body names it, that is
//! `modelId`.

use crate::dialect::{
    Confidence, Dialect, ResultForm, Signals,
    reading::*,
    rules::*,
    shared,
    shared::{
        Content,
        body::cache_mark,
        content::ContentParent,
        objects, result, result_shape, unread,
        unread::{is_one_of, kind_name},
        untyped::UntypedMessages,
    },
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "bedrock-converse",
    about: "Amazon Bedrock Converse request bodies",
    provider: &PROVIDER,
    results: &[RESULTS],
    keys: &[
        "inferenceConfig",
        "messages",
        "model",
        "modelId",
        "toolConfig",
    ],
    detect,
    read,
    provider_name: |_| Some("amazon-bedrock"),
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "anthropic", rules),
    refusals: || &REFUSALS,
    bracketed: false,
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(&REFUSALS);
    let has = |rule| held.contains(&rule);
    let claude = model.is("anthropic");
    // Those models refuse blank texts in results as well.
    let refuses_prefill = claude && model.claude.is_some_and(|version| version >= NO_PREFILL);
    Rules {
        results: Results::NextTurn,
        results_first: claude,
        results_alone: has("results alone"),
        results_counted: true,
        roles_checked: true,
        unique: IdScope::Conversation,
        opening: FirstMessage::UserKept,
        ending: if refuses_prefill {
            LastMessage::NotAssistant
        } else {
            LastMessage::Any
        },
        system: if claude {
            among(model)
        } else {
            SystemPlacement::Anywhere
        },
        calls_alone: has("calls alone"),
        unmarked_tools: has("no marks on tools"),
        no_empty_in_results: refuses_prefill,
        no_blank_in_results: refuses_prefill,
        // A model that is not named counts as one that refuses neighbours.
        alternates: !has("any turns"),
        neighbours_speak: has("texts in a row"),
        empty: EmptyContent::No {
            last: false,
            beside_calls: false,
        },
        empty_calls: true,
        tools_declared: true,
        tools_differ: true,
        error_filled: true,
        merges: true,
        untyped_texts: true,
        marks: Some(if has("no marks") { 0 } else { MARKS }),
        marks_on_parts: true,
        marks_are_parts: true,
        thoughts: ThinkingRules {
            signed: claude,
            followed: claude,
            as_asked: claude,
            only_asked: model.claude.is_some_and(|version| version < THINKS_UNASKED),
        },
        arguments: Arguments::Object,
        fields: true,
        types: DIALECT.name,
        call_id: Syntax {
            letters: Letters::Dotted,
            min: 1,
            max: 64,
            ..Syntax::FREE
        },
        call_name: NAME,
        tool_name: NAME,
        thinking_bound: thinking_bound(model, None),
        ..free(model)
    }
}

fn detect(signals: &Signals) -> Confidence {
    if !signals.lists("messages") {
        return Confidence::No;
    }
    let block = signals.block_has("toolUse toolResult reasoningContent cachePoint");
    let top = signals.has_any("inferenceConfig toolConfig modelId");
    if block || top {
        Confidence::Certain
    } else if signals.is_untyped() {
        // Its model is named in the address, or as `modelId`.
        if signals.value("model").is_some() {
            Confidence::Named
        } else {
            Confidence::Likely
        }
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    shared::members(
        cursor,
        builder,
        "messages",
        messages,
        |key, cursor, builder| {
            match key {
                b"system" => shared::setting(key, cursor, builder)?,
                b"toolConfig" => cursor.member(b"tools", |cursor| {
                    shared::setting(b"tools", cursor, builder)
                })?,
                b"additionalModelRequestFields" => cursor.member(b"thinking", |cursor| {
                    shared::setting(b"thinking", cursor, builder)
                })?,
                b"modelId" => shared::setting(b"model", cursor, builder)?,
                _ => {}
            }
            Ok(())
        },
    )
}

const MESSAGES: UntypedMessages = UntypedMessages {
    parts: "content",
    role: |name| match name {
        b"user" => (Role::User, false),
        b"assistant" => (Role::Assistant, false),
        b"system" => (Role::System, false),
        _ => (Role::Other, true),
    },
    read: |cursor, builder| {
        let may_be_empty = matches!(cursor.kind()?, Kind::Array | Kind::String | Kind::Null);
        let content = content(cursor, ContentParent::Message, builder)?;
        Ok((matches!(content, Content::Array(_)), may_be_empty))
    },
};

fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    objects(cursor, builder, |cursor, builder| {
        MESSAGES.message(cursor, builder)
    })
}

/// Results are arrays of blocks without a type. Whether one is an error is beside its content.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate::of(r#"[{"text":""#, r#""}]"#),
    read: |cursor, builder| content(cursor, ContentParent::Block, builder).map(|_| ()),
};

/// Blocks that are known and have no part in pruning.
const KNOWN: &str = "document video audio guardContent cachePoint citationsContent searchResult toolAddition toolRemoval";

/// Reads a content: pushes its blocks and returns where it is. A result contains no calls and no
/// results, so that the reader descends no further than to a block's.
///
/// # Errors
/// The value is malformed JSON.
pub fn content(
    cursor: &mut Cursor<'_>,
    place: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Scanned<Content> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    match kind {
        Kind::Array => {
            cursor.each_element(|part, cursor| block(cursor, part, place, builder))?;
            Ok(Content::Array(cursor.span_from(from)))
        }
        Kind::String => shared::content(cursor, builder),
        _ => cursor.skip().map(|_| Content::Odd(cursor.span_from(from))),
    }
}

/// The content of a block.
enum Data<'a> {
    Text(Text<'a>),
    /// A simple block: its kind, its chars, and its fault.
    Plain(BlockKind, usize, Option<Fault>),
    /// A value that counts as its JSON: its place and its chars, and whether it is an object.
    Json(Span, usize, bool),
    Call(ToolBlock<'a>),
    Result(ToolBlock<'a>),
    Other,
}

/// A call or a result; the blocks of a result's content are in the builder already.
#[derive(Default)]
struct ToolBlock<'a> {
    id: CallId,
    name: Cow<'a, str>,
    arguments: Option<usize>,
    object: bool,
    content: Content,
    error: bool,
    /// It belongs to a tool that runs at the provider: the answer is in the same message, and
    /// neither is cut.
    server: bool,
    /// The first member that is not known.
    instead: Option<String>,
}

fn block(
    cursor: &mut Cursor<'_>,
    part: usize,
    place: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let kind = cursor.kind()?;
    let from = cursor.at();
    if kind != Kind::Object {
        cursor.skip()?;
        let what = format!("{} in place of a block", kind_name(kind));
        not_understood(builder, place, what);
        builder.other_block(part, cursor.span_from(from));
        return Ok(());
    }
    let index = builder.blocks.len();
    // A result comes before its children; whether this is one is known later, so a place is kept
    // for it.
    builder.plain_block(BlockKind::Other, part, Span::default(), 0);
    let (mut data, mut unknown) = (None, None);
    cursor.each_member(|key, cursor| {
        data = match (key, cursor.kind()?) {
            (b"text", Kind::String) => Some(Data::Text(cursor.text()?)),
            (b"json", kind) => {
                let from = cursor.at();
                let chars = stringify::length(cursor)?;
                let is_object = kind == Kind::Object;
                Some(Data::Json(cursor.span_from(from), chars, is_object))
            }
            (b"reasoningContent", Kind::Object) => {
                let (chars, signed) = reasoning(cursor, builder)?;
                let fault = (!signed).then_some(Fault::Unsigned);
                Some(Data::Plain(BlockKind::Thinking, chars, fault))
            }
            (b"image", _) => Some(Data::Plain(BlockKind::Image, 0, None)),
            (b"toolUse" | b"toolResult", Kind::Object) if place == ContentParent::Message => {
                builder.blocks.truncate(index + 1);
                let found = tool(cursor, builder)?;
                Some(match key {
                    _ if found.server => Data::Other,
                    b"toolResult" => Data::Result(found),
                    _ => Data::Call(found),
                })
            }
            (b"cachePoint", _) if place == ContentParent::Message => {
                if let Some(long) = cache_mark(cursor)? {
                    builder.note(index, NoteKind::Mark { long });
                }
                // It is not content, and may be beside content.
                data.take().or(Some(Data::Plain(BlockKind::Other, 0, None)))
            }
            (key, _) if is_one_of(key, KNOWN) => Some(Data::Other),
            (key, _) => {
                unknown.get_or_insert_with(|| printable(key));
                data.take()
            }
        };
        Ok(())
    })?;
    let span = cursor.span_from(from);
    if let Some(Data::Result(found)) = data {
        found.answer(index, span, builder);
        return Ok(());
    }
    builder.blocks.truncate(index);
    match data {
        Some(data) => data.push(part, span, builder),
        None => {
            let unknown = unknown.as_deref().unwrap_or("no key");
            not_understood(builder, place, format!("block with {unknown}"));
            builder.other_block(part, span);
        }
    }
    Ok(())
}

impl Data<'_> {
    /// Pushes the block, unless it is a result.
    fn push(self, part: usize, span: Span, builder: &mut TranscriptBuilder) {
        let fault = match &self {
            Data::Plain(_, _, fault) => *fault,
            Data::Json(_, _, false) => Some(Fault::NoObject),
            Data::Call(found) if !found.object => Some(Fault::NoObject),
            _ => None,
        };
        if let Some(fault) = fault {
            builder.note(builder.blocks.len(), NoteKind::Fault(fault));
        }
        match self {
            Data::Text(found) => builder.text(&found, part, false),
            Data::Json(at, chars, _) => builder.plain_block(BlockKind::Malformed, part, at, chars),
            Data::Plain(kind, chars, _) => builder.plain_block(kind, part, span, chars),
            Data::Call(found) => {
                let lacks =
                    found.id.hash.is_none() || found.name.is_empty() || found.arguments.is_none();
                if let Some(key) = found.instead.filter(|_| lacks) {
                    let what = format!("{key} in a toolUse without toolUseId, name or input");
                    builder.not_understood(Level::Part, what);
                }
                let arguments = found.arguments.unwrap_or(2);
                builder.call(found.id, &found.name, part, span, arguments);
            }
            Data::Result(_) | Data::Other => builder.other_block(part, span),
        }
    }
}

impl ToolBlock<'_> {
    /// Makes the block at `index`, which has a place only, the result whose content follows it.
    fn answer(self, index: usize, span: Span, builder: &mut TranscriptBuilder) {
        let (content, shape) = result_shape(self.content);
        let shape = shape.with(Flags::ERROR, self.error);
        result(builder, index, span, (content, shape), self.id, "");
        if matches!(self.content, Content::String(_) | Content::Odd(_)) {
            builder.note(index, NoteKind::Fault(Fault::NoContent));
        }
        // A missing id alone is a fault that has a rule of its own.
        if let Some(key) = self.instead.filter(|_| self.id.hash.is_none()) {
            let what = format!("{key} in a toolResult without toolUseId");
            builder.not_understood_at(index, Level::Part, what);
        }
    }
}

/// Notes that the block which comes next was not understood.
fn not_understood(builder: &mut TranscriptBuilder, place: ContentParent, what: String) {
    builder.not_understood(
        if place == ContentParent::Message {
            Level::Part
        } else {
            Level::Inside
        },
        what,
    );
}

/// Reads the object of a `toolUse` or a `toolResult`; pushes the blocks of its content.
fn tool<'a>(cursor: &mut Cursor<'a>, builder: &mut TranscriptBuilder) -> Scanned<ToolBlock<'a>> {
    let mut found = ToolBlock::default();
    let index = builder.blocks.len();
    cursor.each_member(|key, cursor| {
        match key {
            b"toolUseId" => found.id = CallId::read(cursor)?,
            b"name" => found.name = cursor.string_or_skip()?.unwrap_or_default(),
            b"input" => {
                found.object = cursor.kind()? == Kind::Object;
                found.arguments = Some(stringify::length(cursor)?);
            }
            b"content" => {
                builder.blocks.truncate(index);
                found.content = content(cursor, ContentParent::Block, builder)?;
            }
            b"status" => found.error = cursor.bytes_or_skip()?.is_some_and(|s| &*s == b"error"),
            b"type" => {
                found.server = cursor
                    .bytes_or_skip()?
                    .is_some_and(|t| !matches!(&*t, b"tool_use" | b"tool_result"))
            }
            key => {
                found.instead.get_or_insert_with(|| unread::key(key));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Chars of a `reasoningContent`, and whether it is signed, as what is redacted counts.
fn reasoning(cursor: &mut Cursor<'_>, builder: &TranscriptBuilder) -> Scanned<(usize, bool)> {
    let (mut chars, mut signed) = (0, false);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"reasoningText", Kind::Object) => {
                cursor.each_member(|key, cursor| {
                    match (key, cursor.kind()?) {
                        (b"text", Kind::String) => chars += builder.chars_of(&cursor.text()?),
                        (b"signature", Kind::String) => {
                            let found = cursor.text()?;
                            signed |= found.units > 0;
                            chars += builder.chars_of_signature(&found);
                        }
                        _ => {}
                    }
                    Ok(())
                })?;
            }
            (b"redactedContent", Kind::String) => {
                signed = true;
                chars += builder.chars_of_signature(&cursor.text()?);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((chars, signed))
}
