//! Formats numbers for people: thousands with commas, whole per cents, ages in two units.

use deadhead_core::settings::units;

/// `n` with a comma before every third digit: `1,000,000`.
pub fn commas(n: impl Into<i128>) -> String {
    let n: i128 = n.into();
    let digits = n.unsigned_abs().to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = joined(groups.map(String::from_utf8_lossy), ",");
    if n < 0 { format!("-{groups}") } else { groups }
}

/// `n` with its noun: `1 cut`, `2 cuts`.
pub fn counted(n: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) => format!("{} {stem}ies", commas(n)),
        None => format!("{} {noun}s", commas(n)),
    }
}

/// Texts with something between each two.
pub fn joined(texts: impl IntoIterator<Item = impl AsRef<str>>, between: &str) -> String {
    let mut all = String::new();
    for (at, text) in texts.into_iter().enumerate() {
        all += if at > 0 { between } else { "" };
        all += text.as_ref();
    }
    all
}

/// Two sizes as `412,310 → 148,022`, or as one number when they are equal.
pub fn change(before: u64, after: u64) -> String {
    arrow(commas(before), commas(after))
}

fn arrow(before: String, after: String) -> String {
    if before == after {
        before
    } else {
        format!("{before} → {after}")
    }
}

/// Two sizes with their unit and the change: `412,310 → 148,022 chars (-64 %)`.
pub fn resized(before: u64, after: u64, unit: &str) -> String {
    let (sizes, growth) = (change(before, after), growth(before as f64, after as f64));
    format!("{sizes} {unit} ({growth})")
}

/// Two shares of the window as `0.52 → 0.19`, or as one number when they read alike.
pub fn ratios(before: f64, after: f64) -> String {
    arrow(format!("{before:.2}"), format!("{after:.2}"))
}

/// A span of milliseconds: `12 s`, `47 m`, `3 h 05 m`, `2 d 4 h`. The sign is left to the caller.
pub fn age(ms: u64) -> String {
    match units(ms).map(|(count, _)| count) {
        [0, 0, 0, seconds, _] => format!("{seconds} s"),
        [0, 0, minutes, ..] => format!("{minutes} m"),
        [0, hours, minutes, ..] => format!("{hours} h {minutes:02} m"),
        [days, hours, ..] => format!("{} d {hours} h", commas(days)),
    }
}

/// Tokens in thousands or millions: `183.7k`, `54.7M`.
pub fn thousands(tokens: f64) -> String {
    match tokens {
        _ if tokens < 9_999.5 => commas(tokens.round() as i64),
        _ if tokens < 999_950.0 => format!("{:.1}k", tokens / 1000.0),
        _ => format!("{:.1}M", tokens / 1e6),
    }
}

/// Dollars as people read them: cents, or four digits where there are few.
pub fn dollars(usd: f64) -> String {
    match usd {
        _ if usd >= 1000.0 => format!("${}", commas(usd.round() as i64)),
        _ if usd >= 0.995 => format!("${usd:.2}"),
        _ => format!("${usd:.4}"),
    }
}

/// Dollars with a sign where they are lost.
pub fn signed(usd: f64) -> String {
    if usd < 0.0 {
        format!("-{}", dollars(-usd))
    } else {
        dollars(usd)
    }
}

/// Returns the change from `before` to `after` as a share with a sign: `-5.1 %`.
pub fn growth(before: f64, after: f64) -> String {
    if before <= 0.0 {
        "0 %".to_owned()
    } else {
        share(after / before - 1.0)
    }
}

/// A signed share, with a digit behind the point where it is small: `+12 %`, `-0.1 %`.
pub fn share(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        p if p < 0.05 => "0 %".to_owned(),
        p if p < 9.95 => format!("{percent:+.1} %"),
        _ if percent < 0.0 => format!("{} %", commas(percent.round() as i64)),
        _ => format!("+{} %", commas(percent.round() as i64)),
    }
}

/// A share: `12 %`, `-0.3 %`.
pub fn percent(part: f64) -> String {
    share(part).trim_start_matches('+').to_owned()
}

/// A name, or what stands for none.
pub fn named<'a>(name: &'a str, none: &'a str) -> &'a str {
    if name.is_empty() { none } else { name }
}

/// Returns the text with a capital letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_before_every_third_digit() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (999_999, "999,999"),
            (1_000_000, "1,000,000"),
            (-999, "-999"),
            (-1_000, "-1,000"),
        ] {
            assert_eq!(commas(n), text);
        }
        assert_eq!(commas(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(commas(i64::MIN), "-9,223,372,036,854,775,808");
    }

    #[test]
    fn per_cents_are_signed_and_have_a_digit_where_they_are_small() {
        for (before, after, text) in [
            (412_310.0, 148_022.0, "-64 %"),
            (0.0, 0.0, "0 %"),
            (0.0, 5.0, "0 %"),
            (10_000.0, 9_999.0, "0 %"),
            (1_000.0, 999.0, "-0.1 %"),
            (100.0, 0.0, "-100 %"),
            (100.0, 103.0, "+3.0 %"),
            (1.0, 21.0, "+2,000 %"),
        ] {
            assert_eq!(growth(before, after), text);
        }
        assert_eq!(percent(0.12), "12 %");
        assert_eq!(percent(-0.003), "-0.3 %");
    }

    #[test]
    fn ages_take_the_two_units_that_matter() {
        for (seconds, text) in [
            (0, "0 s"),
            (12, "12 s"),
            (59, "59 s"),
            (60, "1 m"),
            (47 * 60 + 59, "47 m"),
            (3_600, "1 h 00 m"),
            (3 * 3_600 + 5 * 60, "3 h 05 m"),
            (86_399, "23 h 59 m"),
            (86_400, "1 d 0 h"),
            (52 * 3_600, "2 d 4 h"),
        ] {
            assert_eq!(age(seconds * 1000), text);
        }
    }

    #[test]
    fn equal_sizes_are_said_once() {
        assert_eq!(change(1_000, 1_000), "1,000");
        assert_eq!(change(1_000, 999), "1,000 → 999");
        assert_eq!(ratios(0.501, 0.499), "0.50");
        assert_eq!(ratios(0.52, 0.19), "0.52 → 0.19");
        assert_eq!(counted(1, "cut"), "1 cut");
        assert_eq!(counted(1_000, "cut"), "1,000 cuts");
    }
}
