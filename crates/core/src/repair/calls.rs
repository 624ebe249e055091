//! Calls that stand in a message of the user's come to the assistant.
//!
//! They come last into the assistant's message before, or into one of its own where there is none. Their results stay where
//! they are: those are moved once the calls are in their place.

use super::{Bench, Defect};
use std::collections::BTreeMap;

impl Bench<'_> {
    /// Moves the calls of these defects.
    pub(super) fn move_calls(&mut self, defects: &[&Defect]) {
        let mut calls: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for defect in defects {
            let Some(block) = defect.block else { continue };
            if self.is_misplaced(defect.message, &self.transcript.blocks[block as usize]) {
                calls.entry(defect.message).or_default().push(block);
            }
        }
        for (i, blocks) in calls {
            let places: Vec<_> = blocks.iter().filter_map(|&block| self.element_of(i, block)).collect();
            let parts = places.iter().map(|place| &self.bytes[place.clone()]).collect::<Vec<_>>().join(&b","[..]);
            let Some(content) = self.content(i).filter(|_| !places.is_empty()) else { continue };
            if content.elements.as_ref().is_some_and(|elements| elements.len() == places.len()) {
                self.put(content.value.start + 1..content.value.end - 1, Vec::new());
            } else {
                places.into_iter().for_each(|place| self.cut(place));
            }
            self.give_to_assistant(i, &parts);
        }
    }

    /// Inserts parts into the assistant's message before message `i`, or before that as a message of the assistant's.
    fn give_to_assistant(&mut self, i: usize, parts: &[u8]) {
        let before = i.checked_sub(1).filter(|&j| self.transcript.messages[j].role == crate::transcript::Role::Assistant);
        let Some(j) = before else {
            let message = [b"{\"role\":\"assistant\",\"", self.content_name().as_bytes(), b"\":[", parts, b"]}"].concat();
            return self.put_before_message(i, &message);
        };
        match self.content(j) {
            None => self.add_content(j, parts),
            Some(content) => match &content.elements {
                Some(elements) => {
                    let end = elements.last().map_or(content.value.start + 1, |last| last.end);
                    let comma: &[u8] = if elements.is_empty() { b"" } else { b"," };
                    self.put(end..end, [comma, parts].concat());
                }
                None => {
                    // An empty text is no part.
                    let said = &self.bytes[content.value.clone()];
                    let text = self.as_part(said).filter(|_| said.len() > 2).map(|text| [&text[..], b","].concat());
                    self.put(content.value.clone(), [b"[", &text.unwrap_or_default()[..], parts, b"]"].concat());
                }
            },
        }
    }
}
