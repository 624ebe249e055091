//! `deadhead fork`: a pruned copy of a session that its agent loads.

use super::*;
use crate::report::quoted;
use deadhead_core::{
    Config,
    internal::{
        agents::{SessionFile, SessionId},
        dialect::accept::accept,
        emit as core,
        engine::Task,
        fork::{Broken, NewIds, fork, resume, session, verify},
        slim::slim,
    },
};
use uuid::Uuid;

/// A session that was written.
struct Forked {
    session: String,
    path: PathBuf,
    resume: String,
}

/// Runs the command.
pub fn run(args: &ForkArgs) -> Result<Verdict> {
    let (pruner, files) = emit::pruner(&args.policy)?;
    let reads = ReadFiles::new(std::slice::from_ref(&args.log), &files);
    streams::refuse(&reads, true)?;
    let name = || args.log.display().to_string();
    if let Some(path) = &args.output {
        reads.refuse_path(path)?;
    }
    if args.verify {
        return verify_all(args).with_context(name);
    }
    let forked = (|| {
        let (bytes, format, file) = read(args)?;
        let (bytes, report) = match &pruner {
            Some(pruner) => {
                let pruner = pruner.with(|setup| setup.clock.assume_cold = args.assume_cold);
                processed(&pruner.format(format.name)?, bytes)?
            }
            None => (bytes, None),
        };
        let repaired = repaired(bytes, format)?;
        let forked = match args.dry_run {
            true => None,
            false => Some(written(args, &repaired, format, file, reads)?),
        };
        anyhow::Ok((forked, report))
    })();
    let (forked, report) = match forked {
        Ok(forked) => forked,
        Err(error) => return failed(&args.log, error),
    };
    let made = forked.as_ref();
    let file = made.map(|made| made.path.display().to_string());
    if args.json {
        let all = json!({
            "schema": 1,
            "kind": "fork",
            "input": name(),
            "file": file,
            "session": made.map(|made| &made.session),
            "resume": made.map(|made| &made.resume),
            "report": report,
        });
        return streams::print(format!("{all}\n"));
    }
    if args.quiet {
        return Ok(Verdict::Done);
    }
    let cut = report
        .filter(Report::is_cut)
        .map_or("nothing cut".to_owned(), |report| {
            let tokens = resized(report.before.tokens, report.after.tokens, "tokens");
            format!("{}, {tokens}", counted(report.cuts.len() as u64, "cut"))
        });
    let (how, hint) = match pruner {
        Some(_) => (
            configuration::in_force(&configuration::of(&args.policy)?.resolved),
            None,
        ),
        None => (
            "no policy is named".to_owned(),
            Some(format!("--preset {} prunes the copy", configuration::SAFE)),
        ),
    };
    let mut document = Document::new(name(), format!("{how}: {cut}"));
    document.facts("prune", hint);
    document.facts("session", made.map(|made| made.session.clone()));
    document.facts("file", file);
    document.facts("go on", made.map(|made| made.resume.clone()));
    streams::print(printed(document))
}

/// Lists what keeps an agent from loading the log.
fn verify_all(args: &ForkArgs) -> Result<Verdict> {
    let broken = verified(args)?;
    let lines: String = broken
        .iter()
        .map(|broken| line(&args.log, broken))
        .collect();
    if !args.quiet {
        streams::print(lines)?;
    }
    Ok(if broken.is_empty() {
        Verdict::Done
    } else {
        Verdict::Cut
    })
}

/// Prunes a log with a pruner.
fn processed(pruner: &Pruner, bytes: Vec<u8>) -> Result<(Vec<u8>, Option<Report>)> {
    let mut out = Vec::new();
    let mut reports = pruner.prune_log(&mut Source::Memory(bytes), &mut out)?;
    Ok((out, reports.pop()))
}

/// Repairs a log. What is outside its context is removed if it keeps a defect from being repaired.
fn repaired(bytes: Vec<u8>, format: &'static Dialect) -> Result<Vec<u8>> {
    let pruner = Pruner::new(Config::default())?
        .to(Task::Repair)
        .format(format.name)?;
    let (bytes, report) = processed(&pruner, bytes)?;
    if report.is_none_or(|report| report.integrity.after.is_empty()) {
        return Ok(bytes);
    }
    let source = Source::Memory(bytes);
    let bytes = slim(&source, Some(format.name), 1)?
        .map(|slimmed| slimmed.edits)
        .unwrap_or_default()
        .render(&source, 0, source.size())
        .map_err(Error::Io)?;
    Ok(processed(&pruner, bytes)?.0)
}

/// Reads the log, with its format and how the agent finds its sessions.
fn read(args: &ForkArgs) -> Result<(Vec<u8>, &'static Dialect, &'static SessionFile)> {
    let bytes = in_memory(&args.log, MaxInput::default())?;
    let found = emit::log_format(&bytes, args.format.as_deref())?.0;
    let format = found.format;
    accept(&core::context(&bytes, format)?, found)?;
    let Some(file) = format.session() else {
        bail!(
            "nobody knows how sessions of {} are loaded; --format help lists those that are known",
            format.name
        );
    };
    Ok((bytes, format, file))
}

fn verified(args: &ForkArgs) -> Result<Vec<Broken>> {
    let (bytes, format, _) = read(args)?;
    Ok(verify(&bytes, format, &own_name(&args.log))?.unwrap_or_default())
}

/// The names of the folder of a file and, without extensions of logs, of the file.
fn own_name(path: &Path) -> String {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = [".gz", ".zst", ".jsonl", ".json"]
        .iter()
        .fold(&*name, |name, end| name.strip_suffix(end).unwrap_or(name));
    format!("{}/{name}", folder.display())
}

/// Writes the pruned log under new ids.
fn written(
    args: &ForkArgs,
    bytes: &[u8],
    format: &'static Dialect,
    file: &SessionFile,
    reads: ReadFiles,
) -> Result<Forked> {
    let random = Uuid::new_v4();
    let id = match file.form {
        SessionId::Timed => {
            // A clock before 1970 has no such id.
            let now = times::now(&None)?.max(0).cast_unsigned();
            let nanos = (now % 1000) as u32 * 1_000_000;
            Uuid::new_v7(uuid::Timestamp::from_unix(
                uuid::NoContext,
                now / 1000,
                nanos,
            ))
        }
        SessionId::Random | SessionId::Prefixed => random,
    };
    let new = NewIds {
        session: id.to_string(),
        tail: random.simple().to_string()[..8].to_owned(),
    };
    let bytes = repaired(bytes.to_vec(), format)?;
    // Without its links to other files, more of a log is context.
    let bytes = repaired(fork(&bytes, format, &new)?.unwrap_or_default(), format)?;
    if args.format.is_none() {
        let check = Pruner::new(Config::default())?.to(Task::Check);
        processed(&check, bytes.clone())?;
    }
    let session =
        session(&bytes, format)?.context("the log does not say which session it is of")?;
    let path = path(args, file, &session)?;
    let broken = verify(&bytes, format, &own_name(&path))?.unwrap_or_default();
    let is_ours = |broken: &&Broken| args.output.is_none() || broken.rule != "file-name";
    if let Some(Broken { rule, what, .. }) = broken.iter().find(is_ours) {
        bail!("its agent would not load it: {rule}: {what}; nothing written");
    }
    if path.exists() {
        bail!("{}: is there already; choose another name", path.display());
    }
    let terms = WriteOptions {
        kind: Kind::SteadyCopy,
        ..WriteOptions::of_report(reads)
    };
    let mut out = AtomicFile::new(&path, terms)?;
    out.write(|sink| sink.write_all(&bytes))?;
    out.finish()?;
    let resume = resume(&bytes, file).replace("{id}", &session);
    Ok(Forked {
        resume: resume.replace("{file}", &quoted(&path.display().to_string())),
        session,
        path,
    })
}

/// Where the session goes.
fn path(args: &ForkArgs, file: &SessionFile, session: &str) -> Result<PathBuf> {
    if let Some(output) = &args.output {
        if is_dash(output) {
            bail!("a session needs a file of its own; -o FILE or --out-dir DIR names it");
        }
        return Ok(output.clone());
    }
    let time = jiff::Timestamp::from_millisecond(times::now(&None)?)?;
    let short: String = session.chars().take(8).collect();
    let name = file
        .name
        .replace("{id}", session)
        .replace("{id8}", &short)
        .replace("{time}", &time.strftime(&file.time).to_string());
    let log = args.log.to_string_lossy();
    let extension = match log.trim_end_matches(".gz").trim_end_matches(".zst") {
        log if log.ends_with(".json") => "json",
        _ => "jsonl",
    };
    let folder = match &args.out_dir {
        Some(folder) => folder.clone(),
        None if is_dash(&args.log) => bail!("a log from stdin needs -o FILE or --out-dir DIR"),
        // Where the folder has the name of the session, the new one lies beside it.
        None if name.contains('/') => {
            let log = absolute(&args.log)?;
            log.ancestors().nth(2).unwrap_or(&log).to_owned()
        }
        None => args.log.parent().unwrap_or(Path::new("")).to_owned(),
    };
    Ok(folder.join(format!("{name}.{extension}")))
}

fn line(log: &Path, broken: &Broken) -> String {
    printed(Document::new(
        place_of(log, Some(broken.line).filter(|line| *line > 0)),
        format!("{}: {}", broken.rule, broken.what),
    ))
}
