//! `deadhead undo` and `deadhead show`: puts back, or prints, what a sidecar keeps.

use super::{
    output::copy,
    sidecar::{Frames, Recipe, hex, texts},
    *,
};
use rustix::fs::FlockOperation::LockShared;
use sha2::{Digest, Sha256};

/// Writes the input of a pruned output.
pub fn run(args: &UndoArgs) -> Result<Verdict> {
    let read = [args.pruned.clone(), args.sidecar.clone()];
    let reads = ReadFiles::new(&read, &[]);
    streams::refuse(&reads, args.output.as_deref().is_none_or(is_dash))?;
    let (name, path) = (args.pruned.display(), args.sidecar.display());
    let file = open_input(&args.pruned).with_context(|| name.to_string())?;
    let pruned = Source::from_file(file, MaxInput::default()).with_context(|| name.to_string())?;
    let mut digest = Sha256::new();
    copy(&pruned, 0, pruned.size(), &mut digest)?;
    let (digest, frames) = (hex(digest), frames(&args.sidecar)?);
    let named = args.input.as_deref().unwrap_or_default().to_lowercase();
    let recipes = frames
        .iter()
        .map(|(recipe, _)| (&*recipe.input, recipe))
        .filter(|(input, recipe)| recipe.output == digest && input.starts_with(&named));
    // Processes that write in parallel may both write one recipe.
    let recipes: BTreeMap<&str, &Recipe> = recipes.collect();
    let Some((input, recipe)) = recipes.first_key_value() else {
        bail!("{path}: is not of the run that wrote {name}, or {name} was changed since");
    };
    if recipes.len() > 1 {
        bail!(
            "{path}: several inputs had this output; --input names one: {}",
            joined(recipes.keys(), ", ")
        );
    }
    let all: Vec<&[u8]> = frames
        .iter()
        .flat_map(|(r, bytes)| texts(r, bytes))
        .collect();
    let mut restored = Sha256::new();
    restore(&pruned, recipe, &all, &mut restored).with_context(|| path.to_string())?;
    if hex(restored) != *input {
        bail!("{path}: what it keeps does not make the input of {name}");
    }
    let terms = WriteOptions::of_report(reads);
    let (mut out, _) = report_output(args.output.as_deref(), &terms)?;
    restore(&pruned, recipe, &all, &mut out.sink)?;
    out.finish()?;
    Ok(Verdict::Done)
}

/// Prints a cut text.
pub fn show(args: &ShowArgs) -> Result<Verdict> {
    let (name, path) = (args.name.to_lowercase(), args.sidecar.display());
    let frames = frames(&args.sidecar)?;
    let named = frames
        .iter()
        .flat_map(|(recipe, bytes)| texts(recipe, bytes))
        .flat_map(readings)
        .filter_map(|text| {
            let digest = hex(Sha256::new_with_prefix(&text));
            digest.starts_with(&name).then_some((digest, text))
        });
    let found: BTreeMap<String, Vec<u8>> = named.collect();
    let Some(text) = found.values().next() else {
        bail!("{name}: {path} keeps no such text");
    };
    match found.len() {
        1 => streams::print(text),
        n => bail!("{name}: {path} keeps {n} such texts; name more digits"),
    }
}

fn frames(path: &Path) -> Result<Vec<(Recipe, Vec<u8>)>> {
    let mut frames = Frames::open(path, LockShared)?;
    std::iter::from_fn(|| frames.next().transpose()).collect()
}

fn restore(pruned: &Source, recipe: &Recipe, texts: &[&[u8]], out: &mut dyn Write) -> Result<()> {
    let mut at = 0_u64;
    for &(kept, gone, number) in &recipe.steps {
        let end = at.saturating_add(kept);
        copy(pruned, at, end, out)?;
        let text = texts.get(number);
        out.write_all(text.with_context(|| format!("cut text {number} is missing"))?)?;
        at = end.saturating_add(gone);
    }
    Ok(copy(pruned, at, pruned.size(), out)?)
}

/// Returns the forms that cut bytes may have: a plain text, a piece of a JSON string, with or
/// without its quotes, or texts.
fn readings(cut: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![cut.to_vec()];
    for (open, close) in [("", ""), ("\"", ""), ("", "\""), ("\"", "\"")] {
        let json = [open.as_bytes(), cut, close.as_bytes()].concat();
        let mut texts = Vec::new();
        leaves(
            &serde_json::from_slice(&json).unwrap_or_default(),
            &mut texts,
        );
        all.push(texts.join("\n").into_bytes());
    }
    all
}

/// The texts of a content, in order.
fn leaves(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| leaves(value, texts)),
        Value::Object(part) => part.get("text").iter().for_each(|text| leaves(text, texts)),
        _ => {}
    }
}
