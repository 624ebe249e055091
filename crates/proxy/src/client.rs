//! The connection of a client. One that has sent all that it will send may still read: the end of what it sends looks like that of a client
//! that left. So while it is answered, that end counts only after a time in which nothing could be written to it.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep},
};

/// How long a client that sends no more may wait for the next piece of its answer. A client that left costs the provider's work for so long.
const GRACE: Duration = Duration::from_secs(10);
/// How long its request may take to be read to its end.
const READING: Duration = Duration::from_millis(250);

/// Whether the request of a connection came whole and waits for its answer.
pub type IsWaiting = Arc<AtomicBool>;

/// A connection.
pub struct Client {
    pub stream: TcpStream,
    pub is_waiting: IsWaiting,
    /// The end of the time, once the client sends no more.
    pub ends: Option<Pin<Box<Sleep>>>,
    /// Whether this time is the longer one.
    pub has_grace: bool,
}

impl AsyncRead for Client {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ends.is_none() {
            let before = into.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
            if into.filled().len() > before || into.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            self.ends = Some(Box::pin(sleep(READING)));
        }
        let is_waiting = self.is_waiting.load(Ordering::Relaxed);
        if !self.has_grace {
            ready!(self.poll_end(context));
            if is_waiting {
                self.more_time();
            }
        }
        if is_waiting {
            ready!(self.poll_end(context));
        }
        Poll::Ready(Ok(()))
    }
}

impl Client {
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.ends {
            Some(ends) => ends.as_mut().poll(context),
            None => Poll::Ready(()),
        }
    }

    /// Begins the time anew, where the client sends no more.
    fn more_time(&mut self) {
        if let Some(ends) = &mut self.ends {
            ends.as_mut().reset(Instant::now() + GRACE);
            self.has_grace = true;
        }
    }

    fn written(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(_))) {
            self.more_time();
        }
        written
    }
}

impl AsyncWrite for Client {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.written(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
