//! Tables of the program: texts of rows, whose cells are separated by tabs. Empty lines and those that begin with `#` are no rows.

/// Reads a table, which `name` names in errors. A row has `N` cells, of which those behind the first `least` may be left out; then they are
/// empty.
///
/// # Errors
/// A line has another number of cells, or `read` returns `None` for it: the name, the line and what is wrong.
pub fn table<const N: usize, T>(
    name: &str,
    text: &'static str,
    least: usize,
    read: impl Fn([&'static str; N]) -> Option<T>,
) -> Result<Vec<T>, String> {
    let lines = (1..).zip(text.lines());
    let rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let row = |(at, line): (usize, &'static str)| {
        let (mut cells, mut count) = ([""; N], 0);
        for cell in line.split('\t') {
            if let Some(place) = cells.get_mut(count) {
                *place = cell;
            }
            count += 1;
        }
        if !(least..=N).contains(&count) {
            return Err(format!(
                "{name}: line {at} has {count} cells, a row {least} to {N}"
            ));
        }
        read(cells).ok_or_else(|| format!("{name}: line {at} is no row of this table: {line}"))
    };
    rows.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeMap, fs, path::Path};

    /// The tables by their names, each with the cells that its rows may have at most and at least. prices.tsv has a reader of its own.
    const TABLES: [(&str, usize, usize); 13] = [
        ("faults.tsv", 3, 3),
        ("hosts.tsv", 6, 6),
        ("items.tsv", 5, 2),
        ("makers.tsv", 8, 8),
        ("members.tsv", 4, 4),
        ("models.tsv", 5, 5),
        ("refusals.tsv", 8, 6),
        ("removed.tsv", 3, 3),
        ("replies.tsv", 3, 2),
        ("routes.tsv", 4, 4),
        ("terms.tsv", 2, 2),
        ("upstreams.tsv", 5, 5),
        ("words.tsv", 2, 2),
    ];

    fn files(folder: &Path, found: &mut Vec<(String, &'static str)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "tsv") {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(&path).unwrap().leak()));
            }
        }
    }

    fn read(name: &str, text: &'static str) -> Result<usize, String> {
        let known: BTreeMap<&str, (usize, usize)> = TABLES
            .iter()
            .map(|&(name, most, least)| (name, (most, least)))
            .collect();
        let (most, least) = known[name];
        // The table has no more cells than this, and the rest is empty.
        let is_row = |cells: [&'static str; 8]| cells[most..].concat().is_empty().then_some(());
        table(name, text, least, is_row).map(|rows| rows.len())
    }

    #[test]
    fn a_malformed_row_is_an_error_with_file_and_line() {
        let (root, mut found) = (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
            Vec::new(),
        );
        for source in ["src", "crates/core/src", "crates/proxy/src"] {
            files(&root.join(source), &mut found);
        }
        found.retain(|(name, _)| !matches!(&**name, "prices.tsv" | "tiers.tsv"));
        assert!(found.len() > TABLES.len());
        for (name, text) in found {
            assert!(read(&name, text).unwrap() > 0, "{name}");
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines
                .iter()
                .enumerate()
                .filter(|(_, line)| !line.starts_with('#'))
            {
                let cut = line.replace('\t', " ");
                let damaged = [&lines[..at], &[&*cut], &lines[at + 1..]]
                    .concat()
                    .join("\n");
                let error = read(&name, damaged.leak()).unwrap_err();
                let place = format!("{name}: line {} has 1 cells", at + 1);
                assert!(error.starts_with(&place), "{error}");
            }
        }
        let two = |[word, number]: [&'static str; 2]| Some((word, number.parse::<u8>().ok()?));
        assert_eq!(table("t", "# a\tb\n\na\t1\n", 2, two), Ok(vec![("a", 1)]));
        let wrong = table("t", "a\t1\na\tb\n", 2, two).unwrap_err();
        assert_eq!(wrong, "t: line 2 is no row of this table: a\tb");
    }
}
