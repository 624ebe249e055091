//! `$include` and variables in a configuration file, with OpenClaw's rules.
//!
//! `$include: "./base.json5"`, in any object, is replaced by the content of that file; a list of
//! files is merged in its order, and the members beside `$include` are merged over that. Objects
//! are merged member by member, lists are joined, and of two other values the later one counts. A
//! path is relative to the file that names it and must lie in the folder of the first file.
//! `${NAME}` in a text is the variable of that name, in capitals; `$${NAME}` is the text `${NAME}`.
//! Variables are replaced in an OpenClaw configuration only, because a pattern in one of ours may
//! contain such a text. (docs.openclaw.ai, gateway/config-secrets-env, November 2026.)

use anyhow::{Error, Result, anyhow};
use deadhead_core::settings::{is_openclaw, parse, plain};
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::{
    io,
    path::{Component, Path, PathBuf},
};

/// The member that names files.
const INCLUDE: &str = "$include";
/// The depth to which files include each other.
const DEEPEST: usize = 10;
/// The number of included files in all, each counted as often as it is named.
const MOST: usize = 100;

/// The source of included files and of variables.
pub struct IncludeContext<'a> {
    /// Reads a file; the path is in the folder of the configuration, as far as its text says.
    pub read: &'a dyn Fn(&Path) -> io::Result<String>,
    /// The value of a variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// A configuration with all that it includes, and the files that were read for it beside the first.
#[derive(Debug, Default)]
pub struct Expanded {
    /// One text, JSON5.
    pub text: String,
    /// The text with its variables as they are written, if any were replaced: errors are those of
    /// this one, as a value may be secret.
    pub written: Option<String>,
    /// The included files.
    pub files: Vec<PathBuf>,
}

/// Replaces each `$include` of the file `path`, which holds `text`.
///
/// # Errors
/// A file is not JSON5, cannot be read, lies elsewhere, or includes itself.
pub fn expand(path: &Path, text: String, around: &IncludeContext<'_>) -> Result<Expanded> {
    if text.trim().is_empty() || !text.contains(INCLUDE) && !text.contains("${") {
        return Ok(Expanded {
            text,
            ..Expanded::default()
        });
    }
    let mut reader = Reader {
        around,
        folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
        open: vec![path.to_path_buf()],
        files: Vec::new(),
        includes: false,
    };
    let mut root = reader.value(parse(&path.display().to_string(), &text)?)?;
    let Reader {
        files, includes, ..
    } = reader;
    let mut written = None;
    if root.as_object().is_some_and(is_openclaw) {
        let own = variables_of(&root);
        let find = |name: &str| {
            (around.variable)(name)
                .filter(|value| !value.is_empty())
                .or_else(|| own.get(name)?.as_str().map(str::to_owned))
        };
        written = Some(root.to_string());
        replace(&mut root, &find);
    }
    // If nothing was included, errors keep their places in the file.
    let is_changed = includes || written.is_some();
    Ok(Expanded {
        text: if is_changed { root.to_string() } else { text },
        written,
        files,
    })
}

struct Reader<'a> {
    around: &'a IncludeContext<'a>,
    folder: PathBuf,
    /// The files that are being read, each included by the one before.
    open: Vec<PathBuf>,
    files: Vec<PathBuf>,
    /// Whether anything was to be included.
    includes: bool,
}

impl Reader<'_> {
    fn value(&mut self, value: Value) -> Result<Value> {
        match value {
            Value::Array(list) => list
                .into_iter()
                .map(|value| self.value(value))
                .collect::<Result<_>>()
                .map(Value::Array),
            Value::Object(mut members) => {
                let named = members.shift_remove(INCLUDE);
                for value in members.values_mut() {
                    *value = self.value(value.take())?;
                }
                let Some(named) = named else {
                    return Ok(Value::Object(members));
                };
                self.includes = true;
                let Some(names) = names(&named) else {
                    let why = "it must be a path or a list of paths";
                    return Err(self.error(&named.to_string(), why));
                };
                let mut merged = Value::Null;
                for name in names {
                    merged = merge(merged, self.include(name)?);
                }
                if members.is_empty() {
                    return Ok(merged);
                }
                if !merged.is_object() && !merged.is_null() {
                    let why = "beside other keys it must be a file that holds an object";
                    return Err(self.error(&named.to_string(), why));
                }
                Ok(merge(merged, Value::Object(members)))
            }
            other => Ok(other),
        }
    }

    fn include(&mut self, name: &str) -> Result<Value> {
        let from = self.open.last().and_then(|path| path.parent());
        let path = normal(&from.unwrap_or(Path::new("")).join(name));
        let wrong = [
            (
                !path.starts_with(&self.folder),
                "it is not in the folder of the configuration",
            ),
            (self.open.contains(&path), "it includes itself"),
            (
                self.open.len() > DEEPEST,
                "files include each other more than 10 deep",
            ),
            (self.files.len() >= MOST, "more than 100 files are included"),
        ];
        if let Some((_, why)) = wrong.iter().find(|(is_so, _)| *is_so) {
            return Err(self.error(name, why));
        }
        let text =
            (self.around.read)(&path).map_err(|error| self.error(name, &error.to_string()))?;
        let value = parse(&path.display().to_string(), &text)?;
        self.files.push(path.clone());
        self.open.push(path);
        let value = self.value(value);
        self.open.pop();
        value
    }

    fn error(&self, include: &str, why: &str) -> Error {
        let source = self
            .open
            .last()
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        anyhow!("{source}: $include {}: {why}", plain(include))
    }
}

/// Returns the paths that `$include` names; `None` if it names no paths.
fn names(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(name) => Some(vec![name]),
        Value::Array(list) => list.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Returns the path without `.` and `..`, from its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(parts.components().next_back(), Some(Component::Normal(_))) =>
            {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts
}

fn merge(under: Value, over: Value) -> Value {
    match (under, over) {
        (Value::Object(mut under), Value::Object(over)) => {
            for (name, value) in over {
                let known = under.entry(name).or_insert(Value::Null);
                *known = merge(known.take(), value);
            }
            Value::Object(under)
        }
        (Value::Array(mut under), Value::Array(over)) => {
            under.extend(over);
            Value::Array(under)
        }
        (_, over) => over,
    }
}

/// Returns the variables that the file itself sets if the environment does not: `env.vars`, and the
/// texts under `env`.
fn variables_of(root: &Value) -> Map<String, Value> {
    let (env, vars) = (&root["env"], &root["env"]["vars"]);
    [env, vars]
        .into_iter()
        .filter_map(Value::as_object)
        .flatten()
        .filter(|(_, value)| value.is_string())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Replaces the variables in all texts; one that has no value stays as it is written.
fn replace(value: &mut Value, find: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| replace(value, find)),
        Value::Object(members) => members.values_mut().for_each(|value| replace(value, find)),
        Value::String(text) if text.contains("${") => {
            let Ok(pattern) = Regex::new(r"\$?\$\{([A-Z_][A-Z0-9_]*)\}") else {
                return;
            };
            *text = pattern
                .replace_all(text, |found: &Captures<'_>| {
                    match found[0].strip_prefix('$') {
                        Some(escaped) if escaped.starts_with('$') => escaped.to_owned(),
                        _ => find(&found[1]).unwrap_or_else(|| found[0].to_owned()),
                    }
                })
                .into_owned();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<Value, String> {
        let read = |path: &Path| match path.to_str() {
            Some("c/base.json5") => {
                Ok("{ agents: { list: [1], defaults: { a: 1, b: 2 } } }".to_owned())
            }
            Some("c/sub/more.json5") => Ok(
                "{ $include: '../base.json5', agents: { list: [2], defaults: { b: 3 } } }"
                    .to_owned(),
            ),
            Some("c/loop.json5") => Ok("{ $include: './loop.json5' }".to_owned()),
            Some("c/list.json5") => Ok("[1]".to_owned()),
            Some("c/bad.json5") => Ok("{".to_owned()),
            Some("c/many.json5") => Ok(format!("{{ $include: [{}] }}", "'base.json5',".repeat(12))),
            _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
        };
        let variable = |name: &str| ["A", "B"].contains(&name).then(|| format!("<{name}>"));
        let around = IncludeContext {
            read: &read,
            variable: &variable,
        };
        let found = expand(Path::new("c/main.json5"), text.to_owned(), &around)
            .map_err(|error| error.to_string())?;
        Ok(parse("c", &found.text).expect("JSON5"))
    }

    #[test]
    fn files_are_merged() {
        for (text, want) in [
            (
                "{ $include: './base.json5' }",
                r#"{"agents":{"list":[1],"defaults":{"a":1,"b":2}}}"#,
            ),
            (
                "{ agents: { $include: 'base.json5' } }",
                r#"{"agents":{"agents":{"list":[1],"defaults":{"a":1,"b":2}}}}"#,
            ),
            (
                "{ $include: 'sub/more.json5', agents: { defaults: { a: 9 } } }",
                r#"{"agents":{"list":[1,2],"defaults":{"a":9,"b":3}}}"#,
            ),
            (
                "{ $include: ['base.json5', 'sub/../base.json5'] }",
                r#"{"agents":{"list":[1,1],"defaults":{"a":1,"b":2}}}"#,
            ),
            ("{ x: { $include: 'list.json5' } }", r#"{"x":[1]}"#),
            ("{ x: { $include: [], y: 1 } }", r#"{"x":{"y":1}}"#),
        ] {
            assert_eq!(expanded(text).unwrap().to_string(), want, "{text}");
        }
    }

    #[test]
    fn an_unreadable_include_is_an_error() {
        for (text, want) in [
            (
                "{ $include: '../main.json5' }",
                "c/main.json5: $include ../main.json5: it is not in the folder of the configuration",
            ),
            (
                "{ $include: '/etc/x.json5' }",
                "c/main.json5: $include /etc/x.json5: it is not in the folder of the configuration",
            ),
            (
                "{ $include: 'sub/../../x' }",
                "c/main.json5: $include sub/../../x: it is not in the folder of the configuration",
            ),
            (
                "{ $include: 'none.json5' }",
                "c/main.json5: $include none.json5: no such file",
            ),
            (
                "{ $include: 'main.json5' }",
                "c/main.json5: $include main.json5: it includes itself",
            ),
            (
                "{ $include: 'loop.json5' }",
                "c/loop.json5: $include ./loop.json5: it includes itself",
            ),
            (
                "{ $include: 5 }",
                "c/main.json5: $include 5: it must be a path or a list of paths",
            ),
            (
                "{ $include: 'list.json5', y: 1 }",
                "c/main.json5: $include \"list.json5\": beside other keys it must be",
            ),
            ("{ $include: 'bad.json5' }", "c/bad.json5:1:1: "),
            (
                "{ a: { $include: ['many.json5', 'many.json5', 'many.json5', 'many.json5'] },
                   b: { $include: ['many.json5', 'many.json5', 'many.json5', 'many.json5'] } }",
                "c/many.json5: $include base.json5: more than 100 files are included",
            ),
        ] {
            let error = expanded(text).unwrap_err();
            assert!(error.starts_with(want), "{error}\n{want}");
        }
    }

    #[test]
    fn variables_are_replaced_in_a_configuration_of_openclaw() {
        for (text, want) in [
            (
                "{ gateway: { a: '${A}/${B}x' } }",
                r#"{"gateway":{"a":"<A>/<B>x"}}"#,
            ),
            (
                "{ gateway: { a: '$${A} ${NONE} ${a} $A' } }",
                r#"{"gateway":{"a":"${A} ${NONE} ${a} $A"}}"#,
            ),
            (
                "{ env: { C: 'c', vars: { D: 'd', A: 'not' } }, agents: ['${C}${D}${A}'] }",
                "<A>",
            ),
            (
                "{ protect: { patterns: ['${A}'] } }",
                r#"{"protect":{"patterns":["${A}"]}}"#,
            ),
        ] {
            let found = expanded(text).unwrap().to_string();
            assert!(
                found == want || want == "<A>" && found.contains(r#"["cd<A>"]"#),
                "{found}\n{want}"
            );
        }
    }
}
