//! The digests by which texts are recognized in a later run: XXH3 with 128 bits, the same on every machine and in every version.
//!
//! They need not resist attacks: an attacker who can write the state file gains nothing by a collision. Each stored value has the number of
//! its [`Digests`].

use super::digest_0_1;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The digest functions of a stored value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digests {
    /// Those of versions up to 0.1.
    Former,
    /// Those of today.
    #[default]
    Today,
}

impl Digests {
    /// Both, the former first.
    pub(super) const BOTH: [Digests; 2] = [Digests::Former, Digests::Today];

    /// Returns the number that is stored with a value.
    pub fn number(self) -> i64 {
        self as i64 + 1
    }

    /// Returns the digest functions of a stored number.
    pub fn of_number(number: i64) -> Option<Digests> {
        Digests::BOTH
            .into_iter()
            .find(|digests| digests.number() == number)
    }

    /// Returns the digest of some bytes.
    pub fn digest(self, bytes: &[u8]) -> u128 {
        match self {
            Digests::Former => digest_0_1::digest(bytes),
            Digests::Today => xxh3_128(bytes),
        }
    }

    /// Returns the digest of a sequence: that of its beginning is `so_far`, that of the next element `next`.
    pub fn chain(self, so_far: u128, next: u128) -> u128 {
        match self {
            Digests::Former => digest_0_1::chain(so_far, next),
            Digests::Today => xxh3_128(&[so_far.to_le_bytes(), next.to_le_bytes()].concat()),
        }
    }

    /// Returns 64 bits of a digest, for keys.
    pub fn short(self, digest: u128) -> u64 {
        match self {
            Digests::Former => digest_0_1::short(digest),
            Digests::Today => digest as u64,
        }
    }

    /// Returns the key of a call with this decoded id.
    pub fn call_key(self, id: &[u8]) -> u64 {
        match self {
            Digests::Former => digest_0_1::call_key(id),
            Digests::Today => xxh3_64(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of an empty text are those that the xxHash project publishes.
    #[test]
    fn stored_values_keep_their_meaning() {
        let today = Digests::Today;
        assert_eq!(today.digest(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        assert_eq!(today.call_key(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(today.short(today.digest(b"")), 0x6001_c324_468d_497f);
        assert_ne!(today.chain(1, 2), today.chain(2, 1));
        assert_eq!(
            Digests::BOTH.map(|digests| Digests::of_number(digests.number())),
            Digests::BOTH.map(Some)
        );
        assert_eq!(Digests::of_number(9), None);
    }
}
