//! Parses `--select` and related flags, and files of selectors.

use super::*;
use deadhead_core::settings::Selection;

/// Puts the selection into `settings`; a selection turns its pass on. `reads_stdin` says whether
/// stdin holds a transcript.
pub fn choose(args: &ChoiceArgs, reads_stdin: bool, settings: &mut Settings) -> Result<()> {
    if args.select.is_empty() {
        return Ok(());
    }
    let mut list = Vec::new();
    for selector in &args.select {
        match selector.strip_prefix('@') {
            Some(path) => list.extend(lines(path, reads_stdin)?),
            None => list.push(selector.clone()),
        }
    }
    settings.select = Selection {
        list,
        reason: args.reason.clone(),
        lenient: args.lenient,
        force: args.force,
    };
    settings
        .passes
        .off
        .remove(deadhead_core::internal::pass::select::PASS.name);
    Ok(())
}

/// The files of selectors.
pub fn files(args: &ChoiceArgs) -> impl Iterator<Item = PathBuf> {
    args.select
        .iter()
        .filter_map(|selector| selector.strip_prefix('@'))
        .filter(|path| *path != "-")
        .map(PathBuf::from)
}

/// The selectors of a file, one a line, without blank lines and those that begin with `#`.
fn lines(path: &str, reads_stdin: bool) -> Result<Vec<String>> {
    let text = match path {
        "" => bail!("--select @ needs a file after the @"),
        "-" if reads_stdin => bail!("--select @-: stdin is the transcript already"),
        "-" => streams::stdin().and_then(text).context("--select @-")?,
        path => File::open(path)
            .and_then(text)
            .with_context(|| format!("--select @{path}"))?,
    };
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}
