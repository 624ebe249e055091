//! The view: a transcript with the cuts accepted so far, and the sizes that they leave.

use super::{
    answer_cache::{AnswerCache, Question},
    changes::Change,
    cuts::{Cuts, removed},
    plan::{Action, Cut, OuterTextCut, Proposal, Reason},
    reaches::Reaches,
    *,
};
use crate::{
    cache_state::CacheState,
    diagnostics::Skip,
    estimate,
    message_tokens::{ContextSums, ContextTokens},
    naming,
    naming::Naming,
    read_at::LineCounter,
    settings::{Estimator, RatioBy, Settings},
    transcript::{Role, Rules},
};
use std::{cell::Cell, io, rc::Rc, sync::Arc};

/// The transcript as the accepted cuts leave it.
pub struct View<'a> {
    /// The transcript as it came.
    pub transcript: &'a Transcript,
    /// The bytes of the input.
    pub texts: &'a dyn ReadAt,
    /// The rules of its provider.
    pub rules: Rules,
    /// The estimator that counts chars.
    pub estimator: Estimator,
    /// The context window in tokens.
    pub window: u64,
    /// The tokens of the context without cuts.
    pub size: ContextTokens,
    /// The size of which the ratios are shares.
    pub ratio_by: RatioBy,
    /// Whether the copies of cut results for the screen are cut, too.
    pub cuts_copies: bool,
    /// Returns the name of a setting for texts.
    pub naming: Naming,
    /// The known state of the provider's cache; `None` where no pass needs it.
    pub cache: Option<CacheState>,
    /// The tools that the provider's server leaves alone, if results may be left to it to clear.
    pub server: Option<Arc<[String]>>,
    /// Whether a cut makes the model do reasoning behind it again.
    pub loses_thinking: bool,
    /// Cached answers about texts, if the same texts are pruned several times.
    pub answers: Option<&'a AnswerCache>,
    /// What passes found in the messages before the request before, if the same context is cut
    /// several times.
    pub reaches: Option<&'a Reaches>,
    /// Sums over the messages, if they are known.
    pub sums: Option<ContextSums<'a>>,
    /// The number of messages and cuts that were looked at.
    visits: Cell<u64>,
    before: u64,
    /// Chars that count as size, but not for the fill that decides.
    aside: u64,
    after_earlier: u64,
    cuts: Cuts,
    /// Whether there is a cut that is not of an earlier run.
    is_changed: bool,
    /// Changes outside the messages, in the order of the input.
    outside: Vec<OuterTextCut>,
    /// Further changes outside the messages.
    changes: Vec<Change>,
}

impl<'a> View<'a> {
    /// Returns the line of a block of message `i`, from 1: a message of a log may have parts in
    /// several lines.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn line_of(
        &self,
        i: usize,
        block: Option<&Block>,
        lines: &mut LineCounter<'_>,
    ) -> io::Result<u32> {
        let (transcript, message) = (self.transcript, &self.transcript.messages[i]);
        match block.filter(|_| self.rules.is_history && !transcript.multiline_records) {
            Some(block) => lines.line_of(
                message.record + u64::from(block.span.start),
                (message.record, message.line),
            ),
            None => Ok(message.line),
        }
    }

    /// Creates a view without cuts. `window` is in tokens.
    pub fn new(
        transcript: &'a Transcript,
        texts: &'a dyn ReadAt,
        settings: &Settings,
        window: u64,
    ) -> View<'a> {
        let estimator = settings.context_pruning.estimator;
        let before = (0..transcript.messages.len())
            .map(|i| estimate::message(transcript, i, estimator))
            .sum::<u64>();
        View::of_size(transcript, texts, settings, window, before)
    }

    /// Creates a view without cuts of a transcript that has `before` chars.
    pub fn of_size(
        transcript: &'a Transcript,
        texts: &'a dyn ReadAt,
        settings: &Settings,
        window: u64,
        before: u64,
    ) -> View<'a> {
        let estimator = settings.context_pruning.estimator;
        View {
            transcript,
            texts,
            rules: transcript.rules(),
            estimator,
            window,
            size: ContextTokens::estimated(before),
            ratio_by: settings.context_pruning.ratio_by,
            cuts_copies: settings.mirrors,
            naming: naming::plain,
            cache: None,
            server: None,
            loses_thinking: false,
            answers: None,
            reaches: None,
            sums: None,
            visits: Cell::default(),
            before,
            aside: if settings.context_pruning.drop_thinking_for_estimate {
                earlier_thinking(transcript, estimator)
            } else {
                0
            },
            after_earlier: before,
            cuts: Cuts::default(),
            is_changed: false,
            outside: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Returns the chars of the context without cuts.
    pub fn chars_before(&self) -> u64 {
        self.before
    }

    /// Returns the chars of the context with the cuts of earlier runs only.
    pub fn chars_after_earlier(&self) -> u64 {
        self.after_earlier
    }

    /// Accepts the cuts of earlier runs. Their replacement texts stay: a trimmed result may still
    /// be cleared or removed, but not trimmed otherwise.
    pub fn accept_earlier(&mut self, proposal: Proposal) {
        self.cuts
            .kept
            .extend(proposal.cuts.iter().map(|cut| cut.block));
        self.accept(proposal);
        self.is_changed = false;
        self.after_earlier = self.chars();
    }

    /// Makes the cuts of an earlier run its own, in a view without cuts.
    pub fn resume(&mut self, cuts: Cuts) {
        self.cuts = cuts;
        self.after_earlier = self.chars();
    }

    /// Returns whether this run cut anything that no earlier run did.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Returns the cuts.
    pub fn into_cuts(self) -> Cuts {
        self.cuts
    }

    /// Returns whether a cut is compatible with those of earlier runs.
    fn may_replace(&self, new: &Cut) -> bool {
        let old = if self.cuts.kept.contains(&new.block) {
            self.cut(new.block)
        } else {
            None
        };
        old.is_none_or(|old| match (&old.action, &new.action) {
            (Action::Trim(_), Action::Clear(_)) => true,
            (_, new) => matches!(new, Action::Drop | Action::DropMessage),
        })
    }

    /// Returns the cached answer to a question about texts, or the one that `find` computes.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn once<T: Clone + 'static>(
        &self,
        question: Question,
        find: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        match self.answers {
            Some(answers) => answers.once(question, find),
            None => find(),
        }
    }

    /// Returns the byte of the input at which block `block` of message `i` begins.
    pub fn place(&self, (message, block): (u32, u32)) -> u64 {
        self.transcript.messages[message as usize]
            .range(self.transcript.block(block).span)
            .start
    }

    /// Returns the bytes of a span of message `i`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn bytes(&self, i: usize, span: Span) -> Result<Cow<'a, [u8]>> {
        Ok(self.transcript.messages[i].bytes(self.texts, span)?)
    }

    /// Returns the decoded text of a span of message `i`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn text(&self, i: usize, span: Span) -> Result<String> {
        Ok(text::lossy(&self.bytes(i, span)?))
    }

    /// Returns a cut of one part, not of a whole message.
    pub fn new_cut(
        &self,
        pass: &'static str,
        (message, block): (u32, u32),
        (action, chars_after): (Action, u64),
        reason: Reason,
    ) -> Cut {
        let chars_before = self.chars_of_block_before(message as usize, block);
        Cut {
            pass,
            message,
            block,
            action,
            chars_before,
            chars_after,
            linked: false,
            reason,
        }
    }

    /// Returns the row about a part that `pass` leaves alone.
    pub fn skip(
        &self,
        pass: &'static str,
        (message, block): (u32, u32),
        why: impl Into<String>,
    ) -> Skip {
        let (message, block) = (
            &self.transcript.messages[message as usize],
            self.transcript.block(block),
        );
        Skip {
            pass,
            message: message.number,
            part: block.part.into(),
            why: why.into(),
        }
    }

    /// Returns the chars of the context with all cuts.
    pub fn chars(&self) -> u64 {
        self.before.saturating_add_signed(-self.cuts.removed)
    }

    /// Returns the tokens of the context, if it has `chars` chars.
    pub fn tokens(&self, chars: u64) -> f64 {
        self.size.without(self.before as f64 - chars as f64)
    }

    /// Returns the share of the window that the context fills.
    pub fn ratio(&self) -> f64 {
        self.fill(self.chars())
    }

    /// Returns the share of the window that decides whether to prune, if the context has `chars`
    /// chars.
    pub fn fill(&self, chars: u64) -> f64 {
        self.share(chars.saturating_sub(self.aside))
    }

    /// Returns the share of the window that `chars` chars of the context fill.
    pub fn share(&self, chars: u64) -> f64 {
        let tokens = match self.ratio_by {
            RatioBy::Tokens => self.tokens(chars),
            RatioBy::Chars => ContextTokens::estimated(chars).tokens,
        };
        if self.window == 0 {
            0.0
        } else {
            tokens / self.window as f64
        }
    }

    /// Returns the cut of block `block`, unless it removes the whole message.
    pub fn cut(&self, block: u32) -> Option<&Cut> {
        self.visit();
        let cuts = &self.cuts.list;
        // Most blocks that are asked for come behind all cuts.
        if cuts.last()?.block < block {
            return None;
        }
        let first = cuts.partition_point(|cut| cut.block < block);
        cuts[first..]
            .iter()
            .take_while(|cut| cut.block == block)
            .find(|cut| cut.action != Action::DropMessage)
    }

    /// Returns whether the cuts remove message `i` or all its parts.
    pub fn is_gone(&self, i: usize) -> bool {
        self.visit();
        self.cuts.gone.binary_search(&(i as u32)).is_ok()
    }

    /// Returns whether the cuts remove block `block` of message `i`, alone or with its message.
    pub fn is_block_gone(&self, i: usize, block: u32) -> bool {
        self.cuts.has_removals
            && (self.is_gone(i)
                || self
                    .cut(block)
                    .is_some_and(|cut| cut.action == Action::Drop))
    }

    /// Returns whether a cut removes or replaces more than the text of a result.
    pub fn is_structural(&self) -> bool {
        !self.outside.is_empty()
            || !self.changes.is_empty()
            || self.cuts.list.iter().any(|cut| cut.action.is_structural())
    }

    /// Returns the cuts that are not of an earlier run, in the order of the transcript.
    pub fn new_cuts(&self) -> impl Iterator<Item = &Cut> {
        let changed = self.cuts.changed().into_iter().flatten();
        changed.filter(|cut| !cut.is_earlier())
    }

    /// Returns the messages that earlier runs cut, in the order of the runs, and those that this
    /// run cut, in any order.
    pub fn cut_messages(&self) -> (&[u32], &[u32]) {
        (&self.cuts.changed_before, &self.cuts.changed)
    }

    /// Returns whether a cut removes a part.
    pub fn has_removals(&self) -> bool {
        self.cuts.has_removals
    }

    /// Returns all cuts, in the order of the transcript.
    pub fn cuts(&self) -> impl Iterator<Item = &Cut> {
        self.cuts.list.iter().inspect(|_| self.visit())
    }

    /// Returns for each cut its message, and the tokens that it and those before it save; `tokens`
    /// returns those of one cut.
    pub fn saved(&self, tokens: impl Fn(&Cut) -> f64) -> Rc<Vec<(u32, f64)>> {
        self.cuts.saved(|cut| {
            self.visit();
            tokens(cut)
        })
    }

    /// Returns the number of messages and cuts that were looked at, which is a measure of the work
    /// of the passes.
    pub fn visits(&self) -> u64 {
        self.visits.get()
    }

    /// Counts one more message or cut that is looked at.
    pub fn visit(&self) {
        self.visits.set(self.visits.get() + 1);
    }

    /// Returns the chars of the result at `block` with all cuts.
    pub fn chars_of_result(&self, block: u32) -> u64 {
        self.cut(block)
            .map_or_else(|| self.chars_of_result_before(block), |cut| cut.chars_after)
    }

    /// Returns the chars of the result at `block` without cuts.
    pub fn chars_of_result_before(&self, block: u32) -> u64 {
        self.children(block)
            .iter()
            .map(|child| estimate::block(child, Role::Tool, self.estimator))
            .sum()
    }

    /// Returns the chars of a block of message `i` without cuts; those of a result are those of its
    /// content.
    pub fn chars_of_block_before(&self, i: usize, block: u32) -> u64 {
        let found = self.transcript.block(block);
        match found.kind {
            BlockKind::Result => self.chars_of_result_before(block),
            _ => estimate::block(found, self.transcript.messages[i].role, self.estimator),
        }
    }

    /// Returns the parts of message `i`: its blocks without those within results.
    pub fn parts(&self, i: usize) -> impl Iterator<Item = (u32, &'a Block)> + use<'a> {
        self.visit();
        self.transcript.parts(i)
    }

    /// Returns the parts of message `i` that the cuts leave.
    pub fn parts_left(&self, i: usize) -> impl Iterator<Item = (u32, &'a Block)> {
        self.parts(i)
            .filter(move |(index, _)| !self.is_block_gone(i, *index))
    }

    /// Returns the blocks of the content of the result at `block`.
    pub fn children(&self, block: u32) -> &'a [Block] {
        self.transcript.inside(block)
    }

    /// The texts inside a result.
    pub fn texts_in(&self, result: u32) -> impl DoubleEndedIterator<Item = &'a Block> {
        let all = self.children(result).iter();
        all.filter(|child| child.kind == BlockKind::Text)
    }

    /// Accepts a proposal. A cut replaces an earlier one of the same block; one that removes a
    /// message replaces all cuts in it.
    pub fn accept(&mut self, mut proposal: Proposal) {
        proposal.cuts.retain(|cut| self.may_replace(cut));
        if proposal.cuts.is_empty() && proposal.outside.is_empty() {
            return;
        }
        self.is_changed = true;
        self.outside.append(&mut proposal.outside);
        let messages = self.cuts.add(proposal.cuts);
        self.update_gone(messages);
    }

    /// Adds a change outside the messages.
    pub fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Returns the changes outside the messages.
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the changes outside the messages that passes proposed.
    pub fn outside(&self) -> &[OuterTextCut] {
        &self.outside
    }

    /// Returns whether there is no cut.
    pub fn is_whole(&self) -> bool {
        self.cuts.list.is_empty() && self.outside.is_empty()
    }

    /// Removes the cuts for which `keep` is false, and those before all messages.
    pub fn retain(&mut self, keep: impl FnMut(&Cut) -> bool) {
        let list = &mut self.cuts.list;
        list.retain(keep);
        self.cuts.removed = removed(list);
        self.outside.clear();
        let messages = std::mem::take(&mut self.cuts.gone);
        self.update_gone(messages);
    }

    /// Updates which of these messages are removed.
    fn update_gone(&mut self, mut messages: Vec<u32>) {
        messages.dedup();
        if !self.cuts.has_removals {
            return;
        }
        for message in messages {
            let parts = self.transcript.parts(message as usize).count();
            self.cuts.update_gone(message, parts);
        }
    }
}

/// Returns the chars of the thinking in all assistant messages but the last.
fn earlier_thinking(transcript: &Transcript, estimator: Estimator) -> u64 {
    let is_answer = |i: &usize| transcript.is_answer(*i);
    let mut answers = (0..transcript.messages.len()).filter(is_answer);
    answers.next_back();
    let blocks = answers.flat_map(|i| transcript.blocks_of(i));
    let thinking = blocks.filter(|block| block.kind == BlockKind::Thinking);
    thinking
        .map(|block| estimate::block(block, Role::Assistant, estimator))
        .sum()
}
