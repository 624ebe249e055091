//! Signals of a format, collected from one record: its top-level keys, and roles, keys and block types of its first messages.

use crate::dialect::detect::spelling::Spelling;
use crate::dialect::{DIALECTS, Dialect, Layout};

/// Signs of a format, from one record or from a few lines.
#[derive(Debug, Default)]
pub struct Signals {
    /// The formats that may be meant.
    pub(super) table: &'static [Dialect],
    /// Keys at the top for which some format asks, and their values.
    pub(super) keys: Vec<(&'static str, Option<String>)>,
    /// The first keys at the top.
    pub(super) first: Vec<String>,
    pub(super) message_keys: Vec<String>,
    pub(super) tool_keys: Vec<String>,
    pub(super) block_keys: Vec<String>,
    /// Whether a block seen has no type.
    pub(super) untyped: bool,
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
    pub(super) listed: bool,
    /// Whether the walk continues when some format is certain.
    pub(super) to_the_end: bool,
    /// Whether that wrapper is the first of a list.
    pub batch: bool,
    /// Whether some format was certain when they were last asked, or the wrapped body's were.
    pub(super) certain: bool,
    /// The number of signs when the formats were last asked.
    pub(super) asked: usize,
    /// The number of times that the formats were asked.
    pub asks: usize,
}

/// Keys that are kept for [`Signals::names`].
const FIRST: usize = 16;

impl Signals {
    /// None yet, of a record that may be of these formats.
    pub fn among(table: &'static [Dialect]) -> Signals {
        Signals {
            table,
            ..Signals::default()
        }
    }

    /// None yet, of a record that is walked to its end though some format may be certain before.
    pub(super) fn to_the_end() -> Signals {
        Signals {
            to_the_end: true,
            ..Signals::among(DIALECTS)
        }
    }

    /// Whether the record has this key at its top.
    pub fn has(&self, key: &str) -> bool {
        debug_assert!(
            self.asked(key).is_some(),
            "{key} is among the keys of its format"
        );
        self.keys.iter().any(|(k, _)| *k == key)
    }

    /// Whether the record has one of these keys at its top.
    pub fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    /// Whether a message has one of these roles.
    pub fn has_role(&self, roles: &[&str]) -> bool {
        self.roles.iter().any(|role| roles.contains(&role.as_str()))
    }

    /// Whether a block seen has one of these types.
    pub fn has_type(&self, types: &[&str]) -> bool {
        self.block_types
            .iter()
            .any(|kind| types.contains(&kind.as_str()))
    }

    /// Whether the record has this list at its top, or is one.
    pub fn lists(&self, key: &str) -> bool {
        self.array || self.has(key)
    }

    /// The string under a key at the top, shortened if it is long.
    pub fn value(&self, key: &str) -> Option<&str> {
        debug_assert!(
            self.asked(key).is_some(),
            "{key} is among the keys of its format"
        );
        self.keys.iter().find(|(k, _)| *k == key)?.1.as_deref()
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

    /// Notes a key at the top. Of two of one name the first counts.
    pub(super) fn key(&mut self, key: String, value: Option<String>) {
        let asked = self.asked(&key);
        if let Some(asked) = asked.filter(|asked| !self.keys.iter().any(|(k, _)| k == asked)) {
            self.keys.push((asked, value));
        }
        if self.first.len() < FIRST && !self.first.contains(&key) {
            self.first.push(key);
        }
    }

    /// The key, if some format asks for it.
    fn asked(&self, key: &str) -> Option<&'static str> {
        self.table
            .iter()
            .flat_map(|dialect| dialect.keys)
            .copied()
            .find(|asked| *asked == key)
    }

    /// Returns the number of signs.
    pub(super) fn count(&self) -> usize {
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
