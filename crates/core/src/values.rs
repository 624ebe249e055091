//! Reads a log whose records are spread over lines, as pretty-printers write them: values one after
//! the other, with any white space between.
//!
//! The whole input is in memory, like a single document. A value that is not JSON is reported and
//! skipped: reading continues at the line where it broke, so that no byte is read more than twice.

use crate::{
    Error, Result,
    dialect::{Dialect, builder::TranscriptBuilder, name_missing, transcript},
    json::{Cursor, find},
    read_at::ReadAt,
    reader::{self, Reading, complain, limit_warnings, record},
    settings::{Estimator, Scope},
    transcript::Transcript,
};

/// Whether `bytes` are more than one value: a first one that is whole, and something before or
/// after it.
pub fn are_many(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::document(bytes);
    let comment = matches!(cursor.peek(), Some(b'/' | b'#'));
    comment || cursor.skip().is_ok() && !cursor.at_end()
}

/// Reads a log again that may not be written yet: as values if they are spread over lines, else
/// line by line.
///
/// # Errors
/// Those of [`history`] and [`reader::log`].
pub fn log_again(texts: &dyn ReadAt, reading: &Reading, multiline: bool) -> Result<Transcript> {
    if multiline {
        history(&texts.read(0, texts.size())?, reading)
    } else {
        reader::log(texts, reading, 1, &|_| {})
    }
}

/// Reads all values of `bytes` and reduces them to the effective context.
///
/// # Errors
/// A value is longer than 4 GiB.
pub fn history(bytes: &[u8], reading: &Reading) -> Result<Transcript> {
    let format = reading.format;
    let builder = everything(bytes, format, reading.estimator)?;
    let mut read = transcript(format, builder, reading.scope).map_err(|_| Error::Changed)?;
    name_missing(&bytes, format, &mut read)?;
    Ok(Transcript {
        multiline_records: true,
        ..read
    })
}

/// Reads all values of `bytes` and keeps them all, whether in the context or not.
///
/// # Errors
/// A value is longer than 4 GiB.
pub fn everything(
    bytes: &[u8],
    format: &'static Dialect,
    estimator: Estimator,
) -> Result<TranscriptBuilder> {
    let mut builder = Reading {
        table: true,
        ..Reading::new(format, estimator, Scope::File)
    }
    .builder();
    let mut cursor = Cursor::document(bytes);
    // Newlines before this byte are counted in the builder's lines.
    let mut counted = 0;
    while cursor.peek().is_some() {
        let start = cursor.at();
        builder.lines += memchr::memchr_iter(b'\n', &bytes[counted..start]).count() as u64;
        counted = start;
        let mark = builder.mark();
        if let Err(error) = record(&mut cursor, 0, format, &mut builder) {
            builder.rollback(mark);
            let broke = error.at.clamp(start, bytes.len());
            let line = memchr::memrchr(b'\n', &bytes[start..broke]).map(|i| start + i + 1);
            let next = line
                .or_else(|| find(b'\n', &bytes[broke..]).map(|i| broke + i))
                .unwrap_or(bytes.len());
            complain(
                &bytes[start..next],
                start as u64,
                start,
                &error,
                next == bytes.len() || error.open,
                &mut builder,
            );
            cursor.go_to(if error.open { bytes.len() } else { next });
        }
        if cursor.at() - start > u32::MAX as usize {
            return Err(Error::TooLong);
        }
    }
    builder.lines += memchr::memchr_iter(b'\n', &bytes[counted..]).count() as u64;
    limit_warnings(&mut builder);
    // Links around a removed record are found by lines.
    builder
        .messages
        .iter_mut()
        .for_each(|message| message.not_removable = true);
    Ok(builder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;

    fn context(text: &str) -> Transcript {
        let format = by_name("messages").unwrap();
        let reading = Reading::new(format, Estimator::Utf16, Scope::Context);
        history(text.as_bytes(), &reading).unwrap()
    }

    fn read(text: &str) -> (Vec<u32>, Vec<String>) {
        let found = context(text);
        let warnings = found
            .warnings
            .iter()
            .map(|w| format!("{}: {}", w.line.unwrap_or(0), w.text))
            .collect();
        (found.messages.iter().map(|m| m.line).collect(), warnings)
    }

    #[test]
    fn values_have_the_lines_they_begin_at() {
        let text = "{\n \"role\": \"user\",\n \"content\": \"a\"\n}\n\n{\"role\":\"user\",\"content\":\"b\"} {\n\"role\":\"user\",\"content\":\"c\"}\n";
        assert!(are_many(text.as_bytes()));
        assert_eq!(read(text), (vec![1, 6, 6], vec![]));
        assert!(!are_many(b"{\n}\n\n"));
        assert!(!are_many(b"{\n} {"[..3].as_ref()));
    }

    #[test]
    fn a_broken_line_is_reported_and_others_are_read() {
        let text = "{\n \"role\": \"user\",\n{\"role\":\"user\",\"content\":\"b\"}\n// a note\n{\n \"role\": \"user\",\n \"content\": \"c\"\n}\n{\n \"role\":";
        let (lines, warnings) = read(text);
        assert_eq!(lines, [3, 5]);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(
            warnings[0].starts_with("1: malformed line, passed through"),
            "{warnings:?}"
        );
        assert_eq!(warnings[1], "4: a comment, passed through");
        assert!(
            warnings[2].starts_with("9: torn line, passed through"),
            "{warnings:?}"
        );
    }

    #[test]
    fn breaking_at_every_line_takes_linear_time() {
        let text = "[\n".repeat(200_000);
        assert!(context(&text).messages.is_empty());
        let text = "{\n".repeat(200_000);
        assert!(context(&text).messages.is_empty());
    }
}
