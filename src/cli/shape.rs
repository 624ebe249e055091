//! What shape an input has: one document, bodies in lines, or the lines of a history; told by its beginning.

use deadhead_core::Error;
use deadhead_core::format::{Detected, Format, Layout, detect, fits, unknown_format};
use deadhead_core::json::{Cursor, ScanError, find};

/// Lines that are looked at before giving up.
const LINES: usize = 64;

/// The shape of an input.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Nothing but white space.
    Empty,
    /// One JSON value over several lines.
    Document(Detected),
    /// Bodies, one a line; each line has its own format unless one was named.
    Bodies,
    /// Lines of a history, or of messages.
    History(Detected),
}

/// What the beginning of an input tells.
pub enum Sniffed {
    /// Enough.
    Shape(Shape),
    /// Not enough: more bytes are needed.
    More,
    /// Not enough: the lines so far are no JSON, and the last one has no end yet.
    NextLine,
}

/// Tells the shape of an input that begins with `head`; `complete` says that this is all of it.
///
/// # Errors
/// It is nothing this program knows, or not what `named` says.
pub fn sniff(head: &[u8], complete: bool, named: Option<&'static Format>) -> Result<Sniffed, Error> {
    let start = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    if head[start..].trim_ascii().is_empty() {
        return Ok(if complete { Sniffed::Shape(Shape::Empty) } else { Sniffed::More });
    }
    let (mut at, mut first_error, mut unknown, mut looked, mut stranger) = (start, None, false, false, None);
    for _ in 0..LINES {
        let end = find(b'\n', &head[at..]).map(|i| at + i);
        let line = head[at..end.unwrap_or(head.len())].trim_ascii();
        if !line.is_empty() && !line.starts_with(b"//") {
            let is_first = !std::mem::replace(&mut looked, true);
            match look(&mut Cursor::lines(head, at), named) {
                Ok(Looked::Fits(found)) if found.format.layout == Layout::History && !found.named => {
                    return Ok(match next_is_body(head, end.unwrap_or(head.len()), complete, named) {
                        None => Sniffed::More,
                        Some(true) => Sniffed::Shape(Shape::Bodies),
                        Some(false) => Sniffed::Shape(Shape::History(found)),
                    });
                }
                Ok(Looked::Fits(found)) => return Ok(Sniffed::Shape(lines_of(found))),
                Ok(Looked::Not(error)) => return Err(error),
                Ok(Looked::Unknown) => {
                    unknown |= first_error.is_none();
                    stranger.get_or_insert_with(|| deadhead_core::format::unknown(&mut Cursor::lines(head, at)));
                }
                Err(error) if end.is_none() && error.open && !complete => return Ok(Sniffed::More),
                Err(error) if is_first => {
                    first_error = Some(error);
                    let mut whole = Cursor::new(head);
                    whole.go_to(at);
                    match look(&mut whole, named) {
                        Ok(Looked::Fits(found)) => return Ok(Sniffed::Shape(Shape::Document(found))),
                        Ok(Looked::Not(error)) => return Err(error),
                        Err(error) if error.open && !complete => return Ok(Sniffed::More),
                        Ok(Looked::Unknown) => {
                            unknown = true;
                            whole.go_to(at);
                            stranger = Some(deadhead_core::format::unknown(&mut whole));
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
            None => return Ok(Sniffed::NextLine),
        }
    }
    match (named, first_error) {
        // A history may begin with damaged lines; a body may not.
        (Some(format), _) if format.layout == Layout::History => Ok(Sniffed::Shape(Shape::History(format.into()))),
        (_, Some(error)) if !unknown => Err(Error::json(head, whole_error(head).unwrap_or(error))),
        (Some(format), _) => Err(Error::WrongFormat { named: format.name, looks: None }),
        (None, _) => Err(stranger.unwrap_or_else(|| unknown_format(String::new()))),
    }
}

fn lines_of(found: Detected) -> Shape {
    match found.format.layout {
        Layout::Body => Shape::Bodies,
        Layout::History => Shape::History(found),
    }
}

/// Whether the first line behind the one that ends at `end` of `head` is a body; none while it is not there.
pub fn next_is_body(head: &[u8], mut end: usize, complete: bool, named: Option<&'static Format>) -> Option<bool> {
    loop {
        let start = end.saturating_add(1).min(head.len());
        let next = find(b'\n', &head[start..]).map(|i| start + i);
        let line = &head[start..next.unwrap_or(head.len())];
        match next {
            None if !complete => return None,
            Some(next) if line.trim_ascii().is_empty() => end = next,
            _ => {
                let found = look(&mut Cursor::new(line), named);
                return Some(matches!(found, Ok(Looked::Fits(found)) if found.format.layout == Layout::Body));
            }
        }
    }
}

/// The error of the input as one document, which says more than that of its first line.
fn whole_error(head: &[u8]) -> Option<ScanError> {
    Cursor::new(head).skip().err()
}

/// What a value looks like.
pub enum Looked {
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
pub fn look(cursor: &mut Cursor<'_>, named: Option<&'static Format>) -> Result<Looked, ScanError> {
    let from = cursor.at();
    let Some(format) = named else {
        return Ok(detect(cursor)?.map_or(Looked::Unknown, Looked::Fits));
    };
    if let Some(fitting) = fits(format, cursor)? {
        return Ok(Looked::Fits(fitting));
    }
    cursor.go_to(from);
    Ok(match detect(cursor)? {
        Some(other) if other.format.name != format.name => {
            Looked::Not(Error::WrongFormat { named: format.name, looks: Some(other.format.name) })
        }
        _ => Looked::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &[u8]) -> String {
        match sniff(text, true, None) {
            Ok(Sniffed::Shape(Shape::Document(found))) => format!("document {}", found.format.name),
            Ok(Sniffed::Shape(Shape::History(found))) => format!("history {}", found.format.name),
            Ok(Sniffed::Shape(shape)) => format!("{shape:?}").to_lowercase(),
            Ok(Sniffed::More | Sniffed::NextLine) => "more".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn shapes() {
        for (text, want) in [
            ("", "empty"),
            (" \n\r\n", "empty"),
            ("{\"model\":\"m\",\"messages\":[]}\n", "bodies"),
            ("{\n \"model\":\"m\",\n \"messages\":[]\n}\n", "document openai-chat"),
            ("\u{feff}{\"type\":\"session\",\"timestamp\":\"t\"}\n", "history openclaw"),
            ("// log\n\n{\"type\":\"session\",\"timestamp\":\"t\"}\n", "history openclaw"),
            ("{\"torn\": \n{\"type\":\"session\",\"timestamp\":\"t\"}\n", "history openclaw"),
            ("[\n{\"role\":\"user\",\"content\":\"x\"}]", "document messages"),
            ("{\"role\":\"user\",\"content\":\"x\"}\n", "history messages"),
            ("{\n \"a\": [\n  1,\n  nope\n ]\n}", "4:4: expected a value (byte 18)"),
            ("{\n}", "unknown format"),
            ("// by hand\n\n[\n{\"role\":\"user\",\"content\":\"x\"}]", "document messages"),
            ("{\"messages\": [1,", "1:17: the input ends where a value should follow (byte 16)"),
        ] {
            assert!(shape(text.as_bytes()).starts_with(want), "{text:?}: {}", shape(text.as_bytes()));
        }
        assert!(shape(b"{\"a\":1}").starts_with("unknown format"));
        assert!(shape(b"\0\x01").starts_with("1:1: expected a value"));
    }

    #[test]
    fn a_wrong_name_is_told() {
        let session = b"{\"type\":\"session\",\"timestamp\":\"t\"}\n";
        let named = deadhead_core::format::by_name("anthropic");
        assert_eq!(sniff(session, true, named).err().map(|e| e.to_string()).as_deref(), Some("not anthropic: it looks like openclaw"));
    }
}
