//! From cuts to bytes: sorted, disjoint edits in coordinates of the input, and the one forward copy that applies them.
//!
//! Only this room knows quotes, commas and line ends. Nothing is ever changed in place: an edit says which bytes of the
//! input do not come out and what comes instead. Kept pieces of a text that is trimmed stay where they are; the edits
//! take out what lies between them.

mod edited;
mod follow;
mod hint;
mod lineage;
mod marks;
mod whole;

pub use edited::Edited;
pub use hint::drop_block;
pub use lineage::Lineage;

use crate::Error;
use crate::format::by_name;
use crate::json::text;
use crate::plan::{Action, Cut, Piece, Rewrite, Texts, Trim, View};
use crate::report::MirrorTotal;
use crate::transcript::{BlockKind, Flags};
use lineage::relink;
use std::io::{self, IoSlice, Write};
use std::sync::Arc;
use whole::{Whole, byte_at, whole};

/// The edits of one input. Invariant: sorted by start, disjoint.
#[derive(Debug, Default)]
pub struct Edits {
    list: Vec<Edit>,
    text: Vec<u8>,
    /// Ranges of the input that come out once more, elsewhere.
    copies: Vec<(u64, u64)>,
    first: Option<u64>,
    mirrors: MirrorTotal,
}

/// One replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    /// First byte of the input that goes.
    start: u64,
    /// Past the last byte that goes.
    end: u64,
    /// What comes instead.
    put: Put,
}

/// What an edit puts in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Put {
    /// A range of [`Edits::text`].
    Text { from: u32, to: u32 },
    /// One of [`Edits::copies`].
    Copy(u32),
}

impl Edits {
    /// The edits of all cuts that stand.
    ///
    /// # Errors
    /// A message cannot go by itself, or the input cannot be read any more.
    pub fn of(view: &View<'_>) -> Result<Edits, Error> {
        let mut edits = Edits::default();
        let mut cleared = None;
        if !view.is_structural() {
            view.cuts().for_each(|cut| edits.add(view, cut, &mut cleared));
            edits.first = edits.list.first().map(|e| e.start);
            edits.follow(view)?;
            // The order of a history is not always that of its file. Of two edits at one place the first comes first.
            edits.list.sort_by_key(|e| e.start);
            debug_assert!(edits.list.windows(2).all(|pair| pair[0].end <= pair[1].start), "edits are disjoint");
            return Ok(edits);
        }
        let Whole { mut changes, records } = whole(view)?;
        changes.extend(view.changes().cloned());
        changes.extend(marks::moved(view)?);
        for cut in view.cuts() {
            match &cut.action {
                Action::Rewrite(rewrite) => changes.push(rewritten(view, cut, rewrite)?),
                _ => edits.add(view, cut, &mut cleared),
            }
        }
        if let Some(lineage) = by_name(view.transcript.format).and_then(|f| f.lineage) {
            changes.extend(relink(view, lineage, &records)?);
        }
        let started = |change: &Change| match change {
            Change::Drop { start, .. } | Change::Put { start, .. } => *start,
        };
        let first = changes.iter().map(started).chain(edits.list.iter().map(|e| e.start)).min();
        edits.follow(view)?;
        for edit in &edits.list {
            let text = match edit.put {
                Put::Text { from, to } => edits.text[from as usize..to as usize].to_vec(),
                Put::Copy(i) => view.texts.read(edits.copies[i as usize].0, edits.copies[i as usize].1)?.into_owned(),
            };
            changes.push(Change::Put { start: edit.start, end: edit.end, text });
        }
        Ok(Edits { first, mirrors: edits.mirrors, ..Edits::of_changes(view.texts, &changes)? })
    }

    /// The edits of changes that are named by their bytes, in any order. What lies in something that goes is left out.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of_changes(texts: &dyn Texts, changes: &[Change]) -> Result<Edits, Error> {
        let mut drops: Vec<(u64, u64)> = Vec::new();
        let mut all: Vec<(u64, u64, &[u8])> = Vec::new();
        for change in changes {
            match change {
                Change::Drop { start, end } => drops.push((*start, *end)),
                Change::Put { start, end, text } => all.push((*start, *end, text)),
            }
        }
        drops.sort_unstable();
        drops.dedup();
        all.extend(runs(texts, drops.into_iter())?.into_iter().map(|(from, to)| (from, to, &b""[..])));
        all.sort_by_key(|(start, end, _)| (*start, *end));
        let mut edits = Edits::default();
        let mut at = 0;
        for (start, end, text) in all.into_iter().filter(|(start, end, text)| start < end || !text.is_empty()) {
            if start >= at {
                edits.push(start, end, text);
                at = end;
            }
        }
        edits.first = edits.list.first().map(|e| e.start);
        Ok(edits)
    }

    /// How many edits there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many edits begin in the bytes from `start` to `end` of the input.
    pub fn count(&self, start: u64, end: u64) -> usize {
        let before = |at: u64| self.list.partition_point(|e| e.start < at);
        before(end).saturating_sub(before(start))
    }

    /// How many bytes longer (or shorter) the output is.
    pub fn growth(&self) -> i64 {
        self.growth_in(0, u64::MAX)
    }

    fn growth_in(&self, start: u64, end: u64) -> i64 {
        let first = self.list.partition_point(|e| e.start < start);
        self.list[first..]
            .iter()
            .take_while(|e| e.start < end)
            .map(|e| self.length(e.put).cast_signed() - (e.end - e.start).cast_signed())
            .sum()
    }

    fn length(&self, put: Put) -> u64 {
        match put {
            Put::Text { from, to } => u64::from(to - from),
            Put::Copy(i) => self.copies[i as usize].1 - self.copies[i as usize].0,
        }
    }

    /// The byte of the input at which the first cut changes it. A mirror may change before that.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// What was done about mirrors.
    pub fn mirrors(&self) -> MirrorTotal {
        self.mirrors
    }

    /// Writes the input from `start` to `end` with the edits in it applied; `keep` writes a range of the input.
    ///
    /// # Errors
    /// Those of `keep` and of `out`.
    pub fn apply<W: Write>(
        &self,
        start: u64,
        end: u64,
        out: &mut W,
        mut keep: impl FnMut(&mut W, u64, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut at = start;
        let first = self.list.partition_point(|e| e.start < start);
        for edit in self.list[first..].iter().take_while(|e| e.start < end) {
            keep(out, at, edit.start)?;
            match edit.put {
                Put::Text { from, to } => out.write_all(&self.text[from as usize..to as usize])?,
                Put::Copy(i) => keep(out, self.copies[i as usize].0, self.copies[i as usize].1)?,
            }
            at = edit.end;
        }
        keep(out, at, end)
    }

    /// The bytes of the input from `start` to `end` with the edits in it applied.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn render(&self, texts: &dyn Texts, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        self.render_into(texts, start, end, &mut out)?;
        Ok(out)
    }

    /// [`Edits::render`] into a buffer that is used again; what was in it goes.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn render_into(&self, texts: &dyn Texts, start: u64, end: u64, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        out.reserve(usize::try_from((end - start).saturating_add_signed(self.growth_in(start, end))).unwrap_or(0));
        self.apply(start, end, out, |out, from, to| {
            out.extend_from_slice(&texts.read(from, to)?);
            Ok(())
        })
    }

    /// The output of an input that is held in memory, as what stays of it and what comes new, in order.
    ///
    /// # Errors
    /// The edits are not those of these bytes.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        let mut slices = Vec::with_capacity(2 * self.list.len() + 1);
        let mut at = 0;
        for edit in &self.list {
            let kept = bytes.get(at as usize..edit.start as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
            let new = match edit.put {
                Put::Text { from, to } => &self.text[from as usize..to as usize],
                Put::Copy(i) => {
                    let (from, to) = self.copies[i as usize];
                    bytes.get(from as usize..to as usize).ok_or(io::ErrorKind::UnexpectedEof)?
                }
            };
            slices.extend([kept, new].into_iter().filter(|slice| !slice.is_empty()).map(IoSlice::new));
            at = edit.end;
        }
        let kept = bytes.get(at as usize..).ok_or(io::ErrorKind::UnexpectedEof)?;
        slices.extend((!kept.is_empty()).then(|| IoSlice::new(kept)));
        Ok(slices)
    }

    /// `output`, where that was put together already; else [`Edits::slices`].
    ///
    /// # Errors
    /// The edits are not those of these bytes.
    pub fn slices_or<'a>(&'a self, output: Option<&'a [u8]>, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        output.map_or_else(|| self.slices(bytes), |output| Ok(vec![IoSlice::new(output)]))
    }

    fn push(&mut self, start: u64, end: u64, text: &[u8]) {
        if start == end && text.is_empty() {
            return;
        }
        let from = self.text.len() as u32;
        // One placeholder serves all the cuts that clear.
        let (from, to) = match self.list.last().map(|last| last.put) {
            Some(Put::Text { from: f, to: t }) if &self.text[f as usize..t as usize] == text => (f, t),
            _ => {
                self.text.extend_from_slice(text);
                (from, self.text.len() as u32)
            }
        };
        self.list.push(Edit { start, end, put: Put::Text { from, to } });
    }

    /// `cleared` is the placeholder of the last cut that clears: mostly there is one for all of them.
    fn add(&mut self, view: &View<'_>, cut: &Cut, cleared: &mut Option<(Arc<str>, [Piece; 1])>) {
        match &cut.action {
            Action::Trim(Trim { pieces }) => self.replace(view, cut, pieces),
            Action::Clear(placeholder) => {
                let (_, pieces) = match cleared {
                    Some(known) if Arc::ptr_eq(&known.0, placeholder) => known,
                    other => other.insert((placeholder.clone(), [Piece::Literal(encoded(placeholder))])),
                };
                self.replace(view, cut, pieces);
            }
            Action::Rewrite(_) | Action::Drop | Action::DropMessage => {}
        }
    }

    /// Replaces the content of a result by one text made of `pieces`: inside its only text where it has just one, so that
    /// the block's other members stay; as a string where it is one; else in the format's own shape.
    fn replace(&mut self, view: &View<'_>, cut: &Cut, pieces: &[Piece]) {
        let block = &view.transcript.blocks[cut.block as usize];
        let content = view.transcript.link(block).content;
        let record = view.transcript.messages[cut.message as usize].record;
        let shape = view.transcript.shape;
        let opened = if block.flags.has(Flags::ERROR) { shape.open_error } else { shape.open };
        let (span, open, close) = match view.children(cut.block) {
            [one] if one.kind == BlockKind::Text => (one.span, "\"", "\""),
            _ if block.flags.has(Flags::STRING) => (content, "\"", "\""),
            _ => (content, opened, shape.close),
        };
        let mut at = record + u64::from(span.start);
        let mut pending = open.as_bytes().to_vec();
        for piece in pieces {
            match piece {
                Piece::Literal(text) => pending.extend_from_slice(text.as_bytes()),
                Piece::Source(kept) => {
                    let start = record + u64::from(kept.start);
                    self.push_changed(at, start, &pending);
                    pending.clear();
                    at = record + u64::from(kept.end);
                }
            }
        }
        pending.extend_from_slice(close.as_bytes());
        self.push_changed(at, record + u64::from(span.end), &pending);
    }

    /// Pushes an edit, unless it replaces a quote by a quote.
    fn push_changed(&mut self, start: u64, end: u64, text: &[u8]) {
        if end - start == 1 && text == b"\"" {
            return;
        }
        self.push(start, end, text);
    }
}

/// A change that is named by its bytes in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An element of an array, or a member of an object from its key on, goes with the comma that it no longer needs.
    Drop {
        /// Its first byte.
        start: u64,
        /// Past its last byte.
        end: u64,
    },
    /// Other bytes come instead of these.
    Put {
        /// First byte that goes.
        start: u64,
        /// Past the last byte that goes.
        end: u64,
        /// What comes.
        text: Vec<u8>,
    },
}

/// `text` as the inside of a JSON string.
fn encoded(text: &str) -> String {
    let mut raw = Vec::new();
    text::encode(text, &mut raw);
    String::from_utf8_lossy(&raw).into_owned()
}

/// Where the record that begins at `start` ends.
///
/// # Errors
/// The input cannot be read any more.
pub fn record_end(texts: &dyn Texts, start: u64) -> Result<u64, Error> {
    Ok(whole::value(texts, start)?.0.end)
}

/// The change that a rewrite is.
fn rewritten(view: &View<'_>, cut: &Cut, rewrite: &Rewrite) -> Result<Change, Error> {
    let record = view.transcript.messages[cut.message as usize].record;
    let mut text = Vec::new();
    for piece in &rewrite.pieces {
        match piece {
            Piece::Literal(literal) => text.extend_from_slice(literal.as_bytes()),
            Piece::Source(span) => {
                text.extend_from_slice(&view.texts.read(record + u64::from(span.start), record + u64::from(span.end))?);
            }
        }
    }
    Ok(Change::Put { start: record + u64::from(rewrite.span.start), end: record + u64::from(rewrite.span.end), text })
}

/// Elements that go, sorted, as the ranges to take out: neighbours are one run, and a run takes one comma with it.
fn runs(texts: &dyn Texts, elements: impl Iterator<Item = (u64, u64)>) -> Result<Vec<(u64, u64)>, Error> {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, to) in elements {
        match joined.last_mut() {
            Some(last) if from < last.1 => last.1 = last.1.max(to),
            Some(last) if is_only_comma(texts, last.1, from)? => last.1 = to,
            _ => joined.push((from, to)),
        }
    }
    joined.into_iter().map(|(from, to)| with_comma(texts, from, to)).collect()
}

/// Whether nothing but one comma stands between two values.
fn is_only_comma(texts: &dyn Texts, mut at: u64, to: u64) -> Result<bool, Error> {
    let mut commas = 0;
    while at < to {
        match byte_at(texts, at)? {
            Some(b' ' | b'\t' | b'\r' | b'\n') => {}
            Some(b',') => commas += 1,
            _ => return Ok(false),
        }
        at += 1;
    }
    Ok(commas == 1)
}

/// An element of an array with the comma after it, or else the one before.
fn with_comma(texts: &dyn Texts, from: u64, to: u64) -> Result<(u64, u64), Error> {
    let mut after = to;
    while let Some(byte) = byte_at(texts, after)? {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => after += 1,
            b',' => {
                // The next element comes to stand where this one stood.
                after += 1;
                while matches!(byte_at(texts, after)?, Some(b' ' | b'\t' | b'\r' | b'\n')) {
                    after += 1;
                }
                return Ok((from, after));
            }
            _ => break,
        }
    }
    let mut before = from;
    while before > 0 {
        match byte_at(texts, before - 1)? {
            Some(b' ' | b'\t' | b'\r' | b'\n') => before -= 1,
            Some(b',') => return Ok((before - 1, to)),
            _ => break,
        }
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// An array of `n` elements with white space as `gaps` says, and where its elements lie.
    fn array(elements: &[Value], gaps: &[&str]) -> (Vec<u8>, Vec<(u64, u64)>) {
        let mut gap = gaps.iter().cycle();
        let mut space = |text: &mut Vec<u8>| text.extend_from_slice(gap.next().map_or(&b""[..], |g| g.as_bytes()));
        let (mut text, mut places) = (b"{\"a\":[".to_vec(), Vec::new());
        for (i, element) in elements.iter().enumerate() {
            if i > 0 {
                text.push(b',');
            }
            space(&mut text);
            let from = text.len() as u64;
            text.extend_from_slice(element.to_string().as_bytes());
            places.push((from, text.len() as u64));
            space(&mut text);
        }
        text.extend_from_slice(b"],\"z\":1}");
        (text, places)
    }

    fn element() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i8>().prop_map(Value::from),
            "[a,\\]\\[ ]{0,4}".prop_map(Value::from),
            Just(serde_json::json!({"k": [1, 2]})),
            Just(serde_json::json!([])),
        ]
    }

    proptest! {
        #[test]
        fn runs_leave_what_an_oracle_leaves(
            elements in prop::collection::vec((element(), any::<bool>(), 0..3u8), 1..9),
            gaps in prop::collection::vec(prop::sample::select(vec!["", " ", "\n", "\r\n\t"]), 1..5),
        ) {
            let values: Vec<Value> = elements.iter().map(|(value, ..)| value.clone()).collect();
            let (text, places) = array(&values, &gaps);
            let (mut changes, mut left) = (Vec::new(), Vec::new());
            for ((value, drop, more), (start, end)) in elements.iter().zip(&places) {
                let (start, end) = (*start, *end);
                if *drop {
                    changes.push(Change::Drop { start, end });
                    continue;
                }
                if *more == 1 {
                    changes.push(Change::Put { start, end: start, text: b"\"before\",".to_vec() });
                    left.push(Value::from("before"));
                }
                left.push(value.clone());
                if *more == 2 {
                    changes.push(Change::Put { start: end, end, text: b",\"after\"".to_vec() });
                    left.push(Value::from("after"));
                }
            }
            let edits = Edits::of_changes(&&text[..], &changes).expect("the text is there");
            let out = edits.render(&&text[..], 0, text.len() as u64).expect("the text is there");
            let found: Value = serde_json::from_slice(&out).map_err(|e| TestCaseError::fail(format!("{e}: {}", String::from_utf8_lossy(&out))))?;
            prop_assert_eq!(found, serde_json::json!({"a": left, "z": 1}));
        }
    }
}
