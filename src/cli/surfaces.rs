//! What a run says to other programs of each request: the header's line, and the line of the log.

use super::PruneArgs;
use super::pending::{is_input, is_same};
use anyhow::{Context, Result, bail};
use deadhead::report::Report;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where both go, if anywhere.
pub struct Surfaces {
    header: Option<File>,
    log: Option<File>,
    workload: Option<String>,
}

/// Refuses a header's file or a log that is an input or another output, before either is opened: opening the first
/// empties it. What is no plain file, such as a terminal, may stand for several.
pub fn stand_alone(args: &PruneArgs, inputs: &[PathBuf], places: &[Option<PathBuf>]) -> Result<()> {
    let plain = |path: &&PathBuf| std::fs::metadata(path).map_or(true, |file| file.is_file());
    let mut others: Vec<&PathBuf> = places.iter().flatten().chain(&args.report).chain(&args.state).collect();
    for path in args.emit_header.iter().chain(&args.log).filter(plain) {
        if is_input(path, inputs) {
            bail!("{}: is an input, and inputs are never written to", path.display());
        }
        if others.iter().any(|other| is_same(other, path)) {
            bail!("{}: is another output as well; the header and the log need files of their own", path.display());
        }
        others.push(path);
    }
    Ok(())
}

impl Surfaces {
    /// Opens what was asked for. A dry run logs nothing.
    pub fn new(args: &PruneArgs) -> Result<Surfaces> {
        let named = |path: &Path| path.display().to_string();
        let header = args.emit_header.as_ref().map(|path| File::create(path).with_context(|| named(path))).transpose()?;
        let log = args.log.as_ref().filter(|_| !args.dry_run);
        let log = log.map(|path| OpenOptions::new().append(true).create(true).open(path).with_context(|| named(path))).transpose()?;
        Ok(Surfaces { header, log, workload: args.policy.workload.clone() })
    }

    /// Tells what a request came to.
    pub fn tell(&mut self, report: &Report) -> Result<()> {
        let prune = &report.prune;
        if let Some(file) = &mut self.header {
            file.write_all(format!("{}\n", prune.header).as_bytes()).context("--emit-header")?;
        }
        let cut = report.passes.iter().any(|pass| pass.cuts > 0);
        if let Some(file) = self.log.as_mut().filter(|_| cut) {
            let line = json!({
                "event": "context_pruner_applied",
                "ts": report.decision.now,
                "workload": self.workload,
                "turns_removed": prune.turns_removed,
                "rag_kept": prune.rag_kept,
                "rag_dropped": prune.rag_dropped,
                "messages_before": prune.messages_before,
                "messages_after": prune.messages_after,
            });
            // One write in append mode: lines of several processes do not mix.
            file.write_all(format!("{line}\n").as_bytes()).context("--log")?;
        }
        Ok(())
    }
}
