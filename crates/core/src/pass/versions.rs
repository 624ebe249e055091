//! The kind of a call for passes that remove whole calls: ephemeral, or a version of a resource.

use super::candidates::is_placeholder;
use crate::Error;
use crate::edit::View;
use crate::resource::{self, ResourceAccess};
use crate::settings::{Act, Settings};
use crate::transcript::{BlockKind, Flags};
use crate::wildcard;

/// The kind of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Its tool holds no resource.
    Ephemeral {
        /// Whether a table or the configuration names the tool.
        listed: bool,
    },
    /// It read or wrote these.
    Version(Vec<ResourceAccess>),
    /// Its tool holds a resource, but it failed or does not name one.
    Failed,
    /// Its tool holds a resource, and nothing answers it.
    Orphan,
}

/// Returns the kind of the call at `block` of message `i`.
///
/// # Errors
/// The input cannot be read any more.
pub fn call_kind(
    view: &View<'_>,
    i: usize,
    block: u32,
    settings: &Settings,
) -> Result<CallKind, Error> {
    let tool = view.tool(block);
    if !resource::is_stateful_tool(tool, &settings.resources) {
        return Ok(CallKind::Ephemeral {
            listed: is_listed(tool, settings),
        });
    }
    if results(view, block).is_empty() {
        return Ok(CallKind::Orphan);
    }
    let touches = done(view, i, block, settings)?;
    if touches.is_empty() {
        return Ok(CallKind::Failed);
    }
    let gone = touches
        .iter()
        .all(|touch| matches!(touch.act, Act::Delete | Act::Move));
    Ok(if gone {
        CallKind::Ephemeral { listed: true }
    } else {
        CallKind::Version(touches)
    })
}

/// Returns the resources that the call accessed, with the operation on each; none if it failed or has no result. Tools that delete or
/// move resources count too.
///
/// # Errors
/// The input cannot be read any more.
pub fn done(
    view: &View<'_>,
    i: usize,
    block: u32,
    settings: &Settings,
) -> Result<Vec<ResourceAccess>, Error> {
    let failed = |result: &u32| view.block(*result).flags.has(Flags::ERROR);
    let results = results(view, block);
    if results.is_empty() || results.iter().all(failed) {
        Ok(Vec::new())
    } else {
        resource::accesses(view, i, block, &settings.resources)
    }
}

/// The results of the call at `block`.
pub fn results(view: &View<'_>, block: u32) -> Vec<u32> {
    let paired = view.paired_with(block).iter().copied();
    paired
        .filter(|other| view.block(*other).kind == BlockKind::Result)
        .collect()
}

/// Whether a table or the configuration says that `tool` is ephemeral.
pub fn is_listed(tool: &str, settings: &Settings) -> bool {
    let named =
        |pattern: &str| wildcard::matches(&pattern.to_lowercase(), &tool.trim().to_lowercase());
    settings.ephemeral.tools.iter().any(|p| named(p))
        || settings
            .resources
            .stateful
            .iter()
            .any(|row| named(&row.tool))
        || settings.resources.built_in && resource::is_known_ephemeral(tool)
}

/// The beginning of a result that refers the model to an earlier one.
const UNCHANGED: &str = "File unchanged since last read";

/// Whether the call's results still show what they are about: they were not trimmed or cleared, and do not point back.
///
/// # Errors
/// The input cannot be read any more.
pub fn shows(view: &View<'_>, block: u32, settings: &Settings) -> Result<bool, Error> {
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    for result in results(view, block) {
        let (at, children) = (view.part(result), view.children(result));
        if view.cut(result).is_some()
            || children.iter().any(|c| c.flags.has(Flags::TRIMMED))
            || view.block(result).flags.has(Flags::ABSENT)
            || is_placeholder(view, at, placeholder)?
        {
            return Ok(false);
        }
        if let Some(first) = children.first().filter(|c| c.kind == BlockKind::Text) {
            let head = first.span.inside().head(UNCHANGED.len() as u32);
            if view.text(at.0 as usize, head)? == UNCHANGED {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
