//! What the tests of histories share: lines, read as a history of one format.

use crate::dialect::sheet::Sheet;
use crate::dialect::{Dialect, by_name, transcript};
use crate::json::Cursor;
use crate::settings::{Estimator, Scope};
use crate::transcript::{Role, Transcript};

/// The sheet of these lines.
pub fn sheet(format: &'static Dialect, lines: &str) -> Sheet {
    let mut sheet = Sheet::new(Estimator::Utf16);
    let mut at = 0;
    for (i, line) in lines.lines().enumerate() {
        sheet.begin(at, i as u64 + 1);
        (format.read)(&mut Cursor::new(line.as_bytes()), &mut sheet).unwrap();
        at += line.len() as u64 + 1;
    }
    sheet
}

/// The context of these lines, of the format of this name.
pub fn read(format: &str, lines: &str) -> Transcript {
    let format = by_name(format).unwrap();
    transcript(format, sheet(format, lines), Scope::Context).unwrap()
}

/// The role of each message, and the line that it begins on.
pub fn messages(t: &Transcript) -> Vec<(Role, u32)> {
    t.messages.iter().map(|m| (m.role, m.line)).collect()
}
