//! Letters looked up by three: packed into one number, in a small map.

/// Letters that are looked up together.
pub(super) const THREE: usize = 3;

/// A character takes 21 bits, and three of them a key.
pub(super) const MASK: u64 = (1 << 63) - 1;

/// Gives every three neighbouring characters as one number; a shorter word is one of its own.
pub(super) fn threes(chars: impl Iterator<Item = char>, mut each: impl FnMut(u64)) {
    let (mut key, mut n) = (0u64, 0);
    for c in chars {
        key = (key << 21 | u64::from(c)) & MASK;
        n += 1;
        if n >= THREE {
            each(key);
        }
    }
    if n < THREE && n > 0 {
        each(key);
    }
}

/// A map from keys to terms with open addressing. Invariant: at most half of the slots are taken, and their number is a
/// power of two; a key is never 0.
#[derive(Default)]
pub(super) struct Threes {
    slots: Vec<(u64, u32)>,
    taken: usize,
}

impl Threes {
    /// The term of `key`, which is `term` if it had none.
    pub fn insert(&mut self, key: u64, term: u32) -> u32 {
        if self.taken * 2 >= self.slots.len() {
            let larger = vec![(0, 0); (self.slots.len() * 2).max(256)];
            let old = std::mem::replace(&mut self.slots, larger);
            old.into_iter().filter(|(key, _)| *key != 0).for_each(|slot| {
                let at = self.place(slot.0);
                self.slots[at] = slot;
            });
        }
        let at = self.place(key);
        if self.slots[at].0 == 0 {
            self.slots[at] = (key, term);
            self.taken += 1;
        }
        self.slots[at].1
    }

    pub fn get(&self, key: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.place(key)];
        (slot.0 == key && key != 0).then_some(slot.1)
    }

    /// The slot of `key`, or the one where it belongs.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        while self.slots[at].0 != key && self.slots[at].0 != 0 {
            at = (at + 1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_again() {
        let mut map = Threes::default();
        let words: Vec<String> = (0..3000).map(|i| format!("w{i}é")).collect();
        let mut keys = Vec::new();
        words.iter().for_each(|word| threes(word.chars(), |key| keys.push(key)));
        keys.sort_unstable();
        keys.dedup();
        for (term, &key) in (0u32..).zip(&keys) {
            assert_eq!((map.get(key), map.insert(key, term)), (None, term));
        }
        for (term, &key) in (0u32..).zip(&keys) {
            assert_eq!((map.get(key), map.insert(key, 9)), (Some(term), term));
        }
        let mut short = Vec::new();
        threes("ab".chars(), |key| short.push(key));
        threes("".chars(), |key| short.push(key));
        assert_eq!(short.len(), 1);
    }
}
