//! One policy over one session: what each request would have sent, read from the cache, written to it and cost.

use super::cache::{Cached, Spent};
use super::context::{Context, Cuts, Form};
use super::simulation::{Manner, Simulation};
use super::sizes::Sizes;
use super::steps::{Call, Step};
use super::tokens::Tokens;
use deadhead_core::config::settings::{Mode, Providers, Settings};
use deadhead_core::config::window;
use deadhead_core::dialect::is_cached_by_ttl;
use deadhead_core::estimate::CHARS_PER_TOKEN;
use deadhead_core::prices;
use deadhead_core::transcript::Role;

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
pub fn run(simulation: &Simulation<'_>, settings: &Settings, manner: Manner, sizes: &Sizes) -> Outcome {
    let calls = simulation.session.calls.len();
    let mut outcome = Outcome { calls: vec![Spent::default(); calls], standing: vec![Cuts::default(); calls], ..Outcome::default() };
    let rates: Vec<(prices::Row, bool)> = simulation.session.names.iter().map(|model| prices::row(model, &settings.replay.rates)).collect();
    for steps in &simulation.session.lanes {
        lane(simulation, settings, manner, (sizes, &rates), steps, &mut outcome);
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
    simulation: &Simulation<'_>,
    settings: &Settings,
    manner: Manner,
    (sizes, rates): (&Sizes, &[(prices::Row, bool)]),
    steps: &[Step],
    outcome: &mut Outcome,
) {
    let session = simulation.session;
    let mut context = Context::new(&session.transcript, sizes);
    let mut cached = Cached::new();
    let (mut standing, mut sent, mut told, mut clock) = (Cuts::default(), Cuts::default(), Cuts::default(), Clock::default());
    for step in steps {
        match *step {
            Step::Keep(length, _) => {
                context.keep(length as usize);
                [&mut standing, &mut sent, &mut told].into_iter().for_each(|cuts| *cuts = context.still(*cuts));
                cached.keep(length as usize);
            }
            Step::Push { message, continues } => {
                context.push(message, continues);
                cached.push(simulation.tokens.messages[message as usize].total);
                let role = session.transcript.messages[message as usize].role;
                clock.new_turn |= role == Role::User && !session.transcript.is_only_results(message as usize);
            }
            Step::Call(number) => {
                let call = &session.calls[number as usize];
                let cuts = decide(simulation, settings, manner, &context, call, standing, &mut clock);
                tell(&context, number, told, cuts, &simulation.tokens, &mut outcome.cuts);
                told = Cuts { trimmed: told.trimmed.max(cuts.trimmed), cleared: told.cleared.max(cuts.cleared) };
                for i in context.changed(sent, cuts) {
                    let (before, after) = (context.size(i, sent).weight, context.size(i, cuts).weight);
                    let message = &simulation.tokens.messages[context.results[i].message as usize];
                    cached.cut(context.results[i].position as usize, message.of(before) - message.of(after));
                }
                sent = cuts;
                let (row, priced) = &rates[call.model as usize];
                outcome.unpriced += u64::from(!priced);
                let (recorded, prompt) = (&simulation.recorded[number as usize], &simulation.tokens.prompts[number as usize]);
                outcome.calls[number as usize] = cached.ask(call, recorded, prompt, row);
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
    simulation: &Simulation<'_>,
    settings: &Settings,
    manner: Manner,
    context: &Context<'_>,
    call: &Call,
    standing: Cuts,
    clock: &mut Clock,
) -> Cuts {
    let session = simulation.session;
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
            (pruning.providers == Providers::All || is_cached_by_ttl(provider, model))
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
fn tell(context: &Context<'_>, call: u32, told: Cuts, cuts: Cuts, tokens: &Tokens, made: &mut Vec<Made>) {
    let more = Cuts { trimmed: told.trimmed.max(cuts.trimmed), cleared: told.cleared.max(cuts.cleared) };
    for i in context.changed(told, more) {
        let (before, after) = (context.size(i, told), context.size(i, more));
        let message = &tokens.messages[context.results[i].message as usize];
        made.push(Made {
            call,
            message: context.results[i].message,
            block: context.result(i).block,
            form: context.form(i, more),
            chars: (before.chars, after.chars),
            tokens: message.of(before.weight) - message.of(after.weight),
        });
    }
}
