//! What Claude Code sends beside the messages: reminders and queued prompts, as the lines of
//! attachments have them (`rendered`), and the system prompt and the tools of its newest request
//! (`api-request-shape`).
//!
//! An attachment belongs to the message that it hangs on, perhaps over others.

use crate::{
    dialect::beside::{Beside, Reminder},
    json::{
        Id, IdMap, find,
        locate::{elements, member_value, members},
    },
    read_at::ReadAt,
    transcript::Transcript,
};
use std::{collections::HashMap, io};

/// Reads what is beside the context, from its first record on.
pub fn read(context: &Transcript, texts: &dyn ReadAt) -> io::Result<Beside> {
    let records = context.messages.iter().zip(0..);
    let records: HashMap<u64, usize> = records.map(|(message, i)| (message.record, i)).collect();
    let first = *records
        .keys()
        .chain(&context.request_record)
        .min()
        .unwrap_or(&0);
    let log = texts.read(first, texts.size())?;
    // For each line the message of the context that it is, or hangs on.
    let mut owners: IdMap<usize> = IdMap::default();
    let mut beside = Beside::default();
    let mut line = 0;
    while line < log.len() {
        let at = line;
        line = find(b'\n', &log[at..]).map_or(log.len(), |end| at + end + 1);
        let members = members(&log, at).unwrap_or_default();
        let of = |name: &str| {
            let found = members
                .iter()
                .rfind(|member| *member.name == *name.as_bytes())?;
            Some(found.value.clone())
        };
        let text = |at, name| {
            let place = member_value(&log, at, name)?;
            Some(String::from_utf8_lossy(&log[place]).into_owned())
        };
        if let Some(shape) = of("shape") {
            beside.system = text(shape.start, "system");
            beside.tools = text(shape.start, "tools");
        }
        let [own, parent] = ["uuid", "parentUuid"].map(|name| of(name).map(|id| Id::of(&log[id])));
        let owner = match of("message") {
            Some(_) => records.get(&(first + at as u64)),
            None => parent.and_then(|parent| owners.get(&parent)),
        };
        let Some((own, owner)) = own.zip(owner.copied()) else {
            continue;
        };
        owners.insert(own, owner);
        let Some(attachment) = of("attachment") else {
            continue;
        };
        let rendered = of("rendered").and_then(|list| elements(&log, list.start));
        for part in rendered.iter().flatten() {
            beside
                .reminders
                .extend(text(part.start, "content").map(|text| Reminder {
                    of: owner,
                    at: first + part.start as u64,
                    text,
                    is_apart: of("renderedBesideToolResult").is_some(),
                }));
        }
        match text(attachment.start, "type").as_deref() {
            _ if rendered.is_some() => {}
            Some("\"prompt_snapshot\"") => {}
            Some("\"queued_command\"") => beside.lost.push("queued prompt"),
            _ => beside.lost.push("reminder"),
        }
    }
    Ok(beside)
}
