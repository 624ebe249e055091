//! The kernels without vector instructions.

pub use super::scalar::measure;

/// Index of the first quote, backslash or control character.
pub fn first_special(chunk: &[u8; 16]) -> Option<usize> {
    chunk
        .iter()
        .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
}
