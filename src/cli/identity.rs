//! The files of a run, identified independently of their names, so that no input is ever
//! overwritten, and nobody may read an output who may not read its inputs.

use super::{process::umask, *};
use std::{collections::HashSet, os::unix::fs::MetadataExt};

/// A file as the system knows it: its device and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(u64, u64);

impl Identity {
    pub fn of(metadata: &Metadata) -> Identity {
        Identity(metadata.dev(), metadata.ino())
    }

    /// The identity in what a call of the system returned.
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    pub fn of_stat(stat: &rustix::fs::Stat) -> Identity {
        Identity(stat.st_dev as u64, stat.st_ino as u64)
    }
}

/// Returns the metadata of an input; of stdin, only if it is an ordinary file.
pub fn input(path: &Path) -> Option<Metadata> {
    if is_dash(path) {
        file_of(io::stdin())
            .ok()?
            .metadata()
            .ok()
            .filter(Metadata::is_file)
    } else {
        fs::metadata(path).ok()
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
        // A special file such as /dev/null holds nothing that could be lost.
        reads.others = others
            .iter()
            .filter_map(|path| fs::metadata(path).ok())
            .filter(Metadata::is_file)
            .map(|found| Identity::of(&found))
            .collect();
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

    /// Refuses to write to what is there now under a path, by link too.
    pub fn refuse_path(&self, path: &Path) -> Result<()> {
        fs::metadata(path).map_or(Ok(()), |found| self.refuse(path, Identity::of(&found)))
    }
}

/// Permissions of everybody but the owner.
const OTHERS: u32 = 0o077;
/// Permissions of a file that is data for people and programs.
const PLAIN: u32 = 0o666;

/// The permissions of the files that an output speaks of, and the group whose permissions these
/// are, where it is one. The readers of data from a pipe are unknown.
#[derive(Clone, Copy, Default)]
pub struct Privacy(Option<(u32, Option<u32>)>);

impl Privacy {
    /// As private as a file.
    pub fn of(found: &Metadata) -> Privacy {
        let known = (found.mode() & 0o777, Some(found.gid()));
        Privacy(found.is_file().then_some(known))
    }

    /// As private as the more private of two.
    pub fn and(self, other: Privacy) -> Privacy {
        Privacy(match (self.0, other.0) {
            (Some((mode, group)), Some((others, of))) => {
                Some((mode & others, group.filter(|group| of == Some(*group))))
            }
            (one, other) => one.or(other),
        })
    }

    /// The mode of a copy of the one file that this is about, in the place of one that has the mode
    /// `old`.
    pub fn of_copy(self, old: Option<u32>, group: u32) -> u32 {
        let new = self.0.map_or(PLAIN, |(mode, _)| mode);
        self.limited(old.unwrap_or(new & !umask()), group)
    }

    /// The mode of a file that speaks of all the files that this is about.
    pub fn of_report(self, old: Option<u32>, group: u32) -> u32 {
        self.limited(old.unwrap_or(PLAIN & !umask()), group)
    }

    /// Returns the permissions of a mode that a file of `group` may have.
    fn limited(self, mode: u32, group: u32) -> u32 {
        let most = self.0.map_or(0o777, |(mode, of)| {
            // To the file, members of another group were others.
            let own = if of == Some(group) {
                mode
            } else {
                mode & (mode << 3 | !0o070)
            };
            own | !OTHERS
        });
        mode & 0o777 & most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(mode: u32, group: u32) -> Privacy {
        Privacy(Some((mode, Some(group))))
    }

    #[test]
    fn nothing_is_more_public_than_its_input() {
        for (mode, group, old, want) in [
            (0o600, 5, Some(0o644), 0o600),
            (0o644, 5, Some(0o600), 0o600),
            (0o644, 5, Some(0o640), 0o640),
            (0o640, 5, Some(0o666), 0o640),
            (0o755, 5, Some(0o755), 0o755),
            (0o400, 5, Some(0o666), 0o600),
            // Of another group: its members could read it only if all could.
            (0o640, 6, Some(0o666), 0o600),
            (0o644, 6, Some(0o666), 0o644),
            (0o664, 6, Some(0o666), 0o644),
            (0o604, 6, Some(0o666), 0o604),
            (0o4755, 5, Some(0o7777), 0o755),
        ] {
            assert_eq!(
                known(mode & 0o777, 5).of_report(old, group),
                want,
                "{mode:o} {group} {old:?}"
            );
        }
        assert_eq!(Privacy::default().of_copy(Some(0o640), 1), 0o640);
        assert_eq!(Privacy::default().of_copy(None, 1), 0o666 & !umask());
        assert_eq!(known(0o755, 1).of_copy(None, 1), 0o755 & !umask());
        assert_eq!(known(0o755, 1).of_report(None, 1), 0o644 & !umask());
    }

    #[test]
    fn several_are_as_private_as_the_most_private() {
        let both = known(0o644, 1).and(Privacy::default()).and(known(0o640, 1));
        assert_eq!(both.of_report(Some(0o666), 1), 0o640);
        assert_eq!(both.and(known(0o640, 2)).of_report(Some(0o666), 1), 0o600);
        assert_eq!(
            Privacy::default()
                .and(known(0o600, 1))
                .of_report(Some(0o666), 1),
            0o600
        );
    }
}
