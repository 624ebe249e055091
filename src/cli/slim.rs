//! `deadhead slim`: copies of logs without what their next requests do not hold.

use super::{reporter::FEW, *};
use crate::report::{document::Tail, number_format::growth};
use deadhead_core::internal::slim::{Slimmed, slim};

/// A log, what is removed from it, and its bytes before and after.
struct Row {
    input: String,
    slimmed: Slimmed,
    before: u64,
    after: u64,
}

/// Runs the command.
pub fn run(args: &SlimArgs) -> Result<Verdict> {
    let found = inputs(&args.logs, args.out_dir.as_deref())?;
    let asked = RequestedOutputs {
        nothing: args.dry_run,
        output: &args.output,
        out_dir: &args.out_dir,
        report: &args.report,

        progress: AutoChoice::Never,
    };
    let outputs = Outputs::new(&asked, &found, &[])?;
    let (mut rows, mut verdict) = (Vec::new(), Verdict::Done);
    for (path, error) in found.unreadable {
        verdict.raise(failed(&path, error.into())?);
    }
    for (path, place) in found.files.iter().zip(&outputs.places) {
        match one(args, path, place.as_deref(), &outputs) {
            Ok(row) => rows.push(row),
            Err(error) => verdict.raise(failed(path, error)?),
        }
    }
    report(args, &rows, &outputs)?;
    Ok(verdict)
}

/// Writes the copy of one log.
fn one(args: &SlimArgs, path: &Path, place: Option<&Path>, outputs: &Outputs) -> Result<Row> {
    let file = open_input(path)?;
    let metadata = file.metadata()?;
    let (identity, privacy) = (Identity::of(&metadata), Privacy::of(&metadata));
    let source = Source::from_file(file, MaxInput::default()).map_err(Error::Io)?;
    let slimmed = slim(
        &source,
        args.format.as_deref(),
        threads(args.jobs, usize::MAX),
    )?
    .context(match source.size() {
        0 => "the input is empty",
        _ => "is no log of an agent; a body is sent whole",
    })?;
    if slimmed.is_read_by_bytes && !slimmed.edits.is_empty() {
        stderr_line!(
            "deadhead: warning: {}: other logs of the session may begin with bytes of this file (history_base): keep it in its place, \
            and use the copy elsewhere",
            path.display()
        );
    }
    let before = source.size();
    let after = before.saturating_add_signed(slimmed.edits.growth());
    if !outputs.nowhere {
        match place {
            Some(place) => {
                let mut file = outputs.create(place, Some(identity), privacy)?;
                file.write(|sink| sink.splice(&source, &slimmed.edits))?;
                source.unchanged()?;
                file.finish()?;
            }
            None => {
                let mut stdout = Sink::PlainFile(PlainFile::stdout()?);
                stdout.splice(&source, &slimmed.edits)?;
                stdout.flush()?;
            }
        }
    }
    Ok(Row {
        input: path.display().to_string(),
        slimmed,
        before,
        after,
    })
}

/// Writes the report: to its file, in a dry run to stdout, else to stderr.
fn report(args: &SlimArgs, rows: &[Row], outputs: &Outputs) -> Result<()> {
    if args.quiet && args.report.is_none() || rows.is_empty() {
        return Ok(());
    }
    let text = match (args.shown.report_format, rows) {
        (SlimFormat::Text, [row]) => printed(row.document()),
        (SlimFormat::Text, rows) => {
            let few = rows.iter().filter(|_| rows.len() <= FEW);
            let texts = few.map(|row| printed(row.document()));
            texts.chain([printed(all(rows))]).collect()
        }
        (SlimFormat::Json, [row]) => format!("{}\n", row.json()),
        (SlimFormat::Json, rows) => {
            format!("{}\n", Value::from_iter(rows.iter().map(Row::json)))
        }
    };
    if args.report.is_none() && !args.dry_run {
        return Ok(Stderr.write_all(text.as_bytes())?);
    }
    let (mut out, _) = report_output(args.report.as_deref(), &outputs.terms)?;
    out.write(|sink| sink.write_all(text.as_bytes()))?;
    out.finish()
}

/// The sums of several logs, and the logs that lose most.
fn all(rows: &[Row]) -> Document<'static> {
    let total = |size: fn(&Row) -> u64| rows.iter().map(size).sum();
    let sizes = resized(total(|row| row.before), total(|row| row.after), "bytes");
    let mut document = Document::new(counted(rows.len() as u64, "log"), sizes);
    if rows.len() > FEW {
        let mut largest: Vec<&Row> = rows.iter().collect();
        largest.sort_by_key(|row| row.after as i64 - row.before as i64);
        document.table(Table::new(
            largest.into_iter().take(FEW),
            &[
                ("bytes", Right, |row| change(row.before, row.after)),
                ("change", Right, |row| {
                    growth(row.before as f64, row.after as f64)
                }),
                ("log", Tail, |row| row.input.clone()),
            ],
        ));
    }
    document
}

impl Row {
    fn document(&self) -> Document<'static> {
        let mut document = Document::new(
            self.input.clone(),
            resized(self.before, self.after, "bytes"),
        );
        let context = &self.slimmed.context;
        document.fact("context", format!("{context} before and after"));
        document.table(Table::new(
            &self.slimmed.removed,
            &[
                ("removed", Left, |(why, _)| (*why).to_owned()),
                ("records", Right, |(_, (records, _))| commas(*records)),
                ("bytes", Right, |(_, (_, bytes))| commas(*bytes)),
            ],
        ));
        document
    }

    fn json(&self) -> Value {
        let slimmed = &self.slimmed;
        let removed: Vec<Value> = slimmed
            .removed
            .iter()
            .map(|(why, (records, bytes))| json!({"why": why, "records": records, "bytes": bytes}))
            .collect();
        json!({
            "schema": 1,
            "kind": "slim",
            "input": self.input,
            "format": slimmed.format,
            "bytes": {"before": self.before, "after": self.after},
            "context": {"sha256Before": slimmed.context, "sha256After": slimmed.context},
            "removed": removed,
        })
    }
}
