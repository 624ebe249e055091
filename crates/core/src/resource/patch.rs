//! Patches in the form of Codex and others: headers name each file and the operation on it.

use super::ResourceAccess;
use crate::settings::Act;

/// Beginnings of header lines, each with the operation on the file that the line names.
const HEADERS: [(&str, Act); 3] = [
    ("*** Add File: ", Act::Write),
    ("*** Update File: ", Act::Edit),
    ("*** Delete File: ", Act::Delete),
];
/// Under an update: the file gets another name.
const MOVE: &str = "*** Move to: ";

/// Returns the files that a patch changes, with the operation on each.
pub fn accesses(patch: &str) -> Vec<ResourceAccess> {
    let mut found: Vec<ResourceAccess> = Vec::new();
    for line in patch.lines().map(str::trim_end) {
        let header = HEADERS
            .iter()
            .find_map(|(header, act)| line.strip_prefix(header).map(|path| (path, *act)));
        if let Some((path, act)) = header {
            found.push(ResourceAccess {
                path: path.to_owned(),
                act,
                whole: act == Act::Write,
            });
        } else if line.starts_with(MOVE)
            && let Some(last) = found.last_mut().filter(|last| last.act == Act::Edit)
        {
            last.act = Act::Move;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_files() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+*** Delete File: no\n*** Update File: b\r\n*** Move to: c\n*** Add File: d e\n+1\n*** Delete File: f\n*** End Patch";
        let found: Vec<_> = accesses(patch)
            .into_iter()
            .map(|t| (t.path, t.act, t.whole))
            .collect();
        let want = [
            ("a.rs", Act::Edit, false),
            ("b", Act::Move, false),
            ("d e", Act::Write, true),
            ("f", Act::Delete, false),
        ];
        assert_eq!(
            found,
            want.map(|(path, act, whole)| (path.to_owned(), act, whole))
        );
        assert!(accesses("nothing\n*** Move to: x").is_empty());
    }
}
