//! The kernels for x86-64: a block of 64 bytes is two vectors with AVX2, and four with SSE2, which
//! every such processor has.
//!
//! One macro stamps both, because functions with intrinsics lose them when they are inlined into
//! code compiled without. Loops replace closures, which such code would call.
//!
//! Escapes are found without branches: a backslash escapes the next byte unless it is escaped
//! itself, which an addition over the runs of backslashes answers for 64 bytes at once.

use super::{Measure, StringError, scalar};
use std::arch::x86_64::*;

/// Finds the end of the string whose first byte after the opening quote is `bytes[from]`, and
/// measures it, with the widest vectors that the processor has.
///
/// # Errors
/// A raw control character, a bad escape, or the end of the input inside the string.
pub fn measure(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
    if has_avx2() {
        avx2::measure(bytes, from)
    } else {
        sse2::measure(bytes, from)
    }
}

/// Whether the processor has what the kernel for AVX2 is compiled for.
pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
}

/// Index of the first quote, backslash or control character.
#[inline(always)]
pub fn first_special(chunk: &[u8; 16]) -> Option<usize> {
    // SAFETY: every x86-64 processor has SSE2, and the load lies in the 16 bytes of the array.
    let bits = unsafe {
        let v = _mm_loadu_si128(chunk.as_ptr().cast());
        let quote = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'"'.cast_signed()));
        let backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'\\'.cast_signed()));
        let control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)).cast_unsigned()
    };
    // Of 16 bits, which the mask says once more so that no index has to be checked.
    (bits != 0).then(|| bits.trailing_zeros() as usize & 15)
}

/// Returns the bits of the bytes that a backslash before them escapes. `carry` is the bit of the
/// first byte of this block and, afterwards, of the next one.
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

/// Asks for what comes a kilobyte later: the processor's own guess ends at the end of a page.
#[inline(always)]
fn ahead(block: &[u8; 64]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing that could be missed or forbidden, wherever it points.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(block.as_ptr().wrapping_add(1024).cast()) }
}

/// The kernels for one instruction set, with its vector and the functions of such vectors.
macro_rules! kernels {
    (
        $name:ident, $features:literal, $vector:ident, $set:ident, $zero:ident, $or:ident, $equal:ident, $greater:ident, $mask:ident
    ) => {
        pub mod $name {
            use super::*;

            type Block = [$vector; 64 / size_of::<$vector>()];

            /// The kernel. The processor must have these features.
            pub fn measure(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
                // SAFETY: `has_avx2` was asked, and every x86-64 processor has SSE2.
                unsafe { walk(bytes, from) }
            }

            #[target_feature(enable = $features)]
            fn walk(bytes: &[u8], from: usize) -> Result<Measure, StringError> {
                // `fewer`: by how much the units are less than the bytes; below zero where four
                // bytes have only begun to make two.
                let (mut at, mut carry, mut fewer) = (from, 0u64, 0usize);
                let (mut ascii, mut unicode_escape) = (true, false);
                while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<64>()) {
                    ahead(block);
                    let (quote, backslash) = (any(block, [b'"']), any(block, [b'\\']));
                    let is_escaped = escaped(backslash, &mut carry);
                    let quotes = quote & !is_escaped;
                    let inside = quotes.wrapping_sub(1) & !quotes;
                    // Without a branch on escapes: most blocks of tool output have some, and which
                    // ones is hard to predict.
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
                            let (continuation, four) =
                                (below(block, 0xc0), high & !below(block, 0xf0));
                            fewer =
                                fewer.wrapping_add((continuation & inside).count_ones() as usize);
                            fewer = fewer.wrapping_sub(four.count_ones() as usize);
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

            #[inline]
            #[target_feature(enable = $features)]
            fn load(block: &[u8; 64]) -> Block {
                // SAFETY: both are 64 bytes, of which any are a vector.
                unsafe { std::mem::transmute(*block) }
            }

            /// One bit for the sign of each byte.
            #[inline]
            #[target_feature(enable = $features)]
            fn bits(block: Block) -> u64 {
                let mut bits = 0;
                for vector in block.into_iter().rev() {
                    bits = bits << size_of::<$vector>() | u64::from($mask(vector).cast_unsigned());
                }
                bits
            }

            /// One bit for each byte that is one of `bytes`.
            #[inline]
            #[target_feature(enable = $features)]
            fn any<const N: usize>(block: &[u8; 64], bytes: [u8; N]) -> u64 {
                let mut found = load(block);
                for vector in &mut found {
                    let mut all = $zero();
                    for byte in bytes {
                        all = $or(all, $equal(*vector, $set(byte.cast_signed())));
                    }
                    *vector = all;
                }
                bits(found)
            }

            /// One bit for each byte below a limit, as signed numbers, so that bytes above 0x7f are
            /// below 0.
            #[inline]
            #[target_feature(enable = $features)]
            fn below(block: &[u8; 64], limit: u8) -> u64 {
                let limit = $set(limit.cast_signed());
                let mut found = load(block);
                for vector in &mut found {
                    *vector = $greater(limit, *vector);
                }
                bits(found)
            }
        }
    };
}

kernels!(
    avx2,
    "avx2,popcnt,bmi1",
    __m256i,
    _mm256_set1_epi8,
    _mm256_setzero_si256,
    _mm256_or_si256,
    _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8,
    _mm256_movemask_epi8
);
kernels!(
    sse2,
    "sse2",
    __m128i,
    _mm_set1_epi8,
    _mm_setzero_si128,
    _mm_or_si128,
    _mm_cmpeq_epi8,
    _mm_cmpgt_epi8,
    _mm_movemask_epi8
);
