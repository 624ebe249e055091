//! Copies unchanged ranges of the input to the output: with `splice`, with a kernel copy, or through the buffer.

use super::*;
use std::io::{Read, Seek, SeekFrom};

/// Stretches from this length on are left to the kernel.
const LONG: u64 = 128 << 10;

impl PlainFile {
    /// Copies a stretch of the source.
    pub fn copy(&mut self, source: &Source, from: u64, to: u64) -> io::Result<()> {
        // The system would read the stretch again to throw it away.
        if self.is_null {
            return Ok(());
        }
        match (source.in_memory(), source.file()) {
            (Some(bytes), _) => self.write_all(&bytes[from as usize..to as usize]),
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
