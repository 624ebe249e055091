//! Chooses the chunks that are kept, and their order.

use crate::{
    chunks::Chunk,
    score::{order, threshold},
};
use deadhead_core::settings::{Order, RagRerank};

/// A list as it comes out.
#[derive(Debug, PartialEq)]
pub struct Choice {
    /// The chunks that stay, as indices, in their new order.
    pub order: Vec<usize>,
    /// The score of each chunk as a share of the best one's.
    pub scores: Vec<f64>,
}

/// Chooses among chunks of these cosines and lengths in UTF-16 units; nothing where no chunk has
/// anything of the question. What is cited is kept, and what is fixed, the first or the last one,
/// is kept where it is.
pub fn choose(
    cosines: &[f64],
    chars: &[u64],
    (is_cited, chunks): (&[bool], &[Chunk]),
    settings: &RagRerank,
) -> Option<Choice> {
    let best = cosines.iter().copied().fold(0.0, f64::max);
    if best <= 0.0 {
        return None;
    }
    let scores: Vec<f64> = cosines.iter().map(|cosine| cosine / best).collect();
    let threshold = settings.threshold.unwrap_or_else(|| threshold(&scores));
    let is_safe = |rank: usize, at: usize| {
        rank < settings.min_keep.max(1) || is_cited[at] || chunks[at].is_fixed || settings.keep_all
    };
    let ranked = order(&scores)
        .into_iter()
        .enumerate()
        .map(|(rank, at)| (at, is_safe(rank, at)));
    let mut kept: Vec<(usize, bool)> = ranked
        .filter(|&(at, is_safe)| is_safe || scores[at] >= threshold)
        .collect();
    let mut total: u64 = kept.iter().map(|&(at, _)| chars[at]).sum();
    let mut count = kept.len() as u64;
    kept.reverse();
    kept.retain(|&(at, is_safe)| {
        let is_over = settings.max_chunks.is_some_and(|max| count > max)
            || settings.max_chars.is_some_and(|max| total > max);
        let goes = is_over && !is_safe;
        if goes {
            (count, total) = (count - 1, total - chars[at]);
        }
        !goes
    });
    let mut order: Vec<usize> = kept.into_iter().rev().map(|(at, _)| at).collect();
    match settings.order {
        Order::Keep => order.sort_unstable(),
        Order::Rank => order.sort_by_key(|&at| match (chunks[at].is_fixed, at) {
            (false, _) => 1,
            (true, 0) => 0,
            (true, _) => 2,
        }),
    }
    Some(Choice { order, scores })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COSINES: [f64; 5] = [0.1, 0.4, 0.0, 0.2, 0.4];

    fn chunk(is_fixed: bool) -> Chunk {
        Chunk {
            is_fixed,
            ..Chunk::new(0..0, "")
        }
    }

    fn kept(settings: &RagRerank, is_cited: [bool; 5], is_fixed: [bool; 5]) -> Vec<usize> {
        choose(
            &COSINES,
            &[10; 5],
            (&is_cited, &is_fixed.map(chunk)),
            settings,
        )
        .expect("a best one")
        .order
    }

    #[test]
    fn kept_chunks() {
        let none = [false; 5];
        let order = |settings: &RagRerank, is_cited| kept(settings, is_cited, none);
        let with = |change: fn(&mut RagRerank)| {
            let mut settings = RagRerank {
                threshold: Some(0.0),
                ..RagRerank::default()
            };
            change(&mut settings);
            settings
        };
        assert_eq!(order(&with(|_| ()), none), [1, 4, 3, 0, 2]);
        assert_eq!(
            order(&with(|s| s.order = Order::Keep), none),
            [0, 1, 2, 3, 4]
        );
        assert_eq!(order(&with(|s| s.threshold = Some(0.5)), none), [1, 4, 3]);
        assert_eq!(order(&with(|s| s.threshold = Some(1.0)), none), [1, 4]);
        assert_eq!(
            order(
                &with(|s| (s.threshold, s.order) = (Some(0.5), Order::Keep)),
                none
            ),
            [1, 3, 4]
        );
        assert_eq!(order(&with(|s| s.max_chunks = Some(2)), none), [1, 4]);
        assert_eq!(order(&with(|s| s.max_chars = Some(25)), none), [1, 4]);
        assert_eq!(
            order(&with(|s| (s.max_chars, s.min_keep) = (Some(1), 3)), none),
            [1, 4, 3]
        );
        assert_eq!(
            order(&with(|s| (s.max_chars, s.min_keep) = (Some(1), 0)), none),
            [1]
        );
        assert_eq!(
            order(
                &with(|s| s.max_chunks = Some(2)),
                [false, false, true, false, false]
            ),
            [1, 2]
        );
        assert_eq!(
            order(
                &with(|s| (s.threshold, s.max_chunks, s.keep_all) = (Some(1.0), Some(1), true)),
                none
            ),
            [1, 4, 3, 0, 2]
        );
        let ends = [true, false, false, false, true];
        assert_eq!(kept(&with(|_| ()), none, ends), [0, 1, 3, 2, 4]);
        assert_eq!(
            kept(&with(|s| s.max_chunks = Some(2)), none, ends),
            [0, 1, 4]
        );
        assert_eq!(
            choose(
                &[0.0, 0.0],
                &[1, 1],
                (&[false, true], &[false; 2].map(chunk)),
                &RagRerank::default()
            ),
            None
        );
    }

    proptest! {
        #[test]
        fn limits_hold(
            chunks in prop::collection::vec((0.0f64..1.0, 1u64..50, any::<bool>()), 1..12),
            threshold in prop::option::of(0.0f64..=1.0), max in prop::option::of(1u64..6), chars in prop::option::of(1u64..200), min_keep in 0usize..4, keep: bool,
        ) {
            let cosines: Vec<f64> = chunks.iter().map(|c| c.0).collect();
            let lengths: Vec<u64> = chunks.iter().map(|c| c.1).collect();
            let is_cited: Vec<bool> = chunks.iter().map(|c| c.2).collect();
            let order = if keep { Order::Keep } else { Order::Rank };
            let settings = RagRerank { threshold, max_chunks: max, max_chars: chars, min_keep, order, ..RagRerank::default() };
            let Some(choice) = choose(&cosines, &lengths, (&is_cited, &vec![chunk(false); chunks.len()]), &settings) else { return Ok(()) };
            let mut once = choice.order.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), choice.order.len());
            prop_assert!(choice.order.len() >= min_keep.max(1).min(chunks.len()));
            prop_assert!((0..chunks.len()).all(|i| !is_cited[i] || choice.order.contains(&i)));
            let free = choice.order.iter().filter(|&&i| !is_cited[i]).count();
            prop_assert!(max.is_none_or(|max| choice.order.len() as u64 <= max || free <= min_keep.max(1)));
            if keep {
                prop_assert!(choice.order.is_sorted());
            } else {
                prop_assert!(choice.order.windows(2).all(|w| cosines[w[0]] >= cosines[w[1]]));
            }
        }
    }
}
