//! What a provider's error speaks of: the defect that it means, or what stands at the place that it names.

use super::*;
use deadhead_core::diagnostics::DefectRow;
use std::cmp::Reverse;

/// Words before the number of a message.
const NUMBERED: [&str; 2] = ["position ", "index "];
/// The length of what is shown of a value.
const SHOWN: usize = 300;
/// Fewer bytes of an error in common say nothing.
const TELLING: usize = 12;

/// Sorts defects so that those of which `error` speaks come first; returns how many these are.
pub fn sort(defects: &mut [DefectRow], error: &str) -> usize {
    let paths = paths(error);
    let weight = |defect: &DefectRow| {
        let own = steps(defect.path.as_deref().unwrap_or_default());
        let alike = paths.iter().map(|path| {
            let own = &own[usize::from(path.len() == 1).min(own.len())..];
            let same = path.iter().zip(own).take_while(|(a, b)| a == b).count();
            if same > 1 || same == path.len() {
                same
            } else {
                0
            }
        });
        let id = defect.call_id.as_deref().unwrap_or_default();
        let called = !id.is_empty() && error.contains(id);
        let words = defect.provider.unwrap_or_default().split('…');
        let mut told = words.filter(|words| words.len() >= TELLING).peekable();
        let said = told.peek().is_some() && told.all(|words| error.contains(words.trim()));
        alike.max().unwrap_or(0) + 8 * usize::from(called) + 2 * usize::from(said)
    };
    defects.sort_by_cached_key(|defect| Reverse(weight(defect)));
    defects
        .iter()
        .take_while(|defect| weight(defect) > 0)
        .count()
}

/// Returns the place that `error` names and what stands there in `input`; `None` if it names none that is there.
pub fn stands(error: &str, input: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(input).ok()?;
    paths(error).into_iter().find_map(|path| {
        let found = body.pointer(&format!("/{}", path.join("/")))?;
        let text = found.to_string();
        let shown: String = text.chars().take(SHOWN).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        Some(format!("{}: {shown}{more}", path.join(".")))
    })
}

/// Returns the paths that an error names, up to their last index. One that is an index alone is that of a message.
fn paths(error: &str) -> Vec<Vec<String>> {
    let is_index = |step: &String| step.parse::<usize>().is_ok();
    let mut found: Vec<Vec<String>> = Vec::new();
    for word in error.split(|c: char| !c.is_ascii_alphanumeric() && !"._[]".contains(c)) {
        let mut path = steps(word);
        let index = path.iter().rposition(is_index);
        path.truncate(index.map_or(0, |index| index + 1));
        found.extend(Some(path).filter(|path| path.first().is_some_and(|root| !is_index(root))));
    }
    for (at, word) in NUMBERED.iter().flat_map(|word| error.match_indices(word)) {
        let rest = error[at + word.len()..].split(|c: char| !c.is_ascii_digit());
        let index = rest.map(str::to_owned).next();
        found.extend(index.filter(is_index).map(|index| vec![index]));
    }
    found
}

/// Returns the members and indices of a path with dots or brackets.
fn steps(path: &str) -> Vec<String> {
    let steps = path.split(['.', '[', ']']);
    steps
        .filter(|step| !step.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_places() {
        for (error, want) in [
            ("messages.243: `tool_use` ids were found", "messages.243"),
            (
                "Invalid 'messages[69].tool_calls[0].function.name': empty",
                "messages.69.tool_calls.0",
            ),
            (
                "Invalid type for 'messages.[0].content': expected",
                "messages.0",
            ),
            ("the message at position 307 with role", "307"),
            ("messages: text content blocks must be non-empty", ""),
        ] {
            let found = paths(error).into_iter().next().unwrap_or_default();
            assert_eq!(found.join("."), want);
        }
    }
}
