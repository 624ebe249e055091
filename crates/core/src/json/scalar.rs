//! The string kernel without vector instructions, a byte at a time.

use super::vector::{Measure, StringError};

/// Finds the end of the string whose first byte after the opening quote is `bytes[from]`, and
/// measures it.
pub fn measure(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
    let mut found = Measure {
        end: from,
        units: 0,
        ascii: true,
        unicode_escape: false,
    };
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                found.end = at;
                return Ok(found);
            }
            b'\\' => {
                found.unicode_escape |= bytes.get(at + 1) == Some(&b'u');
                at = escape_end(bytes, at)?;
                found.units += 1;
                continue;
            }
            0..0x20 => return Err(StringError::Control(at)),
            0x20..0x80 => found.units += 1,
            0x80..0xc0 => found.ascii = false,
            0xc0..0xf0 => {
                found.ascii = false;
                found.units += 1;
            }
            0xf0.. => {
                found.ascii = false;
                found.units += 2;
            }
        }
        at += 1;
    }
    Err(StringError::Open(bytes.len()))
}

/// Returns the index after the escape whose backslash is `bytes[at]`.
pub fn escape_end(bytes: &[u8], at: usize) -> Result<usize, StringError> {
    match bytes.get(at + 1) {
        None => Err(StringError::Open(bytes.len())),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => check_hex(bytes, at + 2).map(|()| at + 6),
        Some(_) => Err(StringError::Escape(at)),
    }
}

/// Checks the four hexadecimal digits of a `\u` escape, the first at `at`.
pub fn check_hex(bytes: &[u8], at: usize) -> Result<(), StringError> {
    for i in at..at + 4 {
        match bytes.get(i) {
            None => return Err(StringError::Open(bytes.len())),
            Some(b) if b.is_ascii_hexdigit() => {}
            Some(_) => return Err(StringError::Escape(at - 2)),
        }
    }
    Ok(())
}
