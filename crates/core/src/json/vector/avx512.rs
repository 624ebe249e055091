//! AVX-512: one load for a block, and every comparison gives its mask at once.

use super::{Kernel, Masks, Measure, Run, StringError, ahead, escaped, scalar};
use std::arch::x86_64::*;

/// The kernel, for a processor that was asked for its features.
pub(super) const MEASURE: Kernel = |bytes, from| {
    // SAFETY: it is called by the level that `cpu_features` found.
    unsafe { walk(bytes, from) }
};

/// The search for plain runs.
pub(super) const RUN: Run = |raw, units| {
    // SAFETY: it is called by the level that `cpu_features` found.
    unsafe { run(raw, units) }
};

walk!("avx512f,avx512bw,popcnt,bmi1");

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(block: &[u8; 64]) -> __m512i {
    // SAFETY: the load lies in the 64 bytes of the array, and needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn equal(block: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn masks(block: &[u8; 64]) -> Masks {
    let block = load(block);
    Masks { quote: equal(block, b'"'), backslash: equal(block, b'\\'), odd: _mm512_cmplt_epi8_mask(block, _mm512_set1_epi8(0x20)) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn high(block: &[u8; 64]) -> u64 {
    _mm512_movepi8_mask(load(block))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn n_t(block: &[u8; 64]) -> u64 {
    let block = load(block);
    equal(block, b'n') | equal(block, b't')
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn letters(block: &[u8; 64]) -> u64 {
    let block = load(block);
    equal(block, b'r') | equal(block, b'u') | equal(block, b'b') | equal(block, b'f') | equal(block, b'/')
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn u(block: &[u8; 64]) -> u64 {
    equal(load(block), b'u')
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn wide(block: &[u8; 64]) -> (u64, u64) {
    let block = load(block);
    let least = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    (_mm512_cmplt_epi8_mask(block, least(0xc0)), _mm512_cmpge_epu8_mask(block, least(0xf0)))
}
