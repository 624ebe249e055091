//! Verifies a fix: compares the repaired input, read again, with the changes.
//!
//! A block that no edit changes must be there again: of the same kind and size, in the same order.
//! New blocks must be where something was inserted or changed, and a changed id must be the new
//! one. In a log with records outside the context, a change may move lines into and out of the
//! context: there, only blocks that are read before and after are compared.

use super::*;
use crate::edit::{Edited, Edits};

/// Returns whether `after`, read from the output of `edits` on `bytes`, is what the changes make of
/// `before`; `all`: every record was read.
pub fn agrees(
    changes: &[Change],
    edits: &Edits,
    bytes: &[u8],
    before: &Transcript,
    after: &Transcript,
    all: bool,
) -> bool {
    let edited = Edited::new(edits, &bytes);
    let mut ids: HashMap<u64, Id> = HashMap::new();
    for change in changes {
        if let Change::Rename { ends, text } = change {
            let id = Id::of(text::lossy(text).as_bytes());
            ids.extend(ends.iter().map(|(start, _)| (*start, id)));
        }
    }
    let mut found: HashMap<Range<u64>, Vec<&Block>> = HashMap::new();
    let mut calls: HashMap<u64, Id> = HashMap::new();
    for (place, block) in blocks(after) {
        if block.is_linked() {
            calls.insert(place.start, after.link(block).call);
        }
        found.entry(place).or_default().push(block);
    }
    for (place, block) in blocks(before) {
        if let Some(at) = edited.place(place.clone()) {
            let blocks = found.get_mut(&at);
            let same = blocks.and_then(|blocks| {
                Some(blocks.remove(blocks.iter().position(|other| other.kind == block.kind)?))
            });
            if same.map_or(all, |same| same.chars != block.chars) {
                return false;
            }
        } else if block.is_linked()
            && let Some(id) = ids.get(
                &(place.start - u64::from(block.span.start)
                    + u64::from(before.link(block).id.start)),
            )
            && let Some(at) = edited.place(place.start..place.start + 1)
            && calls.get(&at.start).map_or(all, |call| call != id)
        {
            return false;
        }
    }
    let roles: HashMap<u64, Role> = messages(after).collect();
    // Consecutive items of the model are one message.
    let kept = |(start, role)| {
        edited
            .place(start..start + 1)
            .and_then(|at| roles.get(&at.start))
            .is_none_or(|now| *now == role)
    };
    !all || messages(before).all(kept)
        && found
            .into_iter()
            .all(|(place, left)| left.is_empty() || edited.is_changed(place))
}

/// Returns the blocks of a transcript with their ranges in the input.
fn blocks(read: &Transcript) -> impl Iterator<Item = (Range<u64>, &Block)> {
    read.all_blocks()
        .filter(|(.., block)| !block.span.is_empty())
        .map(|(i, _, block)| (read.messages[i].range(block.span), block))
}

/// Returns the byte offset and the role of each message.
fn messages(read: &Transcript) -> impl Iterator<Item = (u64, Role)> {
    read.messages
        .iter()
        .filter(|m| !m.span.is_empty())
        .map(|m| (m.range(m.span).start, m.role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dialect::{builder::TranscriptBuilder, by_name, transcript},
        edit::Gap,
        json::Cursor,
        settings::{Estimator, Scope},
    };

    fn read(body: &[u8]) -> Transcript {
        let (dialect, mut builder) = (
            by_name("anthropic").unwrap(),
            TranscriptBuilder::new(Estimator::Utf16),
        );
        builder.begin(0, 1);
        (dialect.read)(&mut Cursor::new(body), &mut builder).unwrap();
        transcript(dialect, builder, Scope::Context).unwrap()
    }

    #[test]
    fn undeclared_changes_are_found() {
        let body = br#"{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}]}"#;
        let at = |text: &str| {
            body.windows(text.len())
                .position(|part| part == text.as_bytes())
                .unwrap() as u64
        };
        let put = |text: &str, new: &str| {
            let start = at(text);
            Change::Put {
                start,
                end: start + text.len() as u64,
                text: new.as_bytes().to_vec(),
            }
        };
        let rename = |new: &str| {
            let ends = [at(r#""id":"a"#) + 6, at(r#"_id":"a"#) + 6]
                .map(|start| (start, start + 1))
                .to_vec();
            Change::Rename {
                ends,
                text: new.as_bytes().to_vec(),
            }
        };
        let call = at(r#"{"type":"tool_use"#);
        let insert = Change::Insert {
            at: Gap::Before(call),
            text: br#"{"type":"text","text":"new"}"#.to_vec(),
        };
        let text = Change::Drop {
            start: at(r#"{"type":"text"#),
            end: call - 1,
        };
        let nothing = Change::Put {
            start: 0,
            end: 0,
            text: Vec::new(),
        };
        for (made, said, agreed) in [
            (&insert, &insert, true),
            (&text, &text, true),
            (&rename("b"), &rename("b"), true),
            (&nothing, &nothing, true),
            (&rename("b"), &rename("c"), false),
            (&put("assistant", "user"), &nothing, false),
            (&put(r#""content":"#, r#""contents":"#), &nothing, false),
            (
                &put(r#"{"role":"user","content":"go"},"#, ""),
                &nothing,
                true,
            ),
            (&put(r#""text":"#, r#""test":"#), &nothing, false),
        ] {
            let edits = Edits::of_changes(&&body[..], std::slice::from_ref(made)).unwrap();
            let out = edits.render(&&body[..], 0, body.len() as u64).unwrap();
            let (before, after) = (read(body), read(&out));
            let agrees = agrees(
                std::slice::from_ref(said),
                &edits,
                body,
                &before,
                &after,
                true,
            );
            assert_eq!(agrees, agreed, "{}", String::from_utf8_lossy(&out));
        }
    }
}
