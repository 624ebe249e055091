//! stale-resource: removes reads and writes of a resource that a newer version replaces.
//!
//! **What.** A read or a write of a whole resource replaces all older versions of it, whole and partial, with their calls. A call
//! that deletes or renames the resource does so too. `resources.stateful` and the built-in tables list the tools that hold a
//! resource, with the argument that names it.
//!
//! **Why.** Two versions of one file cost twice, and the older one misleads.
//!
//! **Safety.** A call that failed, that shows or edits a part, that was trimmed, or that only refers to an earlier read replaces
//! nothing. Two versions in one message are both kept until a later one comes. Calls are removed with their results; protected
//! parts are kept and reported.
//!
//! ```text
//! before  [call read a] · [result v1] · … · [call read a] · [result v2]
//! after   … · [call read a] · [result v2]
//! ```

use super::dependencies::{Dependencies, Part};
use super::removal::remove;
use super::versions::{done, results, shows};
use super::{Pass, Rest};
use crate::edit::{Proposal, Reason, View};
use crate::settings::{Act, Mode, Settings};
use crate::transcript::BlockKind;
use std::collections::{BTreeMap, HashMap};

/// The table's row.
pub const PASS: Pass = Pass {
    name: "stale-resource",
    about: "remove older reads and writes of a file that a newer one replaces",
    on: |settings| settings.resources.enabled,
    clocked: false,
    size: None,
    plan,
};

/// A version of a resource that nothing has replaced yet.
struct Version {
    call: u32,
    /// The provider's message that holds the call.
    message: u32,
}

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let dependencies = Dependencies::new(view);
    let mut live: HashMap<String, Vec<Version>> = HashMap::new();
    // For each call how many of its resources have no newer version, and why the last of them has.
    let mut current: HashMap<u32, usize> = HashMap::new();
    let mut wanted: BTreeMap<Part, Reason> = BTreeMap::new();
    for i in view.left() {
        let message = dependencies.begin_of(i as u32);
        for (call, _) in view
            .parts_left(i)
            .filter(|(_, block)| block.kind == BlockKind::Call)
        {
            for touch in done(view, &dependencies, i, call, settings)? {
                let takes_away = matches!(touch.act, Act::Delete | Act::Move);
                let replaces = takes_away
                    || touch.act == Act::Write
                    || touch.act == Act::Read
                        && touch.whole
                        && shows(view, &dependencies, call, settings)?;
                let versions = live.entry(touch.path).or_default();
                if replaces {
                    let verb = if takes_away {
                        "is deleted"
                    } else {
                        "has a newer version"
                    };
                    let place = view.named((i as u32, call));
                    versions.retain(|old| {
                        if old.message == message {
                            return true;
                        }
                        let left = current.entry(old.call).or_default();
                        *left = left.saturating_sub(1);
                        if *left == 0 {
                            let why =
                                format!("stale-resource: what it shows {verb} in {place}").into();
                            let reason = Reason::Shared(why);
                            let results = results(view, &dependencies, old.call).into_iter();
                            wanted.extend(
                                results
                                    .chain([old.call])
                                    .map(|block| (dependencies.part(block), reason.clone())),
                            );
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
    Ok(remove(view, settings, PASS.name, &dependencies, wanted)?)
}
