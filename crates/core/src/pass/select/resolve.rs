//! Resolves selectors to parts. Every name is looked up in the unchanged input.

use super::selector::{Selector, shown};
use crate::{
    Result,
    edit::View,
    json::{Id, IdMap},
    pass::{dependencies::Part, versions::done},
    resource::ResourceAccess,
    settings::{Act, Settings},
    transcript::{Block, BlockKind, Role, Span},
    wildcard,
};
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
    /// Messages that are removed as one: they have no parts, or count as one.
    pub messages: Vec<u32>,
    /// The kind of part that the selector refuses to match, if any.
    pub guard: Option<Guard>,
    /// The things that the selector names and that do not exist, each with the reason.
    pub missing: Vec<String>,
}

impl SelectorMatch {
    /// Notes that `what` does not exist.
    fn miss(&mut self, what: &str, why: &str) {
        self.missing.push(format!("{} ({why})", shown(what)));
    }
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

impl<'a> Index<'a> {
    pub fn new(view: &'a View<'a>, settings: &'a Settings) -> Index<'a> {
        let transcript = view.transcript;
        let mut calls: IdMap<Vec<Part>> = IdMap::default();
        for (i, index, block) in view.linked() {
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

    /// Finds the parts and messages that the selector `text` names.
    pub fn find(&self, text: &str) -> Result<SelectorMatch> {
        let mut found = SelectorMatch::default();
        let mut why = "no call of this id".to_owned();
        match Selector::parse(text) {
            Err(wrong) => why = wrong,
            Ok(Selector::Messages(from, to)) => self.messages(from, to, &mut found),
            Ok(Selector::Parts(message, parts)) => self.parts(message, &parts, &mut found),
            Ok(Selector::Other(message, parts)) => {
                found.guard = Some(Guard::Other);
                self.parts(message, &parts, &mut found);
            }
            Ok(Selector::Call(id)) => found.parts = self.by_id(&id),
            Ok(Selector::Ephemeral(id)) => {
                found.guard = Some(Guard::Ephemeral);
                found.parts = self.by_id(&id);
            }
            Ok(Selector::Tool(glob)) => {
                why = "no call of a tool of this name".to_owned();
                found.parts = self.by_tool(&glob);
            }
            Ok(Selector::Resource(path)) => {
                why = "no call holds this resource".to_owned();
                found.parts = self.by_path(&path)?;
            }
        }
        if found.parts.is_empty() && found.messages.is_empty() && found.missing.is_empty() {
            found.miss(text, &why);
        }
        Ok(found)
    }

    fn messages(&self, from: u32, to: u32, found: &mut SelectorMatch) {
        let (view, is_there) = (self.view, from > 0 && to <= self.last);
        // Numbers of messages outside the context, such as those of another branch, are not there;
        // a range steps over them.
        let numbers = self.numbers.iter().filter(|_| is_there);
        let there = numbers.filter(|(n, _)| (from..=to).contains(*n));
        let mut there: Vec<u32> = there.map(|(_, i)| *i).collect();
        there.sort_unstable();
        if there.is_empty() {
            let name = match from == to {
                true => from.to_string(),
                false => format!("{from}-{to}"),
            };
            found.miss(&name, NO_MESSAGE);
        }
        for i in there {
            if view.transcript.blocks_of(i as usize).is_empty() || self.is_one_thing(i) {
                found.messages.push(i);
            } else {
                let parts = view.parts(i as usize);
                found.parts.extend(parts.map(|(index, _)| (i, index)));
            }
        }
    }

    /// Whether message `i` counts as one, and is removed as one: a message that the agent itself
    /// wrote.
    fn is_one_thing(&self, i: u32) -> bool {
        self.view.transcript.messages[i as usize].role == Role::Other
    }

    fn parts(&self, message: u32, parts: &[u32], found: &mut SelectorMatch) {
        let i = self.numbers.get(&message).copied();
        for &part in parts {
            let is_part = |(_, block): &(u32, &Block)| u32::from(block.part) == part;
            let place = || format!("{message}/{part}");
            match i.map(|i| (i, self.view.parts(i as usize).find(is_part))) {
                None => found.miss(&place(), NO_MESSAGE),
                Some((_, None)) => found.miss(&place(), "part index out of bounds"),
                Some((i, _)) if self.is_one_thing(i) => found.messages.push(i),
                Some((i, Some((index, _)))) => found.parts.push((i, index)),
            }
        }
    }

    fn by_id(&self, id: &str) -> Vec<Part> {
        let parts = self.calls.get(&Id::of(id.as_bytes()));
        parts.cloned().unwrap_or_default()
    }

    fn by_tool(&self, glob: &str) -> Vec<Part> {
        let named = |index| wildcard::matches(glob, &self.view.tool(index).trim().to_lowercase());
        let linked = self.view.linked().filter(|(_, index, _)| named(*index));
        linked.map(|(i, index, _)| (i as u32, index)).collect()
    }

    fn by_path(&self, path: &str) -> Result<Vec<Part>> {
        let holds = |touch: &ResourceAccess| {
            touch.path == path && !matches!(touch.act, Act::Delete | Act::Move)
        };
        let mut found = Vec::new();
        let calls = self.view.linked();
        for (i, index, _) in calls.filter(|(.., block)| block.kind == BlockKind::Call) {
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
pub(crate) fn id_of(view: &View<'_>, part: Part) -> Result<Option<String>> {
    let link = view.transcript.link_at(part.1);
    if link.call.is_none() || link.id == Span::default() {
        return Ok(None);
    }
    view.text(part.0 as usize, link.id).map(Some)
}
