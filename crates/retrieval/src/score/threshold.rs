//! The share of the best score below which a chunk is removed, chosen from the distribution of the
//! scores of its list.
//!
//! Where one chunk or a few answer the question, the others share few words with it: the median
//! score is low, and a score of an eighth of the best is noise. Where the median is near the best,
//! most of the chunks are about the question, and a low score only means that a chunk uses other
//! words. Between the two the threshold falls in proportion.

/// The threshold where the scores are far apart.
const FAR: f64 = 0.12;
/// The median, as a share of the best, up to which they are.
const FEW: f64 = 0.15;
/// The median from which on no chunk is left out.
const MANY: f64 = 0.25;

/// The threshold for chunks of these shares of the best score.
pub fn threshold(shares: &[f64]) -> f64 {
    FAR * ((MANY - median(shares)) / (MANY - FEW)).clamp(0.0, 1.0)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 0 => f64::midpoint(sorted[half - 1], sorted[half]),
        _ => sorted[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_scores_lower_it() {
        for (shares, want) in [
            (&[1.0, 0.1, 0.05, 0.0][..], 0.12),
            (&[1.0, 0.15, 0.1], 0.12),
            (&[1.0, 0.2, 0.1], 0.06),
            (&[1.0, 0.25, 0.1], 0.0),
            (&[1.0, 0.9, 0.8, 0.01], 0.0),
            (&[1.0], 0.0),
            (&[], 0.12),
        ] {
            assert!(
                (threshold(shares) - want).abs() < 1e-9,
                "{shares:?}: {}",
                threshold(shares)
            );
        }
    }
}
