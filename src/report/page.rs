//! The page that a text report is written on: labels, indents, 80 columns, few colours.
//!
//! Whatever comes from the input is escaped on its way through [`columns`](deadhead_core::terminal_text), and colours are put on last,
//! so that they count for no column.

use deadhead_core::terminal_text::{escape, fill, width, wrap};
use std::io::{self, Write};

/// Columns of a line, the first of a report excepted.
pub(super) const COLUMNS: usize = 80;
/// Columns that a detail's label takes, its indent included.
const LABEL: usize = 15;

/// How a text report looks.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// Whether to use ANSI colours.
    pub(super) colour: bool,
    /// Whether to list every cut and skip.
    pub(super) verbose: bool,
}

/// What a line is about, and so its colour.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Headline,
    Detail,
    Warning,
    Defect,
}

/// Lines on their way out.
pub(super) struct Page<'a> {
    look: Look,
    out: &'a mut dyn Write,
}

impl<'a> Page<'a> {
    pub(super) fn new(look: Look, out: &'a mut dyn Write) -> Page<'a> {
        Page { look, out }
    }

    /// A labelled detail; further lines stand under the first.
    pub(super) fn field(&mut self, tone: Tone, label: &str, text: &str) -> io::Result<()> {
        let mut lead = fill(&format!("  {label}"), LABEL);
        for line in wrap(text, COLUMNS - LABEL) {
            self.line(tone, &format!("{lead}{line}"))?;
            lead = " ".repeat(LABEL);
        }
        Ok(())
    }

    /// A line under `indent`; if it takes several, the further ones stand four deeper.
    pub(super) fn entry(&mut self, tone: Tone, indent: &str, text: &str) -> io::Result<()> {
        let mut lead = indent.to_owned();
        let room = COLUMNS - indent.len();
        let text = escape(text);
        for line in wrap(&text, if width(&text) <= room { room } else { room - 4 }) {
            self.line(tone, &format!("{lead}{line}"))?;
            lead = format!("{indent}    ");
        }
        Ok(())
    }

    /// A line that is escaped and laid out.
    pub(super) fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let code = match tone {
            _ if !self.look.colour => return writeln!(self.out, "{text}"),
            Tone::Headline => 1,
            Tone::Detail => 2,
            Tone::Warning => 33,
            Tone::Defect => 31,
        };
        writeln!(self.out, "\x1b[{code}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, defect, print, render};
    use super::super::{Renderer, ReportFormat};
    use super::*;
    use deadhead_core::diagnostics::Warning;
    use deadhead_core::outcome::Report;
    use proptest::prelude::*;

    fn text(verbosity: i8, reports: &[Report]) -> String {
        print(ReportFormat::Text, verbosity, reports)
    }

    #[test]
    fn colours_go_round_whole_lines() {
        let mut report = samples::untouched();
        report.warnings.push(Warning::at(3, "blank line"));
        report.integrity.after.push(defect("E07", 2));
        let plain = text(0, std::slice::from_ref(&report));
        let coloured = render(Renderer::new(ReportFormat::Text, true, 0), &[report]);
        let codes: Vec<_> = coloured.lines().map(|l| l.split_once('m').unwrap().0).collect();
        let (bold, dim, red, yellow) = ("\x1b[1", "\x1b[2", "\x1b[31", "\x1b[33");
        assert_eq!(codes, [bold, dim, dim, dim, dim, red, yellow]);
        for (line, coloured) in plain.lines().zip(coloured.lines()) {
            assert!(coloured.ends_with(&format!("m{line}\x1b[0m")));
        }
    }

    proptest! {
        #[test]
        fn lines_fit_and_are_printable(
            name in "(\\PC|[日本語한글🦀]|[\\x00-\\x1f\\x7f-\\u{9f}]| ){0,150}",
            numbers in any::<[u64; 6]>(),
            dry in any::<bool>(),
        ) {
            let mut report = samples::pruned();
            let [a, b, c, d, e, f] = numbers;
            report.input.path.clone_from(&name);
            report.input.format.clone_from(&name);
            report.decision.why.clone_from(&name);
            report.window.source.clone_from(&name);
            report.decision.last_call_source = Some(name.clone());
            report.warnings = vec![Warning::at(a, name.clone()); 9];
            report.skipped[0].why.clone_from(&name);
            (report.window.tokens, report.before.tokens, report.input.bytes) = (a, b, c);
            (report.before.chars, report.after.chars) = (d, e);
            for pass in &mut report.passes {
                (pass.cuts, pass.chars_removed, pass.skipped) = (a, b as i64, c);
                pass.name.clone_from(&name);
            }
            for cut in &mut report.cuts {
                (cut.chars_before, cut.chars_after) = (e, f);
                (cut.message, cut.part, cut.line) = (a as u32, b as u32, c as u32);
                cut.tool.clone_from(&name);
                cut.call_id = Some(name.clone());
                cut.reason.clone_from(&name);
            }
            if dry {
                report.output.path = None;
            }
            let text = text(1, &[report]);
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
            for line in text.lines().skip(1) {
                prop_assert!(width(line) <= COLUMNS, "{} columns: {line}", width(line));
            }
        }
    }
}
