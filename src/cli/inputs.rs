//! Collects the input files: those named on the command line, and those found in named folders.

use super::*;
use deadhead_core::input::line_limit::LimitedLines;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::{ffi::OsStr, io::Read, os::unix::ffi::OsStrExt, path::Component};
use walkdir::{DirEntry, WalkDir};

/// Files that OpenClaw keeps beside its histories, and that are not histories.
const BESIDE: [&str; 2] = ["*.trajectory.jsonl", "*.checkpoint.*.jsonl"];

/// Histories that OpenClaw has put aside: their requests were sent and paid for.
const ARCHIVED: [&str; 3] = ["*.jsonl.reset.*", "*.jsonl.deleted.*", "*.jsonl.bak-*"];

/// The largest configuration, or file of selectors, in bytes.
const TEXT: u64 = 264 << 20;

/// The inputs of a run, and inputs that cannot be read.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The files; `-` is stdin.
    pub files: Vec<PathBuf>,
    /// For each of them the named folder in which it was found, if any.
    pub folders: Vec<Option<PathBuf>>,
    /// Folders below those that were named, each with the reason.
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// Whether files were met on a walk, so that some may be no logs.
    pub walked: bool,
}

/// Returns the number of files that were archived: reset, deleted or backed up.
pub fn archived(files: &[PathBuf]) -> usize {
    let Ok(archived) = patterns(ARCHIVED) else {
        return 0;
    };
    let is_archived = |path: &&PathBuf| {
        path.extension().is_some_and(|end| end != "jsonl")
            && path.file_name().is_some_and(|name| archived.is_match(name))
    };
    files.iter().filter(is_archived).count()
}

/// Collects the inputs: folders are walked for logs of agents, including archived, packed and
/// one-document logs; patterns that no shell has expanded are expanded. Files in `out_dir` below a
/// folder are outputs of earlier runs, and not inputs.
pub fn inputs(named: &[PathBuf], out_dir: Option<&Path>) -> Result<Inputs> {
    let mut found = Inputs::default();
    if named.is_empty() {
        if io::stdin().is_terminal() {
            bail!("no input: name a FILE, or pipe one in");
        }
        found.add("-".into(), None);
        return Ok(found);
    }
    // The patterns take longer than a small input: they are for folders alone.
    let mut logs = None;
    let outputs = out_dir
        .and_then(|dir| fs::metadata(dir).ok())
        .map(|dir| Identity::of(&dir));
    for path in named {
        if path.is_dir() {
            let is_log = match &logs {
                Some(known) => known,
                None => logs.insert(log_names()?),
            };
            found.walk(path, outputs, |file| file.file_name().is_some_and(is_log));
        } else if has_wildcard(path.as_os_str()) && !path.exists() {
            let (base, is_matching) = pattern(path)?;
            found.walk(&base, outputs, is_matching);
        } else {
            found.add(path.clone(), None);
        }
    }
    if found.files.is_empty() && found.unreadable.is_empty() {
        if logs.is_none() {
            bail!("nothing matches {}", listed(named));
        }
        bail!(
            "no logs in {}: none is called {}, with or without .gz or .zst",
            listed(named),
            joined(wanted(), ", ")
        );
    }
    Ok(found)
}

fn has_wildcard(name: &OsStr) -> bool {
    name.as_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// Returns the folder to walk for a pattern, and the test whether it matches a file there.
fn pattern(path: &Path) -> Result<(PathBuf, impl Fn(&Path) -> bool)> {
    let text = path.to_string_lossy();
    let pattern = GlobBuilder::new(&text)
        .literal_separator(true)
        .build()
        .with_context(|| text.to_string())?
        .compile_matcher();
    let plain = |part: &Component<'_>| !has_wildcard(part.as_os_str());
    let base: PathBuf = path.components().take_while(plain).collect();
    let base = folder::above(&base.join("x")).to_owned();
    let is_matching = move |file: &Path| {
        pattern.is_match(file.strip_prefix("./").unwrap_or(file)) || pattern.is_match(file)
    };
    Ok((base, is_matching))
}

/// Whether a path means a standard stream.
pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens an input.
pub fn open_input(path: &Path) -> io::Result<File> {
    if is_dash(path) {
        streams::file_of(streams::stdin()?)
    } else {
        File::open(path)
    }
}

/// The inputs that are named: on the command line, then in the list of `--files-from`.
pub fn named(files: &[PathBuf], list: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut named = files.to_vec();
    let Some(list) = list else { return Ok(named) };
    if is_dash(list) && files.iter().any(|path| is_dash(path)) {
        bail!("--files-from -: stdin is an input already");
    }
    let bytes = open_input(list)
        .and_then(bytes)
        .with_context(|| format!("--files-from {}", list.display()))?;
    // In a list it is the name of a file.
    named.extend(names(&bytes).map(|name| {
        if is_dash(name) {
            Path::new(".").join(name)
        } else {
            name.to_owned()
        }
    }));
    Ok(named)
}

/// Returns the names in a list: each ends with a zero byte, or is a line, as editors of any system
/// write lines.
fn names(list: &[u8]) -> impl Iterator<Item = &Path> {
    let (end, list) = if list.contains(&0) {
        (0, list)
    } else {
        (b'\n', list.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(list))
    };
    let names =
        list.split(move |byte| *byte == end)
            .map(move |name| match name.strip_suffix(b"\r") {
                Some(line)
                    if end == b'\n' && fs::symlink_metadata(OsStr::from_bytes(name)).is_err() =>
                {
                    line
                }
                _ => name,
            });
    names
        .filter(|name| !name.is_empty())
        .map(|name| Path::new(OsStr::from_bytes(name)))
}

/// Reads the text of a file that a flag names. An error begins with its path.
pub fn text_of(path: &Path) -> Result<String> {
    File::open(path)
        .and_then(text)
        .with_context(|| path.display().to_string())
}

/// Reads a whole text: of a file that a flag names, or of stdin. A device may have no end.
pub fn text(from: impl Read) -> io::Result<String> {
    String::from_utf8(bytes(from)?).map_err(|_| io::Error::other("is not UTF-8"))
}

fn bytes(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    LimitedLines::new(from.take(TEXT)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == TEXT {
        return Err(io::Error::other(
            "is no text for a flag: it has more than 264M",
        ));
    }
    Ok(bytes)
}

/// Paths for a message.
pub fn listed(paths: &[PathBuf]) -> String {
    joined(paths.iter().map(|path| path.display().to_string()), ", ")
}

impl Inputs {
    /// Returns the files; an error where something below a folder cannot be read.
    pub fn all(self) -> Result<Vec<PathBuf>> {
        match self.unreadable.first() {
            Some((path, error)) => bail!("{}: {error}", path.display()),
            None => Ok(self.files),
        }
    }

    /// Notes that these files were named in a list: each is a path below the root or the working
    /// folder, whatever other names the list has, so that the next run finds its output again.
    pub fn listed(&mut self, listed: &[PathBuf]) {
        let listed: std::collections::HashSet<&PathBuf> = listed.iter().collect();
        for (file, folder) in self.files.iter().zip(&mut self.folders) {
            if !listed.contains(folder.as_ref().unwrap_or(file)) {
                continue;
            }
            let root = if file.is_absolute() { "/" } else { "" };
            *folder = Some(root.into());
        }
    }

    /// Leaves out named files in the output folder, if other inputs are outside of it; returns how
    /// many these are.
    pub fn leave_out(&mut self, out_dir: Option<&Path>) -> usize {
        let Some(dir) = out_dir.and_then(|dir| fs::canonicalize(dir).ok()) else {
            return 0;
        };
        let is_inside =
            |file: &Path| fs::canonicalize(file).is_ok_and(|file| file.starts_with(&dir));
        let others: (Vec<_>, Vec<_>) = self
            .files
            .iter()
            .cloned()
            .zip(self.folders.iter().cloned())
            .filter(|(file, folder)| folder.is_some() || !is_inside(file))
            .unzip();
        if others.0.is_empty() {
            return 0;
        }
        let own = self.files.len() - others.0.len();
        (self.files, self.folders) = others;
        own
    }

    /// Adds a file, and the folder that it was found in.
    fn add(&mut self, file: PathBuf, folder: Option<&Path>) {
        self.files.push(file);
        self.folders.push(folder.map(Path::to_owned));
    }

    /// Adds the wanted files below a folder, except for those in `without`. A folder that cannot be
    /// read is skipped.
    fn walk(
        &mut self,
        folder: &Path,
        without: Option<Identity>,
        is_wanted: impl Fn(&Path) -> bool,
    ) {
        self.walked = true;
        let keep = |entry: &DirEntry| {
            let is_walked = entry.depth() == 0 || !entry.file_type().is_dir();
            let is_without = |without| {
                entry
                    .metadata()
                    .is_ok_and(|found| Identity::of(&found) == without)
            };
            is_walked || !without.is_some_and(is_without)
        };
        for entry in WalkDir::new(folder)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(keep)
        {
            match entry {
                Ok(entry) if entry.file_type().is_file() && is_wanted(entry.path()) => {
                    self.add(entry.into_path(), Some(folder))
                }
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(folder).to_owned();
                    let reason = error
                        .into_io_error()
                        .unwrap_or_else(|| io::Error::other("cannot be walked"));
                    self.unreadable.push((path, reason));
                }
            }
        }
    }
}

/// The names of logs in folders.
fn wanted() -> impl Iterator<Item = &'static str> {
    let documents = DIALECTS.iter().flat_map(|format| format.calls.documents);
    ["*.jsonl"]
        .into_iter()
        .chain(ARCHIVED)
        .chain(documents.copied())
}

/// Detects by its name whether a file in a walked folder is a log.
fn log_names() -> Result<impl Fn(&OsStr) -> bool> {
    let (wanted, beside) = (patterns(wanted())?, patterns(BESIDE)?);
    Ok(move |name: &OsStr| wanted.is_match(name) && !beside.is_match(name))
}

/// Patterns, each also of names of packed files.
fn patterns<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        for packed in ["", ".gz", ".zst"] {
            set.add(Glob::new(&format!("{pattern}{packed}"))?);
        }
    }
    Ok(set.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_takes_histories() {
        let histories = log_names().unwrap();
        for (name, want) in [
            ("a.jsonl", true),
            ("a.jsonl.gz", true),
            ("a.jsonl.zst", true),
            ("a.jsonl.reset.2026", true),
            ("session-1.json", true),
            ("session-1.json.gz", true),
            ("a.json", false),
            ("a.txt.gz", false),
            ("a.trajectory.jsonl.gz", false),
            ("a.trajectory.jsonl", false),
            ("a.checkpoint.7f.jsonl", false),
        ] {
            assert_eq!(histories(OsStr::new(name)), want, "{name}");
        }
    }
}
