//! Writes the header line and the log line of each request for gateways.

use super::{
    folder::{MissingFolders, PathTarget, Place},
    *,
};
use rustix::{fs::OFlags, io::Errno};
use std::{
    fs::Permissions,
    os::unix::fs::{MetadataExt, PermissionsExt},
};

/// The outputs for headers and log lines, if any.
pub struct GatewayOutput {
    header: Option<AtomicFile>,
    fields: Option<AtomicFile>,
    log: Option<Log>,
    workload: Option<String>,
}

/// Refuses a header's file or a log that is an input or another output, before either is opened:
/// opening the first empties it. What is no plain file, such as a terminal, may be several outputs
/// at once.
pub fn check_paths(args: &PruneArgs, outputs: &Outputs) -> Result<()> {
    let plain = |path: &&PathBuf| fs::metadata(path).map_or(true, |file| file.is_file());
    let mut others: Vec<&PathBuf> = outputs
        .places
        .iter()
        .flatten()
        .chain(&args.report)
        .collect();
    for path in args
        .state
        .iter()
        .chain(&args.emit_header)
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
    /// Opens the requested outputs. A dry run logs nothing.
    pub fn new(args: &PruneArgs, terms: &WriteOptions) -> Result<GatewayOutput> {
        let open = |path: &PathBuf| AtomicFile::new(path, terms.clone());
        let log = args.log.as_ref().filter(|_| !args.dry_run);
        Ok(GatewayOutput {
            header: args.emit_header.as_ref().map(open).transpose()?,
            fields: args.emit_response_fields.as_ref().map(open).transpose()?,
            log: log.map(|path| Log::new(path, terms)).transpose()?,
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

/// Writes a line for a request. A reader of a pipe gets each line at once.
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

/// The flags with which a log is opened, to which other processes may append lines as well.
const FLAGS: OFlags = OFlags::WRONLY
    .union(OFlags::APPEND)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY);

/// An open log, or a place for one: the first line makes it.
pub struct Log {
    path: PathBuf,
    /// The open file, or the place for it.
    target: Result<File, Place>,
    terms: WriteOptions,
}

impl Log {
    /// Opens a log that is there, so that one that cannot be written ends a run before it begins.
    pub fn new(path: &Path, terms: &WriteOptions) -> Result<Log> {
        let failed = || cannot_write(path);
        folder::refuse_planted(path).with_context(failed)?;
        let target = match folder::find(path, MissingFolders::Fail).with_context(failed)? {
            PathTarget::Folder => bail!("{}: is a directory", path.display()),
            PathTarget::Stream(stream) => Ok(stream.open().with_context(failed)?),
            PathTarget::Place(place) => match place.metadata().with_context(failed)? {
                Some(_) => Ok(opened(path, &place, FLAGS, terms)?),
                None => Err(place),
            },
        };
        Ok(Log {
            path: path.to_owned(),
            target,
            terms: terms.clone(),
        })
    }

    /// Adds a line by one write: lines of several processes do not mix.
    pub fn append(&mut self, line: &str) -> Result<()> {
        if let Err(place) = &self.target {
            self.target = Ok(made(&self.path, place, &self.terms)?);
        }
        if let Ok(file) = &mut self.target {
            file.write_all(line.as_bytes())
                .with_context(|| cannot_write(&self.path))?;
        }
        Ok(())
    }
}

/// Makes the log, unless another process was faster.
fn made(path: &Path, place: &Place, terms: &WriteOptions) -> Result<File> {
    let new = FLAGS | OFlags::CREATE | OFlags::EXCL;
    match opened(path, place, new, terms) {
        Err(error) if error.downcast_ref() == Some(&Errno::EXIST) => {
            opened(path, place, FLAGS, terms)
        }
        made => {
            let file = made?;
            let mode = terms.privacy.of_report(None, file.metadata()?.gid());
            file.set_permissions(Permissions::from_mode(mode))?;
            Ok(file)
        }
    }
}

/// Opens a log, unless it is an input.
fn opened(path: &Path, place: &Place, flags: OFlags, terms: &WriteOptions) -> Result<File> {
    let file = place.open(flags).with_context(|| cannot_write(path))?;
    let file = File::from(file);
    let found = file.metadata()?;
    if found.is_file() {
        terms.reads.refuse(path, Identity::of(&found))?;
    }
    Ok(file)
}
