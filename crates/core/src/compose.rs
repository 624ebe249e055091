//! The composition cap: only one mechanism may change the content of a request, and turn-drop and
//! rag-rerank have priority.
//!
//! A caller with other mechanisms names them (`--compose`), or reports that one has already changed
//! the request (`--already-mutated`). Routing is always disabled when a pass here may cut. Other
//! mechanisms that change content are skipped after a pass has cut.

use schemars::JsonSchema;
use serde::Serialize;

/// The caller's other mechanics, and the name of the header.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Caller {
    /// Mechanics that are enabled beside this one, if the caller names any.
    pub mechanics: Vec<String>,
    /// The one that changed the request already.
    pub already_mutated: Option<String>,
    /// Name of the header that says what was removed.
    pub header: String,
}

impl Default for Caller {
    fn default() -> Caller {
        Caller {
            mechanics: Vec::new(),
            already_mutated: None,
            header: "x-deadhead-context-pruned".to_owned(),
        }
    }
}

/// The mechanic that routes a request to another model, and does not change it.
pub const ROUTE: &str = "auto-route";

/// The outcome of the cap.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Composition {
    /// `context-prune` where a pass under the cap cut something.
    #[schemars(extend("enum" = ["context-prune", null]))]
    pub applied: Option<&'static str>,
    /// Whether one of them was on and the request large enough, before anything was cut.
    pub mutating_candidate_present: bool,
    /// Whether something was cut.
    pub content_mutation_applied: bool,
    /// Mechanics that must rest because there was a candidate.
    pub forced_off: Vec<String>,
    /// Mechanics that must rest because something was cut.
    pub short_circuited: Vec<String>,
    /// The reason, one line.
    pub why: String,
}

impl Composition {
    /// The cap's account: whether a pass under it was a candidate, and cut; `why` says why none
    /// did.
    pub fn of(caller: &Caller, candidate: bool, cut: bool, why: Option<String>) -> Composition {
        let (routes, others): (Vec<_>, Vec<_>) = caller
            .mechanics
            .iter()
            .cloned()
            .partition(|name| name == ROUTE);
        let why = match (&caller.already_mutated, cut) {
            (Some(name), _) => format!("{name} has changed the request already"),
            (None, true) => "context-prune has the highest priority".to_owned(),
            (None, false) => why.unwrap_or_else(|| "no pass under the cap is on".to_owned()),
        };
        Composition {
            applied: cut.then_some("context-prune"),
            mutating_candidate_present: candidate,
            content_mutation_applied: cut,
            forced_off: if candidate { routes } else { Vec::new() },
            short_circuited: if cut { others } else { Vec::new() },
            why,
        }
    }
}
