//! Limits of a step of `edits` that shortens large results.

use crate::settings::amounts::{Amount, Numbers};
use crate::settings::kinds::{As, Marker, Optional};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One limit, and what becomes of a result that is over it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limit {
    /// Only results larger than this.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub over: Option<Amount>,
    /// The size of the beginning that is kept.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub head: Option<Amount>,
    /// The size of the end that is kept.
    #[serde(with = "As::<Optional<Numbers>>", skip_serializing_if = "Option::is_none")]
    pub tail: Option<Amount>,
    /// The text between head and tail, or after the head.
    #[serde(with = "As::<Optional<Marker>>", skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `form`: how the new text is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// By head, note and tail.
    #[default]
    Plain,
    /// The same; of a result of several parts the texts, and a line about the other parts.
    Outline,
    /// JSON without white space, diffs without unchanged lines.
    Condensed,
    /// A preview in a tag, with the place where the whole is.
    Masked,
}

/// `contents`: which results by what their content is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Contents {
    /// All.
    #[default]
    Any,
    /// A string.
    String,
    /// A list of parts.
    List,
}
