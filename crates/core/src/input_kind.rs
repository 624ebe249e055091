//! Detects the kind of an input from its beginning: one document, one body a line, or a log.

use crate::{
    Error, Result,
    dialect::{Detected, Dialect, Layout, detect, fits, unknown, unknown_format},
    json::{Cursor, ScanError, bom, find},
};

/// Lines that are looked at before giving up.
const LINES: usize = 64;

/// The kind of an input.
#[derive(Clone, Copy, Debug)]
pub enum InputKind {
    /// Nothing but white space.
    Empty,
    /// One JSON value over several lines.
    Document(Detected),
    /// Bodies, one a line; each line has its own format unless one was named. That of the first is
    /// known where it was looked at, with the byte that it begins at.
    Bodies(Option<(u64, Detected)>),
    /// Lines of a log, or of messages.
    Log(Detected),
}

/// The kind of an input, as far as its beginning shows it.
pub enum Beginning {
    /// Enough.
    Kind(InputKind),
    /// Not enough: more bytes are needed.
    More,
    /// Not enough: the lines so far are no JSON, and the last one has no end yet.
    NextLine,
}

/// Detects the kind of an input that begins with `head`; `complete` says that this is all of it.
///
/// # Errors
/// It is nothing this program knows, or not what `named` says.
pub fn input_kind(
    head: &[u8],
    complete: bool,
    named: Option<&'static Dialect>,
) -> Result<Beginning> {
    let kind = |kind| Ok(Beginning::Kind(kind));
    let start = bom(head);
    if head[start..].trim_ascii().is_empty() {
        return if complete {
            kind(InputKind::Empty)
        } else {
            Ok(Beginning::More)
        };
    }
    let (mut at, mut first_error, mut is_unknown, mut looked, mut stranger) =
        (start, None, false, false, None);
    for _ in 0..LINES {
        let end = find(b'\n', &head[at..]).map(|i| at + i);
        let line = head[at..end.unwrap_or(head.len())].trim_ascii();
        if !line.is_empty() && !line.starts_with(b"//") {
            let is_first = !std::mem::replace(&mut looked, true);
            match detect_value(&mut Cursor::lines(head, at), named) {
                Ok(Detection::Fits(found)) => {
                    let is_log = found.format.layout == Layout::History;
                    let end = end.unwrap_or(head.len());
                    let next = if is_log && !found.named {
                        next_is_body(head, end, complete, named)
                    } else {
                        Some(!is_log)
                    };
                    let first = (!is_log).then_some((at as u64, found));
                    return match next {
                        None => Ok(Beginning::More),
                        Some(false) => kind(InputKind::Log(found)),
                        Some(true) => kind(InputKind::Bodies(first)),
                    };
                }
                Ok(Detection::Not(error)) => return Err(error),
                Ok(Detection::Unknown) => {
                    is_unknown |= first_error.is_none();
                    stranger.get_or_insert_with(|| unknown(&mut Cursor::lines(head, at)));
                }
                Err(error) if end.is_none() && error.open && !complete => {
                    return Ok(Beginning::More);
                }
                Err(error) if is_first => {
                    first_error = Some(error);
                    let mut whole = Cursor::new_at(head, at);
                    match detect_value(&mut whole, named) {
                        Ok(Detection::Fits(found)) => {
                            return kind(InputKind::Document(found));
                        }
                        Ok(Detection::Not(error)) => return Err(error),
                        Err(error) if error.open && !complete => return Ok(Beginning::More),
                        Ok(Detection::Unknown) => {
                            is_unknown = true;
                            whole.go_to(at);
                            stranger = Some(unknown(&mut whole));
                        }
                        Err(_) => {}
                    }
                }
                Err(_) => {}
            }
        }
        match end {
            Some(end) => at = end + 1,
            None if complete => break,
            None => return Ok(Beginning::NextLine),
        }
    }
    match (named, first_error) {
        // A history may begin with damaged lines; a body may not.
        (Some(format), _) if format.layout == Layout::History => {
            kind(InputKind::Log(format.into()))
        }
        (_, Some(error)) if !is_unknown => {
            // The error of the input as one document says more than that of its first line.
            let whole = Cursor::new(head).skip().err();
            Err(Error::json(head, whole.unwrap_or(error)))
        }
        (Some(format), _) => Err(Error::WrongFormat {
            named: format.name,
            looks: None,
        }),
        (None, _) => Err(stranger.unwrap_or_else(|| unknown_format(String::new()))),
    }
}

/// Whether the first line behind the one that ends at `end` of `head` is a body; none while it is
/// not there.
pub fn next_is_body(
    head: &[u8],
    mut end: usize,
    complete: bool,
    named: Option<&'static Dialect>,
) -> Option<bool> {
    loop {
        let start = end.saturating_add(1).min(head.len());
        let next = find(b'\n', &head[start..]).map(|i| start + i);
        let line = &head[start..next.unwrap_or(head.len())];
        match next {
            None if !complete => return None,
            Some(next) if line.trim_ascii().is_empty() => end = next,
            _ => {
                let found = detect_value(&mut Cursor::new(line), named);
                return Some(
                    matches!(found, Ok(Detection::Fits(found)) if found.format.layout == Layout::Body),
                );
            }
        }
    }
}

/// The detected kind of a value.
pub enum Detection {
    /// A format.
    Fits(Detected),
    /// Not the one that was named.
    Not(Error),
    /// No format.
    Unknown,
}

/// The format of the value at the cursor: the one that was named, if it can be that.
///
/// # Errors
/// It is malformed JSON.
pub fn detect_value(
    cursor: &mut Cursor<'_>,
    named: Option<&'static Dialect>,
) -> Result<Detection, ScanError> {
    let from = cursor.at();
    let Some(format) = named else {
        return Ok(detect(cursor)?.map_or(Detection::Unknown, Detection::Fits));
    };
    if let Some(fitting) = fits(format, cursor)? {
        return Ok(Detection::Fits(fitting));
    }
    cursor.go_to(from);
    Ok(match detect(cursor)? {
        Some(other) if other.format.name != format.name => Detection::Not(Error::WrongFormat {
            named: format.name,
            looks: Some(other.format.name),
        }),
        _ => Detection::Unknown,
    })
}

/// The format of one value that is a body, or a wrapper around one: as named, else as detected.
///
/// # Errors
/// It is malformed JSON, or no body.
pub fn body_format(bytes: &[u8], named: Option<&'static Dialect>) -> Result<Detected> {
    let mut cursor = Cursor::document(bytes);
    let from = cursor.at();
    match detect_value(&mut cursor, named).map_err(|error| Error::json(bytes, error))? {
        Detection::Fits(found) if found.named || found.format.layout == Layout::Body => Ok(found),
        Detection::Not(error) => Err(error),
        _ => {
            cursor.go_to(from);
            Err(unknown(&mut cursor))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &[u8]) -> String {
        match input_kind(text, true, None) {
            Ok(Beginning::Kind(InputKind::Document(found))) => {
                format!("document {}", found.format.name)
            }
            Ok(Beginning::Kind(InputKind::Log(found))) => format!("history {}", found.format.name),
            Ok(Beginning::Kind(InputKind::Bodies(_))) => "bodies".to_owned(),
            Ok(Beginning::Kind(kind)) => format!("{kind:?}").to_lowercase(),
            Ok(Beginning::More | Beginning::NextLine) => "more".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn kinds() {
        for (text, want) in [
            ("", "empty"),
            (" \n\r\n", "empty"),
            ("{\"model\":\"m\",\"messages\":[]}\n", "bodies"),
            (
                "{\n \"model\":\"m\",\n \"messages\":[]\n}\n",
                "document openai-chat",
            ),
            (
                "\u{feff}{\"type\":\"session\",\"timestamp\":\"t\"}\n",
                "history openclaw",
            ),
            (
                "// log\n\n{\"type\":\"session\",\"timestamp\":\"t\"}\n",
                "history openclaw",
            ),
            (
                "{\"torn\": \n{\"type\":\"session\",\"timestamp\":\"t\"}\n",
                "history openclaw",
            ),
            (
                "[\n{\"role\":\"user\",\"content\":\"x\"}]",
                "document messages",
            ),
            (
                "{\"role\":\"user\",\"content\":\"x\"}\n",
                "history messages",
            ),
            (
                "{\n \"a\": [\n  1,\n  nope\n ]\n}",
                "4:4: not JSON: expected a value (byte 18)",
            ),
            ("{\n}", "unknown format"),
            (
                "// by hand\n\n[\n{\"role\":\"user\",\"content\":\"x\"}]",
                "document messages",
            ),
            (
                "{\"messages\": [1,",
                "1:17: not JSON: the input ends where a value should follow (byte 16)",
            ),
        ] {
            assert!(
                kind(text.as_bytes()).starts_with(want),
                "{text:?}: {}",
                kind(text.as_bytes())
            );
        }
        assert!(kind(b"{\"a\":1}").starts_with("unknown format"));
        assert!(kind(b"\0\x01").starts_with("1:1: not JSON: expected a value"));
    }

    #[test]
    fn a_wrong_name_is_reported() {
        let session = b"{\"type\":\"session\",\"timestamp\":\"t\"}\n";
        let named = crate::dialect::by_name("anthropic");
        assert_eq!(
            input_kind(session, true, named)
                .err()
                .map(|e| e.to_string())
                .as_deref(),
            Some("not anthropic: it looks like openclaw")
        );
    }
}
