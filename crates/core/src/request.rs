//! A request to a provider, as a proxy, a hook or a plugin sees it: which routes carry a
//! transcript, what their paths and headers say, and what goes out instead of a body.
//!
//! The routes are routes.tsv, each with its source. A path is compared from its end, so that it may
//! follow a gateway's own path.

use crate::{
    Error, Result,
    engine::{Pruned, Record, Setup},
    input::Source,
    outcome::Report,
    pruner::Pruner,
    stream::{Event, Note, Sessions},
    tables::table_file,
};
use std::{borrow::Cow, sync::LazyLock};

/// A request whose body is a transcript.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// The body, as it is without compression.
    pub body: &'a [u8],
    /// The model, where the body need not name it.
    pub model: Option<String>,
    /// The provider that runs it, if that is known.
    pub provider: Option<String>,
    /// The size of its context window in tokens, if the caller knows it.
    pub window: Option<u64>,
}

/// The values that the path of a request states.
#[derive(Debug, PartialEq, Eq)]
pub struct Route {
    /// The model that it names.
    pub model: Option<String>,
    /// The provider, if the path is more exact than the body.
    pub provider: Option<&'static str>,
    /// What is done with the transcript: `answer`, `count` (the provider caches nothing) or
    /// `summary`, for which the context is to be whole.
    pub what: &'static str,
}

/// What goes out for an input.
#[derive(Debug, Default)]
pub struct Output {
    /// New bytes; `None` if the input is sent unchanged.
    pub bytes: Option<Vec<u8>>,
    /// A report for each body, or for the log.
    pub reports: Vec<Report>,
    /// Lines, or requests of a batch, that were sent unchanged.
    pub passed: Vec<(u64, Error)>,
}

/// The routes: the end of a path, what is done with the transcript, and the provider.
static ROUTES: LazyLock<Vec<[&str; 4]>> = LazyLock::new(|| table_file!("routes.tsv", 4, Ok));

/// The segment, or its beginning, that is a model's id.
const MODEL: &str = "{model}";

/// Headers that bind a request to its bytes.
const SEALS: [&str; 5] = [
    "content-md5",
    "content-digest",
    "digest",
    "signature",
    "x-amz-content-sha256",
];

/// Headers that name a session, the surest first: those of Claude Code, Codex, OpenCode and Copilot
/// CLI.
const SESSIONS: [&str; 5] = [
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "x-session-id",
    "x-client-session-id",
];

impl Route {
    /// Returns the route of a request that carries a transcript; none of any other.
    pub fn of(method: &str, path: &str) -> Option<Route> {
        let path = path.trim_end_matches('/');
        let fits = |&[route, what, provider, _]: &[&'static str; 4]| {
            let mut model = None;
            let mut segments = path.rsplit('/');
            let mut end = route.strip_prefix('/')?.rsplit('/');
            let all = end.all(|wanted| {
                let found = segments.next().unwrap_or_default();
                match wanted.strip_prefix(MODEL) {
                    Some(end) => {
                        model = found.strip_suffix(end).filter(|model| !model.is_empty());
                        model.is_some()
                    }
                    None => found == wanted,
                }
            });
            // The first segment follows a slash.
            (all && segments.next().is_some()).then(|| Route {
                model: model.map(plain),
                what,
                provider: Some(provider).filter(|name| !name.is_empty()),
            })
        };
        ROUTES.iter().filter(|_| method == "POST").find_map(fits)
    }
}

/// Returns a model's id without the escapes of a path.
fn plain(id: &str) -> String {
    let escapes = [("%3A", ":"), ("%3a", ":"), ("%2F", "/"), ("%2f", "/")];
    escapes
        .iter()
        .fold(id.to_owned(), |id, (from, to)| id.replace(from, to))
}

/// Whether a request is signed, so that its body may not be changed. `header` returns the value of
/// a header, whose name is in lower case.
pub fn is_sealed<'h>(header: impl Fn(&str) -> Option<&'h str>) -> bool {
    header("authorization").is_some_and(|value| value.starts_with("AWS4-"))
        || SEALS.iter().any(|name| header(name).is_some())
}

/// The session that the headers of a request name.
pub fn session<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<&'h str> {
    let named = |name: &&str| header(name).map(str::trim).filter(|id| !id.is_empty());
    SESSIONS.iter().find_map(named)
}

impl Request<'_> {
    /// Returns what is sent for the body. Settings of model, provider and window take precedence.
    ///
    /// # Errors
    /// The body is not understood, or the result would be broken.
    pub fn prune(&self, pruner: &Pruner, sessions: Option<&dyn Sessions>) -> Result<Output> {
        let engine = pruner.with(|setup| {
            let settings = &mut setup.settings;
            settings.model = settings.model.take().or_else(|| self.model.clone());
            settings.provider = settings.provider.take().or_else(|| self.provider.clone());
            settings.context_window = settings.context_window.or(self.window);
        });
        engine.bytes(sessions, self.body)
    }
}

impl Pruner {
    /// Performs the task on an input in memory: one body, several, or a log.
    ///
    /// # Errors
    /// Those of the command for this input.
    #[doc(hidden)]
    pub fn bytes(&self, sessions: Option<&dyn Sessions>, input: &[u8]) -> Result<Output> {
        let run = |record: &Record<'_>, setup: &Setup| -> Result<Pruned> {
            sessions.map_or_else(|| record.run(setup), |sessions| sessions.run(record, setup))
        };
        // An input that fails is read in the other way too, so that its error is the command's.
        if let Ok(Some(outcome)) = self.body(input, run) {
            let bytes = match outcome.bytes {
                Cow::Borrowed(_) => None,
                Cow::Owned(new) => Some(new),
            };
            return Ok(Output {
                bytes,
                reports: vec![outcome.report],
                passed: Vec::new(),
            });
        }
        let mut done = self.source(sessions, Source::Memory(input.to_vec()))?;
        done.bytes = done.bytes.filter(|new| new != input);
        Ok(done)
    }

    /// Returns what is sent for a source.
    ///
    /// # Errors
    /// Those of the command for this input.
    #[doc(hidden)]
    pub fn source(&self, sessions: Option<&dyn Sessions>, source: Source) -> Result<Output> {
        let (mut out, mut done) = (Vec::new(), Output::default());
        let mut stream = self.stream(source).sessions(sessions).threads(0);
        while let Some(event) = stream.next()? {
            event.write(&mut out)?;
            match event {
                Event::Grown => {
                    out.clear();
                    stream.again()?;
                }
                Event::Note(Note::Report(report, _)) => done.reports.push(*report),
                Event::Note(Note::Passed(place, error)) => done.passed.push((place, error)),
                _ => {}
            }
        }
        done.bytes = Some(out);
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each documented route, with what gateways put around it.
    #[test]
    fn routes() {
        let route = |path: &str| Route::of("POST", path);
        for path in [
            "/v1/messages",
            "/v1/messages/",
            "/s/a/v1/messages",
            "/api/anthropic/v1/messages",
            "/v1/messages/batches",
            "/v1/chat/completions",
            "/openai/deployments/prod/chat/completions",
            "/v1/responses",
            "/responses",
            "/backend-api/codex/responses",
            "/v2/chat",
            "/v1internal:streamGenerateContent",
            "/api/chat",
        ] {
            let found = route(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(
                (found.model, found.provider, found.what),
                (None, None, "answer"),
                "{path}"
            );
        }
        for (path, model) in [
            (
                "/v1beta/models/gemini-2.5-pro:generateContent",
                "gemini-2.5-pro",
            ),
            (
                "/v1beta1/publishers/google/models/gemini-3-pro:streamGenerateContent",
                "gemini-3-pro",
            ),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-5@20251101:streamRawPredict",
                "claude-opus-4-5@20251101",
            ),
            (
                "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke",
                "us.anthropic.claude-haiku-4-5-20251001-v1:0",
            ),
            (
                "/model/arn%3aaws%3Abedrock%2fx/converse-stream",
                "arn:aws:bedrock/x",
            ),
        ] {
            assert_eq!(
                route(path).and_then(|route| route.model).as_deref(),
                Some(model),
                "{path}"
            );
        }
        assert_eq!(
            route("/api/v1/chat/completions").and_then(|route| route.provider),
            Some("openrouter")
        );
        for (path, what) in [
            ("/v1/messages/count_tokens", "count"),
            ("/v1beta/models/m:countTokens", "count"),
            ("/v1/responses/compact", "summary"),
        ] {
            assert_eq!(route(path).map(|route| route.what), Some(what), "{path}");
        }
        for path in [
            "",
            "/",
            "messages",
            "/v1/xmessages",
            "/v1/messages/msg_1",
            "/v1/models",
            "/v1/files",
            "/:generateContent",
            "/v1/embeddings",
            "/v1/responses/resp_1/cancel",
            "/model//invoke",
            "/chat",
        ] {
            assert_eq!(route(path), None, "{path}");
        }
        assert_eq!(Route::of("GET", "/v1/messages"), None);
        assert!(ROUTES.iter().all(|[route, ..]| route.starts_with('/')));
    }
}
