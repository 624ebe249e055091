//! Pairs: joins neighbouring tokens of a piece of text, the pair that the vocabulary has first before all others.

use super::bytes;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

/// The pairs, as numbers of tokens, the low byte first.
static MERGES: &[u8] = include_bytes!("anthropic.merges");
/// The token of the first pair.
const FIRST: u32 = 261;

/// The token of each pair.
static TOKENS: LazyLock<HashMap<(u16, u16), u16>> = LazyLock::new(|| {
    let token = |at: &[u8]| u16::from_le_bytes([at[0], at[1]]);
    let pairs = MERGES.chunks_exact(4).map(|pair| (token(pair), token(&pair[2..])));
    pairs.zip(FIRST..).map(|(pair, number)| (pair, number as u16)).collect()
});

/// No place.
const NONE: u32 = u32::MAX;

/// A token of a piece, and the places of its neighbours.
#[derive(Clone, Copy)]
struct Token {
    number: u16,
    is_joined: bool,
    before: u32,
    after: u32,
}

/// Returns the number of tokens of a piece.
pub fn count(piece: &[u8]) -> u64 {
    let end = piece.len() as u32;
    let mut tokens: Vec<Token> = piece
        .iter()
        .zip(0..)
        .map(|(byte, i)| {
            let after = if i + 1 < end { i + 1 } else { NONE };
            Token { number: bytes::TOKENS[usize::from(*byte)], is_joined: false, before: i.wrapping_sub(1), after }
        })
        .collect();
    // Of pairs that are the same the first is joined first.
    let pair = |tokens: &[Token], at: u32| {
        let next = tokens.get(tokens[at as usize].after as usize)?;
        TOKENS.get(&(tokens[at as usize].number, next.number)).copied()
    };
    let mut pairs: BinaryHeap<Reverse<(u16, u32)>> =
        (0..end).filter_map(|at| pair(&tokens, at).map(|number| Reverse((number, at)))).collect();
    let mut count = u64::from(end);
    while let Some(Reverse((number, at))) = pairs.pop() {
        // What was found of it may have been joined since.
        if tokens[at as usize].is_joined || pair(&tokens, at) != Some(number) {
            continue;
        }
        let next = tokens[at as usize].after;
        let after = tokens[next as usize].after;
        tokens[next as usize].is_joined = true;
        tokens[at as usize].number = number;
        tokens[at as usize].after = after;
        if let Some(token) = tokens.get_mut(after as usize) {
            token.before = at;
        }
        count -= 1;
        for place in [tokens[at as usize].before, at] {
            if place != NONE
                && let Some(number) = pair(&tokens, place)
            {
                pairs.push(Reverse((number, place)));
            }
        }
    }
    count
}
