//! Bodies of requests as they arrive: none may be silent for long, and the bytes of all of them
//! together have a limit.

use crate::{Proxy, client::IsWaiting};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::{
    io,
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Sleep, sleep},
};

/// How long a client may be silent within its body.
const SILENCE: Duration = Duration::from_secs(30);

/// A body.
pub struct Coming {
    /// What was read of it already.
    pub read: Option<Bytes>,
    pub rest: Incoming,
    /// The end of its silence, while it is silent.
    pub silence: Option<Pin<Box<Sleep>>>,
    pub is_waiting: IsWaiting,
}

/// Bytes that have room for as long as they are held.
pub struct Held(pub Bytes, pub Room);

/// A part of the room for all bodies.
type Room = Vec<OwnedSemaphorePermit>;

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Coming {
    /// Reads the whole body, for which it reserves room; `None` if it is too large or there is no
    /// room: then it can still be passed on.
    ///
    /// # Errors
    /// The client left, or was silent for too long.
    pub async fn whole(&mut self, proxy: &Proxy) -> io::Result<Option<Held>> {
        let most = proxy.options.max_body;
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        let mut is_large = self.rest.size_hint().lower() > most as u64;
        while !is_large && let Some(frame) = self.frame().await {
            if let Ok(piece) = frame?.into_data() {
                bytes.extend_from_slice(&piece);
                let more = Arc::clone(&proxy.room).try_acquire_many_owned(piece.len() as u32);
                is_large = bytes.len() > most || more.is_err();
                room.extend(more);
            }
        }
        let held = Held(bytes.into(), room);
        if !is_large {
            return Ok(Some(held));
        }
        self.read = Some(Bytes::from_owner(held));
        Ok(None)
    }
}

impl Body for Coming {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(read) = self.read.take() {
            return Poll::Ready(Some(Ok(Frame::data(read))));
        }
        if let Poll::Ready(frame) = Pin::new(&mut self.rest).poll_frame(context) {
            self.silence = None;
            let is_whole = frame.is_none() || self.rest.is_end_stream();
            self.is_waiting.store(is_whole, Ordering::Relaxed);
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        let silence = self.silence.get_or_insert_with(|| Box::pin(sleep(SILENCE)));
        ready!(silence.as_mut().poll(context));
        Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // What was read has the length that its header states, if any.
        match &self.read {
            None => self.rest.size_hint(),
            Some(_) => SizeHint::default(),
        }
    }
}
