//! Fits chars to tokens by the usage in the log: tokens = overhead + text / rate + the model's own output.
//!
//! The overhead is the system prompt and the tools, which the log does not contain. The model's output is taken as the provider counted it,
//! times the share of it that is sent again: models drop old reasoning, and logs leave it out. All three are fitted by least squares over
//! the requests whose prompts the provider counted. The standard error of the rate is that of a jackknife over sections of the log, since
//! consecutive requests share most of their prompt and are not independent measurements.

use super::rounded::{RoundedNumber, thousandths};
use deadhead_core::internal::message_tokens::{LIKELY_RATES, Weight};
use schemars::JsonSchema;
use serde::Serialize;

/// Chars of a token if nothing was counted.
const USUAL: f64 = 4.0;
/// The number of sections of the jackknife.
const STRETCHES: usize = 8;
/// The least ratio of the rate to its standard error.
const CERTAIN: f64 = 4.0;
/// The minimum number of requests for a fit.
const LEAST: usize = 6;

/// The fitted ratio of chars to tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Tokens")]
pub struct Fit {
    /// Chars of a token.
    #[serde(serialize_with = "thousandths")]
    pub chars_per_token: f64,
    /// Its standard error; null if nothing was fitted.
    pub error: Option<f64>,
    /// The share of the model's output that is sent again.
    #[serde(serialize_with = "thousandths")]
    pub said_again: f64,
    /// Tokens of every prompt outside its messages.
    #[serde(with = "RoundedNumber")]
    pub overhead: f64,
    /// The number of requests of the fit.
    pub requests: u64,
    /// The typical difference between a prompt and the fit, in tokens.
    #[serde(with = "RoundedNumber")]
    pub residual: f64,
}

/// The prompt of a request: the size of the content that was sent, and its counted tokens.
pub type Point = (Weight, u64);

/// Text, output, and tokens without images.
type Line = [f64; 3];

/// Overhead, tokens of a char, share of the output.
type Plane = [f64; 3];

impl Fit {
    /// The fit for a log without counted tokens.
    pub const USUAL: Fit = Fit {
        chars_per_token: USUAL,
        error: None,
        said_again: 1.0,
        overhead: 0.0,
        requests: 0,
        residual: 0.0,
    };

    /// Fits points, which are in the order of the log.
    pub fn to(points: &[Point]) -> Fit {
        let line = |(weight, tokens): &Point| {
            [
                weight.units as f64,
                weight.said as f64,
                *tokens as f64 - weight.tokens(0.0, 0.0),
            ]
        };
        let lines: Vec<Line> = points.iter().map(line).collect();
        if lines.len() < LEAST {
            return Fit::USUAL;
        }
        let Some(plane) = plane(&lines) else {
            return Fit::USUAL;
        };
        let [overhead, slope, said_again] = plane;
        let square = |[x, z, y]: &Line| (y - overhead - x * slope - z * said_again).powi(2);
        let mean = lines.iter().map(square).sum::<f64>() / lines.len() as f64;
        let (chars_per_token, error) = (1.0 / slope, jackknife(&lines));
        // No text has such a rate, or the sections of the log disagree about it.
        let is_certain = error.is_some_and(|error| error <= chars_per_token / CERTAIN);
        if !is_certain || !LIKELY_RATES.contains(&chars_per_token) {
            return Fit::USUAL;
        }
        Fit {
            chars_per_token,
            error,
            said_again,
            overhead,
            requests: lines.len() as u64,
            residual: mean.sqrt(),
        }
    }
}

/// Returns the first plausible fit: with three unknowns, else with all output sent again, else without an overhead.
fn plane(lines: &[Line]) -> Option<Plane> {
    let whole: Vec<Line> = lines.iter().map(|[x, z, y]| [*x, 0.0, y - z]).collect();
    let makes_sense = |[overhead, slope, said]: &Plane| {
        *overhead >= 0.0 && (0.1..=2.0).contains(slope) && (0.2..=1.0).contains(said)
    };
    let tries = [
        (lines, [true, true, true]),
        (&whole[..], [true, true, false]),
        (&whole[..], [false, true, false]),
    ];
    tries.into_iter().find_map(|(lines, free)| {
        let [overhead, slope, said] = solve(lines, free)?;
        let said = if free[2] { said } else { 1.0 };
        Some([overhead, slope, said]).filter(makes_sense)
    })
}

/// Solves the normal equations for the free unknowns; the others are 0.
fn solve(lines: &[Line], free: [bool; 3]) -> Option<Plane> {
    let mut rows = [[0.0; 4]; 3];
    for [x, z, y] in lines {
        let terms = [1.0, *x, *z];
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell += terms[i] * if j < 3 { terms[j] } else { *y };
            }
        }
    }
    for i in (0..3).filter(|&i| !free[i]) {
        rows[i] = [0.0; 4];
        for row in &mut rows {
            row[i] = 0.0;
        }
        rows[i][i] = 1.0;
    }
    for i in 0..3 {
        let pivot = (i..3).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        let lead = rows[i];
        if lead[i].abs() < 1e-9 {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(other, _)| *other != i) {
            let times = row[i] / lead[i];
            for (cell, of) in row.iter_mut().zip(&lead) {
                *cell -= times * of;
            }
        }
    }
    Some([
        rows[0][3] / rows[0][0],
        rows[1][3] / rows[1][1],
        rows[2][3] / rows[2][2],
    ])
}

/// Returns the standard error of the rate.
fn jackknife(lines: &[Line]) -> Option<f64> {
    let size = lines.len().div_ceil(STRETCHES);
    let stretches = lines.len().div_ceil(size);
    if stretches < 3 {
        return None;
    }
    let without = |left_out: usize| {
        let rest: Vec<Line> = lines
            .iter()
            .enumerate()
            .filter(|(i, _)| i / size != left_out)
            .map(|(_, line)| *line)
            .collect();
        plane(&rest).map(|[_, slope, _]| 1.0 / slope)
    };
    let rates: Vec<f64> = (0..stretches).map(without).collect::<Option<_>>()?;
    let mean = rates.iter().sum::<f64>() / stretches as f64;
    let spread: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    Some((spread * (stretches - 1) as f64 / stretches as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prompts that grow by text and by answers of changing length.
    fn points(n: u64, tokens: impl Fn(f64, f64) -> f64) -> Vec<Point> {
        let mut weight = Weight::default();
        let mut point = |i: u64| {
            weight = weight
                + Weight {
                    units: 700 + i * 37 % 900,
                    images: 0,
                    said: 100 + i * 61 % 400,
                };
            let tokens = tokens(weight.units as f64, weight.said as f64);
            (weight, tokens as u64)
        };
        (1..=n).map(&mut point).collect()
    }

    #[test]
    fn all_three_are_found_again() {
        let fit = Fit::to(&points(200, |text, said| {
            12_000.0 + text / 3.5 + said * 0.7
        }));
        assert!(
            (fit.chars_per_token - 3.5).abs() < 0.05 && (fit.overhead - 12_000.0).abs() < 50.0,
            "{fit:?}"
        );
        assert!(
            (fit.said_again - 0.7).abs() < 0.05
                && fit.error.is_some_and(|error| error < 0.05)
                && fit.residual < 5.0,
            "{fit:?}"
        );
    }

    #[test]
    fn no_answer_is_sent_again_as_more_than_itself() {
        // Each answer comes with a result, around which the provider puts tokens that no log shows.
        let framed = |text: f64, said: f64| 3_000.0 + text / 3.0 + said * 1.1;
        let fit = Fit::to(&points(200, framed));
        assert!((fit.said_again - 1.0).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn noise_widens_the_error() {
        let noisy = |text: f64, said: f64| {
            9_000.0
                + text / 3.0
                + said
                + if text % 7000.0 < 3000.0 {
                    900.0
                } else {
                    -900.0
                }
        };
        let (quiet, noisy) = (
            Fit::to(&points(200, |text, said| 9_000.0 + text / 3.0 + said)),
            Fit::to(&points(200, noisy)),
        );
        assert!(
            noisy.error > quiet.error && noisy.residual > 500.0,
            "{quiet:?} {noisy:?}"
        );
    }

    #[test]
    fn an_empty_log_uses_the_fallback() {
        assert_eq!(Fit::to(&points(3, |text, _| text)), Fit::USUAL);
        assert_eq!(Fit::to(&[(Weight::default(), 9); 20]), Fit::USUAL);
        let falling = Fit::to(&points(50, |text, _| 100_000.0 - text));
        assert!(
            falling.overhead >= 0.0 && (0.5..=10.0).contains(&falling.chars_per_token),
            "{falling:?}"
        );
    }
}
