//! Changes of lists and lines, compared with an oracle that knows their values.

use super::*;
use proptest::prelude::*;
use serde_json::Value;

/// An array of `n` elements with white space as `gaps` says, and where its elements lie.
fn array(elements: &[Value], gaps: &[&str]) -> (Vec<u8>, Vec<(u64, u64)>) {
    let mut gap = gaps.iter().cycle();
    let mut space =
        |text: &mut Vec<u8>| text.extend_from_slice(gap.next().map_or(&b""[..], |g| g.as_bytes()));
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

/// A list of the oracle: the places of its elements, and where it begins.
struct List {
    open: u64,
    elements: Vec<(u64, u64)>,
    /// Whether they are the records of the file.
    lines: bool,
}

/// The outcome for an element.
#[derive(Clone, Copy, PartialEq)]
enum PartOutcome {
    Stays,
    Leaves,
    Renamed,
}

fn id(n: usize) -> String {
    format!(r#"{{"id":"e{n}"}}"#)
}

/// A line that was not written to its end.
const TORN: &str = "{\"a\":[1,";

/// A file of lines, the record at `at` of which holds two lists, and all three lists. The elements
/// are numbered.
fn file(
    sizes: [usize; 3],
    at: usize,
    gap: &str,
    end: &str,
    last: bool,
    torn: bool,
) -> (Vec<u8>, Vec<List>) {
    let (mut text, mut n) = (String::new(), 0);
    let mut lists: Vec<List> = (0..3)
        .map(|n| List {
            open: 0,
            elements: Vec::new(),
            lines: n == 2,
        })
        .collect();
    let mut add = |text: &mut String, list: &mut List| {
        let start = text.len() as u64;
        text.push_str(&id(n));
        n += 1;
        list.elements.push((start, text.len() as u64));
    };
    for line in 0..=sizes[2] {
        text.push_str(&if torn {
            [TORN, end].concat()
        } else {
            String::new()
        });
        if line != at.min(sizes[2]) {
            add(&mut text, &mut lists[2]);
        } else {
            let start = text.len() as u64;
            text.push('{');
            for (which, name) in ["a", "b"].into_iter().enumerate() {
                text.push_str(&format!("{gap}\"{name}\":["));
                lists[which].open = text.len() as u64;
                text.push_str(gap);
                for element in 0..sizes[which] {
                    text.push_str(if element > 0 { "," } else { "" });
                    text.push_str(gap);
                    add(&mut text, &mut lists[which]);
                    text.push_str(gap);
                }
                text.push_str("],");
            }
            text.push_str("\"z\":1}");
            lists[2].elements.push((start, text.len() as u64));
        }
        text.push_str(if line < sizes[2] || last { end } else { "" });
    }
    (text.into_bytes(), lists)
}

proptest! {
    /// Removing, inserting, moving and renaming in lists and lines, several at one place, come to
    /// what an oracle makes of the values.
    #[test]
    fn all_kinds_leave_what_an_oracle_leaves(
        sizes in prop::array::uniform3(0..5usize),
        at in 0..5usize,
        gap in prop::sample::select(vec!["", " ", " \t"]),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        last: bool,
        torn: bool,
        steps in prop::collection::vec((0..5u8, 0..99usize, 0..99usize), 0..12),
    ) {
        let (text, lists) = file(sizes, at, gap, end, last, torn);
        let is_line = |place: (u64, u64)| lists[2].elements.contains(&place);
        let spelled = |place: (u64, u64)| String::from_utf8_lossy(&text[place.0 as usize..place.1 as usize]).into_owned();
        let mut fates: BTreeMap<(u64, u64), PartOutcome> = lists.iter().flat_map(|l| &l.elements).map(|place| (*place, PartOutcome::Stays)).collect();
        let holder = *fates.keys().find(|place| spelled(**place).contains("\"z\"")).expect("a record");
        // All gaps there are; an empty list has one.
        let gaps: Vec<Gap> = lists.iter().flat_map(|list| {
            let own = if list.elements.is_empty() { vec![Gap::Before(list.open)] } else { Vec::new() };
            let before = if list.lines { Gap::LineBefore } else { Gap::Before };
            let behind = if list.lines { Gap::LineBehind } else { Gap::Behind };
            own.into_iter().chain(list.elements.iter().flat_map(move |(start, end)| [before(*start), behind(*end)]))
        }).collect();
        let free = |fates: &BTreeMap<(u64, u64), PartOutcome>, pick: usize| {
            let left: Vec<(u64, u64)> = fates.iter().filter(|(place, fate)| **fate == PartOutcome::Stays && **place != holder).map(|(place, _)| *place).collect();
            left.get(pick % left.len().max(1)).copied()
        };
        let (mut changes, mut come): (Vec<Change>, Vec<(Gap, String)>) = Default::default();
        for (kind, one, two) in steps {
            let (gap, element) = (gaps[two % gaps.len()], free(&fates, one));
            match (kind, element) {
                (0, Some((start, end))) => {
                    changes.push(if is_line((start, end)) { Change::DropLine { start, end } } else { Change::Drop { start, end } });
                    fates.insert((start, end), PartOutcome::Leaves);
                }
                (1, Some((start, end))) => {
                    changes.push(Change::Move { start, end, line: is_line((start, end)), to: gap });
                    come.push((gap, spelled((start, end))));
                    fates.insert((start, end), PartOutcome::Leaves);
                }
                (2, Some(first)) => {
                    fates.insert(first, PartOutcome::Renamed);
                    let second = free(&fates, two);
                    second.map(|second| fates.insert(second, PartOutcome::Renamed));
                    let inside = |(start, end): (u64, u64)| (start + 7, end - 2);
                    let ends = std::iter::once(first).chain(second).map(inside).collect();
                    changes.push(Change::Rename { ends, text: b"other".to_vec() });
                }
                _ => {
                    let new = format!("{{\"new\":{}}}", come.len());
                    changes.push(Change::Insert { at: gap, text: new.clone().into_bytes() });
                    come.push((gap, new));
                }
            }
        }
        let left = |list: &List| -> Vec<Value> {
            let at = |gap: Gap| come.iter().filter(move |(other, _)| *other == gap).map(|(_, text)| text.clone());
            let mut left: Vec<String> = if list.elements.is_empty() { at(Gap::Before(list.open)).collect() } else { Vec::new() };
            for &place in &list.elements {
                left.extend(at(if list.lines { Gap::LineBefore(place.0) } else { Gap::Before(place.0) }));
                match fates[&place] {
                    _ if place == holder => left.push("\"holder\"".to_owned()),
                    PartOutcome::Stays => left.push(spelled(place)),
                    PartOutcome::Renamed => left.push("{\"id\":\"other\"}".to_owned()),
                    PartOutcome::Leaves => {}
                }
                left.extend(at(if list.lines { Gap::LineBehind(place.1) } else { Gap::Behind(place.1) }));
            }
            left.iter().map(|text| serde_json::from_str(text).expect("a value")).collect()
        };
        let edits = Edits::of_changes(&&text[..], &changes).expect("the text is there");
        let out = String::from_utf8(edits.render(&&text[..], 0, text.len() as u64).expect("the text is there")).expect("text");
        let mut found: Vec<Value> = Vec::new();
        for line in out.lines().filter(|line| *line != TORN) {
            found.push(serde_json::from_str(line).map_err(|e| TestCaseError::fail(format!("{e}: {out}\n{}", String::from_utf8_lossy(&text))))?);
        }
        let place = found.iter().position(|value| value["z"] == 1).expect("the record that holds the lists");
        let holds = std::mem::replace(&mut found[place], Value::from("holder"));
        prop_assert_eq!(holds, serde_json::json!({"a": left(&lists[0]), "b": left(&lists[1]), "z": 1}), "{}", out);
        prop_assert_eq!(found, left(&lists[2]), "{}", out);
        if changes.is_empty() {
            prop_assert_eq!(out.as_bytes(), &text[..]);
        }
    }
}
