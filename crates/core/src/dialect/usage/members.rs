//! The counts that the members of a record have of a call: the tables of members.json5, and the
//! walk over a record by such a table.

use super::{Row, State, Usage};
use crate::json::{Cursor, Id, Kind, Scanned};
use hashbrown::DefaultHashBuilder;
use serde::Deserialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

/// The tables by the names of the formats.
pub static TABLES: LazyLock<BTreeMap<String, Table>> = LazyLock::new(|| {
    json5::from_str(include_str!("members.json5")).expect("a test reads the file")
});

/// The members of the records of a format.
#[derive(Debug, Deserialize)]
pub struct Table {
    record: Members,
    /// The members of the object that is read later, by the type of its record.
    #[serde(default)]
    held: BTreeMap<String, Members>,
}

type Members = HashMap<String, Slot, DefaultHashBuilder>;

/// What a member says.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Slot {
    Says(Says),
    /// Members of its own.
    In(Members),
    /// A list of objects with these members.
    Parts([Members; 1]),
}

/// The meaning of a member without members of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Says {
    /// It marks the object around it as the usage.
    Usage,
    /// An object that is read once the type of its record is known.
    Later,
    /// The type of the record.
    Kind,
    /// The type or the role of the record's content.
    Inner,
    /// When the answer was written.
    Time,
    /// When the request was sent.
    Sent,
    /// The model.
    Model,
    /// Its provider.
    Provider,
    /// The folder in which the agent works.
    Folder,
    /// A service tier, a speed or a place of inference, which changes the price.
    Tier,
    /// Why the cache was not read, by the provider.
    Miss,
    /// What the request cost, in dollars.
    Usd,
    /// Whether it is true.
    Flag,
    /// The id of the answer or of the entry; of the session, where the record begins one.
    Id,
    /// The session that the record is of.
    Session,
    /// The session that this one was copied from.
    CopyOf,
    /// An object that names the file which this one continues: nothing of it is copied.
    Continues,
    /// UTF-16 units of a summary.
    Summary,
    /// UTF-16 units of any other text.
    Text,
    /// Tokens of input that were neither read from a cache nor written to one.
    Input,
    /// Tokens of input with those that were read from a cache or written to one.
    InputWithCached,
    /// Tokens of input read from a cache.
    CacheRead,
    /// Tokens of input written to a cache of five minutes.
    Write5m,
    /// Tokens of input written to a cache of an hour.
    Write1h,
    /// Tokens of all input written to a cache.
    Written,
    /// Tokens of output.
    Output,
    /// Tokens of output that `Output` does not include.
    MoreOutput,
    /// All tokens of a session so far.
    Total,
}

/// The values of an object's members.
#[derive(Debug, Default)]
pub struct Seen {
    /// The row, with the usage if there is one.
    pub row: Row,
    /// The type of the record.
    pub kind: String,
    /// The type or the role of its content.
    pub inner: String,
    /// Whether the flag is true.
    pub flag: bool,
    /// The id.
    pub id: Id,
    /// The session.
    pub session: Id,
    /// Whether the session is a copy of another, and is not in a file that only continues that one.
    pub is_copy: bool,
    continues: bool,
    /// The values of the elements of its list of parts.
    pub parts: Vec<Seen>,
    /// The byte of the object that is read later.
    later: Option<usize>,
    counts: [u64; Says::Total as usize + 1],
}

impl Seen {
    /// Reads the record at the cursor, and the object in it that is read later by the table for its
    /// type.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn of(cursor: &mut Cursor<'_>, table: &Table, state: &mut State) -> Scanned<Seen> {
        let mut seen = Seen::default();
        seen.read(cursor, &table.record, state)?;
        if let Some((at, held)) = seen.later.zip(table.held.get(&seen.kind)) {
            cursor.read_at(at, |cursor| seen.read(cursor, held, state))?;
        }
        seen.is_copy &= !seen.continues;
        Ok(seen)
    }

    /// Reads the message at the cursor, which is in a record or is one.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn of_message(cursor: &mut Cursor<'_>, table: &Table) -> Scanned<Seen> {
        let members = match table.record.get("message") {
            Some(Slot::In(members)) => members,
            _ => &table.record,
        };
        let mut seen = Seen::default();
        seen.read(cursor, members, &mut State::default())?;
        Ok(seen)
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, members: &Members, state: &mut State) -> Scanned {
        cursor.each_member(|key, cursor| {
            let name = std::str::from_utf8(key).unwrap_or_default();
            match members.get(name) {
                Some(Slot::Says(says)) => self.says(*says, cursor, state)?,
                Some(Slot::In(inner)) => self.read(cursor, inner, state)?,
                Some(Slot::Parts([inner])) if cursor.kind()? == Kind::Array => {
                    self.parts.clear();
                    cursor.each_element(|_, cursor| {
                        let mut part = Seen::default();
                        part.read(cursor, inner, state)?;
                        self.parts.push(part);
                        Ok(())
                    })?;
                }
                Some(Slot::Parts(_)) | None => {}
            }
            Ok(())
        })?;
        if members.contains_key("") {
            self.row.usage = Some(self.usage());
        }
        Ok(())
    }

    fn says(&mut self, says: Says, cursor: &mut Cursor<'_>, state: &mut State) -> Scanned {
        let row = &mut self.row;
        match says {
            Says::Usage => {}
            Says::Later if cursor.kind()? == Kind::Object => self.later = Some(cursor.at()),
            Says::Later => {}
            Says::Kind => self.kind = text(cursor)?.into_owned(),
            Says::Inner => self.inner = text(cursor)?.into_owned(),
            Says::Time => row.time = time(cursor)?,
            Says::Sent => row.sent = time(cursor)?,
            Says::Model => row.model = state.names.intern(&text(cursor)?),
            Says::Provider => row.provider = state.names.intern(&text(cursor)?),
            Says::Tier => {
                let tier = state.names.intern(&text(cursor)?);
                if let Some(free) = row.tiers.iter_mut().find(|tier| **tier == 0) {
                    *free = tier;
                }
            }
            Says::Miss => row.miss = state.names.intern(&text(cursor)?),
            Says::Folder => state.folder = cursor.owned_string_or_skip()?,
            Says::Usd => row.usd = number(cursor)?,
            Says::Flag => self.flag |= cursor.skip()? == Kind::True,
            Says::Id => self.id = id(cursor)?,
            Says::Session => self.session = id(cursor)?,
            Says::CopyOf => self.is_copy = id(cursor)?.is_some(),
            Says::Continues => self.continues = cursor.skip()? == Kind::Object,
            Says::Summary | Says::Text => self.counts[says as usize] += units(cursor)?,
            _ => self.counts[says as usize] = tokens(cursor)?,
        }
        Ok(())
    }

    /// Returns a number of tokens or units; 0 where there is none.
    pub fn count(&self, which: Says) -> u64 {
        self.counts[which as usize]
    }

    /// Returns the usage that the counts make.
    pub fn usage(&self) -> Usage {
        let cache_read = self.count(Says::CacheRead);
        let [short, long] = [Says::Write5m, Says::Write1h].map(|which| self.count(which));
        // Tokens without a stated lifetime are counted as well.
        let writes = self.count(Says::Written).max(short + long);
        let all = self.count(Says::InputWithCached);
        Usage {
            input: self.count(Says::Input) + all.saturating_sub(cache_read + writes),
            cache_read,
            cache_write5m: writes - long,
            cache_write1h: long,
            output: self.count(Says::Output) + self.count(Says::MoreOutput),
            states_lifetime: short + long > 0,
        }
    }

    /// Returns the row, with the usage unless that is empty, and with a cost unless that is 0.
    pub fn counted(&self) -> Row {
        Row {
            usage: self.row.usage.filter(|usage| usage.prompt() > 0),
            usd: self.row.usd.filter(|usd| *usd > 0.0),
            ..self.row
        }
    }
}

fn text<'a>(cursor: &mut Cursor<'a>) -> Scanned<Cow<'a, str>> {
    Ok(cursor.string_or_skip()?.unwrap_or_default())
}

fn id(cursor: &mut Cursor<'_>) -> Scanned<Id> {
    Ok(cursor
        .string_or_skip()?
        .map_or(Id::NONE, |id| Id::of(id.as_bytes())))
}

fn number(cursor: &mut Cursor<'_>) -> Scanned<Option<f64>> {
    Ok(cursor.number_or_skip()?.and_then(|text| text.parse().ok()))
}

/// The most tokens that a request can have. A larger number is not a count, and would spoil every
/// sum.
const MOST: f64 = 1e9;

fn tokens(cursor: &mut Cursor<'_>) -> Scanned<u64> {
    let found = number(cursor)?.filter(|n| n.is_finite() && *n > 0.0);
    Ok(found.map_or(0, |n| n.min(MOST) as u64))
}

/// A time, as RFC 3339 or in milliseconds since 1970.
fn time(cursor: &mut Cursor<'_>) -> Scanned<Option<i64>> {
    if cursor.kind()? == Kind::String {
        let time = text(cursor)?.parse::<jiff::Timestamp>();
        return Ok(time.ok().map(|time| time.as_millisecond()));
    }
    Ok(number(cursor)?.map(|n| n as i64))
}

/// UTF-16 units of the text that comes next: a string, or the `text` members of an array's objects.
fn units(cursor: &mut Cursor<'_>) -> Scanned<u64> {
    let mut sum = 0;
    match cursor.kind()? {
        Kind::String => sum = cursor.text()?.units,
        Kind::Array => cursor.each_element(|_, cursor| {
            cursor.member(b"text", |cursor| {
                if cursor.kind()? == Kind::String {
                    sum += cursor.text()?.units;
                }
                Ok(())
            })
        })?,
        _ => {}
    }
    Ok(sum as u64)
}
