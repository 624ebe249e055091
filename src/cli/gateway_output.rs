//! Writes the header line and the log line of each request for gateways.

use super::*;

/// The outputs for headers and log lines, if any.
pub struct GatewayOutput {
    header: Option<AtomicFile>,
    fields: Option<AtomicFile>,
    log: Option<log::Log>,
    workload: Option<String>,
}

/// Refuses a header's file or a log that is an input or another output, before either is opened: opening the first
/// empties it. What is no plain file, such as a terminal, may be several outputs at once.
pub fn check_paths(args: &PruneArgs, outputs: &Outputs) -> Result<()> {
    let plain = |path: &&PathBuf| fs::metadata(path).map_or(true, |file| file.is_file());
    let mut others: Vec<&PathBuf> = outputs
        .places
        .iter()
        .flatten()
        .chain(&args.report)
        .chain(&args.state)
        .collect();
    for path in args
        .emit_header
        .iter()
        .chain(&args.emit_response_fields)
        .chain(&args.log)
        .chain(&args.sidecar)
        .filter(plain)
    {
        outputs.terms.reads.refuse_path(path)?;
        if others.iter().any(|other| is_same_place(other, path)) {
            bail!(
                "{}: is another output as well; each output needs a file of its own",
                path.display()
            );
        }
        others.push(path);
    }
    Ok(())
}

impl GatewayOutput {
    /// Opens what was asked for. A dry run logs nothing.
    pub fn new(args: &PruneArgs, terms: &WriteOptions) -> Result<GatewayOutput> {
        let open = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| AtomicFile::new(path, terms.clone()))
                .transpose()
        };
        let (header, fields) = (open(&args.emit_header)?, open(&args.emit_response_fields)?);
        let log = args
            .log
            .as_ref()
            .filter(|_| !args.dry_run)
            .map(|path| log::Log::new(path, terms))
            .transpose()?;
        Ok(GatewayOutput {
            header,
            fields,
            log,
            workload: args.policy.workload.clone(),
        })
    }

    /// Says what a request came to.
    pub fn report(&mut self, report: &Report) -> Result<()> {
        line(&mut self.header, "--emit-header", || {
            report.header().to_owned()
        })?;
        line(&mut self.fields, "--emit-response-fields", || {
            report.response_fields()
        })?;
        if let Some(log) = &mut self.log
            && let Some(line) = report.log_line(self.workload.as_deref())
        {
            log.append(&format!("{line}\n")).context("--log")?;
        }
        Ok(())
    }

    /// Writes the lines of a request that passes through as it is: no header, and no members.
    pub fn passed(&mut self) -> Result<()> {
        line(&mut self.header, "--emit-header", String::new)?;
        line(&mut self.fields, "--emit-response-fields", || {
            "{}".to_owned()
        })
    }

    /// The files, which are not in their places yet.
    pub fn files(self) -> impl Iterator<Item = AtomicFile> {
        self.header.into_iter().chain(self.fields)
    }
}

/// Writes a line for a request. Who reads from a pipe gets each line at once.
fn line(
    file: &mut Option<AtomicFile>,
    flag: &'static str,
    text: impl FnOnce() -> String,
) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    file.sink
        .write_all(format!("{}\n", text()).as_bytes())
        .context(flag)?;
    if file.is_stream() {
        file.sink.flush().context(flag)?;
    }
    Ok(())
}
