//! The results that the provider's server clears in the place of break-even.
//!
//! **What.** Where thinking behind a result is bound to it, no cut may be made here, but
//! Anthropic's server may clear what came first (`clear_tool_uses`) and keeps thinking valid.
//! Break-even then decides how many of the first results that can be cleared pay together; in each
//! later request they are the same ones.
//!
//! **Why.** An agent's work is one long tool loop, and on Claude 5.1 and later all its thinking is
//! bound.
//!
//! **Safety.** Nothing changes here but the member that asks for it. The run ends before the first
//! result that must stay. What break-even would keep inside the run, as it is small, is cleared
//! with it, counted and priced.
//!
//! ```text
//! before  {"messages":[…]}
//! after   {"context_management":{"edits":[{"type":"clear_tool_uses_20250919",…}]},"messages":[…]}
//! ```

use super::{edits::clearable, protection::UserProtection, *};
use crate::{
    resource::kind_of,
    settings::{Images, ToolKind, context_management::step_of},
};

/// The tools that the server leaves alone: those that change files, and those that the settings
/// protect.
pub fn excluded<'t>(
    settings: &Settings,
    tools: impl IntoIterator<Item = &'t String>,
) -> Arc<[String]> {
    let allowed = &settings.context_pruning.tools;
    let is_left = |tool: &&String| {
        let protects = |pattern: &String| wildcard::matches(pattern, &tool.trim().to_lowercase());
        kind_of(tool) == ToolKind::Edit
            || !wildcard::allows(&allowed.allow, &allowed.deny, tool)
            || settings.protect.tools.iter().any(protects)
    };
    tools.into_iter().filter(is_left).cloned().collect()
}

/// Returns the results that the server can clear, the oldest first, and how many of them the cuts
/// of `view` leave to it.
///
/// # Errors
/// The input cannot be read any more.
pub fn uses(view: &View<'_>, tools: &[String]) -> Result<(Vec<Part>, usize)> {
    let all = clearable(view, &step_of(tools).ok_or(Error::Changed)?)?;
    let is_left = |at: &Part| {
        let cut = view.cut(at.1);
        cut.is_some_and(|cut| cut.action.by_server().is_some())
    };
    let cleared = all.iter().rposition(is_left).map_or(0, |last| last + 1);
    Ok((all, cleared))
}

/// Returns the results that the server is to clear after those that it clears already: up to the
/// last that break-even would clear, of `waiting`, and before message `end`. What must stay ends
/// them.
///
/// # Errors
/// The input cannot be read any more.
pub fn run(
    view: &View<'_>,
    settings: &Settings,
    tools: &[String],
    (end, waiting): (u32, &[Part]),
) -> Result<Vec<Part>> {
    let (all, cleared) = uses(view, tools)?;
    let pruning = &settings.context_pruning;
    let protection = UserProtection::new(view, settings)?;
    let may_go = |at: &Part| {
        let mut children = view.children(at.1).iter();
        let has_image = children.any(|child| child.kind == BlockKind::Image);
        at.0 < end
            && protection.reason(at.1).is_none()
            && wildcard::allows(&pruning.tools.allow, &pruning.tools.deny, view.tool(at.1))
            && !(has_image && pruning.images == Images::Skip)
    };
    let mut new: Vec<Part> = all.into_iter().skip(cleared).take_while(may_go).collect();
    for i in 0..new.len() {
        if view.user_words(new[i])?.is_some() {
            new.truncate(i);
            break;
        }
    }
    let last = new.iter().rposition(|at| waiting.binary_search(at).is_ok());
    new.truncate(last.map_or(0, |last| last + 1));
    new.retain(|at| view.cut(at.1).is_none());
    new.sort_unstable();
    Ok(new)
}
