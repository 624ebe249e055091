//! Where requests go: to one address that is fixed, or to that of the table (upstreams.tsv) which the path or a header of the request
//! names. The host that a client names in its target or its headers is not looked at.

use hyper::{HeaderMap, Uri, http};

/// The addresses of the built-in table.
const TABLE: &str = include_str!("upstreams.tsv");

/// A provider that is known.
#[derive(Debug)]
struct Known {
    /// The first segment of a path that names it, with its slash; empty where all requests go to it.
    segment: String,
    address: Uri,
    /// Beginnings of its paths.
    paths: Vec<&'static str>,
    headers: Vec<&'static str>,
}

impl Known {
    fn new(segment: &str, address: &str) -> Result<Known, String> {
        Ok(Known {
            segment: segment.to_owned(),
            address: parse(address)?,
            paths: Vec::new(),
            headers: Vec::new(),
        })
    }
}

/// Where requests go.
#[derive(Debug)]
pub struct Upstreams(Vec<Known>);

impl Upstreams {
    /// All requests go to one address, which may have a path.
    ///
    /// # Errors
    /// It is no address.
    pub fn fixed(address: &str) -> Result<Upstreams, String> {
        Upstreams::named(&[(String::new(), address.to_owned())])
    }

    /// Each request goes to the provider that its path names.
    ///
    /// # Errors
    /// A row of the table is no address.
    pub fn by_path() -> Result<Upstreams, String> {
        let known = TABLE
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                let mut cells = line.split('\t');
                let mut next = || cells.next().unwrap_or_default();
                let known = Known::new(next(), next())?;
                Ok(Known {
                    paths: next().split_whitespace().collect(),
                    headers: next().split_whitespace().collect(),
                    ..known
                })
            });
        known.collect::<Result<_, _>>().map(Upstreams)
    }

    /// Each request goes to the address whose segment its path begins with.
    ///
    /// # Errors
    /// One is no address.
    pub(crate) fn named(addresses: &[(String, String)]) -> Result<Upstreams, String> {
        addresses
            .iter()
            .map(|(segment, address)| Known::new(segment, address))
            .collect::<Result<_, _>>()
            .map(Upstreams)
    }

    /// Returns the address for a path, and the path there; none if no provider is known for it.
    pub(crate) fn find<'p>(&self, path: &'p str, headers: &HeaderMap) -> Option<(&Uri, &'p str)> {
        let by_name = self.0.iter().find_map(|known| {
            let rest = path.strip_prefix(&*known.segment)?;
            let is_whole = known.segment.is_empty() || rest.starts_with('/');
            is_whole.then_some((&known.address, rest))
        });
        let by_header = || {
            let names =
                |known: &&Known| known.headers.iter().any(|name| headers.contains_key(*name));
            self.0.iter().find(names)
        };
        let by_path = || {
            let length = |known: &&Known| {
                known
                    .paths
                    .iter()
                    .filter(|start| path.starts_with(**start))
                    .map(|start| start.len())
                    .max()
            };
            self.0
                .iter()
                .filter(|known| length(known).is_some())
                .max_by_key(length)
        };
        by_name.or_else(|| {
            let found = by_header().or_else(by_path)?;
            Some((&found.address, path))
        })
    }
}

fn parse(address: &str) -> Result<Uri, String> {
    let found = address.parse::<Uri>().ok().filter(|uri| {
        let host = uri.host().filter(|host| !host.is_empty());
        let port = uri
            .port_u16()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        // Neither a login nor a port that is no number.
        let plain = host.map(|host| format!("{host}{port}"));
        matches!(uri.scheme_str(), Some("http" | "https"))
            && plain.as_deref() == uri.authority().map(|authority| authority.as_str())
            && uri.query().is_none()
    });
    found.ok_or_else(|| {
        format!(
            "the upstream must be an address such as https://api.anthropic.com, not {address:?}"
        )
    })
}

/// The address of a request: the path behind that of the upstream, as the client spells it. Both may have the version of the API.
pub fn target(upstream: &Uri, path: &str, query: Option<&str>) -> http::Result<Uri> {
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let above = upstream.path().trim_end_matches('/');
    let shared = above
        .strip_suffix("/v1")
        .filter(|_| path.starts_with("/v1/"));
    let whole = format!("{}{path}{query}", shared.unwrap_or(above));
    let mut parts = upstream.clone().into_parts();
    parts.path_and_query = Some(whole.try_into()?);
    Ok(Uri::from_parts(parts)?)
}

/// The name of a session at the beginning of a path, `/s/NAME/…`, and the rest of it.
pub fn session_in(path: &str) -> Option<(&str, &str)> {
    let named = path.strip_prefix("/s/")?;
    let (name, rest) = named.split_at(named.find('/')?);
    (!name.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_provider() {
        let all = Upstreams::by_path().expect("the table is read");
        let found = |path: &str, header: &'static str| {
            let mut headers = HeaderMap::new();
            if !header.is_empty() {
                headers.insert(header, http::HeaderValue::from_static("x"));
            }
            all.find(path, &headers).map(|(upstream, path)| {
                target(upstream, path, None)
                    .expect("an address")
                    .to_string()
            })
        };
        for (path, header, want) in [
            ("/v1/messages", "", "https://api.anthropic.com/v1/messages"),
            (
                "/v1/models",
                "anthropic-version",
                "https://api.anthropic.com/v1/models",
            ),
            ("/v1/models", "", "https://api.openai.com/v1/models"),
            ("/v1/responses", "", "https://api.openai.com/v1/responses"),
            (
                "/v1beta/models/m:generateContent",
                "",
                "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
            ),
            (
                "/v1internal:loadCodeAssist",
                "",
                "https://cloudcode-pa.googleapis.com/v1internal:loadCodeAssist",
            ),
            ("/v2/chat", "", "https://api.cohere.com/v2/chat"),
            (
                "/api/v1/chat/completions",
                "",
                "https://openrouter.ai/api/v1/chat/completions",
            ),
            ("/api/hello", "", "https://api.anthropic.com/api/hello"),
            (
                "/backend-api/codex/responses",
                "",
                "https://chatgpt.com/backend-api/codex/responses",
            ),
            (
                "/mistral/v1/chat/completions",
                "",
                "https://api.mistral.ai/v1/chat/completions",
            ),
            (
                "/xai/v1/chat/completions",
                "",
                "https://api.x.ai/v1/chat/completions",
            ),
        ] {
            assert_eq!(found(path, header).as_deref(), Some(want), "{path}");
        }
        for path in ["/", "/x", "//api.anthropic.com/v1/messages", "/mistral"] {
            assert_eq!(found(path, ""), None, "{path}");
        }
    }

    #[test]
    fn an_upstream_may_have_a_path() {
        let one = Upstreams::fixed("https://gateway/api/anthropic/").expect("an address");
        let (upstream, path) = one.find("//evil/x", &HeaderMap::new()).expect("fixed");
        let made = target(upstream, path, Some("a=%2F")).expect("an address");
        assert_eq!(
            made.to_string(),
            "https://gateway/api/anthropic//evil/x?a=%2F"
        );
        for (upstream, path, want) in [
            ("http://gw/v1", "/v1/messages", "http://gw/v1/messages"),
            ("http://gw/v1/", "/responses", "http://gw/v1/responses"),
            ("http://gw/a", "/v1/messages", "http://gw/a/v1/messages"),
        ] {
            let upstream = parse(upstream).expect("an address");
            let made = target(&upstream, path, None).expect("an address");
            assert_eq!(made.to_string(), want);
        }
        for wrong in [
            "api.anthropic.com",
            "",
            "ftp://x",
            "http://x:port",
            "https://",
        ] {
            assert!(Upstreams::fixed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_may_name_a_session() {
        assert_eq!(session_in("/s/a/v1/messages"), Some(("a", "/v1/messages")));
        assert_eq!(session_in("/s//v1/messages"), None);
        assert_eq!(session_in("/s/a"), None);
        assert_eq!(session_in("/v1/s/a/b"), None);
    }
}
