//! What one role says in a row becomes one message, where a provider refuses neighbours of one role.

use super::place::members;
use super::{Bench, Defect};
use crate::transcript::Role;
use std::collections::{BTreeMap, BTreeSet};

impl Bench<'_> {
    /// Messages of these defects join the one before them that has their role.
    pub(super) fn merge(&mut self, defects: &[&Defect]) {
        let roles = |i: usize| self.transcript.messages[i].role;
        let later: BTreeSet<usize> = defects.iter().map(|d| d.message).collect();
        let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut base = 0;
        for i in (0..self.transcript.messages.len()).filter(|&i| roles(i) != Role::System) {
            if later.contains(&i) && roles(i) == roles(base) && self.only_speaks(i) {
                joined.entry(base).or_default().push(i)
            } else {
                base = i
            }
        }
        for (base, more) in joined {
            let Some(content) = self.content(base) else { continue };
            let (value, own) = (content.value.clone(), &content.elements);
            let mut parts: Vec<Vec<u8>> = Vec::new();
            for i in more {
                if let Some(content) = self.content(i) {
                    match &content.elements {
                        Some(elements) => parts.extend(elements.iter().map(|e| self.bytes[e.clone()].to_vec())),
                        None => parts.extend(self.as_part(&self.bytes[content.value.clone()])),
                    }
                }
                self.drop_message(i);
            }
            let parts = parts.join(&b","[..]);
            match own {
                Some(own) => {
                    let end = own.last().map_or(value.start + 1, |last| last.end);
                    let comma: &[u8] = if own.is_empty() || parts.is_empty() { b"" } else { b"," };
                    self.put(end..end, [comma, &parts].concat());
                }
                None => {
                    let own = self.as_part(&self.bytes[value.clone()]).unwrap_or_default();
                    let comma: &[u8] = if own.is_empty() || parts.is_empty() { b"" } else { b"," };
                    self.put(value, [b"[", &own[..], comma, &parts, b"]"].concat());
                }
            }
        }
    }

    /// Whether a message says nothing beside its content, so that nothing is lost where that joins another.
    fn only_speaks(&self, i: usize) -> bool {
        let known = |name: &[u8]| name == b"role" || name == self.content_name().as_bytes();
        members(self.bytes, self.start(i)).is_some_and(|members| members.iter().all(|m| known(&m.name)))
    }

    /// A content that is no array as the one part that it says.
    pub(super) fn as_part(&self, content: &[u8]) -> Option<Vec<u8>> {
        let (open, close) = self.text_around();
        (content.first() == Some(&b'"')).then(|| [open, content, close].concat())
    }
}
