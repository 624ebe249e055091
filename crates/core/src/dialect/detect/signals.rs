//! Signals of a format, collected from one record: its top-level keys, and roles, keys and block
//! types of its first messages.

use crate::{
    dialect::{
        Confidence, DIALECTS, Dialect, Layout,
        cline::texts,
        detect::{confidence, likeliest},
        shared::unread::{is_one_of, words},
        wrapper,
    },
    json::{Cursor, Kind, Scanned},
};

/// Signs of a format, from one record or from a few lines.
#[derive(Debug, Default)]
pub struct Signals {
    /// The formats that may be meant.
    pub(super) table: &'static [Dialect],
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
    /// The spelling of calls beside a content.
    pub calls: Spelling,
    /// The member of a wrapper that these are the signals of.
    pub within: Option<&'static str>,
    /// Signals of what a member holds in which a wrapper has its body.
    pub inner: Option<Box<Signals>>,
    /// Whether the record is an element of a list.
    listed: bool,
    /// Whether the walk continues when some format is certain.
    to_the_end: bool,
    /// Whether that wrapper is the first of a list.
    pub batch: bool,
    /// Whether some format was certain when they were last asked, or the wrapped body's were.
    certain: bool,
    /// The number of signs when the formats were last compared.
    asked: usize,
    /// The number of times that the formats were compared.
    pub asks: usize,
}

/// Keys that are kept for [`Signals::names`].
const FIRST: usize = 16;

impl Signals {
    /// No signals yet, for a record that may be of these formats.
    pub fn among(table: &'static [Dialect]) -> Signals {
        Signals {
            table,
            ..Signals::default()
        }
    }

    /// No signals yet, for a record that is walked to its end even when some format is certain.
    pub(super) fn to_the_end() -> Signals {
        Signals {
            to_the_end: true,
            ..Signals::among(DIALECTS)
        }
    }

    /// Whether the record has these keys at its top.
    pub fn has(&self, keys: &str) -> bool {
        words(keys).all(|key| self.member(key).is_some())
    }

    /// Whether the record has one of these keys at its top.
    pub fn has_any(&self, keys: &str) -> bool {
        debug_assert!(words(keys).all(|key| self.asked(key).is_some()));
        let mut found = self.keys.iter();
        found.any(|(found, _)| is_one_of(found.as_bytes(), keys))
    }

    /// Whether a message has one of these roles.
    pub fn has_role(&self, roles: &str) -> bool {
        has_any_of(&self.roles, roles)
    }

    /// Whether a block seen has one of these types.
    pub fn has_type(&self, types: &str) -> bool {
        has_any_of(&self.block_types, types)
    }

    /// Whether the record has this list at its top, or is one.
    pub fn lists(&self, key: &str) -> bool {
        self.array || self.has(key)
    }

    /// The string under a key at the top, shortened if it is long.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.member(key.as_bytes())?.as_deref()
    }

    /// What is known of the value under a key at the top.
    fn member(&self, key: &[u8]) -> Option<&Option<String>> {
        debug_assert!(self.asked(key).is_some(), "a key of its format");
        let (_, value) = self.keys.iter().find(|(k, _)| k.as_bytes() == key)?;
        Some(value)
    }

    /// The first keys at the top, or of the messages where the record is a list of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        if self.array {
            &self.message_keys
        } else {
            &self.first
        }
        .iter()
        .map(String::as_str)
    }

    /// Notes a key at the top. Of two keys of one name, the first counts.
    fn key(&mut self, key: &str, value: Option<String>) {
        let asked = self.asked(key.as_bytes());
        if let Some(asked) = asked.filter(|asked| !self.keys.iter().any(|(k, _)| k == asked)) {
            self.keys.push((asked, value));
        }
        if self.first.len() < FIRST && !self.first.iter().any(|first| first == key) {
            self.first.push(key.to_owned());
        }
    }

    /// The key, if some format asks for it.
    fn asked(&self, key: &[u8]) -> Option<&'static str> {
        self.table
            .iter()
            .flat_map(|dialect| dialect.keys)
            .copied()
            .find(|asked| asked.as_bytes() == key)
    }

    /// Returns the number of signs.
    fn count(&self) -> usize {
        let lists = [
            &self.first,
            &self.message_keys,
            &self.tool_keys,
            &self.block_keys,
            &self.roles,
            &self.block_types,
        ];
        let calls = [
            self.calls.objects,
            self.calls.strings,
            self.calls.nine,
            self.calls.ids,
            self.untyped,
            self.headed,
            self.array,
            self.batch,
        ];
        let inner = self.inner.as_deref().map_or(0, |inner| 1 + inner.count());
        self.keys.len()
            + lists.map(Vec::len).iter().sum::<usize>()
            + calls.map(usize::from).iter().sum::<usize>()
            + inner
    }

    /// Whether `format` is asked at all: only bodies have wrappers.
    pub fn may_be(&self, format: &Dialect) -> bool {
        self.within.is_none() || format.layout == Layout::Body
    }

    /// Whether a message has one of these keys.
    pub fn message_has(&self, keys: &str) -> bool {
        has_any_of(&self.message_keys, keys)
    }

    /// Whether there are messages, or objects in their place.
    pub fn has_messages(&self) -> bool {
        !self.message_keys.is_empty()
    }

    /// Whether a declared tool has this key.
    pub fn has_tool_member(&self, key: &str) -> bool {
        has_any_of(&self.tool_keys, key)
    }

    /// Whether a block seen has one of these keys.
    pub fn block_has(&self, keys: &str) -> bool {
        has_any_of(&self.block_keys, keys)
    }

    /// Whether a body may be of the family of OpenAI's chat: it has messages, and no sign of
    /// another provider in them.
    pub fn may_be_chat(&self) -> bool {
        let alien = |t: &String| {
            matches!(
                t.as_str(),
                "toolCall" | "tool_use" | "server_tool_use" | "redacted_thinking"
            ) || t.ends_with("tool_result")
        };
        let untyped = self.is_untyped() && self.value("model").is_none();
        let foreign = self.array && !self.message_has("content") && !self.message_has("tool_calls");
        self.lists("messages") && !foreign && !self.block_types.iter().any(alien) && !untyped
    }

    /// Whether there are blocks and none of them has a type.
    pub fn is_untyped(&self) -> bool {
        self.untyped && self.block_types.is_empty()
    }
}

/// Whether a list has one of these names, which are separated by spaces.
fn has_any_of(list: &[String], names: &str) -> bool {
    list.iter().any(|one| is_one_of(one.as_bytes(), names))
}

/// The properties of the calls in chat bodies seen so far, which distinguish Mistral's and Ollama's
/// dialects from OpenAI's own.
///
/// Ollama's arguments are an object, OpenAI's a string, Mistral's either; Mistral's ids are nine
/// letters and digits, and may be missing, as Ollama's mostly are.
#[derive(Debug, Default)]
pub struct Spelling {
    /// Some arguments are an object.
    pub objects: bool,
    /// Some arguments are a string.
    pub strings: bool,
    /// Some id is of nine letters and digits.
    pub nine: bool,
    /// Some id is of another kind.
    pub ids: bool,
}

impl Spelling {
    /// Reads the `tool_calls` of a message.
    ///
    /// # Errors
    /// They are malformed JSON.
    pub fn read(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        cursor.each_object(|_, cursor| {
            cursor.each_member(|key, cursor| {
                match (key, cursor.kind()?) {
                    (b"id", Kind::String) => {
                        let id = cursor.bytes_or_skip()?.unwrap_or_default();
                        // What Mistral's own library puts where there is no id.
                        let nine = id.len() == 9 && id.iter().all(u8::is_ascii_alphanumeric)
                            || &*id == b"null";
                        self.nine |= nine;
                        self.ids |= !nine;
                    }
                    (b"function", Kind::Object) => self.function(cursor)?,
                    _ => {}
                }
                Ok(())
            })
        })
    }

    fn function(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        cursor.member(b"arguments", |cursor| {
            let kind = cursor.skip()?;
            self.objects |= kind == Kind::Object;
            self.strings |= kind == Kind::String;
            Ok(())
        })
    }
}

/// Messages that are looked into before the rest is only skipped.
const SAMPLE: usize = 16;

/// Collects the signals of a record in one walk, which stops as soon as one format is certain.
///
/// # Errors
/// The record is malformed JSON.
pub fn gather(cursor: &mut Cursor<'_>, mut signals: Signals) -> Scanned<Signals> {
    match cursor.kind()? {
        Kind::Array => {
            signals.array = true;
            messages(cursor, &mut signals, false)?;
        }
        Kind::Object => object(cursor, &mut signals)?,
        _ => drop(cursor.skip()?),
    }
    Ok(signals)
}

/// Whether some format is certain. The formats are asked after every new sign. The number of signs
/// is limited, so the number of comparisons does not grow with the record.
fn is_certain(signals: &mut Signals) -> bool {
    let count = signals.count();
    if signals.to_the_end || signals.certain || count == signals.asked {
        return signals.certain;
    }
    (signals.asked, signals.asks) = (count, signals.asks + 1);
    signals.certain = signals.inner.as_deref().is_some_and(|inner| inner.certain)
        || signals.table.iter().any(|format| {
            // No comparison makes a format certain, so few formats are compared.
            signals.may_be(format)
                && (format.detect)(signals) == Confidence::Certain
                && confidence(format, signals) == Confidence::Certain
        });
    signals.certain
}

fn object(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    let mut members = cursor.enter_object()?;
    // Messages that come before the model, as where keys are sorted, may be those of another
    // format: then all keys are read.
    let mut open = false;
    let mut model = false;
    while let Some(key) = cursor.key(&mut members)? {
        let (key, kind) = (String::from_utf8_lossy(&key), cursor.kind()?);
        model |= key == "model";
        open = !model && (open || key == "messages");
        let value = if kind == Kind::String {
            cursor.string_or_skip()?.map(|value| match value.len() {
                ..200 => value.into_owned(),
                _ => value.chars().take(50).collect(),
            })
        } else {
            None
        };
        if let Some(role) = value.as_deref().filter(|_| key == "role") {
            add(&mut signals.roles, role.as_bytes());
        }
        signals.key(&key, value);
        let is_told = match (&*key, kind) {
            ("messages" | "contents" | "input", Kind::Array) => messages(cursor, signals, open)?,
            (wrapper::LIST, Kind::Array) if signals.within.is_none() && !signals.listed => {
                first_of_list(cursor, signals)?
            }
            ("message" | "contents", Kind::Object) => {
                message(cursor, signals)?;
                false
            }
            ("content" | "system", Kind::Array) => {
                blocks(cursor, signals)?;
                false
            }
            (name, Kind::Object) if signals.within.is_none() && wrapper::member(name).is_some() => {
                let mut inner = Signals {
                    within: wrapper::member(name),
                    to_the_end: signals.to_the_end,
                    ..Signals::among(signals.table)
                };
                // The walk goes no deeper: a wrapper has no wrapper inside.
                object(cursor, &mut inner)?;
                signals.inner = Some(Box::new(inner));
                false
            }
            ("tools", Kind::Array) => {
                cursor.each_object(|_, cursor| {
                    cursor.each_member(|key, _| {
                        add(&mut signals.tool_keys, key);
                        Ok(())
                    })
                })?;
                false
            }
            _ => false,
        };
        if is_told || is_certain(signals) && !open {
            return Ok(());
        }
    }
    Ok(())
}

/// Looks into the first elements of a list; true, with the cursor among them, as soon as one says
/// what the list is.
fn first_of_list(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned<bool> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if signals.batch || seen > SAMPLE || cursor.kind()? != Kind::Object {
            continue;
        }
        let mut element = Signals {
            listed: true,
            to_the_end: signals.to_the_end,
            ..Signals::among(signals.table)
        };
        object(cursor, &mut element)?;
        // Bodies without wrappers are no batch.
        let done = is_certain(&mut element);
        if element
            .inner
            .as_deref()
            .is_some_and(|inner| likeliest(inner).is_some())
        {
            (signals.batch, signals.inner) = (true, element.inner);
        }
        if done || signals.batch && !signals.to_the_end {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Looks into the first messages; true, with the cursor among them, as soon as they make some
/// format certain, unless that is left open.
fn messages(cursor: &mut Cursor<'_>, signals: &mut Signals, open: bool) -> Scanned<bool> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if seen > SAMPLE || signals.certain || cursor.kind()? != Kind::Object {
            continue;
        }
        message(cursor, signals)?;
        if is_certain(signals) && !open {
            return Ok(true);
        }
    }
    Ok(false)
}

fn message(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    cursor.each_member(|key, cursor| {
        let kind = cursor.kind()?;
        match key {
            b"role" => {
                if let Some(role) = cursor.bytes_or_skip()? {
                    add(&mut signals.roles, &role);
                }
            }
            b"content" | b"parts" if kind == Kind::Array => blocks(cursor, signals)?,
            b"tool_calls" if kind == Kind::Array => signals.calls.read(cursor)?,
            _ => {}
        }
        add(&mut signals.message_keys, key);
        Ok(())
    })
}

fn blocks(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    cursor.each_object(|_, cursor| {
        let mut typed = false;
        cursor.each_member(|key, cursor| {
            add(&mut signals.block_keys, key);
            match key {
                b"type" => {
                    typed = true;
                    if let Some(kind) = cursor.string_or_skip()? {
                        add(&mut signals.block_types, kind.as_bytes());
                    }
                }
                b"text" => {
                    let from = cursor.at();
                    let kind = cursor.skip()?;
                    let text = &cursor.bytes()[from..cursor.at()];
                    signals.headed |=
                        kind == Kind::String && texts::head(&text[1..text.len() - 1]).is_some();
                }
                _ => {}
            }
            Ok(())
        })?;
        signals.untyped |= !typed;
        Ok(())
    })
}

fn add(list: &mut Vec<String>, name: &[u8]) {
    if list.len() < 256 && !list.iter().any(|n| n.as_bytes() == name) {
        list.push(String::from_utf8_lossy(name).into_owned());
    }
}
