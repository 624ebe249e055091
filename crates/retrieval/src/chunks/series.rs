//! Lists whose chunks begin with a head each, and the rule for where a chunk ends.
//!
//! A chunk ends where the next one begins. If all the others have one number of lines or
//! paragraphs, and it alone has more, then something that is no chunk may stand in it, and the list
//! is left alone. Nothing marks the end of the last chunk: unless it is one line behind its head,
//! it stays where it is, and only as much as the others have is taken for it.

use super::{
    Chunk, List, keys,
    labels::{LabelKind, label},
    lines::{Line, Lines},
    numbered, unmarked,
    vocabulary::has_words,
};

/// The head of a chunk.
#[derive(Debug)]
pub struct Head {
    /// Its line.
    pub line: usize,
    /// Its number.
    pub number: Option<u32>,
    /// The address it names.
    pub name: Option<String>,
}

/// Heads that look alike.
#[derive(Debug)]
pub struct Series {
    /// The form of the heads, as a text for people.
    pub layout: String,
    /// Whether they say by themselves that what follows them was retrieved.
    pub evident: bool,
    /// The heads, in order.
    pub heads: Vec<Head>,
}

impl Series {
    /// The lines from each head up to the next one.
    pub fn bodies<'l>(&self, lines: Lines<'l>) -> impl Iterator<Item = Lines<'l>> {
        let heads = self.heads.iter().map(|head| head.line);
        let ends = heads.clone().skip(1).chain([lines.len()]);
        heads.zip(ends).map(|(head, end)| &lines[head..end])
    }

    /// The chunks in `lines`.
    ///
    /// # Errors
    /// They cannot be distinguished, and why.
    pub fn chunks(&self, text: &str, lines: Lines<'_>, mark: &str) -> Result<List, String> {
        let mut bodies: Vec<_> = self.bodies(lines).map(without_rules).collect();
        let last = bodies.len() - 1;
        let sizes: (Vec<usize>, Vec<usize>) = bodies[..last].iter().map(size).unzip();
        if let Some(odd) = odd(&sizes.0).or_else(|| odd(&sizes.1)) {
            return Err(format!(
                "chunk {} in {mark} is longer than all others",
                odd + 1
            ));
        }
        let most = <[_; 2]>::from(sizes).map(|sizes| sizes.into_iter().max().unwrap_or(1));
        let is_fixed = !is_closed(bodies[last], bodies[last - 1].len());
        bodies[last] = shortened(bodies[last], most);
        let mut chunks = Vec::new();
        for (at, (head, lines)) in self.heads.iter().zip(bodies).enumerate() {
            let chunk =
                Chunk::of(text, lines).filter(|chunk| has_words(numbered::without(&chunk.text)));
            let chunk = chunk.ok_or_else(|| format!("chunk {} in {mark} is empty", at + 1))?;
            let names = head.name.iter().cloned().chain(keys::names(&chunk.text));
            chunks.push(Chunk {
                is_fixed: at == last && is_fixed,
                number: head.number,
                names: names.collect(),
                ..chunk
            });
        }
        Ok(List {
            layout: format!("{} in {mark}", self.layout),
            chunks,
        })
    }
}

/// The extent of a chunk: its paragraphs and its lines.
fn size(lines: &Lines<'_>) -> (usize, usize) {
    let paragraphs = lines
        .split(Line::is_blank)
        .filter(|lines| !lines.is_empty());
    let filled = lines.iter().filter(|line| !line.is_blank());
    (paragraphs.count(), filled.count())
}

/// The place of the only size that is larger than all the others, which are alike.
fn odd(sizes: &[usize]) -> Option<usize> {
    let at = (0..sizes.len()).max_by_key(|&at| sizes[at])?;
    let mut others = sizes.to_vec();
    let most = others.swap_remove(at);
    let is_odd = |other: &usize| *other == others[0] && *other < most;
    (others.len() > 1 && others.iter().all(is_odd)).then_some(at)
}

/// Lines without blank ones and rules behind the last one.
fn without_rules(lines: Lines<'_>) -> Lines<'_> {
    let is_end = |line: &Line<'_>| line.is_blank() || line.read(unmarked::rule).is_some();
    let last = lines.iter().skip(1).rposition(|line| !is_end(line));
    &lines[..last.map_or(1, |at| at + 2)]
}

/// Whether no other text can be in the last chunk: it is its head and a line, or key lines only, no
/// more than the one before has lines.
fn is_closed(lines: Lines<'_>, before: usize) -> bool {
    lines.len() == 1
        || lines.len() == 2 && !has_words(numbered::without(lines[0].text))
        || lines.len() <= before && lines.iter().all(|line| keys::begins(line.text))
}

/// The lines of the last chunk: no more of them and of paragraphs than `most`, and none from a rule
/// or a label on.
fn shortened(lines: Lines<'_>, most: [usize; 2]) -> Lines<'_> {
    let closes = |line: &Line<'_>| {
        line.read(unmarked::rule).is_some()
            || line
                .read(label)
                .is_some_and(|(kind, _)| kind != LabelKind::Context)
    };
    let end = lines.iter().skip(1).position(closes);
    let mut size = [0, 0];
    let fits = |at: &usize| {
        let is_filled = !lines[*at].is_blank();
        let begins = is_filled && (*at == 0 || lines[at - 1].is_blank());
        size = [
            size[0] + usize::from(begins),
            size[1] + usize::from(is_filled),
        ];
        size[0] <= most[0] && size[1] <= most[1]
    };
    let fitting = (0..end.map_or(lines.len(), |at| at + 1)).take_while(fits);
    without_rules(&lines[..fitting.count().max(1)])
}
