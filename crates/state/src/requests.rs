//! The requests of workloads, for auditors: what was done to each, by which passes, and what that
//! saved.
//!
//! A request is stored with what its session learned, in one transaction, if the run names a
//! workload. It is forgotten with its session.

use super::{Result, Store};
use deadhead_core::{internal::cache_policy::timestamp, outcome::Report};
use rusqlite::params;
use serde::{Deserialize, Serialize};

/// One request.
#[derive(Debug, PartialEq)]
pub struct RequestRow {
    /// Time in milliseconds since 1970.
    pub at: i64,
    /// Its workload.
    pub workload: String,
    /// Its session.
    pub session: String,
    /// The changes to the request.
    pub account: Account,
}

/// The changes to a request.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Account {
    /// The stack that was named.
    pub stack: Option<String>,
    /// Whether the quality gate had retired the workload, so that the request passed through.
    pub retired: bool,
    /// The passes that cut something, in order.
    pub mechanics: Vec<Mechanic>,
    /// The number of turns that turn-drop removed.
    pub turns_removed: u64,
    /// The number of retrieved chunks that rag-rerank kept.
    pub rag_kept: u64,
    /// The number of retrieved chunks that it dropped.
    pub rag_dropped: u64,
    /// The number of messages before pruning.
    pub messages_before: u64,
    /// The number of messages after pruning.
    pub messages_after: u64,
    /// The number of chars before pruning.
    pub chars_before: u64,
    /// The number of chars after pruning.
    pub chars_after: u64,
    /// The number of tokens before pruning.
    pub tokens_before: u64,
    /// The number of tokens after pruning.
    pub tokens_after: u64,
    /// Price in dollars of the prompt behind the first new cut, without the cuts; `None` if the
    /// model has no price.
    pub usd_before: Option<f64>,
    /// Price in dollars of that prompt with the cuts; `None` if the model has no price.
    pub usd_after: Option<f64>,
    /// The reason why passes ran or did not run.
    pub why: String,
}

/// The changes of one pass to a request.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mechanic {
    /// The pass.
    pub name: String,
    /// The number of its cuts.
    pub cuts: u64,
    /// The number of chars that they removed.
    pub chars_removed: i64,
}

impl Account {
    /// Returns the account of a request from its report.
    pub fn of(report: &Report, stack: Option<&str>, retired: bool) -> Account {
        let mechanics = report
            .passes
            .iter()
            .filter(|pass| pass.cuts > 0)
            .map(|pass| Mechanic {
                name: pass.name.clone(),
                cuts: pass.cuts,
                chars_removed: pass.chars_removed,
            });
        Account {
            stack: stack.map(str::to_owned),
            retired,
            mechanics: mechanics.collect(),
            turns_removed: report.prune.turns_removed,
            rag_kept: report.prune.rag_kept,
            rag_dropped: report.prune.rag_dropped,
            messages_before: report.before.messages,
            messages_after: report.after.messages,
            chars_before: report.before.chars,
            chars_after: report.after.chars,
            tokens_before: report.before.tokens,
            tokens_after: report.after.tokens,
            usd_before: report.cache.usd_before,
            usd_after: report.cache.usd_after,
            why: report.decision.why.clone(),
        }
    }
}

impl RequestRow {
    /// Returns the time as RFC 3339.
    pub fn time(&self) -> String {
        timestamp(self.at)
    }
}

impl Store {
    /// Stores a request. The caller holds the writers' lock.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_request(&self, row: &RequestRow) -> Result<()> {
        if self.most.is_some() {
            return Ok(());
        }
        let account =
            serde_json::to_string(&row.account).map_err(|error| self.damaged(error.to_string()))?;
        let insert = "INSERT INTO request (at, workload, session, account) VALUES (?1, ?2, ?3, ?4)";
        let values = params![row.at, row.workload, row.session, account];
        self.with_path(self.connection.execute(insert, values))?;
        Ok(())
    }

    /// Returns the requests of a workload since a time, oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn requests(&self, workload: &str, since: i64) -> Result<Vec<RequestRow>> {
        let all = "SELECT at, session, account FROM request WHERE workload = ?1 AND at >= ?2 ORDER BY at, id";
        let rows = self.select(all, params![workload, since], |row| row.try_into())?;
        let read = |(at, session, account): (i64, String, String)| {
            let account = serde_json::from_str(&account)
                .map_err(|error| self.damaged(format!("a request of {session:?}: {error}")))?;
            Ok(RequestRow {
                at,
                workload: workload.to_owned(),
                session,
                account,
            })
        };
        rows.into_iter().map(read).collect()
    }
}
