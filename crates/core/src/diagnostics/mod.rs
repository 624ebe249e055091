//! Rows of the report, as plain data. Every layer may produce them; they depend on nothing else.

mod applied;
mod cache;
mod decision;
mod part;
mod retrieved;
mod rows;
mod run;

pub use applied::{AppliedEdit, AppliedEdits};
pub use cache::{CacheCost, NextRequest};
pub use decision::{ContextWindow, Decision, PrefixStable, Session, WorkloadState};
pub use part::PartRow;
pub use retrieved::{ChunkRow, Reranked};
pub use rows::{CutRow, DefectRow, Integrity, MirrorTotal, PassTotal, Skip, Warning};
pub use run::{FirstChange, Input, Output, Prune, Size, Tool};
