//! Lists whose chunks begin with a head each, and the rule for where a chunk ends.
//!
//! A chunk ends where the next one begins. If all the others have one number of lines or paragraphs, and it
//! alone has more, then something that is no chunk may stand in it, and the list is left alone. Nothing marks the end of the last
//! chunk: unless it is one line behind its head, it stays where it is, and only as much as the others have is taken for it.

use super::lines::{Line, is_blank};
use super::{Chunk, List, keys, labels, numbered, trim, unmarked};

/// The head of a chunk.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Its line.
    pub line: usize,
    /// Its number.
    pub number: Option<u32>,
    /// The address it names.
    pub name: Option<String>,
}

/// Heads that look alike.
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// The form of the heads, as a text for people.
    pub layout: String,
    /// Whether they say by themselves that what follows them was retrieved.
    pub evident: bool,
    /// The heads, in order.
    pub heads: Vec<Head>,
}

impl Series {
    /// The chunks in `lines`.
    ///
    /// # Errors
    /// They cannot be distinguished, and why.
    pub fn chunks(&self, text: &str, lines: &[Line], mark: &str) -> Result<List, String> {
        let ends = self
            .heads
            .iter()
            .skip(1)
            .map(|head| head.line)
            .chain([lines.len()]);
        let mut bodies: Vec<&[Line]> = self
            .heads
            .iter()
            .zip(ends)
            .map(|(head, end)| without_rules(text, &lines[head.line..end]))
            .collect();
        let last = bodies.len() - 1;
        let sizes: Vec<Size> = bodies[..last]
            .iter()
            .map(|lines| size(text, lines))
            .collect();
        if let Some(odd) = odd(&sizes, 0).or_else(|| odd(&sizes, 1)) {
            return Err(format!(
                "chunk {} in {mark} is longer than all others",
                odd + 1
            ));
        }
        let most = [0, 1].map(|part| sizes.iter().map(|size| size[part]).max().unwrap_or(1));
        let is_fixed = !is_closed(text, bodies[last], bodies[last - 1].len());
        bodies[last] = shortened(text, bodies[last], most);
        let mut chunks = Vec::new();
        for (at, (head, lines)) in self.heads.iter().zip(bodies).enumerate() {
            let span = trim(text, lines[0].span.start..lines[lines.len() - 1].span.end);
            let own = &text[span.clone()];
            if !numbered::without(own).chars().any(char::is_alphanumeric) {
                return Err(format!("chunk {} in {mark} is empty", at + 1));
            }
            let names = head.name.iter().cloned().chain(keys::names(own)).collect();
            chunks.push(Chunk {
                is_fixed: at == last && is_fixed,
                number: head.number,
                names,
                ..Chunk::of(text, span)
            });
        }
        Ok(List {
            layout: format!("{} in {mark}", self.layout),
            chunks,
        })
    }
}

/// The extent of a chunk: its paragraphs and its lines.
type Size = [usize; 2];

fn size(text: &str, lines: &[Line]) -> Size {
    let filled = |line: &Line| !is_blank(text, line);
    let ends = lines.chunk_by(|a, b| filled(a) == filled(b));
    [
        ends.filter(|run| filled(&run[0])).count(),
        lines.iter().filter(|line| filled(line)).count(),
    ]
}

/// The chunk that alone has more of something than all the others, which have as much of it as each other.
fn odd(sizes: &[Size], part: usize) -> Option<usize> {
    let at = (0..sizes.len()).max_by_key(|&at| sizes[at][part])?;
    let others: Vec<usize> = sizes
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != at)
        .map(|(_, size)| size[part])
        .collect();
    (others.len() > 1
        && sizes[at][part] > others[0]
        && others.iter().all(|other| *other == others[0]))
    .then_some(at)
}

/// Lines without blank ones and rules behind the last one.
fn without_rules<'a>(text: &str, lines: &'a [Line]) -> &'a [Line] {
    let is_end =
        |line: &Line| is_blank(text, line) || !line.code && unmarked::rule(line.of(text)).is_some();
    let end = lines
        .iter()
        .skip(1)
        .rposition(|line| !is_end(line))
        .map_or(1, |at| at + 2);
    &lines[..end]
}

/// Whether no other text can be in the last chunk: it is its head and a line, or key lines only, no more than the one before has lines.
fn is_closed(text: &str, lines: &[Line], before: usize) -> bool {
    let own: Vec<&str> = lines.iter().map(|line| line.of(text)).collect();
    let alone = !numbered::without(own[0]).chars().any(char::is_alphanumeric);
    own.len() == 1
        || own.len() == 2 && alone
        || own.len() <= before && own.iter().all(|line| keys::begins(line))
}

/// The lines of the last chunk: no more of them and of paragraphs than `most`, and none from a rule or a label on.
fn shortened<'a>(text: &str, lines: &'a [Line], most: Size) -> &'a [Line] {
    let closes = |line: &Line| {
        let own = line.of(text);
        !line.code
            && (unmarked::rule(own).is_some()
                || labels::label(own).is_some_and(|(kind, _)| kind != labels::LabelKind::Context))
    };
    let end = lines
        .iter()
        .skip(1)
        .position(closes)
        .map_or(lines.len(), |at| at + 1);
    let filled = |at: usize| !is_blank(text, &lines[at]);
    let (mut paragraphs, mut count) = (0, 0);
    let fits = |at: &usize| {
        count += usize::from(filled(*at));
        paragraphs += usize::from(filled(*at) && (*at == 0 || !filled(at - 1)));
        [paragraphs, count]
            .iter()
            .zip(most)
            .all(|(own, most)| *own <= most)
    };
    let fitting = (0..end).take_while(fits).count();
    without_rules(text, &lines[..fitting.max(1)])
}
