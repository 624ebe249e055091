//! turn-drop: removes the middle of a long conversation.
//!
//! **What.** In a conversation of more than `minMessages` messages or `minBodyChars` chars, the
//! turns before the last `keepTurns` are removed, except system prompts, turns with images and,
//! with `toolTurns: "keep"`, turns with calls or results. With `toolTurns: "drop"` these are
//! removed too, as whole steps: all calls of a message with all their results and the texts beside
//! them.
//!
//! **Why.** Every request pays for the oldest messages again.
//!
//! **Safety.** A step is kept or removed as a whole; a step whose result lies among the kept turns
//! is kept. The kept turns begin where a conversation may begin. Where a provider requires roles to
//! alternate, a turn between two of the other role is kept. No summary replaces the removed turns;
//! `marker` may leave a note. Unpaired calls and results of the input are left alone.
//!
//! ```text
//! before  system · user 1 · assistant 1 · user 2 · … · user 9 · assistant 9
//! after   system · user 6 · … · user 9 · assistant 9
//! ```

use super::{
    candidates::is_question,
    protection::UserProtection,
    removal::{around_system, may_begin, may_follow},
    *,
};
use crate::{
    edit::{Rewrite, Segment},
    settings::{ToolTurns, TurnDrop, TurnUnit},
    transcript::Block,
};

/// The table's row.
pub const PASS: Pass = Pass {
    name: "turn-drop",
    about: "remove the turns in the middle of a long conversation",
    on: |settings| settings.turn_drop.enabled,
    size: Some(|settings| settings.turn_drop.size()),
    removes: true,
    reach: Reach::AnyAgeInLogs,
    plan,
    ..Pass::REST
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let user_protection = UserProtection::new(view, settings)?;
    let settings = &settings.turn_drop;
    let turns = Turns::of(view, settings.turn_unit);
    let mut dropping = Dropping {
        view,
        settings,
        user_protection,
        stays: vec![true; view.transcript.messages.len()],
        skipped: Vec::new(),
    };
    dropping.middle(&turns);
    dropping.steps();
    dropping.order();
    let Dropping {
        stays, mut skipped, ..
    } = dropping;
    let (keep, count) = (settings.keep_turns, turns.count);
    let reason: Arc<str> = format!("before the last {keep} turns of {count}").into();
    let cut = |i| view.drop_message(PASS.name, i, reason.clone());
    let mut cuts: Vec<Cut> = view.left().filter(|&i| !stays[i]).map(cut).collect();
    if !settings.marker.is_empty()
        && !cuts.is_empty()
        && let Some(why) = marked(view, &stays, &mut cuts, &settings.marker)?
    {
        skipped.push(skip(0, why));
    }
    let nothing = || format!("no turn before the last {keep} can go");
    let note = cuts.is_empty().then(nothing);
    let mut gone: Vec<usize> = cuts
        .iter()
        .filter(|cut| cut.action == Action::DropMessage)
        .filter_map(|cut| turns.of[cut.message as usize])
        .collect();
    gone.dedup();
    Ok(Proposal {
        cuts,
        skipped,
        note,
        turns_removed: gone.len() as u64,
        ..Proposal::default()
    })
}

/// The turns of a conversation, and the number of their messages.
struct Turns {
    /// For every message the number of its turn, from 0; `None` for system prompts and messages
    /// outside turns.
    of: Vec<Option<usize>>,
    count: usize,
}

impl Turns {
    fn of(view: &View<'_>, unit: TurnUnit) -> Turns {
        let transcript = view.transcript;
        let mut turns = Turns {
            of: vec![None; transcript.messages.len()],
            count: 0,
        };
        for (i, message) in transcript.messages.iter().enumerate() {
            if message.role == Role::System || view.is_gone(i) {
                continue;
            }
            let begin = transcript.begin_of(i);
            turns.of[i] = match unit {
                // The pieces of a split message are one turn, even if its beginning is gone.
                TurnUnit::Message if turns.of[begin].is_some() => turns.of[begin],
                TurnUnit::Exchange if turns.count > 0 && !is_question(view, i) => {
                    Some(turns.count - 1)
                }
                _ => {
                    turns.count += 1;
                    Some(turns.count - 1)
                }
            };
            turns.of[begin] = turns.of[begin].or(turns.of[i]);
        }
        turns
    }
}

struct Dropping<'a> {
    view: &'a View<'a>,
    settings: &'a TurnDrop,
    user_protection: UserProtection,
    /// By message.
    stays: Vec<bool>,
    skipped: Vec<Skip>,
}

impl Dropping<'_> {
    /// Marks the turns before the last ones, except those that stay for their content.
    fn middle(&mut self, turns: &Turns) {
        let view = self.view;
        let first_kept = turns.count.saturating_sub(self.settings.keep_turns);
        let turns = turns.of.iter().enumerate();
        let middle: Vec<(usize, usize)> = turns
            .filter_map(|(i, turn)| Some((i, (*turn)?)))
            .filter(|(_, turn)| *turn < first_kept)
            .collect();
        let mut kept = vec![None; first_kept];
        for &(i, turn) in &middle {
            kept[turn] = self.must_keep(i).or(kept[turn]);
        }
        // The kept turns begin at the newest question at the latest, however many turns of tools
        // followed.
        let newest = view.left().rfind(|&i| is_question(view, i)).unwrap_or(0);
        for (i, turn) in middle {
            self.stays[i] = kept[turn].is_some() || i == newest;
            if let Some(why) = kept[turn].filter(|why| !why.is_empty()) {
                self.skip(i, why);
            }
        }
    }

    /// Returns why message `i` stays wherever it is; empty if that is obvious.
    fn must_keep(&self, i: usize) -> Option<&'static str> {
        let message = &self.view.transcript.messages[i];
        let is_protected = |(index, _)| self.user_protection.reason(index).is_some();
        if self.view.parts(i).any(is_protected) {
            return Some("it is protected");
        }
        if message.not_removable || message.role == Role::Other {
            return Some("it replaces what came before it");
        }
        let is_image = |b: &Block| b.kind == BlockKind::Image;
        let has_image = |(index, b): (u32, &Block)| {
            is_image(b) || self.view.children(index).iter().any(is_image)
        };
        if !self.settings.drop_images && self.view.parts_left(i).any(has_image) {
            return Some("it holds an image");
        }
        // Documents, and parts that define tools for later calls.
        let is_kept = |(_, b): (u32, &Block)| b.kind == BlockKind::Other && b.chars > 0;
        if message.role == Role::User && self.view.parts_left(i).any(is_kept) {
            return Some("it holds more than text");
        }
        (self.settings.tool_turns == ToolTurns::Keep
            && self.view.parts_left(i).any(|(_, b)| b.is_linked()))
        .then_some("")
    }

    /// Keeps or removes steps as a whole; unpaired parts stay.
    fn steps(&mut self) {
        let (view, kept) = (self.view, self.stays.clone());
        for i in view.left() {
            let dangles = |(index, block): (u32, &Block)| {
                block.is_linked() && self.view.paired_with(index).is_empty()
            };
            if kept[i] {
                self.keep_rest_of_step(i);
            } else if view.parts_left(i).any(dangles) {
                self.keep_whole_step(i, "a call or result in it has no other side");
            }
        }
    }

    /// Keeps message `i`, and with it all of its step; returns the first message that is kept for
    /// it.
    fn keep_whole_step(&mut self, i: usize, why: &str) -> usize {
        if self.stays[i] {
            return i;
        }
        self.stays[i] = true;
        self.skip(i, why);
        self.keep_rest_of_step(i)
    }

    /// Keeps the rest of the step of message `i`; returns the first message of what is kept for it.
    fn keep_rest_of_step(&mut self, i: usize) -> usize {
        let (view, mut open, mut first) = (self.view, vec![i], i);
        while let Some(i) = open.pop() {
            first = first.min(i);
            let partners = view
                .parts_left(i)
                .flat_map(|(index, _)| view.paired_with(index))
                .map(|&block| view.message_of(block));
            for j in partners.chain(view.pieces_of(i)) {
                if !self.stays[j] {
                    self.stays[j] = true;
                    self.skip(j, "its step reaches into what stays");
                    open.push(j);
                }
            }
        }
        first
    }

    /// Keeps messages between two others where the provider requires it for the order of roles.
    fn order(&mut self) {
        let view = self.view;
        for i in around_system(view) {
            self.keep_whole_step(i, "a system message is beside it");
        }
        let role = |i: usize| view.transcript.messages[i].role;
        let all: Vec<usize> = view.left().filter(|&i| role(i) != Role::System).collect();
        if all.first().is_some_and(|&i| may_begin(view, i)) {
            let first = all.iter().position(|&i| self.stays[i]).unwrap_or(0);
            let mut before = all[..=first].iter().rev();
            if let Some(&i) = before.find(|&&i| may_begin(view, i)) {
                self.keep_whole_step(i, "a conversation begins with it");
            }
        }
        // Places in `all`: of the message looked at, and of the one before it that stays.
        let (mut at, mut before) = (0, None);
        while at < all.len() {
            if !self.stays[all[at]] {
                at += 1;
                continue;
            }
            let Some(last) = before
                .replace(at)
                .filter(|last| last + 1 < at && !may_follow(view, all[*last], all[at]))
            else {
                at += 1;
                continue;
            };
            let (a, b) = (all[last], all[at]);
            let fits = |&&i: &&usize| may_follow(view, a, i) && may_follow(view, i, b);
            let between = &all[last + 1..at];
            let found = between
                .iter()
                .rev()
                .find(fits)
                .or(between.last())
                .copied()
                .unwrap_or(b);
            let first = self.keep_whole_step(found, "roles would not follow each other without it");
            // From the message before the first one that came back.
            at = all.partition_point(|&i| i < first.min(a));
            before = all[..at].iter().rposition(|&i| self.stays[i]);
        }
    }

    fn skip(&mut self, i: usize, why: &str) {
        let message = self.view.transcript.messages[i].number;
        self.skipped.push(skip(message, why));
    }
}

fn skip(message: u32, why: &str) -> Skip {
    Skip {
        pass: PASS.name,
        message,
        part: 0,
        why: why.to_owned(),
    }
}

/// Keeps the first message that would go and is one text of a user, with the marker for its text.
/// Returns why there is none.
///
/// # Errors
/// The input cannot be read any more.
fn marked(
    view: &View<'_>,
    stays: &[bool],
    cuts: &mut Vec<Cut>,
    marker: &str,
) -> Result<Option<&'static str>, crate::Error> {
    let role = |i: usize| view.transcript.messages[i].role;
    let spoken = |j: &usize| stays[*j] && role(*j) != Role::System && !view.is_gone(*j);
    let is_text = |block: &Block| block.kind == BlockKind::Text;
    let fits = |cut: &Cut| {
        let i = cut.message as usize;
        let (before, after) = ((0..i).rfind(spoken), (i + 1..stays.len()).find(spoken));
        matches!(view.transcript.blocks_of(i), [only] if is_text(only))
            && role(i) == Role::User
            && before.is_none_or(|a| may_follow(view, a, i))
            && after.is_none_or(|b| may_follow(view, i, b))
    };
    let Some(at) = cuts.iter().position(fits) else {
        return Ok(Some("no message of a user can carry the marker"));
    };
    let block = view.transcript.blocks[cuts[at].block as usize];
    // It has it already.
    if view.text(cuts[at].message as usize, block.span.inside())? == marker {
        cuts.remove(at);
        return Ok(None);
    }
    cuts[at].action = Action::Rewrite(Rewrite {
        span: block.span.inside(),
        segments: vec![Segment::Literal(text::encoded(marker))],
    });
    cuts[at].chars_after = view.chars_of_text(marker);
    Ok(None)
}
