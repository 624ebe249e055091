//! Names the output files in an output folder.
//!
//! The place of an output depends only on what was named, so that every run finds the outputs of
//! the run before: the output of an input in a named folder has its path below that folder, and
//! that of an input in a list (`--files-from`) its path as the list has it. The output of a named
//! input has its name or, if that is taken, as many parent folders before it as needed.

use super::*;
use std::path::Component;

/// A name for each input, which was found in a folder or named itself.
///
/// # Errors
/// Two inputs that are not the same file would have the same name.
pub fn names(inputs: &[PathBuf], folders: &[Option<PathBuf>]) -> Result<Vec<PathBuf>> {
    let mut names: Vec<Name> = inputs
        .iter()
        .zip(folders)
        .map(|(input, folder)| Name::new(input, folder.as_deref()))
        .collect();
    let mut has_grown = true;
    while std::mem::take(&mut has_grown) {
        let mut same: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (i, name) in names.iter().enumerate() {
            same.entry(name.path()).or_default().push(i);
        }
        for group in same.into_values() {
            let first = &names[group[0]].whole;
            if group.iter().all(|i| names[*i].whole == *first) {
                continue;
            }
            // A file from a folder keeps its place, unless another file has the same one.
            let is_named = |i: &&usize| !names[**i].is_found && names[**i].can_grow();
            let named: Vec<usize> = group.iter().filter(is_named).copied().collect();
            for i in if named.is_empty() { group } else { named } {
                let can_grow = names[i].can_grow();
                names[i].parts += usize::from(can_grow);
                has_grown |= can_grow;
            }
        }
    }
    let mut taken: HashMap<PathBuf, &PathBuf> = HashMap::new();
    for (name, input) in names.iter().zip(inputs) {
        let other = taken.entry(name.path()).or_insert(input);
        if Name::new(other, None).whole != name.whole {
            bail!(
                "{} and {} would be one output; write them into folders of their own",
                other.display(),
                input.display()
            );
        }
    }
    Ok(names.iter().map(Name::path).collect())
}

/// The last parts of a path.
struct Name {
    /// All of its parts, from the root on.
    whole: Vec<PathBuf>,
    /// The number of these parts that form the name.
    parts: usize,
    is_found: bool,
}

impl Name {
    fn new(input: &Path, folder: Option<&Path>) -> Name {
        let whole = if is_dash(input) {
            // Unlike any file's.
            vec!["".into(), "stdin".into()]
        } else {
            whole(input)
        };
        let below = folder
            .and_then(|folder| input.strip_prefix(folder).ok())
            .map(|below| {
                let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
                below.components().filter(is_name).count()
            });
        Name {
            parts: below.unwrap_or(1).clamp(1, whole.len().max(1)),
            whole,
            is_found: below.is_some(),
        }
    }

    fn path(&self) -> PathBuf {
        self.whole[self.whole.len().saturating_sub(self.parts)..]
            .iter()
            .collect()
    }

    fn can_grow(&self) -> bool {
        self.parts < self.whole.len()
    }
}

/// The parts of a path from the root on. Names of folders are all that this is for, so that links
/// are left as they are.
fn whole(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = Vec::new();
    for part in absolute(path)
        .unwrap_or_else(|_| path.to_owned())
        .components()
    {
        match part {
            Component::Normal(name) => parts.push(name.into()),
            Component::ParentDir => drop(parts.pop()),
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of inputs, each with the folder that it was found in, if any.
    fn named(inputs: &[(&str, &str)]) -> String {
        let folder =
            |(_, folder): &(&str, &str)| (!folder.is_empty()).then(|| PathBuf::from(folder));
        let (paths, folders): (Vec<PathBuf>, Vec<_>) = inputs
            .iter()
            .map(|input| (PathBuf::from(input.0), folder(input)))
            .unzip();
        match names(&paths, &folders) {
            Ok(names) => names
                .iter()
                .map(|name| name.display().to_string())
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_place_depends_on_what_was_named() {
        for (inputs, want) in [
            (&[("in/a/x", "in")][..], "a/x"),
            (
                &[("in/a/x", "in"), ("in/b/y", "in"), ("in/x", "in")],
                "a/x b/y x",
            ),
            (&[("in/a/x", "in/"), ("./in/b/x", "./in")], "a/x b/x"),
            (&[("a/x", "")], "x"),
            (
                &[("a/x", ""), ("b/x", ""), ("b/c/x", ""), ("y", "")],
                "a/x b/x c/x y",
            ),
            (&[("a/x", ""), ("in/x", "in")], "a/x x"),
            (&[("in/x", "in"), ("x", "")], "x files/x"),
            // Two folders with a file of the same path: both have their folder's name.
            (
                &[("one/a/x", "one"), ("two/a/x", "two"), ("two/y", "two")],
                "one/a/x two/a/x y",
            ),
            (&[("-", ""), ("a/stdin", "")], "stdin a/stdin"),
            (&[("../x", ""), ("x", "")], "wt/x files/x"),
            // Of a list: the path from the root, or from the working folder.
            (&[("/a/x", "/"), ("/b/x", "/")], "a/x b/x"),
            (&[("./a/x", ".")], "a/x"),
            (&[("x", ""), ("./x", "")], "x x"),
            (
                &[("-", ""), ("/stdin", "")],
                "- and /stdin would be one output; write them into folders of their own",
            ),
        ] {
            let here = std::env::current_dir().unwrap();
            let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
            let want = want
                .replace("files/", &format!("{}/", name(&here)))
                .replace("wt/", &format!("{}/", name(here.parent().unwrap())));
            assert_eq!(named(inputs), want, "{inputs:?}");
        }
    }
}
