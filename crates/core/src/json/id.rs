//! Ids, compared by a keyed hash: a log has several in each line.
//!
//! The hash is SipHash-1-3 with 128 bits and a random key for each process, so that nobody can
//! construct two ids with the same hash. An [`Id`] never leaves the process.

use super::{Cursor, text};
use siphasher::sip128::{Hash128, Hasher128, SipHasher13};
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState},
    sync::OnceLock,
};

/// An id, or any other text that is only compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id([u64; 2]);

/// The kind of a generated id, so that ids of different kinds differ.
#[derive(Clone, Copy, Debug)]
pub enum GeneratedId {
    /// The number of a call or a result that names no id.
    Link = 1,
    /// The place of a call that the provider answers itself.
    Server,
    /// The byte of the input at which a call and its result are together.
    Place,
    /// The place of a copy among those that a boundary sends again.
    Again,
}

impl Id {
    /// No id.
    pub const NONE: Id = Id([0, 0]);

    /// Hashes a text, decoded.
    pub fn of(text: &[u8]) -> Id {
        key().hash(text).into()
    }

    /// Hashes a sequence of texts. The boundaries between them count.
    pub fn of_all<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Id {
        let mut hasher = *key();
        for text in texts {
            hasher.write_usize(text.as_ref().len());
            hasher.write(text.as_ref());
        }
        hasher.finish128().into()
    }

    /// Hashes a JSON value. The spelling of strings and white space between tokens do not count.
    pub fn of_value(json: &[u8]) -> Id {
        let (mut plain, mut cursor) = (Vec::with_capacity(json.len()), Cursor::new(json));
        while let Some(byte) = cursor.peek() {
            if byte == b'"'
                && let Ok(found) = cursor.text()
            {
                // A separator that is no code point.
                text::values(found.raw)
                    .chain([u32::MAX])
                    .for_each(|value| plain.extend(value.to_le_bytes()));
            } else {
                plain.push(byte);
                cursor.go_to(cursor.at() + 1);
            }
        }
        Id::of(&plain)
    }

    /// Makes an id that differs from that of any text.
    pub fn generated(kind: GeneratedId, number: u64) -> Id {
        Id([number, kind as u64])
    }

    /// Returns half of the hash, for tables in which a rare collision does no harm.
    pub fn short(self) -> u64 {
        self.0[0]
    }

    /// Returns whether this is [`Id::NONE`].
    pub fn is_none(self) -> bool {
        self == Id::NONE
    }

    /// Returns whether this is an id.
    pub fn is_some(self) -> bool {
        !self.is_none()
    }
}

impl From<Hash128> for Id {
    fn from(hash: Hash128) -> Id {
        Id([hash.h1, hash.h2])
    }
}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0] ^ self.0[1].rotate_left(32));
    }
}

/// A map by [`Id`], which is a hash already.
pub type IdMap<V> = HashMap<Id, V, BuildHasherDefault<IdHasher>>;
/// A set of [`Id`]s, which are hashes already.
pub type IdSet = HashSet<Id, BuildHasherDefault<IdHasher>>;

/// Uses the hash that an [`Id`] already is.
#[derive(Debug, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    // An id writes one number.
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Returns the hasher with the key of this process.
fn key() -> &'static SipHasher13 {
    static KEY: OnceLock<SipHasher13> = OnceLock::new();
    KEY.get_or_init(|| {
        let random = RandomState::new();
        SipHasher13::new_with_keys(random.hash_one(0), random.hash_one(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_differ() {
        let mut texts: Vec<String> = (0..20_000).map(|i| format!("toolu_{i}")).collect();
        texts.extend(
            [
                "",
                "\0",
                "\0\0",
                "toolu_02ZyXwVu24",
                "42XbcIO7IHJWI9zw",
                "toolu_01AbCdEf42",
            ]
            .map(str::to_owned),
        );
        assert_eq!(
            texts
                .iter()
                .map(|text| Id::of(text.as_bytes()))
                .collect::<IdSet>()
                .len(),
            texts.len()
        );
        assert!(texts.iter().all(|text| Id::of(text.as_bytes()).is_some()));
    }

    #[test]
    fn a_value_has_one_id_in_every_spelling() {
        let id = |json: &str| Id::of_value(json.as_bytes());
        assert_eq!(
            id(r#"[ {"te\u0078t" : "\u00e9\n\/"}, 1 ]"#),
            id(r#"[{"text":"é\u000a/"},1]"#)
        );
        let different = [
            r#""""#,
            r#""\ud800""#,
            r#""\ud801""#,
            r#""a b""#,
            r#""ab""#,
            r#"["a","b"]"#,
            r#"["ab"]"#,
            "1",
            "",
            r#""1""#,
        ];
        assert_eq!(
            different.map(id).into_iter().collect::<IdSet>().len(),
            different.len()
        );
    }

    #[test]
    fn parts_of_a_sequence_do_not_run_together() {
        assert_eq!(Id::of_all(["ab", "c"]), Id::of_all(["ab", "c"]));
        assert_ne!(Id::of_all(["ab", "c"]), Id::of_all(["a", "bc"]));
        assert_ne!(
            Id::generated(GeneratedId::Link, 3),
            Id::generated(GeneratedId::Server, 3)
        );
    }
}
