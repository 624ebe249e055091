//! Lines that are put into a history: the envelope that its agent writes around a message, made of what the neighbours say.
//!
//! A new line stands before the message that follows the call, and takes its place in the tree: its parent is that
//! message's parent, and the message comes to be its child. Ids are made of the call's, so that two runs make the same.

use super::answer::Answer;
use super::insert::Coming;
use super::place::Member;
use crate::json::{Id, IdSet};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// A line that was written, and its own id where lines of this history have one.
pub struct Line {
    /// Its bytes, without a line end.
    pub bytes: Vec<u8>,
    /// Its id, with its quotes.
    pub id: Option<Vec<u8>>,
}

/// Members that all lines of a Claude Code session share.
const SESSION: [&str; 7] = ["userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug"];

/// Writes what is coming as a line before `next`, the members of the record that follows; `call` are those of the record
/// that makes the call. `parent` is the line above it in the tree, as a value; `ids` are the ids that lines have, and get
/// the new one.
pub fn line(bytes: &[u8], call: &[Member<'_>], next: &[Member<'_>], parent: Option<&[u8]>, coming: &Coming, ids: &mut IdSet) -> Line {
    let of = |from: &[Member<'_>], name: &str| from.iter().rfind(|m| *m.name == *name.as_bytes()).map(|m| bytes[m.value.clone()].to_vec());
    let time = of(next, "timestamp").or_else(|| of(call, "timestamp"));
    let answer = match &coming.answer {
        Answer::Part(block) => [b"{\"role\":\"user\",\"content\":[", &block[..], b"]}"].concat(),
        Answer::Message(message) => message.clone(),
    };
    let has = |name: &str| of(call, name).is_some();
    let mut like = |name: &str| of(call, name).map(|id| new_id(&id, &coming.seed, ids));
    let mut written = Writer::default();
    let id;
    if has("payload") {
        id = None;
        written.add("timestamp", time);
        written.add("type", Some(b"\"response_item\"".to_vec()));
        written.add("payload", Some(answer));
    } else if has("data") {
        id = like("id");
        written.add("type", Some(b"\"tool.execution_complete\"".to_vec()));
        written.add("data", Some(answer));
        written.add("id", id.clone());
        written.add("timestamp", time);
        written.add("parentId", Some(parent.unwrap_or(b"null").to_vec()));
    } else if let (Answer::Part(part), true) = (&coming.answer, has("type") && !has("message")) {
        // Gemini CLI's.
        id = like("id");
        written.add("id", id.clone());
        written.add("timestamp", time);
        written.add("type", Some(b"\"user\"".to_vec()));
        written.add("content", Some([b"[", &part[..], b"]"].concat()));
    } else if !has("message") {
        return Line { bytes: answer, id: None };
    } else if ["uuid", "parentUuid", "sessionId"].into_iter().any(has) {
        id = like("uuid");
        written.add("parentUuid", Some(parent.unwrap_or(b"null").to_vec()));
        written.add("isSidechain", of(call, "isSidechain"));
        written.add("type", Some(b"\"user\"".to_vec()));
        written.add("message", Some(answer));
        written.add("uuid", id.clone());
        written.add("timestamp", time);
        SESSION.into_iter().for_each(|name| written.add(name, of(call, name)));
    } else {
        let in_tree = has("parentId");
        id = if in_tree { like("id") } else { None };
        written.add("type", Some(b"\"message\"".to_vec()));
        written.add("id", id.clone());
        written.add("parentId", in_tree.then(|| parent.unwrap_or(b"null").to_vec()));
        written.add("timestamp", time);
        written.add("message", Some(answer));
    }
    Line { bytes: written.close(), id }
}

/// Members of an object, as they are written.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn add(&mut self, name: &str, value: Option<Vec<u8>>) {
        let Some(value) = value else { return };
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        self.0.extend_from_slice(format!("\"{name}\":").as_bytes());
        self.0.extend_from_slice(&value);
    }

    fn close(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }
}

/// An id that no one has, in the shape of `like`, made of `seed`; both with quotes.
fn new_id(like: &[u8], seed: &[u8], ids: &mut IdSet) -> Vec<u8> {
    let long = like.len() >= 36 && memchr::memchr_iter(b'-', like).count() == 4;
    let mut salt = 0u64;
    loop {
        let hex = format!("{:032x}", xxh3_128_with_seed(seed, salt));
        let id = if long {
            format!("\"{}-{}-4{}-8{}-{}\"", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
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
        assert!(short.len() == 10 && new_id(b"\"a1b2c3d4\"", b"toolu_1", &mut IdSet::default()) == short);
        assert_ne!(new_id(b"\"a1b2c3d4\"", b"toolu_1", &mut ids), short);
        let long = new_id(b"\"1541df3a-0c6e-44ae-ab81-fe5d5ad84085\"", b"toolu_1", &mut ids);
        assert_eq!((long.len(), long[15]), (38, b'4'));
    }
}
