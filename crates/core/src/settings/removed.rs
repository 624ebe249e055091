//! Names that earlier versions had, and what to use instead: `removed.tsv`.

/// Returns the removed names: their kinds, the names and their replacements, to follow "use".
pub fn removed() -> impl Iterator<Item = [&'static str; 3]> {
    let cells = |line: &'static str| line.split('\t').collect::<Vec<_>>().try_into().ok();
    include_str!("removed.tsv")
        .lines()
        .skip(1)
        .filter_map(cells)
}

/// The replacement of a removed name of this kind; `None` where it is none.
pub fn instead(kind: &str, name: &str) -> Option<&'static str> {
    removed()
        .find(|row| row[..2] == [kind, name])
        .map(|row| row[2])
}
