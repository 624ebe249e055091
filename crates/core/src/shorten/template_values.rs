//! The values that a template may use beside the text of a result.

use sha2::{Digest, Sha256};

/// The values of a result's call.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateValues<'a> {
    /// Name of the tool; empty where unknown.
    pub tool: &'a str,
    /// Id of the call.
    pub id: &'a str,
    /// The subject of the call: a path, a pattern or a command; empty where unknown.
    pub subject: &'a str,
}

/// The first `digits` hex digits of the SHA-256 of `text`.
pub(super) fn digest(text: &str, digits: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(digits.div_ceil(2)).map(|byte| format!("{byte:02x}")).collect()
}
