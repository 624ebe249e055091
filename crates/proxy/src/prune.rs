//! The body that is sent for an incoming one: pruned on a thread for blocking work, within a time.
//! If anything fails, it passes unchanged.

use crate::{
    Failure, Proxy, Result,
    counts::{FATES, Fate, Work},
};
use deadhead_core::{
    Error, Pruner, Request,
    internal::{
        engine::{Pruned, Record, Setup},
        json::locate::{member_value, text_member},
        prices,
        session::{Ledger, Session},
    },
    request::{Output, Route},
    settings::Thinking,
    stream::Sessions,
};
use deadhead_state::Memory;
use hyper::body::Bytes;
use std::{
    borrow::Cow,
    io::{self, Read},
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::time::{timeout, timeout_at};

/// The unit of a session's ledger, in dollars.
const MILLIONTHS: f64 = 1e-6;
/// The conversations whose cuts are held beside the memory.
const RECENT: usize = 10_000;
/// The interval in which a late request checks whether its conversation was cut before.
const STEP: Duration = Duration::from_millis(10);

/// A transcript on its way.
pub struct Transcript {
    pub body: Bytes,
    /// The value of `Content-Encoding`.
    pub encoding: String,
    pub route: Route,
    pub session: Option<String>,
    pub workload: Option<String>,
    /// Whether it goes to Anthropic itself.
    pub is_anthropic: bool,
}

/// What goes out for a transcript.
#[derive(Default)]
pub struct Sent {
    /// New bytes, which are not compressed; `None` if it is sent unchanged.
    pub bytes: Option<Vec<u8>>,
    /// The number of these bytes.
    pub length: Option<usize>,
    /// Values of the header `anthropic-beta` that they need.
    pub betas: Vec<&'static str>,
    /// What the server is asked to clear.
    pub cleared: Option<Cleared>,
    /// The key of the conversation.
    pub conversation: Option<String>,
    /// What the client is told.
    pub report: String,
}

/// Results that the server is asked to clear, in a conversation.
#[derive(Clone, Debug)]
pub struct Cleared {
    /// The key of the conversation.
    conversation: String,
    /// Their number.
    uses: u64,
}

/// The state of a request's conversation, as the engine needs it.
struct Conversation<'a> {
    proxy: &'a Proxy,
    memory: &'a Memory,
    session: Option<&'a str>,
    wait: &'a Wait,
    /// Whether the request goes to Anthropic itself.
    is_anthropic: bool,
    /// Whether it asks for a summary.
    summarizes: bool,
    work: Mutex<Work>,
    cleared: Mutex<Option<Cleared>>,
    /// The key of the conversation: that from whose answer the request continues, or its own.
    key: Mutex<Option<String>>,
}

/// The state that the pruning thread and the waiting request share.
#[derive(Default)]
struct Wait {
    /// Whether the request no longer waits. Then nothing may be stored: the sent body has no cuts.
    is_late: AtomicBool,
    /// Whether the conversation is known to have no earlier cuts.
    is_whole: AtomicBool,
}

impl Sessions for Conversation<'_> {
    fn run(&self, record: &Record<'_>, setup: &Setup) -> Result<Pruned, Error> {
        let name = record.conversation(self.session)?;
        let mut key = locked(&self.key);
        if let Some(continued) = &*key {
            locked(&self.proxy.called).insert(continued.clone(), setup.clock.now);
        }
        key.get_or_insert_with(|| name.key.clone());
        drop(key);
        let mut setup = setup.clone();
        setup.sends_headers = self.is_anthropic;
        setup.summarizes = self.summarizes;
        if locked(&self.proxy.closed).contains(&name.key) {
            setup.sends_headers = false;
            let thinking = &mut setup.settings.thinking;
            *thinking = match *thinking {
                Thinking::Server => Thinking::Auto,
                other => other,
            };
        }
        let mut before = Session::default();
        let recent = || locked(&self.proxy.recent);
        let is_whole = |session: &Session| session.decisions.is_empty();
        let mut run = |setup: &Setup, session: Session| {
            // What could not be stored is newer.
            let known = recent().get(&name.key).cloned();
            let known = known.filter(|known| known.last_call > session.last_call);
            before = known.unwrap_or(session);
            // A request that names an answer reads the cache of its conversation.
            let called = locked(&self.proxy.called).get(&name.key).copied();
            before.last_call = before.last_call.max(called);
            self.wait
                .is_whole
                .store(is_whole(&before), Ordering::Relaxed);
            let pruned = record.run_in(before.clone(), setup)?;
            if self.wait.is_late.load(Ordering::Relaxed) {
                return Err(Error::Io(io::ErrorKind::TimedOut.into()));
            }
            Ok(pruned)
        };
        let stored = self.memory.prune(&name, &setup, &mut run);
        let mut pruned = match stored {
            // Each cut text that came back whole would be read again, without the cache.
            Err(error) if recent().contains_key(&name.key) => {
                (self.proxy.options.note)(&format!("what is cut is not stored: {error}"));
                run(&setup, Session::default())?
            }
            stored => stored?,
        };
        *locked(&self.cleared) = pruned.report.server_clears.map(|uses| Cleared {
            conversation: name.key.clone(),
            uses,
        });
        let mut work = locked(&self.work);
        if let Some(learned) = pruned.learned.take() {
            let saved = |ledger: Ledger| ledger.unpruned - ledger.spent;
            work.dollars += (saved(learned.ledger) - saved(before.ledger)) * MILLIONTHS;
            work.unpruned += (learned.ledger.unpruned - before.ledger.unpruned) * MILLIONTHS;
            work.again += learned.again;
            before.add(learned, setup.clock.now);
            let mut recent = recent();
            if recent.len() >= RECENT {
                recent.clear();
            }
            if !is_whole(&before) {
                recent.insert(name.key, before);
            }
        }
        Ok(pruned)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    /// Returns what is sent for a transcript: the incoming body if it cannot be pruned in time. A
    /// conversation that was cut before waits for as long as it takes: without its cuts, the
    /// provider's cache would be useless.
    pub async fn prune(self: &Arc<Proxy>, transcript: Transcript) -> Sent {
        let until = tokio::time::Instant::now() + self.options.patience;
        let wait = Arc::new(Wait::default());
        let (proxy, waits) = (Arc::clone(self), Arc::clone(&wait));
        let mut done = pin!(async {
            let permit = Arc::clone(&self.threads).acquire_owned().await?;
            let pruned = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                proxy.pruned(&transcript, &waits)
            });
            pruned.await.map_err(Failure::from)?
        });
        let mut outcome = timeout_at(until, &mut done).await;
        let may_be_cut = self.options.is_kept || !locked(&self.recent).is_empty();
        while outcome.is_err() && may_be_cut && !wait.is_whole.load(Ordering::Relaxed) {
            outcome = timeout(STEP, &mut done).await;
        }
        match outcome {
            Ok(Ok(sent)) => sent,
            Ok(Err(error)) => self.unpruned(Fate::Failed, &error.to_string()),
            Err(_) => {
                wait.is_late.store(true, Ordering::Relaxed);
                let waited = self.options.patience.as_millis();
                self.unpruned(Fate::Slow, &format!("it takes longer than {waited} ms"))
            }
        }
    }

    /// Notes that a transcript is sent unchanged.
    pub fn unpruned(&self, why: Fate, reason: &str) -> Sent {
        self.counts.passed(why);
        (self.options.note)(&format!("a request is sent unpruned: {reason}"));
        Sent {
            report: "outcome=passed".to_owned(),
            ..Sent::default()
        }
    }

    /// Compares what the server cleared with the request. If they differ, it is not asked again in
    /// this conversation.
    pub fn compare(&self, cleared: Cleared, applied: u64) {
        let Cleared { conversation, uses } = cleared;
        if applied != uses && locked(&self.closed).insert(conversation) {
            (self.options.note)(&format!(
                "the server cleared {applied} results where {uses} were meant: it is not asked again in this session"
            ));
        }
    }

    /// Notes that an answer is one of a conversation, from which requests may continue.
    pub fn answered(&self, id: &str, conversation: String) {
        let mut answers = locked(&self.answers);
        if answers.len() >= RECENT {
            answers.clear();
            locked(&self.called).clear();
        }
        answers.insert(id.to_owned(), conversation);
    }

    /// Returns the conversation from whose answer a body continues.
    fn continued(&self, body: &[u8]) -> Option<String> {
        let thread = member_value(body, 0, "thread");
        let id = thread
            .and_then(|thread| text_member(&body[thread], "previous_message_id"))
            .or_else(|| text_member(body, "previous_response_id"))?;
        locked(&self.answers).get(&id).cloned()
    }

    /// Prunes a transcript on this thread.
    fn pruned(&self, transcript: &Transcript, wait: &Wait) -> Result<Sent> {
        let begun = Instant::now();
        let options = &self.options;
        let plain = plain(&transcript.body, &transcript.encoding, options.max_body)?;
        let (pruner, workload) = self.settings(transcript.workload.as_deref());
        let mut memory = options.memory.clone().of_workload(workload, None);
        let counts = transcript.route.what == "count";
        if counts {
            memory = memory.dry();
        }
        let conversation = Conversation {
            proxy: self,
            memory: &memory,
            session: transcript.session.as_deref(),
            wait,
            is_anthropic: transcript.is_anthropic,
            summarizes: transcript.route.what == "summary",
            work: Mutex::default(),
            cleared: Mutex::default(),
            key: Mutex::new(self.continued(&plain)),
        };
        let request = Request {
            body: &plain,
            model: transcript.route.model.clone(),
            provider: transcript.route.provider.map(str::to_owned),
            window: None,
        };
        let done = request.prune(pruner, Some(&conversation))?;
        if done.reports.is_empty() {
            let passed = done.passed.into_iter().next();
            return Err(match passed {
                Some((_, error)) => error.into(),
                None => "there is no transcript in it".into(),
            });
        }
        let mut work = *locked(&conversation.work);
        work.took = begun.elapsed();
        let sent = self.account(done, work, pruner, counts);
        let is_asked = sent.bytes.is_some() && !counts;
        let cleared = locked(&conversation.cleared).take();
        let key = locked(&conversation.key).take();
        Ok(Sent {
            conversation: key,
            cleared: cleared.filter(|_| is_asked),
            ..sent
        })
    }

    /// Counts what was done.
    fn account(&self, done: Output, mut work: Work, pruner: &Pruner, counts: bool) -> Sent {
        let replay = &pruner.setup().settings.replay;
        let (mut fate, mut cuts, mut betas) = (Fate::Unchanged, 0, Vec::new());
        for report in &done.reports {
            work.bound += u64::from(report.is_bound);
            work.tokens.0 += report.before.tokens;
            work.tokens.1 += report.after.tokens;
            cuts += report.passes.iter().map(|pass| pass.cuts).sum::<u64>();
            betas.extend(&report.betas);
            let model = report.model.as_deref().unwrap_or_default();
            if !prices::row(model, replay).1 {
                fate = Fate::UnknownModel;
            }
        }
        if done.bytes.is_some() {
            fate = Fate::Pruned;
        }
        let bytes = done.bytes.filter(|_| !self.options.is_shadow);
        let shadow = if self.options.is_shadow {
            "shadow-"
        } else {
            ""
        };
        let report = format!(
            "outcome={shadow}{}; tokens-before={}; tokens-after={}; cuts={cuts}; ms={}",
            FATES[fate as usize],
            work.tokens.0,
            work.tokens.1,
            work.took.as_millis()
        );
        if counts {
            // A request to count tokens is not answered by a model.
            work.tokens = (0, 0);
        }
        self.counts.looked_at(fate, &work);
        Sent {
            length: bytes.as_ref().map(Vec::len),
            bytes,
            betas,
            report,
            ..Sent::default()
        }
    }

    /// The settings for a workload, and its name. One that the configuration does not have gets
    /// those of the proxy, with a note.
    fn settings(&self, named: Option<&str>) -> (&Pruner, Option<String>) {
        let options = &self.options;
        if let Some(name) = named {
            if let Some(pruner) = options.workloads.get(name) {
                return (pruner, Some(name.to_owned()));
            }
            (options.note)(&format!(
                "unknown workload {name:?}: the proxy's own settings are used"
            ));
        }
        (&options.pruner, options.workload.clone())
    }
}

/// A body without its compression.
fn plain<'b>(body: &'b [u8], encoding: &str, most: usize) -> Result<Cow<'b, [u8]>> {
    let decoder: Box<dyn Read + '_> = match encoding {
        "gzip" | "x-gzip" => Box::new(flate2::read::MultiGzDecoder::new(body)),
        "zstd" => Box::new(zstd::stream::read::Decoder::with_buffer(body)?),
        _ => return Ok(Cow::Borrowed(body)),
    };
    let mut bytes = Vec::new();
    decoder.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err("without its compression it is over the limit".into());
    }
    Ok(Cow::Owned(bytes))
}

/// Whether a body in this encoding can be read.
pub fn is_readable(encoding: &str) -> bool {
    matches!(encoding, "" | "identity" | "gzip" | "x-gzip" | "zstd")
}
