//! Where requests go: to one address that is fixed, or to that of the table (upstreams.tsv) which
//! the request names. The host that a client names in its target or its headers is not looked at.
//!
//! A request carries a secret of its client's, so it goes only to a provider that the client meant.
//! Without a fixed address these say which, in this order: the first segment of the path; a header
//! that only the clients of one provider send; the form of a key; the path, in whole segments. A
//! key in another provider's form is not sent: the client is told which segment names that
//! provider.

use deadhead_core::internal::tables::table;
use hyper::{HeaderMap, Uri, http};

/// The addresses of the built-in table.
const TABLE: &str = include_str!("upstreams.tsv");

/// Beginnings of keys whose providers have an address for each customer: Amazon, Databricks,
/// Together, Replicate. Azure's are known by their header.
const OTHERS: [&str; 7] = [
    AZURE,
    "ABSK",
    "bedrock-api-key-",
    "AWS4-HMAC-SHA256",
    "dapi",
    "tgp_v1_",
    "r8_",
];
const AZURE: &str = "api-key";

/// A provider that is known.
#[derive(Debug)]
struct Known {
    /// The first segment of a path that names it, with its slash; empty where all requests go to
    /// it.
    segment: String,
    address: Uri,
    paths: Vec<&'static str>,
    headers: Vec<&'static str>,
    /// Beginnings of its keys.
    keys: Vec<&'static str>,
}

impl Known {
    fn new(segment: &str, address: &str) -> Result<Known, String> {
        Ok(Known {
            segment: segment.to_owned(),
            address: parse(address)?,
            paths: Vec::new(),
            headers: Vec::new(),
            keys: Vec::new(),
        })
    }

    /// The length of the longest of its paths that this one is, or is below.
    fn reach(&self, path: &str) -> Option<usize> {
        let is_at = |row: &&&str| match row.strip_suffix('$') {
            Some(only) => path == only || path.strip_suffix('/') == Some(only),
            None => path
                .strip_prefix(**row)
                .is_some_and(|rest| row.ends_with(':') || rest.is_empty() || rest.starts_with('/')),
        };
        self.paths.iter().filter(is_at).map(|row| row.len()).max()
    }

    /// Whether a header says that the client is one of its own.
    fn is_named_by(&self, headers: &HeaderMap) -> bool {
        self.headers.iter().any(|row| match row.split_once('=') {
            None => headers.contains_key(*row),
            Some((name, start)) => headers
                .get(name)
                .is_some_and(|value| value.as_bytes().starts_with(start.as_bytes())),
        })
    }

    /// Whether it may have keys of these forms.
    fn takes(&self, forms: &[&str]) -> bool {
        forms.iter().all(|form| self.keys.contains(form))
    }
}

/// Why a request goes nowhere.
#[derive(Debug, PartialEq)]
pub(crate) enum Refused {
    /// No provider is known for it.
    Unknown(String),
    /// It names several, or carries a key of another one.
    Misdirected(String),
}

/// Where requests go.
#[derive(Debug)]
pub struct Upstreams {
    /// The providers that the first segment of a path names.
    named: Vec<Known>,
    /// The providers whose keys are known; none if the user names the address of all requests.
    known: Vec<Known>,
    /// Whether the rest of a request says where it goes, if the segment does not.
    is_open: bool,
}

impl Upstreams {
    /// All requests go to one address, which may have a path.
    ///
    /// # Errors
    /// It is no address.
    pub fn fixed(address: &str) -> Result<Upstreams, String> {
        Ok(Upstreams {
            named: vec![Known::new("", address)?],
            known: Vec::new(),
            is_open: false,
        })
    }

    /// Each request goes to the provider that it names.
    ///
    /// # Errors
    /// A row of the table is no address.
    pub fn by_request() -> Result<Upstreams, String> {
        Ok(Upstreams {
            named: providers()?,
            known: providers()?,
            is_open: true,
        })
    }

    /// Each request goes to the address whose segment its path begins with.
    ///
    /// # Errors
    /// One is no address.
    pub(crate) fn named(addresses: &[(String, String)]) -> Result<Upstreams, String> {
        let named = addresses
            .iter()
            .map(|(segment, address)| Known::new(segment, address));
        Ok(Upstreams {
            named: named.collect::<Result<_, _>>()?,
            known: providers()?,
            is_open: false,
        })
    }

    /// Returns the address for a request, and the path there.
    ///
    /// # Errors
    /// No provider is known for it, or it carries a key of another one.
    pub(crate) fn find<'p>(
        &self,
        path: &'p str,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<(&Uri, &'p str), Refused> {
        let forms = self.forms(query, headers);
        let by_name = self.named.iter().find_map(|known| {
            let rest = path.strip_prefix(&*known.segment)?;
            let is_whole = known.segment.is_empty() || rest.starts_with('/');
            is_whole.then_some((&known.address, rest))
        });
        if let Some((address, rest)) = by_name {
            let mut same = self.known.iter().filter(|known| known.address == *address);
            return match same.next() {
                Some(known) if !known.takes(&forms) => Err(self.misdirected(&forms, &[])),
                _ => Ok((address, rest)),
            };
        }
        if !self.is_open {
            return Err(self.unknown());
        }
        let known = || self.known.iter();
        let reached = known().filter_map(|known| Some((known.reach(path)?, known)));
        let at_path = reached.max_by_key(|(length, _)| *length);
        let theirs: Vec<&Known> = known().filter(|known| known.is_named_by(headers)).collect();
        let is_theirs = |at: &&Known| theirs.iter().any(|known| known.segment == at.segment);
        let found = match (at_path.map(|(_, known)| known), &theirs[..]) {
            (Some(at), []) => at,
            (Some(at), _) if is_theirs(&at) => at,
            (_, [first, ..]) => first,
            (None, []) if forms.is_empty() => return Err(self.unknown()),
            (None, []) => known()
                .find(|known| known.takes(&forms))
                .ok_or_else(|| self.misdirected(&forms, &[]))?,
        };
        // The addresses of one company have the same keys.
        if !found.takes(&forms) || theirs.iter().any(|other| other.keys != found.keys) {
            return Err(self.misdirected(&forms, &theirs));
        }
        Ok((&found.address, path))
    }

    /// The forms of the keys that a request carries, of those that are known.
    fn forms(&self, query: Option<&str>, headers: &HeaderMap) -> Vec<&'static str> {
        // A key may stand in any header, in quotes too; names of clients begin like keys.
        let texts = headers
            .iter()
            .filter(|(name, _)| *name != "user-agent")
            .map(|(_, value)| value.to_str().unwrap_or_default());
        let between = [' ', '\t', ',', ';', '=', '&', '"', '\''];
        let words = texts.chain(query).flat_map(|text| text.split(between));
        let rows = self.known.iter().flat_map(|known| &known.keys);
        let all: Vec<&'static str> = match self.known[..] {
            [] => Vec::new(),
            _ => rows.chain(&OTHERS).copied().collect(),
        };
        let form = |text: &str| all.iter().find(|form| text.starts_with(**form)).copied();
        let is_azures = headers.contains_key(AZURE) && !all.is_empty();
        let azures = is_azures.then_some(AZURE);
        words.filter_map(form).chain(azures).collect()
    }

    fn unknown(&self) -> Refused {
        let row = |known: &Known| format!("{} {}", known.segment, known.paths.join(" "));
        let rows: Vec<String> = self.named.iter().map(row).collect();
        let rows = rows.join("; ").replace('$', "");
        Refused::Unknown(format!(
            "no provider is known for this path; begin it with the name of one, or start deadhead with --upstream URL. \
             Names, and paths that need none: {rows}"
        ))
    }

    /// For keys of these forms, and headers of the clients of `theirs`.
    fn misdirected(&self, forms: &[&str], theirs: &[&Known]) -> Refused {
        let owner = |form: &&str| self.known.iter().find(|known| known.keys.contains(form));
        let owners = forms.iter().filter_map(owner).chain(theirs.iter().copied());
        let mut names: Vec<&str> = owners.map(|known| &*known.segment).collect();
        names.dedup();
        let begin = match names[..] {
            [] => String::new(),
            _ => format!("begin the path with {}, or ", names.join(" or ")),
        };
        Refused::Misdirected(format!(
            "its key or a header is not of the provider whose path this is; {begin}start deadhead with --upstream URL"
        ))
    }
}

/// The providers of the table.
fn providers() -> Result<Vec<Known>, String> {
    table(
        "upstreams.tsv",
        TABLE,
        5,
        |[segment, address, cells @ ..]: [&'static str; 5]| {
            let [paths, headers, keys] = cells.map(|cell| cell.split_whitespace().collect());
            Ok(Known {
                paths,
                headers,
                keys,
                ..Known::new(segment, address)?
            })
        },
    )
}

/// Reads an address, which may have a path.
pub fn parse(address: &str) -> Result<Uri, String> {
    let found = address.parse::<Uri>().ok().filter(|uri| {
        let host = uri.host().filter(|host| !host.is_empty());
        let port = uri
            .port_u16()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        // Neither a login nor a port that is not a number.
        let plain = host.map(|host| format!("{host}{port}"));
        matches!(uri.scheme_str(), Some("http" | "https"))
            && plain.as_deref() == uri.authority().map(|authority| authority.as_str())
            && uri.query().is_none()
    });
    found.ok_or_else(|| {
        // These may hold a secret.
        let shown = match address.contains(['@', '?']) {
            true => "one with a login or a query".to_owned(),
            false => format!("{address:?}"),
        };
        format!("the upstream must be an address such as https://api.anthropic.com, without a login, not {shown}")
    })
}

/// The address of a request: the path behind that of the upstream, as the client spells it. Both
/// may have the version of the API.
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
