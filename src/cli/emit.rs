//! `deadhead emit`: the next request of a log as a body of its provider.

use super::*;
use deadhead_core::internal::{
    dialect::{Detected, Layout, accept::accept, named},
    emit::{self, Emitted, PROMPT},
    input_kind::{Beginning, InputKind, input_kind},
    transcript::Role,
};

/// A log of which requests are made.
pub struct Log {
    pub bytes: Vec<u8>,
    pub format: &'static Dialect,
    /// The lines directly before answers: a request follows each. `None` is the end, where the only
    /// request of a document is.
    pub asked: Vec<Option<usize>>,
    is_document: bool,
}

/// A request, and the report on its repair.
pub struct Request {
    pub body: Vec<u8>,
    pub emitted: Emitted,
    pub repair: Report,
    /// Whether the pruner cut something from the log.
    pub is_cut: bool,
}

/// Runs the command.
pub fn run(args: &EmitArgs) -> Result<Verdict> {
    let (pruner, files) = pruner(&args.policy)?;
    let reads = ReadFiles::new(std::slice::from_ref(&args.log), &files);
    streams::refuse(&reads, true)?;
    let prompt = args.line.is_none().then_some(PROMPT);
    let read = || -> Result<Request> {
        Log::read(&args.log, args.format.as_deref())?.request(args.line, pruner.as_ref(), prompt)
    };
    let made = match read() {
        Ok(made) => made,
        Err(error) => return failed(&args.log, error),
    };
    stderr_line!("deadhead: note: {}", made.note());
    if streams::would_fill_screen(std::slice::from_ref(&args.log)) {
        let bytes = commas(made.body.len() as u64);
        hints::say(format!("the request has {bytes} bytes; > FILE writes it"));
        return Ok(Verdict::Done);
    }
    streams::print(&made.body)
}

/// Returns a pruner by the flags of a policy, if there are any, and the files that it was read
/// from.
pub fn pruner(policy: &PolicyArgs) -> Result<(Option<Pruner>, Vec<PathBuf>)> {
    if policy.words().is_empty() {
        return Ok((None, Vec::new()));
    }
    let (pruner, files) = self::policy(policy)?;
    Ok((Some(pruner), files))
}

/// Returns a pruner by the policy in force, and the files that it was read from.
pub fn policy(policy: &PolicyArgs) -> Result<(Pruner, Vec<PathBuf>)> {
    let found = configuration::of(policy)?;
    found.warn();
    let pruner = deadhead_retrieval::pruner(found.resolved.into())?;
    Ok((pruner, found.files))
}

/// Returns how the format of a log was found, and whether the log is one document.
pub fn log_format(bytes: &[u8], format: Option<&str>) -> Result<(Detected, bool)> {
    let format = format.map(named).transpose()?;
    match input_kind(bytes, true, format)? {
        Beginning::Kind(InputKind::Log(found)) => Ok((found, false)),
        Beginning::Kind(InputKind::Document(found)) if found.format.layout == Layout::History => {
            Ok((found, true))
        }
        _ if bytes.is_empty() => bail!("the input is empty"),
        _ => bail!("is no log of an agent; a body is a request as it is"),
    }
}

impl Log {
    /// Reads a log from which requests can be made.
    pub fn read(path: &Path, format: Option<&str>) -> Result<Log> {
        let mut bytes = in_memory(path, MaxInput::default())?;
        let (found, is_document) = log_format(&bytes, format)?;
        let mut context = emit::context(&bytes, found.format)?;
        if let Some((id, length)) = &context.begins_with {
            match earlier(path, id, *length) {
                Some(before) => {
                    bytes.splice(..0, before);
                    context = emit::context(&bytes, found.format)?;
                }
                None => stderr_line!(
                    "deadhead: warning: {}: it begins with the first {length} bytes of another log (history_base), that of {id}, \
                    which does not lie beside it: the request lacks them",
                    path.display()
                ),
            }
        }
        accept(&context, found)?;
        let answers = context
            .messages
            .windows(2)
            .filter(|pair| pair[0].role != Role::Assistant && pair[1].role == Role::Assistant);
        let asked = if is_document {
            vec![None]
        } else {
            answers
                .map(|pair| Some(pair[1].line.saturating_sub(1) as usize))
                .collect()
        };
        Ok(Log {
            bytes,
            asked,
            format: found.format,
            is_document,
        })
    }

    /// Makes the request behind a line, or the last one, as the pruner leaves it; with `prompt` the
    /// next one, if the last was answered.
    pub fn request(
        &self,
        line: Option<usize>,
        pruner: Option<&Pruner>,
        prompt: Option<&str>,
    ) -> Result<Request> {
        if line.is_some() && self.is_document {
            bail!("--line needs a log of lines, and it is one document");
        }
        let lines = self.bytes.split_inclusive(|byte| *byte == b'\n');
        if let Some(line) = line
            && line > lines.clone().count()
        {
            bail!("--line {line}: the log has {} lines", lines.count());
        }
        let end = line.map_or(self.bytes.len(), |line| {
            lines.take(line).map(<[u8]>::len).sum()
        });
        let log = &self.bytes[..end];
        let pruned = pruner
            .map(|pruner| pruner.format(self.format.name)?.prune(log))
            .transpose()?;
        let is_cut = pruned.as_ref().is_some_and(|pruned| pruned.report.is_cut());
        let log = pruned.as_ref().map_or(log, |pruned| &pruned.bytes);
        let context = emit::context(log, self.format)?;
        let emitted = emit::request(&context, &log, prompt)?.context(
            "no request can be made of it: it has none, or names an API that has no form here",
        )?;
        let repaired = deadhead_core::repair(&emitted.body)?;
        deadhead_core::check(&repaired.bytes)?;
        Ok(Request {
            body: repaired.bytes.into_owned(),
            repair: repaired.report,
            emitted,
            is_cut,
        })
    }
}

/// Returns the first bytes of the log with this id beside another log.
fn earlier(log: &Path, id: &str, length: u64) -> Option<Vec<u8>> {
    let folder = absolute(log).ok()?.parent()?.read_dir().ok()?;
    let path = folder.flatten().map(|file| file.path()).find(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        name.ends_with(&format!("-{id}")) && path.file_name() != log.file_name()
    })?;
    let mut bytes = in_memory(&path, MaxInput::default()).ok()?;
    let length = usize::try_from(length).ok()?;
    bytes.truncate(length);
    (bytes.len() == length).then_some(bytes)
}

impl Request {
    /// Returns what the body lacks, in one line.
    fn note(&self) -> String {
        let tools = self.emitted.tools.len() as u64;
        let lost = self
            .emitted
            .left_out
            .iter()
            .map(|(what, count)| counted(*count as u64, what));
        let system = (!self.emitted.has_system).then(|| "the system prompt".to_owned());
        let all: Vec<String> = system.into_iter().chain(lost).collect();
        let limit = self
            .emitted
            .max_tokens
            .map(|most| format!("; max_tokens is {most}"));
        let defects = &self.repair.integrity;
        let noted = |count: usize, how| {
            (count > 0).then(|| format!("; {} {how}", counted(count as u64, "defect")))
        };
        let (before, after) = (defects.before.len(), defects.after.len());
        [
            Some(match &all[..] {
                [] => "nothing of the log is left out".to_owned(),
                _ => format!("left out: {}", joined(all, ", ")),
            }),
            self.emitted.is_prompted.then(|| {
                format!("; the log ends with an answer: \"{PROMPT}\" stands for the next prompt")
            }),
            (tools > 0)
                .then(|| format!("; {} declared without parameters", counted(tools, "tool"))),
            limit,
            noted(before.saturating_sub(after), "repaired"),
            noted(after, "left"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
