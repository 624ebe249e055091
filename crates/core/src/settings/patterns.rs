//! Lists of globs and of regular expressions, compiled once when the configuration is read.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::RegexSet;

/// Patterns as given, and compiled.
#[derive(Clone, Debug, Default)]
pub struct Compiled<S> {
    list: Vec<String>,
    set: S,
}

/// Globs of paths: `*` stays within a folder, `**` does not.
pub type Globs = Compiled<GlobSet>;

/// Regular expressions, found anywhere in a text. `None` without expressions: even an empty set
/// takes time to make.
pub type Regexes = Compiled<Option<RegexSet>>;

impl<S> Compiled<S> {
    /// As given.
    pub fn list(&self) -> &[String] {
        &self.list
    }
}

impl<S> PartialEq for Compiled<S> {
    fn eq(&self, other: &Compiled<S>) -> bool {
        self.list == other.list
    }
}

impl Globs {
    /// The globs of `list`, if all are valid.
    pub fn new(list: Vec<String>) -> Option<Globs> {
        let mut set = GlobSetBuilder::new();
        for glob in &list {
            set.add(
                GlobBuilder::new(glob)
                    .literal_separator(true)
                    .build()
                    .ok()?,
            );
        }
        Some(Globs {
            set: set.build().ok()?,
            list,
        })
    }

    /// Whether one matches `path`, or the end of it from a folder on: `src/*.rs` matches
    /// `/home/me/src/a.rs`.
    pub fn fits(&self, path: &str) -> bool {
        if self.list.is_empty() {
            return false;
        }
        let path = path.replace('\\', "/");
        let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        // A path has few folders; a longer text is not a path.
        std::iter::once(&*path)
            .chain(ends.take(64))
            .any(|end| self.set.is_match(end))
    }
}

impl Regexes {
    /// The expressions of `list`, if all are valid.
    pub fn new(list: Vec<String>) -> Option<Regexes> {
        let set = if list.is_empty() {
            None
        } else {
            Some(RegexSet::new(&list).ok()?)
        };
        Some(Regexes { list, set })
    }

    /// Whether one is found in `text`.
    pub fn are_in(&self, text: &str) -> bool {
        self.set.as_ref().is_some_and(|set| set.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_whole_paths_and_their_ends() {
        let globs = |glob: &str| Globs::new(vec![glob.to_owned()]).unwrap();
        for (glob, path, want) in [
            ("*.lock", "/home/me/Cargo.lock", true),
            ("src/*.rs", "/home/me/src/a.rs", true),
            ("src/*.rs", "/home/me/src/deep/a.rs", false),
            ("src/**", "src/deep/a.rs", true),
            ("/etc/**", "/etc/x/y", true),
            ("/etc/**", "/home/etc/x", false),
            ("a.rs", "C:\\work\\a.rs", true),
        ] {
            assert_eq!(globs(glob).fits(path), want, "{glob} {path}");
        }
        assert!(Globs::new(vec!["[".to_owned()]).is_none());
        assert!(!Globs::default().fits(""));
    }

    #[test]
    fn expressions() {
        let set = Regexes::new(vec!["(?i)important".to_owned(), "^x".to_owned()]).unwrap();
        assert!(set.are_in("most IMPORTANT") && set.are_in("xy") && !set.are_in("yx"));
        assert!(Regexes::new(vec!["(".to_owned()]).is_none());
        assert!(!Regexes::default().are_in(""));
    }
}
