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
    body: Incoming,
    proxy: Arc<Proxy>,
    /// None where the answer is to no transcript, or cannot be read.
    reader: Option<Reader>,
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
        match self {
            Reader::Plain(usage) => usage.write_all(bytes),
            Reader::Gzip(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
            Reader::Zstd(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
        }
    }

    fn usage(&self) -> &Usage {
        match self {
            Reader::Plain(usage) => usage,
            Reader::Gzip(decoder) => decoder.get_ref(),
            Reader::Zstd(decoder) => decoder.get_ref(),
        }
    }
}

impl Answer {
    pub fn new(body: Incoming, proxy: Arc<Proxy>, reader: Option<Reader>) -> Answer {
        Answer {
            body,
            proxy,
            reader,
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
                let read = |reader: &mut Reader| {
                    frame
                        .data_ref()
                        .is_none_or(|data| reader.read(data).is_ok())
                };
                self.reader.take_if(|reader| !read(reader));
            }
            Some(Err(_)) => self.proxy.counts.broken(),
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
        let counted = self
            .reader
            .as_ref()
            .and_then(|reader| reader.usage().counted());
        if let Some(counted) = counted {
            self.proxy.counts.counted(counted);
        }
    }
}
