//! Splits sessions into two halves: one to choose a policy, one to measure it.
//!
//! Two sessions of similar cost form a pair, and each half gets one of them, as their keys decide. So both halves cost about the same, and
//! neither paths nor the order of inputs change the result.

use super::trial::Trial;

/// Returns the sessions for choosing policies and those for measuring them. A single session is used for both.
pub fn halves(trials: &[Trial]) -> (Vec<&Trial>, Vec<&Trial>) {
    let mut sorted: Vec<&Trial> = trials.iter().collect();
    sorted.sort_by(|a, b| {
        b.usd
            .total_cmp(&a.usd)
            .then(a.key.cmp(&b.key))
            .then(a.path.cmp(&b.path))
    });
    if sorted.len() < 2 {
        return (sorted.clone(), sorted);
    }
    let (mut choosing, mut measured) = (Vec::new(), Vec::new());
    for pair in sorted.chunks(2) {
        match *pair {
            [a, b] => {
                let (first, second) = if a.key < b.key { (a, b) } else { (b, a) };
                choosing.push(first);
                measured.push(second);
            }
            _ => measured.extend(pair),
        }
    }
    (choosing, measured)
}
