//! Changes that are named by their bytes, in any order, as edits. A run of elements that go takes one comma with it.

use super::Edits;
use crate::Error;
use crate::locate::byte_at;
use crate::read_at::Texts;

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

impl Edits {
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
