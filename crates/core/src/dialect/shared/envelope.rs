//! Records that are inserted into a log: the agent's envelope around a message, made from
//! neighbouring records.

use crate::{
    dialect::shared::reply::{Reply, array},
    json::{Id, IdSet, locate::Member},
};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The members of a log's records beside their messages.
#[derive(Debug)]
pub struct Envelope {
    /// The member that a record with an envelope has; without it a record is the message alone.
    pub known_by: &'static str,
    /// Its members, in order: a list of `NAME=VALUE`. A name alone stands for the value of the same
    /// member in the record of the call.
    ///
    /// | value | means |
    /// |---|---|
    /// | `time` | the time of the record that follows, or else that of the call |
    /// | `message` | the inserted reply, as a message |
    /// | `parts` | the inserted reply, as an array of parts |
    /// | `content` | the inserted reply, as a content of parts |
    /// | `id:MEMBER` | a new id, made of the call's, so that two runs make the same; left out where the record of the call lacks the member |
    /// | `parent` | the record before it in the tree, or null |
    /// | `parent:MEMBER` | likewise; left out where the record of the call lacks the member |
    /// | anything else | this JSON |
    pub members: &'static str,
}

/// A record that was written, and its own id where records of this log have one.
pub struct Line {
    /// Its bytes, without a line end.
    pub bytes: Vec<u8>,
    /// Its id, with its quotes.
    pub id: Option<Vec<u8>>,
}

/// The records that a new one is made like.
pub struct AdjacentLines<'a> {
    /// The bytes in which both lie.
    pub bytes: &'a [u8],
    /// The members of the record of the call.
    pub call: &'a [Member<'a>],
    /// The members of the record that follows.
    pub next: &'a [Member<'a>],
}

impl Envelope {
    /// Writes `reply` as a record. `parent` is the record above it in the tree, as a value; its id
    /// is made of `seed`, and added to `ids`, those that records have.
    pub fn line(
        &self,
        around: &AdjacentLines<'_>,
        parent: Option<&[u8]>,
        reply: &Reply,
        seed: &[u8],
        ids: &mut IdSet,
    ) -> Line {
        let of = |from: &[Member<'_>], name: &str| {
            let found = from.iter().rfind(|m| *m.name == *name.as_bytes());
            found.map(|m| around.bytes[m.value.clone()].to_vec())
        };
        let of_call = |name: &str| of(around.call, name);
        if of_call(self.known_by).is_none() {
            return Line {
                bytes: message(reply),
                id: None,
            };
        }
        let (mut line, mut id) = (Vec::new(), None);
        for member in self.members.split(' ') {
            let (name, value) = member.split_once('=').unwrap_or((member, "copied"));
            let (value, with) = value.split_once(':').unwrap_or((value, ""));
            let is_with = with.is_empty() || of_call(with).is_some();
            let value = match value {
                "copied" => of_call(name),
                "time" => of(around.next, name).or_else(|| of_call(name)),
                "message" => Some(message(reply)),
                "parts" => Some(array(reply.bytes())),
                "content" => Some(
                    [
                        b"{\"role\":\"user\",\"parts\":",
                        &array(reply.bytes())[..],
                        b"}",
                    ]
                    .concat(),
                ),
                "id" => {
                    let like = of_call(name).filter(|_| is_with);
                    id = like.map(|like| new_id(&like, seed, ids));
                    id.clone()
                }
                "parent" => is_with.then(|| parent.unwrap_or(b"null").to_vec()),
                json => Some(json.as_bytes().to_vec()),
            };
            if let Some(value) = value {
                line.push(if line.is_empty() { b'{' } else { b',' });
                line.extend_from_slice(format!("\"{name}\":").as_bytes());
                line.extend_from_slice(&value);
            }
        }
        line.push(b'}');
        Line { bytes: line, id }
    }
}

/// A reply as a message.
pub fn message(reply: &Reply) -> Vec<u8> {
    match reply {
        Reply::Part(part) => [b"{\"role\":\"user\",\"content\":[", &part[..], b"]}"].concat(),
        Reply::Message(message) => message.clone(),
    }
}

/// An id that no record has, in the form of `like`, made of `seed`; both with quotes.
fn new_id(like: &[u8], seed: &[u8], ids: &mut IdSet) -> Vec<u8> {
    let long = like.len() >= 36 && memchr::memchr_iter(b'-', like).count() == 4;
    let mut salt = 0u64;
    loop {
        let hex = format!("{:032x}", xxh3_128_with_seed(seed, salt));
        let id = if long {
            format!(
                "\"{}-{}-4{}-8{}-{}\"",
                &hex[..8],
                &hex[8..12],
                &hex[13..16],
                &hex[17..20],
                &hex[20..]
            )
        } else {
            format!("\"{}\"", &hex[..8])
        };
        if ids.insert(Id::of(id.as_bytes())) {
            return id.into_bytes();
        }
        salt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_are_like_the_old_ones_and_new() {
        let mut ids = IdSet::default();
        let short = new_id(b"\"a1b2c3d4\"", b"toolu_1", &mut ids);
        assert!(
            short.len() == 10
                && new_id(b"\"a1b2c3d4\"", b"toolu_1", &mut IdSet::default()) == short
        );
        assert_ne!(new_id(b"\"a1b2c3d4\"", b"toolu_1", &mut ids), short);
        let long = new_id(
            b"\"1541df3a-0c6e-44ae-ab81-fe5d5ad84085\"",
            b"toolu_1",
            &mut ids,
        );
        assert_eq!((long.len(), long[15]), (38, b'4'));
    }
}
