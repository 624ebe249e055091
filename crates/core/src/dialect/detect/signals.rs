//! Signs of a format, gathered from one record: its top-level keys, and roles, keys and block types of its first messages.

use crate::dialect::cline::texts;
use crate::dialect::detect::likeliest;
use crate::dialect::detect::preferences::confidence;
use crate::dialect::detect::spelling::Spelling;
use crate::dialect::{Confidence, DIALECTS, Dialect, Layout, wrapper};
use crate::json::{Cursor, Kind, ScanError};

/// Signs of a format, from one record or from a few lines.
#[derive(Debug, Default)]
pub struct Signals {
    /// Keys at the top for which some format asks, and their values.
    keys: Vec<(&'static str, Option<String>)>,
    /// The first keys at the top.
    first: Vec<String>,
    message_keys: Vec<String>,
    tool_keys: Vec<String>,
    block_keys: Vec<String>,
    /// Whether a block seen has no type.
    untyped: bool,
    /// Whether a text seen has the head of a result that Cline writes as text.
    pub headed: bool,
    /// Roles of the messages seen, each once, in the order in which they came.
    pub roles: Vec<String>,
    /// Types of the blocks seen.
    pub block_types: Vec<String>,
    /// Whether the record is an array.
    pub array: bool,
    /// How calls beside a content are spelled.
    pub calls: Spelling,
    /// The member of a wrapper that these are the signals of.
    pub within: Option<&'static str>,
    /// Signals of what a member holds in which a wrapper has its body.
    pub inner: Option<Box<Signals>>,
    /// Whether the record is an element of a list.
    listed: bool,
    /// Whether the walk goes on when some format is certain.
    to_the_end: bool,
    /// Whether that wrapper is the first of a list.
    pub batch: bool,
    /// Whether some format was certain when they were last asked, or the wrapped body's were.
    certain: bool,
    /// How many signs there were when the formats were last asked.
    asked: usize,
    /// How often they were asked.
    pub asks: usize,
}

/// Keys at the top of a record for which some format asks; a record may have any number of others.
const ASKED: [&str; 70] = [
    "$patch",
    "$rewindTo",
    "$set",
    "anthropic_version",
    "cachedContent",
    "cached_content",
    "call_id",
    "chat_history",
    "citation_options",
    "connectors",
    "content",
    "contents",
    "context_management",
    "conversation",
    "data",
    "dimensions",
    "documents",
    "encoding_format",
    "generationConfig",
    "generation_config",
    "id",
    "include",
    "inferenceConfig",
    "info",
    "input",
    "input_type",
    "instructions",
    "isSidechain",
    "keep_alive",
    "leafUuid",
    "max_output_tokens",
    "max_tokens",
    "message",
    "messageId",
    "messages",
    "model",
    "modelId",
    "options",
    "output",
    "parentUuid",
    "parts",
    "payload",
    "preamble",
    "previous_response_id",
    "projectHash",
    "prompt_mode",
    "random_seed",
    "record_type",
    "response_format",
    "role",
    "safe_prompt",
    "safetySettings",
    "safety_mode",
    "safety_settings",
    "sessionId",
    "strict_tools",
    "system",
    "systemInstruction",
    "system_instruction",
    "think",
    "timestamp",
    "toolConfig",
    "tool_calls",
    "tool_config",
    "tool_results",
    "truncation",
    "type",
    "uuid",
    "version",
    "voice",
];

/// Keys that are kept for [`Signals::names`].
const FIRST: usize = 16;

impl Signals {
    /// None yet, of a record that is walked to its end though some format may be certain before.
    pub fn to_the_end() -> Signals {
        Signals { to_the_end: true, ..Signals::default() }
    }

    /// Whether the record has this key at its top.
    pub fn has(&self, key: &str) -> bool {
        debug_assert!(ASKED.contains(&key), "{key} is among the keys that are kept");
        self.keys.iter().any(|(k, _)| *k == key)
    }

    /// Whether the record has this list at its top, or is one.
    pub fn lists(&self, key: &str) -> bool {
        self.array || self.has(key)
    }

    /// The string under a key at the top, shortened if it is long.
    pub fn value(&self, key: &str) -> Option<&str> {
        debug_assert!(ASKED.contains(&key), "{key} is among the keys that are kept");
        self.keys.iter().find(|(k, _)| *k == key)?.1.as_deref()
    }

    /// The first keys at the top, or of the messages where the record is a list of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        if self.array { &self.message_keys } else { &self.first }.iter().map(String::as_str)
    }

    /// Notes a key at the top. Of two of one name the first counts.
    fn key(&mut self, key: String, value: Option<String>) {
        let asked = ASKED.into_iter().find(|asked| *asked == key);
        if let Some(asked) = asked.filter(|asked| !self.keys.iter().any(|(k, _)| k == asked)) {
            self.keys.push((asked, value));
        }
        if self.first.len() < FIRST && !self.first.contains(&key) {
            self.first.push(key);
        }
    }

    /// How many signs there are.
    fn count(&self) -> usize {
        let lists = [&self.first, &self.message_keys, &self.tool_keys, &self.block_keys, &self.roles, &self.block_types];
        let calls =
            [self.calls.objects, self.calls.strings, self.calls.nine, self.calls.ids, self.untyped, self.headed, self.array, self.batch];
        let inner = self.inner.as_deref().map_or(0, |inner| 1 + inner.count());
        self.keys.len() + lists.map(Vec::len).iter().sum::<usize>() + calls.map(usize::from).iter().sum::<usize>() + inner
    }

    /// Whether `format` is asked at all: only bodies have wrappers.
    pub fn may_be(&self, format: &Dialect) -> bool {
        self.within.is_none() || format.layout == Layout::Body
    }

    /// Whether a message has this key.
    pub fn message_has(&self, key: &str) -> bool {
        self.message_keys.iter().any(|k| k == key)
    }

    /// Whether there are messages, or objects in their place.
    pub fn has_messages(&self) -> bool {
        !self.message_keys.is_empty()
    }

    /// Whether a declared tool has this key.
    pub fn has_tool_member(&self, key: &str) -> bool {
        self.tool_keys.iter().any(|k| k == key)
    }

    /// Whether a block seen has this key.
    pub fn block_has(&self, key: &str) -> bool {
        self.block_keys.iter().any(|k| k == key)
    }

    /// Whether there are blocks and none of them has a type.
    pub fn is_untyped(&self) -> bool {
        self.untyped && self.block_types.is_empty()
    }
}

/// Messages that are looked into before the rest is only skipped.
const SAMPLE: usize = 16;

pub fn gather(cursor: &mut Cursor<'_>, mut signals: Signals) -> Result<Signals, ScanError> {
    match cursor.kind()? {
        Kind::Array => {
            signals.array = true;
            messages(cursor, &mut signals)?;
        }
        Kind::Object => object(cursor, &mut signals)?,
        _ => {
            cursor.skip()?;
        }
    }
    Ok(signals)
}

/// Whether some format is certain. The formats are asked after every new sign. There are only so many signs, so that how often
/// they are asked does not grow with the record.
fn is_certain(signals: &mut Signals) -> bool {
    let count = signals.count();
    if signals.to_the_end || signals.certain || count == signals.asked {
        return signals.certain;
    }
    (signals.asked, signals.asks) = (count, signals.asks + 1);
    signals.certain = signals.inner.as_deref().is_some_and(|inner| inner.certain)
        || DIALECTS.iter().any(|f| signals.may_be(f) && confidence(f, signals) == Confidence::Certain);
    signals.certain
}

fn object(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Result<(), ScanError> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let key = String::from_utf8_lossy(&key).into_owned();
        match (key.as_str(), cursor.kind()?) {
            ("messages" | "contents" | "input", Kind::Array) => {
                signals.key(key, None);
                if messages(cursor, signals)? {
                    return Ok(());
                }
            }
            ("message" | "contents", Kind::Object) => {
                signals.key(key, None);
                message(cursor, signals)?;
            }
            ("content" | "system", Kind::Array) => {
                signals.key(key, None);
                blocks(cursor, signals)?;
            }
            (name, Kind::Object) if signals.within.is_none() && wrapper::member(name).is_some() => {
                let mut inner = Signals { within: wrapper::member(name), to_the_end: signals.to_the_end, ..Signals::default() };
                signals.key(key, None);
                // No deeper than this: a wrapper has no wrapper inside.
                object(cursor, &mut inner)?;
                signals.inner = Some(Box::new(inner));
            }
            (wrapper::LIST, Kind::Array) if signals.within.is_none() && !signals.listed => {
                signals.key(key, None);
                if first_of_list(cursor, signals)? {
                    return Ok(());
                }
            }
            ("tools", Kind::Array) => {
                signals.key(key, None);
                tools(cursor, signals)?;
            }
            (_, Kind::String) => {
                let value = cursor.string_or_skip()?.map(|v| if v.len() < 200 { v } else { v.chars().take(50).collect() });
                if let Some(role) = value.as_deref().filter(|_| key == "role") {
                    add(&mut signals.roles, role.as_bytes());
                }
                signals.key(key, value.map(|v| v.into_owned()));
            }
            _ => {
                cursor.skip()?;
                signals.key(key, None);
            }
        }
        if is_certain(signals) {
            return Ok(());
        }
    }
    Ok(())
}

/// Looks into the first elements of a list; true, with the cursor among them, as soon as one says what the list is.
fn first_of_list(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Result<bool, ScanError> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if signals.batch || seen > SAMPLE || cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        let mut element = Signals { listed: true, to_the_end: signals.to_the_end, ..Signals::default() };
        object(cursor, &mut element)?;
        // Bodies without wrappers are no batch.
        let done = is_certain(&mut element);
        if element.inner.as_deref().is_some_and(|inner| likeliest(inner).is_some()) {
            (signals.batch, signals.inner) = (true, element.inner);
        }
        if done || signals.batch && !signals.to_the_end {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Looks into the first messages; true, with the cursor among them, as soon as they make some format certain.
fn messages(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Result<bool, ScanError> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if seen > SAMPLE || cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        message(cursor, signals)?;
        if is_certain(signals) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn message(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Result<(), ScanError> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let kind = cursor.kind()?;
        match &*key {
            b"role" => {
                if let Some(role) = cursor.bytes_or_skip()? {
                    add(&mut signals.roles, &role);
                }
            }
            b"content" | b"parts" if kind == Kind::Array => blocks(cursor, signals)?,
            b"tool_calls" if kind == Kind::Array => signals.calls.read(cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
        add(&mut signals.message_keys, &key);
    }
    Ok(())
}

fn blocks(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.object_element(&mut elements)? {
        let mut typed = false;
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            add(&mut signals.block_keys, &key);
            match &*key {
                b"type" => {
                    typed = true;
                    if let Some(kind) = cursor.string_or_skip()? {
                        add(&mut signals.block_types, kind.as_bytes());
                    }
                }
                b"text" => {
                    cursor.peek();
                    let from = cursor.at();
                    let kind = cursor.skip()?;
                    let text = &cursor.bytes()[from..cursor.at()];
                    signals.headed |= kind == Kind::String && texts::is_headed(&text[1..text.len() - 1]);
                }
                _ => {
                    cursor.skip()?;
                }
            }
        }
        signals.untyped |= !typed;
    }
    Ok(())
}

fn tools(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.object_element(&mut elements)? {
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            add(&mut signals.tool_keys, &key);
            cursor.skip()?;
        }
    }
    Ok(())
}

fn add(list: &mut Vec<String>, name: &[u8]) {
    if list.len() < 256 && !list.iter().any(|n| n.as_bytes() == name) {
        list.push(String::from_utf8_lossy(name).into_owned());
    }
}
