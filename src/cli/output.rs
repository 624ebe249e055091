//! Where pruned JSON goes: stdout, a file, packed or not, or nowhere.
//!
//! What was not cut is copied without passing through this program where the system can do that.

use deadhead::input::Source;
use deadhead::plan::Texts;
use deadhead::splice::Edits;
use std::fs::File;
use std::io::{self, IoSlice, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;

/// Bytes gathered before they are written.
const BUFFER: usize = 256 << 10;
/// Writes from this length on are not gathered.
const DIRECT: usize = 16 << 10;
/// Untouched stretches from this length on are left to the kernel.
const STRETCH: u64 = 128 << 10;

/// A destination that is being written.
pub enum Sink {
    /// Stdout, or whatever it is redirected to.
    Plain(Plain),
    /// A file that is packed on the way.
    Packed(Packed),
    /// Nowhere: a dry run.
    Nowhere,
}

/// A packer over a file. It is finished by name, since an error in a drop is lost.
pub enum Packed {
    /// .gz
    Gzip(Box<flate2::write::GzEncoder<File>>),
    /// .zst
    Zstd(Box<zstd::stream::write::Encoder<'static, File>>),
}

impl Packed {
    /// Writes what the packer still holds.
    pub fn finish(self) -> io::Result<File> {
        match self {
            Packed::Gzip(packer) => packer.finish(),
            Packed::Zstd(packer) => packer.finish(),
        }
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packed::Gzip(packer) => packer.write(bytes),
            Packed::Zstd(packer) => packer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packed::Gzip(packer) => packer.flush(),
            Packed::Zstd(packer) => packer.flush(),
        }
    }
}

/// Stderr, where nobody has to listen: what cannot be told there is no failure.
pub struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file descriptor with a buffer.
pub struct Plain {
    file: File,
    buffer: Vec<u8>,
    kernel_copies: bool,
}

impl Plain {
    /// A destination that is written as it stands.
    pub fn new(file: File) -> Plain {
        let kind = file.metadata().map(|m| m.file_type());
        let kernel_copies = kind.is_ok_and(|k| k.is_file() || k.is_char_device());
        Plain { file, buffer: Vec::new(), kernel_copies }
    }

    /// A sink on stdout; a pipe there is made as large as it may be.
    pub fn stdout() -> io::Result<Plain> {
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        widen(&file);
        Ok(Plain::new(file))
    }
}

/// Gives a pipe room for a mebibyte, so that both ends switch less often. What is no pipe is left.
pub fn widen(file: &File) {
    let _ = rustix::pipe::fcntl_setpipe_size(file, 1 << 20);
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= DIRECT {
            self.flush()?;
            return self.file.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl Plain {
    /// Copies a stretch of the source.
    fn copy(&mut self, source: &Source, from: u64, to: u64) -> io::Result<()> {
        match (source, source.file()) {
            (Source::Memory(bytes), _) => self.write_all(&bytes[from as usize..to as usize]),
            (_, Some(file)) if self.kernel_copies && to - from >= STRETCH => {
                self.flush()?;
                let mut input = file;
                input.seek(SeekFrom::Start(from))?;
                let n = io::copy(&mut input.take(to - from), &mut self.file)?;
                if n == to - from { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
            }
            #[cfg(target_os = "linux")]
            (_, Some(file)) if source.is_private() && to - from >= STRETCH => self.lend(source, file, from, to),
            _ => self.fill(source, from, to),
        }
    }

    /// Lends pages of a file that nobody changes to a pipe; to anything else they are copied.
    #[cfg(target_os = "linux")]
    fn lend(&mut self, source: &Source, file: &File, from: u64, to: u64) -> io::Result<()> {
        use rustix::io::Errno;
        use rustix::pipe::{SpliceFlags, splice};
        self.flush()?;
        let mut at = from;
        while at < to {
            let left = usize::try_from(to - at).unwrap_or(usize::MAX).min(1 << 20);
            match splice(file, Some(&mut at), &self.file, None, left, SpliceFlags::MORE) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::INVAL) => return self.fill(source, at, to),
                Err(error) => return Err(error.into()),
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

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Plain(plain) => plain.write(bytes),
            Sink::Packed(packed) => packed.write(bytes),
            Sink::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Plain(plain) => plain.flush(),
            Sink::Packed(packed) => packed.flush(),
            Sink::Nowhere => Ok(()),
        }
    }
}

impl Sink {
    /// Writes pieces one after the other, gathered by the system where that can; returns how many bytes they are.
    pub fn write_slices(&mut self, mut slices: &mut [IoSlice<'_>]) -> io::Result<u64> {
        let size: usize = slices.iter().map(|slice| slice.len()).sum();
        match self {
            Sink::Plain(plain) if size >= DIRECT => {
                plain.flush()?;
                while !slices.is_empty() {
                    match plain.file.write_vectored(slices) {
                        Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                        Ok(n) => IoSlice::advance_slices(&mut slices, n),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            sink => slices.iter().try_for_each(|slice| sink.write_all(slice))?,
        }
        Ok(size as u64)
    }

    /// Writes all of `source` with the edits applied.
    pub fn splice(&mut self, source: &Source, edits: &Edits) -> io::Result<()> {
        if matches!(self, Sink::Nowhere) {
            return Ok(());
        }
        edits.apply(0, source.size(), self, |sink, from, to| {
            if from == to {
                return Ok(());
            }
            match sink {
                Sink::Plain(plain) => plain.copy(source, from, to),
                other => {
                    let mut at = from;
                    while at < to {
                        let end = to.min(at + BUFFER as u64);
                        other.write_all(&source.read(at, end)?)?;
                        at = end;
                    }
                    Ok(())
                }
            }
        })
    }
}
