//! Names of JSON members: those that search services, vector stores and frameworks give to a text, a score and a source, and those
//! by which records of other kinds are recognized.

use super::vocabulary::has;
use serde::Deserialize;
use std::sync::LazyLock;

/// The kind of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Member {
    /// The text.
    Text,
    /// The text, under a name that only retrievers use.
    Document,
    /// A score of relevance.
    Score,
    /// A score of relevance, unless it is a whole number.
    Rank,
    /// The source of the text.
    Source,
    /// Its title.
    Title,
    /// Another name or id.
    Name,
    /// Its place, number or kind.
    Place,
    /// Other members of it.
    Holder,
    /// A member that records of another kind have.
    Record,
    /// Anything else.
    Other,
}

/// The names of each kind in lower case, without signs but a first `_`, which services put before their own.
static NAMES: LazyLock<Vec<(Member, &str)>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("members.json")).expect("the table is fixed")
});

/// Returns the kind of a member by its name.
pub fn member(name: &str) -> Member {
    let kept = name
        .char_indices()
        .filter(|(at, c)| c.is_alphanumeric() || *at == 0 && *c == '_');
    let key: String = kept.flat_map(|(_, c)| c.to_lowercase()).collect();
    let known = NAMES.iter().find(|(_, names)| has(names, &key));
    known.map_or(Member::Other, |(kind, _)| *kind)
}
