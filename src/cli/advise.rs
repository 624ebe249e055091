//! `deadhead advise`: finds the policy that saves most on recorded logs.

use super::{
    inputs::listed,
    known_folders::{Folder, known_folders},
    logs::{ReadLogs, Reading},
    tried::{Tried, candidates},
    *,
};
use crate::report::{
    Printer,
    advise::{Advices, figures, headline},
    agent_command, proxy_command,
};
use deadhead_replay::{
    advice::{Advice, LogLocation, Trial},
    report::build,
};
use serde_json::Map;

/// The number of logs that are read unless all are asked for.
const SAMPLE: usize = 200;

/// Runs the command.
pub fn run(args: &AdviseArgs) -> Result<Verdict> {
    let mut own = known_folders(|name| std::env::var_os(name));
    own.retain(|folder| folder.configuration.is_some());
    let Tried {
        candidates,
        policies,
        own: count,
        files,
    } = candidates(&args.logs.policy, &mut own)?;
    let mut places = Places::new(&args.files)?;
    let mut reading = Reading::new(&args.logs, &places.paths, &files)?;
    let sample_of = if args.all {
        None
    } else {
        reading.sample(SAMPLE)
    };
    // Both places are tried before the work begins.
    let (mut report, terminal) = report_output(args.logs.report.as_deref(), &reading.terms)?;
    let kind = if args.force {
        Kind::Report
    } else {
        Kind::NewReport
    };
    let terms = WriteOptions {
        kind,
        ..reading.terms.clone()
    };
    let written = args
        .write
        .as_deref()
        .map(|path| AtomicFile::new(path, terms))
        .transpose()?;
    let mut trials = Vec::new();
    let found = &reading.inputs;
    let folders: HashMap<&Path, &Option<PathBuf>> = found
        .files
        .iter()
        .map(PathBuf::as_path)
        .zip(&found.folders)
        .collect();
    let ended = reading.each(
        |session, path, counts| {
            let replay = build(session, path, &policies, counts)?;
            let mut trial = Trial::new(session, replay);
            let configured = trial.policies.split_off(policies.len() - count);
            let is_below = |folder: &Folder| Path::new(path).starts_with(&folder.path);
            if let Some(at) = own.iter().position(is_below) {
                trial.policies[0] = configured[at].clone();
            }
            Ok(trial)
        },
        |path, trial| {
            if trial.requests + trial.repeated > 0 {
                let folder = folders.get(path).and_then(|folder| folder.as_deref());
                places.count(path, folder, &trial);
                trials.push(trial);
            }
            Ok(())
        },
    )?;
    let mut advice = Advice::new(candidates, trials);
    refuse_nothing(&advice, &ended, &places)?;
    (advice.places, advice.failed) = (places.found, ended.failed);
    advice.sample_of = sample_of;
    ended.say_left_out();
    say_how(&mut advice, args);
    if let Some(mut file) = written {
        file.sink.write_all(configuration_of(&advice).as_bytes())?;
        file.finish()?;
    }
    let look = args.logs.running.style(terminal, args.logs.verbose);
    let mut printer = Printer::<Advices>::new(args.logs.shown.report_format, look, String::new());
    printer.one(&advice, &mut report.sink)?;
    printer.end(&(), &mut report.sink)?;
    report.finish()?;
    Ok(ended.verdict)
}

/// Adds the commands that use the best policy.
fn say_how(advice: &mut Advice, args: &AdviseArgs) {
    if let Some(best) = advice.policy(advice.best) {
        let flags = match &args.write {
            Some(path) => {
                let path = absolute(path).unwrap_or_else(|_| path.clone());
                vec!["--config".to_owned(), path.display().to_string()]
            }
            None => best.candidate.flags.clone(),
        };
        advice.run_agents = advice
            .agents
            .iter()
            .filter(|agent| agent.pruned < agent.baseline)
            .filter_map(|agent| agent_command(&flags, &agent.name))
            .collect();
        advice.use_it = Some(proxy_command(&flags));
    }
}

/// Refuses logs without a session that counts.
fn refuse_nothing(advice: &Advice, ended: &ReadLogs, places: &Places) -> Result<()> {
    if advice.sessions > 0 {
        return Ok(());
    }
    let (left_out, ways) = if advice.uncounted == 0 {
        ("", "")
    } else {
        let left_out = ", of which the provider counted the tokens and the model has a price";
        (left_out, "; replay.rates sets prices")
    };
    bail!(
        "no session with requests{left_out} in {}{ways}{}",
        listed(&places.paths),
        ended.and_left_out()
    )
}

/// The configuration of the best policy, or one that cuts nothing.
fn configuration_of(advice: &Advice) -> String {
    let mut comment = vec![
        format!("deadhead advise {}", env!("CARGO_PKG_VERSION")),
        headline(advice),
    ];
    let Some(best) = advice.policy(advice.best) else {
        comment.push("No policy saves money in both halves of these sessions.".to_owned());
        let off = Map::from_iter([("contextPruning.mode".to_owned(), json!("off"))]);
        return policy_file(&comment, &off);
    };
    comment.push(format!(
        "{}: {}",
        best.candidate.name,
        figures(&best.measured)
    ));
    comment.extend(advice.use_it.clone());
    policy_file(&comment, &best.candidate.settings)
}

/// The places in which logs are looked for.
struct Places {
    paths: Vec<PathBuf>,
    found: Vec<LogLocation>,
}

impl Places {
    /// Returns the places that the user named, else the folders of the agents.
    fn new(named: &[PathBuf]) -> Result<Places> {
        let place = |path: String, agent| LogLocation {
            path,
            agent,
            sessions: 0,
        };
        if !named.is_empty() {
            let found = named
                .iter()
                .map(|path| place(path.display().to_string(), None));
            return Ok(Places {
                paths: named.to_vec(),
                found: found.collect(),
            });
        }
        let variable = |name: &str| std::env::var_os(name);
        let folders = known_folders(variable);
        for note in known_folders::exported(variable) {
            stderr_line!("deadhead: note: {note}");
        }
        if folders.is_empty() {
            bail!(
                "no logs of an agent in {}; name logs or folders",
                known_folders::listed()
            );
        }
        let (paths, found) = folders
            .into_iter()
            .map(|folder| (folder.path, place(folder.name, Some(folder.agent))))
            .unzip();
        Ok(Places { paths, found })
    }

    /// Counts a session where its log was found; one that a pattern matched is counted there.
    fn count(&mut self, path: &Path, folder: Option<&Path>, trial: &Trial) {
        let is_at = |place: &PathBuf| *place == folder.unwrap_or(path);
        let at = self
            .paths
            .iter()
            .position(is_at)
            .or_else(|| self.paths.iter().position(|place| !place.exists()));
        if let Some(found) = at.and_then(|at| self.found.get_mut(at)) {
            found.sessions += u64::from(trial.requests > 0);
        }
    }
}

/// A configuration, JSON5: a comment of these lines, and dotted keys as objects.
fn policy_file(comment: &[String], settings: &Map<String, Value>) -> String {
    let text: String = comment
        .iter()
        .map(|line| format!("// {}\n", escape(line)))
        .collect();
    let mut root = json!({});
    for (path, value) in settings {
        let mut at = &mut root;
        for name in path.split('.') {
            at = &mut at[name];
        }
        *at = value.clone();
    }
    let body = serde_json::to_string_pretty(&root).unwrap_or_default();
    text + &body + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_back() {
        let settings = json!({"contextPruning.mode": "break-even", "breakEven.budget": 0.0005, "protect.tools": ["*/ a"]});
        let text = policy_file(
            &["it saves $1".into(), "of a\nb */".into()],
            settings.as_object().unwrap(),
        );
        assert!(
            text.starts_with("// it saves $1\n// of a\\nb */\n{\n"),
            "{text}"
        );
        let read: serde_json::Value = deadhead_core::settings::parse("a", &text).unwrap();
        assert_eq!(
            read,
            json!({"contextPruning": {"mode": "break-even"}, "breakEven": {"budget": 0.0005}, "protect": {"tools": ["*/ a"]}})
        );
    }
}
