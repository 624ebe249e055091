//! Joins the builders of consecutive parts of a file that were read in parallel.

use crate::{
    diagnostics::Warning,
    dialect::builder::{NONE, TranscriptBuilder},
    transcript::{DamagedLine, Names, TruncatedRecord, clip},
};

impl TranscriptBuilder {
    /// Takes over what `next`, a builder of the part of the file that follows, holds.
    pub fn append(&mut self, mut next: TranscriptBuilder) {
        next.not_understood.finish_record(next.line);
        self.not_understood.finish_record(self.line);
        let lines = self.lines;
        let behind = clip(lines as usize);
        self.torn = next.torn().map(|torn| TruncatedRecord {
            line: torn.line + lines,
            ..torn
        });
        let damaged = next.damaged.map(|damaged| DamagedLine {
            line: damaged.line + lines,
            ..damaged
        });
        self.damaged = self.damaged.or(damaged);
        let torn_before = next.torn_before.drain(..);
        self.torn_before
            .extend(torn_before.map(|(line, range)| (line + lines, range)));
        self.line = next.line.saturating_add(behind);
        self.append_entries(&mut next, behind);
        self.append_messages(&mut next, behind);
        if let (Some(table), Some(next)) = (&mut self.table, next.table) {
            table.append(next);
        }
        self.warnings
            .extend(next.warnings.into_iter().map(|w| Warning {
                line: w.line.map(|l| l + lines),
                ..w
            }));
        self.not_understood
            .append(next.not_understood, lines, self.numbered);
        self.model = next.model.or(self.model.take());
        self.provider = next.provider.or(self.provider.take());
        self.api = next.api.or(self.api.take());
        self.model_record = next.model_record.or(self.model_record);
        self.window = next.window.or(self.window);
        self.assistant_time = self.assistant_time.max(next.assistant_time);
        self.request_record = next.request_record.or(self.request_record);
        self.request.tools |= next.request.tools;
        self.read_by_bytes |= next.read_by_bytes;
        self.begins_with = self.begins_with.take().or(next.begins_with);
        self.calls_elsewhere |= next.calls_elsewhere;
        self.records += next.records;
        self.lines += next.lines;
        self.numbered += next.numbered;
    }

    /// Takes over the messages of `next`, behind so many lines.
    fn append_messages(&mut self, next: &mut TranscriptBuilder, lines: u32) {
        let (blocks, links) = (self.blocks.len() as u32, self.links.len() as u32);
        let tools = numbers(&mut self.names, &mut next.names);
        for message in &mut next.messages {
            message.line = message.line.saturating_add(lines);
            message.number += self.numbered;
            message.blocks += blocks;
        }
        for block in next.blocks.iter_mut().filter(|block| block.is_linked()) {
            block.extra += links;
        }
        next.notes.iter_mut().for_each(|note| note.block += blocks);
        for link in &mut next.links {
            link.tool = tools[link.tool as usize];
        }
        self.messages.append(&mut next.messages);
        self.blocks.append(&mut next.blocks);
        self.notes.append(&mut next.notes);
        self.links.append(&mut next.links);
        self.result_copies.append(&mut next.result_copies);
    }

    /// Takes over the entries of `next`, behind so many lines and the messages that are here.
    fn append_entries(&mut self, next: &mut TranscriptBuilder, lines: u32) {
        let (messages, entries) = (self.messages.len() as u32, self.entries.len());
        let names = numbers(&mut self.named, &mut next.named);
        for naming in &mut next.namings {
            naming.entry += entries as u32;
            naming.names = naming.names.map(|number| names[number as usize]);
        }
        for copy in &mut next.unlinked_copies {
            copy.entry = copy.entry.map(|entry| entry + entries as u32);
        }
        for entry in &mut next.entries {
            if entry.message != NONE {
                entry.message += messages;
            }
            entry.line = entry.line.saturating_add(lines);
        }
        for projection in &mut next.projections {
            projection.entry = projection.entry.map(|entry| entry + entries);
        }
        self.namings.append(&mut next.namings);
        self.unlinked_copies.append(&mut next.unlinked_copies);
        self.entries.append(&mut next.entries);
        self.markers.append(&mut next.markers);
        self.projections.append(&mut next.projections);
    }
}

/// The numbers that the names of `next` have among those of `all`, to which they are added.
fn numbers(all: &mut Names, next: &mut Names) -> Vec<u32> {
    let names = std::mem::take(next).into_list();
    names.iter().map(|name| all.intern(name)).collect()
}
