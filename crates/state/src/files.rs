//! The files of a state: the database, and what SQLite keeps beside it.

use std::{
    fs::Permissions,
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

/// Ends of the names of a state file and of those that SQLite keeps beside it.
pub const BESIDE: [&str; 4] = ["", LOG, "-shm", "-journal"];

/// The end of the name of the write-ahead log.
pub(crate) const LOG: &str = "-wal";

/// Sizes in bytes in a write-ahead log: <https://sqlite.org/fileformat2.html#the_write_ahead_log>.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The time after which a look at a log that another process changes is repeated.
const AGAIN: Duration = Duration::from_millis(20);

/// Returns the path of a file beside a state file.
pub fn named(path: &Path, beside: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(beside);
    name.into()
}

/// Removes other users' access to the files of a state, which hold texts; returns whether one was
/// open to them. A group may share a file, and another user's file is left alone.
pub(crate) fn make_private(path: &Path) -> bool {
    let was_open = |path: PathBuf| {
        std::fs::metadata(&path).is_ok_and(|found| found.mode() & 0o007 != 0)
            && std::fs::set_permissions(path, Permissions::from_mode(0o600)).is_ok()
    };
    BESIDE
        .map(|beside| was_open(named(path, beside)))
        .contains(&true)
}

/// Returns what is wrong with the write-ahead log of a state file: SQLite says nothing of commits
/// that it does not find there. The program never removes a log.
pub(crate) fn lost_commits(path: &Path) -> Option<&'static str> {
    let look = || match std::fs::read(named(path, LOG)) {
        Ok(log) => is_damaged(&log).then_some("its write-ahead log is damaged"),
        Err(error) if error.kind() == ErrorKind::NotFound => std::fs::metadata(path)
            .is_ok_and(|found| found.len() > 0)
            .then_some("its write-ahead log is missing"),
        Err(_) => None,
    };
    look()?;
    std::thread::sleep(AGAIN);
    look()
}

/// Returns whether there is a commit in a log behind the first frame that SQLite takes for the end.
fn is_damaged(log: &[u8]) -> bool {
    let Some((header, frames)) = log.split_at_checked(LOG_HEADER) else {
        return !log.is_empty();
    };
    let is_big = word(header, 0, true) & 1 == 1;
    let mut sums = checksum((0, 0), &header[..24], is_big);
    if sums != (word(header, 24, true), word(header, 28, true)) {
        return true;
    }
    let length = FRAME_HEADER + word(header, 8, true) as usize;
    let mut is_valid = true;
    for frame in frames.chunks_exact(length) {
        let (start, page) = frame.split_at(FRAME_HEADER);
        let is_of_log = start[8..16] == header[16..24];
        if is_valid {
            sums = checksum(checksum(sums, &start[..8], is_big), page, is_big);
            is_valid = is_of_log && sums == (word(start, 16, true), word(start, 20, true));
        }
        let is_commit = word(start, 4, true) != 0;
        if !is_valid && is_of_log && is_commit {
            return true;
        }
    }
    false
}

/// Continues the checksum of a log over bytes whose number is a multiple of eight.
fn checksum(sums: (u32, u32), bytes: &[u8], is_big: bool) -> (u32, u32) {
    bytes.chunks_exact(8).fold(sums, |(one, two), bytes| {
        let one = one.wrapping_add(word(bytes, 0, is_big)).wrapping_add(two);
        let two = two.wrapping_add(word(bytes, 4, is_big)).wrapping_add(one);
        (one, two)
    })
}

fn word(bytes: &[u8], at: usize, is_big: bool) -> u32 {
    let bytes = std::array::from_fn(|i| bytes[at + i]);
    if is_big {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    }
}

/// Waits until a file is on the disk, if it exists.
pub(crate) fn synced(path: &Path) -> io::Result<()> {
    match std::fs::File::open(path) {
        Ok(file) => file.sync_all(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
