//! Pairs the calls of server tools with their results, by the same evidence as other calls.

use super::*;
use crate::transcript::{Flags, Link, NoteKind};

impl RepairContext<'_> {
    /// Renames the results of server tools that can be bound. If there are none, moves those of
    /// these defects to their calls, and removes what has no other half.
    pub fn pair_served(&mut self, found: &[&Defect]) {
        if found.is_empty() {
            return;
        }
        let served = self.served();
        let mut own = RepairContext::new(&served, self.bytes, self.off_context);
        own.bind(found);
        if !own.changes.is_empty() {
            return self.changes.append(&mut own.changes);
        }
        let found: HashSet<u32> = found.iter().filter_map(|defect| defect.block).collect();
        let matching = own.matching();
        self.removed.extend(matching.surplus);
        for call in matching.calls {
            match call.result {
                Some(result) if found.contains(&result) => {
                    self.join_server_pair(call.block, result)
                }
                None if found.contains(&call.block) => drop(self.removed.insert(call.block)),
                _ => {}
            }
        }
    }

    /// Returns the transcript with the calls and results of server tools in place of those of other
    /// tools.
    fn served(&self) -> Transcript {
        let mut served = self.transcript.clone();
        served.links.clear();
        for block in served.blocks.iter_mut().filter(|block| block.is_linked()) {
            block.kind = BlockKind::Other;
        }
        let mut tools = HashMap::new();
        for note in &self.transcript.notes {
            let (kind, id) = match note.kind {
                NoteKind::ServerCall(_) => (BlockKind::Call, "id"),
                NoteKind::ServerResult(_) => (BlockKind::Result, "tool_use_id"),
                _ => continue,
            };
            let i = self.message_of(note.block);
            let record = self.transcript.messages[i].record as usize;
            let span = |object, name| {
                let value = self.value_of(object, name).unwrap_or(record..record);
                let [start, end] = [value.start, value.end].map(|at| (at - record) as u32);
                Span { start, end }
            };
            let text = |span: Span| &self.bytes[self.place(i, span)];
            let start = self.place_of(note.block).start;
            let [id, kind_name, content] = [id, "type", "content"].map(|name| span(start, name));
            let content_type = match content.is_empty() {
                true => kind_name,
                false => span(self.place(i, content).start, "type"),
            };
            let failed = text(span(start, "is_error")) == b"true"
                || text(content_type).ends_with(b"_error\"");
            // The type of a result begins with the name of its tool; all tools of an MCP server
            // have one.
            let tool = match text(kind_name) {
                b"\"server_tool_use\"" => text(span(start, "name").inside()),
                _ => text(kind_name.inside()),
            };
            let tool = tool
                .split(|byte| *byte == b'_')
                .take(2)
                .filter(|word| *word != b"tool");
            let tool: Vec<&[u8]> = tool.collect();
            let next = tools.len() as u32 + 1;
            let block = &mut served.blocks[note.block as usize];
            (block.kind, block.extra) = (kind, served.links.len() as u32);
            block.flags = block.flags.with(Flags::ERROR, failed);
            served.links.push(Link {
                call: Id::of_all([text(id), &tool.concat()]),
                id: id.inside(),
                tool: *tools.entry(tool).or_insert(next),
                children: 0,
                content,
            });
        }
        served
    }
}
