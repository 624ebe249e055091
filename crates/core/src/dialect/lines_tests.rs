//! Shared functions of the tests of logs: read lines as a log of one format.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{Dialect, by_name, transcript};
use crate::json::Cursor;
use crate::settings::{Estimator, Scope};
use crate::transcript::{Role, Transcript};

/// The builder of these lines.
pub fn builder(format: &'static Dialect, lines: &str) -> TranscriptBuilder {
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    let mut at = 0;
    for (i, line) in lines.lines().enumerate() {
        builder.begin(at, i as u64 + 1);
        (format.read)(&mut Cursor::new(line.as_bytes()), &mut builder).unwrap();
        at += line.len() as u64 + 1;
    }
    builder
}

/// The context of these lines, of the format of this name.
pub fn read(format: &str, lines: &str) -> Transcript {
    let format = by_name(format).unwrap();
    transcript(format, builder(format, lines), Scope::Context).unwrap()
}

/// The role of each message, and the line that it begins on.
pub fn messages(t: &Transcript) -> Vec<(Role, u32)> {
    t.messages.iter().map(|m| (m.role, m.line)).collect()
}
