//! Letters by three, packed into one number to be looked up.

/// Letters that are looked up together.
pub(super) const TRIGRAM: usize = 3;

/// A character takes 21 bits, and three of them a key.
pub(super) const MASK: u64 = (1 << 63) - 1;

/// Gives every three neighbouring characters as one number; a shorter word is one of its own.
pub(super) fn trigrams(chars: impl Iterator<Item = char>, mut each: impl FnMut(u64)) {
    let (mut key, mut n) = (0u64, 0);
    for c in chars {
        key = (key << 21 | u64::from(c)) & MASK;
        n += 1;
        if n >= TRIGRAM {
            each(key);
        }
    }
    if n < TRIGRAM && n > 0 {
        each(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_make_keys() {
        let keys = |word: &str| {
            let mut keys = Vec::new();
            trigrams(word.chars(), |key| keys.push(key));
            keys
        };
        assert_eq!((keys("").len(), keys("ab").len(), keys("abc").len(), keys("wéib\u{10ffff}").len()), (0, 1, 1, 3));
        assert_eq!((keys("xabc")[1], keys("éabc")[1]), (keys("abc")[0], keys("abc")[0]));
        assert!(keys("ab") != keys("abc") && keys("abc") != keys("acb"));
        assert_eq!(keys("\u{10ffff}\u{10ffff}\u{10ffff}"), [0x43ff_fe1f_fff0_ffff]);
    }
}
