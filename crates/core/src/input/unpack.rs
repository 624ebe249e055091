//! Unpacks compressed inputs once, up to a size limit: a few kilobytes may unpack to any number of gigabytes.

use super::limit::{GIB, MaxInput, sized, too_large};
use super::{Packing, Source, spooled};
use std::cell::Cell;
use std::io::{self, Read};

/// An unpacked size in bytes that is always accepted.
const UNPACKED: u64 = GIB;
/// A larger one is accepted up to this multiple of the packed size: repetitive text has some hundred times.
const TIMES: u64 = 1000;

/// Unpacks `packed`, which is a file of `size` bytes, or a stream.
pub(super) fn unpack(packing: Packing, packed: impl Read, size: u64, most: MaxInput) -> io::Result<Source> {
    let count = Cell::new(0);
    let packed = Counted::new(packed, &count);
    match packing {
        Packing::Gzip => spooled(&mut unpacked(flate2::read::MultiGzDecoder::new(packed), &count, size, most)),
        Packing::Zstd => spooled(&mut unpacked(zstd::stream::read::Decoder::new(packed)?, &count, size, most)),
    }
    .map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge | io::ErrorKind::StorageFull => error,
        kind => io::Error::new(kind, format!("cannot unpack: {error}")),
    })
}

impl MaxInput {
    fn of_packed(self, packed: u64) -> u64 {
        self.0.unwrap_or_else(|| UNPACKED.max(packed.saturating_mul(TIMES)))
    }

    fn packed_error(self, packed: u64) -> io::Error {
        let most = sized(self.of_packed(packed));
        too_large(format!("unpacks to more than {most} from {}; ", sized(packed)), " sets how much is unpacked".to_owned())
    }
}

/// A stream that fails when it has too many bytes.
struct Limited<R, F: Fn(u64) -> Option<io::Error>> {
    from: R,
    bytes: u64,
    refuse: F,
}

impl<R: Read, F: Fn(u64) -> Option<io::Error>> Limited<R, F> {
    /// `refuse` returns the error if this number of bytes is too large.
    fn new(from: R, refuse: F) -> Limited<R, F> {
        Limited { from, bytes: 0, refuse }
    }
}

impl<R: Read, F: Fn(u64) -> Option<io::Error>> Read for Limited<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(buffer)?;
        self.bytes += n as u64;
        (self.refuse)(self.bytes).map_or(Ok(n), Err)
    }
}

/// Counts the packed bytes that were read.
struct Counted<'a, R> {
    from: R,
    count: &'a Cell<u64>,
}

impl<'a, R: Read> Counted<'a, R> {
    fn new(from: R, count: &'a Cell<u64>) -> Counted<'a, R> {
        Counted { from, count }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(buffer)?;
        self.count.set(self.count.get() + n as u64);
        Ok(n)
    }
}

/// Returns a reader that fails when the unpacked bytes exceed the limit for the packed bytes, of which `packed` were read so far.
fn unpacked<'a>(from: impl Read + 'a, packed: &'a Cell<u64>, size: u64, most: MaxInput) -> impl Read + 'a {
    Limited::new(from, move |bytes| {
        let packed = packed.get().max(size);
        (bytes > most.of_packed(packed)).then(|| most.packed_error(packed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_07_what_is_packed_may_become_so_much() {
        let most = MaxInput::default();
        assert_eq!(most.of_packed(94_000), GIB);
        assert_eq!(most.of_packed(5 << 20), 5000 << 20);
        assert_eq!(MaxInput(Some(7)).of_packed(5 << 20), 7);
        let packed = Cell::new(0);
        let mut from = unpacked(io::repeat(b'x'), &packed, 10, MaxInput(Some(1 << 20)));
        let error = io::copy(&mut from, &mut io::sink()).unwrap_err().to_string();
        assert_eq!(error, "unpacks to more than 1M from 10 bytes; `maxInput` sets how much is unpacked");
    }
}
