//! The digests of versions up to 0.1, for rows that these stored. A row is written with [`super::digest`] when its session is next
//! pruned, so this module is removed in version 0.3.

/// Odd constants without structure: the fractional parts of square roots of primes.
const K: [u64; 4] = [
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
];

/// The digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> u128 {
    let (mut a, mut b) = (K[0], K[1] ^ bytes.len() as u64);
    let mut words = bytes.chunks_exact(16);
    for chunk in &mut words {
        (a, b) = step(a, b, word(&chunk[..8]), word(&chunk[8..]));
    }
    let rest = words.remainder();
    let (low, high) = rest.split_at(rest.len().min(8));
    (a, b) = step(a, b, word(low), word(high));
    (a, b) = step(a, b, b, a);
    u128::from(a) << 64 | u128::from(b)
}

/// The digest of a sequence, of which `so_far` came before `next`.
pub(super) fn chain(so_far: u128, next: u128) -> u128 {
    let (mut a, mut b) = ((so_far >> 64) as u64, so_far as u64);
    (a, b) = step(a, b, (next >> 64) as u64, next as u64);
    (a, b) = step(a, b, b, a);
    u128::from(a) << 64 | u128::from(b)
}

/// 64 bits of a digest, for keys.
pub(super) fn short(digest: u128) -> u64 {
    (digest >> 64) as u64 ^ digest as u64
}

/// 64 bits by which a call is known in later runs, of its id as it was decoded: FNV-1a over words of eight bytes, mixed.
pub(super) fn call_key(id: &[u8]) -> u64 {
    let (words, rest) = id.as_chunks::<8>();
    let mut hash = words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        mix(hash, u64::from_le_bytes(*word))
    });
    if !rest.is_empty() {
        hash = mix(hash, word(rest));
    }
    hash ^= hash >> 32 ^ id.len() as u64;
    hash | 1
}

fn mix(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn step(a: u64, b: u64, x: u64, y: u64) -> (u64, u64) {
    // What was there before stays in, whatever the product is.
    (
        fold(a ^ x, y ^ K[2]) ^ a.rotate_left(23),
        fold(b ^ y, x ^ K[3]) ^ b.rotate_left(41),
    )
}

/// Both halves of a product.
fn fold(x: u64, y: u64) -> u64 {
    let product = u128::from(x) * u128::from(y);
    (product >> 64) as u64 ^ product as u64
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn stored_values_keep_their_meaning() {
        assert_eq!(digest(b""), STORED[0]);
        assert_eq!(digest(b"Old tool result content cleared"), STORED[1]);
        assert_eq!(chain(1, 2), STORED[2]);
    }

    /// Computed by a second implementation, in Python.
    const STORED: [u128; 3] = [
        0xd8dd_0bba_5903_cd38_b424_8133_666c_f0f8,
        0xf353_fe30_ec01_edb9_c5c8_33a8_8f82_247b,
        0xd9b8_bdbc_b834_ab11_bbd3_286d_935a_d9ee,
    ];

    #[test]
    fn small_changes_tell() {
        let mut seen = HashSet::new();
        for n in 0..200usize {
            for at in 0..n {
                let mut bytes = vec![0u8; n];
                bytes[at] = 1;
                assert!(seen.insert(digest(&bytes)), "{n} {at}");
            }
            assert!(seen.insert(digest(&vec![0; n])), "{n} zeros");
        }
        let shorts: HashSet<u64> = seen.iter().map(|d| short(*d)).collect();
        assert_eq!(shorts.len(), seen.len());
    }

    proptest! {
        #[test]
        fn a_flipped_bit_is_detected(mut bytes in prop::collection::vec(any::<u8>(), 1..80), at in any::<prop::sample::Index>(), bit in 0..8u8) {
            let before = digest(&bytes);
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert_ne!(before, digest(&bytes));
            prop_assert_ne!(chain(before, 1), chain(digest(&bytes), 1));
        }
    }
}
