//! The layouts of LlamaIndex and LangChain: sentences of their prompts that stand before and after what was retrieved.
//!
//! LlamaIndex writes `Context information is below.` and puts the chunks between two lines of dashes; LangChain tells to
//! `use the following pieces of context` and writes `Question:` behind them. Both join the chunks by blank lines, so where
//! no head or rule tells the chunks apart, paragraphs do; unless one of them looks like a part of something longer.

use super::lines::{Line, lines};
use super::{Chunk, List, Region, inside, rules, trim};
use std::ops::Range;

/// What stands before the dashes.
const DASHED: [&str; 2] = ["context information is below", "context information from multiple sources is below"];
/// What stands before LangChain's context.
const PIECES: [&str; 2] = ["use the following pieces of context", "use the following pieces of retrieved context"];
/// Labels behind it.
const QUESTION: [&str; 3] = ["question:", "query:", "user question:"];

/// The region of a text, if it has one of these layouts.
pub(super) fn find(text: &str) -> Option<Region> {
    let all = lines(text, 0..text.len());
    let starts_with = |line: &Line, wanted: &[&str]| {
        let line = text[line.span.clone()].trim_start();
        !wanted.is_empty() && wanted.iter().any(|words| line.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words)))
    };
    if let Some(at) = all.iter().position(|line| !line.code && starts_with(line, &DASHED)) {
        return Some(dashed(text, &all, at));
    }
    let at = all.iter().position(|line| !line.code && starts_with(line, &PIECES))?;
    Some(pieces(text, &all, at, |line| starts_with(line, &QUESTION)))
}

/// LlamaIndex: from the line of dashes behind line `at` to the next one of the same length.
fn dashed(text: &str, all: &[Line], at: usize) -> Region {
    let dashes = |line: &Line| rules::rule(&text[line.span.clone()]).filter(|(sign, length)| *sign == b'-' && *length >= 5);
    let whole = |list| Region { span: all[at].span.start..text.len(), list: Err(list) };
    let Some((first, rule)) = all.iter().enumerate().skip(at + 1).take(2).find_map(|(i, line)| dashes(line).map(|rule| (i, rule))) else {
        return whole("no line of dashes follows \"Context information is below\"".to_owned());
    };
    let closing: Vec<usize> = (first + 1..all.len()).filter(|&i| dashes(&all[i]) == Some(rule)).collect();
    let [last] = closing[..] else {
        let what = if closing.is_empty() { "the line of dashes has no second one" } else { "there are more than two lines of dashes" };
        return whole(what.to_owned());
    };
    let content = all[first].span.end..all[last].span.start;
    Region { span: all[at].span.start..all[last].span.end, list: parted(text, content, "the lines of dashes") }
}

/// LangChain: the paragraphs behind the one with line `at`, or what follows `Context:`, up to the label of the question or
/// of the answer.
fn pieces(text: &str, all: &[Line], at: usize, is_question: impl Fn(&Line) -> bool) -> Region {
    let label =
        |line: &Line, word: &str| text[line.span.clone()].trim_start().get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
    let context = (at + 1..all.len()).find(|&i| !all[i].code && label(&all[i], "context:"));
    let (start, from) = match context {
        Some(i) => {
            let line = &text[all[i].span.clone()];
            (all[i].span.start + (line.len() - line.trim_start().len()) + "context:".len(), i + 1)
        }
        None => {
            let blank = (at..all.len()).find(|&i| text[all[i].span.clone()].trim().is_empty()).unwrap_or(all.len() - 1);
            (all[blank].span.end, blank + 1)
        }
    };
    let end = (from..all.len()).rfind(|&i| !all[i].code && (is_question(&all[i]) || context.is_some() && label(&all[i], "answer:")));
    let question_before = context.is_some_and(|i| (at..i).any(|j| is_question(&all[j])));
    let Some(end) = end.map(|i| all[i].span.start).or(question_before.then_some(text.len())) else {
        return Region { span: start..text.len(), list: Err("no question follows the pieces of context".to_owned()) };
    };
    let span = trim(text, start..end.max(start));
    Region { span: span.clone(), list: parted(text, span, "the pieces of context") }
}

/// Chunks by what marks them, else by blank lines.
fn parted(text: &str, content: Range<usize>, mark: &str) -> Result<List, String> {
    inside(text, content.clone(), mark)
        .or_else(|why| if why.ends_with("chunks apart") { paragraphs(text, content, mark) } else { Err(why) })
}

/// Paragraphs. Metadata, as LlamaIndex puts before a text (`file_path: …`), stays with the paragraph behind it.
fn paragraphs(text: &str, content: Range<usize>, mark: &str) -> Result<List, String> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut open: Option<usize> = None;
    let all = lines(text, content.clone());
    let blank = |line: &Line| text[line.span.clone()].trim().is_empty();
    let mut metadata = false;
    for (i, line) in all.iter().enumerate() {
        let last = all.get(i + 1).is_none_or(&blank);
        if blank(line) {
            continue;
        }
        let content = &text[line.span.clone()];
        if line.code || is_part(content) {
            return Err(format!("a paragraph in {mark} may be a part of one chunk"));
        }
        let start = *open.get_or_insert_with(|| {
            metadata = true;
            line.span.start
        });
        metadata &= is_metadata(content);
        if last && !metadata {
            chunks.push(Chunk { span: trim(text, start..line.span.end), number: None, names: names(&text[start..line.span.end]) });
            open = None;
        }
    }
    match open {
        None => Ok(List { layout: format!("paragraphs in {mark}"), chunks }),
        Some(_) => Err(format!("{mark} end with metadata")),
    }
}

/// Whether a line belongs to a text with more than one paragraph: a list, a heading, a quote, or what introduces one.
fn is_part(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let listed = number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    listed || ["- ", "* ", "+ ", "#", ">", "|", "    ", "\t"].iter().any(|start| line.starts_with(start)) || line.trim_end().ends_with(':')
}

/// Whether a line is `key: value` with a key like `file_path`.
fn is_metadata(line: &str) -> bool {
    let key = line.split_once(": ").map_or("", |(key, _)| key);
    !key.is_empty()
        && key.len() < 40
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !key.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The values of the metadata that a chunk begins with.
fn names(chunk: &str) -> Vec<String> {
    let values = chunk.lines().take_while(|line| is_metadata(line)).filter_map(|line| line.split_once(": "));
    values.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;
    use super::*;

    const DASHES: &str = "---------------------";

    #[test]
    fn llama_index() {
        let prompt = |context: &str| {
            format!(
                "Context information is below.\n{DASHES}\n{context}\n{DASHES}\nGiven the context information and not prior knowledge, answer the query.\nQuery: who?\nAnswer: "
            )
        };
        assert_eq!(chunks(&prompt("one\nline\n\ntwo\n\n\nthree")).unwrap(), ["one\nline", "two", "three"]);
        let with_metadata = "file_path: a.md\npage_label: 1\n\none\n\nfile_path: b.md\n\ntwo";
        let text = prompt(with_metadata);
        assert_eq!(chunks(&text).unwrap(), ["file_path: a.md\npage_label: 1\n\none", "file_path: b.md\n\ntwo"]);
        let region = find(&text).expect("a region");
        assert!(text[region.span.end..].starts_with("\nGiven"));
        assert_eq!(region.list.expect("chunks").chunks[0].names, ["a.md", "1"]);
        assert_eq!(chunks(&prompt("[1] a\n\nb\n[2] c")).unwrap(), ["[1] a\n\nb", "[2] c"]);
        for (context, want) in [
            ("a\n\n- b\n\n- c", "may be a part"),
            ("see:\n\nb", "may be a part"),
            (&format!("a\n{DASHES}\nb"), "more than two"),
            ("```\na\n\nb\n```", "may be a part"),
        ] {
            let why = chunks(&prompt(context)).unwrap_err();
            assert!(why.contains(want), "{context}: {why}");
        }
        assert!(chunks(&format!("Context information is below.\n{DASHES}\na\n\nb")).unwrap_err().contains("no second one"));
    }

    #[test]
    fn lang_chain() {
        let old = "Use the following pieces of context to answer the question at the end. If you don't know, say so.\n\none\n\ntwo\n\nthree\n\nQuestion: who?\nHelpful Answer:";
        assert_eq!(chunks(old).unwrap(), ["one", "two", "three"]);
        let new = "You are an assistant.\nUse the following pieces of retrieved context to answer the question.\nQuestion: who? \nContext: one\n\ntwo\n\nthree \nAnswer:";
        assert_eq!(chunks(new).unwrap(), ["one", "two", "three"]);
        assert!(chunks("Use the following pieces of context to answer.\n\none\n\ntwo").unwrap_err().contains("no question"));
    }
}
