//! The cursor accepts what serde_json accepts, and the kernel measures strings as a walk over single bytes does.
#![no_main]

use deadhead_core::internal::json::{Cursor, StringError, measure};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut cursor = Cursor::new(bytes);
    let whole = cursor.skip().is_ok() && cursor.at_end();
    assert!(cursor.at() <= bytes.len());
    // serde_json refuses deep nesting and what is not UTF-8, which this scanner lets through.
    if std::str::from_utf8(bytes).is_ok() {
        match serde_json::from_slice::<serde_json::Value>(bytes) {
            Ok(_) => assert!(whole),
            Err(error) => assert!(
                !whole || ["recursion", "surrogate", "hex escape", "out of range"].iter().any(|w| error.to_string().contains(w)),
                "{error}"
            ),
        }
    }
    for from in 0..bytes.len().min(70) {
        assert_eq!(measure(bytes, from).map(|m| (m.end, m.units, m.ascii)), plain(bytes, from));
    }
});

fn plain(bytes: &[u8], from: usize) -> Result<(usize, usize, bool), StringError> {
    let (mut at, mut units, mut ascii) = (from, 0, true);
    loop {
        match *bytes.get(at).ok_or(StringError::Open(bytes.len()))? {
            b'"' => return Ok((at, units, ascii)),
            b'\\' => match *bytes.get(at + 1).ok_or(StringError::Open(bytes.len()))? {
                b'u' => {
                    for digit in at + 2..at + 6 {
                        let byte = *bytes.get(digit).ok_or(StringError::Open(bytes.len()))?;
                        if !byte.is_ascii_hexdigit() {
                            return Err(StringError::Escape(at));
                        }
                    }
                    (at, units) = (at + 6, units + 1);
                }
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => (at, units) = (at + 2, units + 1),
                _ => return Err(StringError::Escape(at)),
            },
            byte if byte < 0x20 => return Err(StringError::Control(at)),
            byte => {
                ascii &= byte < 0x80;
                units += match byte {
                    0x80..0xc0 => 0,
                    0xf0.. => 2,
                    _ => 1,
                };
                at += 1;
            }
        }
    }
}
