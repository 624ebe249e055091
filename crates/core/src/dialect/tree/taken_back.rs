//! What the path takes back: entries that the agent no longer sends, or sends with another content.

use crate::{
    dialect::builder::{Entry, EntryKind, NONE, TranscriptBuilder},
    json::IdMap,
    transcript::{BlockKind, Link, Message, Role, Span},
};
use std::collections::HashMap;

/// Gives each edit a message of its own: the message that it names, with its new content.
pub fn resolve(builder: &mut TranscriptBuilder) {
    let is_new = |e: &Entry| matches!(e.kind, EntryKind::Edit(_)) && e.said().is_some();
    if !builder.entries.iter().any(is_new) {
        return;
    }
    let said = builder
        .entries
        .iter()
        .filter_map(|e| Some((e.id, e.said()?)));
    let said: IdMap<u32> = said.collect();
    for i in 0..builder.entries.len() {
        let edit = builder.entries[i];
        if let (true, Some(&of)) = (is_new(&edit), said.get(&edit.about())) {
            let message = with_content_of(builder, of as usize, edit.message as usize);
            builder.entries[i].message = message;
        }
    }
}

/// Removes from `nodes` what an edit on the path takes back, and gives the others their new
/// content. If several edits change an entry, the last one on the path counts.
pub fn edit(builder: &mut TranscriptBuilder, path: &[usize], nodes: &mut Vec<usize>) {
    resolve(builder);
    let entries = &builder.entries;
    let edits = entries
        .iter()
        .filter(|e| matches!(e.kind, EntryKind::Edit(_)));
    let mut edits: Vec<_> = edits.collect();
    if edits.is_empty() {
        return;
    }
    let places: IdMap<usize> = path
        .iter()
        .zip(0..)
        .map(|(&i, n)| (entries[i].id, n))
        .collect();
    edits.retain(|edit| places.contains_key(&edit.parent));
    edits.sort_by_key(|edit| places[&edit.parent]);
    let newest: IdMap<u32> = edits
        .iter()
        .map(|edit| (edit.about(), edit.message))
        .collect();
    // Keyed by message, because copies of an entry have ids of their own.
    let changes = entries
        .iter()
        .filter_map(|e| Some((e.said()?, *newest.get(&e.id)?)));
    let changes: HashMap<u32, u32> = changes.collect();
    let gone = changes.iter().filter(|(_, new)| **new == NONE);
    let gone = gone.map(|(&message, _)| builder.messages[message as usize].record);
    builder.taken_back.extend(gone);
    nodes.retain(|&node| {
        let message = &mut builder.entries[node].message;
        *message = changes.get(message).copied().unwrap_or(*message);
        *message != NONE
    });
}

/// Adds the message `of` with the content of message `by`, whose record is a later one; returns its
/// index.
fn with_content_of(builder: &mut TranscriptBuilder, of: usize, by: usize) -> u32 {
    let (old, new) = (builder.messages[of], builder.messages[by]);
    let Some(apart) = new.record.checked_sub(old.record) else {
        return of as u32;
    };
    let moved = |span: Span| Span {
        start: span.start.saturating_add(apart as u32),
        end: span.end.saturating_add(apart as u32),
    };
    let first = builder.blocks.len() as u32;
    let mut content = builder.blocks[builder.places_of(by)].to_vec();
    content
        .iter_mut()
        .for_each(|block| block.span = moved(block.span));
    let result = builder.blocks_of(of as u32).first().copied();
    if let Some(mut result) =
        result.filter(|b| old.role == Role::Tool && b.kind == BlockKind::Result)
    {
        builder.links.push(Link {
            children: content.len() as u32,
            content: moved(new.span),
            ..*builder.link_of(&result)
        });
        result.extra = builder.links.len() as u32 - 1;
        builder.blocks.push(result);
    }
    builder.blocks.append(&mut content);
    builder.messages.push(Message {
        blocks: first,
        array: new.array,
        multi_record: true,
        not_removable: true,
        ..old
    });
    builder.messages.len() as u32 - 1
}
