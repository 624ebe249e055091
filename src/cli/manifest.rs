//! The manifest of an output folder: what each output was made from, and with which settings.
//!
//! It is a file of JSON lines in the user's state folder, and never in the output folder. A line is appended when an output is in its
//! place, so a run that is killed loses no more than the outputs that it had not noted. Of several lines about one output the last counts.
//! A line that cannot be read is ignored: at worst, an output is made again.

use super::folder;
use super::temporary::Temporary;
use anyhow::{Context, Result, bail};
use deadhead_core::input::line_limit::LimitedLines;
use deadhead_core::internal::session::digest::Digests;
use rustix::fs::{Mode, OFlags, Stat, openat};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lines about outputs that were made anew, from which on the file is written without them.
const STALE: usize = 1000;
/// The flags with which the file is opened.
const FLAGS: OFlags = OFlags::RDWR.union(OFlags::APPEND).union(OFlags::CREATE).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A path. Most are text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Name {
        path.to_str().map_or_else(|| Name::Bytes(path.as_os_str().as_bytes().to_vec()), |text| Name::Text(text.to_owned()))
    }
}

/// The version of a file: as long as none of this changes, neither do its bytes. Whoever sets the time of a file back changes `changed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub inode: u64,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// The same, of the file's bytes, its name, owner and mode.
    pub changed: i64,
}

impl Version {
    pub fn of(found: &Metadata) -> Version {
        Version {
            inode: found.ino(),
            size: found.size(),
            modified: nanoseconds(found.mtime(), found.mtime_nsec()),
            changed: nanoseconds(found.ctime(), found.ctime_nsec()),
        }
    }

    /// The same of what a call of the system returned.
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    pub fn of_stat(found: &Stat) -> Version {
        Version {
            inode: found.st_ino as u64,
            size: found.st_size as u64,
            modified: nanoseconds(found.st_mtime as i64, found.st_mtime_nsec as i64),
            changed: nanoseconds(found.st_ctime as i64, found.st_ctime_nsec as i64),
        }
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// An output, and what it was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its path below the output folder.
    pub output: Name,
    /// The absolute path of its input.
    pub input: Name,
    pub output_version: Version,
    pub input_version: Version,
    /// The digest of the settings and of the program's version.
    pub settings: String,
    /// The time of the run, in milliseconds since 1970.
    pub at: i64,
    /// The time from which on the clock alone may change what is cut.
    pub until: Option<i64>,
    /// Whether something was cut.
    pub is_cut: bool,
}

/// The entries about the outputs in a folder.
pub struct Manifest {
    file: File,
    entries: HashMap<Name, Entry>,
}

impl Manifest {
    /// The manifest of an output folder that is there; none if there is no place for one.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn open(out_dir: &Path) -> Result<Option<Manifest>> {
        let Some(place) = state_folder() else { return Ok(None) };
        let folder = Arc::new(make_folder(&place).with_context(|| unusable(&place))?);
        let Some(name) = file_name(&place, out_dir)? else { return Ok(None) };
        Manifest::at(&folder, &name).with_context(|| unusable_file(&place, &name)).map(Some)
    }

    /// The same for a dry run, which writes nothing: none if no run has made one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(out_dir: &Path) -> Result<Option<Manifest>> {
        let Some(place) = state_folder().filter(|place| place.exists()) else { return Ok(None) };
        let Some(name) = file_name(&place, out_dir)? else { return Ok(None) };
        match File::open(place.join(&name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => {
                let read = opened.map_err(Into::into).and_then(Manifest::of).with_context(|| unusable_file(&place, &name));
                read.map(|(manifest, _, _)| Some(manifest))
            }
        }
    }

    fn at(folder: &Arc<OwnedFd>, name: &OsStr) -> Result<Manifest> {
        let open = || -> io::Result<File> { Ok(openat(&**folder, name, FLAGS, Mode::RUSR | Mode::WUSR)?.into()) };
        let (mut manifest, lines, is_torn) = Manifest::of(open()?)?;
        if is_torn {
            // It spoils no later line.
            manifest.file.write_all(b"\n")?;
        }
        if lines > 2 * manifest.entries.len() + STALE {
            manifest.compact(folder, name)?;
            manifest.file = open()?;
        }
        Ok(manifest)
    }

    /// The manifest in a file, the number of its lines, and whether the last one is torn.
    fn of(mut file: File) -> Result<(Manifest, usize, bool)> {
        if !file.metadata()?.is_file() {
            bail!("is no file");
        }
        let mut bytes = Vec::new();
        LimitedLines::new(&mut file, &[]).read_to_end(&mut bytes)?;
        let (mut entries, mut lines) = (HashMap::new(), 0);
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            lines += 1;
            if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
                entries.insert(entry.output.clone(), entry);
            }
        }
        Ok((Manifest { file, entries }, lines, bytes.last().is_some_and(|byte| *byte != b'\n')))
    }

    /// Writes the file without what does not count any more. Lines that another run appends meanwhile are lost, no more.
    fn compact(&self, folder: &Arc<OwnedFd>, name: &OsStr) -> Result<()> {
        let mut new = Temporary::new(folder)?;
        let mut lines = Vec::new();
        for entry in self.entries.values() {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        new.file.write_all(&lines)?;
        Ok(new.rename(name).map(drop)?)
    }

    /// Returns the entry about an output.
    pub fn entry(&self, output: &Name) -> Option<&Entry> {
        self.entries.get(output)
    }

    /// All outputs.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Notes an output. The line is one write, so that lines of several threads and runs do not mix.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        (&self.file).write_all(&line)
    }
}

/// The name of the manifest of an output folder, in the folder of manifests; none where that lies in the output folder.
fn file_name(place: &Path, out_dir: &Path) -> Result<Option<OsString>> {
    let absolute = |path: &Path| std::fs::canonicalize(path).with_context(|| unusable(place));
    let (place, out_dir) = (absolute(place)?, absolute(out_dir)?);
    let name = || format!("out-dir-{:032x}", Digests::Today.digest(out_dir.as_os_str().as_bytes())).into();
    Ok((!place.starts_with(&out_dir)).then(name))
}

fn unusable(place: &Path) -> String {
    format!("{}: cannot be used", place.display())
}

fn unusable_file(place: &Path, name: &OsStr) -> String {
    format!("{}: cannot be used, remove it", place.join(name).display())
}

/// Returns the folder of manifests, if there is one. A relative path is ignored, as the XDG base directory specification requires.
fn state_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(named("XDG_STATE_HOME").or_else(|| Some(named("HOME")?.join(".local/state")))?.join("deadhead"))
}

/// Opens the folder. It is made for its owner alone.
fn make_folder(place: &Path) -> io::Result<OwnedFd> {
    use std::os::unix::fs::DirBuilderExt;
    if !place.exists() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(place)?;
    }
    folder::open(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(output: &[u8], size: u64) -> Entry {
        let version = Version { inode: 1, size, modified: 2, changed: 3 };
        let name = Name::from(Path::new(OsStr::from_bytes(output)));
        let (input, settings) = (Name::from(Path::new("/in")), "s".to_owned());
        Entry { output: name, input, output_version: version, input_version: version, settings, at: 4, until: None, is_cut: true }
    }

    fn sizes(manifest: &Manifest) -> Vec<(Name, u64)> {
        let mut sizes: Vec<_> = manifest.entries().map(|entry| (entry.output.clone(), entry.output_version.size)).collect();
        sizes.sort_by_key(|(_, size)| *size);
        sizes
    }

    #[test]
    fn the_last_line_about_an_output_counts_and_damage_is_ignored() {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(folder::open(place.path()).unwrap());
        let open = || Manifest::at(&folder, OsStr::new("m")).unwrap();
        let manifest = open();
        for (name, size) in [(&b"a"[..], 1), (b"b\xff\n", 2), (b"a", 3)] {
            manifest.add(&entry(name, size)).unwrap();
        }
        let want = [(Name::Bytes(b"b\xff\n".to_vec()), 2), (Name::Text("a".to_owned()), 3)];
        assert_eq!(sizes(&open()), want);
        // A line that a crash has torn, zeros that it has left, and words of somebody else.
        let path = place.path().join("m");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend(b"\0\0\0\0\n[]\n{\"output\":\"a\"}\n{\"output\":\"a\",\"inp");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(sizes(&open()), want);
        open().add(&entry(b"c", 9)).unwrap();
        assert_eq!(sizes(&open()).len(), 3, "a torn line spoils no later one");
    }

    #[test]
    fn a_long_manifest_is_written_anew() {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(folder::open(place.path()).unwrap());
        let open = || Manifest::at(&folder, OsStr::new("m")).unwrap();
        let manifest = open();
        (0..=STALE as u64 + 2).for_each(|size| manifest.add(&entry(b"a", size)).unwrap());
        assert_eq!(sizes(&open()), [(Name::Text("a".to_owned()), STALE as u64 + 2)]);
        assert_eq!(std::fs::read_to_string(place.path().join("m")).unwrap().lines().count(), 1);
        open().add(&entry(b"b", 1)).unwrap();
        assert_eq!(sizes(&open()).len(), 2);
    }
}
