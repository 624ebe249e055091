//! Resolves selectors to parts. Every name is looked up in the unchanged input.

use super::Selector;
use crate::Error;
use crate::edit::View;
use crate::json::{Id, IdMap};
use crate::pass::dependencies::Part;
use crate::pass::versions::done;
use crate::resource::ResourceAccess;
use crate::settings::{Act, Settings};
use crate::transcript::{BlockKind, Role, Span};
use crate::wildcard;
use std::collections::HashMap;

/// The kinds of parts that a guarded selector refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// A call that holds a resource.
    Ephemeral,
    /// A call or a result.
    Other,
}

/// The parts that a selector names.
#[derive(Debug, Default)]
pub(super) struct SelectorMatch {
    /// Parts.
    pub parts: Vec<Part>,
    /// Messages that go as they are: they have no parts, or are counted as one thing.
    pub messages: Vec<u32>,
    /// The kind of part that the selector refuses to match, if any.
    pub guard: Option<Guard>,
    /// The messages and parts of the selector that do not exist, each with the reason.
    pub missing: Vec<(String, &'static str)>,
}

/// An index of a transcript, for selectors.
pub(super) struct Index<'a> {
    view: &'a View<'a>,
    settings: &'a Settings,
    numbers: HashMap<u32, u32>,
    last: u32,
    /// Calls and results by their id.
    calls: IdMap<Vec<Part>>,
}

const NO_MESSAGE: &str = "message id not found";
const NO_PART: &str = "part index out of bounds";

impl<'a> Index<'a> {
    pub fn new(view: &'a View<'a>, settings: &'a Settings) -> Index<'a> {
        let transcript = view.transcript;
        let mut calls: IdMap<Vec<Part>> = IdMap::default();
        for (i, index, block) in view.all_parts().filter(|(.., block)| block.is_linked()) {
            let call = transcript.link(block).call;
            if call.is_some() {
                calls.entry(call).or_default().push((i as u32, index));
            }
        }
        let numbers: HashMap<u32, u32> = transcript
            .messages
            .iter()
            .zip(0..)
            .map(|(m, i)| (m.number, i))
            .collect();
        let last = numbers.keys().copied().max().unwrap_or(0);
        Index {
            view,
            settings,
            numbers,
            last,
            calls,
        }
    }

    /// Finds the parts and messages that `selector` names, or returns the reason why it names none.
    pub fn find(&self, selector: &Selector) -> Result<Result<SelectorMatch, &'static str>, Error> {
        let mut found = SelectorMatch::default();
        match selector {
            Selector::Messages(from, to) => self.messages(*from, *to, &mut found),
            Selector::Parts(message, parts) => self.parts(*message, parts, &mut found),
            Selector::Other(message, parts) => {
                found.guard = Some(Guard::Other);
                self.parts(*message, parts, &mut found);
            }
            Selector::Call(id) | Selector::Ephemeral(id) => {
                found.guard =
                    matches!(selector, Selector::Ephemeral(_)).then_some(Guard::Ephemeral);
                found.parts = self
                    .calls
                    .get(&Id::of(id.as_bytes()))
                    .cloned()
                    .unwrap_or_default();
            }
            Selector::Tool(glob) => found.parts = self.by_tool(glob),
            Selector::Resource(path) => found.parts = self.by_path(path)?,
        }
        if found.parts.is_empty() && found.messages.is_empty() && found.missing.is_empty() {
            return Ok(Err(match selector {
                Selector::Tool(_) => "no call of a tool of this name",
                Selector::Resource(_) => "no call holds this resource",
                _ => "no call of this id",
            }));
        }
        Ok(Ok(found))
    }

    fn messages(&self, from: u32, to: u32, found: &mut SelectorMatch) {
        let name = || {
            if from == to {
                from.to_string()
            } else {
                format!("{from}-{to}")
            }
        };
        if from == 0 || to > self.last {
            return found.missing.push((name(), NO_MESSAGE));
        }
        // Numbers of messages outside the context, such as those of another branch, are not there; a range steps over them.
        let mut there: Vec<u32> = self
            .numbers
            .iter()
            .filter(|(n, _)| (from..=to).contains(*n))
            .map(|(_, i)| *i)
            .collect();
        there.sort_unstable();
        if there.is_empty() {
            return found.missing.push((name(), NO_MESSAGE));
        }
        for i in there {
            let is_empty = self.view.transcript.blocks_of(i as usize).is_empty();
            if is_empty || self.view.transcript.messages[i as usize].role == Role::Other {
                found.messages.push(i);
            } else {
                found
                    .parts
                    .extend(self.view.parts(i as usize).map(|(index, _)| (i, index)));
            }
        }
    }

    fn parts(&self, message: u32, parts: &[u32], found: &mut SelectorMatch) {
        let Some(&i) = self.numbers.get(&message) else {
            return found.missing.extend(
                parts
                    .iter()
                    .map(|part| (format!("{message}/{part}"), NO_MESSAGE)),
            );
        };
        for &part in parts {
            match self
                .view
                .parts(i as usize)
                .find(|(_, b)| u32::from(b.part) == part)
            {
                // A message of the agent's own is counted as one thing, so that it is removed as one.
                Some(_) if self.view.transcript.messages[i as usize].role == Role::Other => {
                    found.messages.push(i)
                }
                Some((index, _)) => found.parts.push((i, index)),
                None => found.missing.push((format!("{message}/{part}"), NO_PART)),
            }
        }
    }

    fn by_tool(&self, glob: &str) -> Vec<Part> {
        let named = |index| wildcard::matches(glob, &self.view.tool(index).trim().to_lowercase());
        let linked = self
            .view
            .all_parts()
            .filter(|(.., block)| block.is_linked());
        linked
            .filter(|(_, index, _)| named(*index))
            .map(|(i, index, _)| (i as u32, index))
            .collect()
    }

    fn by_path(&self, path: &str) -> Result<Vec<Part>, Error> {
        let holds = |touch: &ResourceAccess| {
            touch.path == path && !matches!(touch.act, Act::Delete | Act::Move)
        };
        let mut found = Vec::new();
        for (i, index, _) in self
            .view
            .all_parts()
            .filter(|(.., block)| block.kind == BlockKind::Call)
        {
            let touches = done(self.view, i, index, self.settings)?;
            if touches.iter().any(holds) {
                let paired = self.view.paired_with(index).iter();
                let parts = paired.map(|&block| self.view.part(block));
                found.extend([(i as u32, index)].into_iter().chain(parts));
            }
        }
        Ok(found)
    }
}

/// The id of a call or a result as it is spelled, where the input has one.
pub(crate) fn id_of(view: &View<'_>, part: Part) -> Result<Option<String>, Error> {
    let link = view.transcript.link_at(part.1);
    if link.call.is_none() || link.id == Span::default() {
        return Ok(None);
    }
    view.text(part.0 as usize, link.id).map(Some)
}
