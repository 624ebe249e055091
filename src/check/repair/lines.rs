//! Lines that are put into a history: the envelope that its agent writes around a message, made of what the neighbours say.
//!
//! A new line stands before the message that follows the call, and takes its place in the tree: its parent is that
//! message's parent, and the message comes to be its child. Ids are made of the call's, so that two runs make the same.

use super::answer::Answer;
use super::place::{Member, members};
use crate::format::sheet::id_hash;

/// A line that was written, and its own id where lines of this history have one.
pub struct Line {
    /// Its bytes, without a line end.
    pub bytes: Vec<u8>,
    /// Its id, with its quotes.
    pub id: Option<Vec<u8>>,
}

/// Members that all lines of a Claude Code session share.
const SESSION: [&str; 7] = ["userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug"];

/// Writes `answer` as a line beside `call`, the record that makes the call, and before `next`, the record that follows.
/// `parent` is what the tree says of `next`: the value of its parent as it stands.
pub fn line(bytes: &[u8], call: usize, next: usize, parent: Option<&[u8]>, answer: Answer, seed: &[u8]) -> Option<Line> {
    let (call, next) = (members(bytes, call)?, members(bytes, next)?);
    let of = |from: &[Member<'_>], name: &str| from.iter().rfind(|m| *m.name == *name.as_bytes()).map(|m| bytes[m.value.clone()].to_vec());
    let time = of(&next, "timestamp").or_else(|| of(&call, "timestamp"));
    let answer = match answer {
        Answer::Block(block) => [b"{\"role\":\"user\",\"content\":[", &block[..], b"]}"].concat(),
        Answer::Message(message) => message,
    };
    let has = |name: &str| of(&call, name).is_some();
    let like = |name: &str| of(&call, name).map(|id| new_id(bytes, &id, seed));
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
    } else if !has("message") {
        return Some(Line { bytes: answer, id: None });
    } else if ["uuid", "parentUuid", "sessionId"].into_iter().any(has) {
        id = like("uuid");
        written.add("parentUuid", Some(parent.unwrap_or(b"null").to_vec()));
        written.add("isSidechain", of(&call, "isSidechain"));
        written.add("type", Some(b"\"user\"".to_vec()));
        written.add("message", Some(answer));
        written.add("uuid", id.clone());
        written.add("timestamp", time);
        SESSION.into_iter().for_each(|name| written.add(name, of(&call, name)));
    } else {
        let in_tree = has("parentId");
        id = if in_tree { like("id") } else { None };
        written.add("type", Some(b"\"message\"".to_vec()));
        written.add("id", id.clone());
        written.add("parentId", in_tree.then(|| parent.unwrap_or(b"null").to_vec()));
        written.add("timestamp", time);
        written.add("message", Some(answer));
    }
    Some(Line { bytes: written.close(), id })
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
fn new_id(bytes: &[u8], like: &[u8], seed: &[u8]) -> Vec<u8> {
    let long = like.len() >= 36 && memchr::memchr_iter(b'-', like).count() == 4;
    let mut salt = 0u8;
    loop {
        let (one, two) = (id_hash(&[seed, &[salt]].concat()), id_hash(&[&[salt], seed, b"\0"].concat()));
        let hex = format!("{one:016x}{two:016x}");
        let id = if long {
            format!("\"{}-{}-4{}-8{}-{}\"", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
        } else {
            format!("\"{}\"", &hex[..8])
        };
        if salt == u8::MAX || memchr::memmem::find(bytes, id.as_bytes()).is_none() {
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
        let short = new_id(b"{}", b"\"a1b2c3d4\"", b"toolu_1");
        assert!(short.len() == 10 && new_id(b"{}", b"\"a1b2c3d4\"", b"toolu_1") == short);
        assert_ne!(new_id(&short, b"\"a1b2c3d4\"", b"toolu_1"), short);
        let long = new_id(b"{}", b"\"1541df3a-0c6e-44ae-ab81-fe5d5ad84085\"", b"toolu_1");
        assert_eq!((long.len(), long[15]), (38, b'4'));
    }
}
