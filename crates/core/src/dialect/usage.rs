//! Usage in the records of a log: the time, model and token counts of each call.
//!
//! The readers of formats keep what pruning needs; this second, light walk over the same records
//! keeps the rest. A format whose logs record calls has a function that fills a [`Row`] from one
//! record ([`Calls::row`]). A damaged record has neither a row nor a message.

mod members;
mod of_messages;

pub use members::{Says, Seen};
pub use of_messages::LAST;

use crate::{
    dialect::{DIALECTS, Dialect, builder::TranscriptBuilder},
    json::{Cursor, Id, Scanned, bom},
    transcript::{Message, Names},
};
use members::TABLES;
use of_messages::WHOLE;

/// Tokens of one request as its provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input that was neither read from a cache nor written to one.
    pub input: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to a cache of five minutes, or of a lifetime that is not recorded.
    pub cache_write5m: u64,
    /// Input written to a cache of an hour.
    pub cache_write1h: u64,
    /// Output.
    pub output: u64,
    /// Whether the lifetime of the written tokens is stated. If not, they have the price of five
    /// minutes, and no more is known.
    #[serde(skip)]
    pub states_lifetime: bool,
}

impl Usage {
    /// Tokens of the whole prompt.
    pub fn prompt(&self) -> u64 {
        self.input + self.cache_read + self.writes()
    }

    /// Whether the request asked for a cache of an hour, where it wrote to one and the lifetime is
    /// stated.
    pub fn is_long(&self) -> Option<bool> {
        (self.writes() > 0 && self.states_lifetime).then_some(self.cache_write1h > 0)
    }

    /// Tokens written to a cache.
    pub fn writes(&self) -> u64 {
        self.cache_write5m + self.cache_write1h
    }
}

/// The number of requests that are searched for the lifetime of the cache.
const ASKED: usize = 64;

/// Whether prompts that are cached now were written for an hour, by the requests of a conversation,
/// the newest first. The lifetime may have changed in between: a part that was written for an hour
/// stays cached as long as requests read it.
pub fn is_cached_long(newest_first: impl Iterator<Item = Usage>) -> Option<bool> {
    let mut found = None;
    for usage in newest_first.take(ASKED) {
        match usage.is_long() {
            Some(true) => return Some(true),
            stated => found = found.or(stated),
        }
        if usage.prompt() > 0 && usage.cache_read == 0 {
            break;
        }
    }
    found
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input += other.input;
        self.cache_read += other.cache_read;
        self.cache_write5m += other.cache_write5m;
        self.cache_write1h += other.cache_write1h;
        self.output += other.output;
    }
}

/// The usage in one record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Byte of the input at which it begins.
    pub record: u64,
    /// The kind of the record.
    pub kind: RowKind,
    /// When it was written, in milliseconds since 1970.
    pub time: Option<i64>,
    /// When the request was sent, where that is distinguished.
    pub sent: Option<i64>,
    /// The usage that the provider counted.
    pub usage: Option<Usage>,
    /// The usage that the provider counted separately for summaries that it wrote in the same
    /// request.
    pub summaries: Usage,
    /// Output tokens, where nothing else was counted.
    pub output: u64,
    /// The cost of the request in dollars, according to the log.
    pub usd: Option<f64>,
    /// Model, as an index of [`Log::names`]; 0 for none.
    pub model: u32,
    /// Provider, likewise.
    pub provider: u32,
    /// What changes its price, likewise: service tier, speed, place of inference.
    pub tiers: [u32; 3],
    /// Why the cache was not read, by the provider, likewise.
    pub miss: u32,
    /// Chars that are sent and that the estimator counts at a flat size: summaries and the like.
    pub hidden: u32,
    /// What identifies a request beside the conversation in every log.
    pub id: Id,
    /// Whether another session made the request, and this log begins with a copy of it.
    pub is_history: bool,
    /// The part of its message behind which it is, where a message is the answer of several
    /// requests.
    pub part: u32,
}

impl Row {
    /// Returns the row as that of a message of one request, which is an answer if it has a usage.
    pub fn whole(self) -> Row {
        let kind = if self.usage.is_some() {
            RowKind::Answer
        } else {
            RowKind::Other
        };
        Row {
            kind,
            part: WHOLE,
            ..self
        }
    }
}

/// The kind of a record, for a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    /// Anything else.
    #[default]
    Other,
    /// An answer of the provider's, or a piece of one.
    Answer,
    /// A count of the tokens of the request before it (Codex).
    Count,
    /// A request outside the conversation: a compaction, advice of another model, keeping a cache
    /// warm.
    Beside,
}

/// All rows of a log.
#[derive(Debug)]
pub struct Log {
    /// The rows that are not empty, in file order.
    pub rows: Vec<Row>,
    /// For each message the index of its row; an index past the rows means no row.
    of_messages: Vec<u32>,
    /// Names of models and providers.
    pub names: Vec<String>,
    /// The folder in which the agent worked.
    pub project: Option<String>,
    /// The requests beside the conversation.
    pub beside: Vec<Row>,
    /// What the session cost by the agent's own count, in dollars.
    pub stated_usd: Option<f64>,
}

impl Log {
    /// Whether it counts the tokens of any request.
    pub fn has_calls(&self) -> bool {
        self.rows.iter().any(|row| row.usage.is_some())
    }

    /// The row of each message of the builder with which the log was read, in the order of its
    /// entries.
    pub fn of_messages(&self) -> Vec<Option<&Row>> {
        let row = |&at: &u32| self.rows.get(at as usize);
        self.of_messages.iter().map(row).collect()
    }
}

/// How the usage of calls is read from a format's logs.
#[derive(Debug)]
pub struct Calls {
    /// Makes the row of one record, for formats whose records have rows.
    pub row: Option<fn(Seen, &mut State) -> Row>,
    /// The place where the tokens of a prompt are counted.
    pub prompts: Prompts,
    /// Whether what was written to a cache of an hour is counted apart.
    pub has_lifetime: bool,
    /// Whether the agent sets cache marks where its provider knows any, which the log does not
    /// show.
    pub sets_marks: bool,
    /// Whether each record that is sent names the one before it, so that their chain is their
    /// order.
    pub is_chain: bool,
    /// Makes a tree of records that name none.
    pub make_tree: fn(&mut TranscriptBuilder),
    /// Whether neighbouring messages of the model are sent as one.
    pub joins: bool,
    /// Whether the model is named apart from the answers, and holds for those behind it.
    pub names_model_apart: bool,
    /// The names of files that are a log in one document, as patterns.
    pub documents: &'static [&'static str],
    /// The file that has the counts which a log of this format may lack, for an error.
    pub counted_elsewhere: &'static str,
}

impl Calls {
    /// A log without counts of its calls, or not a log.
    pub const UNKNOWN: Calls = Calls {
        row: None,
        prompts: Prompts::Uncounted,
        has_lifetime: false,
        sets_marks: false,
        is_chain: false,
        make_tree: |_| {},
        joins: false,
        names_model_apart: false,
        documents: &[],
        counted_elsewhere: "",
    };

    /// Whether logs of this format can be replayed.
    pub fn can_be_replayed(&self) -> bool {
        self.row.is_some() || matches!(self.prompts, Prompts::Rows(_))
    }
}

impl Dialect {
    /// Returns the usage in `bytes`, if it counts a prompt. `bytes` is a message or, if the count
    /// is a record of its own, the lines from the message on. If a message answers several
    /// requests, the usage is that of the request whose answer begins with part `part`.
    pub fn usage(&self, bytes: &[u8], part: u32) -> Option<Usage> {
        let (table, mut state) = (TABLES.get(self.name)?, State::default());
        let mut cursor = Cursor::new(bytes);
        let usage = match self.calls.prompts {
            Prompts::Uncounted => None,
            Prompts::Within => {
                let seen = Seen::of_message(&mut cursor, table).ok()?;
                // The last of several steps had the whole prompt; the counts beside the steps are
                // their sum.
                let mut steps = seen.parts.iter().rev();
                let last = steps.find(|part| part.inner == "message");
                last.map(|part| part.usage()).or(seen.row.usage)
            }
            Prompts::Rows(make) => {
                let (seen, mut rows) = (Seen::of(&mut cursor, table, &mut state), Vec::new());
                make(seen.ok()?, &mut state, &mut rows);
                let mut answers = rows.iter().filter(|row| row.part >= part);
                answers.find_map(|row| row.usage)
            }
            Prompts::Record => self.row(&mut cursor, &mut state).ok()?.usage,
            Prompts::Apart => bytes.split(|&byte| byte == b'\n').find_map(|line| {
                let row = self.row(&mut Cursor::new(line), &mut state).ok()?;
                row.usage.filter(|_| row.kind == RowKind::Count)
            }),
        };
        usage.filter(|usage| usage.prompt() > 0)
    }

    /// Reads the row of the record at the cursor; an empty one if records of this format have none.
    ///
    /// # Errors
    /// The record is malformed JSON.
    pub fn row(&self, cursor: &mut Cursor<'_>, state: &mut State) -> Scanned<Row> {
        let record = cursor.at() as u64;
        let Some((make, table)) = self.calls.row.zip(TABLES.get(self.name)) else {
            return cursor.skip().map(|_| Row::default());
        };
        let seen = Seen::of(cursor, table, state)?;
        Ok(Row {
            record,
            ..make(seen, state)
        })
    }
}

/// The place of a log's token counts.
#[derive(Clone, Copy, Debug)]
pub enum Prompts {
    /// Nowhere.
    Uncounted,
    /// In the answer.
    Within,
    /// In the message, with the rest of the row: a record may hold many messages. Makes the rows of
    /// a message in their order: one for each request that it answers; for a result, a row with its
    /// time.
    Rows(fn(Seen, &mut State, &mut Vec<Row>)),
    /// In the record of the answer, outside its message.
    Record,
    /// In a record of their own, after the answer ([`RowKind::Count`]).
    Apart,
}

/// The state while records are read.
#[derive(Debug, Default)]
pub struct State {
    /// Names of models and providers.
    pub names: Names,
    /// The folder of the earliest record that names one, and its time.
    project: Option<(String, Option<i64>)>,
    /// The folder that this record names.
    folder: Option<String>,
    /// Model in force, for formats that do not name it in each answer.
    pub model: u32,
    /// Provider in force.
    pub provider: u32,
    /// Service tier in force.
    pub tiers: [u32; 3],
    /// Total of the newest count, to know one that is repeated.
    pub counted: Option<u64>,
    /// The requests beside the conversation.
    pub beside: Vec<Row>,
    /// A request whose count has not come yet; without one it is beside the conversation.
    pub uncounted: Option<Row>,
    /// What the session cost by the agent's own count so far, in dollars.
    pub stated_usd: Option<f64>,
    /// The part of the log that is a copy of another session's.
    pub copied: Copied,
}

/// The beginning of a log that was copied from another session's, as Codex does for forks and
/// sub-agents. Copied records have the time of the copy, or of the original.
#[derive(Debug, Default)]
pub struct Copied {
    /// The session of the log.
    session: Id,
    /// When the log was begun.
    begun: Option<i64>,
    /// The time up to which its lines follow each other without a pause.
    edge: Option<i64>,
    /// Whether there was a pause, or a request of its own.
    is_over: bool,
    /// Whether the lines before the pause are a copy.
    is_copy: bool,
}

/// Milliseconds between two lines that are written at once; a request takes longer.
const AT_ONCE: i64 = 250;

impl Copied {
    /// Notes the beginning of a session: the first is that of the log, others are copied.
    pub fn begin(&mut self, seen: &Seen) {
        if self.session.is_none() {
            (self.session, self.begun, self.edge) = (seen.id, seen.row.time, seen.row.time);
        }
        self.is_copy |= !self.is_over && (seen.is_copy || seen.id != self.session);
    }

    /// Takes the time of a line.
    pub fn pass(&mut self, time: Option<i64>) {
        if let Some((edge, time)) = self.edge.as_mut().zip(time) {
            self.is_over |= time > edge.saturating_add(AT_ONCE);
            *edge = time.max(*edge);
        }
    }

    /// Returns whether another session made a request: this session has not begun, or the copy is
    /// not over.
    pub fn has(&self, time: Option<i64>) -> bool {
        let is_before = |(time, begun)| time < begun;
        time.zip(self.begun).is_some_and(is_before) || self.is_copy && !self.is_over
    }

    /// Returns whether the record of a request names another session than that of the log. With one
    /// of its own, the copy is over.
    pub fn is_other(&mut self, session: Id) -> bool {
        let is_other = session.is_some() && self.session.is_some() && session != self.session;
        self.is_over |= session.is_some() && !is_other;
        is_other
    }
}

/// The names of the formats whose logs can be replayed.
pub fn replayed() -> String {
    DIALECTS
        .iter()
        .filter(|format| format.calls.can_be_replayed())
        .map(|format| format.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Reads the rows of a log, of which `builder` holds all messages.
pub fn read(bytes: &[u8], format: &Dialect, builder: &TranscriptBuilder) -> Log {
    if let Prompts::Rows(make) = format.calls.prompts {
        return of_messages::read(bytes, format, make, builder);
    }
    let (mut state, mut rows) = (State::default(), Vec::new());
    let mut line = bom(bytes);
    while line < bytes.len() {
        let mut cursor = Cursor::lines(bytes, line);
        let before = (rows.len(), state.beside.len());
        while !cursor.at_end() {
            let Ok(row) = format.row(&mut cursor, &mut state) else {
                // As in the reader, the whole line is removed.
                rows.truncate(before.0);
                state.beside.truncate(before.1);
                break;
            };
            state.keep_folder(row.time.or(row.sent));
            if row.kind != RowKind::Other || row.time.is_some() || row.hidden > 0 {
                rows.push(row);
            }
        }
        let from = cursor.at().clamp(line, bytes.len());
        line = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |i| from + i + 1);
    }
    let of_record = |message: &Message| {
        let found = rows.binary_search_by_key(&message.record, |row| row.record);
        found.map_or(u32::MAX, |at| at as u32)
    };
    let of_messages = builder.messages.iter().map(of_record).collect();
    state.into_log(rows, of_messages)
}

impl State {
    /// Adds a request beside the conversation.
    pub fn add_beside(&mut self, row: Row) {
        let is_counted = row
            .usage
            .is_some_and(|usage| usage.prompt() + usage.output > 0);
        if is_counted && !row.is_history {
            self.beside.push(Row {
                kind: RowKind::Beside,
                ..row
            });
        }
    }

    /// Adds the request whose count has not come.
    pub fn add_uncounted(&mut self) {
        if let Some(row) = self.uncounted.take() {
            self.add_beside(row);
        }
    }

    fn into_log(mut self, rows: Vec<Row>, of_messages: Vec<u32>) -> Log {
        self.add_uncounted();
        Log {
            beside: self.beside,
            stated_usd: self.stated_usd,
            rows,
            of_messages,
            names: self.names.into_list(),
            project: self.project.map(|(folder, _)| folder),
        }
    }

    /// Keeps the folder that a record of this time named, if there is none of an earlier time.
    /// Records come in any order.
    fn keep_folder(&mut self, time: Option<i64>) {
        let is_earlier = |(_, known): &(String, _)| time.is_some() && time < *known;
        if let Some(folder) = self.folder.take()
            && self.project.as_ref().is_none_or(is_earlier)
        {
            self.project = Some((folder, time));
        }
    }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
