//! Tables that say what the members of a record tell of a call, and the walk over a record by such a table.

use super::{Row, State, Usage, count, name, number, project, time, units};
use crate::json::{Cursor, Kind, Scanned};

/// The members of an object, and what each says.
pub type Members = &'static [(&'static str, Slot)];

/// What a member says.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// Members of its own.
    In(Members),
    /// The usage, as members of its own.
    Counts(Members),
    /// A list of objects with these members.
    Parts(Members),
    /// An object that is read once the type of its record is known.
    Later,
    /// The type of the record.
    Kind,
    /// The type or the role of what the record holds.
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
    /// What the request cost, in dollars.
    Usd,
    /// Tokens.
    Tokens(Count),
    /// UTF-16 units of a text.
    Units(Count),
    /// Whether it is true.
    Flag,
}

/// A number of tokens or units.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// The input.
    Input,
    /// Input that `Input` does not include.
    MoreInput,
    /// Input read from a cache.
    CacheRead,
    /// Input written to a cache of five minutes, or of an unknown lifetime.
    Write5m,
    /// Input written to a cache of an hour.
    Write1h,
    /// All input written to a cache.
    Written,
    /// The output.
    Output,
    /// Output that `Output` does not include.
    MoreOutput,
    /// All of it.
    Total,
    /// A summary.
    Summary,
    /// Any other text.
    Text,
}

/// What the members of an object said.
#[derive(Debug, Default)]
pub struct Seen {
    /// The row, with an empty usage if there is one.
    pub row: Row,
    /// The type of the record.
    pub kind: Vec<u8>,
    /// The type or the role of what it holds.
    pub inner: Vec<u8>,
    /// Whether the flag is true.
    pub flag: bool,
    /// What the elements of its list of parts said.
    pub parts: Vec<Seen>,
    /// The byte of the object that is read later.
    pub later: Option<usize>,
    /// Whether it is such an element, which has no parts of its own.
    is_part: bool,
    counts: [u64; 11],
}

impl Seen {
    /// Reads the object at the cursor.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn of(cursor: &mut Cursor<'_>, members: Members, state: &mut State) -> Scanned<Seen> {
        let mut seen = Seen::default();
        seen.read(cursor, members, state)?;
        Ok(seen)
    }

    /// Reads the object at the cursor, and what it holds by the table for its type.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn typed(
        cursor: &mut Cursor<'_>,
        members: Members,
        types: &[(&str, Members)],
        state: &mut State,
    ) -> Scanned<Seen> {
        let mut seen = Seen::of(cursor, members, state)?;
        let held = types
            .iter()
            .find(|(kind, _)| kind.as_bytes() == seen.kind)
            .map(|(_, held)| *held);
        if let Some((at, held)) = seen.later.zip(held) {
            cursor.read_at(at, |cursor| seen.read(cursor, held, state))?;
        }
        Ok(seen)
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, members: Members, state: &mut State) -> Scanned {
        cursor.each_member(|key, cursor| {
            let Some((_, slot)) = members.iter().find(|(name, _)| name.as_bytes() == key) else {
                return Ok(());
            };
            let row = &mut self.row;
            match *slot {
                Slot::In(inner) => self.read(cursor, inner, state)?,
                Slot::Counts(inner) => {
                    row.usage = Some(Usage::default());
                    self.read(cursor, inner, state)?;
                }
                Slot::Parts(inner) if !self.is_part && cursor.kind()? == Kind::Array => {
                    self.parts.clear();
                    cursor.each_element(|_, cursor| {
                        let mut part = Seen {
                            is_part: true,
                            ..Seen::default()
                        };
                        part.read(cursor, inner, state)?;
                        self.parts.push(part);
                        Ok(())
                    })?;
                }
                Slot::Later if cursor.kind()? == Kind::Object => self.later = Some(cursor.at()),
                Slot::Parts(_) | Slot::Later => {}
                Slot::Kind => self.kind = text(cursor)?,
                Slot::Inner => self.inner = text(cursor)?,
                Slot::Time => row.time = time(cursor)?,
                Slot::Sent => row.sent = time(cursor)?,
                Slot::Model => row.model = name(cursor, &mut state.names)?,
                Slot::Provider => row.provider = name(cursor, &mut state.names)?,
                Slot::Tier => {
                    let tier = name(cursor, &mut state.names)?;
                    if let Some(free) = row.tiers.iter_mut().find(|tier| **tier == 0) {
                        *free = tier;
                    }
                }
                Slot::Folder => project(cursor, state)?,
                Slot::Usd => row.usd = number(cursor)?,
                Slot::Tokens(which) => self.counts[which as usize] = count(cursor)?,
                Slot::Units(which) => self.counts[which as usize] += u64::from(units(cursor)?),
                Slot::Flag => self.flag |= cursor.skip()? == Kind::True,
            }
            Ok(())
        })
    }

    /// Returns a number; 0 where there is none.
    pub fn count(&self, which: Count) -> u64 {
        self.counts[which as usize]
    }

    /// Returns the usage that the counts come to; `has_cached` says whether the input includes what was cached.
    pub fn usage(&self, has_cached: bool) -> Usage {
        use Count::{CacheRead, Input, MoreInput, MoreOutput, Output, Write1h, Write5m, Written};
        let [read, five, hour] = [CacheRead, Write5m, Write1h].map(|which| self.count(which));
        let cached = if has_cached {
            read.saturating_add(five)
        } else {
            0
        };
        // What no lifetime is stated of is counted all the same.
        let unstated = self
            .count(Written)
            .saturating_sub(five.saturating_add(hour));
        let (input, output) = (self.count(Input), self.count(Output));
        Usage {
            input: input
                .saturating_sub(cached)
                .saturating_add(self.count(MoreInput)),
            cache_read: read,
            cache_write5m: five.saturating_add(unstated),
            cache_write1h: hour,
            output: output.saturating_add(self.count(MoreOutput)),
            states_lifetime: false,
        }
    }

    /// Returns the row, with the usage that the counts come to unless that is empty, and with a cost unless that is 0.
    pub fn counted(&self, has_cached: bool) -> Row {
        let usage = self.row.usage.map(|_| self.usage(has_cached));
        Row {
            usage: usage.filter(|usage| usage.prompt() > 0),
            usd: self.row.usd.filter(|usd| *usd > 0.0),
            ..self.row
        }
    }
}

/// Reads a type or a role.
fn text(cursor: &mut Cursor<'_>) -> Scanned<Vec<u8>> {
    Ok(cursor.bytes_or_skip()?.unwrap_or_default().into_owned())
}
