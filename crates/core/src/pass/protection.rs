//! Protection: parts that no pass may remove, each with the reason.
//!
//! Some are protected by the user (`protect`); others hold the conversation together: the newest
//! message of the user, the step that waits for the model (an open tool loop), reasoning of that
//! loop, system prompts, and messages that represent other ones, such as summaries. `--force`
//! removes all of these except the last.

use super::{turns::turns, *};
use crate::{resource, settings::Protect};

/// The protected parts of a view.
pub struct Protection<'a> {
    view: &'a View<'a>,
    /// The newest turn of the user.
    newest: Option<u32>,
    /// First message of the step that waits for the model; past the end where none does.
    step: u32,
    /// First message after the newest turn, where a step waits; else past the end.
    open: u32,
    /// What the user protects.
    protected: UserProtection,
}

impl<'a> Protection<'a> {
    /// The pins of `view`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(view: &'a View<'a>, settings: &Settings) -> Result<Protection<'a>> {
        let turns = turns(view)?;
        let newest = turns.last().copied();
        let end = view.transcript.messages.len() as u32;
        let step = open_step(view).unwrap_or(end);
        let open = if step == end || view.transcript.ignores_thinking(&view.rules) {
            end
        } else {
            newest.map_or(0, |turn| turn + 1).min(step)
        };
        Ok(Protection {
            view,
            newest,
            step,
            open,
            protected: UserProtection::new(view, settings)?,
        })
    }

    /// Why `part` stays, if it does.
    pub fn reason(&self, part: Part) -> Option<&str> {
        let kind = self.view.block(part.1).kind;
        // Where reasoning and what follows it are one group, the group may go.
        let is_bound = kind == BlockKind::Thinking && !self.view.transcript.reasoning_binds;
        if let Some(why) = self.why_message(part.0) {
            Some(why)
        } else if self.newest == Some(part.0) && kind != BlockKind::Result {
            Some("it is the newest message of the user")
        } else if part.0 >= self.step {
            Some("it is in an open tool loop, whose results the model has not seen")
        } else if part.0 >= self.open && is_bound {
            Some("it is reasoning of an open tool loop, which may not change")
        } else {
            self.protected.reason(part.1)
        }
    }

    /// Returns why message `i`, which has no parts, stays, if it does.
    pub fn why_message(&self, i: u32) -> Option<&'static str> {
        let message = &self.view.transcript.messages[i as usize];
        match message.role {
            _ if message.not_removable => Some("it represents other messages"),
            Role::System => Some("it is the system prompt"),
            _ => None,
        }
    }

    /// Whether not even a forced selector takes message `i`.
    pub fn is_not_removable(&self, i: u32) -> bool {
        self.view.transcript.messages[i as usize].not_removable
    }
}

/// First message of the step that waits for the model: the transcript ends with calls, or with
/// results.
pub fn open_step(view: &View<'_>) -> Option<u32> {
    let role = |i: usize| view.transcript.messages[i].role;
    let last = view
        .left()
        .rfind(|&i| !matches!(role(i), Role::System | Role::Other))?;
    let has = |kind| view.parts(last).any(|(_, block)| block.kind == kind);
    let own = view.begin_of(last as u32);
    if role(last) == Role::Assistant {
        return has(BlockKind::Call).then_some(own);
    }
    let parts = view.parts(last);
    let results = parts.filter(|(_, block)| block.kind == BlockKind::Result);
    let calls = results.flat_map(|(result, _)| view.paired_with(result));
    let begins = calls.map(|&call| view.begin_of(view.part(call).0));
    // Results whose calls are not here wait as well.
    begins
        .min()
        .or_else(|| has(BlockKind::Result).then_some(last as u32))
}

/// Protection by `protect` alone, for passes that find all other protected parts themselves: blocks
/// with the reasons.
#[derive(Default)]
pub struct UserProtection(HashMap<u32, String>);

impl UserProtection {
    /// The shield of `view`: calls by tool and by path, with their results, and texts by words.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(view: &View<'_>, settings: &Settings) -> Result<UserProtection> {
        let mut found = UserProtection::default();
        if settings.protect == Protect::default() {
            return Ok(found);
        }
        for (i, index, block) in view.all_parts() {
            if let Some(why) = protected(view, i, index, settings)? {
                let partners = match block.is_linked() {
                    true => view.paired_with(index),
                    false => &[],
                };
                for &block in partners.iter().chain([&index]) {
                    found.0.insert(block, why.clone());
                }
            }
        }
        Ok(found)
    }

    /// Returns why the part at `block` stays, if it does.
    pub fn reason(&self, block: u32) -> Option<&str> {
        self.0.get(&block).map(String::as_str)
    }
}

/// Why the user protects the block at `index` of message `i`, if so.
fn protected(view: &View<'_>, i: usize, index: u32, settings: &Settings) -> Result<Option<String>> {
    let (block, protect) = (view.block(index), &settings.protect);
    let role = view.transcript.messages[i].role;
    match block.kind {
        BlockKind::Call | BlockKind::Result => {
            let tool = view.tool(index);
            let name = tool.trim().to_lowercase();
            let fits = |pattern: &String| wildcard::matches(pattern, &name);
            if protect.tools.iter().any(fits) {
                return Ok(Some(format!("protect.tools holds {tool:?}")));
            }
            if block.kind == BlockKind::Result || protect.files.list().is_empty() {
                return Ok(None);
            }
            let paths = resource::paths(view, i, index, &settings.resources)?;
            let path = paths.into_iter().find(|path| protect.files.fits(path));
            Ok(path.map(|path| format!("protect.files holds {path}")))
        }
        BlockKind::Text
            if matches!(role, Role::User | Role::Assistant)
                && !protect.patterns.list().is_empty() =>
        {
            let text = view.text(i, block.span.inside())?;
            let why = "protect.patterns holds a word of it";
            Ok(protect.patterns.are_in(&text).then(|| why.to_owned()))
        }
        _ => Ok(None),
    }
}

/// Returns why a result stays that would be cut down to a user's words, or removed with them.
pub const OF_USER: &str = "it holds words of a user";

/// Takes back the cuts of a pass that replace text under `protect`, and reports it; other cuts
/// leave the words of a user. Passes that take parts away ask before they choose, as those go in
/// groups; of whole turns with such words there is a warning.
///
/// # Errors
/// The input cannot be read any more.
pub fn guard(
    view: &View<'_>,
    settings: &Settings,
    pass: &'static str,
    proposal: &mut Proposal,
) -> Result<()> {
    let (user_protection, mut lost) = (UserProtection::new(view, settings)?, false);
    for cut in std::mem::take(&mut proposal.cuts) {
        let at = (cut.message, cut.block);
        if cut.action.removes() {
            let all = cut.action == Action::DropMessage;
            for (block, _) in view.parts_left(at.0 as usize) {
                lost |= (all || block == at.1) && view.user_words((at.0, block))?.is_some();
            }
            proposal.cuts.push(cut);
        } else if let Some(why) = user_protection.reason(at.1) {
            proposal.skipped.push(view.skip(pass, at, why));
        } else if let Some(cut) = view.keeping_user_words(cut)? {
            proposal.cuts.push(cut);
        } else {
            proposal.skipped.push(view.skip(pass, at, OF_USER));
        }
    }
    if lost {
        let warning = format!("{pass} removes words of a user that are in results");
        proposal.warnings.push(warning);
    }
    Ok(())
}
