//! SSE2, which every x86-64 processor has: four loads for a block. Also the kernels for strings that are too short for more.

use super::{Masks, Measure, StringError, ahead, escaped, scalar};
use std::arch::x86_64::*;

walk!("sse2");

/// Index of the first quote, backslash or control character.
#[inline(always)]
pub(super) fn first_special(chunk: &[u8; 16]) -> Option<usize> {
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

type Quarters = [__m128i; 4];

#[inline]
#[target_feature(enable = "sse2")]
fn load(block: &[u8; 64]) -> Quarters {
    let p = block.as_ptr();
    // SAFETY: the four loads lie in the 64 bytes of the array, and need no alignment.
    unsafe {
        [_mm_loadu_si128(p.cast()), _mm_loadu_si128(p.add(16).cast()), _mm_loadu_si128(p.add(32).cast()), _mm_loadu_si128(p.add(48).cast())]
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn bits(v: Quarters) -> u64 {
    let bits = |v| u64::from(_mm_movemask_epi8(v).cast_unsigned());
    bits(v[0]) | bits(v[1]) << 16 | bits(v[2]) << 32 | bits(v[3]) << 48
}

#[inline]
#[target_feature(enable = "sse2")]
fn equal(v: Quarters, byte: u8) -> u64 {
    let want = _mm_set1_epi8(byte.cast_signed());
    bits([_mm_cmpeq_epi8(v[0], want), _mm_cmpeq_epi8(v[1], want), _mm_cmpeq_epi8(v[2], want), _mm_cmpeq_epi8(v[3], want)])
}

#[inline]
#[target_feature(enable = "sse2")]
fn masks(block: &[u8; 64]) -> Masks {
    let v = load(block);
    let odd = |v| _mm_cmpgt_epi8(_mm_set1_epi8(0x20), v);
    Masks { quote: equal(v, b'"'), backslash: equal(v, b'\\'), odd: bits([odd(v[0]), odd(v[1]), odd(v[2]), odd(v[3])]) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn high(block: &[u8; 64]) -> u64 {
    bits(load(block))
}

#[inline]
#[target_feature(enable = "sse2")]
fn n_t(block: &[u8; 64]) -> u64 {
    any(load(block), [b'n', b't'])
}

#[inline]
#[target_feature(enable = "sse2")]
fn letters(block: &[u8; 64]) -> u64 {
    any(load(block), [b'r', b'u', b'b', b'f', b'/'])
}

#[inline]
#[target_feature(enable = "sse2")]
fn any<const N: usize>(v: Quarters, letters: [u8; N]) -> u64 {
    let is = |v, byte: u8| _mm_cmpeq_epi8(v, _mm_set1_epi8(byte.cast_signed()));
    bits(v.map(|v| letters.into_iter().fold(_mm_setzero_si128(), |all, letter| _mm_or_si128(all, is(v, letter)))))
}

#[inline]
#[target_feature(enable = "sse2")]
fn u(block: &[u8; 64]) -> u64 {
    equal(load(block), b'u')
}

#[inline]
#[target_feature(enable = "sse2")]
fn wide(block: &[u8; 64]) -> (u64, u64) {
    let v = load(block);
    let first = _mm_set1_epi8(0xc0u8.cast_signed());
    let four = _mm_set1_epi8(0xf0u8.cast_signed());
    let continuation = |v| _mm_cmpgt_epi8(first, v);
    let at_least_four = |v| _mm_cmpeq_epi8(_mm_max_epu8(v, four), v);
    (
        bits([continuation(v[0]), continuation(v[1]), continuation(v[2]), continuation(v[3])]),
        bits([at_least_four(v[0]), at_least_four(v[1]), at_least_four(v[2]), at_least_four(v[3])]),
    )
}
