//! Identifies files independently of their names, so that no input is ever overwritten.

use super::streams::file_of;
use super::*;
use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// A file as the system knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub fn of(metadata: &Metadata) -> Identity {
        Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// The same of what a call of the system returned.
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    pub fn of_stat(stat: &rustix::fs::Stat) -> Identity {
        Identity {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
        }
    }
}

/// Returns the metadata of an input; of stdin, only if it is an ordinary file.
pub fn input(path: &Path) -> Option<Metadata> {
    match is_dash(path) {
        true => file_of(io::stdin())
            .and_then(|stdin| stdin.metadata())
            .ok()
            .filter(Metadata::is_file),
        false => std::fs::metadata(path).ok(),
    }
}

/// The files that a run reads.
#[derive(Debug, Default)]
pub struct ReadFiles {
    inputs: HashSet<Identity>,
    others: HashSet<Identity>,
}

impl ReadFiles {
    /// The inputs of a run, and what it reads beside them: its configuration, files of selectors.
    pub fn new(inputs: &[PathBuf], others: &[PathBuf]) -> ReadFiles {
        let inputs = inputs
            .iter()
            .filter_map(|path| input(path))
            .map(|found| Identity::of(&found))
            .collect();
        // What is no ordinary file, such as /dev/null, holds nothing that could be lost.
        let others = others
            .iter()
            .filter_map(|path| std::fs::metadata(path).ok())
            .filter(Metadata::is_file);
        ReadFiles {
            inputs,
            others: others.map(|found| Identity::of(&found)).collect(),
        }
    }

    /// Refuses to write to `path`, which is `found`, where the run reads that.
    pub fn refuse(&self, path: &Path, found: Identity) -> Result<()> {
        if self.inputs.contains(&found) {
            bail!(
                "{}: is an input, and inputs are never written to",
                path.display()
            );
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
        std::fs::metadata(path).map_or(Ok(()), |found| self.refuse(path, Identity::of(&found)))
    }
}
