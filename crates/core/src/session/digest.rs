//! The digests by which texts are recognized in a later run: XXH3 with 128 bits, the same on every
//! machine and in every version.
//!
//! They need not resist attacks: an attacker who can write the state file gains nothing by a
//! collision.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Returns the digest of some bytes.
pub fn digest(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Returns the digest of a sequence: that of its beginning is `so_far`, that of the next element
/// `next`.
pub fn chain(so_far: u128, next: u128) -> u128 {
    digest(&[so_far.to_le_bytes(), next.to_le_bytes()].concat())
}

/// Returns 64 bits of a digest, for keys.
pub fn short(digest: u128) -> u64 {
    digest as u64
}

/// Returns the key of a call with this decoded id.
pub fn call_key(id: &[u8]) -> u64 {
    xxh3_64(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of an empty text are those that the xxHash project publishes.
    #[test]
    fn stored_values_keep_their_meaning() {
        assert_eq!(digest(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        assert_eq!(call_key(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(short(digest(b"")), 0x6001_c324_468d_497f);
        assert_ne!(chain(1, 2), chain(2, 1));
    }
}
