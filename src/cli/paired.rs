//! Two properties of the same cases, and the interval of the difference of their shares.

/// The quantile of the normal distribution for an interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The number of cases with both properties, the first alone, the second alone, and neither.
#[derive(Default)]
pub struct Paired([f64; 4]);

impl Paired {
    /// Adds a case, or a part of one that was seen several times.
    pub fn add(&mut self, first: bool, second: bool, part: f64) {
        self.0[2 * usize::from(!first) + usize::from(!second)] += part;
    }

    /// Returns the number of cases.
    pub fn count(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Returns the share of the cases with the first property, of those with the second, the
    /// difference, and the ends of its 95 % interval.
    ///
    /// That is method 10 of R. G. Newcombe, Improved confidence intervals for the difference
    /// between binomial proportions based on paired data, Stat Med 1998;17:2635.
    pub fn figures(&self) -> [f64; 5] {
        let ([both, first, second, neither], n) = (self.0, self.count());
        let sides = [both + first, both + second];
        let [a, b] = sides.map(|side| side / n);
        let [(a_low, a_high), (b_low, b_high)] = [a, b].map(|share| distances(share, n));
        let product: f64 = sides.iter().map(|side| side * (n - side)).product();
        let excess = both * neither - first * second;
        // A positive correlation is corrected for continuity.
        let excess = excess.min((excess - n / 2.0).max(0.0));
        let phi = if product > 0.0 {
            excess / product.sqrt()
        } else {
            0.0
        };
        let root = |x: f64, y: f64| (x * x - 2.0 * phi * x * y + y * y).max(0.0).sqrt();
        let (below, above) = (root(a_low, b_high), root(a_high, b_low));
        [a, b, a - b, a - b - below, a - b + above]
    }
}

/// Returns how far below and above a share of `n` cases the ends of Wilson's interval are.
fn distances(share: f64, n: f64) -> (f64, f64) {
    let square = Z * Z / n;
    let middle = (share + square / 2.0) / (1.0 + square);
    let spread = share * (1.0 - share) / n + square / (4.0 * n);
    let half = Z * spread.sqrt() / (1.0 + square);
    (share - middle + half, middle + half - share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(cases: [f64; 4]) -> [f64; 2] {
        let [first, second, difference, low, high] = Paired(cases).figures();
        assert_eq!(difference, first - second);
        [low, high]
    }

    /// Published figures: Newcombe 1998, table II; Altman, Machin, Bryant, Gardner, Statistics with
    /// Confidence (2000), table 6.2; Fagerland, Lydersen, Laake, Statistical Analysis of
    /// Contingency Tables (2017), chapter 8, as the tests of its R package contingencytables print
    /// them (Bentur 2009, Cavo 2012).
    #[test]
    fn the_interval_is_the_published_one() {
        for (cases, low, high, unit) in [
            ([36.0, 12.0, 2.0, 0.0], 0.0569, 0.3404, 1e-4),
            ([14.0, 5.0, 0.0, 22.0], 0.011, 0.226, 1e-3),
            ([1.0, 1.0, 7.0, 12.0], -0.507, -0.026, 1e-3),
            ([59.0, 6.0, 16.0, 80.0], -0.1186, -0.0046, 1e-4),
        ] {
            let found = interval(cases);
            assert!((found[0] - low).abs() < unit, "{cases:?} {found:?}");
            assert!((found[1] - high).abs() < unit, "{cases:?} {found:?}");
        }
    }

    #[test]
    fn the_ends_of_all_and_none() {
        let [low, high] = interval([10.0, 0.0, 0.0, 0.0]);
        assert!(low < 0.0 && high > 0.0 && (low + high).abs() < 1e-9);
        let [low, high] = interval([0.0, 0.0, 10.0, 0.0]);
        assert!((low + 1.0).abs() < 1e-9 && high < -0.6, "{low} {high}");
        let [low, high] = interval([0.5, 0.0, 0.5, 0.0]);
        assert!(low >= -1.0 && high <= 1.0, "{low} {high}");
    }
}
