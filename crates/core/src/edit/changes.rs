//! Turns changes that name byte ranges, in any order, into edits. Every comma and every line end is
//! decided here.
//!
//! The elements of an array, the members of an object and the records of a file of lines are lists.
//! An element is removed with its separator, a run of neighbours with one; an inserted element
//! brings its own.

use super::*;
use crate::json::locate::{after, before, line_end, line_of};
use std::collections::{BTreeMap, BTreeSet};

/// A change that is named by its bytes in the input.
#[derive(Clone, Debug)]
pub enum Change {
    /// An element of an array is removed, or a member of an object from its key on.
    Drop {
        /// Its first byte.
        start: u64,
        /// Past its last byte.
        end: u64,
    },
    /// A record of a file of lines is removed, with the line that it fills.
    DropLine {
        /// Its first byte.
        start: u64,
        /// Past its last byte.
        end: u64,
    },
    /// Bytes are replaced.
    Put {
        /// First byte that is replaced.
        start: u64,
        /// Past the last byte that is replaced.
        end: u64,
        /// The new bytes.
        text: Vec<u8>,
    },
    /// An element is inserted into a list. Several at one place keep the order of the changes.
    Insert {
        /// The place of the insertion.
        at: Gap,
        /// The element.
        text: Vec<u8>,
    },
    /// An element is removed and inserted elsewhere unchanged, in its own list or in another.
    Move {
        /// Its first byte.
        start: u64,
        /// Past its last byte.
        end: u64,
        /// Whether it is a record of a file of lines.
        line: bool,
        /// The place of the insertion.
        to: Gap,
    },
    /// An id is replaced wherever it is written.
    Rename {
        /// The byte ranges of the id in the input, without its quotes.
        ends: Vec<(u64, u64)>,
        /// The new id, as the inside of a JSON string.
        text: Vec<u8>,
    },
}

impl Change {
    /// Returns the change that replaces the bytes of `range`.
    pub fn put(range: Range<u64>, text: impl Into<Vec<u8>>) -> Change {
        Change::Put {
            start: range.start,
            end: range.end,
            text: text.into(),
        }
    }

    /// Returns the change that removes the element or the member of `range`.
    pub fn removal(range: Range<u64>) -> Change {
        Change::Drop {
            start: range.start,
            end: range.end,
        }
    }

    /// Returns the first byte that the change concerns.
    pub fn start(&self) -> u64 {
        match self {
            Change::Drop { start, .. }
            | Change::DropLine { start, .. }
            | Change::Put { start, .. } => *start,
            Change::Insert { at, .. } => at.at(),
            Change::Move { start, to, .. } => to.at().min(*start),
            Change::Rename { ends, .. } => ends
                .iter()
                .map(|(start, _)| *start)
                .min()
                .unwrap_or(u64::MAX),
        }
    }
}

/// A place between the elements of a list, or between lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Before the element that begins at this byte; in an empty list, after its bracket.
    Before(u64),
    /// After the element that ends at this byte.
    Behind(u64),
    /// As a line before the record that begins at this byte.
    LineBefore(u64),
    /// As a line after the record that ends at this byte.
    LineBehind(u64),
}

impl Gap {
    fn at(self) -> u64 {
        let (Gap::Before(at) | Gap::Behind(at) | Gap::LineBefore(at) | Gap::LineBehind(at)) = self;
        at
    }

    fn is_behind(self) -> bool {
        matches!(self, Gap::Behind(_) | Gap::LineBehind(_))
    }

    fn is_line(self) -> bool {
        matches!(self, Gap::LineBefore(_) | Gap::LineBehind(_))
    }
}

/// The inserted bytes.
type Item<'a> = Cow<'a, [u8]>;
/// The first byte, the byte past the last, and the replacement.
type Replaced<'a> = (u64, u64, Cow<'a, [u8]>);

impl Edits {
    /// Turns changes, in any order, into edits. Changes within something that is removed are left
    /// out.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of_changes(texts: &dyn ReadAt, changes: &[Change]) -> Result<Edits> {
        let (mut drops, mut records) = (BTreeSet::new(), BTreeSet::new());
        let mut all: Vec<Replaced<'_>> = Vec::new();
        let mut inserts: Vec<(Gap, Item<'_>)> = Vec::new();
        for change in changes {
            match change {
                Change::Drop { start, end } => {
                    drops.insert((*start, *end));
                }
                Change::DropLine { start, end } => {
                    records.insert((*start, *end));
                }
                Change::Put { start, end, text } => all.push((*start, *end, text.into())),
                Change::Insert { at, text } => inserts.push((*at, text.into())),
                Change::Move {
                    start,
                    end,
                    line,
                    to,
                } => {
                    if *line { &mut records } else { &mut drops }.insert((*start, *end));
                    inserts.push((*to, texts.read(*start, *end)?));
                }
                Change::Rename { ends, text } => {
                    all.extend(ends.iter().map(|(start, end)| (*start, *end, text.into())))
                }
            }
        }
        let window = &mut Window::new(texts);
        let mut runs = runs(window, drops.into_iter())?;
        let mut lines: Vec<Run<'_>> = records
            .into_iter()
            .map(|(from, to)| Run {
                line: true,
                ..Run::new(from, to)
            })
            .collect();
        let mut places: BTreeMap<(u64, bool), (Place, Vec<Item<'_>>)> = BTreeMap::new();
        for (gap, item) in inserts {
            let place = Place::of(window, gap)?;
            places
                .entry(place.key(gap))
                .or_insert((place, Vec::new()))
                .1
                .push(item);
        }
        for ((at, behind), (place, items)) in places {
            let runs = if matches!(place, Place::Lines) {
                &mut lines
            } else {
                &mut runs
            };
            let last = runs.partition_point(|run| run.from <= at);
            // An insertion next to a removed element takes its place.
            match runs[..last]
                .last_mut()
                .filter(|run| run.ends.binary_search(&at).is_ok())
            {
                Some(run) => run.items.extend(items),
                None => all.push(place.insert(window, at, behind, &items)?),
            }
        }
        for run in runs.into_iter().chain(lines) {
            all.push(run.edit(window)?);
        }
        all.sort_by_key(|(start, end, _)| (*start, *end));
        let mut edits = Edits::default();
        let mut at = 0;
        for (start, end, text) in all
            .into_iter()
            .filter(|(start, end, text)| start < end || !text.is_empty())
        {
            if start >= at {
                edits.push(start, end, &text);
                at = end;
            }
        }
        edits.first = edits.list.first().map(|e| e.start);
        Ok(edits)
    }
}

/// The separator between the elements of a list at a place of insertion.
#[derive(Clone, Copy)]
enum Place {
    /// None: the list is empty between these two bytes.
    Empty(u64, u64),
    Commas,
    Lines,
}

impl Place {
    fn of(window: &mut Window<'_>, gap: Gap) -> Result<Place> {
        if gap.is_line() {
            return Ok(Place::Lines);
        }
        Ok(
            match (before(window, gap.at())?, after(window, gap.at())?) {
                (Some((open, b'[' | b'{')), Some((close, b']' | b'}'))) => {
                    Place::Empty(open + 1, close)
                }
                _ => Place::Commas,
            },
        )
    }

    fn key(self, gap: Gap) -> (u64, bool) {
        match self {
            Place::Empty(start, _) => (start, false),
            _ => (gap.at(), gap.is_behind()),
        }
    }

    /// Returns the edit that inserts `items` between elements that stay.
    fn insert<'a>(
        self,
        window: &mut Window<'_>,
        at: u64,
        behind: bool,
        items: &[Item<'a>],
    ) -> Result<Replaced<'a>> {
        let joined = items.join(&b","[..]);
        Ok(match self {
            Place::Empty(start, end) => (start, end, joined.into()),
            Place::Commas if behind => (at, at, [b",", &joined[..]].concat().into()),
            Place::Commas => (at, at, [&joined[..], b","].concat().into()),
            Place::Lines if behind => {
                let end = line_end(window, at)?;
                let mut text = items
                    .iter()
                    .flat_map(|item| [end, item])
                    .collect::<Vec<_>>()
                    .concat();
                let mut rest = at;
                while matches!(window.byte(rest)?, Some(b' ' | b'\t' | b'\r')) {
                    rest += 1;
                }
                // Moves another record on the same line to a line of its own.
                if window.byte(rest)?.is_some_and(|byte| byte != b'\n') {
                    text.extend_from_slice(end);
                }
                (at, at, text.into())
            }
            Place::Lines => (at, at, lines(items, line_end(window, at)?).into()),
        })
    }
}

/// Joins items as lines.
fn lines(items: &[Item<'_>], end: &[u8]) -> Vec<u8> {
    items
        .iter()
        .flat_map(|item| [&**item, end])
        .collect::<Vec<_>>()
        .concat()
}

/// Consecutive elements of a list that are removed, and what replaces them.
struct Run<'a> {
    from: u64,
    to: u64,
    /// The bytes at which the elements begin and end.
    ends: Vec<u64>,
    /// Whether the elements are one record of a file of lines.
    line: bool,
    items: Vec<Item<'a>>,
}

impl<'a> Run<'a> {
    fn new(from: u64, to: u64) -> Run<'a> {
        Run {
            from,
            to,
            ends: vec![from, to],
            line: false,
            items: Vec::new(),
        }
    }

    /// Returns the edit that removes the elements with the comma after them or else the one before,
    /// or with their line.
    fn edit(self, window: &mut Window<'_>) -> Result<Replaced<'a>> {
        let Run {
            from, to, items, ..
        } = self;
        if self.line {
            let line = line_of(window, &(from..to))?;
            let end = if items.is_empty() {
                &b""[..]
            } else {
                line_end(window, from)?
            };
            return Ok((line.start, line.end, lines(&items, end).into()));
        }
        // What is around new items belongs to them.
        let with = |before: &[u8], behind: &[u8]| match items.is_empty() {
            true => Vec::new(),
            false => [before, &items.join(&b","[..]), behind].concat(),
        };
        let (start, end, text) = match (before(window, from)?, after(window, to)?) {
            (_, Some((comma, b','))) => {
                // The next element takes this place.
                let end = after(window, comma + 1)?.map_or(window.size(), |(at, _)| at);
                (from, end, with(b"", b","))
            }
            (Some((comma, b',')), _) => (comma, to, with(b",", b"")),
            (Some((open, _)), Some((close, _))) if !items.is_empty() => {
                (open + 1, close, with(b"", b""))
            }
            _ => (from, to, with(b"", b"")),
        };
        Ok((start, end, text.into()))
    }
}

/// Groups removed elements, sorted, into runs of consecutive ones.
fn runs<'a>(
    window: &mut Window<'_>,
    elements: impl Iterator<Item = (u64, u64)>,
) -> Result<Vec<Run<'a>>> {
    let mut joined: Vec<Run<'a>> = Vec::new();
    for (from, to) in elements {
        match joined.last_mut() {
            Some(last) if from < last.to => last.to = last.to.max(to),
            Some(last) if is_only_comma(window, last.to, from)? => {
                last.to = to;
                last.ends.extend([from, to]);
            }
            _ => joined.push(Run::new(from, to)),
        }
    }
    Ok(joined)
}

/// Returns whether there is only a comma between two values.
fn is_only_comma(window: &mut Window<'_>, at: u64, to: u64) -> Result<bool> {
    let Some((comma, b',')) = after(window, at)? else {
        return Ok(false);
    };
    Ok(comma < to && after(window, comma + 1)?.is_some_and(|(next, _)| next == to))
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
