//! Protection: parts that no pass may remove, each with the reason.
//!
//! Some are protected by the user (`protect`); others hold the conversation together: the newest message of the user, the step that
//! waits for the model (an open tool loop), reasoning of that loop, system prompts, and messages that represent other ones, such as
//! summaries. `--force` removes all of these except the last.

use super::dependencies::{Dependencies, Part};
use super::turns::turns;
use crate::Error;
use crate::edit::{Action, Proposal, View};
use crate::resource;
use crate::settings::{Protect, Settings};
use crate::transcript::{BlockKind, Role};
use crate::wildcard;
use std::collections::HashMap;

/// The protected parts of a view.
pub struct Protection<'a> {
    view: &'a View<'a>,
    /// The newest turn of the user.
    newest: Option<u32>,
    /// First message of the step that waits for the model; past the end where none does.
    step: u32,
    /// First message after the newest turn, where a step waits; else past the end.
    open: u32,
    /// Blocks that the user protects.
    protected: HashMap<u32, String>,
}

impl<'a> Protection<'a> {
    /// The pins of `view`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(
        view: &'a View<'a>,
        dependencies: &Dependencies<'_>,
        settings: &Settings,
    ) -> Result<Protection<'a>, Error> {
        let turns = turns(view)?;
        let newest = turns.last().copied();
        let end = view.transcript.messages.len() as u32;
        let step = waiting(view, dependencies).unwrap_or(end);
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
            protected: protected(view, dependencies, settings)?,
        })
    }

    /// Why `part` stays, if it does.
    pub fn reason(&self, part: Part) -> Option<&str> {
        let transcript = self.view.transcript;
        let block = &transcript.blocks[part.1 as usize];
        if let Some(why) = self.why_message(part.0) {
            return Some(why);
        }
        if self.newest == Some(part.0) && block.kind != BlockKind::Result {
            return Some("it is the newest message of the user");
        }
        if part.0 >= self.step {
            return Some("it is in an open tool loop, whose results the model has not seen");
        }
        // Where reasoning and what follows it are one group, the group may go.
        if part.0 >= self.open && block.kind == BlockKind::Thinking && !transcript.reasoning_binds {
            return Some("it is reasoning of an open tool loop, which may not change");
        }
        self.protected.get(&part.1).map(String::as_str)
    }

    /// Why message `i`, which has no parts, stays, if it does.
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

/// First message of the step that waits for the model: the transcript ends with calls, or with results.
fn waiting(view: &View<'_>, dependencies: &Dependencies<'_>) -> Option<u32> {
    let messages = &view.transcript.messages;
    let last = (0..messages.len())
        .rev()
        .find(|&i| !matches!(messages[i].role, Role::System | Role::Other) && !view.is_gone(i))?;
    let parts: Vec<_> = view.parts(last).collect();
    let linked = |kind| {
        parts
            .iter()
            .filter(move |(_, b)| b.kind == kind)
            .map(|(index, _)| *index)
    };
    if messages[last].role == Role::Assistant {
        return linked(BlockKind::Call)
            .next()
            .map(|_| dependencies.begin_of(last as u32));
    }
    let calls = linked(BlockKind::Result)
        .flat_map(|result| dependencies.paired_with(result))
        .map(|&call| dependencies.part(call).0);
    let begins = calls.map(|i| dependencies.begin_of(i)).min();
    // Results whose calls are not here wait as well.
    begins.or_else(|| linked(BlockKind::Result).next().map(|_| last as u32))
}

/// Finds the blocks that the user protects, each with the reason: calls by tool and by path, with their results, and texts by words.
fn protected(
    view: &View<'_>,
    dependencies: &Dependencies<'_>,
    settings: &Settings,
) -> Result<HashMap<u32, String>, Error> {
    let mut found = HashMap::new();
    let protect = &settings.protect;
    if *protect == Protect::default() {
        return Ok(found);
    }
    let transcript = view.transcript;
    for i in 0..transcript.messages.len() {
        for (index, block) in view.parts(i) {
            let why = match block.kind {
                BlockKind::Call | BlockKind::Result => {
                    let tool = transcript.tool_of(block);
                    let files = || by_file(view, i, index, settings);
                    match protect
                        .tools
                        .iter()
                        .any(|pattern| wildcard::matches(pattern, &tool.trim().to_lowercase()))
                    {
                        true => Some(format!("protect.tools holds {tool:?}")),
                        false if block.kind == BlockKind::Call => files()?,
                        false => None,
                    }
                }
                BlockKind::Text
                    if matches!(transcript.messages[i].role, Role::User | Role::Assistant) =>
                {
                    by_words(view, i, index, protect)?
                }
                _ => None,
            };
            let Some(why) = why else { continue };
            let partners = if block.is_linked() {
                dependencies.paired_with(index)
            } else {
                &[]
            };
            for &block in partners.iter().chain([&index]) {
                found.insert(block, why.clone());
            }
        }
    }
    Ok(found)
}

fn by_file(
    view: &View<'_>,
    i: usize,
    call: u32,
    settings: &Settings,
) -> Result<Option<String>, Error> {
    if settings.protect.files.list().is_empty() {
        return Ok(None);
    }
    let paths = resource::paths(view, i, call, &settings.resources)?;
    Ok(paths
        .into_iter()
        .find(|path| settings.protect.files.fits(path))
        .map(|path| format!("protect.files holds {path}")))
}

fn by_words(
    view: &View<'_>,
    i: usize,
    index: u32,
    protect: &Protect,
) -> Result<Option<String>, Error> {
    if protect.patterns.list().is_empty() {
        return Ok(None);
    }
    let span = view.transcript.blocks[index as usize].span;
    Ok(protect
        .patterns
        .are_in(&view.text(i, span.inside())?)
        .then(|| "protect.patterns holds a word of it".to_owned()))
}

/// Protection by `protect` alone, for passes that find all other protected parts themselves.
pub struct UserProtection(HashMap<u32, String>);

impl UserProtection {
    /// The shield of `view`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(
        view: &View<'_>,
        dependencies: &Dependencies<'_>,
        settings: &Settings,
    ) -> Result<UserProtection, Error> {
        Ok(UserProtection(protected(view, dependencies, settings)?))
    }

    /// The same for a pass that cuts only results; without anything protected it costs nothing.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of_results(view: &View<'_>, settings: &Settings) -> Result<UserProtection, Error> {
        let protect = &settings.protect;
        if protect.tools.is_empty() && protect.files.list().is_empty() {
            return Ok(UserProtection(HashMap::new()));
        }
        UserProtection::new(view, &Dependencies::new(view), settings)
    }

    /// Why the part at `block` stays, if it does.
    pub fn reason(&self, block: u32) -> Option<&str> {
        self.0.get(&block).map(String::as_str)
    }
}

/// Takes back the cuts of a pass that put other text in the place of what `protect` holds, and says so. Passes that take
/// parts away ask before they choose, as those go in groups.
///
/// # Errors
/// The input cannot be read any more.
pub fn guard(
    view: &View<'_>,
    settings: &Settings,
    pass: &'static str,
    proposal: &mut Proposal,
) -> Result<(), Error> {
    if settings.protect == Protect::default()
        || proposal.cuts.iter().all(|cut| is_drop(&cut.action))
    {
        return Ok(());
    }
    let user_protection = UserProtection::new(view, &Dependencies::new(view), settings)?;
    proposal.cuts.retain(|cut| {
        let why = user_protection
            .reason(cut.block)
            .filter(|_| !is_drop(&cut.action));
        if let Some(why) = why {
            proposal
                .skipped
                .push(view.skip(pass, (cut.message, cut.block), why));
        }
        why.is_none()
    });
    Ok(())
}

fn is_drop(action: &Action) -> bool {
    matches!(action, Action::Drop | Action::DropMessage)
}
