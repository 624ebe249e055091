//! Plans the output files of a run, and refuses an output that is one of the inputs.

use super::{progress::Progress, *};

/// The requested outputs of a command.
pub struct RequestedOutputs<'a> {
    /// No data.
    pub nothing: bool,
    /// `--output`
    pub output: &'a Option<PathBuf>,
    /// `--out-dir`
    pub out_dir: &'a Option<PathBuf>,
    /// `--report`
    pub report: &'a Option<PathBuf>,

    /// `--progress`
    pub progress: AutoChoice,
}

/// The outputs of a run.
pub struct Outputs {
    /// Nothing is written.
    pub nowhere: bool,
    /// Something is printed to stdout.
    pub prints: bool,
    /// The path to which each input is written; `None` is stdout.
    pub places: Vec<Option<PathBuf>>,
    /// The bar over all inputs.
    pub progress: Progress,
    /// The options for a report of the run.
    pub terms: WriteOptions,
    /// The kind of the outputs of inputs.
    kind: Kind,
}

impl Outputs {
    /// Plans the requested outputs of inputs that were found in folders; `read` are the files that
    /// the run reads beside them.
    pub fn new(asked: &RequestedOutputs<'_>, found: &Inputs, read: &[PathBuf]) -> Result<Outputs> {
        let inputs = &found.files[..];
        if inputs.len() > 1 && asked.out_dir.is_none() && !asked.nothing {
            bail!(
                "{} inputs need --out-dir DIR, or -n to only report",
                inputs.len()
            );
        }
        let to_stdout = asked.out_dir.is_none()
            && asked.output.as_deref().is_none_or(is_dash)
            && !asked.nothing;
        let is_report_printed = asked.report.as_deref().is_some_and(is_dash);
        if is_report_printed && to_stdout {
            bail!("--report - needs -o, --out-dir or -n: stdout carries the pruned JSON");
        }
        if asked.report.is_some() && asked.report == asked.output {
            bail!("-o and --report name the same file");
        }
        let places: Vec<Option<PathBuf>> = match (asked.out_dir, asked.output) {
            (Some(dir), _) => names::names(inputs, &found.folders)?
                .into_iter()
                .map(|name| Some(dir.join(name)))
                .collect(),
            (None, output) => vec![output.clone().filter(|path| !is_dash(path)); inputs.len()],
        };
        let reads = ReadFiles::new(inputs, read);
        let prints = asked.nothing || is_report_printed || to_stdout;
        streams::refuse(&reads, prints)?;
        places
            .iter()
            .flatten()
            .chain(asked.report)
            .try_for_each(|path| reads.refuse_path(path))?;
        if let Some(report) = asked.report
            && places
                .iter()
                .flatten()
                .any(|place| is_same_place(place, report))
        {
            bail!(
                "{}: is the output of the pruned JSON; the report needs a file of its own",
                report.display()
            );
        }
        let progress = Progress::new(asked.progress, reads.size, "");
        if let Some(dir) = asked
            .out_dir
            .as_ref()
            .filter(|dir| !asked.nothing || dir.exists())
        {
            folder::make(dir).with_context(|| format!("{}: cannot make it", dir.display()))?;
        }
        let terms = WriteOptions::of_report(reads);
        let kind = match asked.out_dir {
            Some(_) => Kind::SteadyCopy,
            None => Kind::Copy,
        };
        Ok(Outputs {
            nowhere: asked.nothing,
            prints,
            places,
            progress,
            terms,
            kind,
        })
    }

    /// Whether data is written to stdout.
    pub fn is_stdout(&self) -> bool {
        !self.nowhere && self.places.iter().all(Option::is_none)
    }

    /// Prepares the output of one input.
    pub fn create(
        &self,
        place: &Path,
        input: Option<Identity>,
        privacy: Privacy,
    ) -> Result<AtomicFile> {
        let terms = WriteOptions {
            input,
            privacy,
            kind: self.kind,
            ..self.terms.clone()
        };
        AtomicFile::new(place, terms)
    }
}

impl WriteOptions {
    /// Returns the options for a report on all inputs.
    pub fn of_report(reads: ReadFiles) -> WriteOptions {
        WriteOptions {
            privacy: reads.privacy,
            reads: Arc::new(reads),
            input: None,
            kind: Kind::Report,
        }
    }
}

/// The output of a report: the file that is named, else stdout; and whether it is a terminal.
pub fn report_output(path: Option<&Path>, terms: &WriteOptions) -> Result<(AtomicFile, bool)> {
    match path.filter(|path| !is_dash(path)) {
        Some(path) => Ok((AtomicFile::new(path, terms.clone())?, false)),
        None => Ok((AtomicFile::printing(stdout()?), io::stdout().is_terminal())),
    }
}
