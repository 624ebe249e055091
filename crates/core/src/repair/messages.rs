//! Moves calls to the assistant and content before calls, and merges consecutive messages of one
//! role, as some providers require.

use super::{removal::NOTHING_LEFT, *};

impl RepairContext<'_> {
    /// Moves the calls of these defects from user messages to the assistant: to the message before,
    /// or to a new one if that is not the assistant's. Their results stay where they are; `arrange`
    /// moves those afterwards.
    pub fn move_calls(&mut self, found: &[&Defect]) {
        let mut calls: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
        for defect in found {
            if let Some(call) = defect.block.filter(|call| self.is_misplaced(*call))
                && let Some(place) = self.element_of(call)
            {
                calls.entry(defect.message).or_default().push(place);
            }
        }
        for (i, places) in calls {
            match i.checked_sub(1).filter(|&j| self.transcript.is_answer(j)) {
                Some(j) => self.append_parts(j, &places),
                None => {
                    let parts = self.take_parts(&places);
                    self.insert_message(i, false, self.message("assistant", &parts));
                }
            }
        }
    }

    /// Moves the content of these defects, which follows a call, to the place before the first call
    /// of its turn.
    pub fn calls_last(&mut self, found: &[&Defect]) {
        let transcript = self.transcript;
        // Items are not parts of a content.
        if self.rules.items {
            return;
        }
        for block in found.iter().filter_map(|defect| defect.block) {
            let own = self.message_of(block);
            let turn = (0..=own)
                .rev()
                .take_while(|i| transcript.is_answer(*i))
                .last()
                .unwrap_or(own);
            let first = transcript.messages[turn].blocks;
            let call = (first..block).find(|b| transcript.block(*b).kind == BlockKind::Call);
            if let Some(before) = call.and_then(|call| self.object_of(call))
                && let Some(part) = self.part(block)
            {
                self.insert(Gap::Before(before.start as u64), part);
                self.moved.insert(block);
            }
        }
    }

    /// Returns the part that the block at `block` is; for a string content, the equivalent text
    /// part.
    fn part(&mut self, block: u32) -> Option<Vec<u8>> {
        let value = self.content(self.message_of(block))?.value.clone();
        if elements(self.bytes, value.start).is_some() {
            return Some(self.bytes[self.object_of(block)?].to_vec());
        }
        Some(self.text_part(&self.bytes[value], b""))
    }

    /// Adds a first message of the user, and merges the messages of the other defects with the
    /// message of the same role before them.
    pub fn merge(&mut self, found: &[&Defect]) {
        let roles = |i: usize| self.transcript.messages[i].role;
        let (first, later): (Vec<&Defect>, Vec<&Defect>) =
            found.iter().partition(|defect| defect.row.code == "E10");
        let [first, later] = [first, later].map(|all| {
            all.iter()
                .map(|defect| defect.message)
                .collect::<BTreeSet<_>>()
        });
        first.into_iter().for_each(|i| self.begin(i));
        let bridged = self.rules.results_are_answered;
        for &i in later.iter().filter(|_| bridged) {
            if roles(i) == Role::User && i > 0 && roles(i - 1) == Role::Tool {
                let open = b"{\"role\":\"assistant\",\"content\":";
                self.insert_message(i, false, [open, NOTHING_LEFT, b"}"].concat());
            }
        }
        if !self.rules.alternates {
            return;
        }
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
            if self.content(base).is_none() {
                continue;
            }
            let mut parts = Vec::new();
            for i in more {
                if let Some(content) = self.content(i) {
                    parts.extend(
                        content
                            .elements
                            .clone()
                            .unwrap_or_else(|| vec![content.value.clone()]),
                    );
                }
                self.drop_message(i);
            }
            self.append_parts(base, &parts);
        }
    }

    /// Returns whether a message has no members beside its content that merging would lose.
    fn only_speaks(&self, i: usize) -> bool {
        let known = |name: &[u8]| name == b"role" || name == self.content_name().as_bytes();
        members(self.bytes, self.start(i))
            .is_some_and(|members| members.iter().all(|m| known(&m.name)))
    }
}
