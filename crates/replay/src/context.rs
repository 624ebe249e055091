//! The context of a lane while it grows, in sums: what a policy cuts from it, and how large that leaves it.
//!
//! soft-trim takes all that it reaches, and hard-clear takes from the oldest on. So what both leave is told by two
//! numbers ([`Cuts`]): so many results are trimmed, so many are cleared. With sums over all messages and results from the
//! front, a decision costs a search, however long the context is.

use super::sizes::{Cuttable, Size, Sizes};
use deadhead_core::config::settings::{Mode, Settings};
use deadhead_core::edit;
use deadhead_core::pass::{Pass, hard_clear, soft_trim};
use deadhead_core::transcript::{Role, Transcript};

/// What a policy has cut: of the results in reach, in their order, the first so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Trimmed, those of them that are to be.
    pub trimmed: usize,
    /// Cleared.
    pub cleared: usize,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is as it came.
    Whole,
    /// Its head and tail are left.
    Trimmed,
    /// The placeholder is left.
    Cleared,
}

/// A result in the context.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Position of its message in the context.
    pub position: u32,
    /// Its message.
    pub message: u32,
    /// Which of the message's results that may be cut.
    pub index: u32,
}

/// The messages of a context, with sums from the front.
pub struct Context<'a> {
    transcript: &'a Transcript,
    sizes: &'a Sizes,
    /// Messages, as indices of the transcript.
    pub messages: Vec<u32>,
    /// Positions where a message of the model's begins.
    assistants: Vec<u32>,
    first_user: Option<u32>,
    /// Results that may be cut, after the first message of a user.
    pub results: Vec<Place>,
    /// Chars of the first n messages.
    chars: Vec<u64>,
    /// For the first n results: their chars as they came, trimmed and cleared.
    whole: Vec<u64>,
    trimmed: Vec<u64>,
    cleared: Vec<u64>,
    /// For the first n results: the least of what clearing some of them leaves beyond what trimming them leaves.
    least: Vec<i64>,
}

impl<'a> Context<'a> {
    /// An empty context.
    pub fn new(transcript: &'a Transcript, sizes: &'a Sizes) -> Context<'a> {
        Context {
            transcript,
            sizes,
            messages: Vec::new(),
            assistants: Vec::new(),
            first_user: None,
            results: Vec::new(),
            chars: vec![0],
            whole: vec![0],
            trimmed: vec![0],
            cleared: vec![0],
            least: vec![0],
        }
    }

    /// A message comes.
    pub fn push(&mut self, message: u32, continues: bool) {
        let position = self.messages.len() as u32;
        let role = self.transcript.messages[message as usize].role;
        if role == Role::Assistant && !continues {
            self.assistants.push(position);
        }
        if self.first_user.is_none() && role == Role::User && !self.transcript.is_only_results(message as usize) {
            self.first_user = Some(position);
        }
        self.messages.push(message);
        self.chars.push(last(&self.chars) + self.sizes.chars[message as usize]);
        if self.first_user.is_none() {
            return;
        }
        for (index, result) in self.sizes.results[message as usize].iter().enumerate() {
            self.results.push(Place { position, message, index: index as u32 });
            self.whole.push(last(&self.whole) + result.whole.chars);
            self.trimmed.push(last(&self.trimmed) + result.trimmed.chars);
            self.cleared.push(last(&self.cleared) + result.cleared.chars);
            let beyond = last(&self.cleared).cast_signed() - last(&self.trimmed).cast_signed();
            self.least.push(self.least.last().map_or(beyond, |least| beyond.min(*least)));
        }
    }

    /// Only the first `length` messages stay.
    pub fn keep(&mut self, length: usize) {
        self.messages.truncate(length);
        self.chars.truncate(length + 1);
        let before = |position: &u32| (*position as usize) < length;
        self.assistants.truncate(self.assistants.partition_point(before));
        self.first_user = self.first_user.filter(before);
        let results = self.results.partition_point(|place| before(&place.position));
        self.results.truncate(results);
        for sums in [&mut self.whole, &mut self.trimmed, &mut self.cleared] {
            sums.truncate(results + 1);
        }
        self.least.truncate(results + 1);
    }

    /// The cuts that are left of `cuts` in what was kept.
    pub fn still(&self, cuts: Cuts) -> Cuts {
        Cuts { trimmed: cuts.trimmed.min(self.results.len()), cleared: cuts.cleared.min(self.results.len()) }
    }

    /// Chars as `cuts` leave them.
    pub fn chars(&self, cuts: Cuts) -> u64 {
        let trimmed = cuts.trimmed.max(cuts.cleared);
        last(&self.chars) - self.whole[trimmed] + self.trimmed[trimmed] - self.trimmed[cuts.cleared] + self.cleared[cuts.cleared]
    }

    /// What the passes of `settings` cut of the context that `before` left, in a window of `window` chars.
    pub fn cut(&self, settings: &Settings, mode: Mode, window: u64, before: Cuts) -> Cuts {
        let pruning = &settings.context_pruning;
        let Some(reach) = self.reach(pruning.keep_last_assistants) else { return before };
        let is_on = |pass: &Pass| pass.is_on(settings);
        let mut cuts = before;
        let ratio = |cuts: Cuts| edit::ratio(self.chars(cuts), window);
        if mode == Mode::Aggressive {
            if is_on(&hard_clear::PASS) {
                cuts.cleared = cuts.cleared.max(reach);
            }
            return cuts;
        }
        if matches!(mode, Mode::Off) || ratio(before) < pruning.soft_trim_ratio {
            return before;
        }
        if is_on(&soft_trim::PASS) {
            cuts.trimmed = cuts.trimmed.max(reach);
        }
        let may_clear = is_on(&hard_clear::PASS) && pruning.hard_clear.enabled && ratio(cuts) >= pruning.hard_clear_ratio;
        if !may_clear || self.together(cuts, reach) < pruning.min_prunable_tool_chars {
            return cuts;
        }
        let fits = |cleared: usize| ratio(Cuts { cleared, ..cuts }) < pruning.hard_clear_ratio;
        if cuts.cleared == 0 && cuts.trimmed >= reach {
            cuts.cleared = self.least_that_fits(cuts, reach, window, pruning.hard_clear_ratio);
        } else {
            while cuts.cleared < reach && !fits(cuts.cleared) {
                cuts.cleared += 1;
            }
        }
        cuts
    }

    /// The least number of results that must be cleared from the oldest on, at most `reach`: all are trimmed.
    fn least_that_fits(&self, cuts: Cuts, reach: usize, window: u64, limit: f64) -> usize {
        let trimmed = self.chars(Cuts { cleared: 0, ..cuts });
        self.least[..=reach].partition_point(|least| edit::ratio(trimmed.saturating_add_signed(*least), window) >= limit).min(reach)
    }

    /// How many results lie before the last `keep` messages of the model; none where there are fewer.
    fn reach(&self, keep: usize) -> Option<usize> {
        self.first_user?;
        let cutoff = match keep {
            0 => self.messages.len() as u32,
            _ => *self.assistants.iter().nth_back(keep - 1)?,
        };
        Some(self.results.partition_point(|place| place.position < cutoff))
    }

    /// Chars of the first `reach` results as `cuts` leave them.
    fn together(&self, cuts: Cuts, reach: usize) -> u64 {
        let cleared = cuts.cleared.min(reach);
        let trimmed = cuts.trimmed.min(reach).max(cleared);
        self.cleared[cleared] + (self.trimmed[trimmed] - self.trimmed[cleared]) + (self.whole[reach] - self.whole[trimmed])
    }

    /// The results that differ between two cuts of this context, oldest first, as numbers of [`Context::results`].
    pub fn changed(&self, from: Cuts, to: Cuts) -> impl Iterator<Item = usize> {
        let (least, most) = (from.cleared.min(to.cleared), from.cleared.max(to.cleared));
        let (less, more) = (from.trimmed.min(to.trimmed).max(most), from.trimmed.max(to.trimmed));
        (least..most).chain(less..more.max(less)).filter(move |&i| self.form(i, from) != self.form(i, to))
    }

    /// What `cuts` make of result `i`.
    pub fn form(&self, i: usize, cuts: Cuts) -> Form {
        let result = self.result(i);
        match i {
            _ if i < cuts.cleared && result.clears => Form::Cleared,
            _ if i < cuts.trimmed.max(cuts.cleared) && i >= cuts.cleared && result.trims => Form::Trimmed,
            _ => Form::Whole,
        }
    }

    /// Result `i`.
    pub fn result(&self, i: usize) -> &'a Cuttable {
        let place = self.results[i];
        &self.sizes.results[place.message as usize][place.index as usize]
    }

    /// The size of result `i` as `cuts` leave it.
    pub fn size(&self, i: usize, cuts: Cuts) -> Size {
        let result = self.result(i);
        match self.form(i, cuts) {
            Form::Whole => result.whole,
            Form::Trimmed => result.trimmed,
            Form::Cleared => result.cleared,
        }
    }
}

fn last(sums: &[u64]) -> u64 {
    sums.last().copied().unwrap_or(0)
}
