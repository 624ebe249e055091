//! Decides whether cuts pay for the cache that they invalidate: the condition of break-even, for
//! cuts of any pass.
//!
//! While the cache is warm, a cut makes the provider write everything behind it again, up to the
//! end of the previous prompt. For each place the savings of all cuts from there on in the requests
//! that are expected to follow are compared with the cost of these writes; the cuts from the place
//! with the largest net saving on are made, and none if no place has a saving. Where the cache has
//! expired, all are made: the whole prompt is written again anyway.
//!
//! [`keep_what_pays`] applies this condition to the proposal of a pass. Where [`View::cache`] is
//! `None`, nothing is known of the cache, and all cuts are kept.

use super::{removal::broken_order, *};
use crate::{
    cache_state::CacheState,
    edit::{OuterTextCut, Savings, Segment},
    message_tokens::ContextSums,
    prices::Reuse,
    settings::BreakEven,
};
use std::rc::Rc;

/// Blocks of a request that its log may not show: a prompt that a mark finds only just counts as
/// lost.
const UNSEEN: u32 = 8;
/// Requests that are expected to follow, at least and at most.
const EXPECTED: (f64, f64) = (5.0, 80.0);
/// Why nothing is weighed before the first request.
const FIRST: &str = "no request came before this one";
/// The number of places that are tried if cuts from the best one would break the order of messages.
const TRIES: usize = 16;

/// The comparison of the cost and the savings of further cuts, given a warm cache and the cuts
/// already accepted.
pub struct Weighing<'a> {
    view: &'a View<'a>,
    cache: &'a CacheState,
    settings: &'a BreakEven,
    /// Sums over the messages, as they came.
    sums: ContextSums<'a>,
    /// For each cut its message, and the tokens that it and those before it save.
    saved: Rc<Vec<(u32, f64)>>,
    /// The number of messages in the newest cached prompt that cuts of this run leave unchanged.
    pub cached: Option<u32>,
    /// How much of what is cached again counts as its cost.
    pub caution: f64,
    /// Requests that are expected to follow.
    expected: f64,
    /// Blocks of the request that may be missing here.
    unseen: u32,
}

/// A place from which on cuts are made.
#[derive(Debug)]
struct Place {
    /// Index of the first of their savings.
    from: usize,
    /// Tokens that they save in each request.
    saved: f64,
    /// Tokens that are cached again.
    again: f64,
    gain: f64,
}

impl<'a> Weighing<'a> {
    /// Prepares to weigh cuts beyond those of `view`.
    pub fn new(view: &'a View<'a>, cache: &'a CacheState, settings: &'a BreakEven) -> Weighing<'a> {
        let saved = view.saved(|cut| {
            let chars = cut.chars_before.saturating_sub(cut.chars_after);
            tokens(view, cache, cut, chars)
        });
        let known = view.sums.clone();
        let sums = known.unwrap_or_else(|| ContextSums::of(view.transcript, &cache.tokens));
        let requests = sums.answers.all();
        let guess = (settings.expect_factor * f64::from(requests)).clamp(EXPECTED.0, EXPECTED.1);
        let expected = settings
            .expect_requests
            .map_or(guess, |requests| requests as f64);
        let mut weighing = Weighing {
            view,
            cache,
            settings,
            sums,
            saved,
            cached: match cache.is_cold {
                true => Some(0),
                false => cache.ends.last().copied(),
            },
            caution: settings.caution,
            expected,
            unseen: if view.rules.is_history { UNSEEN } else { 0 },
        };
        // Everything behind a cut of this run is written again anyway.
        if let Some(first) = view.new_cuts().next() {
            weighing.cached = weighing
                .cached
                .map(|newest| weighing.cached_before(first.message).min(newest));
        }
        weighing
    }

    /// Returns the first of the savings to cut, and why that pays.
    ///
    /// # Errors
    /// No cut pays; the text says why.
    pub fn best(&self, savings: &Savings) -> Result<(usize, String), String> {
        let places = self.places(savings, false)?;
        let best = places.first().ok_or_else(|| self.none_pays())?;
        Ok((best.from, self.why(best)))
    }

    /// Returns why all savings together pay.
    ///
    /// # Errors
    /// They do not; the text says why.
    pub fn all(&self, savings: &Savings) -> Result<String, String> {
        let first = savings.cuts.first().map_or(0, |cut| cut.0);
        let cached = self.cached.ok_or(FIRST)?;
        let entry = self.cached_before(first).min(cached);
        let place = self.place(savings, 0, (entry, cached));
        let place = place.ok_or_else(|| self.none_pays())?;
        Ok(match self.cache.is_cold {
            true => "the cache has expired: the whole prompt is written anew anyway".to_owned(),
            false => self.why(&place),
        })
    }

    fn why(&self, place: &Place) -> String {
        format!(
            "{:.0} tokens less in each of {:.0} requests pay for {:.0} that are cached again",
            place.saved, self.expected, place.again
        )
    }

    fn none_pays(&self) -> String {
        format!("no cut pays in {:.0} requests", self.expected)
    }

    /// Returns the places from which on cuts pay, the largest net saving first. Without `all`, only
    /// the first of the places behind one cached prompt counts: from there on most is saved and
    /// least is cached again.
    fn places(&self, savings: &Savings, all: bool) -> Result<Vec<Place>, String> {
        let cached = self.cached.ok_or(FIRST)?;
        let (mut places, mut end) = (Vec::new(), savings.cuts.len());
        while end > 0 {
            self.view.visit();
            let message = savings.cuts[end - 1].0;
            let entry = self.cached_before(message).min(cached);
            // All cuts of a message are made at once.
            end = savings.before(if all { message } else { entry });
            places.extend(self.place(savings, end, (entry, cached)));
        }
        places.sort_by(|a: &Place, b| b.gain.total_cmp(&a.gain));
        Ok(places)
    }

    /// Weighs the cuts from `from` on: `entry` messages of the cached prompt of `cached` stay
    /// cached.
    fn place(&self, savings: &Savings, from: usize, (entry, cached): (u32, u32)) -> Option<Place> {
        let (read, more) = (
            self.cache.read / 1e6,
            (self.cache.write - self.cache.read) / 1e6,
        );
        let saved_up_to = |end| savings.tokens.up_to(end) - savings.tokens.up_to(from);
        let saved = saved_up_to(savings.cuts.len());
        let of_cached = saved_up_to(savings.before(cached).max(from));
        let again = (self.tokens(cached) - self.tokens(entry) - of_cached).max(0.0);
        let first = savings.cuts.get(from).map_or(0, |cut| cut.0);
        let redone = self.redone(first) / 1e6;
        let gain = saved * read * self.expected - self.caution * again * more - redone;
        let now = again * more - saved * read + redone;
        let is_within = self
            .settings
            .budget
            .is_none_or(|share| now * 1e6 <= share * self.cache.spent + self.cache.saved);
        (gain > 0.0 && is_within).then_some(Place {
            from,
            saved,
            again,
            gain,
        })
    }

    /// Returns the dollars, in millionths, for the reasoning from message `from` on, if it would be
    /// done again.
    fn redone(&self, from: u32) -> f64 {
        let view = self.view;
        let messages = from as usize..view.transcript.messages.len();
        let of = |i| {
            view.left_of(i, BlockKind::Thinking)
                .map(move |index| (i, index))
        };
        let thinking = messages.filter(|_| view.loses_thinking).flat_map(of);
        let chars = thinking.map(|(i, index)| view.chars_of_block_before(i, index));
        (chars.sum::<u64>() / estimate::CHARS_PER_TOKEN) as f64 * self.cache.output
    }

    /// Returns the tokens of the first `length` messages, as earlier cuts leave them.
    fn tokens(&self, length: u32) -> f64 {
        let before = self.saved.partition_point(|(message, _)| *message < length);
        let saved = before.checked_sub(1).map_or(0.0, |last| self.saved[last].1);
        self.sums.tokens.up_to(length as usize) - saved
    }

    /// Returns the number of messages in the longest cached prompt that ends before message `i`.
    fn cached_before(&self, i: u32) -> u32 {
        let Reuse::Marks(back) = self.cache.reuse else {
            return i;
        };
        let parts = &self.sums.parts;
        let is_near = |end: &u32| {
            let behind = parts.all() - parts.up_to(*end as usize);
            self.cache.free_mark.is_some() || behind <= back.saturating_sub(self.unseen) as usize
        };
        prompt_before(self.cache, i).filter(is_near).unwrap_or(0)
    }
}

/// Returns the number of messages in the longest prompt before message `i` of which the cache has
/// an entry.
pub fn prompt_before(cache: &CacheState, i: u32) -> Option<u32> {
    cache.ends.iter().rev().find(|end| **end <= i).copied()
}

/// Returns the input cost of a request's messages with the accepted cuts, and without any cuts, in
/// millionths of a dollar.
pub fn request_cost(view: &View<'_>, cache: &CacheState, settings: &BreakEven) -> (f64, f64) {
    let weighing = Weighing::new(view, cache, settings);
    let price = |cached: f64, all: f64| {
        let cached = if cache.is_cold { 0.0 } else { cached };
        cached * cache.read + (all - cached).max(0.0) * cache.write
    };
    let newest = cache.ends.last().map_or(0, |newest| *newest as usize);
    let (cached, all) = (
        weighing.tokens(weighing.cached.unwrap_or(0)),
        &weighing.sums.tokens,
    );
    let own = price(cached, weighing.tokens(all.length() as u32));
    (own, price(all.up_to(newest), all.all()))
}

/// Returns the tokens of `chars` chars in the message of `cut`.
fn tokens(view: &View<'_>, cache: &CacheState, cut: &Cut, chars: u64) -> f64 {
    let all = estimate::message(view.transcript, cut.message as usize, view.estimator)
        .max(cut.chars_before)
        .max(1);
    cache.tokens[cut.message as usize] * chars as f64 / all as f64
}

/// Removes from a proposal the cuts that do not pay: each becomes a row of its `skipped`, with the
/// reason, and if no cut is left, its `note` says so. Parts that are removed together stay
/// together.
///
/// Whoever asks for it in a step of its own has the engine set [`View::cache`] first.
pub fn keep_what_pays(
    view: &View<'_>,
    settings: &BreakEven,
    pass: &'static str,
    proposal: &mut Proposal,
) {
    let asked = |cache: &&CacheState| !cache.is_cold || view.loses_thinking;
    let Some(cache) = view.cache.as_ref().filter(asked) else {
        return;
    };
    if proposal.cuts.is_empty() && proposal.outside.is_empty() {
        return;
    }
    let weighing = Weighing::new(view, cache, settings);
    let state = if cache.is_cold {
        "has expired"
    } else {
        "is warm"
    };
    let savings = |begins: &[u32]| {
        let mut order: Vec<usize> = (0..proposal.cuts.len()).collect();
        order.sort_by_key(|&i| begins[i]);
        let mut savings = Savings::default();
        for cut in &proposal.outside {
            savings.push((0, 0), outside_saved(cut));
        }
        for &i in &order {
            savings.push(
                (begins[i], proposal.cuts[i].block),
                saved(view, cache, &proposal.cuts[i]),
            );
        }
        (order, savings)
    };
    let own: Vec<u32> = proposal.cuts.iter().map(|cut| cut.message).collect();
    // Parts that are removed together change the prompt at the first of their messages. This is not
    // computed if not even single cuts would pay.
    if !is_whole(proposal)
        && let Err(why) = weighing.best(&savings(&own).1)
    {
        let why = format!("the cache {state}: {why}");
        return leave_out(view, pass, proposal, &own, u32::MAX, why);
    }
    let begins = begins(view, proposal);
    let (order, savings) = savings(&begins);
    let is_in_order = |place: &Place| {
        let left = order[place.from.saturating_sub(proposal.outside.len())..]
            .iter()
            .map(|&i| &proposal.cuts[i])
            .filter(|cut| cut.action.is_structural());
        let gone: BTreeSet<Part> = left.flat_map(|cut| parts(view, cut)).collect();
        place.from == 0 || gone.is_empty() || broken_order(view, &gone).is_empty()
    };
    let found = weighing.places(&savings, true).and_then(|places| {
        places
            .into_iter()
            .take(TRIES)
            .find(is_in_order)
            .ok_or_else(|| weighing.none_pays())
    });
    let (from, why) = match found {
        Ok(place) => (
            savings.cuts[place.from].0,
            format!("it would cost more than it saves while the cache {state}"),
        ),
        Err(why) => (u32::MAX, format!("the cache {state}: {why}")),
    };
    leave_out(view, pass, proposal, &begins, from, why);
}

/// Removes the cuts that begin before message `from`, with the reason.
fn leave_out(
    view: &View<'_>,
    pass: &'static str,
    proposal: &mut Proposal,
    begins: &[u32],
    from: u32,
    why: String,
) {
    for (cut, begin) in std::mem::take(&mut proposal.cuts).into_iter().zip(begins) {
        if *begin >= from {
            proposal.cuts.push(cut);
            continue;
        }
        let (message, block) = (
            &view.transcript.messages[cut.message as usize],
            view.transcript.blocks.get(cut.block as usize),
        );
        let part = block
            .filter(|_| cut.action != Action::DropMessage)
            .map_or(0, |block| block.part.into());
        proposal.skipped.push(Skip {
            pass,
            message: message.number,
            part,
            why: why.clone(),
        });
    }
    if from == u32::MAX {
        (proposal.note, proposal.turns_removed) = (Some(why), 0);
        proposal.outside.clear();
        proposal.reranked.clear();
    }
}

/// Whether a proposal is made as a whole or not at all: turns are removed and the rest was put in
/// order without them, a person chose the cuts, or something before all messages changes.
fn is_whole(proposal: &Proposal) -> bool {
    let by_hand = super::select::PASS.name;
    proposal.turns_removed > 0
        || !proposal.outside.is_empty()
        || proposal.cuts.iter().any(|cut| cut.pass == by_hand)
}

/// Returns for each cut the first message that changes by it and by the cuts made together with it.
fn begins(view: &View<'_>, proposal: &Proposal) -> Vec<u32> {
    let mut begins: Vec<u32> = proposal.cuts.iter().map(|cut| cut.message).collect();
    if is_whole(proposal) {
        let first = begins.iter().copied().min();
        let first = first.filter(|_| proposal.outside.is_empty()).unwrap_or(0);
        begins.fill(first);
        return begins;
    }
    let structural = || {
        let cuts = proposal.cuts.iter().enumerate();
        cuts.filter(|(_, cut)| cut.action.is_structural())
    };
    let of: HashMap<Part, usize> = structural()
        .flat_map(|(i, cut)| parts(view, cut).into_iter().map(move |part| (part, i)))
        .collect();
    for (i, cut) in structural() {
        let together = view.close(parts(view, cut));
        let others = together.iter().filter_map(|part| of.get(part));
        let first = others.map(|other| proposal.cuts[*other].message).min();
        begins[i] = first.unwrap_or(cut.message);
    }
    begins
}

/// The parts that a cut removes.
fn parts(view: &View<'_>, cut: &Cut) -> Vec<Part> {
    match cut.action {
        Action::DropMessage => view
            .parts(cut.message as usize)
            .map(|(index, _)| (cut.message, index))
            .collect(),
        _ => vec![(cut.message, cut.block)],
    }
}

/// Returns the tokens that a cut saves in addition to the accepted ones.
fn saved(view: &View<'_>, cache: &CacheState, cut: &Cut) -> f64 {
    let now = match cut.action {
        Action::DropMessage => {
            let inside = view.cuts().filter(|other| other.message == cut.message);
            let gone: u64 = inside
                .map(|other| other.chars_before.saturating_sub(other.chars_after))
                .sum();
            estimate::message(view.transcript, cut.message as usize, view.estimator)
                .saturating_sub(gone)
        }
        _ => view
            .cut(cut.block)
            .map_or(cut.chars_before, |other| other.chars_after),
    };
    tokens(view, cache, cut, now.saturating_sub(cut.chars_after))
}

/// Returns the tokens that a change before all messages saves, from bytes: no chars are counted
/// there.
fn outside_saved(cut: &OuterTextCut) -> f64 {
    let length = |segment: &Segment| match segment {
        Segment::Source(span) => span.len() as u64,
        Segment::Literal(text) => text.len() as u64,
    };
    let after: u64 = cut.rewrite.segments.iter().map(length).sum();
    (cut.rewrite.span.len() as u64).saturating_sub(after) as f64 / estimate::CHARS_PER_TOKEN as f64
}
