//! `deadhead statusline`: one line about the context of a session, for the screen of its agent.
//!
//! The agent waits for the line, so it is made from the agent's input and from what an earlier run
//! found. A separate process reads the log if it has grown, and writes the result into the cache
//! folder. A status line must not fail: unknown values are left out, and the exit code is 0.

use super::*;
use crate::report::number_format::{dollars, growth, thousands};
use deadhead_core::{internal::prices::row_at, settings::Replay};
use sha2::{Digest, Sha256};
use std::{
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    time::SystemTime,
};

/// The time without a look at a session's line after which its data is removed.
const FORGOTTEN: Duration = Duration::from_secs(30 * 86_400);

/// What the last reading of a log found.
#[derive(Default, Deserialize, Serialize)]
struct Found {
    /// The size of the log then, in bytes.
    bytes: u64,
    /// The arguments that chose the policy.
    policy: Vec<String>,
    /// The tokens of the context, and those that the policy would leave of it.
    tokens: Option<(u64, u64)>,
}

/// What the agent said of its cache misses, from one line to the next: it counts their tokens
/// together.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
struct Misses {
    count: u64,
    /// The tokens that were written to the cache again by all of them.
    tokens: u64,
    /// Those of the last one, if it came alone.
    last: Option<u64>,
}

/// Runs the command.
pub fn run(args: &StatuslineArgs) -> Result<Verdict> {
    if let Some(log) = &args.refresh {
        // Nobody reads what it would print: the next line shows what it found.
        let _ = refresh(log, &args.policy);
        return Ok(Verdict::Done);
    }
    let event = streams::stdin()
        .ok()
        .and_then(|stdin| serde_json::from_reader(stdin).ok());
    let event: Value = event.unwrap_or_default();
    let text = parts(args, &event).join(" · ");
    // A closed stdout is not a failure.
    let _ = streams::print(escape(&text) + "\n");
    Ok(Verdict::Done)
}

/// The parts of the line that are known.
fn parts(args: &StatuslineArgs, event: &Value) -> Vec<String> {
    let found = event["transcript_path"]
        .as_str()
        .and_then(|log| found(args, Path::new(log)));
    let window = &event["context_window"];
    let held = window["total_input_tokens"]
        .as_u64()
        .filter(|tokens| *tokens > 0);
    let tokens = held.or(found.as_ref().and_then(|found| Some(found.tokens?.0)));
    let context = tokens.map(|tokens| match window["context_window_size"].as_u64() {
        Some(size) if size > 0 => format!(
            "{} of {} tokens ({:.0} %)",
            thousands(tokens as f64),
            thousands(size as f64),
            tokens as f64 / size as f64 * 100.0
        ),
        _ => format!("{} tokens", thousands(tokens as f64)),
    });
    let spent = event["cost"]["total_cost_usd"]
        .as_f64()
        .filter(|usd| *usd > 0.0);
    let pruned = found.and_then(|found| found.tokens).map(|(before, after)| {
        match before.saturating_sub(after) {
            0 => "nothing to prune".to_owned(),
            saved => format!(
                "pruning would save {} tokens a request ({})",
                thousands(saved as f64),
                growth(before as f64, after as f64)
            ),
        }
    });
    [context, spent.map(dollars), pruned, miss(event)]
        .into_iter()
        .flatten()
        .collect()
}

/// The last cache miss: its cause, as the agent names it, and what it cost to write the prompt
/// again.
fn miss(event: &Value) -> Option<String> {
    let cache = &event["prompt_cache"];
    let count = cache["misses"].as_u64().filter(|count| *count > 0)?;
    let tokens = cache["miss_recache_tokens"].as_u64().unwrap_or_default();
    let cause = match cache["last_miss_cause"]["causes"][0].as_str() {
        None | Some("unknown") => "cause unknown".to_owned(),
        Some(cause) => cause.replace('_', " "),
    };
    let mut text = format!("last cache miss: {cause}");
    if let Some(tokens) = last_miss(event, count, tokens) {
        text += &format!(", {} tokens", thousands(tokens as f64));
        let (row, has_price) = row_at(
            event["model"]["id"].as_str()?,
            Some(times::now(&None).ok()?),
            &Replay::default(),
        );
        let write = if cache["ttl"] == "1h" {
            row.write_long
        } else {
            row.write
        };
        if has_price {
            text += &format!(", {}", dollars(tokens as f64 * (write - row.read) / 1e6));
        }
    }
    Some(text)
}

/// The tokens of the last of `count` misses, which had `tokens` together.
fn last_miss(event: &Value, count: u64, tokens: u64) -> Option<u64> {
    let path = event["transcript_path"]
        .as_str()
        .and_then(|log| place(Path::new(log), "misses"));
    let before: Misses = path.as_deref().and_then(read).unwrap_or_default();
    let last = match (
        count.checked_sub(before.count),
        tokens.checked_sub(before.tokens),
    ) {
        (Some(0), Some(0)) => before.last,
        (Some(1), Some(more)) => Some(more),
        _ => (count == 1).then_some(tokens),
    };
    let now = Misses {
        count,
        tokens,
        last,
    };
    if let Some(path) = path.filter(|_| now != before) {
        let _ = write(&path, &now);
    }
    last
}

/// Returns what is known of a log. If the log has changed since, it is read again: at once with
/// `--wait`, else in the background.
fn found(args: &StatuslineArgs, log: &Path) -> Option<Found> {
    let bytes = fs::metadata(log).ok()?.len();
    let path = place(log, "log")?;
    let policy = args.policy.words();
    let is_of_policy = |found: &Found| found.policy == policy;
    let known = read::<Found>(&path).filter(is_of_policy);
    if known.as_ref().is_some_and(|known| known.bytes == bytes) {
        return known;
    }
    if args.wait {
        let _ = refresh(log, &args.policy);
        return read::<Found>(&path).filter(is_of_policy);
    }
    let _ = Command::new(std::env::current_exe().ok()?)
        .args(["statusline", "--refresh"])
        .arg(log)
        .args(policy)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    known
}

/// Reads a log and writes what is found. If another process does so already, it does nothing.
///
/// # Errors
/// The configuration or the log cannot be read; then that is what is known of the log at this size.
fn refresh(log: &Path, policy: &PolicyArgs) -> Result<()> {
    let (Some(path), Some(lock)) = (place(log, "log"), place(log, "lock")) else {
        return Ok(());
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
        forget(folder);
    }
    if File::create(lock)?.try_lock().is_err() {
        return Ok(());
    }
    let mut found = Found {
        bytes: fs::metadata(log)?.len(),
        policy: policy.words(),
        tokens: None,
    };
    let pruner = deadhead_retrieval::pruner(configuration::for_requests(policy)?.0.into())?
        .with(|setup| setup.detail = Detail::Totals);
    let reports = Source::open(log)
        .map_err(Error::Io)
        .and_then(|mut log| pruner.prune_log(&mut log, &mut io::sink()));
    if let Ok([report]) = reports.as_deref() {
        found.tokens = Some((report.before.tokens, report.after.tokens));
    }
    write(&path, &found)
}

/// Returns the file in the cache folder for a log; `None` without a home folder.
fn place(log: &Path, kind: &str) -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let name = format!("{:x}", Sha256::digest(log.as_os_str().as_encoded_bytes()));
    Some(
        cache
            .join("deadhead/statusline")
            .join(format!("{}.{kind}", &name[..16])),
    )
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Puts a value in its place, whole: another line may be reading it.
fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    let folder = path.parent().context("no folder")?;
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.persist(path)?;
    Ok(())
}

/// Removes what is known of sessions that nobody has looked at for long.
fn forget(folder: &Path) {
    let is_old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|found| found.modified());
        changed.is_ok_and(|then| {
            SystemTime::now()
                .duration_since(then)
                .is_ok_and(|age| age > FORGOTTEN)
        })
    };
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(is_old)
    {
        let _ = fs::remove_file(entry.path());
    }
}
