//! The vectorised string kernel: end of string, validity and length in UTF-16 units, 64 bytes a step.
//!
//! This is the one file with `unsafe`: a load of 32 or 16 bytes from a 64-byte array, a prefetch, and the call of a
//! function compiled for instructions that the processor was just asked for. One macro stamps the walk once per instruction
//! set, because functions with intrinsics lose them when they are inlined into code compiled without. `scalar` is the same
//! walk without any of it; the tests hold all of them against each other.
//!
//! Escapes are found without branches: a backslash escapes the next byte unless it is escaped itself, which an addition
//! over the runs of backslashes tells for 64 bytes at once.

use super::processor::{Level, level};
use super::scalar;

/// A string's end and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Index of the closing quote.
    pub end: usize,
    /// Length of the decoded text in UTF-16 units, for well-formed UTF-8.
    pub units: usize,
    /// Whether all bytes are ASCII (escapes may still name other characters).
    pub ascii: bool,
    /// Whether there is a `\uXXXX` escape.
    pub unicode_escape: bool,
}

/// Why a string is not one, with the position.
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
    kernel(bytes.len())(bytes, from)
}

/// Index of the closing quote, where the string that begins at the chunk ends in it without an escape.
#[inline]
pub(super) fn short_end(chunk: &[u8; 32]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    let first = x86::first_special(chunk);
    #[cfg(not(target_arch = "x86_64"))]
    let first = chunk.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20);
    first.filter(|&i| chunk[i] == b'"')
}

/// How many bytes of a block of a string, which begins between two characters, end between two characters as well, and
/// how many UTF-16 units they are; `None` if the block is not ASCII or has a `\uXXXX`.
#[inline]
pub(super) fn ascii_block(block: &[u8; 64]) -> Option<(usize, usize)> {
    #[cfg(target_arch = "x86_64")]
    {
        let (backslash, high, u) = x86::text_masks(block);
        let mut carry = 0;
        let escaped = escaped(backslash, &mut carry);
        if high != 0 || escaped & u != 0 {
            return None;
        }
        // A backslash at the end belongs to what follows.
        let bytes = 64 - carry as usize;
        Some((bytes, bytes - escaped.count_ones() as usize))
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = block;
        None
    }
}

/// A kernel for one instruction set.
pub(super) type Kernel = fn(&[u8], usize) -> Result<Measure, StringError>;

/// The kernel for a walk over so many bytes.
#[inline]
pub(super) fn kernel(bytes: usize) -> Kernel {
    kernel_of(level(bytes))
}

#[inline]
fn kernel_of(level: Level) -> Kernel {
    match level {
        Level::Scalar => scalar::measure,
        #[cfg(target_arch = "x86_64")]
        Level::Sse2 => x86::measure_sse2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => x86::measure_avx2,
    }
}

/// One bit per byte of a block of 64.
#[derive(Clone, Copy)]
struct Masks {
    quote: u64,
    backslash: u64,
    /// Control characters and bytes above 0x7f: what a signed comparison with a space finds.
    odd: u64,
}

/// Which of the bytes are escaped by a backslash before them; `carry` says so for the first byte of this block and,
/// afterwards, of the next one.
#[inline(always)]
fn escaped(backslash: u64, carry: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let starts = backslash & !*carry;
    let follows = starts << 1 | *carry;
    let odd_starts = starts & !EVEN & !follows;
    let (runs, overflow) = odd_starts.overflowing_add(starts);
    *carry = u64::from(overflow);
    (EVEN ^ (runs << 1)) & follows
}

/// The walk over blocks, for one instruction set: `$masks`, `$high`, `$letters` (bytes that may follow a backslash; it is given the masks), `$u` and
/// `$wide` (continuation bytes, bytes that begin four-byte sequences) read a block.
#[cfg(target_arch = "x86_64")]
macro_rules! walk {
    ($name:ident, $features:literal, $masks:ident, $high:ident, $letters:ident, $u:ident, $wide:ident) => {
        #[target_feature(enable = $features)]
        fn $name(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
            let (mut at, mut carry, mut fewer, mut more) = (from, 0u64, 0usize, 0usize);
            let (mut ascii, mut unicode_escape) = (true, false);
            while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<64>()) {
                ahead(block);
                let masks = $masks(block);
                let is_escaped = escaped(masks.backslash, &mut carry);
                let quotes = masks.quote & !is_escaped;
                let inside = quotes.wrapping_sub(1) & !quotes;
                let odd = masks.odd & inside;
                let high = if odd == 0 { 0 } else { odd & $high(block) };
                let bad_control = odd & !high;
                let escapes = is_escaped & inside;
                // Without a branch on escapes: most blocks of tool output have some, and which ones is hard to predict.
                let bad_escape = escapes & !$letters(block, &masks);
                fewer += escapes.count_ones() as usize;
                let mut unicode = $u(block) & escapes;
                if unicode != 0 {
                    unicode_escape = true;
                    fewer += 4 * unicode.count_ones() as usize;
                    while unicode != 0 {
                        let i = unicode.trailing_zeros() as usize;
                        if bad_control | bad_escape == 0 || i < (bad_control | bad_escape).trailing_zeros() as usize {
                            scalar::check_hex(bytes, at + i + 1)?;
                        }
                        unicode &= unicode - 1;
                    }
                }
                if bad_control | bad_escape != 0 {
                    let i = (bad_control | bad_escape).trailing_zeros() as usize;
                    // A control character after a backslash is a bad escape.
                    return Err(if bad_escape >> i & 1 == 1 { StringError::Escape(at + i - 1) } else { StringError::Control(at + i) });
                }
                if high != 0 {
                    ascii = false;
                    let (continuation, four) = $wide(block);
                    fewer += (continuation & inside).count_ones() as usize;
                    more += (four & inside).count_ones() as usize;
                }
                if quotes != 0 {
                    let end = at + quotes.trailing_zeros() as usize;
                    return Ok(Measure { end, units: end - from + more - fewer, ascii, unicode_escape });
                }
                at += 64;
            }
            // Less than a block is left; an escape may have begun before it.
            let begun = at - carry as usize;
            let rest = scalar::measure(bytes, begun)?;
            Ok(Measure {
                end: rest.end,
                units: begun - from + more - fewer + rest.units,
                ascii: ascii && rest.ascii,
                unicode_escape: unicode_escape || rest.unicode_escape,
            })
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Masks, Measure, StringError, escaped, scalar};
    use std::arch::x86_64::*;

    pub(super) fn measure_avx2(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
        // SAFETY: `level` chose this function after asking the processor for its features.
        unsafe { walk_avx2(bytes, from) }
    }

    pub(super) fn measure_sse2(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { walk_sse2(bytes, from) }
    }

    /// Index of the first quote, backslash or control character.
    #[inline]
    pub(super) fn first_special(chunk: &[u8; 32]) -> Option<usize> {
        // SAFETY: every x86-64 processor has SSE2, and both loads lie in the 32 bytes of the array.
        let bits = unsafe {
            let special = |v| {
                let quote = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'"'.cast_signed()));
                let backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'\\'.cast_signed()));
                let control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
                _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)).cast_unsigned()
            };
            special(_mm_loadu_si128(chunk.as_ptr().cast())) | special(_mm_loadu_si128(chunk.as_ptr().add(16).cast())) << 16
        };
        (bits != 0).then(|| bits.trailing_zeros() as usize)
    }

    /// Backslashes, bytes above 0x7f, and the letter u.
    #[inline]
    pub(super) fn text_masks(block: &[u8; 64]) -> (u64, u64, u64) {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe {
            let v = load_sse2(block);
            (equal_sse2(v, b'\\'), bits_sse2(v), equal_sse2(v, b'u'))
        }
    }

    walk!(walk_avx2, "avx2,popcnt,bmi1", masks_avx2, high_avx2, letters_avx2, u_avx2, wide_avx2);
    walk!(walk_sse2, "sse2", masks_sse2, high_sse2, letters_sse2, u_sse2, wide_sse2);

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_avx2(block: &[u8; 64]) -> (__m256i, __m256i) {
        // SAFETY: both loads lie in the 64 bytes of the array, and need no alignment.
        unsafe { (_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits_avx2(low: __m256i, high: __m256i) -> u64 {
        u64::from(_mm256_movemask_epi8(low).cast_unsigned()) | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn equal_avx2(block: (__m256i, __m256i), byte: u8) -> u64 {
        let want = _mm256_set1_epi8(byte.cast_signed());
        bits_avx2(_mm256_cmpeq_epi8(block.0, want), _mm256_cmpeq_epi8(block.1, want))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn masks_avx2(block: &[u8; 64]) -> Masks {
        let block = load_avx2(block);
        let space = _mm256_set1_epi8(0x20);
        Masks {
            quote: equal_avx2(block, b'"'),
            backslash: equal_avx2(block, b'\\'),
            odd: bits_avx2(_mm256_cmpgt_epi8(space, block.0), _mm256_cmpgt_epi8(space, block.1)),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn high_avx2(block: &[u8; 64]) -> u64 {
        let block = load_avx2(block);
        bits_avx2(block.0, block.1)
    }

    /// Bytes of `"\/bfnrtu`, by a table of low nibbles whose bits are the high nibbles 2, 5, 6 and 7 that go with them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn letters_avx2(block: &[u8; 64], _: &Masks) -> u64 {
        let (low, high) = load_avx2(block);
        let lows = _mm256_setr_epi8(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1, 0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
        let highs = _mm256_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
        let nibble = _mm256_set1_epi8(0x0f);
        let class = |v| {
            let by_low = _mm256_shuffle_epi8(lows, _mm256_and_si256(v, nibble));
            let by_high = _mm256_shuffle_epi8(highs, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));
            _mm256_cmpeq_epi8(_mm256_and_si256(by_low, by_high), _mm256_setzero_si256())
        };
        !bits_avx2(class(low), class(high))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn u_avx2(block: &[u8; 64]) -> u64 {
        equal_avx2(load_avx2(block), b'u')
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn wide_avx2(block: &[u8; 64]) -> (u64, u64) {
        let (low, high) = load_avx2(block);
        let first = _mm256_set1_epi8(0xc0u8.cast_signed());
        let four = _mm256_set1_epi8(0xf0u8.cast_signed());
        let at_least_four = |v| _mm256_cmpeq_epi8(_mm256_max_epu8(v, four), v);
        (bits_avx2(_mm256_cmpgt_epi8(first, low), _mm256_cmpgt_epi8(first, high)), bits_avx2(at_least_four(low), at_least_four(high)))
    }

    /// Asks for what comes a kilobyte later: the processor's own guess ends at the end of a page.
    #[inline(always)]
    fn ahead(block: &[u8; 64]) {
        // SAFETY: a prefetch reads nothing that could be missed or forbidden, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(block.as_ptr().wrapping_add(1024).cast()) }
    }

    type Quarters = [__m128i; 4];

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load_sse2(block: &[u8; 64]) -> Quarters {
        let p = block.as_ptr();
        // SAFETY: the four loads lie in the 64 bytes of the array, and need no alignment.
        unsafe {
            [
                _mm_loadu_si128(p.cast()),
                _mm_loadu_si128(p.add(16).cast()),
                _mm_loadu_si128(p.add(32).cast()),
                _mm_loadu_si128(p.add(48).cast()),
            ]
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn bits_sse2(v: Quarters) -> u64 {
        let bits = |v| u64::from(_mm_movemask_epi8(v).cast_unsigned());
        bits(v[0]) | bits(v[1]) << 16 | bits(v[2]) << 32 | bits(v[3]) << 48
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn equal_sse2(v: Quarters, byte: u8) -> u64 {
        let want = _mm_set1_epi8(byte.cast_signed());
        bits_sse2([_mm_cmpeq_epi8(v[0], want), _mm_cmpeq_epi8(v[1], want), _mm_cmpeq_epi8(v[2], want), _mm_cmpeq_epi8(v[3], want)])
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn masks_sse2(block: &[u8; 64]) -> Masks {
        let v = load_sse2(block);
        let odd = |v| _mm_cmpgt_epi8(_mm_set1_epi8(0x20), v);
        Masks { quote: equal_sse2(v, b'"'), backslash: equal_sse2(v, b'\\'), odd: bits_sse2([odd(v[0]), odd(v[1]), odd(v[2]), odd(v[3])]) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn high_sse2(block: &[u8; 64]) -> u64 {
        bits_sse2(load_sse2(block))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn letters_sse2(block: &[u8; 64], masks: &Masks) -> u64 {
        let letter = |v| {
            let is = |v, byte: u8| _mm_cmpeq_epi8(v, _mm_set1_epi8(byte.cast_signed()));
            // b and f differ in one bit, and so do t and u.
            let b_f = is(_mm_or_si128(v, _mm_set1_epi8((b'b' ^ b'f').cast_signed())), b'f');
            let t_u = is(_mm_or_si128(v, _mm_set1_epi8((b't' ^ b'u').cast_signed())), b'u');
            _mm_or_si128(_mm_or_si128(_mm_or_si128(b_f, t_u), _mm_or_si128(is(v, b'n'), is(v, b'r'))), is(v, b'/'))
        };
        let v = load_sse2(block);
        masks.quote | masks.backslash | bits_sse2([letter(v[0]), letter(v[1]), letter(v[2]), letter(v[3])])
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn u_sse2(block: &[u8; 64]) -> u64 {
        equal_sse2(load_sse2(block), b'u')
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn wide_sse2(block: &[u8; 64]) -> (u64, u64) {
        let v = load_sse2(block);
        let first = _mm_set1_epi8(0xc0u8.cast_signed());
        let four = _mm_set1_epi8(0xf0u8.cast_signed());
        let continuation = |v| _mm_cmpgt_epi8(first, v);
        let at_least_four = |v| _mm_cmpeq_epi8(_mm_max_epu8(v, four), v);
        (
            bits_sse2([continuation(v[0]), continuation(v[1]), continuation(v[2]), continuation(v[3])]),
            bits_sse2([at_least_four(v[0]), at_least_four(v[1]), at_least_four(v[2]), at_least_four(v[3])]),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(bytes: &[u8], from: usize) -> Vec<Result<Measure, StringError>> {
        let mut found = vec![scalar::measure(bytes, from)];
        #[cfg(target_arch = "x86_64")]
        {
            found.push(kernel_of(Level::Sse2)(bytes, from));
            if is_x86_feature_detected!("avx2") {
                found.push(kernel_of(Level::Avx2)(bytes, from));
            }
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
