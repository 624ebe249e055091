//! What makes an agent use the proxy: its row of agents.json5, for this environment and the address of the proxy.

use crate::{Result, upstream::Upstreams};
use hyper::Uri;
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

const AGENTS: &str = include_str!("agents.json5");

/// A row of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Row {
    /// The name of the program; empty for any other.
    agent: String,
    when: Option<When>,
    bases: Vec<Base>,
    env: BTreeMap<String, String>,
    args: Vec<String>,
    /// What to look at where no request came.
    look_at: String,
    /// Why it cannot be run behind the proxy.
    refused: Option<String>,
    source: String,
}

/// The condition of a row.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct When {
    /// A variable that is set.
    set: Option<String>,
    /// One that is not.
    unset: Option<String>,
    /// A variable that names a folder, and the folder in the home folder where it does not.
    file: Option<String>,
    home: String,
    /// A JSON file in that folder, with a member that is not null.
    path: String,
    member: String,
}

/// An address that an agent asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Base {
    name: String,
    /// The variable by which the user may have named another one.
    variable: Option<String>,
    url: String,
}

/// What an agent's process gets.
#[derive(Debug)]
pub struct Setup {
    pub env: Vec<(String, OsString)>,
    /// Arguments before the user's.
    pub args: Vec<String>,
    pub upstreams: Upstreams,
    pub look_at: String,
}

/// Returns a variable of the environment.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Returns what makes `program` use the proxy at `address`, such as `http://127.0.0.1:40000`. `upstream` is where all requests go, where
/// that is named.
///
/// # Errors
/// It cannot be made to, or an address that the user set is none.
pub fn setup(
    program: &OsStr,
    given: &[OsString],
    address: &str,
    upstream: Option<&str>,
    variable: Variable<'_>,
) -> Result<Setup> {
    let name = Path::new(program)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let rows: Vec<Row> = json5::from_str(AGENTS)?;
    let row = rows
        .iter()
        .find(|row| {
            (row.agent.is_empty() || row.agent == name)
                && row.when.as_ref().is_none_or(|when| when.holds(variable))
        })
        .ok_or("the table of agents has no row for it")?;
    if let Some(why) = &row.refused {
        return Err(format!("{name}: {why}").into());
    }
    // What else the user says there must not be lost.
    let is_address = |name: &&String| {
        row.bases
            .iter()
            .any(|base| base.variable.as_ref() == Some(name))
    };
    let mut others = row.env.keys().filter(|name| !is_address(name));
    if let Some(taken) = others.find(|name| variable(name).is_some()) {
        return Err(format!("{taken} is set already; unset it, or use deadhead proxy").into());
    }
    let (mut names, mut upstreams) = (Vec::new(), Vec::new());
    for base in &row.bases {
        let url = base
            .variable
            .as_deref()
            .filter(|_| upstream.is_none())
            .and_then(variable)
            .and_then(|value| value.into_string().ok())
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| base.url.clone());
        let uri: Uri = url.parse().map_err(|_| format!("{url}: is no address"))?;
        let path = uri.path().trim_end_matches('/');
        let origin = url.trim_end_matches('/').strip_suffix(path).unwrap_or(&url);
        // One address needs no name in its path.
        let segment = match row.bases[..] {
            [_] => String::new(),
            _ => format!("/{}", base.name),
        };
        let at_proxy = format!("{address}{segment}{path}");
        names.push((format!("{{{}}}", base.name), at_proxy));
        upstreams.push((segment, upstream.unwrap_or(origin).to_owned()));
    }
    let filled = |text: &str| {
        let fill = |text: String, (name, value): &(String, String)| text.replace(name, value);
        names.iter().fold(text.to_owned(), fill)
    };
    let own = row
        .env
        .iter()
        .map(|(name, value)| (name.clone(), filled(value).into()));
    // A proxy of the user's would be asked for the loopback address too.
    let no_proxy = ["NO_PROXY", "no_proxy"].map(|name| {
        let mut value = variable(name).unwrap_or_default();
        if !value.is_empty() {
            value.push(",");
        }
        value.push("127.0.0.1");
        (name.to_owned(), value)
    });
    // What the user says is stronger.
    let is_given = row.args.first().is_some_and(|flag| {
        let mut words = given.iter().map(|word| word.to_string_lossy());
        flag != "-c" && words.any(|word| word.split('=').next() == Some(flag))
    });
    let args = row.args.iter().filter(|_| !is_given);
    Ok(Setup {
        env: own.chain(no_proxy).collect(),
        args: args.map(|arg| filled(arg)).collect(),
        upstreams: Upstreams::named(&upstreams)?,
        look_at: row.look_at.clone(),
    })
}

impl When {
    fn holds(&self, variable: Variable<'_>) -> bool {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let is_set = |name: &String| set(name).is_some();
        let has_member = |name: &String| {
            let home = || set("HOME").map(|home| PathBuf::from(home).join(&self.home));
            set(name)
                .map(PathBuf::from)
                .or_else(home)
                .and_then(|folder| fs::read(folder.join(&self.path)).ok())
                .and_then(|text| serde_json::from_slice(&text).ok())
                .is_some_and(|value: Value| !value[&self.member].is_null())
        };
        self.set.as_ref().is_none_or(is_set)
            && !self.unset.as_ref().is_some_and(is_set)
            && self.file.as_ref().is_none_or(has_member)
    }
}
