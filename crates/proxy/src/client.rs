//! What a client sends. One that has sent all that it will send may still read: the end of what it
//! sends looks like that of a client that left. So while it is answered, that end counts only after
//! a time in which no piece of the answer came.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    net::tcp::OwnedReadHalf,
    time::{Instant, Sleep, sleep},
};

/// How long a client that sends no more may wait for the next piece of its answer. A client that
/// left costs the provider's work for so long.
const GRACE: Duration = Duration::from_secs(10);
/// How long its request may take to be read to its end.
const READING: Duration = Duration::from_millis(250);

/// Whether the request of a connection came whole and waits for its answer.
pub type IsWaiting = Arc<AtomicBool>;

/// The half of a connection on which the client sends.
pub struct Client {
    pub stream: OwnedReadHalf,
    pub is_waiting: IsWaiting,
    /// The end of the time, once the client sends no more.
    pub ends: Option<Pin<Box<Sleep>>>,
    /// Whether it is the longer time.
    pub has_grace: bool,
}

impl AsyncRead for Client {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let client = &mut *self;
        if client.ends.is_none() {
            let before = into.filled().len();
            ready!(Pin::new(&mut client.stream).poll_read(context, into))?;
            if into.filled().len() > before || into.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
        }
        let ends = client.ends.get_or_insert_with(|| Box::pin(sleep(READING)));
        let is_waiting = client.is_waiting.load(Ordering::Relaxed);
        if client.has_grace && (ends.is_elapsed() || !is_waiting) {
            return Poll::Ready(Ok(()));
        }
        if is_waiting {
            // Who asks before the time has ended was woken by a piece of the answer.
            ends.as_mut().reset(Instant::now() + GRACE);
            client.has_grace = true;
        }
        ends.as_mut().poll(context).map(Ok)
    }
}
