//! Errors of the library: one lower-case line each, with a position where there is one.

use crate::{
    diagnostics::DefectRow,
    json::ScanError,
    naming::{self, Naming},
    settings::{ConfigError, meant},
    transcript::MissingParents,
};
use std::{fmt, io};

/// What may fail, mostly with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error: the reason why an input could not be pruned.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A document that is not JSON.
    Json {
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// Byte of the input, from 0.
        byte: u64,
        /// The error at that place.
        error: ScanError,
    },
    /// A configuration that cannot be used.
    Config(ConfigError),
    /// A format that does not exist.
    NoFormat {
        /// As named.
        name: String,
        /// The formats that there are.
        known: String,
    },
    /// A pass that does not exist.
    UnknownPass {
        /// As named.
        name: String,
        /// The passes that there are.
        known: String,
    },
    /// Reading failed.
    Io(io::Error),
    /// No format fits the content.
    UnknownFormat {
        /// The part that is not understood: its first keys, and a verb; empty where nothing can be
        /// named.
        what: String,
        /// The formats that there are.
        known: String,
    },
    /// A format fits the content, but not all of it was understood.
    NotUnderstood {
        /// Line, from 1.
        line: u64,
        /// Message, from 1, where it is part of one.
        message: Option<u32>,
        /// The part that was not understood.
        what: String,
        /// The format that was detected or named.
        format: &'static str,
        /// Whether the input was to be repaired.
        repair: bool,
        /// The formats that there are.
        known: String,
    },
    /// The input is not what `--format` says.
    WrongFormat {
        /// As named.
        named: &'static str,
        /// The format that the input resembles; `None` if it resembles no known one.
        looks: Option<&'static str>,
    },
    /// Several bodies, in lines or in a batch, where one is expected.
    SeveralBodies,
    /// The file changed in a way that is no growth while it was read.
    Changed,
    /// A log without the token counts of its requests.
    NoCalls {
        /// The name of its format.
        format: &'static str,
        /// The file that has them, if one does.
        elsewhere: &'static str,
        /// The formats whose logs tell of them.
        known: String,
    },
    /// A log whose records are spread over lines, where each must be on a line of its own.
    SpreadOverLines,
    /// A history of which a part is missing, where that is refused.
    Missing(MissingParents),
    /// A record of more than 4 GiB.
    TooLong,
    /// A message that is to go and cannot: it represents others too, or the input cannot be without
    /// it.
    Fixed {
        /// Message, from 1.
        message: u32,
    },
    /// A manual selection that cannot be applied: it names nothing, or a part that must stay.
    Selection(Vec<Refusal>),
    /// The result would have defects that the input did not have.
    Broken(Vec<DefectRow>),
    /// The state file cannot be used.
    State(Box<dyn std::error::Error + Send + Sync>),
    /// Thinking is bound to what was to be cut, and the settings refuse that.
    Bound {
        /// Message of the thinking, from 1.
        message: u32,
    },
    /// An output that, read again, differs from the plan.
    Mismatch {
        /// Message, from 1.
        message: u32,
        /// The difference, in words.
        what: String,
    },
}

/// An input that is larger than allowed: the text around the name of the setting that allows it.
#[derive(Debug)]
pub struct TooLarge(pub String, pub String);

impl std::error::Error for TooLarge {}

impl TooLarge {
    fn text(&self, naming: Naming) -> String {
        format!("{}{}{}", self.0, naming("maxInput"), self.1)
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(naming::plain))
    }
}

/// Something of a selection that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The refused part, and the reason.
    pub what: String,
    /// Settings, and what each does about it.
    pub ways: &'static [(&'static str, &'static str)],
}

impl Error {
    /// The error of a document's bytes, with its line and column.
    pub fn json(bytes: &[u8], error: ScanError) -> Error {
        let at = error.at.min(bytes.len());
        let line = memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64 + 1;
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |i| i + 1);
        Error::Json {
            line,
            column: (at - start) as u64 + 1,
            byte: at as u64,
            error,
        }
    }

    /// Whether there was something to write, and it was not written.
    pub fn is_unwritten(&self) -> bool {
        self.is_refusal() || matches!(self, Error::Changed | Error::Fixed { .. })
    }

    /// Whether it begins with a place in the input.
    pub fn has_place(&self) -> bool {
        matches!(
            self,
            Error::Json { .. } | Error::NotUnderstood { .. } | Error::Missing(_)
        )
    }

    /// Whether the result was refused, rather than the input.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Error::Broken(_) | Error::Mismatch { .. })
    }

    /// The error in one line, with settings named so.
    pub fn text(&self, naming: Naming) -> String {
        match self {
            Error::Json {
                line,
                column,
                byte,
                error,
            } => format!("{line}:{column}: not JSON: {error} (byte {byte})"),
            Error::Io(error) => {
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
                inner.map_or_else(|| error.to_string(), |inner: &TooLarge| inner.text(naming))
            }
            Error::State(error) => error.to_string(),
            Error::Config(error) => error.to_string(),
            Error::TooLong => "a record is longer than 4 GiB".to_owned(),
            Error::Fixed { message } => format!("message {message} cannot be removed"),
            Error::Selection(refusals) => {
                format!(
                    "nothing was cut: {}",
                    refusals
                        .iter()
                        .map(|refusal| refusal.text(naming))
                        .collect::<Vec<_>>()
                        .join("; ")
                )
            }
            Error::Broken(rows) => {
                let first = rows.first().map_or(String::new(), |row| {
                    format!("{} at message {}: {}", row.code, row.message, row.detail)
                });
                let more = match rows.len() {
                    0 | 1 => String::new(),
                    count => format!(" (and {} more)", count - 1),
                };
                format!("the result would break the transcript: {first}{more}")
            }
            Error::Bound { message } => format!(
                "the thinking at message {message} is bound to what would be cut; allow the cut with {} strip, drop-block or keep",
                naming("thinking")
            ),
            Error::Mismatch { message, what } => {
                format!("the result does not read as planned at message {message}: {what}")
            }
            Error::SeveralBodies => {
                "there are several bodies; prune_log and stream take them".to_owned()
            }
            Error::Changed => {
                "the file changed while it was read; run again when nothing writes to it".to_owned()
            }
            Error::SpreadOverLines => {
                "its records are spread over lines; write each on one line (jq -c .) for a replay"
                    .to_owned()
            }
            Error::Missing(missing) => format!(
                "{}: {missing}; give the whole log, or leave out {}",
                missing.line,
                naming("strictInput")
            ),
            _ => self.text_of_format(naming),
        }
    }

    /// The text of an error that says what there is instead.
    fn text_of_format(&self, naming: Naming) -> String {
        let unknown = |what, name: &str, known: &str| {
            let meant = meant(name, known.split(", "));
            format!("unknown {what} {name}{meant}; there are {known}")
        };
        match self {
            Error::NoFormat { name, known } => unknown("format", name, known),
            Error::UnknownPass { name, known } => unknown("pass", name, known),
            Error::UnknownFormat { what, known } => {
                let place = match &**what {
                    "" => String::new(),
                    what => format!(": {what} not understood"),
                };
                let flag = naming("format");
                format!("unknown format{place}; name one with {flag}: {known}")
            }
            Error::NotUnderstood {
                line,
                message,
                what,
                format,
                repair,
                known,
            } => {
                let message = message.map_or(String::new(), |n| format!(" message {n}:"));
                let way = if *repair {
                    "only what is understood can be repaired, nothing was changed".to_owned()
                } else {
                    format!("name one with {}: {known}", naming("format"))
                };
                format!("{line}:{message} {what} is not understood as {format}; {way}")
            }
            Error::WrongFormat { named, looks } => match looks {
                Some(looks) => format!("not {named}: it looks like {looks}"),
                None => format!("not {named}, nor any format this program knows"),
            },
            Error::NoCalls {
                format,
                elsewhere,
                known,
            } => format!(
                "this log records no token counts ({format}){elsewhere}; replay reads logs that do, of {known}"
            ),
            // The others are written by the caller.
            _ => String::new(),
        }
    }
}

impl Refusal {
    /// Returns the refused part with the alternatives.
    fn text(&self, naming: Naming) -> String {
        let ways: Vec<String> = self
            .ways
            .iter()
            .map(|(setting, does)| format!("{} {does}", naming(setting)))
            .collect();
        if ways.is_empty() {
            self.what.clone()
        } else {
            format!("{}; {}", self.what, ways.join(", "))
        }
    }
}

impl From<String> for Refusal {
    fn from(what: String) -> Refusal {
        Refusal { what, ways: &[] }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(naming::plain))
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    /// A place that was there when the file was opened and is not any more: it shrank.
    fn from(error: io::Error) -> Error {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Error::Changed
        } else {
            Error::Io(error)
        }
    }
}
