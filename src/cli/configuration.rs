//! Finds and loads the configuration, and implements `deadhead config`.

use super::identity::ReadFiles;
use super::inputs::text;
use super::state::pretty;
use super::{ConfigCommand, PolicyArgs, Verdict, stderr_line, streams};
use crate::config::{self, Expanded, IncludeContext, Sources};
use anyhow::{Context, Result};
use deadhead_core::internal::pass::check_names;
use deadhead_core::internal::terminal_text::escape;
use deadhead_core::settings::{self, Resolved};
use deadhead_retrieval::passes;
use serde_json::{Value, json};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Runs `deadhead config …`.
pub fn run(command: ConfigCommand) -> Result<Verdict> {
    let text = match command {
        ConfigCommand::Show { policy, json } => {
            streams::refuse(&ReadFiles::new(&[], &files(&policy)?), true)?;
            let resolved = resolve(&policy, Vec::new(), Vec::new())?;
            resolved
                .warnings
                .iter()
                .for_each(|w| stderr_line!("deadhead: warning: {}", w.text));
            if json {
                pretty(&resolved.rows())?
            } else {
                config::show(&resolved)
                    .lines()
                    .map(|line| escape(line) + "\n")
                    .collect()
            }
        }
        ConfigCommand::Init => config::init(),
        ConfigCommand::Schema => pretty(&config::schema())?,
        ConfigCommand::Presets => settings::listing(),
    };
    streams::print(text.as_bytes())?;
    Ok(Verdict::Done)
}

/// All layers put together; `more` are flags of the command itself, and `sweeps` one setting of a grid, each as `KEY=VALUE`.
pub fn resolve(
    policy: &PolicyArgs,
    more: Vec<(&'static str, Value)>,
    sweeps: Vec<String>,
) -> Result<Resolved> {
    check_names(
        passes(),
        policy
            .pass
            .iter()
            .chain(&policy.no_pass)
            .filter(|name| *name != "help"),
    )?;
    let set = [
        ("contextPruning.mode", json!(policy.mode)),
        ("contextPruning.ttl", json!(policy.ttl)),
        ("onlyIf", json!(policy.only_if)),
        ("breakEven.expectRequests", json!(policy.expect_requests)),
        ("thinking", json!(policy.thinking)),
        ("contextManagement", json!(policy.context_management)),
        ("model", json!(policy.model)),
        ("provider", json!(policy.provider)),
        ("contextWindow", json!(policy.context_window)),
        ("passes.on", json!(policy.pass)),
        ("passes.off", json!(policy.no_pass)),
    ];
    let set = set
        .into_iter()
        .filter(|(_, value)| !value.is_null() && *value != json!([]));
    let flags = more.into_iter().chain(set).collect();
    let file = match file(policy) {
        Some(path) => Some((path.display().to_string(), expanded(&path)?.text)),
        None => None,
    };
    let auth = policy
        .auth
        .as_deref()
        .and_then(|word| serde_json::from_value(json!(word)).ok());
    let resolved = config::resolve(&Sources {
        preset: policy.preset.clone(),
        file,
        workload: policy.workload.clone(),
        flags,
        sets: policy.set.clone(),
        sweeps,
        auth,
    })?;
    check_names(
        passes(),
        resolved
            .settings
            .passes
            .on
            .iter()
            .chain(&resolved.settings.passes.off),
    )?;
    Ok(resolved)
}

/// The text of a configuration file with all that it includes.
fn expanded(path: &Path) -> Result<Expanded> {
    let whole = File::open(path)
        .and_then(text)
        .with_context(|| path.display().to_string())?;
    let folder = path
        .parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."));
    // A link may lead out of the folder though its name does not.
    let read = |file: &Path| match (file.canonicalize()?, folder.canonicalize()?) {
        (real, folder) if real.starts_with(&folder) => File::open(real).and_then(text),
        _ => Err(io::Error::other(
            "it is not in the folder of the configuration",
        )),
    };
    let variable = |name: &str| std::env::var(name).ok();
    config::expand(
        path,
        whole,
        &IncludeContext {
            read: &read,
            variable: &variable,
        },
    )
}

/// The files that the configuration is read from.
pub fn files(policy: &PolicyArgs) -> Result<Vec<PathBuf>> {
    let Some(path) = file(policy) else {
        return Ok(Vec::new());
    };
    let mut files = expanded(&path)?.files;
    files.push(path);
    Ok(files)
}

/// The configuration file: named, or found where it is by default.
fn file(policy: &PolicyArgs) -> Option<PathBuf> {
    if policy.config.is_some() {
        return policy.config.clone();
    }
    if let Some(path) = std::env::var_os("DEADHEAD_CONFIG").filter(|p| !p.is_empty()) {
        return Some(path.into());
    }
    let home = std::env::var_os("XDG_CONFIG_HOME")
        .filter(|p| !p.is_empty())
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(home.join("deadhead/config.json5")).filter(|path| path.is_file())
}
