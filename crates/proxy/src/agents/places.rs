//! The places where an agent takes an address from. Each is a text, `[MARK: ]KIND [WHERE] MEMBER`:
//!
//! | kind | where | member |
//! |---|---|---|
//! | `variable` | | the name of a variable of the environment |
//! | `flag` | | an argument with its value, or without |
//! | `assign` | an argument whose value is `key=value` | the key |
//! | `json`, `jsonc`, `toml` | files, the strongest first | a path in them, its names joined by full stops |
//! | `dotenv` | files, of which the first one that exists counts | the name of a variable |
//! | `text` | files | a text in them |
//! | `is` | | the value itself |
//!
//! Files and spellings of an argument are joined by `|`. A file is named from the working folder,
//! or begins with `~/` or `${VARIABLE:-DEFAULT}/`; of a folder all files count, the last one first.
//! After `^` they are in the working folder and those above it, below the home folder; after `@` up
//! to the root of the repository; after `%` likewise, the outermost folder first. What stands at a
//! place with the mark `refuse` is stronger than what can be set; with `doubt`, it says whether
//! files that follow are read.

use super::Variable;
use crate::Result;
use serde_json::Value;
use std::{env, ffi::OsString, fs, io::ErrorKind, path::PathBuf};

const QUOTES: [char; 3] = ['\u{22}', '\'', '`'];

/// What places are looked up in.
pub struct Places<'a> {
    pub variable: Variable<'a>,
    /// The arguments of the agent.
    pub given: &'a [OsString],
}

/// A value that was found, its place, and whether that is a file.
type Found = (String, String, bool);

impl Places<'_> {
    /// Returns the value in the strongest of these places that has one.
    ///
    /// # Errors
    /// A place cannot be read, or it is not known whether the agent would use what was found.
    pub fn find(&self, places: &[String]) -> Result<Option<String>> {
        let mut doubt = None;
        for place in places {
            let (mark, rest) = place.split_once(": ").unwrap_or(("", place));
            let Some((at, value, is_file)) = self.at(rest)? else {
                continue;
            };
            match (mark, doubt) {
                ("doubt", _) => doubt = Some(at),
                ("refuse", _) => {
                    return Err(format!("{at} is stronger than what this could set").into());
                }
                (_, Some(doubt)) if is_file => {
                    return Err(format!("whether {at} is read is not known ({doubt})").into());
                }
                _ => return Ok(Some(value)),
            }
        }
        Ok(None)
    }

    fn at(&self, place: &str) -> Result<Option<Found>> {
        let (kind, rest) = place.split_once(' ').unwrap_or_default();
        let (place, member) = rest.rsplit_once(' ').unwrap_or(("", rest));
        let found = match kind {
            "is" => Some(member.to_owned()),
            "variable" => (self.variable)(member).map(|value| value.to_string_lossy().into()),
            "flag" => values(self.given, member).pop().map(|(_, value)| value),
            "assign" => {
                let mut set = values(self.given, place).into_iter().rev();
                set.find_map(|(_, text)| {
                    let (key, value) = text.split_once('=')?;
                    // A table above it has the name too, but is not an address.
                    let rest = member.strip_prefix(key.trim())?.chars().next();
                    let is_it = matches!(rest, None | Some('.'));
                    is_it.then(|| value.trim().trim_matches(QUOTES).to_owned())
                })
            }
            _ => return self.in_files(kind, place, member),
        };
        let found = found.filter(|value| !value.is_empty() || kind == "flag");
        Ok(found.map(|value| (member.to_owned(), value, false)))
    }

    fn in_files(&self, kind: &str, place: &str, member: &str) -> Result<Option<Found>> {
        for path in self.files(place)? {
            let name = path.display().to_string();
            let text = match fs::metadata(&path) {
                Err(error)
                    if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
                {
                    continue;
                }
                Ok(found) if found.is_dir() => continue,
                // A pipe can be read once.
                Ok(found) if !found.is_file() => return Err(format!("{name} is no file").into()),
                _ => fs::read_to_string(&path),
            };
            let unread = |why: &str| format!("{name} cannot be read: {why}");
            let text = text.map_err(|error| unread(&error.to_string()))?;
            // The errors of some parsers quote the line, in which a key may stand.
            let value: Option<Value> = match kind {
                "json" => serde_json::from_str(&text).ok(),
                "jsonc" => json5::from_str(&text).ok(),
                "toml" => toml::from_str(&text).ok(),
                "dotenv" => Some(assigned(&text, member).map_err(|why| unread(&why))?),
                _ => Some(text.contains(member).into()),
            };
            let value = value.ok_or_else(|| unread(&format!("it is no {kind}")))?;
            let path = if matches!(kind, "json" | "jsonc" | "toml") {
                member
            } else {
                ""
            };
            let mut names = path.split_terminator('.');
            let value = names.try_fold(&value, |value, name| value.get(name));
            match value {
                None | Some(Value::Null | Value::Bool(false)) => {
                    if kind == "dotenv" {
                        break;
                    }
                }
                Some(Value::String(text)) => return Ok(Some((name, text.clone(), true))),
                Some(other) => return Ok(Some((name, other.to_string(), true))),
            }
        }
        Ok(None)
    }

    /// The files that a place names; not all of them exist.
    fn files(&self, place: &str) -> Result<Vec<PathBuf>> {
        let set = |name: &str| (self.variable)(name).filter(|value| !value.is_empty());
        let home = set("HOME").map(PathBuf::from);
        let here = env::current_dir()?;
        let names = place.trim_start_matches(['^', '@', '%']);
        let mut files = Vec::new();
        for folder in here.ancestors() {
            if place.starts_with('^') && Some(folder) == home.as_deref() {
                break;
            }
            for name in names.split('|') {
                let chosen = name
                    .strip_prefix("${")
                    .and_then(|name| name.split_once('}'));
                let name = chosen.map_or(PathBuf::from(name), |(inner, rest)| {
                    let (variable, otherwise) = inner.split_once(":-").unwrap_or((inner, ""));
                    let mut name = set(variable).unwrap_or_else(|| otherwise.into());
                    name.push(rest);
                    name.into()
                });
                let path = match name.strip_prefix("~") {
                    Ok(rest) => home.as_ref().ok_or("HOME is not set")?.join(rest),
                    Err(_) => folder.join(name),
                };
                if let Ok(entries) = fs::read_dir(&path) {
                    let mut all: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
                    all.retain(|path| path.extension().is_some_and(|end| end == "json"));
                    all.sort();
                    files.extend(all.into_iter().rev());
                }
                files.push(path);
            }
            let is_root = !place.starts_with('^') && folder.join(".git").exists();
            if is_root || names == place {
                break;
            }
        }
        if place.starts_with('%') {
            files.reverse();
        }
        Ok(files)
    }
}

/// The values of an argument that is spelled in one of these ways, each with the place behind it.
/// What follows `--` is no argument.
pub fn values(given: &[OsString], flags: &str) -> Vec<(usize, String)> {
    let words: Vec<_> = given.iter().map(|word| word.to_string_lossy()).collect();
    let words: Vec<&str> = words
        .iter()
        .map(|word| &**word)
        .take_while(|word| *word != "--")
        .collect();
    let value = |at: usize, flag: &str| match words[at].strip_prefix(flag)? {
        "" => Some((at + 2, *words.get(at + 1).unwrap_or(&""))),
        // Behind one letter the value may stand at once.
        rest => rest
            .strip_prefix('=')
            .or((flag.len() == 2).then_some(rest))
            .map(|value| (at + 1, value)),
    };
    let found = (0..words.len()).filter_map(|at| flags.split('|').find_map(|flag| value(at, flag)));
    found
        .map(|(behind, value)| (behind.min(words.len()), value.to_owned()))
        .collect()
}

/// The value of a variable in a file of assignments; the last one counts.
///
/// # Errors
/// Libraries differ in whether it is set there, or in what to (seen with dotenv 17 of npm and
/// python-dotenv 1).
fn assigned(text: &str, name: &str) -> Result<Value, String> {
    let (mut found, mut before) = (Value::Null, String::new());
    let lines = text.split(['\n', '\r']).map(str::trim);
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let mut words = key.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| word == name) {
            let value = value.trim();
            let plain = match value.chars().next().filter(|c| QUOTES.contains(c)) {
                Some(quote) => value.split(quote).nth(1),
                None => value.split(" #").next(),
            };
            let plain = plain.unwrap_or_default().trim();
            let is_open = |quote: &char| before.matches(*quote).count() % 2 == 1;
            if key.trim_start_matches("export").trim() != name
                || QUOTES.iter().any(is_open)
                || plain.contains(['$', '\\', '#', '\'', '"', '`'])
            {
                return Err(format!("{name} is no plain text"));
            }
            found = plain.into();
        }
        before += line;
    }
    Ok(found)
}
