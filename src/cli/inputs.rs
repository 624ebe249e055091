//! Which files a run reads: those that are named, and what is found below the folders that are.

use anyhow::{Result, bail};
use deadhead::input::endless::Ending;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Files that OpenClaw keeps beside its histories, and that are none.
const BESIDE: [&str; 2] = ["*.trajectory.jsonl", "*.checkpoint.*.jsonl"];

/// What a run reads, and what it was to read and cannot.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The files; `-` is stdin.
    pub files: Vec<PathBuf>,
    /// Folders below those that were named, each with the reason.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// The inputs, folders walked where that is asked for.
pub fn inputs(named: &[PathBuf], recursive: bool) -> Result<Inputs> {
    let mut found = Inputs::default();
    if named.is_empty() {
        if io::stdin().is_terminal() {
            bail!("no input: name a FILE, or pipe one in");
        }
        found.files.push("-".into());
        return Ok(found);
    }
    let histories = histories()?;
    for path in named {
        if recursive && path.is_dir() {
            found.walk(path, |file| file.file_name().is_some_and(&histories));
        } else {
            found.files.push(path.clone());
        }
    }
    if found.files.is_empty() && found.unreadable.is_empty() {
        bail!("no *.jsonl in {}", listed(named));
    }
    Ok(found)
}

/// All of a text: of a file that a flag names, or of stdin. A device may have no end.
pub fn text(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    Ending::new(from, &[]).read_to_string(&mut text)?;
    Ok(text)
}

/// Paths for a message.
pub fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl Inputs {
    /// Adds the files below a folder that are wanted. A folder that cannot be read stops nothing.
    pub fn walk(&mut self, folder: &Path, is_wanted: impl Fn(&Path) -> bool) {
        for entry in WalkDir::new(folder).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_file() && is_wanted(entry.path()) => self.files.push(entry.into_path()),
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(folder).to_owned();
                    let reason = error.into_io_error().unwrap_or_else(|| io::Error::other("cannot be walked"));
                    self.unreadable.push((path, reason));
                }
            }
        }
    }
}

/// Detects by its name whether a file in a walked folder is a history.
fn histories() -> Result<impl Fn(&OsStr) -> bool> {
    let set = |patterns: &[&str]| -> Result<GlobSet> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            set.add(Glob::new(pattern)?);
        }
        Ok(set.build()?)
    };
    let (wanted, beside) = (set(&["*.jsonl"])?, set(&BESIDE)?);
    Ok(move |name: &OsStr| wanted.is_match(name) && !beside.is_match(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_takes_histories() {
        let histories = histories().unwrap();
        for (name, want) in [("a.jsonl", true), ("a.json", false), ("a.trajectory.jsonl", false), ("a.checkpoint.7f.jsonl", false)] {
            assert_eq!(histories(OsStr::new(name)), want, "{name}");
        }
    }
}
