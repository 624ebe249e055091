//! Joins the builders of consecutive parts of a file that were read in parallel.

use crate::diagnostics::Warning;
use crate::dialect::builder::{
    Entry, ModelNaming, NONE, Projection, TranscriptBuilder, UnlinkedCopy, clip,
};
use crate::transcript::{Block, DamagedLine, Link, Message, Note, TruncatedRecord};

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
        self.assistant_time = self.assistant_time.max(next.assistant_time);
        self.calls_elsewhere |= next.calls_elsewhere;
        self.records += next.records;
        self.lines += next.lines;
        self.numbered += next.numbered;
    }

    /// Takes over the messages of `next`, behind so many lines.
    fn append_messages(&mut self, next: &mut TranscriptBuilder, lines: u32) {
        let (blocks, links) = (self.blocks.len() as u32, self.links.len() as u32);
        let numbered = self.numbered;
        let tools: Vec<u32> = std::mem::take(&mut next.names)
            .into_list()
            .iter()
            .map(|name| self.names.intern(name))
            .collect();
        self.messages
            .extend(next.messages.drain(..).map(|m| Message {
                line: m.line.saturating_add(lines),
                number: m.number + numbered,
                blocks: m.blocks + blocks,
                ..m
            }));
        self.blocks.extend(next.blocks.drain(..).map(|b| Block {
            extra: b.extra + if b.is_linked() { links } else { 0 },
            ..b
        }));
        self.notes.extend(next.notes.drain(..).map(|n| Note {
            block: n.block + blocks,
            ..n
        }));
        self.links.extend(next.links.drain(..).map(|l| Link {
            tool: tools[l.tool as usize],
            ..l
        }));
        self.result_copies.append(&mut next.result_copies);
    }

    /// Takes over the entries of `next`, behind so many lines and the messages that are here.
    fn append_entries(&mut self, next: &mut TranscriptBuilder, lines: u32) {
        let (messages, entries) = (self.messages.len() as u32, self.entries.len());
        let names: Vec<u32> = std::mem::take(&mut next.named)
            .into_list()
            .iter()
            .map(|name| self.named.intern(name))
            .collect();
        self.namings
            .extend(next.namings.drain(..).map(|n| ModelNaming {
                entry: n.entry + entries as u32,
                names: n.names.map(|number| names[number as usize]),
            }));
        self.unlinked_copies
            .extend(next.unlinked_copies.drain(..).map(|e| UnlinkedCopy {
                entry: e.entry.map(|n| n + entries as u32),
                ..e
            }));
        self.entries.extend(next.entries.drain(..).map(|e| Entry {
            message: match e.message {
                NONE => NONE,
                message => message + messages,
            },
            line: e.line.saturating_add(lines),
            ..e
        }));
        self.markers.append(&mut next.markers);
        self.projections
            .extend(next.projections.drain(..).map(|p| Projection {
                entry: p.entry.map(|e| e + entries),
                ..p
            }));
    }
}
