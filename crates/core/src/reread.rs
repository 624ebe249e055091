//! Reads the output again before it is written and checks it, so that no invalid output leaves the
//! program.

use crate::{
    Error, Result,
    dialect::{builder::TranscriptBuilder, by_name, shared},
    edit::{Cut, Edits, View, region, result_copies::copies_of_cuts},
    estimate,
    json::{Cursor, locate::is_value, text},
    transcript::{BlockKind, Flags, Role, Transcript},
};
use std::{collections::HashSet, ops::Range};

/// Compares a transcript that was read again with what the plan said: every message that stays is
/// there, no other is, and each has its size.
///
/// # Errors
/// They differ.
pub fn compare(view: &View<'_>, after: &Transcript) -> Result<()> {
    let is_here = |cut: &&Cut| cut.action.by_server().is_none();
    let mut cuts = view.cuts().filter(is_here).peekable();
    let size = |read, i| estimate::message(read, i, view.estimator);
    let planned = runs(view.transcript, |i| {
        let mut chars = size(view.transcript, i);
        while let Some(cut) = cuts.next_if(|cut| cut.message == i as u32) {
            chars = (chars + cut.chars_after).saturating_sub(cut.chars_before);
        }
        (!view.is_gone(i)).then_some(chars)
    });
    let found = runs(after, |i| Some(size(after, i)));
    for (&(role, message, plan), &(is_role, _, is)) in planned.iter().zip(&found) {
        if (role, plan) != (is_role, is) {
            let what = format!("{is} chars instead of {plan}");
            return Err(Error::Mismatch { message, what });
        }
    }
    if planned.len() != found.len() {
        return Err(Error::Mismatch {
            message: planned.last().map_or(0, |(_, number, _)| *number),
            what: format!("{} messages instead of {}", found.len(), planned.len()),
        });
    }
    Ok(())
}

/// Returns the messages that stay, those of the assistant that follow each other as one: what was
/// between them may have gone, and some formats join them. Each has its role, its number and its
/// chars, which `chars` returns for the message at an index.
fn runs(read: &Transcript, mut chars: impl FnMut(usize) -> Option<u64>) -> Vec<(Role, u32, u64)> {
    let mut runs: Vec<(Role, u32, u64)> = Vec::new();
    for (i, message) in read.messages.iter().enumerate() {
        let Some(chars) = chars(i) else { continue };
        match runs.last_mut() {
            Some((Role::Assistant, _, all)) if message.role == Role::Assistant => *all += chars,
            _ => runs.push((message.role, message.number, chars)),
        }
    }
    runs
}

/// Reads the content of every result that a cut changes, as it would come out; returns the indices
/// of texts that were blank before and are not any more, and `None` if a text has become blank.
/// There is no edit beside them.
///
/// # Errors
/// It is not what the plan said, or the input cannot be read any more.
pub fn reread(view: &View<'_>, edits: &Edits) -> Result<Option<HashSet<u32>>> {
    let mut filled = HashSet::new();
    let mut is_emptied = false;
    let mut contents = Contents::of(view);
    let mut seen = 0;
    for cut in view.cuts() {
        let message = &view.transcript.messages[cut.message as usize];
        let (region, is_inside) = region(view, cut.block);
        let region = message.range(region);
        let Range { mut start, mut end } = region;
        let changed = edits.within(start, end);
        seen += changed.len();
        // What is around the one text was read before, and stays.
        if let [one] = view.children(cut.block)
            && one.kind == BlockKind::Text
            && !is_inside
        {
            let text = message.range(one.span);
            if edits.lie_in(&changed, text.start, text.end) {
                Range { start, end } = text;
            }
        }
        let mut bytes = edits.render_edits(view.texts, changed, start, end)?;
        if is_inside {
            bytes.insert(0, b'"');
        }
        let mismatch = |what: String| Error::Mismatch {
            message: message.number,
            what,
        };
        let (chars, is_blank) = contents.read(&bytes).map_err(mismatch)?;
        if chars != cut.chars_after {
            let planned = cut.chars_after;
            return Err(mismatch(format!("{chars} chars instead of {planned}")));
        }
        let is_blank = is_blank && (start..end) == region;
        if let Some(was_blank) = view
            .children(cut.block)
            .first()
            .map(|text| text.flags.has(Flags::BLANK))
        {
            is_emptied |= is_blank && !was_blank;
            filled.extend((was_blank && !is_blank).then_some(cut.block + 1));
        }
    }
    seen += copies(view, edits)? + edits.fills;
    if seen != edits.len() {
        return Err(Error::Mismatch {
            message: 0,
            what: format!("{} edits instead of {seen}", edits.len()),
        });
    }
    Ok(Some(filled).filter(|_| !is_emptied))
}

/// A reader of the contents of results.
struct Contents<'a> {
    view: &'a View<'a>,
    builder: TranscriptBuilder,
    /// The last one, its chars, and whether it is blank: mostly one placeholder represents all.
    last: (Vec<u8>, u64, bool),
}

impl<'a> Contents<'a> {
    fn of(view: &'a View<'a>) -> Contents<'a> {
        Contents {
            view,
            builder: TranscriptBuilder::new(view.estimator),
            last: (Vec::new(), 0, false),
        }
    }

    /// Returns the chars of a content, and whether it is blank.
    fn read(&mut self, bytes: &[u8]) -> Result<(u64, bool), String> {
        if bytes != self.last.0 || bytes.is_empty() {
            let view = self.view;
            let mark = self.builder.mark();
            let mut cursor = Cursor::new(bytes);
            let form = by_name(view.transcript.format)
                .and_then(|format| format.results.get(usize::from(view.transcript.result_form)))
                .filter(|_| !bytes.starts_with(b"\""));
            let read = form.map_or(shared::RESULTS.read, |form| form.read);
            read(&mut cursor, &mut self.builder).map_err(|error| error.to_string())?;
            if !cursor.at_end() {
                return Err("bytes after the content".to_owned());
            }
            let found = &self.builder.blocks[self.builder.blocks.len().min(mark.blocks)..];
            let chars = found
                .iter()
                .map(|b| estimate::block(b, Role::Tool, view.estimator))
                .sum();
            self.builder.rollback(mark);
            let raw = bytes
                .strip_prefix(b"\"")
                .and_then(|b| b.strip_suffix(b"\""))
                .unwrap_or(bytes);
            self.last.1 = chars;
            self.last.2 = text::is_blank(raw);
            self.last.0.clear();
            self.last.0.extend_from_slice(bytes);
        }
        Ok((self.last.1, self.last.2))
    }
}

/// Reads every copy that follows a cut, as it would come out; returns how many edits are in them.
fn copies(view: &View<'_>, edits: &Edits) -> Result<usize> {
    let mut seen = 0;
    for (cut, copy) in copies_of_cuts(view).0 {
        let Range { start, end } = copy.span.within(copy.record);
        let bytes = edits.render(view.texts, start, end)?;
        seen += edits.within(start, end).len();
        if !is_value(&bytes) {
            let message = view.transcript.messages[cut.message as usize].number;
            return Err(Error::Mismatch {
                message,
                what: "a copy of its result that is no JSON".to_owned(),
            });
        }
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dialect::transcript,
        edit::{Action, Change, Proposal},
        settings::{Scope, Settings},
    };

    const BODY: &str = r#"{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"a long result"}]}]}"#;

    /// Checks that the quick look refuses faults in the edits of a plan that puts "gone" in the
    /// place of the result.
    #[test]
    fn faults_in_contents_are_found() {
        let (format, settings) = (by_name("anthropic").unwrap(), Settings::default());
        let mut builder = TranscriptBuilder::new(settings.context_pruning.estimator);
        builder.begin(0, 1);
        (format.read)(&mut Cursor::new(BODY.as_bytes()), &mut builder).unwrap();
        let read = transcript(format, builder, Scope::Context).unwrap();
        let block = read
            .blocks
            .iter()
            .position(|b| b.kind == BlockKind::Result)
            .unwrap() as u32;
        let bytes = BODY.as_bytes();
        let mut view = View::new(&read, &bytes, &settings, 1000);
        let (action, reason) = (Action::Clear("gone".into()), "".into());
        let cut = Cut {
            pass: "hard-clear",
            message: 2,
            block,
            action,
            chars_before: 13,
            chars_after: 4,
            linked: false,
            reason,
        };
        view.accept(Proposal {
            cuts: vec![cut],
            ..Proposal::default()
        });
        assert!(!view.is_structural());
        assert_eq!(
            reread(&view, &Edits::of(&view).unwrap()).unwrap(),
            Some(HashSet::new())
        );

        let at = BODY.find("\"a long result\"").unwrap() as u64;
        let put = |start: u64, end: u64, text: &str| Change::Put {
            start,
            end,
            text: text.as_bytes().to_vec(),
        };
        for (changes, why) in [
            (
                vec![put(at, at + 15, "\"gone\""), put(1, 1, "\"x\":1,")],
                "an edit beside the contents",
            ),
            (
                vec![put(at, at + 15, "\"gone\""), put(at + 16, at + 17, "")],
                "a bracket is removed",
            ),
            (
                vec![put(at, at + 15, "\"go\"ne\"")],
                "a quote that is not escaped",
            ),
            (vec![put(at, at + 15, "\"gone")], "a string without an end"),
            (vec![put(at, at + 14, "\"gone\\")], "an escaped end"),
            (vec![put(at, at + 15, "gone")], "no string"),
            (vec![put(at, at + 15, "\"gone\",\"x\"")], "two values"),
            (vec![put(at, at + 15, "\"gones\"")], "another length"),
            (
                vec![put(at, at + 17, "\"gone\"}")],
                "an edit that reaches beyond the contents",
            ),
            (vec![], "no edit"),
        ] {
            let edits = Edits::of_changes(&bytes, &changes).unwrap();
            assert!(reread(&view, &edits).is_err(), "{why}");
        }
    }
}
