//! Tags of which one end is in a chunk and the other outside of it.

use super::tag::tags;
use super::{Chunk, List};
use std::collections::HashMap;

/// A list of which each chunk closes what it opens, and the reverse. In the last chunk, a tag may be of what is around the list: it
/// stays where it is.
///
/// # Errors
/// Another one does not.
pub(super) fn balanced(text: &str, mut list: List, mark: &str) -> Result<List, String> {
    let closed: HashMap<&str, usize> = tags(text, 0).filter(|tag| tag.closes).map(|tag| (tag.name, tag.span.start)).collect();
    let odd = list.chunks.iter().position(|chunk| !chunk.is_fixed && !is_balanced(text, chunk, &closed));
    match odd {
        Some(at) if at + 1 < list.chunks.len() => Err(format!("a tag in chunk {} in {mark} has its other end outside", at + 1)),
        Some(at) => {
            list.chunks[at].is_fixed = true;
            Ok(list)
        }
        None => Ok(list),
    }
}

/// Whether a chunk closes what it opens, and the reverse; a tag that is `closed` nowhere behind it needs no end.
fn is_balanced(text: &str, chunk: &Chunk, closed: &HashMap<&str, usize>) -> bool {
    let mut open: HashMap<&str, usize> = HashMap::new();
    for tag in tags(&text[..chunk.span.end], chunk.span.start) {
        let depth = open.entry(tag.name).or_default();
        *depth = match (tag.closes, *depth) {
            (true, 0) => return false,
            (true, depth) => depth - 1,
            (false, depth) => depth + 1,
        };
    }
    open.iter().all(|(name, depth)| *depth == 0 || closed.get(name).is_none_or(|end| *end < chunk.span.end))
}
