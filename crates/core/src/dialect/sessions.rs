//! How agents name the sessions in their logs, find their files and load them: sessions.tsv, with a source per row.

use crate::dialect::Dialect;
use serde::{
    Deserialize,
    de::value::{Error, StrDeserializer},
};
use std::sync::LazyLock;

static ROWS: LazyLock<Vec<SessionFile>> = LazyLock::new(|| {
    let lines = include_str!("sessions.tsv").lines().skip(1);
    lines.filter_map(row).collect()
});

/// How an agent names a session and finds its file, and what it needs to load it.
#[derive(Debug)]
pub struct SessionFile {
    format: &'static str,
    /// The form of the ids.
    pub form: SessionId,
    /// The name of the file without its extension: `{id}`, `{id8}` (its first 8 chars), and `{time}`.
    pub name: &'static str,
    /// How the time in the name is written, as `strftime` has it, in UTC.
    pub time: &'static str,
    /// The command that continues the session: `{id}`, `{file}`.
    pub resume: &'static str,
    /// That of another program with such sessions, by the major version that these name (`info.version`).
    pub resume_of: Vec<(&'static str, &'static str)>,
    /// The command that has its requests pruned, with the flags of a policy as words, `{flags}`, or as JSON in a quoted word, `{args}`.
    pub prunes: &'static str,
    /// The member of a record that repeats its result for the screen, if the agent loads records without it.
    pub screen: Option<&'static str>,
    /// The members with the id of the session, each with the `type` of its records, or none for all.
    pub ids: Vec<(&'static str, &'static str)>,
    /// The records that hold no message and are not needed for ever, by their `type`, or by that and the `type` of their payload.
    pub asides: Vec<(&'static str, Aside)>,
}

/// The form of the ids of an agent's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionId {
    /// A random UUID.
    Random,
    /// A UUID that begins with the time.
    Timed,
    /// Prefixed ids, of the session and of all that is in it, which an import takes for known ones unless they are new.
    Prefixed,
}

/// How long a record without a message is needed to load a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aside {
    /// Never: it repeats for the screen what others say.
    Screen,
    /// Never: what it takes back is gone.
    Rewind,
    /// As long as the messages around it.
    Turn,
    /// Like [`Aside::Turn`], but the newest of the log.
    Newest,
    /// Like [`Aside::Turn`], but the first of the log.
    First,
}

impl Dialect {
    /// How the agent names and finds a session; `None` where nobody knows.
    pub fn session(&self) -> Option<&'static SessionFile> {
        ROWS.iter().find(|row| row.format == self.name)
    }
}

fn row(line: &'static str) -> Option<SessionFile> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [
        format,
        form,
        name,
        time,
        resume,
        prunes,
        screen,
        ids,
        asides,
        _,
    ] = cells[..]
    else {
        return None;
    };
    let [ids, asides] = [ids, asides].map(|cell| {
        let pairs = cell.split(' ').filter_map(|pair| pair.split_once(':'));
        pairs.collect::<Vec<_>>()
    });
    let mut commands = resume.split('|');
    let resume = commands.next()?;
    let aside = |(kind, aside)| Some((kind, word(aside)?));
    Some(SessionFile {
        format,
        form: word(form)?,
        name,
        time,
        resume,
        resume_of: commands.filter_map(|of| of.split_once(':')).collect(),
        prunes,
        screen: Some(screen).filter(|screen| !screen.is_empty()),
        ids,
        asides: asides.into_iter().filter_map(aside).collect(),
    })
}

fn word<T: Deserialize<'static>>(word: &'static str) -> Option<T> {
    T::deserialize(StrDeserializer::<Error>::new(word)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;

    #[test]
    fn the_table_is_read_as_it_is_written() {
        let lines: Vec<&str> = include_str!("sessions.tsv").lines().skip(1).collect();
        assert_eq!(lines.len(), ROWS.len());
        for (line, row) in lines.into_iter().zip(&*ROWS) {
            assert!(by_name(row.format).is_some(), "{line}");
            let pairs = line
                .split('\t')
                .take(9)
                .skip(6)
                .flat_map(|cell| cell.split(' '));
            let pairs = pairs.filter(|pair| pair.contains(':')).count();
            assert_eq!(row.ids.len() + row.asides.len(), pairs, "{line}");
        }
    }
}
