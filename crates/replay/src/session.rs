//! A recorded session: the calls of a log, and the context of each.
//!
//! A log that was compacted or branched has had several contexts. They are stored as steps
//! ([`Step`]): messages are added, some are removed, a call is made, another branch goes on; so a
//! walk over all contexts takes time proportional to the log, not to calls times context. The calls
//! of a sub-agent in the same file are a separate thread, with its own contexts and its own cache.

use super::{
    branches::Branches,
    calls::{answered, call, counted},
    steps::{Call, Step},
};
use deadhead_core::{
    Error, Result,
    internal::{
        dialect::{
            Dialect, assemble,
            builder::TranscriptBuilder,
            in_order, name_missing,
            usage::{self, Log, Prompts, Usage},
        },
        input_kind::{Beginning, InputKind, input_kind},
        json::{Id, IdMap},
        prices,
        reader::{self, Reading},
        transcript::Transcript,
        values,
    },
    settings::{Estimator, Scope},
};

/// A log, read for a replay.
#[derive(Debug)]
pub struct Session {
    /// The log itself.
    pub bytes: Vec<u8>,
    /// The format of the log.
    pub format: &'static Dialect,
    /// All messages of the file in the order in which they were written, in a context or not.
    pub transcript: Transcript,
    /// The requests, in that order.
    pub calls: Vec<Call>,
    /// The steps of each thread. The first thread is the main one.
    pub threads: Vec<Vec<Step>>,
    /// For each message, the chars that are sent but belong to no block.
    pub hidden: Vec<u32>,
    /// Names of models and providers.
    pub names: Vec<String>,
    /// The folder in which the agent worked.
    pub project: Option<String>,
    /// What identifies each request in every log that contains it: the id of the answer, else its
    /// time and its bytes.
    pub ids: Vec<Id>,
    /// The requests that are no part of a conversation: compactions, advice of another model,
    /// caches that are kept warm. No policy changes them.
    pub beside: Vec<Call>,
    /// What identifies each of these in every log.
    pub beside_ids: Vec<Id>,
    /// What the session cost by the agent's own count, in dollars.
    pub stated_usd: Option<f64>,
    /// The number of answers that were interrupted before the provider counted anything.
    pub unanswered: u64,
}

impl Session {
    /// Reads a log.
    ///
    /// # Errors
    /// A line is longer than 4 GiB, or the log records no token counts.
    pub fn read(bytes: Vec<u8>, format: &'static Dialect) -> Result<Session> {
        let no_calls = || Error::NoCalls {
            format: format.name,
            elsewhere: format.calls.counted_elsewhere,
            known: usage::replayed(),
        };
        if !format.calls.can_be_replayed() {
            return Err(no_calls());
        }
        let mut builder = everything(&bytes, format, Estimator::Utf16)?;
        let parents = in_order(format, &mut builder);
        let log = usage::read(&bytes, format, &builder);
        let rows = log.of_messages();
        if matches!(format.calls.prompts, Prompts::Rows(_))
            && !builder.messages.is_empty()
            && !log.has_calls()
        {
            return Err(no_calls());
        }
        let (found, unanswered) = match format.calls.prompts {
            Prompts::Apart => counted(&builder, &log, &rows),
            _ => answered(&builder, &log, &rows),
        };
        let entries: Vec<usize> = found.iter().map(|(entry, _)| *entry).collect();
        let mut branches = Branches::new(&builder, &parents, format, &entries);
        let mut calls: Vec<Call> = Vec::with_capacity(found.len());
        for (entry, mut call) in found {
            if format.calls.names_model_apart {
                call.model = model_in_force(&builder, &log, entry).unwrap_or(call.model);
            }
            let before = branches
                .extend_to(entry, calls.len() as u32)
                .and_then(|message| rows[message as usize])
                .and_then(|row| row.time);
            call.start = call
                .start
                .or(before.filter(|b| call.end.is_none_or(|end| *b <= end)))
                .or(call.end);
            calls.push(call);
        }
        let ids = calls
            .iter()
            .zip(&entries)
            .map(|(call, entry)| identity(&bytes, &builder, (format, *entry), call))
            .collect();
        let threads = branches.finish();
        let hidden = rows
            .iter()
            .map(|row| row.map_or(0, |row| row.hidden))
            .collect();
        let mut beside: IdMap<Call> = IdMap::default();
        for row in &log.beside {
            let (now, id) = (call(0, row, row.usage), of_row(row));
            let known = beside.entry(id).or_insert(now);
            let size = |call: &Call| call.usage.map(|usage| usage.prompt() + usage.output);
            if size(&now) > size(known) {
                *known = now;
            }
        }
        let mut beside: Vec<(Id, Call)> = beside.into_iter().collect();
        beside.sort_by_key(|(_, call)| (call.start, call.output));
        let (beside_ids, beside) = beside.into_iter().unzip();
        let mut transcript = assemble(format, builder);
        name_missing(&bytes.as_slice(), format, &mut transcript)?;
        Ok(Session {
            bytes,
            format,
            transcript,
            calls,
            threads,
            hidden,
            names: log.names,
            project: log.project,
            ids,
            beside,
            beside_ids,
            stated_usd: log.stated_usd,
            unanswered,
        })
    }

    /// Returns the transcript as another estimator counts it, with the same messages and blocks.
    ///
    /// # Errors
    /// Those of [`Session::read`].
    pub fn counted_by(&self, estimator: Estimator) -> Result<Transcript> {
        let mut builder = everything(&self.bytes, self.format, estimator)?;
        in_order(self.format, &mut builder);
        Ok(assemble(self.format, builder))
    }

    /// The name of a call's model.
    pub fn model(&self, call: &Call) -> &str {
        &self.names[call.model as usize]
    }

    /// The service tiers, speeds and places of a call, with what each multiplies its price by, if
    /// that is known.
    pub fn tiers(&self, call: &Call) -> impl Iterator<Item = (&str, Option<f64>)> {
        let model = self.model(call);
        call.tiers
            .into_iter()
            .filter(|tier| *tier > 0)
            .map(move |tier| {
                let name = &*self.names[tier as usize];
                (name, prices::tier(model, name))
            })
    }

    /// The name of a call's provider.
    pub fn provider(&self, call: &Call) -> &str {
        &self.names[call.provider as usize]
    }
}

/// Returns what identifies a request in every log: its id, which may be hidden and then the same in
/// several; else its time and counts, which a copy has too; else its bytes.
fn identity(
    bytes: &[u8],
    builder: &TranscriptBuilder,
    (format, entry): (&Dialect, usize),
    call: &Call,
) -> Id {
    let id = builder.entries[entry].piece_of();
    // A copy of OpenCode's has ids of its own.
    let has_id = id.is_some() && !matches!(format.calls.prompts, Prompts::Rows(_));
    if has_id {
        let prompt = call.usage.map_or(0, |usage| usage.prompt());
        return Id::of_all([id.short(), prompt].map(u64::to_le_bytes));
    }
    if let Some((time, usage)) = call.end.zip(call.counted()) {
        let Usage {
            input,
            cache_read,
            output,
            ..
        } = usage;
        let counts = [input, cache_read, usage.writes(), output, call.output];
        return Id::of_all(
            [time.cast_unsigned()]
                .into_iter()
                .chain(counts)
                .map(u64::to_le_bytes),
        );
    }
    let message = &builder.messages[call.message as usize];
    let at = |offset: u32| {
        usize::try_from(message.record)
            .unwrap_or(usize::MAX)
            .saturating_add(offset as usize)
            .min(bytes.len())
    };
    Id::of_all([
        &call.end.unwrap_or_default().to_le_bytes()[..],
        &bytes[at(message.span.start)..at(message.span.end)],
    ])
}

/// Returns what identifies a request beside a conversation: its id, else its time and counts.
fn of_row(row: &usage::Row) -> Id {
    let usage = row.usage.unwrap_or_default();
    match row.id.is_some() {
        true => row.id,
        false => Id::of_all([
            row.time.unwrap_or_default().to_le_bytes(),
            usage.prompt().to_le_bytes(),
            usage.output.to_le_bytes(),
        ]),
    }
}

/// Returns the model that the entries up to this one named last, for formats whose answers do not
/// name it.
fn model_in_force(builder: &TranscriptBuilder, log: &Log, entry: usize) -> Option<u32> {
    let before = builder
        .namings
        .partition_point(|naming| naming.entry as usize <= entry);
    let newest = builder.namings[..before]
        .iter()
        .rfind(|naming| naming.names[0] > 0)?;
    let name = builder.named.name(newest.names[0])?;
    log.names
        .iter()
        .position(|known| known == name)
        .map(|at| at as u32)
}

/// Reads a whole log, whose records are lines or pretty-printed values.
fn everything(
    bytes: &[u8],
    format: &'static Dialect,
    estimator: Estimator,
) -> Result<TranscriptBuilder> {
    if matches!(
        input_kind(bytes, true, Some(format)),
        Ok(Beginning::Kind(InputKind::Document(_)))
    ) {
        return match format.calls.prompts {
            Prompts::Rows(_) => values::everything(bytes, format, estimator),
            _ => Err(Error::SpreadOverLines),
        };
    }
    reader::everything(&bytes, &Reading::new(format, estimator, Scope::File))
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "session_document_tests.rs"]
mod session_document_tests;
