//! Finds what a provider's error is about: the defect that it means, or the value at the place that
//! it names.

use super::*;
use deadhead_core::diagnostics::DefectRow;
use std::cmp::Reverse;

/// Words before the number of a message.
const NUMBERED: [&str; 2] = ["position", "index"];
/// The number of chars of a value that are shown.
const SHOWN: usize = 300;
/// The number of bytes that two errors must share as evidence.
const TELLING: usize = 12;

/// Sorts defects so that those that `error` is about come first; returns how many these are.
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
        let said = defect.provider.is_some_and(|told| says(error, told));
        alike.max().unwrap_or(0) + 8 * usize::from(called) + 2 * usize::from(said)
    };
    defects.sort_by_cached_key(|defect| Reverse(weight(defect)));
    defects
        .iter()
        .take_while(|defect| weight(defect) > 0)
        .count()
}

/// Returns whether an error matches a provider's known error: each piece of it, or a part.
fn says(error: &str, told: &str) -> bool {
    let words = |text: &str| {
        pieces(text, |c| !c.is_alphanumeric())
            .join(" ")
            .to_lowercase()
    };
    let [error, whole] = [error, told].map(words);
    let mut telling = told
        .split(['…', ':'])
        .map(words)
        .filter(|piece| piece.len() >= TELLING)
        .peekable();
    error.len() >= TELLING && whole.contains(&error)
        || telling.peek().is_some() && telling.all(|piece| error.contains(&piece))
}

/// Returns the place that `error` names and its value in the file `input`; `None` if it names no
/// existing place.
pub fn stands(error: &str, input: &Path) -> Option<String> {
    let body: Value = serde_json::from_slice(&fs::read(input).ok()?).ok()?;
    paths(error).into_iter().find_map(|path| {
        let text = body.pointer(&format!("/{}", path.join("/")))?.to_string();
        let shown: String = text.chars().take(SHOWN).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let step = |step: &String| match format!("[{step}]") {
            index if error.contains(&index) => index,
            _ => format!(".{step}"),
        };
        let place: String = path.iter().map(step).collect();
        let place = place.strip_prefix('.').unwrap_or(&place);
        Some(format!("{place}: {shown}{more}"))
    })
}

/// Returns the paths that an error names, up to their last index, with and without the names before
/// the list. An index alone means a message.
fn paths(error: &str) -> Vec<Vec<String>> {
    let is_index = |step: &String| step.parse::<usize>().is_ok();
    let mut found: Vec<Vec<String>> = Vec::new();
    for word in error.split(|c: char| !c.is_ascii_alphanumeric() && !"._[]".contains(c)) {
        let mut path = steps(word);
        path.truncate(path.iter().rposition(is_index).map_or(0, |index| index + 1));
        let roots = path.iter().take_while(|step| !is_index(step)).count();
        found.extend((0..roots).map(|root| path[root..].to_vec()));
    }
    let words = pieces(error, |c| !c.is_alphanumeric());
    let numbers = words
        .windows(2)
        .filter(|two| NUMBERED.contains(&&*two[0]))
        .map(|two| two[1..].to_vec());
    found.extend(numbers.filter(|number| is_index(&number[0])));
    found
}

/// Returns the members and indices of a path with dots or brackets.
fn steps(path: &str) -> Vec<String> {
    pieces(path, |c| ".[]".contains(c))
}

/// Returns the parts of a text that are not empty and have such characters between them.
fn pieces(text: &str, between: fn(char) -> bool) -> Vec<String> {
    text.split(between)
        .filter(|piece| !piece.is_empty())
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
            (
                "GenerateContentRequest.contents[0].parts: contents.parts must not be empty",
                "contents.0",
            ),
        ] {
            let found = paths(error).pop().unwrap_or_default();
            assert_eq!(found.join("."), want);
        }
    }

    #[test]
    fn errors_are_told_by_most_of_their_words() {
        let empty = "messages: text content blocks must be non-empty";
        let missing = "Function call is missing a thought_signature in functionCall parts. This is required. …";
        for (error, told, want) in [
            ("text content blocks must be non-empty", empty, true),
            (
                "400: Text content blocks must be non-empty (req_1)",
                empty,
                true,
            ),
            (
                "text content blocks must contain non-whitespace text",
                empty,
                false,
            ),
            ("messages.2: Input should be a valid list", empty, false),
            ("messages", empty, false),
            (
                "There is nothing available to cache",
                "There is nothing available to cache.",
                true,
            ),
            (
                "Function call is missing a thought_signature in functionCall parts",
                missing,
                true,
            ),
            ("the prompt is too long for it", "name: '…'", false),
            (
                "Unexpected role 'user' after role 'tool'",
                "Unexpected role '…' after role '…'",
                true,
            ),
        ] {
            assert_eq!(says(error, told), want, "{error}");
        }
    }
}
