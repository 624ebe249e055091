//! The hash by which ids and keys are compared where they are not kept: a log has one a line.

/// 64 bits of FNV-1a over words of eight bytes, mixed; never 0.
pub fn id_hash(id: &[u8]) -> u64 {
    let (words, rest) = id.as_chunks::<8>();
    let mut hash = words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    if !rest.is_empty() {
        hash = mix(hash, rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    hash ^= hash >> 32 ^ id.len() as u64;
    hash | 1
}

fn mix(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn near_ids_differ() {
        let ids: Vec<String> = (0..20_000).map(|i| format!("toolu_{i}")).chain(["".into(), "\0".into(), "\0\0".into()]).collect();
        assert_eq!(ids.iter().map(|id| id_hash(id.as_bytes())).collect::<HashSet<_>>().len(), ids.len());
        assert!(!ids.iter().any(|id| id_hash(id.as_bytes()) == 0));
    }
}
