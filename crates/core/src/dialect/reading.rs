//! The names that readers of formats share, for `use crate::dialect::reading::*`: values in the
//! input, the builder that they are read into, and what the blocks of a message are.

pub use crate::{
    dialect::builder::{CallId, Level, TranscriptBuilder, printable},
    json::{Cursor, Id, Kind, Scanned, Text, stringify},
    transcript::{BlockKind, Fault, Flags, Message, NoteKind, ResultTemplate, Role, Span},
};
pub use std::borrow::Cow;
