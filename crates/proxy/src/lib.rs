//! The proxy between agents and providers: requests that carry a transcript are pruned on their
//! way, everything else passes byte for byte.
//!
//! A request goes through these steps; each is a module:
//!
//! | step | module |
//! |---|---|
//! | the server, its connections, and its end | `serve`, `client` |
//! | where the request goes: to a fixed address, or to the provider that its path, headers and key name | `upstream` |
//! | what of it is read: the body of a route of [`deadhead_core::request`], up to limits for one and for all together | `forward`, `coming` |
//! | the body that goes out: on a thread for blocking work, within a time | `prune` |
//! | the connection to the provider, as the environment says | `dial` |
//! | the headers of both directions | `headers` |
//! | the answer, passed on as it comes; the provider's counts are read as they pass by | `forward`, `usage` |
//! | what was done, for `/metrics` and the last lines of a run | `counts` |
//!
//! Whatever fails before a request leaves lets it pass unpruned, and is counted by its reason. A
//! later failure is the provider's own, and is passed on: nothing is sent twice, and no answer is
//! invented. Headers are not stored.
//!
//! [`run()`] starts an agent behind a proxy of its own: the folder `agents` says what makes each of
//! them use it.

#![forbid(unsafe_code)]

mod agents;
mod client;
mod coming;
mod counts;
mod dial;
mod forward;
mod headers;
mod prune;
mod run;
mod serve;
mod upstream;
#[cfg(test)]
mod upstream_tests;
mod usage;

pub use agents::Wish;
pub use run::{guard, run};
pub use serve::serve;
pub use upstream::Upstreams;

use counts::Counts;
use deadhead_core::{Pruner, internal::session::Session};
use deadhead_state::Memory;
use dial::Client;
use hyper::header::HeaderName;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// An error of any kind, for a line on stderr.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What may fail, mostly with a [`Failure`].
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// What a proxy does.
pub struct Options {
    /// How bodies are pruned.
    pub pruner: Pruner,
    /// How those of a workload are.
    pub workloads: HashMap<String, Pruner>,
    /// The workload of a request that names none.
    pub workload: Option<String>,
    /// The header that names the workload of a request.
    pub workload_header: Option<HeaderName>,
    /// The header that names the session of a request, before those that are known.
    pub session_header: Option<HeaderName>,
    /// What is known of sessions.
    pub memory: Memory,
    /// Where requests go.
    pub upstreams: Upstreams,
    /// What a client must send as `x-deadhead-token`.
    pub token: Option<String>,
    /// The size in bytes up to which bodies are read.
    pub max_body: usize,
    /// The longest time that a request waits to be pruned.
    pub patience: Duration,
    /// Whether nothing is pruned, until a signal says otherwise.
    pub is_off: bool,
    /// Whether requests are sent unchanged, and the cuts are only counted.
    pub is_shadow: bool,
    /// Whether the memory is older than the process.
    pub is_kept: bool,
    /// What the policy is called.
    pub policy: String,
    /// Prints a line, without waiting for a reader.
    pub note: fn(&str),
}

/// A proxy, which its connections share.
struct Proxy {
    options: Options,
    client: Client,
    counts: Counts,
    is_off: AtomicBool,
    /// Conversations that were cut, as they were after the last request: they are repeated if the
    /// memory fails.
    recent: Mutex<HashMap<String, Session>>,
    /// The keys of conversations by the ids of their answers, and when a request last continued
    /// one.
    answers: Mutex<HashMap<String, String>>,
    called: Mutex<HashMap<String, i64>>,
    /// The conversations in which the server cleared something other than requested.
    closed: Mutex<HashSet<String>>,
    /// A permit for each body that is pruned at one time.
    threads: Arc<Semaphore>,
    /// A permit for each byte that is held of bodies.
    room: Arc<Semaphore>,
}

impl Proxy {
    fn new(options: Options) -> Result<Arc<Proxy>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Arc::new(Proxy {
            is_off: options.is_off.into(),
            // Two of the largest, and any number of others.
            room: Arc::new(Semaphore::new(options.max_body.min(1 << 40) * 2)),
            recent: Mutex::default(),
            answers: Mutex::default(),
            called: Mutex::default(),
            options,
            client: dial::client()?,
            counts: Counts::default(),
            closed: Mutex::default(),
            threads: Arc::new(Semaphore::new(threads)),
        }))
    }

    /// Whether prompts are cut.
    fn cuts(&self) -> bool {
        !self.options.is_shadow && !self.is_off.load(Ordering::Relaxed)
    }

    /// Prints the summary of the run; `none` if no request came.
    fn end(&self, none: &str) {
        match self.counts.last_lines(self.options.is_shadow) {
            Some(lines) => lines.iter().for_each(|line| (self.options.note)(line)),
            None => (self.options.note)(none),
        }
    }
}
