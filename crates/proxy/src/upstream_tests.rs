//! Who receives which request: what SDKs send, rows of the table, and keys of one provider on the
//! paths of another.

use crate::upstream::{Refused, Upstreams, session_in, target};
use hyper::{HeaderMap, header::HeaderName, http::HeaderValue};
use std::fs;

/// What the SDKs of providers send (.ci/sdk-routes): SDK, host, path of the base URL, method and
/// path, headers.
fn sdks() -> Vec<[String; 5]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/proxy/sdks.tsv");
    let text = fs::read_to_string(path).expect("the table is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().expect("five cells")
    })
    .collect()
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| {
            let name: HeaderName = name.parse().expect("a name");
            (name, HeaderValue::from_str(value).expect("a value"))
        })
        .collect()
}

/// Where a request goes: the address with its path, or the kind of refusal.
fn found(path: &str, pairs: &[(&str, &str)]) -> Result<String, &'static str> {
    let all = Upstreams::by_request().expect("the table is read");
    let (path, query) = path
        .split_once('?')
        .map_or((path, None), |(p, q)| (p, Some(q)));
    match all.find(path, query, &headers(pairs)) {
        Ok((upstream, path)) => Ok(target(upstream, path, query)
            .expect("an address")
            .to_string()),
        Err(Refused::Unknown(_)) => Err("unknown"),
        Err(Refused::Misdirected(_)) => Err("misdirected"),
    }
}

/// A key of the form that each provider's keys have.
const KEYS: [(&str, &str); 12] = [
    ("api.anthropic.com", "sk-ant-api03-x"),
    ("api.openai.com", "sk-proj-x"),
    ("generativelanguage.googleapis.com", "AIzaSyx"),
    ("openrouter.ai", "sk-or-v1-x"),
    ("api.githubcopilot.com", "ghu_x"),
    ("api.groq.com", "gsk_x"),
    ("api.x.ai", "xai-x"),
    ("api.cerebras.ai", "csk-x"),
    ("api.perplexity.ai", "pplx-x"),
    ("router.huggingface.co", "hf_x"),
    ("integrate.api.nvidia.com", "nvapi-x"),
    ("api.fireworks.ai", "fw_x"),
];

/// Each SDK, with the address that the documentation gives, reaches its own host. Without its
/// segment it reaches that host or none. With a key of another provider's form it reaches none.
#[test]
fn each_sdk_reaches_its_own_host() {
    let rows = sdks();
    assert!(rows.len() > 40);
    for [sdk, host, base, request, said] in &rows {
        let pairs: Vec<(&str, String)> = said
            .split(' ')
            .map(|pair| pair.split_once('=').expect("a pair"))
            .map(|(name, value)| (name, value.replace('+', " ")))
            .collect();
        let with = |key: &str| {
            let path = request.split_once(' ').expect("a method").1;
            let pairs: Vec<(&str, String)> = pairs
                .iter()
                .map(|(name, value)| (*name, value.replace("KEY", key)))
                .collect();
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (*n, &**v)).collect();
            let bare = found(
                &format!("{}{path}", base.trim_start_matches("/mistral")),
                &pairs,
            );
            let base = base.trim_end_matches('/');
            (found(&format!("{base}{path}"), &pairs), bare)
        };
        let is_host = |address: &str| {
            let rest = address.split_once("://").expect("an address").1;
            rest.split(['/', ':']).next() == Some(&**host)
        };
        let (documented, bare) = with("unknown-form");
        let documented = documented.unwrap_or_else(|why| panic!("{sdk} {request}: {why}"));
        assert!(is_host(&documented), "{sdk} {request}: {documented}");
        assert!(
            bare.as_deref().is_ok_and(is_host),
            "{sdk} {request}: {bare:?}"
        );
        if !said.contains("KEY") {
            continue;
        }
        for (owner, key) in KEYS {
            for answer in <[_; 2]>::from(with(key)) {
                let is_meant = answer.as_deref().is_ok_and(is_host) && owner == host;
                assert!(
                    is_meant || answer == Err("misdirected"),
                    "{sdk} {request} {key}: {answer:?}"
                );
            }
        }
    }
}

/// A key on the paths of the table, with and without segments: only its own provider ever gets it.
#[test]
fn a_key_reaches_its_own_provider_or_nobody() {
    let table = include_str!("upstreams.tsv");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    let mut paths = vec![
        "/v1/agents".to_owned(),
        "/openai/v1/chat/completions".to_owned(),
    ];
    for row in &rows {
        assert_eq!(row.len(), 5, "{row:?}");
        paths.push(format!("{}/v1/chat/completions", row[0]));
        let ends = |path: &str| path.replace('$', "").replace(':', ":generateContent");
        paths.extend(row[2].split(' ').filter(|path| !path.is_empty()).map(ends));
    }
    let google = [
        "generativelanguage.googleapis.com",
        "aiplatform.googleapis.com",
        "cloudcode-pa.googleapis.com",
    ];
    for path in &paths {
        for (owner, key) in KEYS {
            let bearer = format!("Bearer {key}");
            let in_query = format!("{path}?a=b&key={key}");
            for (path, pairs) in [
                (&**path, &[("authorization", &*bearer)][..]),
                (path, &[("x-api-key", key)]),
                (path, &[("x-goog-api-key", key)]),
                (&in_query, &[]),
            ] {
                if let Ok(address) = found(path, pairs) {
                    let host = address.split('/').nth(2).expect("a host");
                    let is_googles = google.contains(&owner) && google.contains(&host);
                    assert!(host == owner || is_googles, "{path} {pairs:?}: {address}");
                }
            }
        }
        // Their providers have an address for each customer.
        for pair in [
            ("api-key", "x"),
            ("authorization", "Bearer ABSKx"),
            ("authorization", "AWS4-HMAC-SHA256 Credential=x"),
        ] {
            assert!(found(path, &[pair]).is_err(), "{path} {pair:?}");
        }
    }
}

/// A path, headers, and where the request goes.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str)],
    Result<&'static str, &'static str>,
);

const ORDER: [Row; 30] = [
    (
        "/v1/messages",
        &[],
        Ok("https://api.anthropic.com/v1/messages"),
    ),
    (
        "/v1/messages/count_tokens",
        &[],
        Ok("https://api.anthropic.com/v1/messages/count_tokens"),
    ),
    ("/v1/messagesX", &[], Err("unknown")),
    (
        "/v1/models",
        &[("anthropic-version", "x")],
        Ok("https://api.anthropic.com/v1/models"),
    ),
    ("/v1/models", &[], Ok("https://api.openai.com/v1/models")),
    (
        "/v1/chat/completions",
        &[("authorization", "Bearer sk-x")],
        Ok("https://api.openai.com/v1/chat/completions"),
    ),
    ("/v1/chat", &[], Ok("https://api.cohere.com/v1/chat")),
    ("/v1/chat/", &[], Ok("https://api.cohere.com/v1/chat/")),
    ("/v1/chat/x", &[], Err("unknown")),
    ("/v1/chat/completionsX", &[], Err("unknown")),
    (
        "/v1/conversations/c/items",
        &[],
        Ok("https://api.openai.com/v1/conversations/c/items"),
    ),
    ("/v1/agents", &[], Err("unknown")),
    ("/v1", &[], Err("unknown")),
    ("/v2/chat", &[], Ok("https://api.cohere.com/v2/chat")),
    ("/v2beta/chat", &[], Err("unknown")),
    (
        "/v1beta/models/m:generateContent",
        &[],
        Ok("https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"),
    ),
    (
        "/v1beta1/publishers/google/models/m:generateContent",
        &[("x-goog-api-key", "AIzax")],
        Ok("https://aiplatform.googleapis.com/v1beta1/publishers/google/models/m:generateContent"),
    ),
    (
        "/v1internal:loadCodeAssist",
        &[],
        Ok("https://cloudcode-pa.googleapis.com/v1internal:loadCodeAssist"),
    ),
    ("/v1internalX", &[], Err("unknown")),
    (
        "/api/v1/chat/completions",
        &[("authorization", "Bearer sk-or-v1-x")],
        Ok("https://openrouter.ai/api/v1/chat/completions"),
    ),
    (
        "/api/v1/chat/completions",
        &[("authorization", "Bearer sk-x")],
        Err("unknown"),
    ),
    (
        "/responses",
        &[("authorization", "Bearer sk-proj-x")],
        Ok("https://api.openai.com/responses"),
    ),
    (
        "/responses",
        &[("authorization", "Bearer sk-x")],
        Err("unknown"),
    ),
    (
        "/responses",
        &[("copilot-integration-id", "x")],
        Ok("https://api.githubcopilot.com/responses"),
    ),
    (
        "/backend-api/codex/responses",
        &[("chatgpt-account-id", "x")],
        Ok("https://chatgpt.com/backend-api/codex/responses"),
    ),
    (
        "/mistral/v1/chat/completions",
        &[("openai-project", "p")],
        Ok("https://api.mistral.ai/v1/chat/completions"),
    ),
    (
        "/mistral/v1/chat/completions",
        &[("authorization", "Bearer gsk_x")],
        Err("misdirected"),
    ),
    (
        "/v1/models",
        &[("x-goog-api-key", "x"), ("anthropic-version", "x")],
        Err("misdirected"),
    ),
    (
        "/v1/messages",
        &[
            ("x-api-key", "sk-ant-x"),
            ("authorization", "Bearer sk-proj-x"),
        ],
        Err("misdirected"),
    ),
    (
        "/v1/models",
        &[("user-agent", "hf_hub/1.0")],
        Ok("https://api.openai.com/v1/models"),
    ),
];

#[test]
fn the_order_is_segment_header_key_path() {
    for (path, pairs, want) in ORDER {
        assert_eq!(
            found(path, pairs),
            want.map(str::to_owned),
            "{path} {pairs:?}"
        );
    }
    for path in [
        "/",
        "/x",
        "//api.anthropic.com/v1/messages",
        "/mistral",
        "/mistralx/v1/models",
    ] {
        assert_eq!(found(path, &[]), Err("unknown"), "{path}");
    }
    let all = Upstreams::by_request().expect("the table is read");
    let told = |path, pairs: &[_]| match all.find(path, None, &headers(pairs)) {
        Err(Refused::Unknown(text) | Refused::Misdirected(text)) => text,
        Ok(found) => panic!("{found:?}"),
    };
    let said = told("/v1/chat/completions", &[("authorization", "Bearer gsk_x")]);
    assert!(said.contains("begin the path with /groq, or "), "{said}");
    let said = told("/x", &[]);
    assert!(said.contains("; /cohere /v1/chat /v2; "), "{said}");
}

#[test]
fn an_upstream_may_have_a_path() {
    let one = Upstreams::fixed("https://gateway/api/anthropic/").expect("an address");
    let found = one.find("//evil/x", None, &headers(&[("x-api-key", "sk-or-x")]));
    let (upstream, path) = found.expect("fixed");
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
        let made = target(&upstream.parse().expect("an address"), path, None).expect("an address");
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

/// Wherever a key of another provider's stands, it goes nowhere.
#[test]
fn a_key_is_found_in_quotes_and_in_any_header() {
    for (name, value) in [
        ("authorization", "Bearer \"sk-ant-x\""),
        ("authorization", "Bearer 'sk-ant-x'"),
        ("authorization", "bearer,sk-ant-x"),
        ("authorization", "Bearer\tsk-ant-x"),
        ("cookie", "a=b; key=sk-ant-x"),
        ("x-auth", "sk-ant-x"),
    ] {
        let pairs = [("authorization", "Bearer x"), (name, value)];
        assert!(
            found("/v1/chat/completions", &pairs).is_err(),
            "{name}: {value}"
        );
    }
    let agent = [("user-agent", "xai-sdk/1"), ("authorization", "Bearer x")];
    let host = found("/v1/chat/completions", &agent).expect("OpenAI's");
    assert_eq!(host, "https://api.openai.com/v1/chat/completions");
}

/// What an unknown program asks goes to the address that it would have asked, unless its key is of
/// another provider's form.
#[test]
fn addresses_by_name_take_no_key_of_others() {
    let rows = [
        ("/openai".to_owned(), "https://api.openai.com".to_owned()),
        ("/own".to_owned(), "https://gateway.example".to_owned()),
    ];
    let some = Upstreams::named(&rows).expect("addresses");
    let with = |path, key| {
        some.find(path, None, &headers(&[("authorization", key)]))
            .is_ok()
    };
    assert!(with("/openai/v1/models", "Bearer sk-x"));
    assert!(!with("/openai/v1/models", "Bearer gsk_x"));
    assert!(with("/own/v1/models", "Bearer gsk_x"));
    assert!(!with("/v1/models", "Bearer sk-x"));
}

#[test]
fn a_path_may_name_a_session() {
    assert_eq!(session_in("/s/a/v1/messages"), Some(("a", "/v1/messages")));
    assert_eq!(session_in("/s//v1/messages"), None);
    assert_eq!(session_in("/s/a"), None);
    assert_eq!(session_in("/v1/s/a/b"), None);
}
