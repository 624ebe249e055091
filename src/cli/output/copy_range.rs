//! Copies unchanged ranges of the input to the output: with `splice`, with a kernel copy, or on several threads.

use super::*;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Builder;

/// Stretches from this length on are left to the kernel.
const LONG: u64 = 128 << 10;
/// Stretches from this length on are worth several threads.
const HUGE: u64 = 64 << 20;
/// Bytes that one thread copies at a time.
const PIECE: u64 = 4 << 20;
/// Threads from which on memory is what limits.
const ENOUGH: usize = 4;

impl PlainFile {
    /// Copies a stretch of the source, on so many threads if that is worth it.
    pub fn copy(&mut self, source: &Source, from: u64, to: u64, threads: usize) -> io::Result<()> {
        // The system would read the stretch again to throw it away.
        if self.is_null {
            return Ok(());
        }
        match (source.in_memory(), source.file()) {
            (Some(bytes), _) => self.write_all(&bytes[from as usize..to as usize]),
            (_, Some(_)) if self.is_new && threads > 1 && to - from >= HUGE => {
                self.copy_in_parallel(source, from, to, threads)
            }
            (_, Some(file)) if self.kernel_copies && to - from >= LONG => {
                self.flush()?;
                let mut input = file;
                input.seek(SeekFrom::Start(from))?;
                // The kernel moves both positions by what it has copied; a signal can end a copy before that.
                loop {
                    let at = input.stream_position()?;
                    match io::copy(&mut input.take(to - at), &mut self.file) {
                        _ if at == to => return Ok(()),
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                            return Err(error);
                        }
                        _ => {}
                    }
                }
            }
            (_, Some(file)) if source.is_private() && to - from >= LONG => {
                self.lend(source, file, from, to)
            }
            _ => self.fill(source, from, to),
        }
    }

    /// Copies piece by piece on several threads: while one reads, another writes. The file is one that only we write to.
    fn copy_in_parallel(
        &mut self,
        source: &Source,
        from: u64,
        to: u64,
        threads: usize,
    ) -> io::Result<()> {
        self.flush()?;
        let start = self.file.stream_position()?;
        let (next, file) = (AtomicU64::new(from), &self.file);
        let copy = || -> io::Result<()> {
            let mut buffer = vec![0; BUFFER];
            loop {
                let mut at = next.fetch_add(PIECE, Ordering::Relaxed);
                let end = to.min(at.saturating_add(PIECE));
                if at >= end {
                    return Ok(());
                }
                while at < end {
                    let want = buffer.len().min((end - at) as usize);
                    let n = source.read_at(at, &mut buffer[..want])?;
                    if n == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    file.write_all_at(&buffer[..n], start + (at - from))?;
                    at += n as u64;
                }
            }
        };
        std::thread::scope(|scope| {
            // As many as are to be had.
            let others: Vec<_> = (1..threads.min(ENOUGH))
                .filter_map(|_| Builder::new().spawn_scoped(scope, copy).ok())
                .collect();
            let ours = copy();
            let joined = others.into_iter().map(|other| {
                other
                    .join()
                    .unwrap_or_else(|_| Err(io::Error::other("a thread ended early")))
            });
            joined.fold(ours, |first, next| first.and(next))
        })?;
        self.file
            .seek(SeekFrom::Start(start + (to - from)))
            .map(|_| ())
    }

    /// Lends pages of a file that nobody changes to a pipe; to anything else they are copied.
    fn lend(&mut self, source: &Source, file: &File, from: u64, to: u64) -> io::Result<()> {
        self.flush()?;
        let mut at = from;
        while at < to {
            let left = usize::try_from(to - at).unwrap_or(usize::MAX).min(1 << 20);
            match linux::lend(file, &mut at, &self.file, left)? {
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(_) => {}
                None => return self.fill(source, at, to),
            }
        }
        Ok(())
    }

    /// Copies a stretch through the buffer, reading straight into it.
    fn fill(&mut self, source: &Source, mut from: u64, to: u64) -> io::Result<()> {
        while from < to {
            if self.buffer.len() >= BUFFER {
                self.flush()?;
            }
            let have = self.buffer.len();
            let want = (BUFFER - have).min(usize::try_from(to - from).unwrap_or(usize::MAX));
            self.buffer.resize(have + want, 0);
            let n = source.read_at(from, &mut self.buffer[have..])?;
            self.buffer.truncate(have + n);
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            from += n as u64;
        }
        Ok(())
    }
}
