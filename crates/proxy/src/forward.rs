//! A request on its way to the provider, and the answer on its way back, piece by piece as it
//! comes. Where the provider breaks off, so does this. The provider's counts are read out of what
//! passes by.

use crate::{
    Proxy,
    client::IsWaiting,
    coming::{Coming, Held},
    counts::Fate,
    dial::AnyBody,
    headers,
    prune::{Cleared, Sent, Transcript, is_readable},
    upstream::{self, Refused},
    usage::Usage,
};
use deadhead_core::request::{Route, is_sealed, session};
use flate2::write::MultiGzDecoder;
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode, Version,
    body::{Body, Bytes, Frame, Incoming},
    header::{HeaderName, HeaderValue},
    http::{request::Parts, uri::Authority},
};
use std::{
    error::Error,
    io::{self, Write},
    iter,
    net::IpAddr,
    sync::{Arc, atomic::Ordering},
};

/// The host whose server clears results unasked.
const ANTHROPIC: &str = "api.anthropic.com";

/// The largest window of zstd in HTTP, 8 MB, as a power of two (RFC 9659).
const WINDOW: u32 = 23;

/// What the client learns about its request.
const REPORT: &str = "x-deadhead-report";

/// What is sent: the body and, for a transcript, how it was pruned.
type Outgoing = (AnyBody, Option<Sent>);

/// Answers a request.
///
/// # Errors
/// The client left within its request, or was silent for too long: nobody waits for an answer.
pub async fn answer(
    proxy: Arc<Proxy>,
    is_waiting: IsWaiting,
    request: Request<Incoming>,
) -> io::Result<Response<AnyBody>> {
    let (mut parts, body) = request.into_parts();
    // Nobody waits for an answer of the proxy itself.
    is_waiting.store(false, Ordering::Relaxed);
    let has_no_body = body.is_end_stream();
    let body = Coming {
        read: None,
        rest: body,
        silence: None,
        is_waiting: Arc::clone(&is_waiting),
    };
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
    let upstreams = &proxy.options.upstreams;
    let (address, path) = match upstreams.find(path, parts.uri.query(), &parts.headers) {
        Ok(found) => found,
        Err(Refused::Unknown(text)) => {
            return Ok(refusal(StatusCode::NOT_FOUND, "no_upstream", &text));
        }
        Err(Refused::Misdirected(text)) => {
            let status = StatusCode::MISDIRECTED_REQUEST;
            return Ok(refusal(status, "misdirected", &text));
        }
    };
    let target = upstream::target(address, path, parts.uri.query()).ok();
    let Some((target, host)) = target.zip(address.authority()) else {
        return Ok(refusal(
            StatusCode::BAD_REQUEST,
            "no_path",
            "the path cannot be passed on",
        ));
    };
    let route = Route::of(parts.method.as_str(), path);
    let (body, sent) = match route {
        None => {
            proxy.counts.sums().other += 1;
            (body.boxed_unsync(), None)
        }
        Some(route) => {
            let is_anthropic = host.host() == ANTHROPIC;
            let named = (named, is_anthropic);
            proxy.outgoing(route, named, &parts.headers, body).await?
        }
    };
    // They are for this proxy.
    let options = &proxy.options;
    let own = [&options.session_header, &options.workload_header];
    own.into_iter()
        .flatten()
        .for_each(|name| drop(parts.headers.remove(name)));
    let new = sent
        .as_ref()
        .and_then(|sent| Some((sent.length?, sent.betas.clone())));
    // How the client spelled its headers is kept in the extensions.
    parts.headers = headers::for_upstream(&parts.headers, host, new);
    parts.uri = target;
    parts.version = Version::HTTP_11;
    let onward = Request::from_parts(parts, body);
    is_waiting.fetch_or(has_no_body, Ordering::Relaxed);
    Ok(match proxy.client.request(onward).await {
        Ok(answer) => passed_back(&proxy, is_waiting, answer, sent),
        Err(error) => {
            is_waiting.store(false, Ordering::Relaxed);
            let (error, is_clients) = causes(&error);
            if is_clients {
                return Ok(refusal(StatusCode::BAD_REQUEST, "torn_body", &error));
            }
            proxy.counts.sums().broken += 1;
            (proxy.options.note)(&format!("{host} did not answer: {error}"));
            refusal(StatusCode::BAD_GATEWAY, "upstream_unreachable", &error)
        }
    })
}

/// An answer for the client.
fn passed_back(
    proxy: &Arc<Proxy>,
    is_waiting: IsWaiting,
    answer: Response<Incoming>,
    sent: Option<Sent>,
) -> Response<AnyBody> {
    let (mut parts, body) = answer.into_parts();
    parts.version = Version::HTTP_11;
    let encoding = headers::text(&parts.headers, "content-encoding");
    let reader = sent.as_ref().and_then(|_| Reader::of(encoding));
    let (report, cleared, conversation) = sent.map_or_else(Default::default, |sent| {
        (Some(sent.report), sent.cleared, sent.conversation)
    });
    parts.headers = headers::passed_on(&parts.headers, |_| true);
    if let Some(report) = report.and_then(|report| HeaderValue::from_str(&report).ok()) {
        parts.headers.insert(REPORT, report);
    }
    let proxy = Arc::clone(proxy);
    let mut reading = Reading {
        proxy: Arc::clone(&proxy),
        reader,
        cleared,
        conversation,
        is_waiting,
    };
    let body = body
        .inspect_frame(move |frame| reading.read(frame))
        .map_err(move |error| {
            proxy.counts.sums().broken += 1;
            io::Error::other(error)
        });
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
    // A page of a site whose name was made to resolve to this machine.
    if token.is_none()
        && let Some(name) = foreign(&parts.headers)
    {
        let text = format!("{name} is no name of this machine; use 127.0.0.1, or --token-file");
        return Some(refusal(StatusCode::FORBIDDEN, "foreign_host", &text));
    }
    if asks && path == "/metrics" {
        let kind = "text/plain; version=0.0.4";
        return Some(text(
            StatusCode::OK,
            kind,
            proxy.counts.metrics(proxy.cuts()),
        ));
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

/// The name by which a client reached this machine, or the site of the page that asks, if it is a
/// name of the net's.
fn foreign(headers: &HeaderMap) -> Option<String> {
    let names = ["host", "origin"]
        .into_iter()
        .filter_map(|name| headers::text(headers, name));
    let mut hosts = names.filter_map(|name| {
        let host = name
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        Some(host.parse::<Authority>().ok()?.host().to_owned())
    });
    let is_foreign = |host: &String| {
        let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        host.contains('.') && !is_address && !host.ends_with(".localhost")
    };
    hosts.find(is_foreign)
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
        (named, is_anthropic): (Option<&str>, bool),
        all: &HeaderMap,
        mut body: Coming,
    ) -> io::Result<Outgoing> {
        if self.is_off.load(Ordering::Relaxed) {
            self.counts.passed(Fate::Off);
            let report = "outcome=off".to_owned();
            return Ok((
                body.boxed_unsync(),
                Some(Sent {
                    report,
                    ..Sent::default()
                }),
            ));
        }
        let header = |name: &str| headers::text(all, name);
        let encoding = header("content-encoding")
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let as_it_came =
            |body: AnyBody, fate, reason: &str| Ok((body, Some(self.unpruned(fate, reason))));
        if is_sealed(header) {
            return as_it_came(body.boxed_unsync(), Fate::Signed, "it is signed");
        }
        if !is_readable(&encoding) {
            let reason = format!("its encoding is {encoding}");
            return as_it_came(body.boxed_unsync(), Fate::Encoding, &reason);
        }
        let Some(Held(came, room)) = body.whole(self).await? else {
            let most = self.options.max_body;
            let reason = format!("it is over {most} bytes, or too many are held");
            return as_it_came(body.boxed_unsync(), Fate::Large, &reason);
        };
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
            is_anthropic,
        };
        let mut sent = self.prune(transcript).await;
        let out = sent.bytes.take().map_or(came, Bytes::from);
        let body = Full::new(Bytes::from_owner(Held(out, room)))
            .map_err(|never| match never {})
            .boxed_unsync();
        Ok((body, Some(sent)))
    }
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
    for cause in iter::successors(error.source(), |cause| (*cause).source()) {
        all += &format!(": {cause}");
        let of_hyper = cause.downcast_ref::<hyper::Error>();
        is_clients |= of_hyper.is_some_and(hyper::Error::is_user);
    }
    (all, is_clients)
}

/// The part of an answer that is read as it passes.
struct Reading {
    proxy: Arc<Proxy>,
    /// What the server was asked to clear.
    cleared: Option<Cleared>,
    /// The conversation of the request.
    conversation: Option<String>,
    /// `None` if the answer is not to a transcript, or cannot be read.
    reader: Option<Reader>,
    is_waiting: IsWaiting,
}

/// Reads an answer in the encoding that it has.
enum Reader {
    Plain(Usage),
    Gzip(Box<MultiGzDecoder<Usage>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Usage>>),
}

impl Reader {
    /// For the value of `Content-Encoding`; none where it is one that is not read.
    fn of(encoding: Option<&str>) -> Option<Reader> {
        let usage = Usage::default();
        Some(match encoding.map(str::trim) {
            None | Some("" | "identity") => Reader::Plain(usage),
            Some("gzip" | "x-gzip") => Reader::Gzip(Box::new(MultiGzDecoder::new(usage))),
            Some("zstd") => {
                let mut decoder = zstd::stream::write::Decoder::new(usage).ok()?;
                decoder.window_log_max(WINDOW).ok()?;
                Reader::Zstd(Box::new(decoder))
            }
            Some(_) => return None,
        })
    }

    fn read(&mut self, bytes: &[u8]) -> io::Result<()> {
        let decoder: &mut (dyn Write + Send) = match self {
            Reader::Plain(usage) => return usage.write_all(bytes),
            Reader::Gzip(decoder) => decoder,
            Reader::Zstd(decoder) => decoder,
        };
        // A few bytes may be many, and other answers do not wait for them.
        tokio::task::block_in_place(|| {
            decoder.write_all(bytes)?;
            decoder.flush()
        })
    }

    fn usage(&self) -> &Usage {
        match self {
            Reader::Plain(usage) => usage,
            Reader::Gzip(decoder) => decoder.get_ref(),
            Reader::Zstd(decoder) => decoder.get_ref(),
        }
    }
}

impl Reading {
    fn read(&mut self, frame: &Frame<Bytes>) {
        if let Some(data) = frame.data_ref() {
            self.reader.take_if(|reader| reader.read(data).is_err());
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.is_waiting.store(false, Ordering::Relaxed);
        let usage = self.reader.as_ref().map(Reader::usage);
        if let Some(counted) = usage.and_then(Usage::counted) {
            self.proxy.counts.counted(counted);
        }
        if let Some((id, key)) = usage.and_then(Usage::id).zip(self.conversation.take()) {
            self.proxy.answered(id, key);
        }
        let applied = usage.and_then(Usage::cleared);
        if let Some((cleared, applied)) = self.cleared.take().zip(applied) {
            self.proxy.compare(cleared, applied);
        }
    }
}
