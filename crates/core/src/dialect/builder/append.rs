//! Joins the builders of consecutive parts of a file that were read in parallel.

use crate::diagnostics::Warning;
use crate::dialect::builder::{
    Entry, ModelNaming, NONE, Projection, TranscriptBuilder, UnlinkedCopy, clip,
};
use crate::transcript::{Block, Link, Message, Note, TruncatedRecord};

impl TranscriptBuilder {
    /// Takes over what `next`, a builder of the part of the file that follows, holds.
    pub fn append(&mut self, mut next: TranscriptBuilder) {
        next.not_understood.finish_record(next.line);
        self.not_understood.finish_record(self.line);
        let (messages, blocks, links) = (
            self.messages.len() as u32,
            self.blocks.len() as u32,
            self.links.len() as u32,
        );
        let entries = self.entries.len();
        self.torn = next.torn().map(|torn| TruncatedRecord {
            line: torn.line + self.lines,
            ..torn
        });
        self.line = next.line.saturating_add(clip(self.lines as usize));
        let tools: Vec<u32> = next
            .names
            .into_list()
            .iter()
            .map(|name| self.names.intern(name))
            .collect();
        let (lines, numbered) = (self.lines, self.numbered);
        self.messages
            .extend(next.messages.into_iter().map(|m| Message {
                line: m.line.saturating_add(clip(lines as usize)),
                number: m.number + numbered,
                blocks: m.blocks + blocks,
                ..m
            }));
        self.blocks.extend(next.blocks.into_iter().map(|b| {
            if b.is_linked() {
                Block {
                    extra: b.extra + links,
                    ..b
                }
            } else {
                b
            }
        }));
        self.result_copies.extend(next.result_copies);
        self.unlinked_copies
            .extend(next.unlinked_copies.into_iter().map(|e| UnlinkedCopy {
                entry: e.entry.map(|n| n + entries as u32),
                ..e
            }));
        let names: Vec<u32> = next
            .named
            .into_list()
            .iter()
            .map(|name| self.named.intern(name))
            .collect();
        self.namings
            .extend(next.namings.into_iter().map(|n| ModelNaming {
                entry: n.entry + entries as u32,
                names: n.names.map(|number| names[number as usize]),
            }));
        self.notes.extend(next.notes.into_iter().map(|n| Note {
            block: n.block + blocks,
            ..n
        }));
        self.links.extend(next.links.into_iter().map(|l| Link {
            tool: tools[l.tool as usize],
            ..l
        }));
        self.entries.extend(next.entries.into_iter().map(|e| Entry {
            message: if e.message == NONE {
                NONE
            } else {
                e.message + messages
            },
            line: e.line.saturating_add(clip(lines as usize)),
            ..e
        }));
        self.markers.extend(next.markers);
        self.projections
            .extend(next.projections.into_iter().map(|p| Projection {
                entry: p.entry.map(|e| e + entries),
                ..p
            }));
        if let (Some(table), Some(next)) = (&mut self.table, next.table) {
            table.append(next);
        }
        self.warnings
            .extend(next.warnings.into_iter().map(|w| Warning {
                line: w.line.map(|l| l + lines),
                ..w
            }));
        self.not_understood
            .append(next.not_understood, lines, numbered);
        self.model = next.model.or(self.model.take());
        self.provider = next.provider.or(self.provider.take());
        self.api = next.api.or(self.api.take());
        self.assistant_time = self.assistant_time.max(next.assistant_time);
        self.calls_elsewhere |= next.calls_elsewhere;
        self.records += next.records;
        self.lines += next.lines;
        self.numbered += next.numbered;
    }
}
