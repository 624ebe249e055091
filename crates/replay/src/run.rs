//! One policy over one session: what each request would have sent, read from the cache, written to it and cost.

use super::cache::{Cached, Cause, Spent};
use super::context::{Context, Cuts, Form};
use super::fit::Fit;
use super::session::{Call, Session, Step, Why};
use super::sizes::{Sizes, Weight};
use deadhead_core::config::settings::{Mode, Providers, Settings};
use deadhead_core::config::window;
use deadhead_core::estimate::CHARS_PER_TOKEN;
use deadhead_core::gate::is_eligible;
use deadhead_core::prices;
use deadhead_core::transcript::Role;

/// How a policy keeps what it cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing is cut.
    Baseline,
    /// As OpenClaw ran it until September 2026: each request starts from the whole history again, and the clock is that of
    /// the turn.
    Transient,
    /// As this program runs it: what is cut stays cut, and the clock is that of the request.
    Sticky,
}

/// A session with all that is the same for every policy.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The session.
    pub session: &'a Session,
    /// What each message sends.
    pub weights: Vec<Weight>,
    /// Chars to tokens.
    pub fit: Fit,
    /// Whether its prompts are cached for the long lifetime.
    pub long: bool,
    /// What the log shows of the provider's cache, by call, where that is not what the rules say.
    pub observed: Vec<Option<Observed>>,
}

/// What a log shows of a cache that the rules do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// No more than so many tokens were read, for a reason outside the log: another system prompt, a restart, an eviction.
    Lost(u64),
    /// The prompt was kept for longer than its lifetime.
    Kept,
    /// So many tokens, a system prompt that other conversations keep warm, were read although the rest was not there.
    Warm(u64),
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Made {
    /// The call before which it was cut.
    pub call: u32,
    /// Its message.
    pub message: u32,
    /// Its block.
    pub block: u32,
    /// What it became.
    pub form: Form,
    /// Chars before and after, as the estimator counts them.
    pub chars: (u64, u64),
    /// Tokens that went.
    pub tokens: f64,
}

/// The outcome of a policy.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What each call came to.
    pub calls: Vec<Spent>,
    /// What was cut, each result once in each form.
    pub cuts: Vec<Made>,
    /// What stood cut at each call.
    pub standing: Vec<Cuts>,
    /// Calls for which the model has no price.
    pub unpriced: u64,
}

/// Runs a policy.
pub fn run(bench: &Bench<'_>, settings: &Settings, manner: Manner, sizes: &Sizes) -> Outcome {
    let calls = bench.session.calls.len();
    let mut outcome = Outcome { calls: vec![Spent::default(); calls], standing: vec![Cuts::default(); calls], ..Outcome::default() };
    let rates: Vec<(prices::Row, bool)> = bench.session.names.iter().map(|model| prices::row(model, &settings.rates)).collect();
    for steps in &bench.session.lanes {
        lane(bench, settings, manner, (sizes, &rates), steps, &mut outcome);
    }
    outcome.cuts.sort_by_key(|made| (made.call, made.block));
    outcome
}

/// What a lane's gate knows of time.
#[derive(Default)]
struct Clock {
    /// The newest call.
    seen: Option<i64>,
    /// OpenClaw's marker: the end of the newest turn, or a prune in this one.
    touched: Option<i64>,
    ended: Option<i64>,
    new_turn: bool,
}

fn lane(
    bench: &Bench<'_>,
    settings: &Settings,
    manner: Manner,
    (sizes, rates): (&Sizes, &[(prices::Row, bool)]),
    steps: &[Step],
    outcome: &mut Outcome,
) {
    let session = bench.session;
    let mut context = Context::new(&session.transcript, sizes, &bench.weights, bench.fit);
    let mut cached: Option<Cached> = None;
    let (mut standing, mut told, mut clock) = (Cuts::default(), Cuts::default(), Clock::default());
    for step in steps {
        match *step {
            Step::Keep(length, why) => {
                context.keep(length as usize);
                (standing, told) = (context.still(standing), context.still(told));
                if let Some(cached) = &mut cached {
                    let cause = if why == Why::Compaction { Cause::Compaction } else { Cause::Agent };
                    cached.keep(length as usize, &context, cause);
                }
            }
            Step::Push { message, continues } => {
                context.push(message, continues);
                let role = session.transcript.messages[message as usize].role;
                clock.new_turn |= role == Role::User && !session.transcript.is_only_results(message as usize);
            }
            Step::Call(number) => {
                let call = &session.calls[number as usize];
                let cuts = decide(bench, settings, manner, &context, call, standing, &mut clock);
                tell(&context, number, told, cuts, bench.fit, &mut outcome.cuts);
                told = Cuts { trimmed: told.trimmed.max(cuts.trimmed), cleared: told.cleared.max(cuts.cleared) };
                let (row, priced) = &rates[call.model as usize];
                outcome.unpriced += u64::from(!priced);
                let spent = Cached::ask(&mut cached, bench, &context, number, cuts, row);
                outcome.calls[number as usize] = spent;
                outcome.standing[number as usize] = cuts;
                if manner == Manner::Sticky {
                    standing = cuts;
                }
                clock.seen = clock.seen.max(call.seen);
                clock.ended = clock.ended.max(call.end);
            }
        }
    }
}

/// What is cut for a call.
fn decide(
    bench: &Bench<'_>,
    settings: &Settings,
    manner: Manner,
    context: &Context<'_>,
    call: &Call,
    standing: Cuts,
    clock: &mut Clock,
) -> Cuts {
    let session = bench.session;
    let pruning = &settings.context_pruning;
    if clock.new_turn {
        (clock.touched, clock.new_turn) = (clock.ended, false);
    }
    let last = match manner {
        Manner::Baseline => return Cuts::default(),
        Manner::Transient => clock.touched,
        Manner::Sticky => clock.seen,
    };
    let mode = match pruning.mode {
        Mode::Auto if manner == Manner::Sticky && last.is_none() => Mode::Adaptive,
        Mode::Auto => Mode::CacheTtl,
        mode => mode,
    };
    let (model, provider) = (some(session.model(call)), some(session.provider(call)));
    let model = settings.model.as_deref().or(model);
    let provider = settings.provider.as_deref().or(provider);
    let open = match mode {
        Mode::Off => false,
        Mode::Adaptive | Mode::Aggressive | Mode::Auto => true,
        Mode::CacheTtl => {
            let idle = last.zip(call.start).map(|(last, now)| now.saturating_sub(last));
            (pruning.providers == Providers::All || is_eligible(provider, model))
                && pruning.ttl_ms > 0
                && idle.is_some_and(|idle| idle >= 0 && idle.unsigned_abs() >= pruning.ttl_ms)
        }
    };
    if !open {
        return standing;
    }
    let window = window(settings, model, provider).tokens.saturating_mul(CHARS_PER_TOKEN);
    let cuts = context.cut(settings, mode, window, standing);
    if cuts != standing {
        clock.touched = call.start;
    }
    cuts
}

fn some(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

/// Notes what was cut for the first time.
fn tell(context: &Context<'_>, call: u32, told: Cuts, cuts: Cuts, fit: Fit, made: &mut Vec<Made>) {
    let more = Cuts { trimmed: told.trimmed.max(cuts.trimmed), cleared: told.cleared.max(cuts.cleared) };
    for i in context.changed(told, more) {
        let (before, after) = (context.size(i, told), context.size(i, more));
        made.push(Made {
            call,
            message: context.results[i].message,
            block: context.result(i).block,
            form: context.form(i, more),
            chars: (before.chars, after.chars),
            tokens: fit.tokens(before.weight) - fit.tokens(after.weight),
        });
    }
}
