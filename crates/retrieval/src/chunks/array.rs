//! Lists in JSON: arrays of objects with a text each, as search tools return them, alone or inside
//! an object.
//!
//! Many tools return arrays: tasks, messages, log rows. A search result is recognized by its
//! members: a relevance score, an address or a source in every object, and no member that only
//! other records have. The caller knows the tool and decides how much evidence it requires.
//! `members.json` has the names that search services, vector stores and frameworks give to a text,
//! a score and a source, and those by which records of other kinds are recognized.

use super::{Chunk, List, vocabulary::has};
use deadhead_core::internal::json::locate;
use serde::Deserialize;
use serde_json::Value;
use std::{ops::Range, sync::LazyLock};

/// An array of objects with a text each. A chunk's span is that of its object.
#[derive(Debug)]
pub struct Rows {
    /// The objects.
    pub list: List,
    /// Whether each has a score of relevance, or is what a retriever hands over.
    pub scored: bool,
    /// Whether each says where it is from.
    pub sourced: bool,
    /// Whether one has a member of records of another kind: a time, a person, a state, a line.
    pub records: bool,
}

/// Why an array is no list.
pub const RECORDS: &str = "a JSON array: its objects look like records and not like passages";

/// Nesting of objects that is looked into.
const DEPTH: usize = 4;

/// The arrays in `json`, in order; none where it is no JSON. An array of which an element has no
/// text is reported with that reason.
pub fn lists(json: &[u8]) -> Vec<Result<Rows, String>> {
    let mut found = Vec::new();
    if locate::value(json, 0).is_some_and(|value| json[value.end..].trim_ascii().is_empty()) {
        walk(json, 0, 0, &mut found);
    }
    found
}

/// The elements of an array that is known to hold retrieved texts: strings, or objects of which
/// every string counts.
pub fn documents(json: &[u8]) -> Option<List> {
    known(json, locate::elements(json, 0)?)
}

/// The values at `elements` of `json` if each has a text.
pub fn known(json: &[u8], elements: Vec<Range<usize>>) -> Option<List> {
    let (rows, fits) = rows(json, elements, true);
    (fits && !rows.list.chunks.is_empty()).then_some(rows.list)
}

/// The list that is all of a stretch of text; nothing where that is no JSON.
pub fn in_text(text: &str, content: Range<usize>, mark: &str) -> Option<Result<List, String>> {
    let mut found = lists(text[content.clone()].as_bytes());
    let only = found.pop().filter(|_| found.is_empty())?;
    Some(only.and_then(|rows| {
        if rows.records && !rows.scored {
            return Err(RECORDS.to_owned());
        }
        let mut list = rows.list.moved(|at| content.start + at);
        list.layout += &format!(" in {mark}");
        Ok(list)
    }))
}

fn walk(json: &[u8], start: usize, depth: usize, found: &mut Vec<Result<Rows, String>>) {
    if depth == DEPTH {
        return;
    }
    if let Some(elements) = locate::elements(json, start) {
        let (rows, fits) = rows(json, elements, false);
        if rows.list.chunks.iter().any(|chunk| !chunk.text.is_empty()) {
            let rows = fits.then_some(rows);
            found.push(rows.ok_or_else(|| "an element of the array has no text".to_owned()));
        }
    }
    for member in locate::members(json, start).into_iter().flatten() {
        walk(json, member.value.start, depth + 1, found);
    }
}

/// The elements of an array, and whether each has a text. If it is known to hold texts, every
/// string counts.
fn rows(json: &[u8], elements: Vec<Range<usize>>, is_known: bool) -> (Rows, bool) {
    let mut rows = Rows {
        list: List {
            layout: "a JSON array".to_owned(),
            chunks: Vec::new(),
        },
        scored: true,
        sourced: true,
        records: false,
    };
    let mut fits = true;
    for span in elements {
        let mut read = Element::default();
        // An element that is no Unicode is null.
        let element = serde_json::from_slice(&json[span.clone()]);
        read.member("document", &element.unwrap_or_default());
        if read.texts.is_empty() && (is_known || read.scored) {
            read.texts = read.others;
        }
        if read.texts.is_empty() && read.scored {
            // A name is the text where nothing else is, and a score says what it is.
            read.texts.extend(read.title.clone());
        }
        fits &= !read.texts.is_empty();
        rows.scored &= read.scored;
        rows.sourced &= read.sourced;
        rows.records |= read.records;
        let mut text = read.texts.join("\n");
        // A title is searched as well, but is no text of its own.
        if let Some(title) = read.title
            && !text.is_empty()
            && !text.contains(&title)
        {
            text = format!("{title}\n{text}");
        }
        rows.list.chunks.push(Chunk {
            number: read.number,
            names: read.names,
            ..Chunk::new(span, text)
        });
    }
    (rows, fits)
}

/// What the members of an object say.
#[derive(Default)]
struct Element {
    texts: Vec<String>,
    /// Strings under members that nobody knows.
    others: Vec<String>,
    title: Option<String>,
    names: Vec<String>,
    number: Option<u32>,
    scored: bool,
    sourced: bool,
    records: bool,
}

impl Element {
    fn member(&mut self, key: &str, value: &Value) {
        use Member::{Document, Holder, Name, Place, Rank, Record, Score, Source, Text, Title};
        match (member(key), value) {
            (Text | Document | Holder | Title | Source, Value::Object(inner)) => {
                inner
                    .iter()
                    .for_each(|(key, value)| self.member(key, value));
            }
            // Strings, or blocks with a text.
            (Text, Value::Array(elements)) => {
                elements
                    .iter()
                    .for_each(|element| self.member(key, element));
            }
            (Record, _) => self.records = true,
            (_, Value::String(text)) if text.trim().is_empty() => {}
            (what @ (Text | Document), Value::String(text)) => {
                self.scored |= what == Document;
                self.texts.push(text.clone());
            }
            (Score, Value::Number(_)) => self.scored = true,
            (Rank, Value::Number(score)) => self.scored |= score.is_f64(),
            (Place, Value::Number(place)) => {
                self.number = place.as_u64().and_then(|place| place.try_into().ok())
            }
            (what @ (Title | Source | Name), Value::String(_) | Value::Number(_)) => {
                let text = value.as_str().map(str::to_owned);
                let value = text.unwrap_or_else(|| value.to_string());
                self.sourced |= what == Source;
                if what == Title {
                    self.title.get_or_insert_with(|| value.clone());
                }
                self.names.push(value);
            }
            (Place, Value::String(_)) => {}
            (_, Value::String(text)) => self.others.push(text.clone()),
            _ => {}
        }
    }
}

/// The kind of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Member {
    /// The text.
    Text,
    /// The text, under a name that only retrievers use.
    Document,
    /// A score of relevance.
    Score,
    /// A score of relevance, unless it is a whole number.
    Rank,
    /// The source of the text.
    Source,
    /// Its title.
    Title,
    /// Another name or id.
    Name,
    /// Its place, number or kind.
    Place,
    /// Other members of it.
    Holder,
    /// A member that records of another kind have.
    Record,
    /// Anything else.
    Other,
}

/// The names of each kind in lower case, without signs but a first `_`, which services put before
/// their own.
static NAMES: LazyLock<Vec<(Member, &str)>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("members.json")).expect("the table is fixed")
});

/// Returns the kind of a member by its name.
fn member(name: &str) -> Member {
    let kept = name
        .char_indices()
        .filter(|(at, c)| c.is_alphanumeric() || *at == 0 && *c == '_');
    let key: String = kept.flat_map(|(_, c)| c.to_lowercase()).collect();
    let known = NAMES.iter().find(|(_, names)| has(names, &key));
    known.map_or(Member::Other, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(json: &[u8]) -> Rows {
        let mut found = lists(json);
        assert_eq!(found.len(), 1, "{}", String::from_utf8_lossy(json));
        found.pop().unwrap().unwrap()
    }

    fn texts(list: &List) -> Vec<&str> {
        list.chunks.iter().map(|chunk| &*chunk.text).collect()
    }

    #[test]
    fn arrays_of_objects_with_a_text() {
        let json =
            br#" [ {"id":7,"text":"a\nb"}, {"page_content":"c","metadata":{"source":"x.md","page":3}},{"snippet":"d","url":"http://e"} ] "#;
        let rows = only(json);
        assert_eq!(texts(&rows.list), ["a\nb", "c", "d"]);
        assert_eq!(
            rows.list
                .chunks
                .iter()
                .map(|c| c.names.join(" "))
                .collect::<Vec<_>>(),
            ["7", "x.md", "http://e"]
        );
        assert_eq!(
            &json[rows.list.chunks[2].span.clone()],
            br#"{"snippet":"d","url":"http://e"}"#
        );
        assert!(!rows.scored && !rows.sourced && !rows.records);
        for none in [
            &b"{}"[..],
            b"[]",
            b"[1] a citation",
            b"[{\"text\":\"a\"}] and more",
            b"",
            b"[{\"text\"",
            b"[{\"name\":\"a\"}]",
        ] {
            assert!(lists(none).is_empty(), "{}", String::from_utf8_lossy(none));
        }
        for odd in [
            &br#"[{"text":"a"},1]"#[..],
            br#"[{"text":"a"},{"text":""}]"#,
        ] {
            assert!(
                matches!(&lists(odd)[..], [Err(_)]),
                "{}",
                String::from_utf8_lossy(odd)
            );
        }
    }

    #[test]
    fn members_decide_the_kind() {
        // Shapes of search services, then of other tools: scored, sourced, records.
        for (json, want) in [
            (&br#"{"query":"q","results":[{"title":"t","url":"u","content":"c","score":0.9}],"response_time":1}"#[..], (true, true, false)),
            (br#"{"web":{"results":[{"title":"t","url":"u","description":"c"}]}}"#, (false, true, false)),
            (br#"{"organic":[{"title":"t","link":"u","snippet":"c","position":1}]}"#, (false, true, false)),
            (br#"{"matches":[{"id":"1","score":0.5,"metadata":{"text":"c"}}]}"#, (true, false, false)),
            (br#"{"hits":{"hits":[{"_id":"1","_score":7,"_source":{"body":"c"}}]}}"#, (true, false, false)),
            (
                br#"{"retrievalResults":[{"content":{"text":"c","type":"TEXT"},"location":{"s3Location":{"uri":"s3://a"}},"score":0.4}]}"#,
                (true, true, false),
            ),
            (br#"{"value":[{"@search.score":1,"content":"c"}]}"#, (true, false, false)),
            (
                br#"{"citations":[{"content":"c","title":"t","url":null,"filepath":"a.md","chunk_id":"0"}],"intent":"[]"}"#,
                (false, true, false),
            ),
            (br#"[{"name":"some text","similarity":0.8}]"#, (true, false, false)),
            (br#"{"data":[{"file_id":"f","filename":"a.md","score":0.7,"content":[{"type":"text","text":"c"}]}]}"#, (true, true, false)),
            (br#"[{"page_content":"c","metadata":{}}]"#, (true, false, false)),
            (br#"[{"content":"c","status":"pending","priority":"high"}]"#, (false, false, true)),
            (br#"[{"user":"ann","ts":"1.0","text":"c"}]"#, (false, false, true)),
            (br#"[{"time":"11:58","level":"info","text":"c"}]"#, (false, false, true)),
            (br#"[{"id":1,"content":"CREATE TABLE a"}]"#, (false, false, false)),
            (br#"[{"text":"good","score":5}]"#, (false, false, false)),
            (br#"[{"path":"a.rs","line":3,"text":"fn a"}]"#, (false, false, true)),
        ] {
            let rows = only(json);
            assert_eq!((rows.scored, rows.sourced, rows.records), want, "{}", String::from_utf8_lossy(json));
        }
    }

    #[test]
    fn documents_count_whatever_their_members_are_called() {
        let list = documents(
            br#"["a", {"id":"x","data":{"body_text":"b","n":1}}, {"title":"t","lyrics":"c"}]"#,
        )
        .unwrap();
        assert_eq!(texts(&list), ["a", "b", "t\nc"]);
        assert!(documents(br#"["a", 1]"#).is_none() && documents(br#"["a", {"n":1}]"#).is_none());
    }
}
