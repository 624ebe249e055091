//! One input from its bytes to its output and its reports, whatever its shape.

use super::Verdict;
use super::atomic_file::AtomicFile;
use super::batch::batch;
use super::body_lines::{self, CHUNK, Lines};
use super::filter::{self, Begun, First};
use super::history;
use super::output::{Behind, Sink};
use super::progress::Part;
use super::remember::Recall;
use anyhow::Result;
use deadhead_core::diagnostics::Warning;
use deadhead_core::edit::Edits;
use deadhead_core::engine::{Pruned, Record, Setup};
use deadhead_core::format::{Detected, Format, Layout};
use deadhead_core::input::endless::Length;
use deadhead_core::input::{MaxInput, Room, Source, Spool};
use deadhead_core::input_kind::{Beginning, InputKind, input_kind};
use deadhead_core::json::find;
use deadhead_core::outcome::Report;
use deadhead_core::read_at::ReadAt;
use deadhead_core::reader;
use deadhead_core::values;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes looked at first to tell the shape.
const HEAD: usize = 256 << 10;

/// Bytes without JSON after which none is waited for.
const HOPELESS: usize = 16 << 20;

/// What all inputs of a run have in common.
pub struct Job {
    /// Settings, clock, warnings.
    pub setup: Setup,
    /// What is remembered between runs.
    pub recall: Option<Recall>,
    /// `--format`.
    pub format: Option<&'static Format>,
    /// Threads for one large file; 0 is one for each core.
    pub threads: usize,
    /// How much is taken of an input.
    pub max_input: MaxInput,
    /// Whether somebody sees what is written.
    pub writes: bool,
}

impl Job {
    /// Does what is to be done with one body.
    pub fn body(&self, bytes: &[u8], line: u64, found: Detected) -> Result<Pruned, deadhead_core::Error> {
        let record = Record::Body { bytes, line, found };
        match &self.recall {
            Some(recall) => recall.run(&record, &self.setup),
            None => record.run(&self.setup),
        }
    }

    /// Flushes a stream, puts a file in its place. In a pipe nobody waits for the disk: a sync for each request is too dear.
    pub fn finish(&self, opened: Opened) -> Result<()> {
        match opened {
            Opened::Stream(mut sink) => Ok(sink.flush()?),
            Opened::File(file) => {
                if let Some(recall) = self.recall.as_ref().filter(|_| !file.is_stream()) {
                    recall.sync()?;
                }
                file.finish()
            }
        }
    }
}

/// Bytes from which a file is worth several threads.
pub(super) const LARGE: u64 = 16 << 20;
/// Threads at most.
const MOST: usize = 512;

/// How many threads `asked` means for so many pieces of work: none without its piece, and never so many that starting
/// them is the work. Asking the system takes longer than a small input does.
pub fn threads(asked: usize, inputs: usize) -> usize {
    let wanted = if asked > 0 { asked } else { std::thread::available_parallelism().map_or(1, usize::from) };
    wanted.min(inputs).clamp(1, MOST)
}

/// A pool of so many threads, or of this one where the system has no others to give.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.or_else(|_| Ok(ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?))
}

/// How many threads a source is worth.
pub(super) fn threads_for(source: &Source, job: &Job) -> usize {
    if source.size() < LARGE { 1 } else { threads(job.threads, usize::MAX) }
}

/// An open destination.
pub enum Opened {
    /// Stdout, or nowhere.
    Stream(Sink),
    /// A file that appears when it is finished.
    File(Box<AtomicFile>),
}

impl Opened {
    /// What to write to.
    pub fn sink(&mut self) -> &mut Sink {
        match self {
            Opened::Stream(sink) => sink,
            Opened::File(file) => &mut file.sink,
        }
    }

    /// Whether somebody may have seen what was written.
    pub fn is_out(&self) -> bool {
        match self {
            Opened::Stream(_) => true,
            Opened::File(file) => file.is_stream(),
        }
    }
}

/// What is told while an input is processed.
pub enum Told {
    /// The report of an input that is one transcript.
    Whole(Box<Report>),
    /// The report of one body of a pipe, with its line.
    Body(Box<Report>, u64),
    /// A line that passed through, and what that means for the verdict.
    Line(Warning, Verdict),
    /// Bytes of an input of bodies that belong to no report: what is between bodies, and what passed through.
    Between(Bytes),
    /// The input was empty, or white space, which comes out as it came.
    Empty,
}

/// So many bytes of an input and of its output.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Read, after decompression.
    pub read: u64,
    /// Written, before compression.
    pub written: u64,
}

impl Bytes {
    /// Adds what is left of a piece of the input and its answer once its reports have taken theirs.
    pub fn add_rest(&mut self, read: usize, written: usize, told: &[Told]) {
        let reports = told.iter().filter_map(|told| if let Told::Body(report, _) = told { Some(report) } else { None });
        let (inside, made) = reports.fold((0, 0), |(read, made), report| (read + report.input.bytes, made + report.output.bytes));
        self.read += (read as u64).saturating_sub(inside);
        self.written += (written as u64).saturating_sub(made);
    }
}

/// Processes an input that lies in a file.
pub fn file(
    source: Source,
    name: &str,
    job: &Job,
    progress: &Part<'_>,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let size = usize::try_from(source.size()).unwrap_or(usize::MAX);
    let mut head = Room::new(HEAD.min(size));
    let mut n = source.read_at(0, &mut head[..HEAD.min(size)])?;
    let mut shape = input_kind(&head[..n], n == size, job.format)?;
    while let Beginning::More | Beginning::NextLine = shape {
        let wider = (n * 4).min(size);
        head.grow(wider, n);
        let more = source.read_at(n as u64, &mut head[n..wider])?;
        n += more;
        // A sparse file may begin with zero bytes without an end.
        let is_hopeless = matches!(shape, Beginning::NextLine) && n > HOPELESS;
        shape = input_kind(&head[..n], more == 0 || n == size || is_hopeless, job.format)?;
    }
    let Beginning::Kind(shape) = shape else { return Ok(()) };
    match shape {
        InputKind::Document(found) if n == size && found.format.layout == Layout::Body => {
            source.unchanged()?;
            return document(&head[..n], found, job, open, told);
        }
        InputKind::Bodies if n == size => {
            return body_lines::run(&mut Lines::held(head, n), None, job, name, &|| source.unchanged(), open, told);
        }
        _ => {}
    }
    let one_line = find(b'\n', &head[..n]).is_none();
    drop(head);
    match shape {
        InputKind::Empty => {
            let mut opened = open()?;
            opened.sink().splice(&source, &Edits::default(), 1)?;
            source.unchanged()?;
            job.finish(opened)?;
            told(Told::Between(Bytes { read: source.size(), written: source.size() }));
            told(Told::Empty);
            Ok(())
        }
        InputKind::Document(found) => {
            let (room, size) = source.into_memory()?;
            if found.format.layout == Layout::History && values::are_many(&room[..size]) {
                let settings = &job.setup.settings;
                let transcript = values::history(&room[..size], found.format, settings.context_pruning.estimator, settings.scope)?;
                let all = Source::Buffer(room, size);
                return history::spliced(transcript, &all, &all, found, job, open, told).map(|_| ());
            }
            document(&room[..size], found, job, open, told)
        }
        InputKind::Bodies => bodies(source, one_line, name, job, open, told),
        InputKind::Log(found) => history::run(&source, found, job, progress, open, told),
    }
}

/// Processes an input that comes through a pipe: bodies as they come, all else when it is complete. With `begun` it is a filter:
/// every line is answered, what can be known of it or not.
pub fn pipe(
    mut input: File,
    mut begun: Option<Begun>,
    name: &str,
    job: &Job,
    progress: &Part<'_>,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    super::output::widen(&input);
    let mut head = Room::default();
    let (mut size, mut line, mut waits) = (0, Length::default(), false);
    loop {
        if let Some(begun) = begun.as_mut().filter(|_| waits)
            && !filter::comes(&input)?
        {
            begun.give_up(&head[..size], open, told)?;
        }
        if head.len() - size < CHUNK / 2 {
            head.grow(size + CHUNK.max(size), size);
        }
        let n = match input.read(&mut head[size..]) {
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        size += n;
        if head.starts_with(&[0x1f, 0x8b]) || head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            break;
        }
        line.add(&head[size - n..size]);
        line.check()?;
        if n > 0 && line.is_first() {
            continue;
        }
        let shape = match &mut begun {
            Some(begun) => match begun.first(&head[..size], n == 0, job.format, open, told)? {
                First::End => {
                    told(Told::Between(begun.passed()));
                    return begun.opened.take().map_or(Ok(()), |opened| job.finish(opened));
                }
                First::Shape(shape) => Some(shape),
                wait => {
                    waits = matches!(wait, First::Wait);
                    None
                }
            },
            None => match input_kind(&head[..size], n == 0, job.format)? {
                Beginning::More | Beginning::NextLine => None,
                Beginning::Kind(shape) => Some(shape),
            },
        };
        match shape {
            None => {}
            Some(InputKind::Bodies) => {
                let start = begun.as_ref().map_or(0, |begun| begun.bytes);
                return body_lines::run(&mut Lines::new(input, head, start, size), begun, job, name, &|| Ok(()), open, told);
            }
            Some(InputKind::Log(found)) => {
                let spool = Spool::new(&head[..size], job.max_input)?;
                let lines = begun.as_ref().map_or(0, |begun| begun.lines);
                let passed = passed(begun, &head);
                drop(head);
                let open = &mut behind(&passed, open);
                let settings = &job.setup.settings;
                let (transcript, source) =
                    reader::as_it_comes(&input, spool, found.format, settings.context_pruning.estimator, settings.scope)?;
                return match history::spliced(transcript, &source, &source, found, job, open, told) {
                    Err(error) if !passed.is_empty() => whole(&source, error, lines + 1, job, open, told),
                    done => done.map(|_| ()),
                };
            }
            Some(_) => break,
        }
    }
    let passed = passed(begun, &head);
    let source = Source::spool(input, &head[..size], job.max_input)?;
    drop(head);
    file(source, name, job, progress, &mut behind(&passed, open), told)
}

/// Lets all of `source` out as it came, of which the beginning is out already, where it was refused before anything was written.
fn whole(
    source: &Source,
    error: anyhow::Error,
    line: u64,
    job: &Job,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    use deadhead_core::Error::{Bound, Broken, Fixed, Mismatch, NotUnderstood, Selection, State};
    match error.downcast::<deadhead_core::Error>()? {
        error @ (NotUnderstood { .. } | Broken(_) | Mismatch { .. } | Bound { .. } | Fixed { .. } | Selection(_) | State(_)) => {
            let mut opened = open()?;
            opened.sink().splice(source, &Edits::default(), 1)?;
            job.finish(opened)?;
            body_lines::told_of(Some(error), line, told);
            Ok(())
        }
        error => Err(error.into()),
    }
}

/// What came out of the beginning of an input already.
fn passed(begun: Option<Begun>, head: &[u8]) -> Vec<u8> {
    begun.map_or_else(Vec::new, |begun| head[..begun.bytes].to_vec())
}

/// Opens a destination to which `passed` was written already: what is written first must be that, and is dropped.
fn behind<'a>(passed: &'a [u8], open: &'a mut dyn FnMut() -> Result<Opened>) -> impl FnMut() -> Result<Opened> + 'a {
    move || {
        Ok(match open()? {
            Opened::Stream(sink) if !passed.is_empty() => Opened::Stream(Sink::Behind(Box::new(Behind::new(sink, passed.to_vec())))),
            opened => opened,
        })
    }
}

fn document(bytes: &[u8], found: Detected, job: &Job, open: &mut dyn FnMut() -> Result<Opened>, told: &mut dyn FnMut(Told)) -> Result<()> {
    if found.batch {
        let found = batch(bytes, 0, job)?;
        let mut opened = open()?;
        let written = opened.sink().write_slices(&mut found.slices(bytes)?)?;
        job.finish(opened)?;
        let mut between = Bytes::default();
        between.add_rest(bytes.len(), written as usize, &found.told);
        found.told.into_iter().chain([Told::Between(between)]).for_each(told);
        return Ok(());
    }
    let pruned = job.body(bytes, 1, found)?;
    let mut opened = open()?;
    opened.sink().write_slices(&mut pruned.slices(bytes)?)?;
    job.finish(opened)?;
    told(Told::Whole(Box::new(pruned.report)));
    Ok(())
}

fn bodies(
    source: Source,
    one_line: bool,
    name: &str,
    job: &Job,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let Some(file) = source.file() else {
        let (room, size) = source.into_memory()?;
        return body_lines::run(&mut Lines::held(room, size), None, job, name, &|| Ok(()), open, told);
    };
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(0))?;
    body_lines::run(&mut Lines::of_file(file, source.size(), one_line), None, job, name, &|| source.unchanged(), open, told)
}
