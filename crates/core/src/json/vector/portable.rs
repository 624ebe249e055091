//! The kernels without vector instructions.

use super::{Kernel, scalar};

/// The kernel.
pub fn kernel() -> Kernel {
    scalar::measure
}

/// Index of the first quote, backslash or control character.
pub fn first_special(chunk: &[u8; 16]) -> Option<usize> {
    chunk
        .iter()
        .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
}
