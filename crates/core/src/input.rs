//! Inputs that can be read twice: a file by position, or bytes in memory.
//!
//! A regular file is read with the size that it had when it was opened; bytes that are appended
//! meanwhile are not read. Compressed input is unpacked once, into memory while it is small and
//! into an unnamed temporary file when it is not. Nothing here opens a file for writing.

mod limit;
pub mod line_limit;
mod packing;
mod read_buffer;
mod snapshot;
mod spool;
#[cfg(feature = "packed")]
mod unpack;

pub use limit::MaxInput;
pub(crate) use packing::Packing;
#[cfg(not(feature = "packed"))]
use packing::unpack;
pub use read_buffer::ReadBuffer;
pub use spool::Spool;
#[cfg(feature = "packed")]
use unpack::unpack;

use crate::{Error, Result, read_at::ReadAt};
use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek},
    os::unix::fs::{FileExt, MetadataExt},
    path::Path,
};

/// Bytes beyond which unpacked data is written to a temporary file.
const SPOOL: usize = 64 << 20;

/// One input.
#[derive(Debug)]
pub enum Source {
    /// All bytes, in memory.
    Memory(Vec<u8>),
    /// All bytes, in a buffer.
    Buffer(ReadBuffer),
    /// A regular file, read by position.
    File(Box<FileSource>),
}

/// A regular file and its state when it was opened.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    size: u64,
    /// Its metadata then; `None` for a spool of this process, which nobody else can change.
    opened: Option<Metadata>,
}

impl Source {
    /// Opens a file. Gzip and zstd are detected from the content.
    ///
    /// # Errors
    /// It cannot be opened or read, or is a directory.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Source> {
        Source::from_file(File::open(path)?, MaxInput::default())
    }

    /// Reads an open file or pipe: a regular file by position, anything else to its end.
    ///
    /// # Errors
    /// It cannot be read, is a directory, is larger than allowed, or is not a file and has a line
    /// without an end.
    pub fn from_file(mut file: File, most: MaxInput) -> io::Result<Source> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("is a directory"));
        }
        if !metadata.is_file() {
            return Source::spool(file, &[], most);
        }
        let start = file.stream_position()?;
        let mut magic = [0; Packing::MAGIC];
        let n = read_full(&file, &mut magic, start)?;
        if let Some(pack) = Packing::of(&magic[..n]) {
            return unpack(pack, &file, metadata.len() - start, most);
        }
        most.check(metadata.len() - start)?;
        if start > 0 {
            return spooled(&mut file);
        }
        Ok(Source::File(Box::new(FileSource {
            size: metadata.len(),
            file,
            opened: Some(metadata),
        })))
    }

    /// Reads a pipe to its end, of which `begun` was read already.
    ///
    /// # Errors
    /// It cannot be read, is larger than allowed, has a line without an end, or is packed and
    /// damaged.
    pub fn spool(pipe: File, begun: &[u8], most: MaxInput) -> io::Result<Source> {
        let mut head = begun.to_vec();
        let missing = Packing::MAGIC.saturating_sub(head.len());
        (&pipe).take(missing as u64).read_to_end(&mut head)?;
        if let Some(pack) = Packing::of(&head) {
            return unpack(pack, head.chain(&pipe), 0, most);
        }
        let spool = Spool::new(&head, most)?;
        drop(head);
        spool.fill(&pipe)?;
        spool.into_source()
    }

    /// A file that only this process can change.
    fn of_ours(file: File, size: u64) -> Source {
        Source::File(Box::new(FileSource {
            size,
            file,
            opened: None,
        }))
    }

    /// Returns the bytes, or the file that they are in.
    fn bytes(&self) -> Result<&[u8], &FileSource> {
        match self {
            Source::Memory(bytes) => Ok(bytes),
            Source::Buffer(bytes) => Ok(bytes),
            Source::File(source) => Err(source),
        }
    }

    /// Returns whether nobody else can change the input.
    pub fn is_private(&self) -> bool {
        self.bytes()
            .err()
            .is_none_or(|source| source.opened.is_none())
    }

    /// Creates a source from bytes, which are unpacked if they are packed.
    ///
    /// # Errors
    /// They are packed and damaged.
    pub fn unpacked(bytes: Vec<u8>) -> io::Result<Source> {
        match Packing::of(&bytes) {
            Some(pack) => unpack(pack, &bytes[..], bytes.len() as u64, MaxInput::default()),
            None => Ok(Source::Memory(bytes)),
        }
    }

    /// Returns the file, if the source is one.
    pub fn file(&self) -> Option<&File> {
        self.bytes().err().map(|source| &source.file)
    }

    /// Reads all bytes into memory.
    ///
    /// # Errors
    /// Reading fails, or the file shrank.
    pub fn into_memory(self) -> Result<ReadBuffer> {
        match self {
            Source::Memory(bytes) => Ok(bytes.into()),
            Source::Buffer(bytes) => Ok(bytes),
            Source::File(_) => {
                let bytes = self.copied()?;
                self.unchanged()?;
                Ok(bytes)
            }
        }
    }

    /// Copies all bytes.
    fn copied(&self) -> Result<ReadBuffer> {
        let (mut bytes, size) = (ReadBuffer::default(), self.size());
        let size = usize::try_from(size).map_err(|_| Error::TooLong)?;
        match bytes.read(size, |space| self.read_at(0, space))? {
            n if n < size => Err(Error::Changed),
            _ => Ok(bytes),
        }
    }

    /// Fails if the input has changed in any way but growing.
    ///
    /// # Errors
    /// It shrank, or changed without growing.
    pub fn unchanged(&self) -> Result<()> {
        self.is_touched().map(|_| ())
    }

    /// Like [`Source::unchanged`]; returns whether the input has grown, and so may also have been
    /// overwritten.
    ///
    /// # Errors
    /// It shrank, or changed without growing.
    pub fn is_touched(&self) -> Result<bool> {
        self.bytes().err().map_or(Ok(false), FileSource::is_touched)
    }
}

impl FileSource {
    /// Returns whether the file was written to since it was opened.
    ///
    /// # Errors
    /// It shrank, or changed without growing.
    fn is_touched(&self) -> Result<bool> {
        let Some(opened) = &self.opened else {
            return Ok(false);
        };
        let now = self.file.metadata()?;
        let is_touched = (now.mtime(), now.mtime_nsec()) != (opened.mtime(), opened.mtime_nsec());
        if now.len() < self.size || is_touched && now.len() == self.size {
            Err(Error::Changed)
        } else {
            Ok(is_touched)
        }
    }
}

impl ReadAt for Source {
    fn size(&self) -> u64 {
        self.bytes()
            .map_or_else(|source| source.size, |bytes| bytes.len() as u64)
    }

    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self.bytes() {
            Ok(bytes) => bytes.read_at(start, buffer),
            Err(source) => {
                let left = usize::try_from(source.size.saturating_sub(start));
                let n = buffer.len().min(left.unwrap_or(usize::MAX));
                read_full(&source.file, &mut buffer[..n], start)
            }
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        self.bytes().ok()
    }
}

fn read_full(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<usize> {
    let wanted = buffer.len();
    while !buffer.is_empty() {
        match file.read_at(buffer, at) {
            Ok(0) => break,
            Ok(n) => {
                buffer = &mut buffer[n..];
                at += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(wanted - buffer.len())
}

/// Reads a stream to its end, into memory while it is small.
fn spooled(from: &mut impl Read) -> io::Result<Source> {
    let mut spool = tempfile::spooled_tempfile(SPOOL);
    io::copy(from, &mut spool)?;
    match spool.into_inner() {
        tempfile::SpooledData::InMemory(bytes) => Ok(Source::Memory(bytes.into_inner())),
        tempfile::SpooledData::OnDisk(file) => {
            let size = file.metadata()?.len();
            Ok(Source::of_ours(file, size))
        }
    }
}
