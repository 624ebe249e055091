//! The messages of a log as pieces that every form has: texts, calls, results, images, and values
//! that are the provider's own.

use crate::{
    dialect::{Dialect, Form, shared::arguments::place},
    json::{
        locate::{elements, member_value, members, text_member, value},
        text::{encoded, lossy},
    },
    read_at::ReadAt,
    transcript::{Block, BlockKind, Flags, Message, Role, Transcript},
};
use std::{collections::BTreeMap, io};

/// What a message says.
pub struct Turn {
    pub role: Role,
    /// The index of the message that it is.
    pub message: usize,
    /// Its parts, each with the byte of the log from which it is.
    pub pieces: Vec<(Piece, u64)>,
}

impl Turn {
    /// A message of the user's with this text.
    pub fn of_user(text: &str) -> Turn {
        Turn {
            role: Role::User,
            message: usize::MAX,
            pieces: vec![(Piece::Text(quoted(text)), u64::MAX)],
        }
    }
}

/// A part of a message, as JSON.
pub enum Piece {
    /// A string.
    Text(String),
    /// The type of the image and its data, both without quotes.
    Image(String, String),
    /// Id, tool, and the arguments: an object, or a string that holds one.
    Call(String, String, String),
    /// Id, whether the tool failed, what it said, and the tool.
    Result(String, bool, Vec<Piece>, String),
    /// A string that the model thought.
    Thought(String),
    /// A value of the provider's own form; the name of the tool if it is a call.
    Own(String, Option<String>),
}

/// Returns what the first `end` messages say, of a log of which `log` are the bytes from `first` on.
/// What no piece can hold is counted in `left_out`.
///
/// # Errors
/// The log cannot be read any more.
pub fn turns(
    found: &Transcript,
    end: usize,
    form: &Form,
    format: &Dialect,
    (log, first): (&[u8], u64),
    texts: &dyn ReadAt,
    left_out: &mut BTreeMap<&'static str, usize>,
) -> io::Result<Vec<Turn>> {
    let mut turns = Vec::with_capacity(end);
    for (i, message) in found.messages[..end].iter().enumerate() {
        if message.quoted {
            continue;
        }
        let mut lose = |what| *left_out.entry(what).or_default() += 1;
        if message.broken_off {
            lose("interrupted answer");
            continue;
        }
        let record = &log[(message.record - first) as usize..];
        let object = message.span.of(record);
        let string = |name| text_member(object, name);
        let mut pieces = Vec::new();
        let from = message.range(message.span).start;
        if matches!(form, Form::Items { own: true }) && string("type").is_some() {
            pieces.push((Piece::Own(text_of(object), tool_of(found, i)), from));
        } else if message.role == Role::Other {
            let object = if object.is_empty() { record } else { object };
            let words = (format.words)(object, &prompts(found, i, texts)?);
            match words
                .map(|words| Piece::Text(quoted(&words)))
                .or_else(|| aside(object))
            {
                Some(Piece::Text(text)) if text == r#""""# => {}
                Some(piece) => pieces.push((piece, from)),
                None => lose("message of the agent"),
            }
        } else {
            // Thinking is signed for the model's own provider.
            let is_other = string("api").is_some_and(|api| found.api.as_deref() != Some(&api));
            for (index, block) in found.parts(i) {
                let read = Read {
                    found,
                    form,
                    record,
                    format,
                };
                match read.piece(message, index, block, is_other) {
                    Ok(piece) => {
                        let from = message.range(block.span).start;
                        pieces.extend(piece.map(|piece| (piece, from)));
                    }
                    Err(what) => lose(what),
                }
            }
        }
        turns.push(Turn {
            role: message.role,
            message: i,
            pieces,
        });
    }
    Ok(turns)
}

/// The words of the user's messages that were written before message `i`, which represents them.
fn prompts(found: &Transcript, i: usize, texts: &dyn ReadAt) -> io::Result<Vec<String>> {
    let before = found.messages[i].record;
    let prompts = found.messages.iter();
    let prompts = prompts.filter(|m| m.role == Role::User && m.record < before);
    let words = prompts.map(|m| Ok(text_member(&m.bytes(texts, m.span)?, "content")));
    words.filter_map(io::Result::transpose).collect()
}

/// What a part is read of.
struct Read<'a> {
    found: &'a Transcript,
    form: &'a Form,
    record: &'a [u8],
    format: &'a Dialect,
}

impl Read<'_> {
    /// Returns the piece that the block at `index` is, nothing for an empty text, or what is left
    /// out.
    fn piece(
        &self,
        message: &Message,
        index: u32,
        block: &Block,
        is_other: bool,
    ) -> Result<Option<Piece>, &'static str> {
        let bytes = block.span.of(self.record);
        let own = |tool| Piece::Own(text_of(bytes), tool);
        let is_own = matches!(self.form, Form::Blocks { own: true });
        let words = |part| Some(Piece::Text(quoted(&(self.format.words)(part, &[])?)));
        let is_part =
            |name| matches!(self.form, Form::Contents) && member_value(bytes, 0, name).is_some();
        Ok(Some(match block.kind {
            BlockKind::Text if block.flags.has(Flags::BLANK) => return Ok(None),
            BlockKind::Text if bytes.starts_with(b"\"") => Piece::Text(text_of(bytes)),
            // A part of a text has any byte before it.
            BlockKind::Text => Piece::Text(format!("\"{}", String::from_utf8_lossy(&bytes[1..]))),
            BlockKind::Call => {
                let tool = self.found.tool_of(block).to_owned();
                if is_own {
                    return Ok(Some(own(Some(tool))));
                }
                if is_part("functionCall") {
                    return Ok(Some(self.part(block, Some(tool))));
                }
                let arguments = place(bytes).map_or("{}".into(), |(_, at)| text_of(&bytes[at]));
                Piece::Call(self.id(block), tool, arguments)
            }
            BlockKind::Result if is_own && message.role == Role::User => own(None),
            BlockKind::Result if is_part("functionResponse") => self.part(block, None),
            BlockKind::Result => {
                let inside = self.found.inside(index).iter().zip(index + 1..);
                let parts = inside.flat_map(|(child, at)| {
                    let bytes = child.span.of(self.record);
                    // A list of files beside the text.
                    let files = elements(bytes, 0).into_iter().flatten();
                    let images = files.filter_map(|file| image(&bytes[file]));
                    let own = self.piece(message, at, child, is_other).ok().flatten();
                    own.into_iter().chain(images).collect::<Vec<_>>()
                });
                let is_cleared = block.flags.has(Flags::ABSENT);
                let cleared = Some(bytes).filter(|_| is_cleared).and_then(words);
                Piece::Result(
                    self.id(block),
                    block.flags.has(Flags::ERROR),
                    cleared.into_iter().chain(parts).collect(),
                    self.found.tool_of(block).to_owned(),
                )
            }
            // What a tool said as an object.
            BlockKind::Malformed if bytes.starts_with(b"{") => Piece::Text(quoted(&text_of(bytes))),
            // Gemini's agents do not send what was thought.
            BlockKind::Thinking if matches!(self.form, Form::Contents) => return Ok(None),
            BlockKind::Thinking => self.thinking(bytes, is_other).ok_or("thinking block")?,
            _ if is_own && bytes.starts_with(b"{") => own(None),
            BlockKind::Image => match image(bytes) {
                Some(image) => image,
                _ if matches!(self.form, Form::Blocks { .. }) => own(None),
                _ => return Err("image"),
            },
            // A string in place of a block is a text.
            BlockKind::Other if bytes.starts_with(b"\"") => Piece::Text(text_of(bytes)),
            _ => words(bytes).ok_or("unknown part")?,
        }))
    }

    /// Thinking as its provider takes it back: with its signature.
    fn thinking(&self, bytes: &[u8], is_other: bool) -> Option<Piece> {
        // Some agents keep it among what the provider says of itself.
        let of_provider =
            member_value(bytes, 0, "metadata").and_then(|at| members(bytes, at.start));
        let signature = text_member(bytes, "thinkingSignature").or_else(|| {
            let mut own = of_provider.iter().flatten();
            own.find_map(|own| text_member(&bytes[own.value.clone()], "signature"))
        });
        let text = text_member(bytes, "thinking").or_else(|| text_member(bytes, "text"));
        let signature = signature.filter(|text| !text.is_empty() && !is_other);
        let own = match (self.form, signature) {
            (Form::Blocks { .. }, Some(signature)) => format!(
                r#"{{"type":"thinking","thinking":{},"signature":{}}}"#,
                quoted(&text.unwrap_or_default()),
                quoted(&signature)
            ),
            (Form::Chat, None) if member_value(bytes, 0, "thought").is_some() => {
                return text.map(|text| Piece::Thought(quoted(&text)));
            }
            (Form::Items { .. }, Some(item)) if item.starts_with('{') => item,
            (Form::Blocks { .. }, None)
                if member_value(bytes, 0, "signature").is_some()
                    || member_value(bytes, 0, "data").is_some() =>
            {
                text_of(bytes)
            }
            _ => return None,
        };
        Some(Piece::Own(own, None))
    }

    /// A part of the provider's own form, with the id that is sent.
    fn part(&self, block: &Block, tool: Option<String>) -> Piece {
        let id = lossy(self.found.link(block).id.of(self.record));
        let [written, sent] = [&*id, &self.id(block)].map(|id| format!("\"{id}\""));
        let own = text_of(block.span.of(self.record));
        Piece::Own(own.replacen(&written, &sent, 1), tool)
    }

    /// An id as every provider takes it. Some agents keep two in one, with a bar between, or the name of the tool before it.
    fn id(&self, block: &Block) -> String {
        let id = lossy(self.found.link(block).id.of(self.record));
        let id = id.split('|').next().unwrap_or_default();
        let tool = format!("{}__", self.found.tool_of(block));
        id.strip_prefix(&tool)
            .filter(|_| matches!(self.form, Form::Contents))
            .unwrap_or(id)
            .replace(
                |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-',
                "_",
            )
    }
}

/// An image whose data is in its value, or in one that this holds, or in an address.
fn image(bytes: &[u8]) -> Option<Piece> {
    let inner = member_value(bytes, 0, "inlineData").map_or(0, |at| at.start);
    let own = |name| text_member(&bytes[inner..], name);
    let (kind, data) = match own("mimeType").zip(own("data")) {
        Some(found) => found,
        None => {
            let url = own("url")?;
            let (kind, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
            (kind.to_owned(), data.to_owned())
        }
    };
    let is_image = kind.starts_with("image/");
    is_image.then(|| Piece::Image(encoded(&kind), encoded(&data)))
}

/// The tool of the call that message `i` is.
fn tool_of(found: &Transcript, i: usize) -> Option<String> {
    let call = found
        .blocks_of(i)
        .iter()
        .find(|block| block.kind == BlockKind::Call)?;
    Some(found.tool_of(call).to_owned())
}

/// The text of a message that the agent makes itself: a summary, a command with its output, or
/// words of an extension. What the agent says around it is in no log.
fn aside(object: &[u8]) -> Option<Piece> {
    if object.first() == Some(&b'"') {
        return Some(Piece::Text(text_of(object)));
    }
    let members = ["command", "summary", "output", "content"];
    let texts: Vec<String> = members
        .iter()
        .filter_map(|name| text_member(object, name))
        .collect();
    (!texts.is_empty()).then(|| Piece::Text(quoted(&texts.join("\n"))))
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", encoded(text))
}

/// A value as text, without what comes after it.
fn text_of(bytes: &[u8]) -> String {
    let at = value(bytes, 0).unwrap_or(0..bytes.len());
    String::from_utf8_lossy(&bytes[at]).into_owned()
}
