//! Limits of inputs without a known size: compressed files, pipes and devices.
//!
//! A few kilobytes may unpack to any number of gigabytes, and a device may have no end. An
//! uncompressed file has a size, and is read however large it is.

use crate::TooLarge;
use std::io;

const KIB: u64 = 1 << 10;
pub const GIB: u64 = 1 << 30;
/// The most bytes of a pipe or a device that is not answered line by line.
const STREAM: u64 = 4 * GIB;

/// The limit, if one was given.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxInput(pub(super) Option<u64>);

impl MaxInput {
    /// Reads a size such as `500M`; K, M, G and T are powers of 1,024.
    ///
    /// # Errors
    /// The text is no size.
    pub fn parse(text: &str) -> Result<MaxInput, String> {
        let end = text.chars().next_back().unwrap_or_default();
        let (digits, factor) = match "KMGT".find(end.to_ascii_uppercase()) {
            Some(i) => (&text[..text.len() - 1], KIB.pow(i as u32 + 1)),
            None => (text, 1),
        };
        let number = digits.parse::<u64>().ok();
        number
            .and_then(|number| number.checked_mul(factor))
            .map(|bytes| MaxInput(Some(bytes)))
            .ok_or_else(|| "expected a size such as 500M or 4G".to_owned())
    }

    /// Refuses a file that is larger than the limit, if one was given.
    pub(super) fn check(self, size: u64) -> io::Result<()> {
        match self.0 {
            Some(most) if size > most => Err(too_large(
                format!("has {}, more than ", sized(size)),
                format!(" {} allows", sized(most)),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the maximum number of bytes from a pipe or a device.
    pub(super) fn of_stream(self) -> u64 {
        self.0.unwrap_or(STREAM)
    }

    /// Returns the error for a stream with more bytes.
    pub(super) fn stream_error(self) -> io::Error {
        let most = sized(self.of_stream());
        too_large(
            format!("is larger than {most}, the most that is taken of a pipe or a device; "),
            " sets it".to_owned(),
        )
    }
}

pub fn too_large(before: String, after: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, TooLarge(before, after))
}

/// Formats a size in the units of [`MaxInput::parse`].
pub fn sized(bytes: u64) -> String {
    let unit = [(GIB, "G"), (KIB * KIB, "M"), (KIB, "K")]
        .into_iter()
        .find(|(unit, _)| bytes >= *unit);
    unit.map_or_else(
        || format!("{bytes} bytes"),
        |(unit, name)| format!("{}{name}", bytes.div_ceil(unit)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        for (text, bytes) in [
            ("0", 0),
            ("7", 7),
            ("1k", 1024),
            ("3M", 3 << 20),
            ("2G", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(MaxInput::parse(text).unwrap().0, Some(bytes), "{text}");
        }
        for text in [
            "",
            "M",
            "1.5G",
            "-1",
            "1MB",
            "1 G",
            "99999999999T",
            "é",
            "1é",
            "MM",
            "1KK",
        ] {
            assert!(MaxInput::parse(text).is_err(), "{text}");
        }
        assert_eq!(
            [
                sized(1),
                sized(2048),
                sized(94_000),
                sized(GIB),
                sized(5 << 20)
            ],
            ["1 bytes", "2K", "92K", "1G", "5M"]
        );
    }

    #[test]
    fn a_size_is_a_limit() {
        let error = MaxInput(Some(1 << 20)).stream_error().to_string();
        assert_eq!(
            error,
            "is larger than 1M, the most that is taken of a pipe or a device; `maxInput` sets it"
        );
        assert!(
            MaxInput(Some(5)).check(5).is_ok()
                && MaxInput(Some(5)).check(6).is_err()
                && MaxInput::default().check(u64::MAX).is_ok()
        );
    }
}
