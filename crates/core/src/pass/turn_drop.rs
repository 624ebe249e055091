//! turn-drop: removes the middle of a long conversation.
//!
//! **What.** In a conversation of more than `minMessages` messages or `minBodyChars` chars, the turns before the last `keepTurns`
//! are removed, except system prompts, turns with images and, with `toolTurns: "keep"`, turns with calls or results. With
//! `toolTurns: "drop"` these are removed too, as whole steps: all calls of a message with all their results and the texts beside
//! them.
//!
//! **Why.** Every request pays for the oldest messages again.
//!
//! **Safety.** A step is kept or removed as a whole; a step whose result lies among the kept turns is kept. The kept turns begin
//! where a conversation may begin. Where a provider requires roles to alternate, a turn between two of the other role is kept. No
//! summary replaces the removed turns; `marker` may leave a note. Unpaired calls and results of the input are left alone.
//!
//! ```text
//! before  system · user 1 · assistant 1 · user 2 · … · user 9 · assistant 9
//! after   system · user 6 · … · user 9 · assistant 9
//! ```

use super::candidates::is_question;
use super::dependencies::Dependencies;
use super::protection::UserProtection;
use super::{Pass, Rest, sequence};
use crate::diagnostics::Skip;
use crate::edit::{Action, Cut, Proposal, Reason, Rewrite, Segment, View};
use crate::json::text;
use crate::settings::{Mode, Settings, ToolTurns, TurnDrop, TurnUnit};
use crate::transcript::{Block, BlockKind, Role};
use std::sync::Arc;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "turn-drop",
    about: "remove the turns in the middle of a long conversation",
    on: |settings| settings.turn_drop.enabled,
    clocked: false,
    size: Some(|settings| settings.turn_drop.size()),
    plan,
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let dependencies = Dependencies::new(view);
    let user_protection = UserProtection::new(view, &dependencies, settings)?;
    let settings = &settings.turn_drop;
    let turns = Turns::of(view, settings.turn_unit);
    let mut dropping = Dropping {
        view,
        settings,
        dependencies,
        user_protection,
        stays: vec![true; view.transcript.messages.len()],
        skipped: Vec::new(),
    };
    dropping.middle(&turns);
    dropping.steps();
    dropping.order();
    let Dropping {
        stays,
        mut skipped,
        dependencies,
        ..
    } = dropping;
    let mut cuts = cuts(view, &stays, &turns, settings);
    if !settings.marker.is_empty()
        && !cuts.is_empty()
        && let Err(why) = marked(view, &dependencies, &stays, &mut cuts, &settings.marker)
    {
        skipped.push(Skip {
            pass: PASS.name,
            message: 0,
            part: 0,
            why: why.to_owned(),
        });
    }
    let note = cuts
        .is_empty()
        .then(|| format!("no turn before the last {} can go", settings.keep_turns));
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

/// Turns of a conversation, and how many messages they are.
struct Turns {
    /// For every message the number of its turn, from 0; none for system prompts and what is no turn.
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
                // What the log split is one turn, also where its beginning is gone.
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
    dependencies: Dependencies<'a>,
    user_protection: UserProtection,
    /// By message.
    stays: Vec<bool>,
    skipped: Vec<Skip>,
}

impl Dropping<'_> {
    /// Marks the turns before the last ones, but those that stay for what they hold.
    fn middle(&mut self, turns: &Turns) {
        let view = self.view;
        let first_kept = turns.count.saturating_sub(self.settings.keep_turns);
        let mut kept = vec![None; turns.count];
        for (i, turn) in turns
            .of
            .iter()
            .enumerate()
            .filter_map(|(i, turn)| Some((i, (*turn)?)))
            .filter(|(_, turn)| *turn < first_kept)
        {
            if let Some(why) = self.must_keep(i) {
                kept[turn] = Some(why);
            }
        }
        // Not before the newest question, however many turns of tools came since.
        let newest = (0..turns.of.len())
            .rev()
            .find(|&i| is_question(view, i) && !view.is_gone(i))
            .unwrap_or(0);
        for (i, turn) in turns
            .of
            .iter()
            .enumerate()
            .filter_map(|(i, turn)| Some((i, (*turn)?)))
            .filter(|(_, turn)| *turn < first_kept)
        {
            self.stays[i] = kept[turn].is_some() || i == newest;
            if let Some(why) = kept[turn].filter(|why| !why.is_empty()) {
                self.skip(i, why);
            }
        }
    }

    /// Why message `i` stays wherever it is; empty where that is obvious.
    fn must_keep(&self, i: usize) -> Option<&'static str> {
        let message = &self.view.transcript.messages[i];
        if self
            .view
            .parts(i)
            .any(|(index, _)| self.user_protection.reason(index).is_some())
        {
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
        (self.settings.tool_turns == ToolTurns::Keep
            && self.view.parts_left(i).any(|(_, b)| b.is_linked()))
        .then_some("")
    }

    /// Steps stay or go whole; what dangles stays.
    fn steps(&mut self) {
        let (view, kept) = (self.view, self.stays.clone());
        for (i, kept) in kept
            .into_iter()
            .enumerate()
            .filter(|(i, _)| !view.is_gone(*i))
        {
            let dangles = |(index, block): (u32, &Block)| {
                block.is_linked() && self.dependencies.paired_with(index).is_empty()
            };
            if kept {
                self.keep_rest_of_step(i);
            } else if view.parts_left(i).any(dangles) {
                self.keep_whole_step(i, "a call or result in it has no other side");
            }
        }
    }

    /// Keeps message `i`, and with it all of its step; returns the first message that is kept for it.
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
            let partners = view.parts_left(i).flat_map(|(index, _)| {
                self.dependencies
                    .paired_with(index)
                    .iter()
                    .map(|&b| self.dependencies.message_of(b))
            });
            for j in partners
                .chain(self.dependencies.pieces_of(i))
                .collect::<Vec<_>>()
            {
                if !self.stays[j] {
                    self.stays[j] = true;
                    self.skip(j, "its step reaches into what stays");
                    open.push(j);
                }
            }
        }
        first
    }

    /// Roles follow each other as the provider wants it: what was between two messages stays where it must.
    fn order(&mut self) {
        let view = self.view;
        for i in sequence::around_system(view) {
            self.keep_whole_step(i, "a system message is beside it");
        }
        let spoken =
            |i: &usize| view.transcript.messages[*i].role != Role::System && !view.is_gone(*i);
        let all: Vec<usize> = (0..self.stays.len()).filter(spoken).collect();
        if all.first().is_some_and(|&i| sequence::may_begin(view, i)) {
            let first = all.iter().position(|&i| self.stays[i]).unwrap_or(0);
            if let Some(i) = all[..=first]
                .iter()
                .rev()
                .copied()
                .find(|&i| sequence::may_begin(view, i))
            {
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
            let Some(last) = before.replace(at).filter(|last| {
                last + 1 < at
                    && !sequence::may_follow(view, &self.dependencies, all[*last], all[at])
            }) else {
                at += 1;
                continue;
            };
            let (a, b) = (all[last], all[at]);
            let fits = |&&i: &&usize| {
                sequence::may_follow(view, &self.dependencies, a, i)
                    && sequence::may_follow(view, &self.dependencies, i, b)
            };
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
        self.skipped.push(Skip {
            pass: PASS.name,
            message,
            part: 0,
            why: why.to_owned(),
        });
    }
}

/// The cuts that take away what does not stay.
fn cuts(view: &View<'_>, stays: &[bool], turns: &Turns, settings: &TurnDrop) -> Vec<Cut> {
    let reason: Arc<str> = format!(
        "before the last {} turns of {}",
        settings.keep_turns, turns.count
    )
    .into();
    let mut cuts = Vec::new();
    for i in (0..stays.len()).filter(|&i| !stays[i] && !view.is_gone(i)) {
        // What earlier passes took out of it counts here: their cuts give way to this one.
        let chars = view
            .parts(i)
            .map(|(index, _)| view.chars_of_block_before(i, index))
            .sum();
        cuts.push(Cut {
            pass: PASS.name,
            message: i as u32,
            block: view.transcript.messages[i].blocks,
            action: Action::DropMessage,
            chars_before: chars,
            chars_after: 0,
            linked: false,
            reason: Reason::Shared(reason.clone()),
        });
    }
    cuts
}

/// Keeps the first message that would go and is one text of a user, with the marker for its text.
fn marked(
    view: &View<'_>,
    dependencies: &Dependencies<'_>,
    stays: &[bool],
    cuts: &mut [Cut],
    marker: &str,
) -> Result<(), &'static str> {
    let fits = |cut: &Cut| {
        let i = cut.message as usize;
        let one = view.parts(i).count() == 1
            && view
                .transcript
                .blocks_of(i)
                .first()
                .is_some_and(|b| b.kind == BlockKind::Text);
        let spoken = |j: &usize| {
            stays[*j] && view.transcript.messages[*j].role != Role::System && !view.is_gone(*j)
        };
        let before = (0..i)
            .rev()
            .find(spoken)
            .is_none_or(|a| sequence::may_follow(view, dependencies, a, i));
        let after = (i + 1..stays.len())
            .find(spoken)
            .is_none_or(|b| sequence::may_follow(view, dependencies, i, b));
        one && view.transcript.messages[i].role == Role::User && before && after
    };
    let at = cuts
        .iter()
        .position(fits)
        .ok_or("no message of a user can carry the marker")?;
    let block = view.transcript.blocks[cuts[at].block as usize];
    cuts[at].action = Action::Rewrite(Rewrite {
        span: block.span.inside(),
        segments: vec![Segment::Literal(text::encoded(marker))],
    });
    cuts[at].chars_after = view.chars_of_text(marker);
    Ok(())
}
