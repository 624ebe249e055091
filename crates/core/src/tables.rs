//! Tables: texts of rows, whose cells are separated by tabs. Blank lines and lines that begin with
//! `#` are no rows.

use std::error::Error;

/// Reads the table in the file of this name, beside the file that asks for it.
macro_rules! table_file {
    ($name:literal, $least:expr, $read:expr) => {
        $crate::tables::table(
            concat!(module_path!(), "/", $name),
            include_str!($name),
            $least,
            $read,
        )
        .expect("a test reads the table")
    };
}
pub(crate) use table_file;

/// Reads a table, which `name` names in errors. A row has `N` cells, of which those behind the
/// first `least` may be left out; then they are empty.
///
/// # Errors
/// A line has another number of cells, or `read` returns an error for it: the name, the line and
/// what is wrong.
pub fn table<'a, const N: usize, T>(
    name: &str,
    text: &'a str,
    least: usize,
    read: impl Fn([&'a str; N]) -> Result<T, Box<dyn Error>>,
) -> Result<Vec<T>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines());
    let rows = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let row = |line: &'a str| {
        let (mut cells, mut count) = ([""; N], 0);
        for cell in line.split('\t') {
            if let Some(place) = cells.get_mut(count) {
                *place = cell.trim();
            }
            count += 1;
        }
        if !(least..=N).contains(&count) {
            let why = format!("{least} to {N} cells, separated by tabs, and this line {count}");
            return Err(format!("a row has {why}").into());
        }
        read(cells)
    };
    rows.map(|(at, line)| row(line).map_err(|why| format!("{name}:{at}: {why}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    /// The tables by their names, each with the cells that its rows may have at most and at least.
    const TABLES: [(&str, usize, usize); 14] = [
        ("faults.tsv", 3, 3),
        ("hosts.tsv", 6, 6),
        ("items.tsv", 5, 2),
        ("makers.tsv", 8, 8),
        ("members.tsv", 4, 4),
        ("models.tsv", 5, 5),
        ("prices.tsv", 21, 16),
        ("refusals.tsv", 8, 6),
        ("replies.tsv", 3, 2),
        ("routes.tsv", 4, 4),
        ("terms.tsv", 2, 2),
        ("tiers.tsv", 5, 3),
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

    fn known(name: &str) -> (usize, usize) {
        let mut rows = TABLES.iter();
        let (_, most, least) = rows.find(|(known, ..)| *known == name).unwrap();
        (*most, *least)
    }

    fn read(name: &str, text: &'static str) -> Result<usize, String> {
        let (most, least) = known(name);
        // The table has no more cells than this, and the rest is empty.
        let is_row = |cells: [&'static str; 21]| match cells[most..].concat() {
            rest if rest.is_empty() => Ok(()),
            rest => Err(rest.into()),
        };
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
                let place = format!("{name}:{}: a row has {} to", at + 1, known(&name).1);
                assert!(
                    error.starts_with(&place) && error.ends_with(" 1"),
                    "{error}"
                );
            }
        }
        let two = |[word, number]: [&'static str; 2]| Ok((word, number.parse::<u8>()?));
        let text = "\u{feff}# a\tb\n \na \t1\n";
        assert_eq!(table("t", text, 2, two), Ok(vec![("a", 1)]));
        let wrong = table("t", "a\t1\na\tb\n", 2, two).unwrap_err();
        assert_eq!(wrong, "t:2: invalid digit found in string");
    }
}
