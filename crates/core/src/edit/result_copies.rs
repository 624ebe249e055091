//! Copies of a result elsewhere in a log, and the parts of them that are cut with the result.
//!
//! A twin is the same content again, and is always replaced like the result. A copy for a screen or
//! for the agent's own log is never sent: it is left alone unless the key `mirrors` is set. Its
//! JSON structure is kept, because the agent may read it again: a long text in it is replaced by
//! the result's new text, and a long list of lines becomes empty.

use super::{Cut, View};
use crate::{
    json::{Cursor, IdMap},
    transcript::{BlockKind, ResultCopy, ResultCopyKind},
};

/// A text in a copy of at least this many bytes is replaced; shorter ones are names, paths or
/// states.
const TEXT: usize = 256;
/// A list of lines of at least this many bytes is emptied.
const LIST: usize = 1024;

/// Returns the copies of all cut results, each with its cut, and the number of those that are left
/// unchanged.
pub fn copies_of_cuts<'v>(view: &'v View<'_>) -> (Vec<(&'v Cut, ResultCopy)>, u64) {
    let transcript = view.transcript;
    if transcript.result_copies.is_empty() {
        return (Vec::new(), 0);
    }
    let call = |block: u32| transcript.link_at(block).call;
    // The results of each call with a cut, by place: an id may occur again.
    let cuts = move || view.cuts().filter(|cut| !cut.action.is_structural());
    let mut places: Places<'_> = cuts().map(|cut| (call(cut.block), Vec::new())).collect();
    let mut cuts = cuts().peekable();
    for (i, index, block) in transcript.all_blocks() {
        if block.kind == BlockKind::Result {
            let cut = cuts.next_if(|cut| cut.block == index);
            if let Some(found) = places.get_mut(&call(index)) {
                let record = transcript.messages[i].record;
                found.push((record + u64::from(block.span.start), cut));
            }
        }
    }
    // Copies before the context belong to other results, even if the ids are equal.
    let begin = transcript
        .messages
        .iter()
        .map(|m| m.record)
        .min()
        .filter(|_| !transcript.out_of_order)
        .unwrap_or(0);
    let (mut found, mut left) = (Vec::new(), 0);
    for copy in transcript
        .result_copies
        .iter()
        .filter(|copy| copy.record >= begin)
    {
        let at = copy.record + u64::from(copy.span.start);
        let nearest = places
            .get(&copy.call)
            .and_then(|results| results.iter().min_by_key(|(place, _)| place.abs_diff(at)));
        match nearest.and_then(|(_, cut)| *cut) {
            Some(cut) if copy.kind != ResultCopyKind::DisplayOnly || view.cuts_copies => {
                found.push((cut, *copy))
            }
            Some(_) => left += 1,
            None => {}
        }
    }
    (found, left)
}

/// By call, the places of its results and the cut of each.
type Places<'v> = IdMap<Vec<(u64, Option<&'v Cut>)>>;

/// A part of a copy that is replaced, from its first byte to past its last.
#[derive(Clone, Copy, Debug)]
pub enum ReplacedSpan {
    /// A string, quotes included.
    Text(usize, usize),
    /// An array of strings or of arrays.
    List(usize, usize),
}

/// Returns the parts of a copy's JSON that a new text of `length` bytes replaces, sorted and
/// disjoint. `same` is the result's own text, escaped, which is replaced whatever its length. The
/// JSON must be valid, as it was when it was read.
pub fn replaced_spans(json: &[u8], length: usize, same: Option<&[u8]>) -> Vec<ReplacedSpan> {
    let mut found: Vec<ReplacedSpan> = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    let mut cursor = Cursor::new(json);
    let mut at = 0;
    while at < json.len() {
        let start = at;
        at += 1;
        match json[start] {
            b'"' => {
                cursor.go_to(start);
                let Ok(text) = cursor.text() else {
                    return found;
                };
                at = cursor.at();
                if json[at..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b':') {
                    continue;
                }
                hold(&mut levels, ElementKind::Texts);
                if same == Some(text.raw) || text.raw.len() >= TEXT && text.raw.len() > length {
                    found.push(ReplacedSpan::Text(start, at));
                }
            }
            open @ (b'{' | b'[') => {
                let is_list = open == b'[';
                hold(
                    &mut levels,
                    if is_list {
                        ElementKind::Lists
                    } else {
                        ElementKind::Other
                    },
                );
                levels.push(Level {
                    start,
                    list: is_list,
                    found: found.len(),
                    count: 0,
                    holds: None,
                });
            }
            b'}' | b']' => {
                let Some(level) = levels.pop() else {
                    return found;
                };
                let lines = level.list
                    && level.count > 1
                    && matches!(level.holds, Some(ElementKind::Texts | ElementKind::Lists));
                if lines && at - level.start >= LIST {
                    found.truncate(level.found);
                    found.push(ReplacedSpan::List(level.start, at));
                }
            }
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => hold(&mut levels, ElementKind::Other),
        }
    }
    found
}

/// The kind of an array's elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Texts,
    Lists,
    Other,
}

/// An array or object that the walk is in.
struct Level {
    start: usize,
    list: bool,
    /// The number of spans found before it.
    found: usize,
    /// The number of elements so far; each digit of a number counts.
    count: usize,
    holds: Option<ElementKind>,
}

/// Notes an element of the innermost level.
fn hold(levels: &mut [Level], what: ElementKind) {
    if let Some(level) = levels.last_mut() {
        level.count += 1;
        level.holds = match level.holds {
            Some(had) if had != what => Some(ElementKind::Other),
            _ => Some(what),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn parts(value: &Value, length: usize, same: Option<&str>) -> Vec<String> {
        let json = value.to_string();
        replaced_spans(json.as_bytes(), length, same.map(str::as_bytes))
            .into_iter()
            .map(|found| match found {
                ReplacedSpan::Text(from, to) => json[from..to].chars().take(5).collect(),
                ReplacedSpan::List(from, to) => format!("list of {}", to - from),
            })
            .collect()
    }

    #[test]
    fn long_texts_and_lists_of_lines_give_way() {
        let (long, longer) = ("x".repeat(300), "y".repeat(5000));
        let keyed = json!({ long.clone(): 1, "filePath": "/a/b", "stdout": long.clone(), "n": [1, 2], "file": {"content": longer.clone()} });
        let mut both = parts(&keyed, 33, None);
        both.sort();
        assert_eq!(both, ["\"xxxx", "\"yyyy"]);
        assert_eq!(parts(&keyed, 3000, None), ["\"yyyy"]);
        assert_eq!(parts(&json!("short"), 33, Some("short")), ["\"shor"]);
        assert_eq!(parts(&json!("short"), 33, None), [""; 0]);
        let names: Vec<String> = (0..200).map(|i| format!("src/file-{i}.rs")).collect();
        assert_eq!(
            parts(&json!({"filenames": names, "numFiles": 200}), 33, None),
            [format!("list of {}", json!(names).to_string().len())]
        );
        let screen: Vec<Value> = (0..30)
            .map(
                |i| json!([{"text": format!("line {i}"), "bold": false, "fg": ""}, {"text": long}]),
            )
            .collect();
        assert_eq!(parts(&json!(screen), 33, None).len(), 1);
        // One block of text is no list, nor are tasks.
        assert_eq!(
            parts(&json!([{"type": "text", "text": longer}]), 33, None),
            ["\"yyyy"]
        );
        let tasks: Vec<Value> = names.iter().map(|n| json!({"content": n})).collect();
        assert_eq!(parts(&json!({"newTodos": tasks}), 33, None), [""; 0]);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a\"\\\\\\[\\]{}:, é]{0,9}".prop_map(Value::from),
            (200..400usize).prop_map(|n| Value::from("\"[".repeat(n))),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a:\\[\"]{0,3}", inner, 0..4)
                    .prop_map(|m| m.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// Whatever gives way is a value of its own: with all of it replaced the JSON is JSON, and
        /// no long text is left.
        #[test]
        fn the_remainder_is_json(value in value(), pretty: bool) {
            let json = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let (mut out, mut at) = (String::new(), 0);
            for found in replaced_spans(json.as_bytes(), 33, None) {
                let (from, to, new) = match found {
                    ReplacedSpan::Text(from, to) => (from, to, "\"new\""),
                    ReplacedSpan::List(from, to) => (from, to, "[]"),
                };
                prop_assert!(at <= from && serde_json::from_str::<Value>(&json[from..to]).is_ok());
                out += &json[at..from];
                out += new;
                at = to;
            }
            out += &json[at..];
            let left: Value = serde_json::from_str(&out).map_err(|e| TestCaseError::fail(format!("{e}: {out}")))?;
            prop_assert!(!left.to_string().contains(&"\\\"[".repeat(200)));
        }
    }
}
