//! Durations as OpenClaw writes them: `5m`, `90s`, `1h30m`, and a bare number for minutes.
//!
//! Text is trimmed and its case does not matter. A composite needs a unit for every number, without
//! blanks and signs.

/// Milliseconds of a duration, rounded to the nearest.
///
/// ```
/// use deadhead_core::settings::parse_duration;
/// assert_eq!(parse_duration("1h30m"), Ok(5_400_000));
/// assert_eq!(parse_duration("5"), Ok(300_000));
/// assert!(parse_duration("soon").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<u64, String> {
    milliseconds(text).ok_or_else(|| format!("expected {EXPECTED}, not {text:?}"))
}

/// The text that [`parse_duration`] reads back to these milliseconds, largest unit first.
pub fn format_duration(ms: u64) -> String {
    if ms == 0 {
        return "0m".to_owned();
    }
    let units = units(ms).into_iter().filter(|(count, _)| *count > 0);
    units
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect()
}

/// Returns the two largest units of these milliseconds, as people say them: `4 m 59 s`.
pub fn spoken_duration(ms: u64) -> String {
    if ms == 0 {
        return "0 s".to_owned();
    }
    let largest = units(ms)
        .into_iter()
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0);
    let text: Vec<String> = largest
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    text.join(" ")
}

/// Days, hours, minutes, seconds and milliseconds.
pub fn units(ms: u64) -> [(u64, &'static str); 5] {
    let mut rest = ms;
    [
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
        ("ms", 1),
    ]
    .map(|(unit, size)| {
        let count = rest / size;
        rest %= size;
        (count, unit)
    })
}

/// The description of a duration for error texts.
pub(super) const EXPECTED: &str = "a duration such as 5m, 90s or 1h30m (a bare number is minutes)";

/// The pattern of a duration for JSON Schema.
pub(super) const PATTERN: &str = r"^\s*(\d+(\.\d+)?|(\d+(\.\d+)?([mM][sS]|[sSmMhHdD]))+)\s*$";

/// The longest duration taken: 2^53 ms, some 285,000 years, which every reader of JSON holds
/// exactly.
const LONGEST: f64 = 9_007_199_254_740_992.0;

fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (mut rest, mut total, mut n_segments) = (text.as_str(), 0.0, 0);
    while !rest.is_empty() {
        let (number, after) = number(rest)?;
        let n_letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let size = match &after[..n_letters] {
            "" if n_segments == 0 && after.is_empty() => 60_000.0,
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total += number * size;
        n_segments += 1;
        rest = &after[n_letters..];
    }
    (n_segments > 0 && total <= LONGEST).then(|| total.round() as u64)
}

/// Digits, and a point with digits if there is one; then what follows.
fn number(text: &str) -> Option<(f64, &str)> {
    let digits = |text: &str| {
        let count = text.bytes().take_while(u8::is_ascii_digit).count();
        Some(count).filter(|count| *count > 0)
    };
    let mut end = digits(text)?;
    if let Some(fraction) = text[end..].strip_prefix('.') {
        end += 1 + digits(fraction)?;
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar() {
        for (text, ms) in [
            ("5m", 300_000),
            ("5", 300_000),
            (" 5M ", 300_000),
            ("1.5", 90_000),
            ("0m", 0),
            ("0", 0),
            ("500ms", 500),
            ("90s", 90_000),
            ("0.5h", 1_800_000),
            ("1d", 86_400_000),
            ("1h30m", 5_400_000),
            ("2m500ms", 120_500),
            ("1H1M1S1MS", 3_661_001),
            ("30m1h", 5_400_000),
            ("0.4ms", 0),
            ("0.5ms", 1),
        ] {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
        }
        for text in [
            "", " ", "soon", "5 m", "-5m", "+5m", "1h30", "1h 30m", "5.", ".5m", "5x", "5mm",
            "1e3", "m", "5mé", "٣m",
        ] {
            let error = parse_duration(text).expect_err(text);
            assert!(
                error.contains("5m") && error.contains(&format!("{text:?}")),
                "{error}"
            );
        }
        assert!(parse_duration(&"9".repeat(400)).is_err());
    }

    #[test]
    fn printed_durations_parse_back() {
        for (ms, text) in [
            (0, "0m"),
            (300_000, "5m"),
            (600_000, "10m"),
            (5_400_000, "1h30m"),
            (86_400_000, "1d"),
            (90_001, "1m30s1ms"),
        ] {
            assert_eq!(format_duration(ms), text);
            assert_eq!(parse_duration(text), Ok(ms));
        }
    }

    #[test]
    fn spoken() {
        for (ms, want) in [
            (0, "0 s"),
            (999, "999 ms"),
            (300_000, "5 m"),
            (299_000, "4 m 59 s"),
            (3_600_000, "1 h"),
            (90_061_000, "1 d 1 h"),
        ] {
            assert_eq!(spoken_duration(ms), want);
        }
    }
}
