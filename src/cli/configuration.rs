//! Finds and loads the configuration, and implements `deadhead config`.

use super::*;
use crate::config::{self, Expanded, IncludeContext, Sources};
use deadhead_core::{
    internal::pass::check_names,
    settings::{self, Resolved, price_table},
};
use deadhead_retrieval::passes;

/// The keys that have a flag of their own.
const KEYS: [&str; 12] = [
    "contextPruning.mode",
    "contextPruning.ttl",
    "onlyIf",
    "breakEven.expectRequests",
    "thinking",
    "contextManagement",
    "model",
    "provider",
    "contextWindow",
    "replay.prices",
    "passes.on",
    "passes.off",
];

/// The policy for running sessions where neither a flag nor the configuration chooses one: it cuts,
/// and no session becomes dearer than its budget.
pub const SAFE: &str = "break-even-safe";
/// The keys that choose a policy.
const CHOOSING: [&str; 2] = ["preset", "contextPruning.mode"];

/// The configuration of a run.
pub struct Configuration {
    pub resolved: Resolved,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
}

impl Configuration {
    /// Whether somebody chose the policy.
    pub fn is_chosen(&self) -> bool {
        chosen(&self.resolved).is_some()
    }

    /// Prints its warnings.
    pub fn warn(&self) {
        for warning in &self.resolved.warnings {
            stderr_line!("deadhead: warning: {}", warning.text);
        }
    }
}

/// Runs `deadhead config …`.
pub fn run(command: ConfigCommand) -> Result<Verdict> {
    use ConfigCommand::*;
    let text = match command {
        Show { policy, json } => {
            let found = of(&policy)?;
            streams::refuse(&ReadFiles::new(&[], &found.files), true)?;
            found.warn();
            if json {
                pretty(&found.resolved.rows())?
            } else {
                config::show(&found.resolved)
                    .lines()
                    .map(|line| escape(line) + "\n")
                    .collect()
            }
        }
        Init => config::init(),
        Schema => pretty(&config::schema())?,
        Presets { name } => {
            let name = name.as_deref();
            name.map(settings::preset).transpose()?;
            settings::listing(name)
        }
    };
    streams::print(text)
}

/// Returns the configuration that the flags of a policy and the files make.
pub fn of(policy: &PolicyArgs) -> Result<Configuration> {
    resolve(policy, Vec::new(), Vec::new())
}

/// Returns the policy in force and its source, in words; `None` if nobody chose one.
fn chosen(resolved: &Resolved) -> Option<String> {
    let rows = resolved.rows().into_iter();
    let chosen = rows.filter(|row| {
        let is_default = row.source == "default" || row.source.starts_with("preset ");
        CHOOSING.contains(&row.key) && !is_default
    });
    let words = chosen.map(|row| {
        let mode = if row.key == CHOOSING[0] { "" } else { "mode " };
        let names = row.value.to_string().replace(['"', '[', ']'], "");
        format!("{mode}{names}, by {}", row.source)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Returns the policy in force and its source, in words.
pub fn in_force(resolved: &Resolved) -> String {
    chosen(resolved).unwrap_or_else(|| "OpenClaw's rule, the default".to_owned())
}

/// Returns the settings of the flags and the configuration, with a policy for requests if none is
/// chosen, and the name of that policy.
pub fn for_requests(policy: &PolicyArgs) -> Result<(Resolved, String)> {
    let found = of(policy)?.resolved;
    if let Some(chosen) = chosen(&found) {
        return Ok((found, chosen));
    }
    let found = of(&policy.with_preset(SAFE))?.resolved;
    Ok((found, format!("{SAFE}, the default")))
}

/// All layers put together; `more` are flags of the command itself, and `sweeps` one setting of a
/// grid, each as `KEY=VALUE`.
pub fn resolve(
    policy: &PolicyArgs,
    more: Vec<(&'static str, Value)>,
    sweeps: Vec<String>,
) -> Result<Configuration> {
    let named = policy.pass.iter().chain(&policy.no_pass);
    check_names(passes(), named)?;
    let mut given = policy.given();
    if let Some(prices) = &policy.prices {
        // A flag means a file wherever the configuration is.
        let place = absolute(prices)?;
        let place = place.to_str().with_context(|| {
            let name = prices.display();
            format!("--prices {name}: the path is not UTF-8, as a setting must be")
        })?;
        given.insert("prices".to_owned(), json!(place));
    }
    let set = KEYS.iter().filter_map(|key| {
        let flag = flag(key);
        Some((*key, given.get(flag.strip_prefix("--")?)?.clone()))
    });
    let path = file(policy);
    let Expanded {
        text: whole,
        written,
        mut files,
    } = path.as_deref().map_or(Ok(Expanded::default()), expanded)?;
    let auth = policy
        .auth
        .as_deref()
        .and_then(|word| serde_json::from_value(json!(word)).ok());
    let mut sources = Sources {
        preset: policy.preset.clone(),
        file: path
            .as_ref()
            .map(|path| (path.display().to_string(), whole)),
        workload: policy.workload.clone(),
        flags: more.into_iter().chain(set).collect(),
        sets: policy.set.clone(),
        sweeps,
        auth,
    };
    let settle = |sources: &Sources| {
        let mut resolved = config::resolve(sources)?;
        let switches = &resolved.settings.passes;
        check_names(passes(), switches.on.iter().chain(&switches.off))?;
        let replay = &mut resolved.settings.replay;
        let mut place = None;
        if let Some(prices) = &replay.prices {
            let path = folder::above(path.as_deref().unwrap_or(Path::new(""))).join(prices);
            let name = path.display().to_string();
            replay.table = price_table::table(&name, &text_of(&path)?)?.into();
            place = Some(path);
        }
        anyhow::Ok((resolved, place))
    };
    let (resolved, prices) = match (settle(&sources), written, &mut sources.file) {
        (Err(_), Some(written), Some((name, text))) => {
            let unfit = anyhow!("{name}: a value of a variable in it does not fit");
            *text = written;
            return Err(settle(&sources).err().unwrap_or(unfit));
        }
        (settled, ..) => settled?,
    };
    files.extend(prices);
    files.extend(path);
    Ok(Configuration { resolved, files })
}

/// The text of a configuration file with all that it includes.
fn expanded(path: &Path) -> Result<Expanded> {
    let whole = text_of(path)?;
    let above = folder::above(path);
    // A link may lead out of the folder though its name does not.
    let read = |file: &Path| {
        let real = file.canonicalize()?;
        let unfit = match real.starts_with(above.canonicalize()?) {
            false => "it is not in the folder of the configuration",
            // The end of a pipe may never come.
            true if !real.is_file() => "it is no regular file",
            true => return File::open(real).and_then(text),
        };
        Err(io::Error::other(unfit))
    };
    let variable = |name: &str| std::env::var(name).ok();
    config::expand(
        path,
        whole,
        &IncludeContext {
            read: &read,
            variable: &variable,
        },
    )
}

/// The configuration file: named, or found where it is by default.
fn file(policy: &PolicyArgs) -> Option<PathBuf> {
    let named = |name: &str| {
        std::env::var_os(name)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    policy
        .config
        .clone()
        .or_else(|| named("DEADHEAD_CONFIG"))
        .or_else(|| {
            let home = named("XDG_CONFIG_HOME").or_else(|| {
                std::env::var_os("HOME").map(|home| Path::new(&home).join(".config"))
            })?;
            let path = home.join("deadhead/config.json5");
            let other = path.with_extension("json");
            if other.exists() {
                let (other, path) = (other.display(), path.display());
                stderr_line!("deadhead: warning: {other} is not read; the configuration is {path}");
            }
            Some(path).filter(|path| path.is_file())
        })
}
