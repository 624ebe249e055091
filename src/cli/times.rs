//! Parses times on the command line: `--now`, `--last-call`.

use super::*;
use deadhead_core::{internal::cache_policy::LastCall, settings::parse_duration};

/// Milliseconds since 1970 of an RFC 3339 time, or of a number of seconds or milliseconds.
pub fn time(text: &str) -> Option<i64> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        return if text.len() >= 12 {
            Some(number)
        } else {
            number.checked_mul(1000)
        };
    }
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(|t| t.as_millisecond())
}

/// `--now`, or the clock.
pub fn now(flag: &Option<String>) -> Result<i64> {
    let Some(text) = flag else {
        return Ok(jiff::Timestamp::now().as_millisecond());
    };
    time(text)
        .with_context(|| format!("--now {text}: expected a time such as 2026-01-31T12:00:00Z"))
}

/// The value of a flag that takes a time or an age: an age if it has a unit, else a time.
pub fn time_or_age(flag: &str, text: &str) -> Result<LastCall> {
    if let Some(time) = time(text) {
        return Ok(LastCall::At(time));
    }
    let age = parse_duration(text).ok().map(LastCall::Ago);
    age.with_context(|| {
        format!(
            "{flag} {text}: expected a time such as 2026-01-31T12:00:00Z, or an age such as 59m"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ages() {
        assert_eq!(time("2026-01-01T00:00:00Z"), Some(1_767_225_600_000));
        assert_eq!(time("2026-01-01T01:00:00.5+01:00"), Some(1_767_225_600_500));
        assert_eq!(time("1767225600"), Some(1_767_225_600_000));
        assert_eq!(time("1767225600000"), Some(1_767_225_600_000));
        assert_eq!(
            time_or_age("--since", "59m").unwrap(),
            LastCall::Ago(59 * 60_000)
        );
        assert!(
            time_or_age("--since", "yesterday").is_err() && now(&Some("5m".to_owned())).is_err()
        );
    }
}
