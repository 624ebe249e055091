//! The vector instructions of the processor, detected only after enough bytes were read for the detection to pay.
//!
//! In a virtual machine the hypervisor answers each of these questions. All of them together, and the first use of the widest
//! vectors, take as long as wider vectors save on half a megabyte. So a small body is scanned with the instructions that every
//! processor of the architecture has. memchr and simdutf8 detect features at their first call, too, and are called through this
//! module.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that are walked before the processor is asked.
const UNASKED: usize = 1 << 20;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Level {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// With the permutation of bytes (VBMI), which leaves out the first processors that had AVX-512 and slowed down for it.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

static ASKED: OnceLock<Level> = OnceLock::new();
static WALKED: AtomicUsize = AtomicUsize::new(0);

/// The instruction set for a walk over so many bytes.
pub(super) fn level(bytes: usize) -> Level {
    if let Some(&level) = ASKED.get() {
        return level;
    }
    if WALKED.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) < UNASKED { common() } else { *ASKED.get_or_init(best) }
}

/// First place of `byte`.
#[inline]
pub fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if ASKED.get().is_none()
        && let Some(found) = memchr::arch::x86_64::sse2::memchr::One::new(byte)
    {
        return found.find(bytes);
    }
    memchr::memchr(byte, bytes)
}

/// Last place of `byte`.
pub fn rfind(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if ASKED.get().is_none()
        && let Some(found) = memchr::arch::x86_64::sse2::memchr::One::new(byte)
    {
        return found.rfind(bytes);
    }
    memchr::memrchr(byte, bytes)
}

/// Whether all of it is UTF-8.
pub(super) fn is_utf8(bytes: &[u8]) -> bool {
    utf8(bytes).is_some()
}

/// The text, where all of it is UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Option<&str> {
    if ASKED.get().is_none() { std::str::from_utf8(bytes).ok() } else { simdutf8::basic::from_utf8(bytes).ok() }
}

/// Returns the instruction set that every processor of this architecture has. `DEADHEAD_SIMD` names a lower set than the
/// processor's, for tests and benches.
fn common() -> Level {
    #[cfg(target_arch = "x86_64")]
    if named() != Some("scalar") {
        return Level::Sse2;
    }
    Level::Scalar
}

/// The best that this processor has.
fn best() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        let highest = match named() {
            Some("scalar" | "sse2") => return common(),
            Some(_) => Level::Avx2,
            None => Level::Avx512,
        };
        Level::available().into_iter().rfind(|&level| level <= highest).unwrap_or_else(common)
    }
    #[cfg(not(target_arch = "x86_64"))]
    common()
}

impl Level {
    /// The vectors that this processor has, the widest last.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn available() -> Vec<Level> {
        let mut there = vec![Level::Sse2];
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("bmi1") {
            there.push(Level::Avx2);
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi") {
                there.push(Level::Avx512);
            }
        }
        there
    }
}

/// The set that the environment names, if it is one of the lower ones.
#[cfg(target_arch = "x86_64")]
fn named() -> Option<&'static str> {
    static NAMED: OnceLock<Option<&str>> = OnceLock::new();
    *NAMED.get_or_init(|| {
        let name = std::env::var_os("DEADHEAD_SIMD")?;
        ["scalar", "sse2", "avx2"].into_iter().find(|lower| name == *lower)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_before_and_after_the_processor_is_asked() {
        let text = [b"a".repeat(100), b"\n".to_vec(), b"a".repeat(40)].concat();
        for _ in 0..2 {
            assert_eq!(find(b'\n', &text), Some(100));
            assert_eq!(find(b'\n', &text[..100]), None);
            assert_eq!(rfind(b'a', &text[..101]), Some(99));
            assert!(is_utf8("é漢".as_bytes()) && !is_utf8(b"\xc3"));
            // From here on it has been asked.
            level(UNASKED);
        }
        assert_eq!(Some(&best()), ASKED.get());
    }
}
