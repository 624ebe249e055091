//! The resources that the calls of a session read, in file order.

use super::session::Session;
use deadhead_core::internal::{
    json::{IdMap, text},
    pass::reads::{Read, is_reader, of_call},
    transcript::BlockKind,
};

/// The maximum number of chars of a label.
const LABEL: usize = 80;

/// A call and what it reads.
#[derive(Debug)]
pub struct Reading {
    /// Index of the message with the call.
    pub message: u32,
    /// Index of its tool in the transcript's tools.
    pub tool: u32,
    /// The resource that the call reads.
    pub read: Read,
    /// Index of the block of its result.
    pub result: Option<u32>,
    /// The byte offset of the call in the input.
    start: usize,
}

impl Reading {
    /// Returns the resource, shortened.
    pub fn label(&self, session: &Session) -> String {
        let place = self.start + self.read.label.start..self.start + self.read.label.end;
        let text = text::lossy(session.bytes.get(place).unwrap_or_default());
        let mut short: String = text.chars().take(LABEL).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        short
    }
}

/// Returns all calls of a session that read.
pub fn readings(session: &Session) -> Vec<Reading> {
    let transcript = &session.transcript;
    let mut readings: Vec<Reading> = Vec::new();
    let mut open: IdMap<usize> = IdMap::default();
    for (i, message) in transcript.messages.iter().enumerate() {
        for (index, block) in transcript.numbered_blocks_of(i) {
            let call = || transcript.link(block).call;
            match block.kind {
                BlockKind::Call if is_reader(transcript.tool_of(block)) => {
                    let start = message.record as usize + block.span.start as usize;
                    let Some(read) = session
                        .bytes
                        .get(start..start + block.span.len())
                        .and_then(of_call)
                    else {
                        continue;
                    };
                    open.insert(call(), readings.len());
                    readings.push(Reading {
                        message: i as u32,
                        tool: transcript.link(block).tool,
                        read,
                        result: None,
                        start,
                    });
                }
                BlockKind::Result => {
                    if let Some(at) = open.remove(&call()) {
                        readings[at].result = Some(index);
                    }
                }
                _ => {}
            }
        }
    }
    readings
}
