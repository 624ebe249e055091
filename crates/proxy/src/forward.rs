//! A request on its way to the provider, and the answer on its way back.

use crate::answer::{Answer, Reader};
use crate::counts::Why;
use crate::dial::AnyBody;
use crate::prune::{Sent, Transcript, is_readable};
use crate::{Proxy, headers, upstream};
use deadhead_core::request::{Route, is_sealed, session};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri, Version};
use std::collections::VecDeque;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// What the client is told of its request.
const REPORT: &str = "x-deadhead-report";

/// The beginning of a body that was read, and the rest of it.
struct Behind {
    read: VecDeque<Bytes>,
    rest: Incoming,
}

impl Body for Behind {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.read.pop_front() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_empty() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // What was read has the length that its header states, if any.
        if self.read.is_empty() {
            self.rest.size_hint()
        } else {
            SizeHint::default()
        }
    }
}

/// What goes out: the body, its length if it is new, and what the client is told.
type Outgoing = (AnyBody, Option<usize>, Option<String>);

/// Answers a request.
///
/// # Errors
/// The client left within its request: there is nobody to be answered.
pub async fn answer(
    proxy: Arc<Proxy>,
    request: Request<Incoming>,
) -> Result<Response<AnyBody>, hyper::Error> {
    let (parts, body) = request.into_parts();
    let Some(path) = parts.uri.path_and_query().map(|_| parts.uri.path()) else {
        return Ok(refusal(
            StatusCode::BAD_REQUEST,
            "no_path",
            "the target of a request is a path",
        ));
    };
    if let Some(own) = own(&proxy, &parts, path) {
        return Ok(own);
    }
    let (named, path) =
        upstream::session_in(path).map_or((None, path), |(name, rest)| (Some(name), rest));
    let Some((address, path)) = proxy.options.upstreams.find(path, &parts.headers) else {
        let text = "no provider is known for this path; begin it with a provider's name, or name one with --upstream";
        return Ok(refusal(StatusCode::NOT_FOUND, "no_upstream", text));
    };
    let target = upstream::target(address, path, parts.uri.query());
    let Some((target, host)) = target
        .ok()
        .and_then(|uri| Some((uri.clone(), uri.into_parts().authority?)))
    else {
        return Ok(refusal(
            StatusCode::BAD_REQUEST,
            "no_path",
            "the path cannot be passed on",
        ));
    };
    let route = Route::of(parts.method.as_str(), path);
    let is_transcript = route.is_some();
    let (body, length, report) = match route {
        None => {
            proxy.counts.other();
            (body.boxed_unsync(), None, None)
        }
        Some(route) => proxy.outgoing(route, named, &parts.headers, body).await?,
    };
    let onward = headers::for_upstream(&parts.headers, &host, length);
    let sent = proxy
        .client
        .request(request_of(parts, target, onward, body))
        .await;
    Ok(match sent {
        Ok(answer) => passed_back(&proxy, answer, is_transcript, report),
        Err(error) => {
            let (error, is_clients) = causes(&error);
            if is_clients {
                return Ok(refusal(StatusCode::BAD_REQUEST, "torn_body", &error));
            }
            proxy.counts.broken();
            (proxy.options.note)(&format!("{host} did not answer: {error}"));
            refusal(StatusCode::BAD_GATEWAY, "upstream_unreachable", &error)
        }
    })
}

/// The request with another target, other headers and another body. What is kept beside them is how the client spelled its headers.
fn request_of(parts: Parts, target: Uri, headers: HeaderMap, body: AnyBody) -> Request<AnyBody> {
    let mut onward = Request::new(body);
    *onward.method_mut() = parts.method;
    *onward.uri_mut() = target;
    *onward.version_mut() = Version::HTTP_11;
    *onward.headers_mut() = headers;
    *onward.extensions_mut() = parts.extensions;
    onward
}

/// An answer for the client.
fn passed_back(
    proxy: &Arc<Proxy>,
    answer: Response<Incoming>,
    is_transcript: bool,
    report: Option<String>,
) -> Response<AnyBody> {
    let (mut parts, body) = answer.into_parts();
    parts.version = Version::HTTP_11;
    let encoding = headers::text(&parts.headers, "content-encoding");
    let reader = is_transcript.then(|| Reader::of(encoding)).flatten();
    parts.headers = headers::passed_on(&parts.headers, |_| true);
    if let Some(report) = report.and_then(|report| HeaderValue::from_str(&report).ok()) {
        parts.headers.insert(REPORT, report);
    }
    let body = Answer::new(body, Arc::clone(proxy), reader);
    Response::from_parts(parts, body.boxed_unsync())
}

/// The answer to a request that is for the proxy itself.
fn own(proxy: &Proxy, parts: &Parts, path: &str) -> Option<Response<AnyBody>> {
    let asks = parts.method == Method::GET;
    if asks && path == "/healthz" {
        return Some(text(StatusCode::OK, "text/plain", "ok\n".to_owned()));
    }
    let given = parts.headers.get(headers::TOKEN).map(HeaderValue::as_bytes);
    let token = proxy.options.token.as_deref().map(str::as_bytes);
    if token.is_some_and(|token| !given.is_some_and(|given| is_same(given, token))) {
        let text = format!("send the token in the header {}", headers::TOKEN);
        return Some(refusal(StatusCode::UNAUTHORIZED, "no_token", &text));
    }
    if asks && path == "/metrics" {
        let kind = "text/plain; version=0.0.4";
        return Some(text(StatusCode::OK, kind, proxy.counts.metrics()));
    }
    let upgrades = headers::text(&parts.headers, "upgrade")?;
    if !upgrades.to_ascii_lowercase().contains("websocket") {
        return None;
    }
    // At this status Codex continues by HTTP at once; after any other it tries again first.
    let said = "WebSockets are not passed on; send the request by HTTP";
    let mut answer = refusal(StatusCode::UPGRADE_REQUIRED, "websocket_refused", said);
    answer
        .headers_mut()
        .insert("upgrade", HeaderValue::from_static("HTTP/1.1"));
    Some(answer)
}

/// Whether two texts are the same, in a time that does not say where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

impl Proxy {
    /// The body of a transcript as it goes out.
    async fn outgoing(
        self: &Arc<Proxy>,
        route: Route,
        named: Option<&str>,
        all: &HeaderMap,
        mut body: Incoming,
    ) -> Result<Outgoing, hyper::Error> {
        let header = |name: &str| headers::text(all, name);
        let encoding = header("content-encoding")
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let as_it_came = |body: AnyBody, sent: Sent| (body, None, Some(sent.report));
        if is_sealed(header) {
            let sent = self.unpruned(Why::Signed, "it is signed");
            return Ok(as_it_came(body.boxed_unsync(), sent));
        }
        if !is_readable(&encoding) {
            let sent = self.unpruned(Why::Encoding, &format!("its encoding is {encoding}"));
            return Ok(as_it_came(body.boxed_unsync(), sent));
        }
        let (mut read, mut size) = (VecDeque::new(), 0);
        let most = self.options.max_body;
        let mut is_large = body.size_hint().lower() > most as u64;
        while !is_large && let Some(frame) = body.frame().await {
            if let Ok(piece) = frame?.into_data() {
                size += piece.len();
                read.push_back(piece);
                is_large = size > most;
            }
        }
        if is_large {
            let sent = self.unpruned(Why::Large, &format!("it is over {most} bytes"));
            return Ok(as_it_came(Behind { read, rest: body }.boxed_unsync(), sent));
        }
        let came = joined(read, size);
        let own = |name: &Option<HeaderName>| {
            let value = header(name.as_ref()?.as_str())?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let transcript = Transcript {
            body: came.clone(),
            encoding,
            route,
            session: named.map(str::to_owned).or_else(|| {
                own(&self.options.session_header).or_else(|| session(header).map(str::to_owned))
            }),
            workload: own(&self.options.workload_header),
        };
        let sent = self.prune(transcript).await;
        let length = sent.bytes.as_ref().map(Vec::len);
        let out = sent.bytes.map_or(came, Bytes::from);
        let body = Full::new(out)
            .map_err(|never| match never {})
            .boxed_unsync();
        Ok((body, length, Some(sent.report)))
    }
}

/// Pieces as one.
fn joined(mut pieces: VecDeque<Bytes>, size: usize) -> Bytes {
    if pieces.len() == 1 {
        return pieces.pop_front().unwrap_or_default();
    }
    let mut all = Vec::with_capacity(size);
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    all.into()
}

/// An answer of the proxy's own.
fn text(status: StatusCode, kind: &'static str, text: String) -> Response<AnyBody> {
    let body = Full::from(text).map_err(|never| match never {});
    let mut answer = Response::new(body.boxed_unsync());
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert("content-type", HeaderValue::from_static(kind));
    answer
}

/// A refusal, as the SDKs of providers read it.
fn refusal(status: StatusCode, kind: &str, message: &str) -> Response<AnyBody> {
    let message = format!("deadhead proxy: {message}");
    let error = serde_json::json!({"type": "error", "error": {"type": kind, "message": message}});
    text(status, "application/json", error.to_string())
}

/// An error with its causes, and whether it is that the client left within its body.
fn causes(error: &(dyn Error + 'static)) -> (String, bool) {
    let (mut all, mut is_clients) = (error.to_string(), false);
    let mut next = error.source();
    while let Some(cause) = next {
        all = format!("{all}: {cause}");
        is_clients |= cause
            .downcast_ref::<hyper::Error>()
            .is_some_and(hyper::Error::is_user);
        next = cause.source();
    }
    (all, is_clients)
}
