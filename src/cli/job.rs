//! One input from its bytes to its output and its reports, whatever its shape.

use super::batch::batch;
use super::body_lines::{self, Lines};
use super::output::{Pending, Sink};
use super::progress::Progress;
use super::shape::{Shape, Sniffed, sniff};
use anyhow::Result;
use deadhead::engine::{self, Pruned, Setup, Work};
use deadhead::format::{Detected, Format, Layout};
use deadhead::input::Source;
use deadhead::plan::Texts;
use deadhead::reader;
use deadhead::report::{Report, Warning};
use deadhead::transcript::Transcript;
use deadhead::values;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes looked at first to tell the shape.
const HEAD: usize = 256 << 10;

/// What all inputs of a run have in common.
pub struct Job {
    /// Settings, clock, warnings.
    pub setup: Setup,
    /// Whether inputs are mended, rather than pruned.
    pub repair: bool,
    /// `--format`.
    pub format: Option<&'static Format>,
    /// Threads for one large file; 0 is one for each core.
    pub threads: usize,
}

impl Job {
    /// What is done with a body.
    pub fn work(&self) -> Work {
        if self.repair { engine::repair } else { engine::body }
    }
}

/// Bytes from which a file is worth several threads.
const LARGE: u64 = 16 << 20;

/// How many threads `asked` means; asking the system takes longer than a small input does.
pub fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { std::thread::available_parallelism().map_or(1, usize::from) }
}

/// An open destination.
pub enum Opened {
    /// Stdout, or nowhere.
    Stream(Sink),
    /// A file that appears when it is finished.
    File(Box<Pending>),
}

impl Opened {
    /// What to write to.
    pub fn sink(&mut self) -> &mut Sink {
        match self {
            Opened::Stream(sink) => sink,
            Opened::File(pending) => &mut pending.sink,
        }
    }

    /// Flushes a stream, puts a file in its place.
    pub fn finish(self) -> Result<()> {
        match self {
            Opened::Stream(mut sink) => Ok(sink.flush()?),
            Opened::File(pending) => pending.finish(),
        }
    }
}

/// What is told while an input is processed.
pub enum Told {
    /// The report of an input that is one transcript.
    Whole(Box<Report>),
    /// The report of one body of a pipe, with its line.
    Body(Box<Report>, u64),
    /// A line that passed through, and whether that was because the result would have been broken.
    Line(Warning, bool),
    /// The input was empty.
    Empty,
}

/// Processes an input that lies in a file.
pub fn file(
    source: Source,
    name: &str,
    job: &Job,
    progress: &Progress,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let mut head = vec![0; HEAD];
    let n = source.read_at(0, &mut head)?;
    head.truncate(n);
    let mut shape = sniff(&head, n as u64 == source.size(), job.format)?;
    while let Sniffed::More = shape {
        let n = head.len();
        head.resize((n * 4).min(usize::try_from(source.size()).unwrap_or(usize::MAX)), 0);
        let more = source.read_at(n as u64, &mut head[n..])?;
        head.truncate(n + more);
        shape = sniff(&head, more == 0 || (n + more) as u64 >= source.size(), job.format)?;
    }
    drop(head);
    let Sniffed::Shape(shape) = shape else { return Ok(()) };
    match shape {
        Shape::Empty => {
            told(Told::Empty);
            open()?.finish()
        }
        Shape::Document(found) => {
            let bytes = source.into_memory()?;
            if found.format.layout == Layout::History && values::are_many(&bytes) {
                let settings = &job.setup.settings;
                let transcript = values::history(&bytes, found.format, settings.context_pruning.estimator, settings.scope)?;
                return spliced(transcript, &Source::Memory(bytes), found.format, job, open, told);
            }
            document(&bytes, found, job, open, told)
        }
        Shape::Bodies => bodies(source, name, job, open, told),
        Shape::History(format) => history(&source, format, job, progress, open, told),
    }
}

/// Processes an input that comes through a pipe: bodies as they come, all else when it is complete.
pub fn pipe(
    mut input: File,
    name: &str,
    job: &Job,
    progress: &Progress,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    super::output::widen(&input);
    let mut head = Vec::new();
    let mut size = 0;
    loop {
        head.resize(size + HEAD, 0);
        let n = match input.read(&mut head[size..]) {
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        size += n;
        if head.starts_with(&[0x1f, 0x8b]) || head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            break;
        }
        let line_is_there = memchr::memchr(b'\n', &head[..size]).is_some();
        if n > 0 && !line_is_there {
            continue;
        }
        match sniff(&head[..size], n == 0, job.format)? {
            Sniffed::More => {}
            Sniffed::Shape(Shape::Bodies) => {
                head.truncate(size);
                return body_lines::run(&mut Lines::new(input, head), job, name, &|| Ok(()), open, told);
            }
            Sniffed::Shape(_) => break,
        }
    }
    head.truncate(size);
    file(Source::spool(input, head)?, name, job, progress, open, told)
}

fn document(bytes: &[u8], found: Detected, job: &Job, open: &mut dyn FnMut() -> Result<Opened>, told: &mut dyn FnMut(Told)) -> Result<()> {
    if found.batch {
        let found = batch(bytes, 0, job)?;
        let mut opened = open()?;
        opened.sink().write_all(found.output.as_deref().unwrap_or(bytes))?;
        opened.finish()?;
        found.told.into_iter().for_each(told);
        return Ok(());
    }
    let Pruned { mut report, output, .. } = job.work()(bytes, 1, found, &job.setup)?;
    let mut opened = open()?;
    let output = output.as_deref().unwrap_or(bytes);
    opened.sink().write_all(output)?;
    opened.finish()?;
    report.output.bytes = output.len() as u64;
    told(Told::Whole(Box::new(report)));
    Ok(())
}

fn bodies(source: Source, name: &str, job: &Job, open: &mut dyn FnMut() -> Result<Opened>, told: &mut dyn FnMut(Told)) -> Result<()> {
    let Some(file) = source.file() else {
        return body_lines::run(&mut Lines::held(source.into_memory()?), job, name, &|| Ok(()), open, told);
    };
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(0))?;
    body_lines::run(&mut Lines::of_file(file, source.size()), job, name, &|| source.unchanged(), open, told)
}

fn history(
    source: &Source,
    format: &'static Format,
    job: &Job,
    progress: &Progress,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let settings = &job.setup.settings;
    let threads = if source.size() < LARGE { 1 } else { threads(job.threads) };
    let transcript =
        reader::history(source, format, settings.context_pruning.estimator, settings.scope, threads, &|done| progress.at(done))?;
    spliced(transcript, source, format, job, open, told)
}

/// Prunes a history that was read and writes it.
fn spliced(
    transcript: Transcript,
    source: &Source,
    format: &'static Format,
    job: &Job,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let Pruned { mut report, edits, output } = match job.repair {
        true => engine::repair_history(transcript, source, format, &job.setup)?,
        false => {
            let pruned = engine::history(&transcript, source, &job.setup)?;
            drop(transcript);
            pruned
        }
    };
    source.unchanged()?;
    let mut opened = open()?;
    if let Some(output) = output {
        opened.sink().write_all(&output)?;
        report.output.bytes = output.len() as u64;
    } else {
        opened.sink().splice(source, &edits).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => deadhead::Error::Changed.into(),
            _ => anyhow::Error::from(error),
        })?;
    }
    source.unchanged()?;
    opened.finish()?;
    told(Told::Whole(Box::new(report)));
    Ok(())
}
