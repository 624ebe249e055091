//! `deadhead check`: reports defects that a provider would refuse, and writes repaired copies.
//!
//! A check is a run that prunes nothing: the inputs, shapes and checks are those of `prune`, and
//! what it found is in the integrity of the report.

use super::*;

use deadhead_core::{
    diagnostics::DefectRow,
    internal::{check::REPAIRED, engine::Task},
    settings::{Mode, Scope},
    stream::passed,
};

/// Further defects of a code are counted.
const LISTED: usize = 1000;

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<Verdict> {
    let found = inputs(&args.files, args.out_dir.as_deref())?;
    let asked = RequestedOutputs {
        nothing: !args.repair,
        output: &args.output,
        out_dir: &args.out_dir,
        report: &None,

        progress: AutoChoice::Never,
    };
    let outputs = Outputs::new(&asked, &found, &[])?;
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    if args.scope.as_deref() == Some("file") {
        settings.scope = Scope::File;
    }
    settings.model.clone_from(&args.model);
    settings.provider.clone_from(&args.provider);
    let task = if args.repair {
        Task::Repair
    } else {
        Task::Check
    };
    let pruner = deadhead_retrieval::pruner(settings.into())?
        .to(task)
        .with(|setup| {
            setup.api_version.clone_from(&args.api_version);
            (setup.strict_input, setup.detail, setup.naming) =
                (args.input.strict_input, Detail::Totals, flag)
        });
    let job = Job {
        sidecar: None,
        pruner: prune::of_format(pruner, &args.input.format)?,
        session_state: None,
        threads: 0,
        max_input: args.input.max_input.unwrap_or_default(),
        writes: args.repair,
    };
    let mut list = List::new(args, found.files.len() == 1)?;
    prune::each(found, &outputs, &job, None, 1, &mut list)?;
    list.finish()
}

/// Returns the rows that are listed, and by code the number of the others.
fn listed(rows: &[DefectRow]) -> (Vec<&DefectRow>, BTreeMap<&'static str, usize>) {
    let mut counts = BTreeMap::new();
    let is_listed = |row: &&DefectRow| {
        let count = counts.entry(row.code).or_insert(0);
        *count += 1;
        *count <= LISTED
    };
    let listed = rows.iter().filter(is_listed).collect();
    counts.retain(|_, count| {
        *count = count.saturating_sub(LISTED);
        *count > 0
    });
    (listed, counts)
}

/// Returns a path in the one form that JSON has: `input.4` for `input[4]`.
fn dotted(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}

/// The printed list of defects: to stdout, or to stderr if stdout carries repaired copies.
struct List<'a> {
    args: &'a CheckArgs,
    out: Box<dyn Write>,
    format: Option<ReportFormat>,
    /// The provider's error, whose defects are listed first; `-` was stdin.
    error: Option<String>,
    /// Whether one input is named.
    is_alone: bool,
    inputs: u64,
    found: u64,
    left: u64,
    /// The bodies of the current input.
    bodies: reporter::Bodies,
    /// The JSON output, which is printed at the end so that warnings come first.
    objects: Vec<Value>,
    verdict: Verdict,
}

impl prune::Listener for List<'_> {
    fn note(&mut self, input: &Path, note: Note) {
        match note {
            Note::Report(report, line) => {
                for (report, line) in self.bodies.add((report, line)) {
                    self.add(input, line, *report);
                }
            }
            Note::Passed(line, error) => {
                self.verdict.raise(Verdict::Failed);
                let place = place_of(input, Some(line));
                stderr_line!("deadhead: {place}: {}", passed(&error, flag));
            }
            other => reporter::warn_of(self.args.quiet, input, &other),
        }
    }

    fn finish_input(&mut self, input: &Path, result: Result<Work>) -> Result<()> {
        if let Some(report) = std::mem::take(&mut self.bodies).lone() {
            self.add(input, None, *report);
        }
        if let Err(error) = result {
            self.verdict.raise(failed(input, error)?);
        }
        Ok(())
    }
}

impl List<'_> {
    fn new(args: &CheckArgs, is_alone: bool) -> Result<List<'_>> {
        let out: Box<dyn Write> = if args.repair || args.quiet {
            Box::new(Stderr)
        } else {
            Box::new(io::BufWriter::new(stdout()?))
        };
        let error = args.error.as_ref().map(|error| match &**error {
            "-" => io::read_to_string(io::stdin()),
            error => Ok(error.to_owned()),
        });
        Ok(List {
            args,
            out,
            format: (!args.quiet).then_some(args.report_format),
            error: error.transpose()?,
            is_alone,
            inputs: 0,
            found: 0,
            left: 0,
            bodies: reporter::Bodies::default(),
            objects: Vec::new(),
            verdict: Verdict::Done,
        })
    }

    /// Lists the defects of an input, or of the body in one of its lines. The check continues if
    /// its reader stops reading.
    fn add(&mut self, input: &Path, line: Option<u64>, mut report: Report) {
        let found = &mut report.integrity.before;
        let stands = self
            .error
            .as_ref()
            .filter(|error| spoken::sort(found, error) == 0)
            .map(|error| {
                too_long::advice(error, input).unwrap_or_else(|| {
                    let there = spoken::stands(error, input)
                        .map(|there| format!("; the error names {there}"))
                        .unwrap_or_default();
                    format!("no defect that check knows explains the error{there}")
                })
            });
        if stands.is_some() {
            self.verdict.raise(Verdict::Cut);
        }
        let path = place_of(input, line);
        let (found, left) = (&report.integrity.before, &report.integrity.after);
        self.inputs += 1;
        self.found += found.len() as u64;
        self.left += left.len() as u64;
        if !left.is_empty() {
            self.verdict.raise(Verdict::Cut);
        }
        reporter::warn_all(self.args.quiet, &path, &report);
        let _ = match self.format {
            None => Ok(()),
            Some(ReportFormat::Text) => {
                let said = match stands {
                    Some(stands) => Some(stands),
                    // If there are several, the last line counts them.
                    None if !self.is_alone || line.is_some() => None,
                    None => (found.is_empty() && left.is_empty()).then(|| "ok".to_owned()),
                };
                let said = said.map_or(Ok(()), |said| self.line(&path, said));
                said.and_then(|()| self.text(&path, found, left))
            }
            Some(ReportFormat::Json) => {
                self.objects.push(self.object(&path, &report));
                Ok(())
            }
            Some(_) => writeln!(self.out, "{}", self.object(&path, &report)),
        };
    }

    fn text(&mut self, path: &str, found: &[DefectRow], left: &[DefectRow]) -> io::Result<()> {
        let (listed, others) = listed(if self.args.repair { left } else { found });
        for defect in listed {
            // A place follows its file without a space.
            let mut document = Document::new("", format!("{path}:{defect}"));
            document.facts("provider", defect.answer().map(|answer| answer.to_string()));
            document.fact("repair", Self::advice(defect, self.args.repair));
            self.say(document)?;
        }
        for (code, count) in others {
            self.line(path, format!("{code} {count} more"))?;
        }
        if self.args.repair && left.len() < found.len() {
            let repaired = counted((found.len() - left.len()) as u64, "defect");
            self.line(path, format!("{repaired} repaired"))?;
        }
        Ok(())
    }

    fn line(&mut self, path: &str, sentence: String) -> io::Result<()> {
        self.say(Document::new(path.to_owned(), sentence))
    }

    fn say(&mut self, document: Document<'_>) -> io::Result<()> {
        self.out.write_all(printed(document).as_bytes())
    }

    /// Returns the advice for a defect, without `--repair` where a repair has left the defect.
    fn advice(defect: &DefectRow, left: bool) -> String {
        match defect.repair.strip_suffix(REPAIRED) {
            Some(advice) if left => advice.into(),
            Some(advice) => format!("{advice} (--repair)"),
            None => defect.repair.into(),
        }
    }

    fn object(&self, path: &str, report: &Report) -> Value {
        let mut object = json!({
            "schema": 1,
            "tool": report.tool,
            "input": {"path": path, "format": report.input.format},
        });
        let mut list = |name: &str, more: &str, rows: &[DefectRow], left: bool| {
            let row = |d: &DefectRow| json!({"code": d.code, "message": d.message, "part": d.part, "path": d.path.as_deref().map(dotted), "line": d.line, "callId": d.call_id, "detail": d.detail, "provider": d.answer(), "repair": Self::advice(d, left)});
            let (listed, others) = listed(rows);
            object[name] = listed.into_iter().map(row).collect();
            if !others.is_empty() {
                object[more] = json!(others);
            }
        };
        let integrity = &report.integrity;
        list("defects", "more", &integrity.before, false);
        if self.args.repair {
            list("left", "leftMore", &integrity.after, true);
        }
        object
    }

    fn finish(mut self) -> Result<Verdict> {
        match self.format {
            Some(ReportFormat::Text) if self.inputs > 1 || self.found > 0 || self.left > 0 => {
                let over = counted(self.inputs, "input");
                let found = counted(self.found, "defect");
                if self.args.repair {
                    writeln!(self.out, "{found} in {over}, {} left", self.left)?
                } else {
                    writeln!(self.out, "{found} in {over}")?
                }
            }
            Some(ReportFormat::Json) => {
                let text = match &self.objects[..] {
                    [only] => pretty(only)?,
                    _ => pretty(&self.objects)?,
                };
                self.out.write_all(text.as_bytes())?;
            }
            _ => {}
        }
        self.out.flush()?;
        Ok(self.verdict)
    }
}
