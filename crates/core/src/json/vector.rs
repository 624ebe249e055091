//! The vectorised string kernel: end of string, validity and length in UTF-16 units, 64 bytes a
//! step.
//!
//! Here and in the files below it is all the `unsafe` there is: loads of 16 or 64 bytes from an
//! array, a prefetch, and the call of a function compiled for instructions that the processor was
//! just asked for. `scalar` is the same walk without any of it; the tests hold all of them against
//! each other.

#[cfg_attr(all(target_arch = "x86_64", not(portable)), path = "vector/x86.rs")]
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    path = "vector/portable.rs"
)]
mod kernels;

use super::scalar;
use kernels::first_special;
pub use kernels::measure;

/// A string's end and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Index of the closing quote.
    pub end: usize,
    /// Length of the decoded text in UTF-16 units, for well-formed UTF-8.
    pub units: usize,
    /// Whether all bytes are ASCII. Escapes may still stand for other characters.
    pub ascii: bool,
    /// Whether there is a `\uXXXX` escape.
    pub unicode_escape: bool,
}

/// The reason why a string is invalid, with the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringError {
    /// The input ends inside the string.
    Open(usize),
    /// A raw control character.
    Control(usize),
    /// A backslash that begins no escape.
    Escape(usize),
}

/// Returns the index of the closing quote if the string ends in this chunk and has no escape before
/// its end.
#[inline(always)]
pub fn short_end(chunk: &[u8; 32]) -> Option<usize> {
    let (halves, _) = chunk.as_chunks::<16>();
    let mut starts = halves.iter().zip([0, 16]);
    let first = starts.find_map(|(half, start)| Some(start + first_special(half)?))?;
    (chunk[first] == b'"').then_some(first)
}

/// Like [`short_end`], for 16 bytes.
#[inline(always)]
pub fn shorter_end(chunk: &[u8; 16]) -> Option<usize> {
    first_special(chunk).filter(|&first| chunk[first] == b'"')
}

#[cfg(test)]
mod tests {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    use super::kernels::{avx2, has_avx2, sse2};
    use super::*;
    use proptest::prelude::*;

    fn all(bytes: &[u8], from: usize) -> Vec<Result<Measure, StringError>> {
        let mut found = vec![scalar::measure(bytes, from)];
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        {
            found.push(sse2::measure(bytes, from));
            found.extend(has_avx2().then(|| avx2::measure(bytes, from)));
        }
        found
    }

    /// Text in which quotes, escapes, control and wide characters are frequent and straddle blocks.
    fn awkward() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => "[ -~]{0,40}".prop_map(String::into_bytes),
            2 => Just(b"\\\\".to_vec()),
            2 => Just(b"\\\"".to_vec()),
            1 => Just(b"\\".to_vec()),
            2 => Just(b"\\u00e9".to_vec()),
            1 => Just(b"\\ud83d\\ude00".to_vec()),
            1 => Just(b"\\u12".to_vec()),
            1 => Just("é漢😀".as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..3),
            1 => "[a-z]{50,70}".prop_map(String::into_bytes),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|p| p.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn kernels_agree(bytes in awkward(), from in 0usize..4) {
            let from = from.min(bytes.len());
            let found = all(&bytes, from);
            for other in &found[1..] {
                prop_assert_eq!(&found[0], other);
            }
        }

        #[test]
        fn units_are_those_of_serde(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            for found in all(json.as_bytes(), 1) {
                let found = found.unwrap();
                prop_assert_eq!(found.end, json.len() - 1);
                prop_assert_eq!(found.units, text.encode_utf16().count());
            }
        }
    }

    #[test]
    fn errors_have_their_place() {
        for (text, want) in [
            (&b"abc"[..], StringError::Open(3)),
            (b"a\tb\"", StringError::Control(1)),
            (b"a\\xb\"", StringError::Escape(1)),
            (b"a\\u12g4\"", StringError::Escape(1)),
            (b"a\\", StringError::Open(2)),
            (b"a\\u12", StringError::Open(5)),
        ] {
            for found in all(text, 0) {
                assert_eq!(found, Err(want), "{text:?}");
            }
        }
    }
}
