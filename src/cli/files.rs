//! Which files a run writes: names for outputs, and no output that is an input.

use super::When;
use super::pending::{is_input, is_same};
use anyhow::{Context, Result, bail};
use deadhead::input::endless::Ending;
use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Where outputs go.
pub struct Going<'a> {
    /// Nothing is written.
    pub nowhere: bool,
    /// `--output`
    pub output: &'a Option<PathBuf>,
    /// `--out-dir`
    pub out_dir: &'a Option<PathBuf>,
    /// `--progress`
    pub progress: When,
}

/// Where each input goes; checks that no output is an input.
pub fn places(going: &Going<'_>, report: &Option<PathBuf>, inputs: &[PathBuf]) -> Result<Vec<Option<PathBuf>>> {
    if inputs.len() > 1 && going.out_dir.is_none() && !going.nowhere {
        bail!("{} inputs need --out-dir DIR, or -n to only report", inputs.len());
    }
    let to_stdout = going.out_dir.is_none() && going.output.as_deref().is_none_or(|o| o == Path::new("-")) && !going.nowhere;
    if report.as_deref() == Some(Path::new("-")) && to_stdout {
        bail!("--report - needs -o, --out-dir or -n: stdout carries the pruned JSON");
    }
    let places: Vec<Option<PathBuf>> = match (going.out_dir, going.output) {
        (Some(dir), _) => {
            std::fs::create_dir_all(dir).with_context(|| format!("{}: cannot make it", dir.display()))?;
            let names = names(inputs);
            names.into_iter().map(|name| Some(dir.join(name))).collect()
        }
        (None, output) => vec![output.clone().filter(|o| o != Path::new("-")); inputs.len()],
    };
    if report.is_some() && report == going.output {
        bail!("-o and --report name the same file");
    }
    for place in places.iter().flatten().chain(report) {
        if is_input(place, inputs) {
            bail!("{}: is an input, and inputs are never written to", place.display());
        }
    }
    if let Some(report) = report.as_ref().filter(|report| places.iter().flatten().any(|place| is_same(place, report))) {
        bail!("{}: is where the pruned JSON goes; the report needs a file of its own", report.display());
    }
    Ok(places)
}

/// All of a text: of a file that a flag names, or of stdin. A device may have no end.
pub fn text(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    Ending::new(from, &[]).read_to_string(&mut text)?;
    Ok(text)
}

/// Refuses an output that is a file which the run reads beside its inputs. What is no plain file, such as /dev/null, holds nothing
/// that could be lost.
pub fn spare<'a>(read: &[PathBuf], outputs: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    let plain = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|file| file.is_file());
    match outputs.filter(plain).find(|output| is_input(output, read)) {
        Some(output) => bail!("{}: is read for this run, and what is read is never written to", output.display()),
        None => Ok(()),
    }
}

/// A name for each input: its own, or with as many parents as tell it from the others.
fn names(inputs: &[PathBuf]) -> Vec<PathBuf> {
    let tail = |path: &Path, n: usize| -> PathBuf {
        let parts: Vec<_> = path.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect();
        parts[parts.len().saturating_sub(n)..].iter().collect()
    };
    let stdin = |path: &Path| path == Path::new("-");
    let longest = inputs.iter().map(|p| p.components().count()).max().unwrap_or(1);
    let mut depth = vec![1; inputs.len()];
    for _ in 0..longest {
        let mut seen: HashMap<PathBuf, usize> = HashMap::new();
        inputs.iter().zip(&depth).for_each(|(path, n)| *seen.entry(tail(path, *n)).or_default() += 1);
        for (path, n) in inputs.iter().zip(&mut depth) {
            if seen[&tail(path, *n)] > 1 {
                *n += 1;
            }
        }
    }
    inputs.iter().zip(depth).map(|(path, n)| if stdin(path) { "stdin".into() } else { tail(path, n) }).collect()
}
