//! Detects compressed inputs by their first bytes, and unpacks them once if the feature `packed` is
//! on.

#[cfg(not(feature = "packed"))]
use super::{MaxInput, Source};
#[cfg(not(feature = "packed"))]
use std::io::{self, Read};

/// The compression of an input.
#[derive(Clone, Copy, Debug)]
pub enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The number of bytes that identify it.
    pub const MAGIC: usize = 4;

    /// Returns the compression format of an input that begins with `bytes`; `None` if it is not
    /// compressed.
    pub fn of(bytes: &[u8]) -> Option<Packing> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstd),
            _ => None,
        }
    }
}

/// Returns the error of a build that cannot unpack.
#[cfg(not(feature = "packed"))]
pub fn unpack(packing: Packing, _: impl Read, _: u64, _: MaxInput) -> io::Result<Source> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        format!("is packed by {packing:?}; unpack it first").to_lowercase(),
    ))
}
