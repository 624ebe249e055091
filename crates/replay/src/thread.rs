//! A conversation during a simulation: the growing context, and the cuts of its requests.
//!
//! The engine itself decides the cuts before a request, on the messages of the log up to there.

mod new_cuts;

use super::{
    cache::CallCost,
    context::Context,
    new_cut::{Form, NewCut},
    simulation::{Retention, Simulation},
    steps::{Branched, Call},
};
use deadhead_core::{
    Error, Result,
    internal::{
        cache_policy::{self, CachePolicy, Clock, LastCall, provider_and_model},
        cache_state::CacheState,
        dialect::{is_cached_by_ttl, usage::Usage},
        edit::{Action, AnswerCache, Cut, Cuts, REMEMBERED, View},
        engine::{self, KnownRequests, Setup},
        message_tokens::{CountedRequest, Weight},
        prices::{self, Row},
        recorded::is_shortened,
        report::Detail,
        session::Ledger,
        transcript::{BlockKind, Role, Transcript},
    },
    settings::{Mode, Settings, Thinking, window},
};
use deadhead_retrieval::passes;
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// A conversation under a policy.
pub struct Thread<'a> {
    simulation: &'a Simulation<'a>,
    retention: Retention,
    setup: Setup,
    /// Cached answers about the texts.
    answers: AnswerCache,
    /// Whether a pass runs independently of the clock.
    has_unclocked: bool,
    /// The context of each branch.
    pub branch: Branched<Context<'a>>,
    /// The cuts by message of the session, with blocks counted from its first one: a message that comes into the context again is cut
    /// again.
    remembered: HashMap<u32, Vec<Cut>>,
    /// The texts that cuts leave.
    notes: Vec<String>,
    long: Option<bool>,
    /// Whether this request may have a cache mark of this program.
    marks: bool,
    /// The warning about a ttl that differs from the lifetime of the cache, if there is one.
    pub ttl_warning: Option<String>,
    /// The cost of the requests so far, as `prune` records it, if the policy has a budget.
    ledger: Option<Ledger>,
    /// For each block of the session that was cut, its form and the tokens that this saves.
    forms: HashMap<u32, (Form, f64)>,
    clock: ClockTimes,
}

/// The times that a policy's clock uses.
#[derive(Default)]
struct ClockTimes {
    /// The newest call.
    seen: Option<i64>,
    /// OpenClaw's marker: the end of the newest turn, or a prune in this turn.
    touched: Option<i64>,
    ended: Option<i64>,
    new_turn: bool,
}

impl<'a> Thread<'a> {
    /// Creates a conversation.
    pub fn new(
        simulation: &'a Simulation<'a>,
        counted: &'a Transcript,
        settings: &Settings,
        retention: Retention,
    ) -> Thread<'a> {
        let mut settings = settings.clone();
        if retention == Retention::Transient && settings.context_pruning.mode == Mode::Auto {
            settings.context_pruning.mode = Mode::CacheTtl;
        }
        let notes = settings.notes();
        let estimator = settings.context_pruning.estimator;
        let context = Context::new(counted, &simulation.tokens.messages, estimator);
        let ledger = engine::keeps_ledger(&settings).then(Ledger::default);
        Thread {
            simulation,
            retention,
            has_unclocked: passes()
                .iter()
                .any(|pass| !pass.clocked && pass.is_on(&settings)),
            setup: Setup {
                passes: passes(),
                sends_headers: true,
                ..Setup::new(
                    settings,
                    Clock {
                        now: 0,
                        last_call: None,
                        assume_cold: false,
                    },
                    Detail::Full,
                )
            },
            answers: AnswerCache::default(),
            branch: Branched::new(context),
            remembered: HashMap::new(),
            notes,
            long: None,
            marks: false,
            ttl_warning: None,
            ledger,
            forms: HashMap::new(),
            clock: ClockTimes::default(),
        }
    }

    /// Replaces the first message, a summary, by another.
    pub fn summarize(&mut self, message: u32) {
        if self.branch.replace_first(message) {
            return;
        }
        let context = &*self.branch;
        let continues = context
            .transcript
            .messages
            .iter()
            .map(|message| message.continues);
        let rest: Vec<(u32, bool)> = context
            .messages
            .iter()
            .copied()
            .zip(continues)
            .skip(1)
            .collect();
        self.branch.truncate(0);
        self.push(message, false);
        for (message, continues) in rest {
            self.push(message, continues);
        }
    }

    /// Appends a message.
    pub fn push(&mut self, message: u32, continues: bool) {
        self.branch.push(message, continues);
        self.count_again(message);
        self.cut_again(message);
        let (all, i) = (self.branch.counted, message as usize);
        self.clock.new_turn |= all.messages[i].role == Role::User && !all.is_only_results(i);
    }

    /// Sends request `number`. New cuts are added to `new`.
    ///
    /// # Errors
    /// The text of a part cannot be read.
    pub fn call(
        &mut self,
        number: u32,
        row: &Row,
        new: &mut Vec<NewCut>,
        seen: &mut dyn FnMut(u32, &View<'_>),
    ) -> Result<CallCost> {
        let simulation = self.simulation;
        let call = &simulation.session.calls[number as usize];
        if let Some(cuts) = self.decide(number, call, seen)? {
            let changed = cuts.changed();
            self.send(&changed);
            self.note(number, &changed, new);
            if self.retention == Retention::Sticky {
                self.remember(&changed);
                self.branch.kept = cuts.remembered();
            }
        }
        self.clock.seen = self.clock.seen.max(call.seen);
        self.clock.ended = self.clock.ended.max(call.end);
        let recorded = &simulation.recorded[number as usize];
        let prompt = &simulation.tokens.prompts[number as usize];
        if let Some(usage) = call.counted() {
            self.count(request(call, usage, self.branch.messages.len()));
            let has_lifetime = simulation.session.format.calls.has_lifetime;
            self.long = self
                .branch
                .counted_tokens
                .is_cached_long()
                .filter(|_| has_lifetime);
        }
        let marks = std::mem::take(&mut self.marks);
        let context = &mut *self.branch;
        context.read = context.messages.len();
        let changes = simulation.tokens.left_out.get(&number);
        for &(position, tokens) in changes.into_iter().flatten() {
            context.cached.weigh(position, tokens);
        }
        Ok(context.cached.ask(call, recorded, prompt, row, marks))
    }

    /// Returns the cuts of the context before a call; `None` if they are those of the previous prompt.
    fn decide(
        &mut self,
        number: u32,
        call: &Call,
        seen: &mut dyn FnMut(u32, &View<'_>),
    ) -> Result<Option<Cuts>> {
        if self.clock.new_turn {
            (self.clock.touched, self.clock.new_turn) = (self.clock.ended, false);
        }
        let last = match self.retention {
            Retention::Baseline => return Ok(None),
            Retention::Transient => self.clock.touched,
            Retention::Sticky => self.clock.seen,
        };
        let session = self.simulation.session;
        let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let context = &mut *self.branch;
        (context.transcript.model, context.transcript.provider_name) =
            (some(session.model(call)), some(session.provider(call)));
        let tokens = context.counted_tokens.of(&context.transcript);
        self.setup.clock.now = call.start.or(last).unwrap_or(0);
        self.setup.clock.last_call = last.map(LastCall::At);
        let settings = &self.setup.settings;
        let (provider, model) = provider_and_model(&self.branch.transcript, settings);
        let now = Some(self.setup.clock.now);
        let (row, _) = prices::row_at(model.unwrap_or_default(), now, &settings.replay);
        let lifetime = self.long.map(|is_long| row.lifetime_ms(is_long));
        let policy = cache_policy::decide(
            &self.branch.transcript,
            settings,
            &self.setup.clock,
            lifetime,
            deadhead_core::naming::plain,
        );
        if self.ttl_warning.is_none() {
            self.ttl_warning = cache_policy::ttl_disagrees(settings, &policy.decision, lifetime);
        }
        let is_open = policy.open && policy.mode != Mode::Off;
        if !self.has_unclocked && !is_open && self.ledger.is_none() {
            return Ok((self.retention == Retention::Transient).then(Cuts::default));
        }
        let size = window(settings, model, provider, session.transcript.window).tokens;
        let spare = (settings.thinking == Thinking::Refuse).then(|| self.branch.kept.clone());
        let kept = std::mem::take(&mut self.branch.kept);
        let context = &*self.branch;
        let bytes: &[u8] = &session.bytes;
        let mut view = View::of_size(
            &context.transcript,
            &bytes,
            settings,
            size,
            context.chars.all(),
        );
        view.answers = Some(&self.answers);
        view.reaches = Some(&context.reaches);
        view.sums = Some(context.sums());
        view.size = context
            .counted_tokens
            .context(&context.chars)
            .unwrap_or(view.size);
        view.resume(kept);
        if engine::asks_cache(&context.transcript, &policy, &self.setup) {
            view.cache = Some(self.known_cache(&row, &policy, tokens)?);
        }
        let view = match engine::cut(view, policy, &self.setup) {
            // The request is sent unchanged.
            Err(Error::Bound { .. }) => {
                self.branch.kept = spare.unwrap_or_default();
                return Ok((self.retention == Retention::Transient).then(Cuts::default));
            }
            other => other?,
        };
        if let Some(ledger) = &mut self.ledger {
            *ledger = engine::with_request(*ledger, &view, view.cache.as_ref(), &self.setup);
        }
        self.marks = view.cache.as_ref().is_some_and(CacheState::may_mark);
        seen(number, &view);
        let is_changed = view.is_changed();
        let cuts = view.into_cuts();
        if !cuts.list().is_empty() {
            self.clock.touched = call.start;
        }
        if is_changed || self.retention == Retention::Transient {
            return Ok(Some(cuts));
        }
        self.branch.kept = cuts;
        Ok(None)
    }

    /// Returns what the provider's cache has of the context.
    fn known_cache(
        &self,
        row: &Row,
        policy: &CachePolicy,
        tokens: Rc<Vec<f64>>,
    ) -> Result<CacheState> {
        let context = &*self.branch;
        let from = context.counted_tokens.cached_from();
        let known = KnownRequests {
            ends: context.cached.ends(from),
            tokens,
            long: self.long,
            ledger: self.ledger.unwrap_or_default(),
            idle: policy.decision.idle_ms,
        };
        let pauses = || Ok(context.counted_tokens.pauses());
        let state = engine::known_cache(row, &self.setup.clock, known, pauses)?;
        let free_mark = self.may_mark().then_some(self.long.unwrap_or(false));
        Ok(CacheState { free_mark, ..state })
    }

    /// Returns whether a run may add a cache mark to its requests, as the agent sets some.
    fn may_mark(&self) -> bool {
        let settings = &self.setup.settings;
        let (provider, model) = provider_and_model(&self.branch.transcript, settings);
        settings.break_even.own_marks
            && self.simulation.session.format.calls.sets_marks
            && is_cached_by_ttl(provider, model)
    }

    /// Counts again the tokens of the prompt that the newest message, `message` of the session, answered in an earlier context.
    fn count_again(&mut self, message: u32) {
        let (calls, at) = (
            &self.simulation.session.calls,
            self.branch.messages.len() - 1,
        );
        let Ok(call) = calls.binary_search_by_key(&message, |call| call.message) else {
            return;
        };
        // What a summary keeps was an answer to another context.
        let is_kept = message < self.branch.messages[0];
        let counted = calls[call].counted().filter(|_| !is_kept);
        if let Some(usage) = counted.filter(|_| !self.branch.counted_tokens.is_counted(at)) {
            self.count(request(&calls[call], usage, at));
        }
    }

    fn count(&mut self, request: CountedRequest) {
        let (context, bytes) = (&mut *self.branch, &&self.simulation.session.bytes[..]);
        let transcript = &context.transcript;
        // What cannot be read is no note.
        let shortened =
            |i: usize| is_shortened(transcript, bytes, i, &self.notes).unwrap_or_default();
        let from = context
            .counted_tokens
            .counted(transcript, request, shortened);
        context.kept.recount(from as u32);
        context.reaches.recount(from);
    }

    /// Stores cuts that are kept from now on by the messages of the session.
    fn remember(&mut self, changed: &[&[Cut]]) {
        for &cuts in changed {
            let message = cuts[0].message as usize;
            let first = self.branch.transcript.messages[message].blocks;
            let moved = |cut: &Cut| Cut {
                pass: REMEMBERED,
                block: cut.block - first,
                ..cut.clone()
            };
            let cuts = cuts.iter().map(moved).collect();
            self.remembered.insert(self.branch.messages[message], cuts);
        }
    }

    /// Cuts the newest message, `message` of the session, as it was cut in an earlier request.
    fn cut_again(&mut self, message: u32) {
        let Some(cuts) = self.remembered.get(&message) else {
            return;
        };
        let at = self.branch.messages.len() - 1;
        let first = self.branch.transcript.messages[at].blocks;
        let moved = |cut: &Cut| Cut {
            message: at as u32,
            block: cut.block + first,
            ..cut.clone()
        };
        let cuts: Vec<Cut> = cuts.iter().map(moved).collect();
        let saved: f64 = cuts.iter().map(|cut| self.saved(cut)).sum();
        self.branch.cached.cut(at, saved);
        self.branch.sent.insert(at as u32, saved);
        let parts = self.branch.transcript.parts(at).count();
        self.branch.kept.extend(cuts, at as u32, parts);
    }

    /// Changes the prompt; parts that are no longer cut are restored.
    fn send(&mut self, changed: &[&[Cut]]) {
        let is_kept = self.retention == Retention::Sticky;
        let saved = |cuts: &&[Cut]| {
            let saved = cuts.iter().map(|cut| self.saved(cut)).sum();
            (cuts[0].message, saved)
        };
        let now: BTreeMap<u32, f64> = changed.iter().map(saved).collect();
        let Context { sent, cached, .. } = &mut *self.branch;
        for (message, tokens) in &now {
            let more = tokens - sent.get(message).copied().unwrap_or(0.0);
            if more != 0.0 {
                cached.cut(*message as usize, more);
            }
        }
        if is_kept {
            sent.extend(now);
            return;
        }
        for (message, tokens) in sent
            .iter()
            .filter(|(message, _)| !now.contains_key(message))
        {
            cached.cut(*message as usize, -tokens);
        }
        *sent = now;
    }

    /// Returns the tokens that a cut saves.
    fn saved(&self, cut: &Cut) -> f64 {
        let tokens =
            &self.simulation.tokens.messages[self.branch.messages[cut.message as usize] as usize];
        let after = cut.chars_after as f64 * tokens.per_unit;
        match cut.action {
            Action::DropMessage => tokens.total,
            Action::Drop => self.tokens_of(cut.message, cut.block),
            _ => self.tokens_of(cut.message, cut.block) - after,
        }
    }

    /// Returns the index in the session of a block of the context.
    fn own_block(&self, message: u32, block: u32) -> u32 {
        let own = self.branch.messages[message as usize] as usize;
        let first = self.simulation.session.transcript.messages[own].blocks;
        first + block - self.branch.transcript.messages[message as usize].blocks
    }

    /// Returns the tokens of a part of a message of the context.
    fn tokens_of(&self, message: u32, block: u32) -> f64 {
        let transcript = &self.simulation.session.transcript;
        let number = self.branch.messages[message as usize] as usize;
        let tokens = &self.simulation.tokens.messages[number];
        let own = self.own_block(message, block);
        let part = &transcript.blocks[own as usize];
        if part.kind == BlockKind::Result {
            return tokens.of(Weight::of(transcript.inside(own)));
        }
        // Only the sum is known for the model's output.
        let all: u64 = transcript
            .blocks_of(number)
            .iter()
            .map(|block| u64::from(block.chars))
            .sum();
        if all == 0 {
            0.0
        } else {
            tokens.total * f64::from(part.chars) / all as f64
        }
    }
}

/// Converts a call, whose prompt had `length` messages, to a counted request.
fn request(call: &Call, usage: Usage, length: usize) -> CountedRequest {
    CountedRequest {
        length,
        usage,
        sent: call.start,
        answered: call.end,
    }
}
