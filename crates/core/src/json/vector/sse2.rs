//! SSE2, which every x86-64 processor has: four loads for a block. Also the kernels for strings that are too short for more.

use super::{Measure, StringError, ahead, escaped, scalar};
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
fn bits(v: Quarters) -> u64 {
    let bits = |v| u64::from(_mm_movemask_epi8(v).cast_unsigned());
    bits(v[0]) | bits(v[1]) << 16 | bits(v[2]) << 32 | bits(v[3]) << 48
}

#[inline]
#[target_feature(enable = "sse2")]
fn any<const N: usize>(block: &[u8; 64], bytes: [u8; N]) -> u64 {
    let is = |v, byte: u8| _mm_cmpeq_epi8(v, _mm_set1_epi8(byte.cast_signed()));
    bits(load(block).map(|v| {
        bytes.into_iter().fold(_mm_setzero_si128(), |all, byte| {
            _mm_or_si128(all, is(v, byte))
        })
    }))
}

#[inline]
#[target_feature(enable = "sse2")]
fn below(block: &[u8; 64], limit: u8) -> u64 {
    let limit = _mm_set1_epi8(limit.cast_signed());
    bits(load(block).map(|v| _mm_cmpgt_epi8(limit, v)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn at_least(block: &[u8; 64], limit: u8) -> u64 {
    let limit = _mm_set1_epi8(limit.cast_signed());
    bits(load(block).map(|v| _mm_cmpeq_epi8(_mm_max_epu8(v, limit), v)))
}
