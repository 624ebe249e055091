//! Lists in JSON: arrays of objects with a text each, as search tools return them, alone or inside an object.
//!
//! Many tools return arrays: tasks, messages, log rows. A search result is recognized by its members (`member`): a relevance score,
//! an address or a source in every object, and no member that only other records have. The caller knows the tool and decides how
//! much evidence it requires.

use super::member::{Member, member};
use super::{Chunk, List};
use deadhead_core::internal::json::{Cursor, Kind, ScanError};
use serde_json::{Map, Value};
use std::ops::Range;

/// An array of objects with a text each. A chunk's span is that of its object.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The objects.
    pub list: List,
    /// The text of each that is to be scored.
    pub texts: Vec<String>,
    /// Whether each has a score of relevance, or is what a retriever hands over.
    pub scored: bool,
    /// Whether each says where it is from.
    pub sourced: bool,
    /// The evidence in the objects for records of another kind.
    pub records: Records,
}

/// The evidence for records of another kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Records {
    /// Nothing.
    #[default]
    No,
    /// A time, a person, an amount: search results may have them.
    Perhaps,
    /// A state, a level, a role, a line: tasks, logs, conversations and matches have them.
    Yes,
}

/// Why an array is no list.
pub const RECORDS: &str = "a JSON array: its objects look like records and not like passages";

/// Nesting of objects that is looked into.
const DEPTH: usize = 4;

/// The arrays in `json`, in order; none where it is no JSON. An array of which an element has no text is reported with that reason.
pub fn lists(json: &[u8]) -> Vec<Result<Rows, String>> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(json);
    let read = walk(&mut cursor, 0, &mut found);
    if read.is_err() || !cursor.at_end() {
        return Vec::new();
    }
    found
}

/// The elements of an array that is known to hold retrieved texts: strings, or objects of which every string counts.
pub fn documents(json: &[u8]) -> Option<Rows> {
    let mut cursor = Cursor::new(json);
    if cursor.kind().ok()? != Kind::Array {
        return None;
    }
    rows(&mut cursor, true).ok().and_then(|(rows, fits)| fits.then_some(rows))
}

/// The list that is all of a stretch of text; nothing where that is no JSON.
pub(super) fn in_text(text: &str, content: Range<usize>, mark: &str) -> Option<Result<List, String>> {
    let mut found = lists(text[content.clone()].as_bytes());
    let only = if found.len() == 1 { found.pop()? } else { return None };
    let only = only.and_then(|rows| match rows.records {
        Records::Yes if !rows.scored => Err(RECORDS.to_owned()),
        Records::Perhaps if !rows.scored && !rows.sourced => Err(RECORDS.to_owned()),
        _ => Ok(rows),
    });
    Some(only.map(|rows| {
        let mut list = rows.list;
        list.layout = format!("{} in {mark}", list.layout);
        list.chunks.iter_mut().for_each(|chunk| chunk.span = chunk.span.start + content.start..chunk.span.end + content.start);
        list
    }))
}

fn walk(cursor: &mut Cursor<'_>, depth: usize, found: &mut Vec<Result<Rows, String>>) -> Result<(), ScanError> {
    match cursor.kind()? {
        Kind::Object if depth < DEPTH => {
            let mut members = cursor.enter_object()?;
            while cursor.key(&mut members)?.is_some() {
                walk(cursor, depth + 1, found)?;
            }
        }
        Kind::Array if depth < DEPTH => {
            let (rows, fits) = rows(cursor, false)?;
            if rows.texts.iter().any(|text| !text.is_empty()) {
                found.push(fits.then_some(rows).ok_or_else(|| "an element of the array has no text".to_owned()));
            }
        }
        _ => drop(cursor.skip()?),
    }
    Ok(())
}

/// The objects of an array, and whether each element has a text. If it is known to hold texts, a string is one, and every string counts.
fn rows(cursor: &mut Cursor<'_>, is_known: bool) -> Result<(Rows, bool), ScanError> {
    let mut rows = Rows::new();
    let mut fits = true;
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        let mut read = Element::default();
        let (span, value) = value(cursor)?;
        match value {
            Value::Object(members) => read.object(&members, 0),
            Value::String(text) if is_known => read.texts.extend(filled(&text)),
            _ => {}
        }
        if read.texts.is_empty() && is_known {
            read.texts.append(&mut read.others);
        } else if read.texts.is_empty() && read.scored {
            // A document or a name is a text where nothing else is, and a score says what it is.
            read.texts.extend(read.holder_text.take().or_else(|| read.named.take()));
        }
        fits &= !read.texts.is_empty();
        rows.push(span, read);
    }
    Ok((rows, fits))
}

impl Rows {
    fn new() -> Rows {
        let list = List { layout: "a JSON array".to_owned(), chunks: Vec::new() };
        Rows { list, texts: Vec::new(), scored: true, sourced: true, records: Records::No }
    }

    fn push(&mut self, span: Range<usize>, read: Element) {
        self.scored &= read.scored;
        self.sourced &= read.sourced;
        self.records = self.records.max(read.records);
        self.list.chunks.push(Chunk::new(span, read.number, read.names));
        let text = read.texts.join("\n");
        // A title is searched as well, but is no text of its own.
        let title = read.title.filter(|title| !text.is_empty() && !text.contains(&**title));
        self.texts.push(title.map_or(text.clone(), |title| format!("{title}\n{text}")));
    }
}

/// The members of an object.
#[derive(Default)]
struct Element {
    texts: Vec<String>,
    /// Strings under members that nobody knows.
    others: Vec<String>,
    title: Option<String>,
    named: Option<String>,
    /// A string under a member that holds others elsewhere: `document`.
    holder_text: Option<String>,
    names: Vec<String>,
    number: Option<u32>,
    scored: bool,
    sourced: bool,
    records: Records,
}

impl Element {
    fn object(&mut self, members: &Map<String, Value>, depth: usize) {
        for (key, value) in members {
            let what = member(key);
            match (what, value) {
                (Member::Text | Member::Document | Member::Holder | Member::Title | Member::Source, Value::Object(inner))
                    if depth < DEPTH =>
                {
                    self.object(inner, depth + 1);
                }
                (Member::Text | Member::Document, Value::String(text)) => {
                    self.scored |= what == Member::Document;
                    self.texts.extend(filled(text));
                }
                // A text that is an array: of strings, or of blocks with a text.
                (Member::Text, Value::Array(elements)) if depth < DEPTH => {
                    for element in elements {
                        match element {
                            Value::String(text) => self.texts.extend(filled(text)),
                            Value::Object(inner) => self.object(inner, depth + 1),
                            _ => {}
                        }
                    }
                }
                (Member::Score { sure }, Value::Number(score)) => self.scored |= sure || score.is_f64(),
                (Member::Place, Value::Number(place)) => self.number = place.as_u64().and_then(|place| place.try_into().ok()),
                (Member::Title | Member::Source | Member::Name, Value::String(_) | Value::Number(_)) => {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    self.sourced |= what == Member::Source && !value.trim().is_empty();
                    if what == Member::Title {
                        self.title.get_or_insert_with(|| value.clone());
                    }
                    if what == Member::Title || key.eq_ignore_ascii_case("name") {
                        self.named.get_or_insert_with(|| value.clone());
                    }
                    self.names.extend(filled(&value));
                }
                (Member::Record { sure }, _) => self.records = self.records.max(if sure { Records::Yes } else { Records::Perhaps }),
                (_, Value::String(text)) => {
                    if what == Member::Holder && self.holder_text.as_ref().is_none_or(|known| known.len() < text.len()) {
                        self.holder_text = filled(text);
                    }
                    self.others.extend(filled(text));
                }
                _ => {}
            }
        }
    }
}

/// A text, unless it is blank.
fn filled(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.trim().is_empty())
}

/// A value and its span. One that is no Unicode is null.
fn value(cursor: &mut Cursor<'_>) -> Result<(Range<usize>, Value), ScanError> {
    cursor.peek();
    let start = cursor.at();
    cursor.skip()?;
    let span = start..cursor.at();
    let value = serde_json::from_slice(&cursor.bytes()[span.clone()]).unwrap_or_default();
    Ok((span, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(json: &[u8]) -> Rows {
        let mut found = lists(json);
        assert_eq!(found.len(), 1, "{}", String::from_utf8_lossy(json));
        found.pop().unwrap().unwrap()
    }

    #[test]
    fn arrays_of_objects_with_a_text() {
        let json =
            br#" [ {"id":7,"text":"a\nb"}, {"page_content":"c","metadata":{"source":"x.md","page":3}},{"snippet":"d","url":"http://e"} ] "#;
        let rows = only(json);
        assert_eq!(rows.texts, ["a\nb", "c", "d"]);
        assert_eq!(rows.list.chunks.iter().map(|c| c.names.join(" ")).collect::<Vec<_>>(), ["7", "x.md", "http://e"]);
        assert_eq!(&json[rows.list.chunks[2].span.clone()], br#"{"snippet":"d","url":"http://e"}"#);
        assert!(!rows.scored && !rows.sourced && rows.records == Records::No);
        for none in [&b"{}"[..], b"[]", b"[1] a citation", b"[{\"text\":\"a\"}] and more", b"", b"[{\"text\"", b"[{\"name\":\"a\"}]"] {
            assert!(lists(none).is_empty(), "{}", String::from_utf8_lossy(none));
        }
        for odd in [&br#"[{"text":"a"},1]"#[..], br#"[{"text":"a"},{"text":""}]"#] {
            assert!(matches!(&lists(odd)[..], [Err(_)]), "{}", String::from_utf8_lossy(odd));
        }
    }

    #[test]
    fn members_decide_the_kind() {
        use Records::*;
        // Shapes of search services, then of other tools: scored, sourced, records.
        for (json, want) in [
            (&br#"{"query":"q","results":[{"title":"t","url":"u","content":"c","score":0.9}],"response_time":1}"#[..], (true, true, No)),
            (br#"{"web":{"results":[{"title":"t","url":"u","description":"c"}]}}"#, (false, true, No)),
            (br#"{"organic":[{"title":"t","link":"u","snippet":"c","position":1}]}"#, (false, true, No)),
            (br#"{"matches":[{"id":"1","score":0.5,"metadata":{"text":"c"}}]}"#, (true, false, No)),
            (br#"{"hits":{"hits":[{"_id":"1","_score":7,"_source":{"body":"c"}}]}}"#, (true, false, No)),
            (
                br#"{"retrievalResults":[{"content":{"text":"c","type":"TEXT"},"location":{"s3Location":{"uri":"s3://a"}},"score":0.4}]}"#,
                (true, true, No),
            ),
            (br#"{"value":[{"@search.score":1,"content":"c"}]}"#, (true, false, No)),
            (
                br#"{"citations":[{"content":"c","title":"t","url":null,"filepath":"a.md","chunk_id":"0"}],"intent":"[]"}"#,
                (false, true, No),
            ),
            (br#"[{"name":"some text","similarity":0.8}]"#, (true, false, No)),
            (br#"{"data":[{"file_id":"f","filename":"a.md","score":0.7,"content":[{"type":"text","text":"c"}]}]}"#, (true, true, No)),
            (br#"[{"page_content":"c","metadata":{}}]"#, (true, false, No)),
            (br#"[{"content":"c","status":"pending","priority":"high"}]"#, (false, false, Yes)),
            (br#"[{"user":"ann","ts":"1.0","text":"c"}]"#, (false, false, Perhaps)),
            (br#"[{"time":"11:58","level":"info","text":"c"}]"#, (false, false, Yes)),
            (br#"[{"id":1,"content":"CREATE TABLE a"}]"#, (false, false, No)),
            (br#"[{"text":"good","score":5}]"#, (false, false, No)),
            (br#"[{"path":"a.rs","line":3,"text":"fn a"}]"#, (false, false, Yes)),
        ] {
            let rows = only(json);
            assert_eq!((rows.scored, rows.sourced, rows.records), want, "{}", String::from_utf8_lossy(json));
        }
    }

    #[test]
    fn documents_count_whatever_their_members_are_called() {
        let rows = documents(br#"["a", {"id":"x","data":{"body_text":"b","n":1}}, {"title":"t","lyrics":"c"}]"#).unwrap();
        assert_eq!(rows.texts, ["a", "b", "t\nc"]);
        assert!(documents(br#"["a", 1]"#).is_none() && documents(br#"["a", {"n":1}]"#).is_none());
    }
}
