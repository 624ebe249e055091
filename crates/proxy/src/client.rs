//! The sending half of a client. A client that has sent everything may still read: the end of its
//! data looks like that of a client that left. So while it is answered, that end counts only after
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
/// The longest time to read its request to the end.
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
            // A poll before the time has ended was caused by a piece of the answer.
            ends.as_mut().reset(Instant::now() + GRACE);
            client.has_grace = true;
        }
        ends.as_mut().poll(context).map(Ok)
    }
}
