//! Makes an agent use the proxy, from what the core knows of it (`agents`), this environment, its
//! files and the address of the proxy. Requests go on to the address that the agent would have
//! asked; if that is not clear, the run is refused.

mod places;

use crate::{
    Result,
    upstream::{self, Upstreams},
};
use deadhead_core::internal::agents::{AGENTS, Base, Run};
use hyper::Uri;
use places::{Places, values};
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::Path,
};

/// What an agent's process gets.
#[derive(Debug)]
pub struct Setup {
    pub env: BTreeMap<String, OsString>,
    pub args: Vec<OsString>,
    pub upstreams: Upstreams,
    pub look_at: String,
    /// The addresses to which requests of an unknown program may go.
    pub reach: Option<String>,
}

/// What the user wants of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// Where all requests go.
    pub upstream: Option<&'a str>,
    /// Whether the agent is not told that the proxy is its provider.
    pub no_first_party: bool,
}

/// Returns a variable of the environment.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The values of names in braces.
type Names = BTreeMap<String, String>;

/// The agents that can be started.
fn runs() -> impl Iterator<Item = &'static Run> {
    AGENTS.iter().filter_map(|agent| agent.run.as_ref())
}

/// Returns the settings by which `program` uses the proxy at `address`, such as
/// `http://127.0.0.1:40000`.
///
/// # Errors
/// It cannot use a proxy, or the address that it would have asked is not clear.
pub fn setup(
    program: &OsStr,
    given: &[OsString],
    address: &str,
    wish: Wish<'_>,
    variable: Variable<'_>,
) -> Result<Setup> {
    let name = Path::new(program).file_stem().unwrap_or_default();
    let name = name.to_string_lossy();
    let is_it = |agent: &&Run| agent.program.is_empty() || agent.program == name;
    let agent = runs().find(is_it).ok_or("no file is for it")?;
    if let Some(why) = &agent.refused {
        return Err(format!("{name}: {why}").into());
    }
    if agent.program.is_empty() && wish.upstream.is_none() {
        refuse_hidden(given)?;
    }
    let (bases, mut names) = addresses(agent, wish, &Places { variable, given }).map_err(|why| {
        format!(
            "{name}: {why}; where its requests go is not known: deadhead run --upstream URL -- {name}"
        )
    })?;
    let (mut env, mut args, mut upstreams) = (BTreeMap::new(), given.to_vec(), Vec::new());
    let mut is_first_party = !wish.no_first_party;
    for (base, uri) in &bases {
        let path = uri.path().trim_end_matches('/');
        let whole = uri.to_string();
        let own = whole.trim_end_matches('/').strip_suffix(path);
        let origin = wish
            .upstream
            .or(own)
            .unwrap_or_default()
            .trim_end_matches('/');
        is_first_party &= base.url.as_deref() == Some(origin);
        // One address needs no name in its path.
        let segment = match bases[..] {
            [_] => String::new(),
            _ => format!("/{}", base.name),
        };
        upstreams.push((segment.clone(), origin.to_owned()));
        let at_proxy = format!("{address}{segment}{path}");
        if let Some(variable) = &base.variable {
            env.insert(variable.clone(), at_proxy.clone().into());
        }
        names.insert(base.name.clone(), at_proxy);
        if let Some([flag, value]) = &base.args {
            let theirs = values(given, flag);
            let spelling = flag.split('|').next().unwrap_or(flag);
            // The user's value wins, except for a part of it.
            if theirs.is_empty() || flag != spelling {
                let at = theirs.last().map_or(0, |(behind, _)| *behind);
                args.splice(at..at, [spelling.into(), filled(value, &names).into()]);
            }
        }
    }
    for (name, value) in &agent.env {
        if variable(name).is_some() {
            return Err(format!("{name} is set already; unset it, or use deadhead proxy").into());
        }
        env.insert(name.clone(), filled(value, &names).into());
    }
    if is_first_party {
        let unset = agent
            .first_party
            .iter()
            .filter(|(name, _)| variable(name).is_none());
        env.extend(unset.map(|(name, value)| (name.clone(), value.into())));
    }
    // Otherwise a proxy of the user would be asked for the loopback address too.
    for name in ["NO_PROXY", "no_proxy"] {
        let mut value = variable(name).unwrap_or_default();
        if !value.is_empty() {
            value.push(",");
        }
        value.push("127.0.0.1");
        env.insert(name.to_owned(), value);
    }
    let origins: Vec<&str> = upstreams.iter().map(|(_, origin)| &**origin).collect();
    Ok(Setup {
        reach: agent.program.is_empty().then(|| origins.join(", ")),
        env,
        args,
        upstreams: Upstreams::named(&upstreams)?,
        look_at: agent.look_at.clone(),
    })
}

/// Refuses a program that starts an agent, as a shell does, or npx: the agent's own places would
/// not be looked at.
fn refuse_hidden(given: &[OsString]) -> Result<()> {
    let text = given.join(OsStr::new(" ")).to_string_lossy().into_owned();
    let ends = ["", "-code", "-cli", "-ai", ".js"];
    for word in text.split(|c: char| !(c.is_alphanumeric() || "_.-".contains(c))) {
        let is_it = |name: &str| ends.iter().any(|end| word.strip_suffix(end) == Some(name));
        if runs().any(|agent| !agent.program.is_empty() && is_it(&agent.program)) {
            return Err(format!("{word} has places of its own for addresses: run it by its name, or say where requests go with --upstream URL").into());
        }
    }
    Ok(())
}

/// Returns the addresses that an agent would have asked, and the values of its run.
fn addresses<'a>(
    agent: &'a Run,
    wish: Wish<'_>,
    places: &Places<'_>,
) -> Result<(Vec<(&'a Base, Uri)>, Names)> {
    let is_named = wish.upstream.is_some();
    let find = |all: &[String], picks: &Names| {
        let all = all.iter().map(|place| filled(place, picks));
        let known: Vec<String> = all.filter(|place| !place.contains("/{")).collect();
        match places.find(&known) {
            Err(_) if is_named => Ok(None),
            found => found,
        }
    };
    let mut picks = Names::new();
    for (name, all) in &agent.picks {
        if let Some(value) = find(all, &picks)? {
            picks.insert(name.clone(), value);
        }
    }
    let is_so = |condition: &str| match condition.split_once('=') {
        Some((name, value)) => picks.get(name).is_some_and(|found| found == value),
        None => picks.contains_key(condition),
    };
    let is_met = |one: &str| {
        one.strip_prefix('!')
            .map_or_else(|| is_so(one), |not| !is_so(not))
    };
    let mut bases = Vec::new();
    for base in &agent.bases {
        if !base.when.iter().all(|when| when.split('|').any(is_met)) {
            continue;
        }
        let mut names = picks.clone();
        names.insert("base".to_owned(), base.name.clone());
        names.extend(base.variable.clone().map(|it| ("variable".to_owned(), it)));
        let all = [&agent.places[..], &base.places].concat();
        let found = if is_named { None } else { find(&all, &names)? };
        if let Some(url) = found.or_else(|| base.url.clone()) {
            let uri = upstream::parse(&url)?;
            bases.push((base, uri));
        }
    }
    match bases[..] {
        [] => Err("its configuration names no address".into()),
        _ => Ok((bases, picks)),
    }
}

/// Returns a text with its names replaced by their values.
fn filled(text: &str, names: &Names) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}
