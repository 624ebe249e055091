//! The kind of a call for passes that remove whole calls: ephemeral, or a version of a resource;
//! and stale-resource: removes reads and writes of a resource that a newer version replaces.
//!
//! **What.** A read or a write of a whole resource replaces all older versions of it, whole and
//! partial, with their calls. A call that deletes or renames the resource does so too.
//! `resources.stateful` and the built-in tables list the tools that hold a resource, with the
//! argument that names it.
//!
//! **Why.** Two versions of one file cost twice, and the older one misleads.
//!
//! **Safety.** A call that failed, that shows or edits a part, that was trimmed, or that only
//! refers to an earlier read replaces nothing. Two versions in one message are both kept until a
//! later one comes. Calls are removed with their results; protected parts are kept and reported.
//!
//! ```text
//! before  [call read a] · [result v1] · … · [call read a] · [result v2]
//! after   … · [call read a] · [result v2]
//! ```

use super::{removal::remove, *};
use crate::{resource, resource::ResourceAccess, settings::Act};

/// The kind of a call.
#[derive(Debug)]
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
    /// Its tool holds a resource, and it has no result.
    Orphan,
}

/// Returns the kind of the call at `block` of message `i`.
///
/// # Errors
/// The input cannot be read any more.
pub fn call_kind(view: &View<'_>, i: usize, block: u32, settings: &Settings) -> Result<CallKind> {
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

/// Returns the resources that the call accessed, with the operation on each; none if it failed or
/// has no result. Tools that delete or move resources count too.
///
/// # Errors
/// The input cannot be read any more.
pub fn done(
    view: &View<'_>,
    i: usize,
    block: u32,
    settings: &Settings,
) -> Result<Vec<ResourceAccess>> {
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

/// Whether the call's results still hold the content: they were not trimmed or cleared, and do not
/// refer to an earlier result.
///
/// # Errors
/// The input cannot be read any more.
pub fn shows(view: &View<'_>, block: u32, settings: &Settings) -> Result<bool> {
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    for result in results(view, block) {
        let (at, children) = (view.part(result), view.children(result));
        if view.cut(result).is_some()
            || children.iter().any(|c| c.flags.has(Flags::TRIMMED))
            || view.block(result).flags.has(Flags::ABSENT)
            || view.is_placeholder(at, placeholder)?
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

/// The table's row.
pub const PASS: Pass = Pass {
    name: "stale-resource",
    about: "remove older reads and writes of a file that a newer one replaces",
    on: |settings| settings.resources.enabled,
    removes: true,
    reach: Reach::AnyAge,
    rests_if_invalid: true,
    plan,
    ..Pass::REST
};

/// A version of a resource that nothing has replaced yet.
struct Version {
    call: u32,
    /// The provider's message that holds the call.
    message: u32,
}

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let mut live: HashMap<String, Vec<Version>> = HashMap::new();
    // For each call how many of its resources have no newer version, and why the last of them has.
    let mut current: HashMap<u32, usize> = HashMap::new();
    let mut wanted: BTreeMap<Part, Reason> = BTreeMap::new();
    for i in view.left() {
        let message = view.begin_of(i as u32);
        for call in view.left_of(i, BlockKind::Call) {
            for touch in done(view, i, call, settings)? {
                let takes_away = matches!(touch.act, Act::Delete | Act::Move);
                let replaces = takes_away
                    || touch.act == Act::Write
                    || touch.act == Act::Read && touch.whole && shows(view, call, settings)?;
                let versions = live.entry(touch.path).or_default();
                if replaces {
                    let verb = match takes_away {
                        true => "is deleted",
                        false => "has a newer version",
                    };
                    let place = view.named((i as u32, call));
                    versions.retain(|old| {
                        if old.message == message {
                            return true;
                        }
                        let left = current.entry(old.call).or_default();
                        *left = left.saturating_sub(1);
                        if *left == 0 {
                            let reason: Reason =
                                format!("stale-resource: what it shows {verb} in {place}").into();
                            let blocks = results(view, old.call).into_iter().chain([old.call]);
                            wanted.extend(blocks.map(|block| (view.part(block), reason.clone())));
                        }
                        false
                    });
                }
                if !takes_away {
                    versions.push(Version { call, message });
                    *current.entry(call).or_default() += 1;
                }
            }
        }
    }
    Ok(remove(view, settings, PASS.name, wanted)?)
}
