//! Identifies files independently of their names, so that no input is ever overwritten.

use super::*;
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;

/// A file as the system knows it: its device and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(u64, u64);

impl Identity {
    pub fn of(metadata: &Metadata) -> Identity {
        Identity(metadata.dev(), metadata.ino())
    }

    /// The same of what a call of the system returned.
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    pub fn of_stat(stat: &rustix::fs::Stat) -> Identity {
        Identity(stat.st_dev as u64, stat.st_ino as u64)
    }
}

/// Returns the metadata of an input; of stdin, only if it is an ordinary file.
pub fn input(path: &Path) -> Option<Metadata> {
    match is_dash(path) {
        true => file_of(io::stdin())
            .and_then(|stdin| stdin.metadata())
            .ok()
            .filter(Metadata::is_file),
        false => fs::metadata(path).ok(),
    }
}

/// The error of an output that is an input.
pub fn is_input(path: &Path) -> anyhow::Error {
    anyhow!(
        "{}: is an input, and inputs are never written to",
        path.display()
    )
}

/// The files that a run reads.
#[derive(Default)]
pub struct ReadFiles {
    inputs: HashSet<Identity>,
    others: HashSet<Identity>,
    /// The permissions of the inputs, and the bytes of those that are ordinary files.
    pub privacy: Privacy,
    pub size: u64,
}

impl ReadFiles {
    /// The inputs of a run, and what it reads beside them: its configuration, files of selectors.
    pub fn new(inputs: &[PathBuf], others: &[PathBuf]) -> ReadFiles {
        let mut reads = ReadFiles::default();
        for found in inputs.iter().filter_map(|path| input(path)) {
            reads.inputs.insert(Identity::of(&found));
            reads.privacy = reads.privacy.and(Privacy::of(&found));
            reads.size += if found.is_file() { found.len() } else { 0 };
        }
        // What is no ordinary file, such as /dev/null, holds nothing that could be lost.
        let others = others
            .iter()
            .filter_map(|path| fs::metadata(path).ok())
            .filter(Metadata::is_file);
        reads.others = others.map(|found| Identity::of(&found)).collect();
        reads
    }

    /// Refuses to write to `path`, which is `found`, where the run reads that.
    pub fn refuse(&self, path: &Path, found: Identity) -> Result<()> {
        if self.inputs.contains(&found) {
            return Err(is_input(path));
        }
        if self.others.contains(&found) {
            bail!(
                "{}: is read for this run, and what is read is never written to",
                path.display()
            );
        }
        Ok(())
    }

    /// The same for what is there now under a path, by link too.
    pub fn refuse_path(&self, path: &Path) -> Result<()> {
        fs::metadata(path).map_or(Ok(()), |found| self.refuse(path, Identity::of(&found)))
    }
}
