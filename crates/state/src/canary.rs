//! The quality gate of workloads: scores, the floor that they must reach, and the retirement of a
//! workload whose scores fall below it.
//!
//! Scores come in two arms, of answers to pruned requests and of a control group. Once a window has
//! enough of them and their mean is below the floor, the workload is retired on that stack, until a
//! user resets it with a reason; it never returns by itself. After a reset only newer scores count.
//! All of it is stored with its times.

use super::{Result, Store};
use deadhead_core::settings::{Canary, Floor};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

/// The group of requests to which a score belongs.
#[derive(Clone, Copy, Debug)]
pub enum Arm {
    /// Answers to pruned requests.
    Pruned,
    /// Answers to requests that were left unchanged, for comparison.
    Control,
}

impl Arm {
    /// Returns the word for the arm.
    pub fn word(self) -> &'static str {
        match self {
            Arm::Pruned => "pruned",
            Arm::Control => "control",
        }
    }

    /// Returns the arm for a word.
    pub fn parse(word: &str) -> Option<Arm> {
        [Arm::Pruned, Arm::Control]
            .into_iter()
            .find(|arm| arm.word() == word)
    }
}

/// One score.
#[derive(Debug)]
pub struct Score {
    /// Workload.
    pub workload: String,
    /// Stack, empty if there is only one.
    pub stack: String,
    /// Arm.
    pub arm: Arm,
    /// The score; higher is better.
    pub score: f64,
    /// Time in milliseconds since 1970.
    pub at: i64,
    /// The requirements for the workload.
    pub rules: Canary,
}

/// The status of a workload on a stack.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadStatus {
    /// Workload.
    pub workload: String,
    /// Stack, empty if there is only one.
    pub stack: String,
    /// `collecting` while there are too few scores to judge, `healthy`, `breached`, or `retired`.
    pub state: &'static str,
    /// Mean of the pruned arm's scores in the window.
    pub mean: Option<f64>,
    /// The number of these scores.
    pub count: u64,
    /// Mean of the control arm's scores.
    pub control_mean: Option<f64>,
    /// The number of these scores.
    pub control_count: u64,
    /// The floor with which the mean is compared; `None` while it is unknown.
    pub floor: Option<f64>,
    /// The number of scores from which on the workload is judged.
    pub min_samples: u64,
    /// The number of newest scores of an arm that count.
    pub window: u64,
    /// Time of its retirement, in milliseconds since 1970.
    pub retired_at: Option<i64>,
    /// Reason of its retirement.
    pub reason: Option<String>,
}

impl WorkloadStatus {
    /// Returns whether the workload is retired, or will be with the next score.
    pub fn is_breached(&self) -> bool {
        matches!(self.state, "breached" | "retired")
    }
}

/// Something that happened to a workload.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Time in milliseconds since 1970.
    pub at: i64,
    /// Workload.
    pub workload: String,
    /// Stack.
    pub stack: String,
    /// `retired` or `reset`.
    pub event: String,
    /// The reason.
    pub reason: String,
}

impl Store {
    /// Stores scores, all or none, and retires workloads below their floor.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record(&mut self, scores: &[Score]) -> Result<()> {
        self.transaction(|connection| {
            let mut insert = connection.prepare(
                "INSERT INTO score (workload, stack, arm, score, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for Score {
                workload,
                stack,
                arm,
                score,
                at,
                rules,
            } in scores
            {
                insert.execute(params![workload, stack, arm.word(), score, at])?;
                let found = status(connection, workload, stack, rules)?;
                if found.state == "breached" {
                    retire(connection, &found, *at)?;
                }
            }
            Ok(())
        })
    }

    /// Returns the status of a workload on one stack, or on each of its stacks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn statuses(
        &self,
        workload: &str,
        stack: Option<&str>,
        rules: &Canary,
    ) -> Result<Vec<WorkloadStatus>> {
        let statuses = |stacks: Vec<String>| {
            let status = |stack: &String| status(&self.connection, workload, stack, rules);
            stacks.iter().map(status).collect()
        };
        self.with_path(stacks(&self.connection, workload, stack).and_then(statuses))
    }

    /// Returns a workload to service, on one stack or on all; only newer scores count from now on.
    /// Returns the stacks.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn reset(
        &mut self,
        workload: &str,
        stack: Option<&str>,
        reason: &str,
        at: i64,
    ) -> Result<Vec<String>> {
        self.transaction(|connection| {
            let stacks = stacks(connection, workload, stack)?;
            for stack in &stacks {
                let gate = "INSERT OR REPLACE INTO gate (workload, stack, since) SELECT ?1, ?2, coalesce(max(id), 0) FROM score";
                connection.execute(gate, [workload, stack.as_str()])?;
                audit(connection, at, workload, stack, "reset", reason)?;
            }
            Ok(stacks)
        })
    }

    /// Returns the events of a workload, the newest last.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn events(&self, workload: &str) -> Result<Vec<Event>> {
        let all =
            "SELECT at, workload, stack, event, reason FROM audit WHERE workload = ?1 ORDER BY id";
        self.select(all, [workload], |row| {
            let (at, workload, stack, event, reason) = row.try_into()?;
            Ok(Event {
                at,
                workload,
                stack,
                event,
                reason,
            })
        })
    }

    /// Returns the reason if a workload is retired; without a stack, on any.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn retired(&self, workload: &str, stack: Option<&str>) -> Result<Option<String>> {
        let select = "SELECT stack, retired, reason FROM gate
                      WHERE workload = ?1 AND (?2 IS NULL OR stack = ?2) AND retired IS NOT NULL ORDER BY retired LIMIT 1";
        let found = self.select(select, params![workload, stack], |row| {
            let (stack, at, reason): (String, i64, Option<String>) = row.try_into()?;
            let on = match &*stack {
                "" => String::new(),
                stack => format!(" on stack {stack}"),
            };
            let why = reason.unwrap_or_default();
            Ok(format!(
                "the canary retired workload {workload}{on} at {}: {why}; see canary reset",
                deadhead_core::internal::cache_policy::timestamp(at)
            ))
        })?;
        Ok(found.into_iter().next())
    }
}

/// Returns the stack that is named, else all stacks of a workload with scores or resets; the empty
/// one if there are none.
fn stacks(
    connection: &Connection,
    workload: &str,
    named: Option<&str>,
) -> rusqlite::Result<Vec<String>> {
    if let Some(stack) = named {
        return Ok(vec![stack.to_owned()]);
    }
    let all = "SELECT stack FROM score WHERE workload = ?1 UNION SELECT stack FROM gate WHERE workload = ?1 ORDER BY 1";
    let mut stacks: Vec<String> = connection
        .prepare(all)?
        .query_map([workload], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if stacks.is_empty() {
        stacks.push(String::new());
    }
    Ok(stacks)
}

fn status(
    connection: &Connection,
    workload: &str,
    stack: &str,
    rules: &Canary,
) -> rusqlite::Result<WorkloadStatus> {
    let (since, retired_at, reason) = connection
        .query_row(
            "SELECT since, retired, reason FROM gate WHERE workload = ?1 AND stack = ?2",
            [workload, stack],
            |row| <(i64, Option<i64>, Option<String>)>::try_from(row),
        )
        .optional()?
        .unwrap_or_default();
    let arm = |arm: Arm| {
        let newest = "SELECT avg(score), count(*) FROM (
                          SELECT score FROM score WHERE workload = ?1 AND stack = ?2 AND arm = ?3 AND id > ?4 ORDER BY id DESC LIMIT ?5)";
        let window = i64::try_from(rules.window).unwrap_or(i64::MAX);
        let values = params![workload, stack, arm.word(), since, window];
        connection.query_row(newest, values, |row| <(Option<f64>, i64)>::try_from(row))
    };
    let ((mean, count), (control_mean, control_count)) = (arm(Arm::Pruned)?, arm(Arm::Control)?);
    let (count, control_count) = (count.cast_unsigned(), control_count.cast_unsigned());
    let floor = match rules.floor {
        Floor::Absolute(floor) => Some(floor),
        Floor::OfControl(share) => control_mean.map(|mean| mean * share),
    };
    let state = match mean.zip(floor) {
        _ if retired_at.is_some() => "retired",
        Some((mean, floor)) if count >= rules.min_samples && mean < floor => "breached",
        Some(_) if count >= rules.min_samples => "healthy",
        _ => "collecting",
    };
    Ok(WorkloadStatus {
        workload: workload.to_owned(),
        stack: stack.to_owned(),
        state,
        mean,
        count,
        control_mean,
        control_count,
        floor,
        min_samples: rules.min_samples,
        window: rules.window,
        retired_at,
        reason,
    })
}

fn retire(connection: &Connection, found: &WorkloadStatus, at: i64) -> rusqlite::Result<()> {
    let reason = format!(
        "mean {:.3} of {} scores is below the floor {:.3}",
        found.mean.unwrap_or_default(),
        found.count,
        found.floor.unwrap_or_default()
    );
    let gate = "INSERT INTO gate (workload, stack, since, retired, reason) VALUES (?1, ?2, 0, ?3, ?4)
         ON CONFLICT (workload, stack) DO UPDATE SET retired = excluded.retired, reason = excluded.reason";
    let (workload, stack) = (&found.workload, &found.stack);
    connection.execute(gate, params![workload, stack, at, reason])?;
    audit(connection, at, workload, stack, "retired", &reason)
}

fn audit(
    connection: &Connection,
    at: i64,
    workload: &str,
    stack: &str,
    event: &str,
    reason: &str,
) -> rusqlite::Result<()> {
    let insert =
        "INSERT INTO audit (at, workload, stack, event, reason) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection
        .execute(insert, params![at, workload, stack, event, reason])
        .map(|_| ())
}

#[cfg(test)]
#[path = "canary_tests.rs"]
mod tests;
