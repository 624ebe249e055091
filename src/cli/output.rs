//! Writes pruned JSON to stdout or a file, compressed or not, or discards it.
//!
//! Uncut stretches are copied without passing through this program if the system can do that.

use super::*;
use deadhead_core::internal::edit::Edits;
use std::{
    io::{BufWriter, Read, Seek, SeekFrom},
    os::unix::fs::{FileTypeExt, MetadataExt},
};

/// Stretches from this length on are left to the kernel.
const LONG: u64 = 128 << 10;
/// Bytes gathered before they are written.
const BUFFER: usize = 256 << 10;

/// A destination that is being written.
pub enum Sink {
    /// Stdout, or whatever it is redirected to.
    PlainFile(PlainFile),
    /// A file that is packed on the way.
    Gzip(Box<Gzip>),
    Zstd(Box<zstd::stream::write::Encoder<'static, File>>),
    /// A standard stream, for a report; or what is behind bytes that were written.
    Stream(Box<dyn Write>),

    /// Nowhere: a dry run.
    Nowhere(io::Sink),
}

/// A sink to which the first bytes were written already: they arrive once more and are dropped.
pub struct SkipWritten {
    pub sink: Sink,
    pub written: Vec<u8>,
    pub seen: usize,
}

impl Write for SkipWritten {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let again = &self.written[self.seen..];
        if again.is_empty() {
            return self.sink.write(bytes);
        }
        let n = again.len().min(bytes.len());
        if again[..n] != bytes[..n] {
            return Err(io::Error::other(
                "a line that was answered already would be changed; give the input as a file",
            ));
        }
        self.seen += n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// A packer for gzip. It does not repeat a write that a signal interrupted, but the buffer, which
/// takes all that it writes at once, does.
type Gzip = flate2::write::GzEncoder<BufWriter<File>>;

/// A file descriptor with a buffer.
pub struct PlainFile {
    file: File,
    buffer: Vec<u8>,
    kernel_copies: bool,
    /// Whether it is the null device, which takes everything and keeps nothing.
    is_null: bool,
}

impl PlainFile {
    /// A file that was just made, or a device or pipe.
    pub fn new(file: File) -> PlainFile {
        let found = file.metadata();
        let is = |what: fn(&Metadata) -> bool| found.as_ref().is_ok_and(what);
        PlainFile {
            kernel_copies: is(|found| found.is_file() || found.file_type().is_char_device()),
            is_null: is(is_null),
            file,
            buffer: Vec::new(),
        }
    }

    /// A sink on stdout; a pipe there is made as large as it may be.
    pub fn stdout() -> io::Result<PlainFile> {
        let file = file_of(stdout()?)?;
        linux::widen(&file);
        Ok(PlainFile::new(file))
    }

    /// Copies a stretch of the source.
    fn copy(&mut self, source: &Source, from: u64, to: u64) -> io::Result<()> {
        // The system would read the stretch again to throw it away.
        if self.is_null {
            return Ok(());
        }
        match source.file().filter(|_| to - from >= LONG) {
            Some(mut input) if self.kernel_copies => {
                self.flush()?;
                input.seek(SeekFrom::Start(from))?;
                // The kernel moves both positions by what it has copied; a signal can end a copy
                // before that.
                while let left @ 1.. = to - input.stream_position()? {
                    match io::copy(&mut input.take(left), &mut self.file) {
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                            return Err(error);
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
            _ => copy(source, from, to, self),
        }
    }
}

/// Writes the bytes from `at` to `end` piece by piece.
///
/// # Errors
/// They cannot be read any more, or cannot be written.
pub fn copy(bytes: &dyn ReadAt, mut at: u64, end: u64, out: &mut dyn Write) -> io::Result<()> {
    while at < end {
        let next = end.min(at + BUFFER as u64);
        out.write_all(&bytes.read(at, next)?)?;
        at = next;
    }
    Ok(())
}

/// Whether nobody sees what is written to stdout.
pub fn is_discarded() -> bool {
    file_of(io::stdout())
        .and_then(|stdout| stdout.metadata())
        .is_ok_and(|found| is_null(&found))
}

/// Whether it is what `/dev/null` names.
fn is_null(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device()
        && fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev())
}

impl Write for PlainFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
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

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl Sink {
    /// A sink on a file; the path says whether it is packed.
    pub fn new(file: File, path: &Path) -> io::Result<Sink> {
        Ok(match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => {
                let buffer = BufWriter::with_capacity(BUFFER, file);
                Sink::Gzip(Box::new(Gzip::new(buffer, flate2::Compression::default())))
            }
            Some("zst") => Sink::Zstd(Box::new(zstd::stream::write::Encoder::new(file, 3)?)),
            _ => Sink::PlainFile(PlainFile::new(file)),
        })
    }

    /// Writes all that is still held back. It is called by name, since an error in a drop is lost.
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Sink::Gzip(gzip) => {
                gzip.try_finish()?;
                gzip.get_mut().flush()
            }
            Sink::Zstd(zstd) => zstd.do_finish(),
            _ => Ok(()),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Sink::PlainFile(plain) => plain,
            Sink::Gzip(gzip) => gzip,
            Sink::Zstd(zstd) => zstd,
            Sink::Stream(stream) => stream,

            Sink::Nowhere(sink) => sink,
        }
    }

    /// Writes all of `source` with the edits applied.
    pub fn splice(&mut self, source: &Source, edits: &Edits) -> io::Result<()> {
        if matches!(self, Sink::Nowhere(_)) {
            return Ok(());
        }
        edits.apply(0, source.size(), self, |sink, from, to| {
            if from == to {
                return Ok(());
            }
            match sink {
                Sink::PlainFile(plain) => plain.copy(source, from, to),
                other => copy(source, from, to, other),
            }
        })
    }
}
