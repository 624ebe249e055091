//! Output for a gateway beside the report: the value of a response header, and one line for its
//! log.

use crate::outcome::Report;
use serde_json::json;

impl Report {
    /// The line of the log of a request that was cut, as JSON; none for one that was not.
    pub fn log_line(&self, workload: Option<&str>) -> Option<String> {
        let prune = &self.prune;
        self.is_cut().then(|| {
            let line = json!({
                "event": "context_pruner_applied",
                "ts": self.decision.now,
                "workload": workload,
                "turns_removed": prune.turns_removed,
                "rag_kept": prune.rag_kept,
                "rag_dropped": prune.rag_dropped,
                "messages_before": prune.messages_before,
                "messages_after": prune.messages_after,
            });
            line.to_string()
        })
    }

    /// Returns the members that its server would have added to the answer for the edits that were
    /// applied here, as a JSON object.
    pub fn response_fields(&self) -> String {
        self.context_management.as_ref().map_or_else(
            || "{}".to_owned(),
            |applied| json!({ "context_management": applied }).to_string(),
        )
    }

    /// The header that says what was removed, name and value.
    pub fn header(&self) -> &str {
        &self.prune.header
    }

    /// Whether anything was cut.
    pub fn is_cut(&self) -> bool {
        self.passes.iter().any(|pass| pass.cuts > 0)
    }
}
