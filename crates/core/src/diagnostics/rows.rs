//! Rows of the report: passes, cuts, skipped content, defects, warnings.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The totals of one pass.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PassTotal {
    /// Name of the pass.
    pub name: String,
    /// Accepted cuts.
    pub cuts: u64,
    /// Chars that they removed; negative if a longer placeholder replaced a short result.
    pub chars_removed: i64,
    /// The number of parts that it examined and left unchanged.
    pub skipped: u64,
}

/// Totals of the copies that a log keeps of cut results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CopyTotal {
    /// Copies that were cut with their results.
    pub cuts: u64,
    /// Bytes removed from them; negative if a longer placeholder replaced a short result.
    pub bytes_removed: i64,
    /// Copies that were left alone.
    pub left: u64,
}

/// One cut.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CutRow {
    /// Pass that made it.
    pub pass: &'static str,
    /// `trim`, `clear`, `drop` or `rerank`.
    #[schemars(extend("enum" = ["trim", "clear", "drop", "rerank"]))]
    pub action: &'static str,
    /// `server`, if the provider's server makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// Message, from 1, as in the input; 0 for what is outside the messages, as a system prompt
    /// may.
    pub message: u32,
    /// Part of the message, from 0; outside the messages, which of the texts there.
    pub part: u32,
    /// Line of the input, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// Tool, empty where unknown.
    pub tool: String,
    /// Id of the call, where the input has one.
    pub call_id: Option<String>,
    /// Chars before.
    pub chars_before: u64,
    /// Chars after.
    pub chars_after: u64,
    /// Whether it follows from another cut rather than from the pass itself.
    pub linked: bool,
    /// Why, one line.
    pub reason: String,
    /// What the call names, such as a path or a command, one line.
    #[serde(skip)]
    pub names: String,
    /// The beginning of what goes, at most 80 chars on one line.
    #[serde(skip)]
    pub gone: String,
    /// The text before and after.
    #[serde(skip)]
    pub texts: Option<(String, String)>,
}

/// Something that a pass left, and why.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Skip {
    /// Pass.
    pub pass: &'static str,
    /// Message, from 1; 0 for what is outside the messages.
    pub message: u32,
    /// Part, from 0.
    pub part: u32,
    /// Why, one line.
    pub why: String,
}

/// Defects before and after.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Integrity {
    /// In the input.
    pub before: Vec<DefectRow>,
    /// In the output.
    pub after: Vec<DefectRow>,
}

/// One defect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DefectRow {
    /// `E01` to `E23`.
    #[schemars(extend("pattern" = "^E[0-9]{2}$"))]
    pub code: &'static str,
    /// Message, from 1.
    #[schemars(range(min = 1))]
    pub message: u32,
    /// The description of the defect, on one line.
    pub detail: String,
    /// Part of the message, from 0, where it is one. This and what follows is what `deadhead check`
    /// prints.
    #[serde(skip)]
    pub part: Option<u16>,
    /// The error that the provider answers, where it is known; an ellipsis represents ids and
    /// numbers.
    #[serde(skip)]
    pub provider: Option<&'static str>,
    /// Its place in a body as its provider writes it, with indices from 0.
    #[serde(skip)]
    pub path: Option<String>,
    /// Its line in a log, from 1.
    #[serde(skip)]
    pub line: Option<u32>,
    /// The id of the call that it concerns.
    #[serde(skip)]
    pub call_id: Option<String>,
    /// The way to repair the defect, on one line.
    #[serde(skip)]
    #[serde(rename = "repair")]
    pub repair: &'static str,
}

impl fmt::Display for DefectRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.line, self.message, self.part) {
            (Some(path), ..) => write!(f, "{path}: ")?,
            (_, Some(line), ..) => write!(f, "line {line}: ")?,
            // What is outside the messages has no number.
            (.., 0, _) => write!(f, "request: ")?,
            (.., message, None) => write!(f, "message {message}: ")?,
            (.., message, Some(part)) => write!(f, "message {message}/{part}: ")?,
        }
        if let Some(id) = &self.call_id {
            write!(f, "call {id}: ")?;
        }
        write!(f, "{} {}", self.code, self.detail)
    }
}

impl DefectRow {
    /// Returns the provider's answer with the indices of the path in it.
    pub fn answer(&self) -> Option<String> {
        let mut numbers = self
            .path
            .as_deref()
            .unwrap_or_default()
            .split(['.', '[', ']'])
            .filter(|step| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()));
        let mut said = String::new();
        for piece in self.provider?.split_inclusive('…') {
            let known = piece
                .strip_suffix('…')
                .filter(|known| known.ends_with(['.', '[']));
            match known.and_then(|known| Some((known, numbers.next()?))) {
                Some((known, number)) => said.extend([known, number]),
                None => said.push_str(piece),
            }
        }
        Some(said)
    }
}

/// Something the user should know; never a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Warning {
    /// Line of the input, from 1, where it has one.
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// One line, lower case.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line
            .map_or(Ok(()), |line| write!(f, "line {line}: "))?;
        f.write_str(&self.text)
    }
}

impl Warning {
    /// A warning about the input as a whole.
    pub fn new(text: impl Into<String>) -> Warning {
        Warning {
            line: None,
            text: text.into(),
        }
    }

    /// A warning about one line.
    pub fn at(line: u64, text: impl Into<String>) -> Warning {
        Warning {
            line: Some(line),
            text: text.into(),
        }
    }
}
