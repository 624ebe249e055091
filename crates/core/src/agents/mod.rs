//! What is known of agents: a file for each, with its logs, its sessions, its tools, the texts that
//! it writes in the user's place, and how `deadhead run` starts it.

use crate::settings::{Act, ToolKind};
use serde::{Deserialize, de::DeserializeOwned};
use std::{collections::BTreeMap, sync::LazyLock};

macro_rules! files {
    ($($name:literal)*) => { &[$(($name, include_str!($name))),*] };
}

/// The files, in the order in which folders are searched. The last one is for any other program.
const FILES: &[(&str, &str)] = files![
    "claude.json5"
    "codex.json5"
    "openclaw.json5"
    "gemini.json5"
    "copilot.json5"
    "cline.json5"
    "opencode.json5"
    "qwen.json5"
    "other.json5"
];

/// All agents.
pub static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let read = |&(name, text): &(&str, &str)| parsed(name, text).expect("a test reads the file");
    FILES.iter().map(read).collect()
});

/// Reads a JSON5 text, which `name` names in errors.
///
/// # Errors
/// It is malformed, or a member is unknown or has a wrong value: the name, the line and what is
/// wrong.
pub fn parsed<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, String> {
    json5::from_str(text).map_err(|error| format!("{name}: {error}"))
}

/// What a file says of an agent.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Agent {
    /// The name as people write it; empty for any other program.
    pub name: String,
    /// The format of its logs.
    pub format: String,
    /// Where it keeps its logs. They were known in 2026-11; not all were compared with the agents'
    /// own sources.
    pub folders: Vec<Folder>,
    /// The command that writes a session of its database to a file, where it has one.
    pub exports: Option<String>,
    /// How it finds and loads a session.
    pub session: Option<SessionFile>,
    /// The tools that it offers.
    pub tools: Vec<Tools>,
    /// Beginnings of texts that it writes in the user's place. What a person typed after a slash is
    /// a turn; what the command printed is not.
    pub injected: Vec<String>,
    /// Tools that ask the user, in lower case: their results are the user's words.
    pub asks: Vec<String>,
    /// Beginnings of results that say what the user said to a call.
    pub refusals: Vec<String>,
    /// Beginnings of reminders in results that only the agent writes.
    pub reminders: Vec<String>,
    /// How it is started behind the proxy.
    pub run: Option<Run>,
}

/// A folder with logs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Folder {
    /// The program whose folder it is, if it has another name than the agent.
    pub of: Option<String>,
    /// The variable that names another folder than `home`.
    pub variable: String,
    /// The folder in the home folder.
    pub home: String,
    /// The folder of the logs in that.
    pub logs: String,
}

/// How an agent names a session and finds its file, and what it needs to load it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionFile {
    /// How this is known.
    pub source: String,
    /// The form of the ids.
    pub form: SessionId,
    /// The name of the file without its extension: `{id}`, `{id8}` (its first 8 chars), and
    /// `{time}`.
    pub name: String,
    /// How the time in the name is written, as `strftime` has it, in UTC.
    #[serde(default)]
    pub time: String,
    /// The command that continues the session: `{id}`, `{file}`.
    pub resume: String,
    /// That of another program with such sessions, by the major version that these name
    /// (`info.version`).
    #[serde(default)]
    pub resume_of: BTreeMap<String, String>,
    /// The command that has its requests pruned, with the flags of a policy as words, `{flags}`, or
    /// as JSON in a quoted word, `{args}`.
    pub prunes: String,
    /// The member of a record that repeats its result for the screen, if the agent loads records
    /// without it.
    pub screen: Option<String>,
    /// The members with the id of the session, each with the `type` of its records, or none for
    /// all.
    pub ids: Vec<(String, String)>,
    /// Records without a message that are not always needed, by their `type`, or by that and the
    /// `type` of their payload.
    #[serde(default)]
    pub asides: Vec<(String, Aside)>,
}

/// The form of the ids of an agent's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionId {
    /// A random UUID.
    Random,
    /// A UUID that begins with the time.
    Timed,
    /// Prefixed ids, of the session and of all that is in it, which an import takes for known ones
    /// unless they are new.
    Prefixed,
}

/// How long a record without a message is needed to load a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aside {
    /// Never needed: it repeats other records for the screen.
    Screen,
    /// Never needed: what it takes back is gone.
    Rewind,
    /// Needed as long as the messages around it.
    Turn,
    /// Like [`Aside::Turn`], but the newest of the log.
    Newest,
    /// Like [`Aside::Turn`], but the first of the log.
    First,
}

/// Tools that do one thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// The operation on the resource that a call names; none for tools that run, search or list.
    pub act: Option<Act>,
    /// The kind of their results, if they have no operation.
    pub kind: Option<ToolKind>,
    /// The arguments that may name the resource.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Their names in lower case.
    pub names: Vec<String>,
}

/// What makes an agent use the proxy. `places` of the proxy describes the texts that name places.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// The name of the program; empty for any other.
    pub program: String,
    /// The version that was run.
    pub tried: String,
    /// Where its settings are documented.
    pub source: String,
    /// Why it cannot be run behind the proxy.
    pub refused: Option<String>,
    /// Values of this run, found in the order of their names. Places and arguments name them in
    /// braces.
    pub picks: BTreeMap<String, Vec<String>>,
    /// Places that each base has before its own; `{base}` is the name of the base, `{variable}` the
    /// variable to set.
    pub places: Vec<String>,
    /// The addresses that it asks.
    pub bases: Vec<Base>,
    /// Variables to set; `{NAME}` is the address of a base at the proxy.
    pub env: BTreeMap<String, String>,
    /// Variables to set, unless the user has, where requests go to the provider's own address.
    pub first_party: BTreeMap<String, String>,
    /// What the user should look at if no request came.
    pub look_at: String,
}

/// An address that an agent asks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Base {
    /// Its name in the file.
    pub name: String,
    /// Conditions on picks: `a|b` (one of them is there), `!a` (it is not), `a=x` (it is `x`).
    pub when: Vec<String>,
    /// The address that it asks if no place names one; without it, nothing is set then.
    pub url: Option<String>,
    /// The strongest first.
    pub places: Vec<String>,
    /// The variable to set.
    pub variable: Option<String>,
    /// An argument with its spellings, and its value.
    pub args: Option<[String; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_member_is_an_error_with_file_and_line() {
        for (name, text) in FILES {
            assert!(parsed::<Agent>(name, text).is_ok(), "{name}");
            let lines: Vec<&str> = text.lines().collect();
            let is_member = |line: &str| line.trim_start().starts_with(|c: char| c.is_alphabetic());
            for at in (0..lines.len()).filter(|at| is_member(lines[*at])) {
                let damaged = [&lines[..at], &["unknown: 0,"], &lines[at..]].concat();
                let error = parsed::<Agent>(name, &damaged.join("\n")).unwrap_err();
                let place = error.strip_prefix(&format!("{name}: "));
                assert!(
                    place.is_some_and(|place| place.contains(" at line ")),
                    "{error}"
                );
            }
        }
    }
}
