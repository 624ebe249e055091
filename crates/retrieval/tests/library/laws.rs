//! Laws of rag-rerank, over random lists in every layout and several formats:
//!
//! 1. A chunk comes out in the bytes it came in, or not at all.
//! 2. What comes before and behind the chunks keeps its bytes.
//! 3. `keep` leaves a subsequence; `rank` is ordered from better to worse, but for chunks that stay where they are: a first or last
//!    one that nothing begins or ends.
//! 4. The report says what stays, where, and how many.
//! 5. The output is a body without new defects, and its sizes are those of the report.

use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Mode, Order, Settings};
use proptest::prelude::*;
use serde_json::{Value, json};

const QUESTION: &str = "Which chunk is about the moon and the sea, 月と海?";

/// The layouts of chunks, each with the format of the body that contains them.
const LAYOUTS: [(&str, &str); 19] = [
    ("tags", "anthropic"),
    ("tags", "gemini"),
    ("rules", "openai-chat"),
    ("heads", "bedrock-converse"),
    ("heads", "openai-responses"),
    ("blocks", "anthropic"),
    ("blocks", "bedrock-converse"),
    ("array", "openai-chat"),
    ("array", "openai-responses"),
    ("object", "gemini"),
    ("open", "openai-chat"),
    ("open", "gemini"),
    ("keys", "anthropic"),
    ("prompt", "anthropic"),
    ("prompt", "gemini"),
    ("prompt", "bedrock-converse"),
    ("prompt", "openai-responses"),
    ("documents", "cohere"),
    ("hosted", "openai-responses"),
];

/// A chunk as it is in the text.
fn chunk(layout: &str, format: &str, i: usize, text: &str) -> String {
    match layout {
            "tags" | "prompt" => format!("<doc id=\"k{i}\">{text}</doc>"),
            "heads" | "open" => format!("[{i}] {text}"),
            "keys" => format!("Source: k{i}.md\n{text}"),
            "documents" => json!({"id": format!("d{i}"), "data": {"text": text}}).to_string(),
            "hosted" => json!({"file_id": format!("f{i}"), "filename": "a.md", "score": 0.5, "text": text}).to_string(),
            "rules" => text.to_owned(),
            "blocks" if format == "anthropic" => {
                json!({"type": "search_result", "source": format!("s{i}"), "title": "t", "content": [{"type": "text", "text": text}]})
                    .to_string()
            }
            "blocks" => json!({"searchResult": {"source": format!("s{i}"), "title": "t", "content": [{"text": text}]}}).to_string(),
            _ => json!({"id": i, "text": text}).to_string(),
        }
}

/// The chunks as they are in the text, and the body.
fn body(layout: &str, format: &str, texts: &[String]) -> (Vec<String>, Value) {
    let chunks: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| chunk(layout, format, i, text))
        .collect();
    let text = match layout {
        "tags" => format!("<context>\n{}\n</context>\n{QUESTION}", chunks.join("\n")),
        "rules" => format!(
            "<context>\n{}\n</context>\n{QUESTION}",
            chunks.join("\n\n---\n\n")
        ),
        "heads" => format!("<sources>{}</sources>{QUESTION}", chunks.join("\n")),
        "prompt" => format!(
            "Answer.\n<context>\n{}\n</context>\nBe brief.",
            chunks.join("\n")
        ),
        "open" => format!(
            "Answer from these sources.\n\n{}\n\nQuestion: {QUESTION}",
            chunks.join("\n\n")
        ),
        "keys" => format!(
            "Use the following documents:\n{}\n\nQuestion: {QUESTION}\nAnswer:",
            chunks.join("\n\n")
        ),
        _ => format!("[{}]", chunks.join(", ")),
    };
    let parsed = || serde_json::from_str::<Value>(&text).unwrap();
    let with_question = |last: Value| [&parsed().as_array().unwrap()[..], &[last]].concat();
    let value = match (layout, format) {
        ("blocks", "anthropic") => {
            json!({"model": "claude-a", "max_tokens": 1, "messages": [{"role": "user", "content": with_question(json!({"type": "text", "text": QUESTION}))}]})
        }
        ("blocks", _) => {
            json!({"modelId": "m", "messages": [{"role": "user", "content": with_question(json!({"text": QUESTION}))}]})
        }
        ("array", "openai-chat") => json!({"model": "gpt-5", "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": text}]}),
        ("array", _) => json!({"model": "gpt-5", "input": [
            {"role": "user", "content": QUESTION},
            {"type": "function_call", "call_id": "c", "name": "search", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": text}]}),
        ("object", _) => json!({"contents": [
            {"role": "user", "parts": [{"text": QUESTION}]},
            {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"results": parsed()}}}]}]}),
        ("prompt", "anthropic") => {
            json!({"model": "claude-a", "max_tokens": 1, "system": text, "messages": [{"role": "user", "content": QUESTION}]})
        }
        ("prompt", "gemini") => {
            json!({"contents": [{"role": "user", "parts": [{"text": QUESTION}]}], "systemInstruction": {"parts": [{"text": text}]}})
        }
        ("prompt", "bedrock-converse") => {
            json!({"modelId": "m", "system": [{"text": text}], "messages": [{"role": "user", "content": [{"text": QUESTION}]}]})
        }
        ("prompt", _) => json!({"model": "gpt-5", "instructions": text, "input": QUESTION}),
        ("documents", _) => {
            json!({"model": "command-a-03-2025", "documents": parsed(), "messages": [{"role": "user", "content": QUESTION}]})
        }
        ("hosted", _) => json!({"model": "gpt-5", "input": [
            {"role": "user", "content": QUESTION},
            {"type": "file_search_call", "id": "fs", "status": "completed", "queries": ["the moon"], "results": parsed()},
            {"role": "user", "content": QUESTION}]}),
        (_, "anthropic") => {
            json!({"model": "claude-a", "max_tokens": 1, "messages": [{"role": "user", "content": text}]})
        }
        (_, "gemini") => json!({"contents": [{"role": "user", "parts": [{"text": text}]}]}),
        (_, "bedrock-converse") => {
            json!({"modelId": "m", "messages": [{"role": "user", "content": [{"text": text}]}]})
        }
        (_, "openai-responses") => {
            json!({"model": "gpt-5", "input": [{"role": "user", "content": text}]})
        }
        _ => json!({"model": "gpt-5", "messages": [{"role": "user", "content": text}]}),
    };
    (chunks, value)
}

/// Returns the JSON. If `ascii` is set, characters beyond ASCII are written as escapes.
fn spelt(json: &str, ascii: bool) -> String {
    let escape = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => c
            .encode_utf16(&mut [0; 2])
            .iter()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
    };
    if ascii {
        json.chars().map(escape).collect()
    } else {
        json.to_owned()
    }
}

fn text() -> impl Strategy<Value = String> {
    let words = vec![
        "moon",
        "the sea",
        "月と海",
        "bread",
        "\"quoted\"",
        "back\\slash",
        "é",
        "😀",
        "\ttab",
        "readFile_2",
        "ten",
        "tax",
        "\n",
        "<b>",
    ];
    prop::collection::vec(prop::sample::select(words), 0..14).prop_map(|words| words.join(" "))
}

/// A run of the passes of the program with these settings.
pub fn setup(settings: Settings) -> Setup {
    Setup {
        passes: deadhead_retrieval::passes(),
        ..Setup::new(
            settings,
            Clock {
                now: 0,
                last_call: None,
                assume_cold: false,
            },
            Detail::Full,
        )
    }
}

fn ranking(threshold: Option<f64>, order: Order, max: Option<u64>) -> Setup {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.rag_rerank.enabled = true;
    settings.rag_rerank.min_body_chars = 0;
    (
        settings.rag_rerank.threshold,
        settings.rag_rerank.order,
        settings.rag_rerank.max_chunks,
    ) = (threshold, order, max);
    setup(settings)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn chunks_stay_whole(
        (layout, format) in prop::sample::select(LAYOUTS.to_vec()), texts in prop::collection::vec(text(), 3..9), ascii: bool,
        threshold in prop::sample::select(vec![None, Some(0.0), Some(0.15), Some(0.5), Some(1.0)]), keep: bool, max in prop::option::of(1u64..5),
    ) {
        // Between heads, a list of which one chunk alone has more lines is left.
        let headed = matches!(layout, "heads" | "open" | "keys");
        let texts: Vec<String> = texts.iter().map(|text| if headed { text.replace('\n', " ") } else { text.clone() }).collect();
        // Each chunk says which it is, so that it can be found; the first one has a word of the question.
        let texts: Vec<String> = texts.iter().enumerate().map(|(i, text)| format!("#{i}# {}{text} is the end of it", if i == 0 { "moon " } else { "" })).collect();
        let (chunks, value) = body(layout, format, &texts);
        let input = spelt(&value.to_string(), ascii);
        let raw: Vec<String> = chunks.iter().map(|chunk| match layout {
            "blocks" | "object" | "documents" | "hosted" => spelt(chunk, ascii),
            _ => spelt(Value::from(chunk.as_str()).to_string().trim_matches('"'), ascii),
        }).collect();
        // Quotes at the ends of a chunk belong to it.
        let raw: Vec<&str> = raw.iter().map(|chunk| chunk.as_str()).collect();
        let order = if keep { Order::Keep } else { Order::Rank };
        let pruned = engine::body(input.as_bytes(), 1, by_name(format).unwrap().into(), &ranking(threshold, order, max)).unwrap();
        let output = String::from_utf8(pruned.output.unwrap_or_else(|| input.clone().into_bytes())).unwrap();
        let report = pruned.report;
        let [list] = &report.reranked[..] else { panic!("one list: {:?}", report.skipped) };
        prop_assert_eq!(list.chunks.len(), texts.len());
        let at: Vec<Option<usize>> = raw.iter().map(|chunk| output.find(chunk)).collect();
        for (place, row) in at.iter().zip(&list.chunks) {
            prop_assert_eq!(place.is_some(), row.to.is_some(), "{} of {}", row.from, input);
        }
        let mut stays: Vec<(usize, usize)> = at.iter().enumerate().filter_map(|(i, at)| at.map(|at| (at, i))).collect();
        stays.sort_unstable();
        prop_assert_eq!(list.kept as usize, stays.len());
        prop_assert_eq!(report.prune.rag_dropped as usize, texts.len() - stays.len());
        for (place, (_, i)) in stays.iter().enumerate() {
            prop_assert_eq!(list.chunks[*i].to, Some(place as u32 + 1));
        }
        let is_fixed = |i: usize| match layout {
            "rules" => i == 0 || i + 1 == texts.len(),
            "keys" | "open" => i + 1 == texts.len(),
            _ => false,
        };
        let free: Vec<(usize, usize)> = stays.iter().copied().filter(|(_, i)| !is_fixed(*i)).collect();
        prop_assert!((0..texts.len()).all(|i| !is_fixed(i) || list.chunks[i].to.is_some()));
        let ordered = free.windows(2).all(|w| if keep { w[0].1 < w[1].1 } else { list.chunks[w[0].1].score >= list.chunks[w[1].1].score });
        prop_assert!(ordered, "{}", output);
        prop_assert!(max.is_none_or(|max| free.len() as u64 <= max));
        let (first, last) = (input.find(raw[0]).unwrap(), input.rfind(raw[raw.len() - 1]).unwrap() + raw[raw.len() - 1].len());
        prop_assert!(output.starts_with(&input[..first]) && output.ends_with(&input[last..]), "{}", output);
        prop_assert!(serde_json::from_str::<Value>(&output).is_ok());
        prop_assert_eq!(&report.integrity.before, &report.integrity.after);
        let removed: i64 = report.cuts.iter().map(|cut| cut.chars_before as i64 - cut.chars_after as i64).sum();
        prop_assert_eq!(report.before.chars as i64 - report.after.chars as i64, removed);
        prop_assert_eq!(output.len() as u64, report.output.bytes);
    }
}
