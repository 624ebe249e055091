//! The shapes that retrieved text has in prompts and in tools' answers, and those that only look so: tables of them, each row in
//! the spelling of five providers.
//!
//! `retrieved/templates.jsonl` has layouts of frameworks and services, with where they are from. Eight passages of a pool
//! (`retrieved/pools.json`) are put into each, with a blank line inside of a passage and without: two passages answer the
//! question and stay, at least half of the others go, each as a whole, and what is around them stays.
//! `retrieved/traps.jsonl` has what must come out byte for byte: lists of another kind, parts of one text, and paragraphs that
//! nothing parts.

use crate::laws::setup;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::engine;
use deadhead_core::settings::{Mode, Settings};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The providers, by the names of their formats.
const PROVIDERS: [&str; 5] = [
    "openai-chat",
    "anthropic",
    "gemini",
    "bedrock-converse",
    "openai-responses",
];

#[derive(Deserialize)]
struct Pool {
    question: String,
    wanted: Vec<usize>,
    texts: Vec<[String; 2]>,
}

#[derive(Deserialize)]
struct Template {
    name: String,
    #[serde(rename = "in")]
    place: String,
    language: String,
    before: String,
    chunk: String,
    glue: String,
    after: String,
    gaps: Vec<String>,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    json: bool,
    /// Whether it may come out as it came: nothing says where its chunks end.
    #[serde(default)]
    left_ok: bool,
}

#[derive(Deserialize)]
struct Trap {
    name: String,
    #[serde(rename = "in")]
    place: String,
    text: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    args: Option<Value>,
}

fn rows<T: for<'a> Deserialize<'a>>(file: &str) -> Vec<T> {
    file.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

fn fill(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

/// The body of `provider` that has `text` in `place`.
fn body(
    provider: &str,
    place: &str,
    text: &str,
    question: &str,
    tool: &str,
    args: &Value,
) -> Value {
    let string = args.to_string();
    match (place, provider) {
        ("user", "openai-chat") => {
            json!({"model": "gpt-4o", "messages": [{"role": "user", "content": text}]})
        }
        ("user", "anthropic") => {
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]})
        }
        ("user", "gemini") => json!({"contents": [{"role": "user", "parts": [{"text": text}]}]}),
        ("user", "bedrock-converse") => {
            json!({"modelId": "m", "messages": [{"role": "user", "content": [{"text": text}]}]})
        }
        ("user", _) => {
            json!({"model": "gpt-5", "input": [{"role": "user", "content": [{"type": "input_text", "text": text}]}]})
        }
        ("system", "openai-chat") => {
            json!({"model": "gpt-4o", "messages": [{"role": "system", "content": text}, {"role": "user", "content": question}]})
        }
        ("system", "anthropic") => {
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": text, "messages": [{"role": "user", "content": question}]})
        }
        ("system", "gemini") => {
            json!({"systemInstruction": {"parts": [{"text": text}]}, "contents": [{"role": "user", "parts": [{"text": question}]}]})
        }
        ("system", "bedrock-converse") => {
            json!({"modelId": "m", "system": [{"text": text}], "messages": [{"role": "user", "content": [{"text": question}]}]})
        }
        ("system", _) => json!({"model": "gpt-5", "instructions": text, "input": question}),
        (_, "openai-chat") => json!({"model": "gpt-4o", "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": tool, "arguments": string}}]},
            {"role": "tool", "tool_call_id": "c1", "content": text}]}),
        (_, "anthropic") => json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": tool, "input": args}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": text}]}]}]}),
        (_, "gemini") => {
            let response = match serde_json::from_str::<Value>(text) {
                Ok(Value::Array(list)) => json!({"results": list}),
                Ok(object) => object,
                Err(_) => json!({"output": text}),
            };
            json!({"contents": [
                {"role": "user", "parts": [{"text": question}]},
                {"role": "model", "parts": [{"functionCall": {"name": tool, "args": args}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": tool, "response": response}}]}]})
        }
        (_, "bedrock-converse") => {
            let content = serde_json::from_str::<Value>(text)
                .map_or_else(|_| json!({"text": text}), |value| json!({"json": value}));
            json!({"modelId": "m", "messages": [
                {"role": "user", "content": [{"text": question}]},
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": tool, "input": args}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [content]}}]}]})
        }
        _ => json!({"model": "gpt-5", "input": [
            {"role": "user", "content": question},
            {"type": "function_call", "call_id": "c1", "name": tool, "arguments": string},
            {"type": "function_call_output", "call_id": "c1", "output": text}]}),
    }
}

/// Prunes a body. Returns the output, and the lists in the report.
fn pruned(provider: &str, body: &Value) -> (Value, String) {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.rag_rerank.enabled = true;
    settings.rag_rerank.min_body_chars = 0;
    let setup = setup(settings);
    let input = body.to_string();
    let pruned = engine::body(
        input.as_bytes(),
        1,
        by_name(provider).unwrap().into(),
        &setup,
    )
    .unwrap();
    let output: Vec<u8> = pruned
        .slices(input.as_bytes())
        .unwrap()
        .iter()
        .flat_map(|slice| slice.to_vec())
        .collect();
    let report = pruned.report;
    assert_eq!(report.integrity.before, report.integrity.after);
    assert_eq!(report.output.bytes, output.len() as u64);
    let reported = report.skipped.iter().map(|skip| skip.why.clone()).chain(
        report
            .reranked
            .iter()
            .map(|list| format!("{} ranked", list.layout)),
    );
    (
        serde_json::from_slice(&output).unwrap(),
        reported.collect::<Vec<_>>().join("; "),
    )
}

/// All strings of a value, one after the other.
fn strings(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(list) => list.iter().map(strings).collect(),
        Value::Object(members) => members.values().map(strings).collect(),
        _ => String::new(),
    }
}

#[test]
fn templates_lose_whole_chunks() {
    let pools: BTreeMap<String, Pool> =
        serde_json::from_str(include_str!("../../../../tests/retrieved/pools.json")).unwrap();
    let mut wrong = Vec::new();
    for template in rows::<Template>(include_str!("../../../../tests/retrieved/templates.jsonl")) {
        let pool = &pools[&template.language];
        for gap in &template.gaps {
            let gap = match gap.as_str() {
                "space" => " ",
                "blank" => "\n\n",
                _ => "",
            };
            for provider in PROVIDERS {
                if let Some(why) = failure(&template, pool, gap, provider) {
                    wrong.push(format!("{}, gap {gap:?}, {provider}: {why}", template.name));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} fail:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Returns the fault of a template that is filled with a pool, if there is one.
fn failure(template: &Template, pool: &Pool, gap: &str, provider: &str) -> Option<String> {
    let question = pool.question.as_str();
    let escaped = |text: &str| serde_json::to_string(text).unwrap();
    let chunk = |i: usize| {
        let text = pool.texts[i].join(gap);
        let quoted = escaped(&text);
        let plain = if template.json {
            quoted.trim_matches('"')
        } else {
            &text
        };
        let (name, number, index) = (
            format!("note-{}.md", i + 1),
            (i + 1).to_string(),
            i.to_string(),
        );
        fill(
            &template.chunk,
            &[
                ("i", &number),
                ("z", &index),
                ("n", "8"),
                ("f", &name),
                ("j", &quoted),
                ("d", plain),
            ],
        )
    };
    let chunks: Vec<String> = (0..pool.texts.len()).map(chunk).collect();
    let around = |text: &str| fill(text, &[("q", question), ("n", "8")]);
    let (before, after) = (around(&template.before), around(&template.after));
    let text = format!("{before}{}{after}", chunks.join(&template.glue));
    let input = body(
        provider,
        &template.place,
        &text,
        question,
        &template.tool,
        &json!({"query": question}),
    );
    let (output, reported) = pruned(provider, &input);
    if output == input {
        return (!template.left_ok).then(|| format!("left: {reported}"));
    }
    let said = strings(&output);
    // A text inside of JSON is there once more as it is escaped.
    let has = |text: &str| said.contains(text) || said.contains(escaped(text).trim_matches('"'));
    let kept: Vec<usize> = (0..pool.texts.len())
        .filter(|&i| has(&pool.texts[i][0]))
        .collect();
    let named = template.chunk.contains("{f}");
    let torn = (0..pool.texts.len()).find(|&i| {
        let stays = kept.contains(&i);
        has(&pool.texts[i][1]) != stays || named && has(&format!("note-{}.md", i + 1)) != stays
    });
    let is_text = template.place != "tool";
    match () {
        () if torn.is_some() => Some(format!("chunk {} is torn: {reported}", torn.unwrap() + 1)),
        () if !pool.wanted.iter().all(|i| kept.contains(i)) => {
            Some(format!("of what is wanted, {kept:?} is left: {reported}"))
        }
        () if kept.len() > 5 => Some(format!("{} stay: {reported}", kept.len())),
        () if is_text
            && !(said.contains(before.trim_end())
                && said.contains(after.trim())
                && said.contains(question)) =>
        {
            Some(format!("what is around the chunks changes: {reported}"))
        }
        () => None,
    }
}

#[test]
fn traps_come_out_as_they_came() {
    let mut wrong = Vec::new();
    for trap in rows::<Trap>(include_str!("../../../../tests/retrieved/traps.jsonl")) {
        let args = trap.args.clone().unwrap_or_else(|| json!({}));
        for provider in PROVIDERS {
            let input = body(
                provider,
                &trap.place,
                &trap.text,
                &trap.question,
                &trap.tool,
                &args,
            );
            let (output, reported) = pruned(provider, &input);
            if output != input {
                wrong.push(format!("{}, {provider}: {reported}", trap.name));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are cut:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A list of sources, and a question that some of them answer.
struct Outside {
    question: String,
    texts: Vec<String>,
    wanted: Vec<usize>,
    prompt: String,
}

impl Outside {
    fn read() -> Outside {
        let mut pools: BTreeMap<String, Pool> =
            serde_json::from_str(include_str!("../../../../tests/retrieved/pools.json")).unwrap();
        let pool = pools.remove("en").unwrap();
        let texts: Vec<String> = pool.texts.iter().map(|text| text.join(" ")).collect();
        let prompt = format!(
            "Answer from the sources.\n\n{}\n\nQuestion of the user below.",
            texts
                .iter()
                .enumerate()
                .map(|(i, t)| format!("Source {i}: {t}"))
                .collect::<Vec<_>>()
                .join("\n")
        );
        Outside {
            question: pool.question,
            texts,
            wanted: pool.wanted,
            prompt,
        }
    }

    fn list(&self, chunk: impl Fn(usize, &str) -> Value) -> Vec<Value> {
        let texts = self.texts.iter().enumerate();
        texts.map(|(i, text)| chunk(i, text)).collect()
    }

    fn chat(&self) -> Value {
        json!([{"role": "user", "content": self.question}])
    }

    /// Bodies with the sources outside the messages, each in the place that its provider has for them.
    fn cut(&self) -> Vec<(&'static str, Value)> {
        let Outside {
            question, prompt, ..
        } = self;
        let chat = self.chat();
        vec![
            (
                "anthropic",
                json!({"model": "claude-a", "max_tokens": 1, "system": prompt, "messages": chat}),
            ),
            (
                "anthropic",
                json!({"model": "claude-a", "max_tokens": 1, "system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": prompt}], "messages": chat}),
            ),
            (
                "gemini",
                json!({"system_instruction": {"parts": {"text": prompt}}, "contents": [{"parts": [{"text": question}]}]}),
            ),
            (
                "gemini",
                json!({"systemInstruction": prompt, "contents": [{"parts": [{"text": question}]}]}),
            ),
            (
                "bedrock-converse",
                json!({"modelId": "m", "system": [{"text": prompt}], "messages": [{"role": "user", "content": [{"text": question}]}]}),
            ),
            (
                "openai-responses",
                json!({"model": "gpt-5", "instructions": prompt, "input": [{"role": "user", "content": question}]}),
            ),
            (
                "openai-responses",
                json!({"model": "gpt-5", "input": [{"role": "developer", "content": prompt}, {"role": "user", "content": question}]}),
            ),
            (
                "openai-chat",
                json!({"model": "gpt-5", "messages": [{"role": "developer", "content": [{"type": "text", "text": prompt}]}, {"role": "user", "content": question}]}),
            ),
            (
                "mistral",
                json!({"model": "mistral-large-latest", "messages": [{"role": "system", "content": prompt}, {"role": "user", "content": question}]}),
            ),
            (
                "ollama",
                json!({"model": "llama3", "stream": false, "messages": [{"role": "system", "content": prompt}, {"role": "user", "content": question}]}),
            ),
            (
                "cohere",
                json!({"model": "command-a-03-2025", "messages": [{"role": "system", "content": prompt}, {"role": "user", "content": question}]}),
            ),
            (
                "cohere",
                json!({"model": "command-r", "preamble": prompt, "message": question, "chat_history": []}),
            ),
            (
                "cohere",
                json!({"model": "command-a-03-2025", "messages": chat, "documents": self.list(|i, text| json!({"id": format!("d{i}"), "data": {"text": text}}))}),
            ),
            (
                "cohere",
                json!({"model": "command-a-03-2025", "messages": chat, "documents": self.list(|_, text| json!(text))}),
            ),
            (
                "cohere",
                json!({"model": "command-r", "message": question, "chat_history": [], "documents": self.list(|i, text| json!({"title": format!("t{i}"), "snippet": text}))}),
            ),
            (
                "openai-responses",
                json!({"model": "gpt-5", "input": [{"role": "user", "content": question},
            {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": [question], "results": self.list(|i, text| json!({"file_id": format!("f{i}"), "filename": "a.md", "score": 0.5, "text": text}))},
            {"role": "user", "content": "And?"}]}),
            ),
        ]
    }

    /// Bodies of which nothing is cut, each with the reason that the report has.
    fn left(&self) -> Vec<(&'static str, Value, &'static str)> {
        let Outside {
            question, prompt, ..
        } = self;
        let chat = self.chat();
        let blocks = self.list(|_, text| json!({"type": "text", "text": text}));
        let mark = json!({"type": "ephemeral"});
        vec![
            (
                "anthropic",
                json!({"model": "claude-a", "max_tokens": 1, "system": [{"type": "text", "text": prompt, "cache_control": mark}], "messages": chat}),
                "cache mark",
            ),
            (
                "anthropic",
                json!({"model": "claude-a", "max_tokens": 1, "system": [{"type": "text", "text": prompt}, {"type": "text", "text": "x", "cache_control": mark}], "messages": chat}),
                "cache mark",
            ),
            (
                "bedrock-converse",
                json!({"modelId": "m", "system": [{"text": prompt}, {"cachePoint": {"type": "default"}}], "messages": [{"role": "user", "content": [{"text": question}]}]}),
                "cache mark",
            ),
            (
                "anthropic",
                json!({"model": "claude-a", "max_tokens": 1, "system": blocks, "messages": chat}),
                "there is no list",
            ),
            (
                "anthropic",
                json!({"model": "claude-a", "max_tokens": 1, "system": prompt, "messages": [{"role": "user", "content": "Xyzzy?"}]}),
                "no chunk has a word of the question",
            ),
            (
                "cohere",
                json!({"model": "command-a-03-2025", "messages": [{"role": "user", "content": question},
            {"role": "assistant", "content": "So it is.", "citations": [{"text": "So", "sources": self.list(|i, _| json!({"type": "document", "id": format!("doc-{i}")}))}]}, {"role": "user", "content": question}],
            "documents": self.list(|i, text| json!({"id": format!("doc-{i}"), "data": {"text": text}}))}),
                "in order",
            ),
        ]
    }
}

#[test]
fn content_outside_the_messages() {
    let outside = Outside::read();
    for (format, input) in &outside.cut() {
        let (output, reported) = pruned(format, input);
        let said = strings(&output);
        let kept: Vec<usize> = (0..outside.texts.len())
            .filter(|&i| said.contains(&outside.texts[i]))
            .collect();
        // Behind the last chunk of the prompt there is another text.
        let last = strings(input)
            .contains("Source 0:")
            .then_some(outside.texts.len() - 1);
        let wanted: Vec<usize> = outside.wanted.iter().copied().chain(last).collect();
        assert_eq!(kept, wanted, "{format} {reported}: {input}");
        assert!(
            said.contains(&outside.question)
                && !said.contains("Source 0:")
                && (!strings(input).contains("Be brief.") || said.contains("Be brief.")),
            "{said}"
        );
    }
}

#[test]
fn content_outside_the_messages_that_stays() {
    for (format, input, why) in &Outside::read().left() {
        let (output, reported) = pruned(format, input);
        assert!(
            strings(&output).matches(". ").count() == strings(input).matches(". ").count(),
            "{format} {reported}: {input}"
        );
        assert!(
            reported.contains(why) || *why == "in order",
            "{reported}: {input}"
        );
    }
}
