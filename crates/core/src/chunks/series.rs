//! Lists whose chunks begin with a header each. The header lines are known; this module finds the beginning and end of each chunk.
//!
//! In a region that is marked at both ends the last chunk ends with the region. In open text it ends before the next text of the
//! prompt: a label, a separator or an instruction that no chunk before it has. Without such a line the last chunk has as many
//! paragraphs as each of the others, if these all have the same number; otherwise the end is ambiguous and the list is not used.

use super::lines::{Line, is_blank, lines};
use super::templates::{self, LabelKind, is_instruction, label};
use super::{Chunk, List, keys, numbered, separators, trim};

/// The head of a chunk.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Its line.
    pub line: usize,
    /// Its number.
    pub number: Option<u32>,
    /// The address it names.
    pub name: Option<String>,
    /// The line past the chunk's own end mark, where it has one.
    pub end: Option<usize>,
}

/// Heads that look alike.
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// The form of the heads, as a text for people.
    pub layout: String,
    /// Whether they say by themselves that what follows them was retrieved.
    pub evident: bool,
    /// Whether they make a list only where each chunk says where it is from.
    pub sourced: bool,
    /// The heads, in order.
    pub heads: Vec<Head>,
}

/// The end of the lines with a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With the list: a mark says so.
    Marked,
    /// Before a label, and what the prompt says may be before that.
    Labelled,
    /// With the text.
    Open,
}

impl Series {
    /// The chunks in `lines`, which end as `end` says.
    ///
    /// # Errors
    /// They cannot be distinguished, and why.
    pub fn chunks(&self, text: &str, lines: &[Line], end: End, mark: &str) -> Result<List, String> {
        let mut chunks = Vec::new();
        for (i, head) in self.heads.iter().enumerate() {
            let next = self.heads.get(i + 1).map(|head| head.line);
            let past = match (head.end, next) {
                (Some(end), Some(next)) if !lines[end..next].iter().all(|line| is_blank(text, line)) => {
                    return Err(format!("there is something between two chunks in {mark}"));
                }
                (Some(past), _) | (None, Some(past)) => past,
                (None, None) => match (end, self.last_end(text, lines)) {
                    (End::Open, None) => return Err(format!("where the last chunk in {mark} ends is not clear")),
                    (End::Open | End::Labelled, Some(end)) => end,
                    (End::Marked | End::Labelled, _) => lines.len(),
                },
            };
            let span = body(text, &lines[head.line..past]);
            let first = text[lines[head.line].span.clone()].len();
            let own = &text[lines[head.line].span.clone()];
            let number = head.number;
            if span.len() <= first && is_only_head(own, number) {
                let which = number.map_or_else(|| format!("{}", i + 1), |number| number.to_string());
                return Err(format!("number {which} in {mark} is empty"));
            }
            let mut names: Vec<String> = head.name.iter().cloned().collect();
            names.extend(keys::names(&text[span.clone()]));
            if self.sourced && head.name.is_none() && !keys::is_sourced(&text[span.clone()]) {
                return Err(format!("the numbered lines in {mark} may be steps or items"));
            }
            chunks.push(Chunk { span, number, names });
        }
        Ok(List { layout: format!("{} in {mark}", self.layout), chunks, loose: false })
    }

    /// The line past the last chunk in open text, if it can be found.
    fn last_end(&self, text: &str, lines: &[Line]) -> Option<usize> {
        let (first, last) = (self.heads[0].line, self.heads.last()?.line);
        // What the chunks before the last have in them ends none.
        let closings = [is_label, is_rule, is_prompt, is_close].into_iter().filter(|closes| !(first..last).any(|i| closes(text, lines, i)));
        let closings: Vec<_> = closings.collect();
        let close = (last + 1..lines.len()).find(|&i| closings.iter().any(|closes| closes(text, lines, i)));
        let starts: Vec<usize> = self.heads.iter().map(|head| head.line).collect();
        let counts: Vec<usize> = starts.windows(2).map(|pair| paragraph_ends(text, &lines[pair[0]..pair[1]]).len()).collect();
        chunk_end(text, &lines[last..close.unwrap_or(lines.len())], &counts, close.is_some()).map(|end| last + end)
    }
}

/// The line past the chunk that `lines` begin with. The chunks before it have `counts` paragraphs; `closed` says that
/// something ends the lines. A paragraph more than all the others have is the prompt's if it looks so; else nobody can tell.
fn chunk_end(text: &str, lines: &[Line], counts: &[usize], closed: bool) -> Option<usize> {
    let ends = paragraph_ends(text, lines);
    let most = *counts.iter().max()?;
    let alike = counts.iter().all(|count| *count == most);
    let of_prompt = |paragraph: usize| {
        let from = if paragraph == 0 { 0 } else { ends[paragraph - 1] };
        lines[from..ends[paragraph]]
            .iter()
            .map(|line| &text[line.span.clone()])
            .any(|line| line.contains(['?', '？', '؟']) || is_instruction(line) || keys::any_key(line).is_some() && !keys::is_source(line))
    };
    match alike && most > 0 {
        true if ends.len() > most => of_prompt(most).then(|| ends[most - 1]),
        true if closed || ends.len() == most && !(1..most).any(of_prompt) => ends.last().copied(),
        false if closed => Some(lines.len()),
        _ => None,
    }
}

/// A list of which the last chunk may go on with what the prompt says: it has no more paragraphs than the others.
///
/// # Errors
/// Where it ends is not clear.
pub(super) fn shortened(text: &str, mut list: List, mark: &str) -> Result<List, String> {
    let ends = |chunk: &Chunk| paragraph_ends(text, &lines(text, chunk.span.clone())).len();
    let Some((last, others)) = list.chunks.split_last_mut() else { return Ok(list) };
    let counts: Vec<usize> = others.iter().map(ends).collect();
    let lines = lines(text, last.span.clone());
    if ends(last) > counts.iter().copied().max().unwrap_or(usize::MAX) {
        let end = chunk_end(text, &lines, &counts, false).filter(|end| *end > 0);
        last.span.end = lines[end.ok_or_else(|| format!("where the last chunk in {mark} ends is not clear"))? - 1].span.end;
    }
    Ok(list)
}

/// Whether a head's own line has nothing but the number.
fn is_only_head(line: &str, number: Option<u32>) -> bool {
    number.is_some_and(|number| {
        let rest = line.split_once(&number.to_string()).map_or("", |(_, rest)| rest);
        !rest.chars().any(char::is_alphanumeric)
    })
}

/// The bytes of a chunk: without white space at its ends, and without a rule behind it.
pub(super) fn body(text: &str, lines: &[Line]) -> std::ops::Range<usize> {
    let mut end = lines.len();
    while end > 1
        && (is_blank(text, &lines[end - 1]) || !lines[end - 1].code && separators::delimiter(&text[lines[end - 1].span.clone()]).is_some())
    {
        end -= 1;
    }
    match (lines.first(), lines[..end].last()) {
        (Some(first), Some(last)) => trim(text, first.span.start..last.span.end),
        _ => 0..0,
    }
}

/// Whether line `i` begins what is of the prompt: the question, the answer, its rules.
fn is_label(text: &str, lines: &[Line], i: usize) -> bool {
    let found = label(&text[lines[i].span.clone()]).filter(|_| !lines[i].code);
    found.is_some_and(|label| {
        matches!(label.kind, LabelKind::Question | LabelKind::Answer) || label.kind == LabelKind::Rules && begins(text, lines, i)
    })
}

fn is_rule(text: &str, lines: &[Line], i: usize) -> bool {
    !lines[i].code && separators::delimiter(&text[lines[i].span.clone()]).is_some()
}

/// Whether an instruction begins with line `i` that is not far from the end. The last line of all may say what is above.
fn is_prompt(text: &str, lines: &[Line], i: usize) -> bool {
    let near = text.len() - lines[i].span.start < PROMPT;
    let line = &text[lines[i].span.clone()];
    let sums_up = || text[lines[i].span.end..].trim().is_empty() && templates::sums_up(line);
    near && !lines[i].code && (begins(text, lines, i) && is_instruction(line) || sums_up())
}

/// Whether line `i` says that the list ends: `=== End ===`, `[/CONTEXT]`.
fn is_close(text: &str, lines: &[Line], i: usize) -> bool {
    let line = text[lines[i].span.clone()].trim();
    let marked = line.starts_with(|c: char| c.is_ascii_punctuation()) || !line.chars().any(char::is_lowercase);
    !lines[i].code && marked && numbered::says_end(line)
}

/// Bytes of the longest instruction behind a list.
const PROMPT: usize = 2000;

/// Whether a paragraph begins with line `i`.
fn begins(text: &str, lines: &[Line], i: usize) -> bool {
    !is_blank(text, &lines[i]) && (i == 0 || is_blank(text, &lines[i - 1]))
}

/// The lines past each paragraph; a rule is none.
fn paragraph_ends(text: &str, lines: &[Line]) -> Vec<usize> {
    let is_rule = |line: &Line| separators::delimiter(&text[line.span.clone()]).is_some();
    let filled = |i: usize| lines.get(i).is_some_and(|line| line.code || !is_blank(text, line) && !is_rule(line));
    (1..=lines.len()).filter(|&i| filled(i - 1) && !filled(i)).collect()
}
