//! The dialects of OpenAI's chat: how they are detected, and how they are read.

use crate::check::check;
use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{by_name, detect, fits, transcript};
use crate::json::Cursor;
use crate::settings::{Estimator, Scope};
use crate::transcript::{Block, Flags, Transcript};

/// The format of a body, and another format that it could be.
fn reported(json: &str) -> (&'static str, Option<&'static str>) {
    detect(&mut Cursor::new(json.as_bytes()))
        .unwrap()
        .map_or(("", None), |d| (d.format.name, d.rival.map(|r| r.name)))
}

fn read(format: &str, json: &str) -> Transcript {
    let format = by_name(format).unwrap();
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    builder.begin(0, 1);
    (format.read)(&mut Cursor::new(json.as_bytes()), &mut builder).unwrap();
    transcript(format, builder, Scope::Context).unwrap()
}

/// Messages as `role block…`: a linked block with its tool and which pair it is of, a text with its
/// chars.
fn lines(found: &Transcript) -> Vec<String> {
    let mut ids = Vec::new();
    let mut block = |b: &Block| {
        let fixed = if b.flags.has(Flags::ABSENT) { "!" } else { "" };
        if !b.is_linked() {
            return format!("{:?}{}", b.kind, b.chars);
        }
        let id = found.link(b).call;
        let pair = ids
            .iter()
            .position(|known| *known == id)
            .unwrap_or_else(|| {
                ids.push(id);
                ids.len() - 1
            });
        format!("{:?}:{}#{pair}{fixed}", b.kind, found.tool_of(b))
    };
    let messages = 0..found.messages.len();
    messages
        .map(|i| {
            format!(
                "{:?} {}",
                found.messages[i].role,
                found
                    .blocks_of(i)
                    .iter()
                    .map(&mut block)
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        })
        .collect()
}

fn codes(found: &Transcript) -> Vec<&'static str> {
    check(found, &&b""[..])
        .into_iter()
        .map(|d| d.row.code)
        .collect()
}

#[test]
fn by_content() {
    let text = r#"{"role":"user","content":"x"}"#;
    let call = |id: &str, arguments: &str| {
        format!(
            r#"{{"role":"assistant","content":"","tool_calls":[{{{id}"function":{{"name":"f","arguments":{arguments}}}}}]}}"#
        )
    };
    let (nine, long, none) = (r#""id":"abcDEF123","#, r#""id":"call_1234567","#, "");
    let begun = r#"{"role":"assistant","content":"so","prefix":true}"#;
    for (json, want, rival) in [
        (format!(r#"{{"model":"mistral-large-latest","messages":[{text}]}}"#), "mistral", None),
        (format!(r#"{{"messages":[{text}],"model":"mistral-small-2506"}}"#), "mistral", None),
        (format!(r#"{{"messages":[{text}],"model":"mistral-small"}}"#), "mistral", None),
        (format!(r#"{{"messages":[{text}],"safe_prompt":true}}"#), "mistral", None),
        (format!(r#"{{"messages":[{text},{begun}]}}"#), "mistral", None),
        (format!(r#"{{"model":"deepseek-chat","messages":[{text},{begun}]}}"#), "openai-chat", None),
        (format!(r#"{{"model":"codestral-latest","messages":[{text},{}]}}"#, call(none, "{}")), "mistral", None),
        (format!(r#"{{"messages":[{text},{}]}}"#, call(nine, "{}")), "mistral", None),
        (format!(r#"{{"messages":[{text},{}]}}"#, call(nine, r#""{}""#)), "mistral", Some("openai-chat")),
        (format!(r#"{{"model":"gpt-5","messages":[{text},{}]}}"#, call(nine, r#""{}""#)), "openai-chat", None),
        (
            r#"{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":[]}]}],"model":"magistral-medium-2509"}"#.into(),
            "mistral",
            None,
        ),
        (
            r#"{"model":"magistral-medium-2509","messages":[{"role":"assistant","content":[{"type":"thinking","thinking":[]}]}]}"#.into(),
            "mistral",
            None,
        ),
        (format!(r#"{{"model":"mistral:7b","messages":[{text}],"options":{{}}}}"#), "ollama", None),
        (format!(r#"{{"model":"mistral-nemo","messages":[{text}],"keep_alive":"5m"}}"#), "ollama", None),
        (format!(r#"{{"model":"command-r","messages":[{text}],"stream":false,"options":{{}}}}"#), "ollama", None),
        (format!(r#"{{"model":"llama3.2","messages":[{text},{}],"stream":false}}"#, call(none, "{}")), "ollama", None),
        (format!(r#"{{"model":"llama3.2","messages":[{text},{}],"stream":false}}"#, call(long, "{}")), "ollama", None),
        (r#"{"model":"a","messages":[{"role":"user","content":"x","images":["aGk="]}]}"#.into(), "ollama", None),
        (r#"{"model":"a","messages":[{"role":"tool","content":"x","tool_name":"f"}]}"#.into(), "ollama", None),
        (r#"{"tools":[{"type":"function","function":{}}],"messages":[{"role":"tool"}],"think":false}"#.into(), "ollama", None),
        (format!(r#"{{"model":"command-a-03-2025","messages":[{text}]}}"#), "cohere", None),
        (r#"{"messages":[{"role":"assistant","tool_plan":"p","tool_calls":[]}]}"#.into(), "cohere", None),
        (
            r#"{"messages":[{"role":"tool","tool_call_id":"a","content":[{"type":"document","document":{"data":"x"}}]}]}"#.into(),
            "cohere",
            None,
        ),
        (format!(r#"{{"messages":[{text}],"documents":[]}}"#), "cohere", None),
        (r#"{"message":"x","chat_history":[{"role":"USER","message":"y"}]}"#.into(), "cohere", None),
        (r#"{"model":"command-r","message":"x"}"#.into(), "cohere", None),
        (r#"{"message":"x","tool_results":[]}"#.into(), "cohere", None),
        (r#"{"message":"x"}"#.into(), "", None),
        (format!(r#"{{"model":"mistralai/mistral-large","messages":[{text},{}]}}"#, call(long, r#""{}""#)), "openai-chat", None),
        (format!(r#"{{"model":"gpt-5","messages":[{text},{}]}}"#, call(long, r#""{}""#)), "openai-chat", None),
        (format!(r#"{{"messages":[{text},{}]}}"#, call(long, r#""{}""#)), "openai-chat", None),
        (r#"{"messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}"#.into(), "openai-chat", None),
        (format!(r#"{{"messages":[{text}]}}"#), "openai-chat", Some("anthropic")),
    ] {
        assert_eq!(reported(&json), (want, rival), "{json}");
    }
}

#[test]
fn a_name_is_believed_where_nothing_speaks_against_it() {
    let fit = |name: &str, json: &str| {
        fits(by_name(name).unwrap(), &mut Cursor::new(json.as_bytes()))
            .unwrap()
            .is_some()
    };
    let plain = r#"{"messages":[{"role":"user","content":"x"}]}"#;
    let anthropic =
        r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}"#;
    let list =
        r#"[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"y"}]"#;
    for name in ["mistral", "cohere", "ollama", "openai-chat", "anthropic"] {
        assert!(fit(name, plain), "{name}");
        // A format that the user names is used if the input can be read so.
        assert!(fit(name, anthropic) && fit(name, list), "{name}");
        assert!(
            !fit(name, r#"{"contents":[]}"#) && !fit(name, "[]"),
            "{name}"
        );
    }
    assert!(fit(
        "ollama",
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#
    ));
    assert!(
        !fit("gemini", plain)
            && !fit("openai-responses", plain)
            && !fit("codex", plain)
            && !fit("openclaw", plain)
    );
    assert!(
        fit("cohere", r#"{"chat_history":[]}"#)
            && !fit("openai-chat", r#"{"chat_history":[],"message":"x"}"#)
    );
}

#[test]
fn mistral() {
    let found = read(
        "mistral",
        r#"{"model":"magistral-small-2509","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"abc"},{"type":"image_url","image_url":"u"},{"type":"document_url","document_url":"u"}]},
        {"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"},{"type":"reference"}],"closed":true}],"tool_calls":[{"id":"null","function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"g","arguments":"{}"}},{"id":"abcDEF123","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","name":"g","content":"ab"},{"role":"tool","tool_call_id":"abcDEF123","content":[{"type":"text","text":"c"}]},{"role":"tool","tool_call_id":"null","name":"f","content":null},
        {"role":"assistant","content":"so","prefix":true}]}"#,
    );
    assert_eq!(
        lines(&found),
        [
            "System Text1",
            "User Text3 Image0 Other42",
            "Assistant Thinking2 Call:f#0 Call:g#1 Call:f#2",
            "Tool Result:g#1 Text2",
            "Tool Result:f#2 Text1",
            "Tool Result:f#0!",
            "Assistant Text2"
        ]
    );
    assert!(
        codes(&found).is_empty() && found.warnings.is_empty(),
        "{:?} {:?}",
        codes(&found),
        found.warnings
    );
    assert_eq!(found.provider_name.as_deref(), Some("mistral"));
}

#[test]
fn ollama() {
    let call = |name: &str| {
        format!(r#"{{"function":{{"index":0,"name":"{name}","arguments":{{"a":1}}}}}}"#)
    };
    let found = read(
        "ollama",
        &format!(
            r#"{{"model":"qwen3","messages":[{{"role":"user","content":"see","images":["aGk=","aGk="]}},{{"role":"assistant","content":"","thinking":"hmm","tool_calls":[{},{},{}]}},
            {{"role":"tool","content":"g's","tool_name":"g"}},{{"role":"tool","content":"first"}},{{"role":"tool","content":"x","images":["aGk="]}},{{"role":"assistant","content":"ok"}},
            {{"role":"tool","content":"nobody's"}}],"options":{{}}}}"#,
            call("f"),
            call("g"),
            call("h")
        ),
    );
    assert_eq!(
        lines(&found),
        [
            "User Text3 Image0 Image0",
            "Assistant Text0 Thinking3 Call:f#0 Call:g#1 Call:h#2",
            "Tool Result:g#1 Text3",
            "Tool Result:f#0 Text5",
            "Tool Result:h#2 Text1 Other8000",
            "Assistant Text2",
            "Tool Result:#3 Text8"
        ]
    );
    assert_eq!(codes(&found), ["E02"]);
    assert_eq!(
        codes(&read(
            "ollama",
            r#"{"messages":[{"role":"assistant","content":"","tool_calls":[]}]}"#
        )),
        [""; 0]
    );
}

#[test]
fn cohere_v2() {
    let found = read(
        "cohere",
        r#"{"model":"command-a-03-2025","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_plan":"I will","tool_calls":[{"id":"a0","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a0","content":[{"type":"document","document":{"data":"{\"a\": 1}","id":"1"}},{"type":"document","document":{"id":"2","data":{"b": 2.50}}},{"type":"text","text":"t"}]},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"}],"citations":[]}]}"#,
    );
    assert_eq!(
        lines(&found),
        [
            "User Text1",
            "Assistant Thinking6 Call:f#0",
            "Tool Result:f#0 Text8 Malformed9 Text1",
            "Assistant Thinking2 Text2"
        ]
    );
    assert!(codes(&found).is_empty() && found.warnings.is_empty());
    let open = r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"y"}]}"#;
    assert_eq!(codes(&read("cohere", open)), ["E01"]);
}

#[test]
fn v1() {
    let history = r#"[{"role":"USER","message":"do"},{"role":"CHATBOT","message":"","tool_calls":[{"name":"f","parameters":{"n":1}},{"name":"f","parameters":{"n":2}},{"name":"g","parameters":{}}]},
        {"role":"TOOL","tool_results":[{"call":{"name":"g","parameters":{}},"outputs":[{"a":"one"},{"b":[2]}]},{"call":{"name":"f","parameters":{"n":2}},"outputs":[{"text":"two"}]},{"outputs":[],"call":{"name":"f","parameters":{"n":1}}}]},
        {"role":"CHATBOT","message":"so"},{"role":"SYSTEM","message":"be"}]"#;
    let now = r#"[{"call":{"name":"h","parameters":{}},"outputs":[{"text":"three"}]}]"#;
    let want = [
        "User Text2",
        "Assistant Call:f#0 Call:f#1 Call:g#2",
        "User Result:g#2 Malformed11 Malformed9 Result:f#1 Text3 Result:f#0",
        "Assistant Text2",
        "System Text2",
        "User Text2",
        "User Result:h#3 Text5",
    ];
    let found = read(
        "cohere",
        &format!(
            r#"{{"message":"go","model":"command-r","chat_history":{history},"tool_results":{now}}}"#
        ),
    );
    assert_eq!(lines(&found), want);
    assert!(
        codes(&found).is_empty() && found.warnings.is_empty(),
        "{:?}",
        codes(&found)
    );
    assert_eq!(found.model.as_deref(), Some("command-r"));
    // Results in front of the history come last all the same, and are not cut.
    let turned = read(
        "cohere",
        &format!(r#"{{"tool_results":{now},"message":"go","chat_history":{history}}}"#),
    );
    assert_eq!(lines(&turned)[..6], want[..6]);
    assert_eq!(lines(&turned)[6], "User Result:h#3! Text5");
    assert_eq!(
        lines(&read(
            "cohere",
            r#"{"message":"","tool_results":[7,{"outputs":"x"}]}"#
        )),
        ["User Result:#0!"]
    );
    let open = r#"{"message":"x","chat_history":[{"role":"CHATBOT","tool_calls":[{"name":"f","parameters":{}},7]},5]}"#;
    assert_eq!(codes(&read("cohere", open)), ["E01"]);
}
