//! Selectors as they are typed: `7`, `7/0,2`, `3-9`, `tool:ID`, `tool:GLOB@name`, `resource:PATH`,
//! `ephemeral:ID` and `other:7/0`.

use crate::terminal_text::shorten;

/// The width of a selector in a message: enough for a typed one.
const SHOWN: usize = 80;

/// Returns a selector as messages show it: on one line, and shortened.
pub(super) fn shown(text: &str) -> String {
    shorten(text, SHOWN)
}

/// A parsed selector.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selector {
    /// Messages, by the numbers of the first and the last.
    Messages(u32, u32),
    /// Parts of a message.
    Parts(u32, Vec<u32>),
    /// A call with its results, by its id.
    Call(String),
    /// Calls of tools, by a pattern of their names.
    Tool(String),
    /// Every version of a resource.
    Resource(String),
    /// A call that must not hold a resource.
    Ephemeral(String),
    /// Parts that must be neither calls nor results.
    Other(u32, Vec<u32>),
}

impl Selector {
    /// Reads a selector; the error says what is wrong with it.
    ///
    /// # Errors
    /// The text is no selector.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let text = text.trim();
        if let Some((kind, rest)) = text.split_once(':') {
            let named = || {
                if rest.is_empty() {
                    Err(format!("nothing after {kind}:"))
                } else {
                    Ok(rest.to_owned())
                }
            };
            return match kind {
                "tool" => match rest.strip_suffix("@name") {
                    Some(glob) => Ok(Selector::Tool(glob.to_lowercase())),
                    None => named().map(Selector::Call),
                },
                "resource" => named().map(Selector::Resource),
                "ephemeral" => named().map(Selector::Ephemeral),
                "other" => match rest.split_once('/') {
                    Some((message, parts)) => Ok(Selector::Other(number(message)?, list(parts)?)),
                    None => Err("other: takes parts, such as other:7/0".to_owned()),
                },
                _ => Err(format!(
                    "unknown kind \"{}\", there are tool, resource, ephemeral and other",
                    shorten(kind, 20)
                )),
            };
        }
        if let Some((message, parts)) = text.split_once('/') {
            return Ok(Selector::Parts(number(message)?, list(parts)?));
        }
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let (from, to) = (number(from)?, number(to)?);
        if from > to {
            Err("the range ends before it begins".to_owned())
        } else {
            Ok(Selector::Messages(from, to))
        }
    }
}

fn number(text: &str) -> Result<u32, String> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| "not a selector such as 7, 7/0,2, 3-9, tool:ID or resource:PATH".to_owned())
}

fn list(text: &str) -> Result<Vec<u32>, String> {
    text.split(',').map(|part| number(part.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_parsed() {
        use Selector::*;
        let text = |s: &str| s.to_owned();
        for (given, want) in [
            ("7", Messages(7, 7)),
            (" 3-9 ", Messages(3, 9)),
            ("7/0", Parts(7, vec![0])),
            ("7/0, 2", Parts(7, vec![0, 2])),
            ("tool:toolu_1", Call(text("toolu_1"))),
            ("tool:a:b@c", Call(text("a:b@c"))),
            ("tool:Ba*@name", Tool(text("ba*"))),
            ("tool:@name", Tool(text(""))),
            ("resource:C:\\a b", Resource(text("C:\\a b"))),
            ("ephemeral:7", Ephemeral(text("7"))),
            ("other:7/1", Other(7, vec![1])),
        ] {
            assert_eq!(Selector::parse(given), Ok(want), "{given}");
        }
        for bad in [
            "",
            "x",
            "7/",
            "7/x",
            "7/-1",
            "-3",
            "9-3",
            "+7",
            "tool:",
            "resource:",
            "other:7",
            "call:7",
            "99999999999",
        ] {
            assert!(Selector::parse(bad).is_err(), "{bad}");
        }
    }
}
