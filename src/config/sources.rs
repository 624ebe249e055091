//! The user's settings as layers: preset, file, workload, flags, `--set`. A preset of a flag wins
//! over a file.

use anyhow::{Result, bail};
use deadhead_core::{
    diagnostics::Warning,
    settings::{self, Auth, Layer, Resolved, nearest, plain},
};
use serde_json::{Value, json};

/// The user's settings, one field per layer.
#[derive(Debug, Default)]
pub struct Sources {
    /// `--preset`.
    pub preset: Option<String>,
    /// The configuration file: its name for errors and provenance, and its text.
    pub file: Option<(String, String)>,
    /// `--workload`.
    pub workload: Option<String>,
    /// Flags with a key of their own, such as `("contextPruning.ttl", "10m")` for `--ttl 10m`.
    pub flags: Vec<(&'static str, Value)>,
    /// `--set KEY=VALUE`, as given.
    pub sets: Vec<String>,
    /// One setting of the grid of `--sweep`, as `KEY=VALUE`.
    pub sweeps: Vec<String>,
    /// `--auth`.
    pub auth: Option<Auth>,
}

/// Puts the layers together, the lowest first.
pub fn resolve(sources: &Sources) -> Result<Resolved> {
    let mut layers = Vec::new();
    if let Some((name, text)) = &sources.file {
        layers.push(settings::file(name, text)?);
    }
    let workloads = settings::workloads(&layers)?;
    if let Some(name) = &sources.workload {
        let Some((_, layer)) = workloads.iter().find(|(known, _)| known == name) else {
            let known = workloads.iter().map(|(known, _)| &**known);
            bail!(unknown_workload(name, known.collect()));
        };
        layers.push(layer.clone());
    }
    let below = layers.len();
    if let Some(name) = &sources.preset {
        layers.push(Layer::of("--preset", "preset", &json!(name))?);
        layers.extend(settings::decided(name)?);
    }
    let auth = sources.auth.map(|auth| ("auth", json!(auth)));
    for (path, value) in sources.flags.iter().cloned().chain(auth) {
        layers.push(Layer::of(flag(path), path, &value)?);
    }
    let sets = sources.sets.iter().map(|set| ("--set", set));
    for (flag, set) in sets.chain(sources.sweeps.iter().map(|sweep| ("--sweep", sweep))) {
        let (path, text) = set.split_once('=').unwrap_or_default();
        if path.trim().is_empty() {
            bail!("{flag}: expected KEY=VALUE, not {}", plain(set));
        }
        let mut layer = Layer::new(flag);
        layer.put_text(path.trim(), text.trim())?;
        layers.push(layer);
    }
    let mut resolved = settings::resolve(&layers)?;
    let mut lost = resolved.rows();
    lost.retain(|row| {
        let is_stated = |layer: &Layer| layer.stated(row.key).is_some();
        let decides = row.source.starts_with("preset ") || row.source == "--preset";
        decides && layers[..below].iter().any(is_stated)
    });
    if let (Some(preset), false) = (&sources.preset, lost.is_empty()) {
        let lost: Vec<&str> = lost.iter().map(|row| row.key).collect();
        resolved.warnings.push(Warning::new(format!(
            "--preset {} wins over the configuration: {}",
            plain(preset),
            lost.join(", ")
        )));
    }
    Ok(resolved)
}

fn unknown_workload(name: &str, known: Vec<&str>) -> String {
    if known.is_empty() {
        return format!(
            "unknown workload {}: the configuration has none; see workloads in config init",
            plain(name)
        );
    }
    let meant = nearest(name, known.iter().copied())
        .map(|near| format!(", did you mean {}?", plain(&near)));
    format!(
        "unknown workload {}{} (workloads: {})",
        plain(name),
        meant.unwrap_or_default(),
        plain(&known.join(", "))
    )
}

/// Returns the flag that sets a key: its last name in kebab case.
pub fn flag(path: &str) -> String {
    let name = match path {
        "passes.on" => "pass",
        "passes.off" => "no-pass",
        _ => path.rsplit('.').next().unwrap_or(path),
    };
    let mut flag = "--".to_owned();
    for c in name.chars() {
        flag.extend(c.is_ascii_uppercase().then_some('-'));
        flag.push(c.to_ascii_lowercase());
    }
    flag
}

#[cfg(test)]
#[path = "sources_tests.rs"]
mod tests;
