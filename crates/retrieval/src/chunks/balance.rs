//! Tags of which one end is in a chunk and the other outside of it.

use super::List;
use super::tag::matched;
use std::ops::Range;

/// A list of which each chunk closes what it opens, and the reverse; a tag that is not closed needs no end. In the last chunk, a tag may
/// be of what is around the list: it stays where it is.
///
/// # Errors
/// Another one does not.
pub fn balanced(text: &str, mut list: List, mark: &str) -> Result<List, String> {
    let all = matched(text);
    let is_torn = |span: &Range<usize>| {
        let from = all.partition_point(|(tag, _)| tag.span.start < span.start);
        let own = all[from..].iter();
        let mut own = own.take_while(|(tag, _)| tag.span.start < span.end);
        own.any(|(tag, other)| match other {
            Some(other) => !span.contains(&other.start),
            None => tag.closes,
        })
    };
    let mut chunks = list.chunks.iter();
    match chunks.position(|chunk| !chunk.is_fixed && is_torn(&chunk.span)) {
        Some(at) if at + 1 < list.chunks.len() => {
            return Err(format!(
                "a tag in chunk {} in {mark} has its other end outside",
                at + 1
            ));
        }
        Some(at) => list.chunks[at].is_fixed = true,
        None => {}
    }
    Ok(list)
}
