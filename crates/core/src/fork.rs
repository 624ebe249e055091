//! A copy of a log as a session of its own: new ids, and the rules by which the agent loads it.

use crate::{
    Result,
    agents::{SessionFile, SessionId},
    check,
    dialect::Dialect,
    edit::{Change, Edits, id_member, table},
    emit,
    json::{
        Cursor,
        locate::{is_value, member_value, text_member},
    },
    reader,
    repair::IN_LOGS,
    transcript::{Records, Transcript, named},
    wildcard,
};
use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
};

/// The ids of a new session.
#[derive(Debug)]
pub struct NewIds {
    /// The id of the session, where such ids are UUIDs.
    pub session: String,
    /// The end of new ids, where they have prefixes: 8 letters or digits.
    pub tail: String,
}

/// What breaks a rule: each line, from 1, or 0 for the whole file, and what was found there.
type Found = Vec<(u64, String)>;

/// A rule by which an agent loads a session: its name, and what finds where it does not hold.
type Rule = (&'static str, fn(&Log<'_>) -> Found);

const RULES: [Rule; 6] = [
    // Each line is a JSON value.
    ("json", damaged),
    // The log has an id, and one only.
    ("session-id", ids),
    // The file has the name that the agent looks for.
    ("file-name", file_name),
    // Each parent that a record names is in the log, and no record is its own.
    ("parents", parents),
    // It has a message.
    ("context", |log| {
        if log.context.messages.is_empty() {
            vec![(0, "there is none".to_owned())]
        } else {
            Vec::new()
        }
    }),
    // The provider accepts the context: calls have results, and results calls.
    ("pairs", defects),
];

/// A rule that does not hold.
#[derive(Debug)]
pub struct Broken {
    /// The name of the rule.
    pub rule: &'static str,
    /// The line, from 1; 0 for the whole file.
    pub line: u64,
    /// What was found.
    pub what: String,
}

/// A log that is examined.
struct Log<'a> {
    bytes: &'a [u8],
    /// The names of its folder and, without extension, of its file.
    name: &'a str,
    format: &'static Dialect,
    file: &'static SessionFile,
    context: Transcript,
    table: Records,
}

impl Log<'_> {
    /// Reads a log; `None` if nobody knows how its agent finds sessions.
    fn read<'a>(
        bytes: &'a [u8],
        format: &'static Dialect,
        name: &'a str,
    ) -> Result<Option<Log<'a>>> {
        let Some(file) = format.session() else {
            return Ok(None);
        };
        let context = emit::context(bytes, format)?;
        let table = table(&bytes, &context)?.into_owned();
        Ok(Some(Log {
            bytes,
            name,
            format,
            file,
            context,
            table,
        }))
    }

    /// Returns the places of the ids of the session, and of those in it where these have prefixes.
    fn places(&self) -> Vec<Range<usize>> {
        let members = self.file.ids.iter().map(|(_, member)| member.as_str());
        let wanted: Vec<_> = (0..).zip(members.chain(["type"])).collect();
        let mut places = Vec::new();
        for record in self.table.list() {
            let range = record.range();
            let (start, mut found, mut kind) = (range.start as usize, Vec::new(), &b""[..]);
            let mut first = None;
            let mut cursor = Cursor::new(&self.bytes[start..range.end as usize]);
            let _ = named(&mut cursor, &wanted, &mut |which, at| {
                let at = start + at.start..start + at.end;
                match self.file.ids.get(usize::from(which)) {
                    None => kind = &self.bytes[at],
                    Some((of, member)) => found.push((of, member, at)),
                }
            });
            let kind = String::from_utf8_lossy(kind);
            let kind = kind.trim_matches('"');
            found.retain(|(of, _, at)| {
                (of.is_empty() || kind == *of) && self.bytes[at.start] == b'"'
            });
            // A record that names the session from which this one comes, too, names its own first.
            let mut is_other = |(_, member, at): &(_, &String, Range<usize>)| match self.file.form {
                SessionId::Prefixed => {
                    member.ends_with("parentID") && self.id(at).starts_with("ses")
                }
                _ => *first.get_or_insert_with(|| self.id(at)) != self.id(at),
            };
            found.retain(|name| !is_other(name));
            places.extend(found.into_iter().map(|(_, _, at)| at));
        }
        places
    }

    /// Returns the text of an id.
    fn id(&self, place: &Range<usize>) -> String {
        String::from_utf8_lossy(&self.bytes[place.start + 1..place.end - 1]).into_owned()
    }

    /// Returns the place of each id of a session.
    fn sessions(&self) -> Vec<Range<usize>> {
        let mut places = self.places();
        if self.file.form == SessionId::Prefixed {
            places.retain(|at| self.id(at).starts_with("ses"));
        }
        places
    }

    /// Returns the links to parents that are not in the log, or to the record itself.
    fn lost_parents(&self) -> Vec<(Range<u64>, String)> {
        let references = self.format.references;
        let Some(references) = references.filter(|found| !found.parent.is_empty()) else {
            return Vec::new();
        };
        let table = &self.table;
        // An event may name one that was never written down.
        if self.format.calls.is_chain && self.context.missing.is_none() {
            return Vec::new();
        }
        let own = id_member(references);
        let known: HashSet<u32> = table
            .all_names()
            .filter(|name| name.which == own)
            .map(|name| name.id)
            .collect();
        let mut lost = Vec::new();
        for (i, record) in table.list().iter().enumerate() {
            let mine = table.value(i, own);
            for name in table.names(i).iter().filter(|name| name.which == 0) {
                let is_lost = !known.contains(&name.id) || mine == Some(name.id);
                if is_lost && name.id != Records::NULL {
                    let id = String::from_utf8_lossy(table.id(name.id)).into_owned();
                    lost.push((record.place(name), id));
                }
            }
        }
        lost
    }

    fn line_of(&self, at: usize) -> u64 {
        1 + memchr::memchr_iter(b'\n', &self.bytes[..at]).count() as u64
    }
}

/// Returns the log under new ids, with no link to a parent that it does not contain; `None` if
/// nobody knows how its agent finds sessions.
///
/// # Errors
/// The log cannot be read.
pub fn fork(bytes: &[u8], format: &'static Dialect, new: &NewIds) -> Result<Option<Vec<u8>>> {
    // The line that is being written is left out.
    let bytes = &bytes[..reader::written_whole(bytes).unwrap_or(bytes.len())];
    let Some(log) = Log::read(bytes, format, "")? else {
        return Ok(None);
    };
    let mut changes = Vec::new();
    for place in log.places() {
        let id = match log.file.form {
            SessionId::Prefixed => renamed(&log.id(&place), &new.tail),
            _ => new.session.clone(),
        };
        changes.push(Change::put(
            place.start as u64 + 1..place.end as u64 - 1,
            id,
        ));
    }
    for (place, _) in log.lost_parents() {
        changes.push(Change::put(place, "null"));
    }
    Ok(Some(Edits::of_changes(&bytes, &changes)?.render(
        &bytes,
        0,
        bytes.len() as u64,
    )?))
}

/// Returns the id of the session of a log, the first one that it names.
///
/// # Errors
/// The log cannot be read.
pub fn session(bytes: &[u8], format: &'static Dialect) -> Result<Option<String>> {
    let log = Log::read(bytes, format, "")?;
    Ok(log.and_then(|log| log.sessions().first().map(|place| log.id(place))))
}

/// Returns the command that continues a session.
pub fn resume<'a>(bytes: &[u8], file: &'a SessionFile) -> &'a str {
    let info = member_value(bytes, 0, "info").filter(|_| !file.resume_of.is_empty());
    let version = info.and_then(|at| text_member(&bytes[at], "version"));
    let major = version
        .as_deref()
        .and_then(|version| version.split('.').next());
    let of = major.and_then(|major| file.resume_of.get(major));
    of.unwrap_or(&file.resume)
}

/// Returns what speaks against a log being loaded from a file of this name: those of its folder
/// and, without extension, of the file.
///
/// # Errors
/// The log cannot be read.
pub fn verify(bytes: &[u8], format: &'static Dialect, name: &str) -> Result<Option<Vec<Broken>>> {
    let Some(log) = Log::read(bytes, format, name)? else {
        return Ok(None);
    };
    let broken = RULES.into_iter().flat_map(|(rule, find)| {
        let broken = move |(line, what)| Broken { rule, line, what };
        find(&log).into_iter().map(broken)
    });
    Ok(Some(broken.collect()))
}

/// An id with prefix, whose order among the others stays, with another end.
fn renamed(id: &str, tail: &str) -> String {
    // OpenCode's are 30 chars: prefix, time, and a random end.
    let kept = id.char_indices().nth(22).map_or(id, |(at, _)| &id[..at]);
    format!("{kept}{tail}")
}

fn damaged(log: &Log<'_>) -> Found {
    if log.context.multiline_records {
        return Vec::new();
    }
    let damaged = (1..)
        .zip(log.bytes.split(|byte| *byte == b'\n'))
        .filter(|(_, line)| !line.trim_ascii().is_empty() && !is_value(line));
    damaged
        .map(|(line, _)| (line, "is not JSON".to_owned()))
        .collect()
}

fn ids(log: &Log<'_>) -> Found {
    let places = log.sessions();
    let Some(first) = places.first().map(|place| log.id(place)) else {
        return vec![(0, "there is none".to_owned())];
    };
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    for place in &places {
        let id = log.id(place);
        if id != first {
            let line = log.line_of(place.start);
            others.entry(id).or_insert(line);
        }
    }
    others
        .into_iter()
        .map(|(id, line)| (line, format!("{id} beside {first}")))
        .collect()
}

fn file_name(log: &Log<'_>) -> Found {
    let Some(id) = log.sessions().first().map(|place| log.id(place)) else {
        return Vec::new();
    };
    // An import takes any file.
    if log.file.resume.contains("import") {
        return Vec::new();
    }
    let wanted = log.file.name.replace("{time}", "*");
    let id8: String = id.chars().take(8).collect();
    let wanted = wanted.replace("{id8}", &id8).replace("{id}", &id);
    let own = log.name.rsplit('/').next().unwrap_or_default();
    let name = if wanted.contains('/') { log.name } else { own };
    // Codex gives a second file of a session a second id.
    let second = format!("{wanted}_*");
    let fits = [&wanted, &id, &second]
        .iter()
        .any(|wanted| wildcard::matches(wanted, name));
    if fits {
        Vec::new()
    } else {
        vec![(0, format!("{name} is not {wanted}"))]
    }
}

fn parents(log: &Log<'_>) -> Found {
    log.lost_parents()
        .into_iter()
        .map(|(place, id)| (log.line_of(place.start as usize), format!("names {id}")))
        .collect()
}

fn defects(log: &Log<'_>) -> Found {
    check::check_all(&log.context, &log.bytes)
        .into_iter()
        .map(|defect| defect.row)
        .filter(|row| IN_LOGS.contains(row.code))
        .map(|row| {
            (
                row.line.unwrap_or(0).into(),
                format!("{} {}", row.code, row.detail),
            )
        })
        .collect()
}
