//! The headers of a request or an answer for the other side: as they came, in their order, without
//! those for one connection alone (RFC 9110, 7.6.1).

use hyper::{
    HeaderMap,
    header::{
        CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HOST, HeaderValue, TRANSFER_ENCODING,
    },
    http::uri::Authority,
};

/// Headers for the next hop alone, beside those that `Connection` names.
const HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The header with what a client of a proxy that is no loopback must know.
pub const TOKEN: &str = "x-deadhead-token";

/// Returns the headers without those for one connection, and without those that `keep` rejects.
pub fn passed_on(headers: &HeaderMap, keep: impl Fn(&str) -> bool) -> HeaderMap {
    let named: Vec<&str> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    let is_hop =
        |name: &str| HOP.contains(&name) || named.iter().any(|hop| hop.eq_ignore_ascii_case(name));
    // Chunks say where a body ends, whatever its length is said to be (RFC 9112, 6.3).
    let is_chunked = headers.contains_key(TRANSFER_ENCODING);
    let mut passed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let is_void = is_chunked && name == CONTENT_LENGTH;
        if !is_void && !is_hop(name.as_str()) && keep(name.as_str()) {
            passed.append(name, value.clone());
        }
    }
    passed
}

/// The header that allows members of a body to Anthropic.
const BETA: &str = "anthropic-beta";

/// The headers of a request for its upstream. A new body is not compressed, has this length, and
/// needs these values of `anthropic-beta`.
pub fn for_upstream(
    headers: &HeaderMap,
    upstream: &Authority,
    new: Option<(usize, Vec<&str>)>,
) -> HeaderMap {
    let drops = |name: &str| {
        let replaced = name == CONTENT_ENCODING || name == CONTENT_LENGTH;
        name == EXPECT || name == TOKEN || new.is_some() && replaced
    };
    let mut passed = passed_on(headers, |name| !drops(name));
    if let Ok(host) = HeaderValue::from_str(upstream.as_str()) {
        passed.insert(HOST, host);
    }
    if let Some((length, betas)) = new {
        passed.insert(CONTENT_LENGTH, length.into());
        for beta in betas {
            let lines: Vec<&str> = passed
                .get_all(BETA)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .collect();
            let all = lines.join(",");
            if !all.split(',').any(|own| own.trim() == beta) {
                let all = [&*all, beta].join(",");
                if let Ok(value) = HeaderValue::from_str(all.trim_start_matches(',')) {
                    passed.insert(BETA, value);
                }
            }
        }
    }
    passed
}

/// The value of a header, as text.
pub fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
