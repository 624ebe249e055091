//! A JSON array of objects that each have a text, as search tools answer with.
//!
//! It must be all there is. An object's text is its member `text`, `content`, `snippet` or `page_content`, a string; its
//! names are what it has under `id`, `source`, `url`, `link`, `title`, `path` or in `metadata`.

use super::{Chunk, List};
use crate::json::{Cursor, Kind, ScanError, text};
use std::ops::Range;

/// Members that hold the text.
const TEXTS: [&[u8]; 4] = [b"text", b"content", b"snippet", b"page_content"];
/// Members that name the object.
const NAMES: [&[u8]; 10] = [b"id", b"source", b"url", b"uri", b"link", b"title", b"path", b"file", b"chunk_id", b"document_id"];

/// The chunks of `json`, and the text of each that is to be scored; `None` where it is no array of objects. A chunk's span
/// is that of its object.
pub fn chunks(json: &[u8]) -> Option<Result<(List, Vec<String>), String>> {
    if !json.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    match read(json) {
        Ok(Some((_, texts))) if texts.is_empty() => None,
        Ok(Some((chunks, texts))) => Some(Ok((List { layout: "a JSON array".to_owned(), chunks }, texts))),
        Ok(None) => Some(Err("an element of the array has no text".to_owned())),
        // What only begins like an array is a text like any other.
        Err(_) => None,
    }
}

/// The same for a value that stands as JSON where a provider wants an object: the array may be its only member.
pub fn chunks_of_value(json: &[u8]) -> Option<Result<(List, Vec<String>), String>> {
    let start = match only_member(json) {
        Ok(Some(value)) => value,
        _ => return chunks(json),
    };
    let shifted = |mut list: List| {
        list.chunks.iter_mut().for_each(|chunk| chunk.span = chunk.span.start + start.start..chunk.span.end + start.start);
        list
    };
    Some(chunks(&json[start.clone()])?.map(|(list, texts)| (shifted(list), texts)))
}

/// Where the value of an object's only member stands.
fn only_member(json: &[u8]) -> Result<Option<Range<usize>>, ScanError> {
    let mut cursor = Cursor::new(json);
    if cursor.kind()? != Kind::Object {
        return Ok(None);
    }
    let mut found = None;
    let mut members = cursor.enter_object()?;
    while cursor.key(&mut members)?.is_some() {
        if found.is_some() {
            return Ok(None);
        }
        cursor.peek();
        let start = cursor.at();
        cursor.skip()?;
        found = Some(start..cursor.at());
    }
    Ok(found)
}

/// Objects as chunks, and the text of each.
type Objects = (Vec<Chunk>, Vec<String>);

/// The objects of an array; `None` where an element is no object or has no text.
fn read(json: &[u8]) -> Result<Option<Objects>, ScanError> {
    let mut cursor = Cursor::new(json);
    let (mut chunks, mut texts, mut fits) = (Vec::new(), Vec::new(), true);
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        if cursor.kind()? != Kind::Object {
            cursor.skip()?;
            fits = false;
            continue;
        }
        let start = cursor.at();
        let found = object(&mut cursor)?;
        fits &= found.0.is_some();
        let number = None;
        chunks.push(Chunk { span: start..cursor.at(), number, names: found.1 });
        texts.extend(found.0);
    }
    if !cursor.at_end() {
        return Err(ScanError { at: cursor.at(), expected: "the end", open: false });
    }
    Ok(fits.then_some((chunks, texts)))
}

/// The text and the names of an object.
fn object(cursor: &mut Cursor<'_>) -> Result<(Option<String>, Vec<String>), ScanError> {
    let (mut found, mut names) = (None, Vec::new());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (key, Kind::String) if TEXTS.contains(&key) => {
                let text = cursor.text()?;
                found = Some(text::lossy(text.raw)).filter(|t| !t.trim().is_empty()).or(found);
            }
            (key, _) if NAMES.contains(&key) => names.extend(name(cursor)?),
            (b"metadata", Kind::Object) => {
                let mut inner = cursor.enter_object()?;
                while let Some(key) = cursor.key(&mut inner)? {
                    if NAMES.contains(&&*key) { names.extend(name(cursor)?) } else { cursor.skip().map(|_| ())? }
                }
            }
            _ => {
                cursor.skip()?;
            }
        }
    }
    Ok((found, names))
}

/// A string or a number as a name.
fn name(cursor: &mut Cursor<'_>) -> Result<Option<String>, ScanError> {
    let kind = cursor.kind()?;
    if kind == Kind::String {
        return Ok(Some(text::lossy(cursor.text()?.raw)).filter(|name| !name.trim().is_empty()));
    }
    let from = cursor.at();
    cursor.skip()?;
    let value: Range<usize> = from..cursor.at();
    Ok((kind == Kind::Number).then(|| String::from_utf8_lossy(&cursor.bytes()[value]).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_objects_with_a_text() {
        let json =
            br#" [ {"id":7,"text":"a\nb"}, {"page_content":"c","metadata":{"source":"x.md","page":3}},{"snippet":"d","url":"http://e"} ] "#;
        let (list, texts) = chunks(json).expect("an array").expect("chunks");
        assert_eq!(texts, ["a\nb", "c", "d"]);
        assert_eq!(list.chunks.iter().map(|c| c.names.join(" ")).collect::<Vec<_>>(), ["7", "x.md", "http://e"]);
        assert_eq!(&json[list.chunks[2].span.clone()], br#"{"snippet":"d","url":"http://e"}"#);
        let json = br#"{"results": [{"text":"a"},{"text":"b"}]}"#;
        let (list, _) = chunks_of_value(json).expect("an array").expect("chunks");
        assert_eq!(&json[list.chunks[1].span.clone()], br#"{"text":"b"}"#);
        assert!(chunks_of_value(br#"{"results":[{"text":"a"}],"more":1}"#).is_none());
        for none in [&b"{}"[..], b"[]", b"[1] a citation", b"[{\"text\":\"a\"}] and more", b"", b"[{\"text\""] {
            assert!(chunks(none).is_none(), "{}", String::from_utf8_lossy(none));
        }
        for odd in [&br#"[{"text":"a"},1]"#[..], br#"[{"text":"a"},{"text":""}]"#, br#"[{"name":"a"}]"#] {
            assert!(chunks(odd).is_none_or(|found| found.is_err()), "{}", String::from_utf8_lossy(odd));
        }
    }
}
