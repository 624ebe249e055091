//! AVX2: two loads for a block.

use super::{Masks, Measure, StringError, ahead, escaped, scalar};
use std::arch::x86_64::*;

walk!("avx2,popcnt,bmi1");

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &[u8; 64]) -> (__m256i, __m256i) {
    // SAFETY: both loads lie in the 64 bytes of the array, and need no alignment.
    unsafe { (_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn bits(low: __m256i, high: __m256i) -> u64 {
    u64::from(_mm256_movemask_epi8(low).cast_unsigned()) | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(block: (__m256i, __m256i), byte: u8) -> u64 {
    let want = _mm256_set1_epi8(byte.cast_signed());
    bits(_mm256_cmpeq_epi8(block.0, want), _mm256_cmpeq_epi8(block.1, want))
}

#[inline]
#[target_feature(enable = "avx2")]
fn masks(block: &[u8; 64]) -> Masks {
    let block = load(block);
    let space = _mm256_set1_epi8(0x20);
    Masks {
        quote: equal(block, b'"'),
        backslash: equal(block, b'\\'),
        odd: bits(_mm256_cmpgt_epi8(space, block.0), _mm256_cmpgt_epi8(space, block.1)),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn high(block: &[u8; 64]) -> u64 {
    let block = load(block);
    bits(block.0, block.1)
}

#[inline]
#[target_feature(enable = "avx2")]
fn n_t(block: &[u8; 64]) -> u64 {
    any(load(block), [b'n', b't'])
}

#[inline]
#[target_feature(enable = "avx2")]
fn letters(block: &[u8; 64]) -> u64 {
    any(load(block), [b'r', b'u', b'b', b'f', b'/'])
}

#[inline]
#[target_feature(enable = "avx2")]
fn any<const N: usize>((low, high): (__m256i, __m256i), letters: [u8; N]) -> u64 {
    let is = |v, byte: u8| _mm256_cmpeq_epi8(v, _mm256_set1_epi8(byte.cast_signed()));
    let one = |v| letters.into_iter().fold(_mm256_setzero_si256(), |all, letter| _mm256_or_si256(all, is(v, letter)));
    bits(one(low), one(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn u(block: &[u8; 64]) -> u64 {
    equal(load(block), b'u')
}

#[inline]
#[target_feature(enable = "avx2")]
fn wide(block: &[u8; 64]) -> (u64, u64) {
    let (low, high) = load(block);
    let first = _mm256_set1_epi8(0xc0u8.cast_signed());
    let four = _mm256_set1_epi8(0xf0u8.cast_signed());
    let at_least_four = |v| _mm256_cmpeq_epi8(_mm256_max_epu8(v, four), v);
    (bits(_mm256_cmpgt_epi8(first, low), _mm256_cmpgt_epi8(first, high)), bits(at_least_four(low), at_least_four(high)))
}
