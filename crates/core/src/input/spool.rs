//! Collects data from a pipe in a file, which can be read while more data arrives.
//!
//! Where the system supports it, the data gets from the pipe into the file without passing through
//! this process. The file is in memory while it is small, and then on the disk, without a name.

use super::{Source, limit::MaxInput, line_limit, read_full};
use crate::{json::rfind, read_at::ReadAt};
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    ops::RangeInclusive,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

/// The least and the most bytes kept in memory before the disk is used.
const MEMORY: RangeInclusive<u64> = (64 << 20)..=(2 << 30);
/// The fraction of the memory that may be used, as a divisor.
const SHARE: u64 = 8;
/// The number of bytes copied at a time.
const PIECE: u64 = 1 << 20;

/// The data of a pipe, as far as it has arrived.
#[derive(Debug)]
pub struct Spool {
    received: Mutex<Received>,
    more: Condvar,
    most: MaxInput,
    /// The most bytes kept in memory.
    memory: u64,
}

#[derive(Debug)]
struct Received {
    file: Arc<File>,
    is_on_disk: bool,
    bytes: u64,
    ended: bool,
}

impl Spool {
    /// Creates a spool that begins with the bytes read already.
    ///
    /// # Errors
    /// The disk or the memory is full.
    pub fn new(begun: &[u8], most: MaxInput) -> io::Result<Spool> {
        let (mut file, is_on_disk) = match file_in_memory() {
            Some(file) => (file, false),
            None => (tempfile::tempfile().map_err(no_space)?, true),
        };
        file.write_all(begun).map_err(no_space)?;
        let come = Received {
            file: Arc::new(file),
            is_on_disk,
            bytes: begun.len() as u64,
            ended: false,
        };
        Ok(Spool {
            received: Mutex::new(come),
            more: Condvar::new(),
            most,
            memory: memory(),
        })
    }

    /// Reads the pipe to its end.
    ///
    /// # Errors
    /// It cannot be read, there is too much of it, or a line has no end. What came until then is
    /// there.
    pub fn fill(&self, pipe: &File) -> io::Result<()> {
        let filled = self.take(pipe);
        self.received().ended = true;
        self.more.notify_all();
        filled
    }

    /// Returns the input, once the pipe was read.
    ///
    /// # Errors
    /// The file cannot be used alone.
    pub fn into_source(self) -> io::Result<Source> {
        let come = self
            .received
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let file = Arc::try_unwrap(come.file).or_else(|shared| shared.try_clone())?;
        Ok(Source::of_ours(file, come.bytes))
    }

    fn received(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, pipe: &File) -> io::Result<()> {
        // All lines before this byte are known to end.
        let mut ended = 0;
        let mut file = Arc::clone(&self.received().file);
        loop {
            let n = io::copy(&mut pipe.take(PIECE), &mut &*file).map_err(no_space)?;
            let size = self.add(n)?;
            if size - ended >= line_limit::LINE as u64 {
                ended = last_line(&file, ended, size)?;
                line_limit::check(usize::try_from(size - ended).unwrap_or(usize::MAX))?;
            }
            if n < PIECE {
                return Ok(());
            }
            if size > self.memory {
                file = self.on_disk()?;
            }
        }
    }

    /// Announces further bytes; returns the number of all.
    fn add(&self, bytes: u64) -> io::Result<u64> {
        let mut come = self.received();
        come.bytes += bytes;
        self.more.notify_all();
        if come.bytes > self.most.of_stream() {
            Err(self.most.stream_error())
        } else {
            Ok(come.bytes)
        }
    }

    /// Returns the file, moved to the disk if it was in memory.
    fn on_disk(&self) -> io::Result<Arc<File>> {
        let mut come = self.received();
        if !come.is_on_disk {
            let mut file = tempfile::tempfile().map_err(no_space)?;
            let mut old = &*come.file;
            old.rewind()?;
            io::copy(&mut old, &mut file).map_err(no_space)?;
            (come.file, come.is_on_disk) = (Arc::new(file), true);
        }
        Ok(Arc::clone(&come.file))
    }
}

impl ReadAt for Spool {
    /// Returns the total number of bytes: [`u64::MAX`] until it is known.
    fn size(&self) -> u64 {
        let come = self.received();
        if come.ended { come.bytes } else { u64::MAX }
    }

    /// Waits for bytes that have not arrived.
    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = start.saturating_add(buffer.len() as u64);
        let come = self
            .more
            .wait_while(self.received(), |come| come.bytes < end && !come.ended)
            .unwrap_or_else(PoisonError::into_inner);
        let (file, bytes) = (Arc::clone(&come.file), come.bytes);
        drop(come);
        let n = buffer
            .len()
            .min(usize::try_from(bytes.saturating_sub(start)).unwrap_or(usize::MAX));
        read_full(&file, &mut buffer[..n], start)
    }
}

/// Creates a file in memory without a name, if the system supports it.
fn file_in_memory() -> Option<File> {
    #[cfg(all(target_os = "linux", not(portable)))]
    return rustix::fs::memfd_create("deadhead", rustix::fs::MemfdFlags::CLOEXEC)
        .ok()
        .map(File::from);
    #[cfg(not(all(target_os = "linux", not(portable))))]
    None
}

/// Explains the error of a full disk.
fn no_space(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::StorageFull => io::Error::new(
            error.kind(),
            format!(
                "no space for the input in {}",
                std::env::temp_dir().display()
            ),
        ),
        _ => error,
    }
}

/// Returns the byte at which the last line of the bytes from `from` to `to` begins: `from`, if
/// there is only one line.
fn last_line(file: &File, from: u64, to: u64) -> io::Result<u64> {
    let mut buffer = vec![0; PIECE as usize];
    let mut end = to;
    while end > from {
        let start = end.saturating_sub(PIECE).max(from);
        let n = read_full(file, &mut buffer[..(end - start) as usize], start)?;
        if let Some(i) = rfind(b'\n', &buffer[..n]) {
            return Ok(start + i as u64 + 1);
        }
        end = start;
    }
    Ok(from)
}

/// Returns the part of the available memory that may be used, considering the limit of the
/// process's control group.
fn memory() -> u64 {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let machine = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("MemAvailable:")?.strip_suffix("kB"))?;
            number(line)?.checked_mul(1024)
        });
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| number(&text));
    let all = machine.into_iter().chain(group).min().unwrap_or_default();
    (all / SHARE).clamp(*MEMORY.start(), *MEMORY.end())
}

#[cfg(test)]
#[cfg(all(target_os = "linux", not(portable)))]
mod tests {
    use super::*;

    #[test]
    fn a_read_waits_for_missing_bytes() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let (read, mut write) = (File::from(read), File::from(write));
        let spool = Spool::new(b"one\n", MaxInput::default()).unwrap();
        assert_eq!(spool.size(), u64::MAX);
        let mut seen = [0; 8];
        std::thread::scope(|scope| {
            scope.spawn(|| spool.fill(&read).unwrap());
            scope.spawn(move || {
                write.write_all(b"two").unwrap();
                write.write_all(b"\nthree").unwrap();
            });
            assert_eq!(spool.read_at(0, &mut seen).unwrap(), 8);
            assert_eq!(&seen, b"one\ntwo\n");
            assert_eq!(spool.read_at(8, &mut seen).unwrap(), 5);
            assert_eq!(spool.read_at(13, &mut seen).unwrap(), 0);
        });
        assert_eq!(spool.size(), 13);
    }

    /// Checks that an input too large for memory moves to the disk while it is read.
    #[test]
    fn fault_07_a_large_spool_lies_on_the_disk() {
        const MEMORY: u64 = 3 << 20;
        const SIZE: u64 = MEMORY + (5 << 20) + 3;
        let (read, write) = rustix::pipe::pipe().unwrap();
        let (read, mut write) = (File::from(read), File::from(write));
        let spool = Spool {
            memory: MEMORY,
            ..Spool::new(b"", MaxInput::default()).unwrap()
        };
        assert!(super::MEMORY.contains(&memory()));
        let line = |i: u64| format!("{i:0>1023}\n").into_bytes();
        std::thread::scope(|scope| {
            scope.spawn(|| spool.fill(&read).unwrap());
            scope.spawn(move || {
                for i in 0..=SIZE / 1024 {
                    let rest = (SIZE - i * 1024).min(1024) as usize;
                    write.write_all(&line(i)[..rest]).unwrap();
                }
            });
            let mut buffer = vec![0; 1024];
            for i in (0..SIZE / 1024).step_by(1000) {
                assert_eq!(spool.read_at(i * 1024, &mut buffer).unwrap(), 1024);
                assert!(buffer == line(i), "{i}");
            }
        });
        assert!(spool.size() == SIZE && spool.received().is_on_disk);
        let source = spool.into_source().unwrap();
        let mut buffer = vec![0; 1024];
        assert_eq!(source.read_at(SIZE - 3, &mut buffer).unwrap(), 3);
        assert_eq!(source.read_at(MEMORY - 1024, &mut buffer).unwrap(), 1024);
        assert!(buffer == line(MEMORY / 1024 - 1));
    }
}
