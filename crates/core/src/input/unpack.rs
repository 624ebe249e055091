//! Unpacks compressed inputs once, up to a size limit: a few kilobytes may unpack to any number of
//! gigabytes.

use super::{
    Packing, Source,
    limit::{GIB, MaxInput, sized, too_large},
    spooled,
};
use std::{
    cell::Cell,
    io::{self, Read},
};

/// An unpacked size in bytes that is always accepted.
const UNPACKED: u64 = GIB;
/// A larger one is accepted up to this multiple of the packed size: repetitive text has some
/// hundred times.
const TIMES: u64 = 1000;

/// Unpacks `packed`, which is a file of `size` bytes, or a stream.
pub fn unpack(
    packing: Packing,
    packed: impl Read,
    size: u64,
    most: MaxInput,
) -> io::Result<Source> {
    let count = Cell::new(0);
    let packed = Counted {
        from: packed,
        count: &count,
    };
    let unpacked: Box<dyn Read> = match packing {
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(packed)?),
    };
    spooled(&mut Limited {
        from: unpacked,
        bytes: 0,
        packed: (&count, size),
        most,
    })
    .map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge | io::ErrorKind::StorageFull => error,
        _ => io::Error::other(format!("cannot unpack: {error}")),
    })
}

impl MaxInput {
    fn of_packed(self, packed: u64) -> u64 {
        self.0
            .unwrap_or_else(|| UNPACKED.max(packed.saturating_mul(TIMES)))
    }

    fn packed_error(self, packed: u64) -> io::Error {
        let most = sized(self.of_packed(packed));
        too_large(
            format!("unpacks to more than {most} from {}; ", sized(packed)),
            " sets how much is unpacked".to_owned(),
        )
    }
}

/// Counts the packed bytes that were read.
struct Counted<'a, R> {
    from: R,
    count: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(buffer)?;
        self.count.set(self.count.get() + n as u64);
        Ok(n)
    }
}

/// Unpacked bytes, of which there may be so many for each packed one.
struct Limited<'a, R> {
    from: R,
    bytes: u64,
    /// The packed bytes that were read, and how many there are if that is known.
    packed: (&'a Cell<u64>, u64),
    most: MaxInput,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(buffer)?;
        self.bytes += n as u64;
        let packed = self.packed.0.get().max(self.packed.1);
        if self.bytes > self.most.of_packed(packed) {
            Err(self.most.packed_error(packed))
        } else {
            Ok(n)
        }
    }
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
        let mut from = Limited {
            from: io::repeat(b'x'),
            bytes: 0,
            packed: (&packed, 10),
            most: MaxInput(Some(1 << 20)),
        };
        let error = io::copy(&mut from, &mut io::sink())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "unpacks to more than 1M from 10 bytes; `maxInput` sets how much is unpacked"
        );
    }
}
