//! An answer of the provider, passed on piece by piece as it comes. Where the provider breaks off, so does this. The provider's counts are
//! read out of what passes by.

use crate::Proxy;
use crate::usage::Usage;
use flate2::write::MultiGzDecoder;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// The body of an answer.
pub struct Answer {
    pub body: Incoming,
    pub proxy: Arc<Proxy>,
    /// None where the answer is to no transcript, or cannot be read.
    pub reader: Option<Reader>,
}

/// Reads an answer in the encoding that it has.
pub enum Reader {
    Plain(Usage),
    Gzip(Box<MultiGzDecoder<Usage>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Usage>>),
}

impl Reader {
    /// For the value of `Content-Encoding`; none where it is one that is not read.
    pub fn of(encoding: Option<&str>) -> Option<Reader> {
        let usage = Usage::default();
        Some(match encoding.map(str::trim) {
            None | Some("" | "identity") => Reader::Plain(usage),
            Some("gzip" | "x-gzip") => Reader::Gzip(Box::new(MultiGzDecoder::new(usage))),
            Some("zstd") => Reader::Zstd(Box::new(zstd::stream::write::Decoder::new(usage).ok()?)),
            Some(_) => return None,
        })
    }

    fn read(&mut self, bytes: &[u8]) -> io::Result<()> {
        let decoder: &mut dyn Write = match self {
            Reader::Plain(usage) => usage,
            Reader::Gzip(decoder) => decoder,
            Reader::Zstd(decoder) => decoder,
        };
        decoder.write_all(bytes)?;
        decoder.flush()
    }

    fn usage(&self) -> &Usage {
        match self {
            Reader::Plain(usage) => usage,
            Reader::Gzip(decoder) => decoder.get_ref(),
            Reader::Zstd(decoder) => decoder.get_ref(),
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    self.reader.take_if(|reader| reader.read(data).is_err());
                }
            }
            Some(Err(_)) => self.proxy.counts.sums().broken += 1,
            None => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let usage = self.reader.as_ref().map(Reader::usage);
        if let Some(counted) = usage.and_then(Usage::counted) {
            self.proxy.counts.counted(counted);
        }
    }
}
