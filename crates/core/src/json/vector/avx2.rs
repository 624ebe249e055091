//! AVX2: two loads for a block.

use super::{Measure, StringError, ahead, escaped, scalar};
use std::arch::x86_64::*;

walk!("avx2,popcnt,bmi1");

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &[u8; 64]) -> (__m256i, __m256i) {
    // SAFETY: both loads lie in the 64 bytes of the array, and need no alignment.
    unsafe {
        (
            _mm256_loadu_si256(block.as_ptr().cast()),
            _mm256_loadu_si256(block.as_ptr().add(32).cast()),
        )
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn bits(low: __m256i, high: __m256i) -> u64 {
    u64::from(_mm256_movemask_epi8(low).cast_unsigned())
        | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn any<const N: usize>(block: &[u8; 64], bytes: [u8; N]) -> u64 {
    let is = |v, byte: u8| _mm256_cmpeq_epi8(v, _mm256_set1_epi8(byte.cast_signed()));
    let one = |v| {
        bytes.into_iter().fold(_mm256_setzero_si256(), |all, byte| {
            _mm256_or_si256(all, is(v, byte))
        })
    };
    let (low, high) = load(block);
    bits(one(low), one(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn below(block: &[u8; 64], limit: u8) -> u64 {
    let ((low, high), limit) = (load(block), _mm256_set1_epi8(limit.cast_signed()));
    bits(
        _mm256_cmpgt_epi8(limit, low),
        _mm256_cmpgt_epi8(limit, high),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn at_least(block: &[u8; 64], limit: u8) -> u64 {
    let ((low, high), limit) = (load(block), _mm256_set1_epi8(limit.cast_signed()));
    let one = |v| _mm256_cmpeq_epi8(_mm256_max_epu8(v, limit), v);
    bits(one(low), one(high))
}
