//! Regions that a prompt marks with words: between two separators or quotes behind a line that names retrieved text (`Context
//! information is below.`, dashes), or from a label (`Context:`) to the next label.

use super::lines::{Line, is_blank};
use super::numbered::{self, says_end};
use super::series::End;
use super::templates::{LabelKind, is_cue, is_instruction, is_lead_in, label};
use super::{List, Region, array, inside, separators, trim};
use crate::json::Cursor;
use std::ops::Range;

/// Cues of a text that are looked at.
const CUES: usize = 8;

/// The marked region with the longest list, as a prompt may begin with an example; else the first one, and why it has none.
pub(super) fn find(text: &str, all: &[Line]) -> Option<Region> {
    let mut best: Option<Region> = None;
    let length = |region: &Region| region.list.as_ref().map_or(0, |list| list.chunks.len());
    let mut closings = None;
    let cues = all.iter().enumerate().filter(|(_, line)| !line.code && is_cue(&text[line.span.clone()]));
    for (at, _) in cues.take(CUES) {
        let closings = closings.get_or_insert_with(|| closings_of(text, all));
        let Some((span, list)) = behind(text, all, at, closings) else { continue };
        let found = Region { span, list };
        if best.as_ref().is_none_or(|best| length(best) < length(&found)) {
            best = Some(found);
        }
    }
    best
}

/// The region behind the cue in line `at`, and its list.
fn behind(text: &str, all: &[Line], at: usize, closings: &[usize]) -> Option<(Range<usize>, Result<List, String>)> {
    let line = &text[all[at].span.clone()];
    let label = label(line).filter(|label| label.kind == LabelKind::Context);
    let own = label.map_or(line.len(), |label| label.end);
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| line.trim_end().ends_with(quotes) && line.trim().len() > 3);
    let alone = quotes.is_some() || line[own..].trim().is_empty();
    if let Some((open, close)) = alone.then(|| delimited(text, all, at, quotes)).flatten() {
        let Some(close) = close else {
            return Some((all[at].span.start..all[open].span.end, Err("what opens behind the cue is not closed".to_owned())));
        };
        let content = trim(text, all[open].span.end..all[close].span.start);
        return Some((all[at].span.start..all[close].span.end, inside(text, content, End::Marked, "the delimited text")));
    }
    let mut begin = all[at].span.start + own;
    // Of several cues the last one leads to the text.
    for line in all.iter().skip(at + 1).filter(|line| !is_blank(text, line)).take(3).take_while(|_| alone) {
        let own = &text[line.span.clone()];
        let inner = super::templates::label(own).filter(|label| label.kind == LabelKind::Context && !numbered::begins(own.trim_start()));
        let Some(end) = inner.map(|label| label.end) else { break };
        begin = line.span.start + end;
        if !own[end..].trim().is_empty() {
            break;
        }
    }
    // What is JSON ends by itself.
    let value = trim(text, begin..text.len());
    if let Some(length) = text[value.clone()].starts_with(['[', '{']).then(|| json_length(&text[value.clone()])).flatten() {
        let content = value.start..value.start + length;
        if let Some(list) = array::in_text(text, content.clone(), "the labelled text") {
            return Some((content, list));
        }
    }
    let end = *closings.get(closings.partition_point(|&i| i <= at || all[i].span.start <= begin))?;
    let content = trim(text, begin..all[end].span.start);
    if content.is_empty() {
        return None;
    }
    Some((content.clone(), inside(text, content, End::Labelled, "the labelled text")))
}

/// The lines at which labelled text ends: labels of what follows it, an end that is said, instructions.
fn closings_of(text: &str, all: &[Line]) -> Vec<usize> {
    let closes = |i: &usize| {
        let line = &text[all[*i].span.clone()];
        let found = label(line).is_some_and(|label| label.kind != LabelKind::Context);
        let ends = || says_end(line) && !line.chars().any(char::is_lowercase);
        !all[*i].code && (found || ends() || is_blank(text, &all[*i - 1]) && is_instruction(line))
    };
    (1..all.len()).filter(closes).collect()
}

/// Bytes of the JSON value that a text begins with.
fn json_length(text: &str) -> Option<usize> {
    let mut cursor = Cursor::new(text.as_bytes());
    cursor.skip().ok()?;
    Some(cursor.at())
}

/// The line that opens what is delimited behind the cue in line `at`, and the one that closes it.
fn delimited(text: &str, all: &[Line], at: usize, quotes: Option<&str>) -> Option<(usize, Option<usize>)> {
    let mark = |line: &Line| separators::delimiter(&text[line.span.clone()]);
    let filled = |i: &usize| !is_blank(text, &all[*i]);
    let (open, mark_of) = match quotes {
        // A cue may end with what opens: `知识库:"""`.
        Some(quotes) => (at, (quotes.as_bytes()[0], 3)),
        None => {
            // Another cue may be between.
            let mut below = (at + 1..all.len()).filter(filled).take(3);
            let open = below.find(|&i| mark(&all[i]).is_some() || !is_lead_in(&text[all[i].span.clone()]))?;
            (open, mark(&all[open])?)
        }
    };
    let mut closing = (open + 1..all.len()).filter(|&i| mark(&all[i]) == Some(mark_of));
    let close = closing.next();
    // Of more than two of them nobody can tell which closes, unless a label follows the last.
    let last = closing.next_back();
    let ends = |i: usize| (i + 1..all.len()).find(filled).is_none_or(|next| label(&text[all[next].span.clone()]).is_some());
    match last {
        Some(last) if ends(last) && !close.is_some_and(ends) => Some((open, Some(last))),
        Some(_) if close.is_some_and(ends) => Some((open, close)),
        Some(_) => Some((open, None)),
        None => Some((open, close)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;

    const DASHES: &str = "---------------------";

    #[test]
    fn between_rules_and_quotes() {
        let prompt = |context: &str| {
            format!(
                "Context information is below.\n{DASHES}\n{context}\n{DASHES}\nGiven the context information and not prior knowledge, answer the query.\nQuery: who?\nAnswer: "
            )
        };
        let with_metadata = "file_path: a.md\npage_label: 1\n\none\n\nmore\n\nfile_path: b.md\n\ntwo";
        assert_eq!(chunks(&prompt(with_metadata)).unwrap(), ["file_path: a.md\npage_label: 1\n\none\n\nmore", "file_path: b.md\n\ntwo"]);
        assert_eq!(chunks(&prompt("[1] a b\n\nb\n[2] c d")).unwrap(), ["[1] a b\n\nb", "[2] c d"]);
        assert_eq!(chunks(&prompt("a b c\n===\nd e f\n===\ng h i")).unwrap().len(), 3);
        let quoted = "你的背景知识:\n\"\"\"\n[1] 甲乙丙丁\n[2] 戊己庚辛\n\"\"\"\n我的问题是:\"谁?\"";
        assert_eq!(chunks(quoted).unwrap(), ["[1] 甲乙丙丁", "[2] 戊己庚辛"]);
        for context in ["one\nline\n\ntwo\n\n\nthree", "a\n\n- b\n\n- c", "see:\n\nb", "```\na\n\nb\n```"] {
            let why = chunks(&prompt(context)).unwrap_err();
            assert!(why.contains("nothing that separates its chunks"), "{context}: {why}");
        }
        assert!(chunks(&format!("Context information is below.\n{DASHES}\na\n\nb")).unwrap_err().contains("not closed"));
    }

    #[test]
    fn from_label_to_label() {
        let texts = "Lockers open with a band. It costs six euros.\nSoup is sold until nine. Cards are welcome here.\nLessons start in May. Bring an adult with you.";
        let prompt = format!("Given the following information, answer the question.\n\nContext:\n{texts}\n\nQuestion: who?\nAnswer:");
        assert_eq!(chunks(&prompt).unwrap().len(), 3);
        let prompt = "Use the following pieces of context to answer the question at the end. If you don't know, say so.\n\none\n\ntwo\n\nthree\n\nQuestion: who?\nHelpful Answer:";
        assert!(chunks(prompt).unwrap_err().contains("nothing that separates its chunks"));
        let prompt = "Question: wer?\nKontext: [1] a b c\n\n[2] d e f\n\n[3] g h i\nAntwort:";
        assert_eq!(chunks(prompt).unwrap(), ["[1] a b c", "[2] d e f", "[3] g h i"]);
        assert!(chunks("Use the following pieces of context to answer.\n\none\n\ntwo").is_err());
    }
}
