//! The vectorised string kernel: end of string, validity and length in UTF-16 units, 64 bytes a step.
//!
//! Here and in the files below it is all the `unsafe` there is: loads of 16 or 32 bytes from an array of 64, a
//! prefetch, and the call of a function compiled for instructions that the processor was just asked for. One macro stamps
//! the walk once per instruction set, because functions with intrinsics lose them when they are inlined into code compiled
//! without. `scalar` is the same walk without any of it; the tests hold all of them against each other.
//!
//! Escapes are found without branches: a backslash escapes the next byte unless it is escaped itself, which an addition
//! over the runs of backslashes answers for 64 bytes at once.

use super::scalar;

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

/// Finds the end of the string whose first byte after the opening quote is `bytes[from]`, and measures it.
///
/// # Errors
/// A raw control character, a bad escape, or the end of the input inside the string.
pub fn measure(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
    kernel()(bytes, from)
}

/// Returns the index of the closing quote if the string ends in this chunk and has no escape before its end.
#[inline(always)]
pub(super) fn short_end(chunk: &[u8; 32]) -> Option<usize> {
    let (low, high) = chunk.split_at(16);
    let (low, high) = (low.first_chunk()?, high.first_chunk()?);
    match first_special(low) {
        Some(first) => (low[first] == b'"').then_some(first),
        None => shorter_end(high).map(|end| end + 16),
    }
}

/// Like [`short_end`], for 16 bytes.
#[inline(always)]
pub(super) fn shorter_end(chunk: &[u8; 16]) -> Option<usize> {
    first_special(chunk).filter(|&first| chunk[first] == b'"')
}

/// Index of the first quote, backslash or control character.
#[inline(always)]
fn first_special(chunk: &[u8; 16]) -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    return sse2::first_special(chunk);
    #[cfg(not(all(target_arch = "x86_64", not(portable))))]
    chunk
        .iter()
        .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
}

/// Returns the length in bytes of the plain run at the start of `raw`, and its number of UTF-16 units, at most `units`. A plain run
/// is whole blocks of ASCII without `\uXXXX`. `raw` must start between two characters.
#[inline]
pub(super) fn plain_run(raw: &[u8], units: usize) -> (usize, usize) {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    return if has_avx2() {
        avx2::run(raw, units)
    } else {
        sse2::run(raw, units)
    };
    // One by one is as fast.
    #[cfg(not(all(target_arch = "x86_64", not(portable))))]
    {
        let _ = (raw, units);
        (0, 0)
    }
}

/// A kernel for one instruction set.
pub(super) type Kernel = fn(&[u8], usize) -> Result<Measure, StringError>;

/// The kernel for the widest vectors that the processor has.
#[inline]
pub(super) fn kernel() -> Kernel {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    return if has_avx2() {
        avx2::measure
    } else {
        sse2::measure
    };
    #[cfg(not(all(target_arch = "x86_64", not(portable))))]
    scalar::measure
}

/// Whether the processor has what the kernel for AVX2 is compiled for.
#[cfg(all(target_arch = "x86_64", not(portable)))]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
}

/// Returns the bits of the bytes that a backslash before them escapes. `carry` is the bit of the first byte of this block and,
/// afterwards, of the next one.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[inline(always)]
fn escaped(backslash: u64, carry: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let starts = backslash & !*carry;
    let follows = starts << 1 | *carry;
    let odd_starts = starts & !EVEN & !follows;
    let runs = odd_starts.wrapping_add(starts);
    let escaped = (EVEN ^ (runs << 1)) & follows;
    *carry = (backslash & !escaped) >> 63;
    escaped
}

/// The walk over blocks, for one instruction set. Where it is, these read a block, and return one bit per byte: `any`, those that are
/// one of some bytes; `below`, those below a limit as signed numbers, so that bytes above 0x7f are below 0; and `at_least`, those
/// from a limit on.
#[cfg(all(target_arch = "x86_64", not(portable)))]
macro_rules! walk {
    ($features:literal) => {
        /// The kernel. The processor must have these features.
        pub(super) fn measure(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
            // SAFETY: `has_avx2` was asked, and every x86-64 processor has SSE2.
            unsafe { walk(bytes, from) }
        }

        /// The search for plain runs. The processor must have these features.
        pub(super) fn run(raw: &[u8], units: usize) -> (usize, usize) {
            // SAFETY: `has_avx2` was asked, and every x86-64 processor has SSE2.
            unsafe { run_in(raw, units) }
        }

        #[target_feature(enable = $features)]
        fn walk(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
            // `fewer`: by how much the units are less than the bytes; below zero where four bytes have only begun to make two.
            let (mut at, mut carry, mut fewer) = (from, 0u64, 0usize);
            let (mut ascii, mut unicode_escape) = (true, false);
            while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<64>()) {
                ahead(block);
                let (quote, backslash) = (any(block, [b'"']), any(block, [b'\\']));
                let is_escaped = escaped(backslash, &mut carry);
                let quotes = quote & !is_escaped;
                let inside = quotes.wrapping_sub(1) & !quotes;
                // Without a branch on escapes: most blocks of tool output have some, and which ones is hard to predict.
                let escapes = is_escaped & inside;
                fewer = fewer.wrapping_add(escapes.count_ones() as usize);
                let odd = below(block, b' ') & inside;
                let rare = escapes & !(quote | backslash | any(block, [b'n', b't']));
                if odd | rare != 0 {
                    let high = odd & below(block, 0);
                    let bad_control = odd & !high;
                    let bad_escape = rare & !any(block, [b'r', b'u', b'b', b'f', b'/']);
                    let bad = bad_control | bad_escape;
                    let mut unicode = rare & any(block, [b'u']);
                    unicode_escape |= unicode != 0;
                    fewer = fewer.wrapping_add(4 * unicode.count_ones() as usize);
                    while unicode != 0 {
                        let i = unicode.trailing_zeros();
                        if i < bad.trailing_zeros() {
                            scalar::check_hex(bytes, at + i as usize + 1)?;
                        }
                        unicode &= unicode - 1;
                    }
                    if bad != 0 {
                        let i = bad.trailing_zeros() as usize;
                        // A control character after a backslash is a bad escape.
                        return Err(if bad_escape >> i & 1 == 1 {
                            StringError::Escape(at + i - 1)
                        } else {
                            StringError::Control(at + i)
                        });
                    }
                    if high != 0 {
                        ascii = false;
                        let (continuation, four) = (below(block, 0xc0), at_least(block, 0xf0));
                        fewer = fewer.wrapping_add((continuation & inside).count_ones() as usize);
                        fewer = fewer.wrapping_sub((four & inside).count_ones() as usize);
                    }
                }
                if quotes != 0 {
                    let end = at + quotes.trailing_zeros() as usize;
                    return Ok(Measure {
                        end,
                        units: (end - from).wrapping_sub(fewer),
                        ascii,
                        unicode_escape,
                    });
                }
                at += 64;
            }
            // Less than a block is left; an escape may have begun before it.
            let begun = at - carry as usize;
            let rest = scalar::measure(bytes, begun)?;
            Ok(Measure {
                end: rest.end,
                units: (begun - from).wrapping_sub(fewer).wrapping_add(rest.units),
                ascii: ascii && rest.ascii,
                unicode_escape: unicode_escape || rest.unicode_escape,
            })
        }

        #[target_feature(enable = $features)]
        fn run_in(raw: &[u8], units: usize) -> (usize, usize) {
            let (mut at, mut count) = (0, 0);
            while units - count >= 64
                && let Some(block) = raw.get(at..).and_then(|rest| rest.first_chunk::<64>())
            {
                let mut carry = 0;
                let escaped = escaped(any(block, [b'\\']), &mut carry);
                if below(block, 0) != 0 || escaped & any(block, [b'u']) != 0 {
                    break;
                }
                // A backslash at the end belongs to what follows.
                let bytes = 64 - carry as usize;
                (at, count) = (at + bytes, count + bytes - escaped.count_ones() as usize);
            }
            (at, count)
        }
    };
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(portable)))]
mod sse2;

/// Asks for what comes a kilobyte later: the processor's own guess ends at the end of a page.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[inline(always)]
fn ahead(block: &[u8; 64]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing that could be missed or forbidden, wherever it points.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(block.as_ptr().wrapping_add(1024).cast()) }
}

#[cfg(test)]
mod tests {
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

        /// However wide the vectors are, a run is the same: whole characters of the string, as many units as they decode to.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[test]
        fn runs_agree(bytes in awkward(), units in 0usize..200) {
            let (end, count) = sse2::run(&bytes, units);
            prop_assert!(!has_avx2() || avx2::run(&bytes, units) == (end, count));
            prop_assert!(count <= units && bytes[..end].is_ascii());
            prop_assert_eq!(super::super::text::decode(&bytes[..end]).len(), count);
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
