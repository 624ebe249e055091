//! What a cut changes, as a unified diff: the lines that two texts share at their ends stay, and what is between them goes and comes.

use super::*;

/// Unchanged lines around the change.
const AROUND: usize = 3;

/// Returns the diff of a cut in the input that is called `path`; nothing where its texts are not known.
pub fn diff(path: &str, cut: &CutRow, colour: bool) -> String {
    let Some((before, after)) = &cut.texts else {
        return String::new();
    };
    let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let least = old.len().min(new.len());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let begins = same(&mut old.iter().zip(&new));
    let ends = same(&mut old.iter().rev().zip(new.iter().rev())).min(least - begins);
    let [goes, comes] = [&old, &new].map(|lines| &lines[begins..lines.len() - ends]);
    let first = begins.saturating_sub(AROUND);
    let behind = &old[old.len() - ends..][..ends.min(AROUND)];
    let range = |changed: &[&str]| {
        let length = begins - first + changed.len() + behind.len();
        format!("{},{length}", first + usize::from(length > 0))
    };
    let name = format!("{path} {}", place(cut.message, cut.part));
    let mut text = String::new();
    let mut line = |sign: &str, line: &str, code: u8| {
        let line = format!("{sign}{}", escape(line.trim_end_matches(['\r', '\n'])));
        text += &if colour && code > 0 {
            format!("\x1b[{code}m{line}\x1b[0m\n")
        } else {
            line + "\n"
        };
    };
    line(
        "--- ",
        format!("{name} {} {}", cut.tool, cut.names).trim_end(),
        1,
    );
    line("+++ ", &name, 1);
    line("@@ ", &format!("-{} +{} @@", range(goes), range(comes)), 36);
    for (sign, lines, code) in [
        (" ", &old[first..begins], 0),
        ("-", goes, 31),
        ("+", comes, 32),
        (" ", behind, 0),
    ] {
        for one in lines {
            line(sign, one, code);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(before: &str, after: &str) -> String {
        let mut cut = CutRow::default();
        (cut.message, cut.tool, cut.names) = (3, "read".to_owned(), "/a.rs".to_owned());
        cut.texts = Some((before.to_owned(), after.to_owned()));
        diff("log", &cut, false)
    }

    #[test]
    fn a_middle_that_goes_has_three_lines_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let want = "--- log 3/0 read /a.rs\n+++ log 3/0\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+note\n 6\n 7\n 8\n";
        assert_eq!(of(before, &before.replace('5', "note")), want);
    }

    #[test]
    fn a_text_that_is_replaced_or_goes() {
        let head = "--- log 3/0 read /a.rs\n+++ log 3/0\n";
        for (before, after, want) in [
            ("a\nb", "[cleared]", "@@ -1,2 +1,1 @@\n-a\n-b\n+[cleared]\n"),
            ("a", "", "@@ -1,1 +0,0 @@\n-a\n"),
            // No line is both before and behind the change.
            ("a\na\na\n", "a\n", "@@ -1,3 +1,1 @@\n a\n-a\n-a\n"),
            // What would steer a terminal is spelled out.
            ("\x1b[2J\r\n", "x\n", "@@ -1,1 +1,1 @@\n-\\u{1b}[2J\n+x\n"),
        ] {
            assert_eq!(of(before, after), format!("{head}{want}"));
        }
    }
}
