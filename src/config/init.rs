//! `config init`: prints a configuration file to start from.
//!
//! Every key is in it at its default, commented out: a file that sets all defaults would override presets and smart defaults, which
//! lie under the file.

use deadhead_core::settings::{Key, keys};

/// The file, JSON5. A line that begins with `//` and a blank explains, one without the blank is a key.
pub fn init() -> String {
    let mut text = HEAD.to_string();
    let mut open: Vec<&str> = Vec::new();
    for key in keys() {
        let mut names: Vec<&str> = key.path.split('.').collect();
        let name = names.pop().unwrap_or(&key.path);
        let n_common = open.iter().zip(&names).take_while(|(a, b)| a == b).count();
        close(&mut text, &mut open, n_common);
        for group in &names[n_common..] {
            line(&mut text, &open, &format!("{group}: {{"));
            open.push(group);
        }
        explain(&mut text, key, open.len());
        line(&mut text, &open, &format!("//{name}: {},", key.default));
    }
    close(&mut text, &mut open, 0);
    text.push_str("}\n");
    text
}

const HEAD: &str = "\
// Configuration of deadhead, JSON5. Every key is here at its default, commented out:
// remove the two slashes to set it. This file overrides presets, and flags override this file;
// `deadhead config show` prints each value and the layer that it comes from.
{
";

/// Closes groups until so many are open.
fn close(text: &mut String, open: &mut Vec<&str>, n_open: usize) {
    while open.len() > n_open {
        let name = open.pop();
        let is_foreign = name.is_some_and(|name| foreign(open, name));
        line(text, open, if is_foreign { "//}," } else { "}," });
    }
}

/// One line, indented; the groups by which an OpenClaw configuration is known are commented out as well.
fn line(text: &mut String, open: &[&str], what: &str) {
    let comment = match what.strip_suffix(": {") {
        Some(name) if foreign(open, name) => "//",
        _ => "",
    };
    text.push_str(&format!("{}{comment}{what}\n", "  ".repeat(open.len() + 1)));
}

fn foreign(open: &[&str], name: &str) -> bool {
    ["agents", "models"].contains(open.first().unwrap_or(&name))
}

fn explain(text: &mut String, key: &Key, n_open: usize) {
    let (indent, words) = ("  ".repeat(n_open + 1), key.words().join(", "));
    for comment in [key.doc(), &words].iter().filter(|text| !text.is_empty()) {
        text.push_str(&format!("{indent}// {comment}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sources::{Sources, resolve};
    use super::*;
    use deadhead_core::settings::Settings;

    fn resolved(text: String) -> (Settings, Vec<String>) {
        let sources = Sources {
            file: Some(("config.json5".to_string(), text)),
            ..Sources::default()
        };
        let resolved = resolve(&sources).unwrap_or_else(|error| panic!("{error}"));
        assert!(resolved.warnings.is_empty(), "{:?}", resolved.warnings);
        let sources = resolved.rows().into_iter().map(|row| row.source).collect();
        (resolved.settings, sources)
    }

    #[test]
    fn as_it_is_it_states_nothing() {
        let (settings, sources) = resolved(init());
        assert_eq!(settings, Settings::default());
        assert!(sources.iter().all(|source| source == "default"));
    }

    #[test]
    fn with_the_slashes_taken_away_it_states_every_default() {
        let uncomment = |line: &str| match line.trim_start().strip_prefix("//") {
            Some(key) if !key.starts_with(' ') => key.to_string(),
            _ => line.to_string(),
        };
        let text = init().lines().map(uncomment).collect::<Vec<_>>().join("\n");
        let (settings, sources) = resolved(text);
        assert_eq!(settings, Settings::default());
        assert!(
            sources.iter().all(|source| source == "config.json5"),
            "{sources:?}"
        );
    }
}
