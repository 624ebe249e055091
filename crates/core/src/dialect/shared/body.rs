//! Request bodies whose history is `messages`, and arrays of messages in any place. What is beside
//! the messages: the system prompt in each provider's form, lists of documents, declared tools, and
//! cache marks.

use super::{message::message, unread, unread::UnreadReply};
use crate::{
    dialect::{Reader, reading::*},
    json::locate::text_member,
    settings::parse_duration,
    transcript::{OutsideKind, Request, Thinking},
};
use memchr::memmem;

/// Reads a request body whose history is `messages`, or that history alone.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    members(cursor, builder, "messages", messages, setting)
}

/// Reads a member of a body beside its messages, where its provider's name for it is one that
/// others use, or the like.
///
/// # Errors
/// The value is malformed JSON.
pub fn setting(key: &[u8], cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match (key, cursor.kind()?) {
        (b"model", _) => builder.model = cursor.owned_string_or_skip()?,
        (b"tools", Kind::Array) => tools(cursor, &mut builder.request)?,
        (b"thinking", Kind::Object) => builder.request.thinking = thinking(cursor)?,
        (b"cache_control", _) => builder.request.automatic_mark = cache_mark(cursor)?,
        (
            b"system"
            | b"instructions"
            | b"systemInstruction"
            | b"system_instruction"
            | b"preamble",
            _,
        ) => builder.request.system_marks = prompt(cursor, builder)?,
        (b"documents", Kind::Array) => documents(cursor, builder)?,
        (b"compaction", Kind::Object) => {
            (builder.request.summarizes, _) = (true, cursor.skip()?);
        }
        (b"prompt_cache_options" | b"prompt_cache_retention", _) => {
            let record = cursor.record_bytes();
            let value = cursor.skip_span()?;
            builder.request.cache_life = cache_life(record, key, value.of(record));
        }
        // The part of a thread that the server keeps, with its tools, is not sent again.
        (b"thread", Kind::Object) => cursor.member(b"type", |cursor| {
            if cursor.bytes_or_skip()?.as_deref() == Some(b"continue") {
                (builder.calls_elsewhere, builder.request.tools) = (true, true);
            }
            Ok(())
        })?,
        _ => {}
    }
    Ok(())
}

/// Reads a body of a provider whose results may answer by their order.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body_by_order(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    builder.by_order = true;
    body(cursor, builder)
}

/// Reads a body: what is under `history` as `messages` does, and of the other members those that
/// `member` knows. One that it leaves unread may be an answer. An array is that history alone.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn members<'a>(
    cursor: &mut Cursor<'a>,
    builder: &mut TranscriptBuilder,
    history: &str,
    messages: Reader,
    mut member: impl FnMut(&[u8], &mut Cursor<'a>, &mut TranscriptBuilder) -> Scanned,
) -> Scanned {
    if cursor.kind()? == Kind::Array {
        // A bare list declares no tools, so none is missing.
        builder.request.tools = true;
        return messages(cursor, builder);
    }
    let before = builder.mark();
    let (mut found, mut answered) = (false, UnreadReply::default());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if *key == *history.as_bytes() {
            found = true;
            builder.rollback_blocks(before);
            messages(cursor, builder)?;
            continue;
        }
        let value = cursor.at();
        member(&key, cursor, builder)?;
        if cursor.at() == value {
            answered.look_into(cursor, &key)?;
        }
    }
    answered.note(builder);
    if !found {
        missing(history, builder);
    }
    Ok(())
}

/// Notes that a body has no `name`, under which its messages would be.
pub fn missing(name: &str, builder: &mut TranscriptBuilder) {
    builder.not_understood(Level::Place, format!("body without key {name}"));
}

/// Reads the thinking options.
fn thinking(cursor: &mut Cursor<'_>) -> Scanned<Thinking> {
    let mut found = Thinking::Unsaid;
    cursor.member(b"type", |cursor| {
        found = match cursor.bytes_or_skip()?.as_deref() {
            Some(b"enabled") => Thinking::Enabled,
            Some(b"disabled") => Thinking::Disabled,
            _ => Thinking::Adaptive,
        };
        Ok(())
    })?;
    Ok(found)
}

/// Reads an array of messages; what is no object is noted.
///
/// # Errors
/// The array is malformed JSON.
pub fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    objects(cursor, builder, |cursor, builder| {
        message(cursor, builder).map(|_| ())
    })
}

/// Reads each object of an array of messages as `read` does, and notes each other element, and any
/// other value.
///
/// # Errors
/// The value is malformed JSON.
pub fn objects(
    cursor: &mut Cursor<'_>,
    builder: &mut TranscriptBuilder,
    mut read: impl FnMut(&mut Cursor<'_>, &mut TranscriptBuilder) -> Scanned,
) -> Scanned {
    if cursor.kind()? != Kind::Array {
        cursor.skip()?;
        builder.not_understood(Level::Place, "key messages that is no list".to_owned());
        return Ok(());
    }
    cursor.each_element(|_, cursor| {
        match cursor.kind()? {
            Kind::Object => read(cursor, builder)?,
            kind => no_message(cursor, kind, builder)?,
        }
        Ok(())
    })
}

/// Notes a value of `kind` that is where a message should, and skips it.
///
/// # Errors
/// The value is malformed JSON.
#[cold]
pub fn no_message(cursor: &mut Cursor<'_>, kind: Kind, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.skip()?;
    builder.not_understood(
        Level::Place,
        format!("{} in place of a message", unread::kind_name(kind)),
    );
    Ok(())
}

/// Reads an array of tools, and notes in a request what they say.
///
/// # Errors
/// The array is malformed JSON.
pub fn tools(cursor: &mut Cursor<'_>, request: &mut Request) -> Scanned {
    request.tools = false;
    request.tool_marks.clear();
    request.declared.clear();
    request.unnamed_tools = false;
    cursor.each_element(|_, cursor| {
        if cursor.kind()? == Kind::Object {
            tool(cursor, request)?;
        } else {
            request.tools = true;
        }
        Ok(())
    })
}

/// Reads a tool. Its name is a member of it or of a member; the walk goes no deeper.
fn tool(cursor: &mut Cursor<'_>, request: &mut Request) -> Scanned {
    let first = request.declared.len();
    cursor.each_member(|key, cursor| {
        // A cache point is listed among the tools and is not one.
        request.tools |= key != b"cachePoint";
        let names = &mut request.declared;
        // If a key occurs twice, the last one counts.
        match (key, cursor.kind()?) {
            (b"cache_control" | b"cachePoint", _) => request.tool_marks.extend(cache_mark(cursor)?),
            (b"name", _) => {
                names.truncate(first);
                names.extend(cursor.owned_string_or_skip()?);
            }
            (b"function" | b"custom" | b"toolSpec", _) => {
                names.truncate(first);
                named(cursor, names)?;
            }
            (b"functionDeclarations" | b"function_declarations", kind) => {
                names.truncate(first);
                if kind == Kind::Array {
                    cursor.each_object(|_, cursor| named(cursor, names))?;
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    request.unnamed_tools |= request.declared.len() == first;
    Ok(())
}

/// Reads the name of what a tool holds.
fn named(cursor: &mut Cursor<'_>, names: &mut Vec<String>) -> Scanned {
    let first = names.len();
    cursor.member(b"name", |cursor| {
        names.truncate(first);
        names.extend(cursor.owned_string_or_skip()?);
        Ok(())
    })
}

/// Reads a `cache_control`: whether it is for an hour; nothing where it is no mark.
///
/// # Errors
/// The value is malformed JSON.
pub fn cache_mark(cursor: &mut Cursor<'_>) -> Scanned<Option<bool>> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| None);
    }
    let mut long = false;
    cursor.member(b"ttl", |cursor| {
        long = cursor.bytes_or_skip()?.as_deref() == Some(b"1h");
        Ok(())
    })?;
    Ok(Some(long))
}

/// Returns the lifetime in seconds that a member of OpenAI's bodies states, and the longest of its
/// explicit breakpoints; 0 if these alone are cached, and there is none (openai 3.57.0,
/// `PromptCacheOptions`).
fn cache_life(record: &[u8], key: &[u8], value: &[u8]) -> Option<u64> {
    let seconds = |text: &str| Some(parse_duration(text).ok()? / 1000);
    if key == b"prompt_cache_retention" {
        return seconds(&String::from_utf8_lossy(
            value.strip_prefix(b"\"")?.strip_suffix(b"\"")?,
        ));
    }
    let breakpoints = memmem::find_iter(record, b"\"prompt_cache_breakpoint\"");
    let starts = breakpoints.filter_map(|at| Some(at + memchr::memchr(b'{', &record[at..])?));
    let lives: Vec<_> = starts.map(|at| text_member(&record[at..], "ttl")).collect();
    let own = text_member(value, "ttl").and_then(|ttl| seconds(&ttl));
    let is_explicit = text_member(value, "mode").as_deref() == Some("explicit");
    if is_explicit && lives.is_empty() {
        return Some(0);
    }
    let lives = lives.into_iter().flatten().filter_map(|ttl| seconds(&ttl));
    lives.chain(own).max()
}

/// Reads a `caller`: the server tool whose code made the call.
///
/// # Errors
/// The value is no object, or malformed JSON.
pub fn caller(cursor: &mut Cursor<'_>) -> Scanned<Option<Id>> {
    let mut made_by = None;
    cursor.each_member(|key, cursor| {
        if matches!(key, b"tool_id" | b"caller_id") {
            made_by = Some(CallId::read(cursor)?.hash).filter(|id| id.is_some())
        }
        Ok(())
    })?;
    Ok(made_by)
}

/// Nesting of a prompt: a content has parts, a part a text.
const DEPTH: usize = 3;

/// Reads a system prompt: a string, an array of strings or of objects with a `text`, or an object
/// with `parts`. Returns its cache marks: whether each is for an hour. Of two prompts the last
/// counts.
///
/// # Errors
/// The value is malformed JSON.
pub fn prompt(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<Vec<bool>> {
    builder
        .request
        .outside
        .retain(|outside| outside.kind != OutsideKind::Prompt);
    let first = builder.request.outside.len();
    let mut marks = Vec::new();
    texts(cursor, first, DEPTH, &mut marks, builder)?;
    Ok(marks)
}

fn texts(
    cursor: &mut Cursor<'_>,
    first: usize,
    depth: usize,
    marks: &mut Vec<bool>,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    match cursor.kind()? {
        Kind::String => {
            let found = cursor.text()?;
            builder.outside(OutsideKind::Prompt, found.span, false);
        }
        Kind::Array if depth > 0 => {
            cursor.each_element(|_, cursor| texts(cursor, first, depth - 1, marks, builder))?;
        }
        Kind::Object if depth > 0 => {
            let mut marked = false;
            cursor.each_member(|key, cursor| {
                match key {
                    b"text" | b"parts" | b"content" => {
                        texts(cursor, first, depth - 1, marks, builder)?
                    }
                    b"cache_control" | b"cachePoint" => {
                        let mark = cache_mark(cursor)?;
                        marked |= mark.is_some();
                        marks.extend(mark);
                    }
                    _ => {}
                }
                Ok(())
            })?;
            if marked {
                // The cached part reaches from the beginning to the mark.
                builder.request.outside[first..]
                    .iter_mut()
                    .for_each(|outside| outside.marked = true);
            }
        }
        _ => drop(cursor.skip()?),
    }
    Ok(())
}

/// Reads a list of documents. Of two the last counts.
///
/// # Errors
/// The value is malformed JSON.
pub fn documents(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    builder
        .request
        .outside
        .retain(|outside| outside.kind != OutsideKind::Documents);
    let span = cursor.skip_span()?;
    builder.outside(OutsideKind::Documents, span, false);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Estimator;

    #[test]
    fn lifetimes_that_a_request_states() {
        for (members, want) in [
            (r#""prompt_cache_key":"k""#, None),
            (r#""prompt_cache_options":{"ttl":"12h"}"#, Some(43_200)),
            (r#""prompt_cache_retention":"24h""#, Some(86_400)),
            (r#""prompt_cache_retention":"in_memory""#, None),
            (r#""prompt_cache_options":{"mode":"explicit"}"#, Some(0)),
            (
                r#""prompt_cache_options":{"mode":"implicit","ttl":"30m"},"input":[{"prompt_cache_breakpoint":{"ttl":"12h"}}]"#,
                Some(43_200),
            ),
            (
                r#""prompt_cache_options":{"mode":"explicit"},"input":[{"prompt_cache_breakpoint":{"mode":"explicit"}}]"#,
                None,
            ),
        ] {
            let json = format!("{{{members}}}");
            let mut builder = TranscriptBuilder::new(Estimator::Utf16);
            builder.begin(0, 1);
            let cursor = &mut Cursor::new(json.as_bytes());
            super::members(
                cursor,
                &mut builder,
                "input",
                |cursor, _| cursor.skip().map(drop),
                setting,
            )
            .unwrap();
            assert_eq!(builder.request.cache_life, want, "{json}");
        }
    }

    #[test]
    fn prompts_of_every_shape() {
        for (json, want, marks) in [
            (r#""a""#, vec![("\"a\"", false)], 0),
            (
                r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
                vec![("\"a\"", false), ("\"b\"", false)],
                0,
            ),
            (
                r#"[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}},{"type":"text","text":"c"}]"#,
                vec![("\"a\"", true), ("\"b\"", true), ("\"c\"", false)],
                1,
            ),
            (
                r#"[{"cache_control":{"ttl":"1h"},"text":"a"}]"#,
                vec![("\"a\"", true)],
                1,
            ),
            (r#"{"parts":[{"text":"a"}]}"#, vec![("\"a\"", false)], 0),
            (
                r#"{"parts":{"text":"a"},"role":"system"}"#,
                vec![("\"a\"", false)],
                0,
            ),
            (
                r#"[{"text":"a"},{"cachePoint":{"type":"default"}}]"#,
                vec![("\"a\"", true)],
                1,
            ),
            ("null", vec![], 0),
            (r#"[[[[["deep"]]]]]"#, vec![], 0),
        ] {
            let mut builder = TranscriptBuilder::new(Estimator::Utf16);
            builder.begin(0, 1);
            let found = prompt(&mut Cursor::new(json.as_bytes()), &mut builder).unwrap();
            let reported: Vec<_> = builder
                .request
                .outside
                .iter()
                .map(|o| (&json[o.span.start as usize..o.span.end as usize], o.marked))
                .collect();
            assert_eq!((reported, found.len()), (want, marks), "{json}");
        }
    }
}
