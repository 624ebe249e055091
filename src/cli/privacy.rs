//! File permissions of outputs: nobody may read an output who may not read its inputs.

use super::process::umask;
use super::*;
use std::os::unix::fs::MetadataExt;

/// Permissions of everybody but the owner.
const OTHERS: u32 = 0o077;
/// Permissions of a file that is data for people and programs.
const PLAIN: u32 = 0o666;

/// The permissions of the files that an output speaks of, and the group whose permissions these are, where it is one. Of what came
/// through a pipe nobody knows who might read it.
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

    /// The mode of a copy of the one file that this is about, in the place of one that has the mode `old`.
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
            // Members of another group were anybody to the file.
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
