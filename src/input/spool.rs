//! What comes through a pipe gathers in a file in memory, and can be read there while more comes.
//!
//! Where the system can do that the data goes from the pipe into the file, and later from the file into another pipe,
//! without passing through this process.

use super::endless::{self, Ending};
use super::{Source, read_full};
use crate::json::rfind;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A pipe's data so far.
#[derive(Debug)]
pub struct Spool {
    file: File,
    come: Mutex<Come>,
    more: Condvar,
}

#[derive(Debug, Default)]
struct Come {
    bytes: u64,
    ended: bool,
}

impl Spool {
    /// A spool with what was read already; `None` where the system has no files in memory.
    ///
    /// # Errors
    /// Memory is full.
    pub fn new(begun: &[u8]) -> io::Result<Option<Spool>> {
        let Some(mut file) = memory_file() else { return Ok(None) };
        file.write_all(begun)?;
        Ok(Some(Spool { file, come: Mutex::new(Come { bytes: begun.len() as u64, ended: false }), more: Condvar::new() }))
    }

    /// Takes all that comes through the pipe, to its end.
    ///
    /// # Errors
    /// It cannot be read, or a line has no end. What came until then is there.
    pub fn fill(&self, pipe: &File) -> io::Result<()> {
        let filled = self.take(pipe);
        self.come().ended = true;
        self.more.notify_all();
        filled
    }

    /// How many bytes there will be: as many as can be, until that is known.
    pub fn size(&self) -> u64 {
        let come = self.come();
        if come.ended { come.bytes } else { u64::MAX }
    }

    /// Reads at `start` until `buffer` is full or the input ends, and waits for what has not come; returns how many bytes.
    ///
    /// # Errors
    /// Reading fails.
    pub fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = start.saturating_add(buffer.len() as u64);
        let wait = self.more.wait_while(self.come(), |come| come.bytes < end && !come.ended);
        let come = wait.unwrap_or_else(PoisonError::into_inner).bytes;
        let n = buffer.len().min(usize::try_from(come.saturating_sub(start)).unwrap_or(usize::MAX));
        read_full(&self.file, &mut buffer[..n], start)
    }

    /// The input that it makes once it is filled.
    pub fn into_source(self) -> Source {
        let size = self.come().bytes;
        Source::of_ours(self.file, size)
    }

    fn come(&self) -> MutexGuard<'_, Come> {
        self.come.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(target_os = "linux")]
    fn take(&self, pipe: &File) -> io::Result<()> {
        use rustix::pipe::{SpliceFlags, splice};
        // Bytes up to which all lines are known to end.
        let mut ended = 0;
        loop {
            match splice(pipe, None, &self.file, None, 1 << 20, SpliceFlags::empty()) {
                Ok(0) => return Ok(()),
                Ok(n) => {
                    let size = self.add(n as u64);
                    if size - ended >= endless::LINE as u64 {
                        ended = last_line(&self.file, ended, size)?;
                        endless::check(usize::try_from(size - ended).unwrap_or(usize::MAX))?;
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                // No pipe, a socket or a terminal: then by hand.
                Err(rustix::io::Errno::INVAL) => return self.copy(pipe),
                Err(error) => return Err(error.into()),
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn take(&self, pipe: &File) -> io::Result<()> {
        self.copy(pipe)
    }

    fn copy(&self, pipe: &File) -> io::Result<()> {
        let size = self.come().bytes;
        let mut begun = vec![0; usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?];
        read_full(&self.file, &mut begun, 0)?;
        let copied = io::copy(&mut Ending::new(pipe, &begun), &mut &self.file)?;
        self.add(copied);
        Ok(())
    }

    /// Tells that more has come; returns how many bytes there are.
    fn add(&self, bytes: u64) -> u64 {
        let mut come = self.come();
        come.bytes += bytes;
        self.more.notify_all();
        come.bytes
    }
}

/// Where the last line of the bytes from `from` to `to` begins: `from`, where there is one only.
#[cfg(target_os = "linux")]
fn last_line(file: &File, from: u64, to: u64) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut end = to;
    while end > from {
        let start = end.saturating_sub(buffer.len() as u64).max(from);
        let n = read_full(file, &mut buffer[..(end - start) as usize], start)?;
        if let Some(i) = rfind(b'\n', &buffer[..n]) {
            return Ok(start + i as u64 + 1);
        }
        end = start;
    }
    Ok(from)
}

/// A file that lies in memory and has no name.
#[cfg(target_os = "linux")]
fn memory_file() -> Option<File> {
    rustix::fs::memfd_create("deadhead", rustix::fs::MemfdFlags::CLOEXEC).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> Option<File> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_come_is_waited_for() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let (read, mut write) = (File::from(read), File::from(write));
        let spool = Spool::new(b"one\n").unwrap().unwrap();
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
}
