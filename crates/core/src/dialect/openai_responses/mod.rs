//! OpenAI Responses bodies (`POST /v1/responses`).
//!
//! The history is `input`, a string (one user message) or an array of items (`items`);
//! `instructions` are outside the count. A body that continues from a response that the server
//! keeps (`previous_response_id`, `conversation`, references) holds only what is new: the calls of
//! its outputs may be there, and are not missed here. Bodies for embeddings have an `input` too, of
//! strings only: they are no transcripts.

mod contents;
mod faults;
mod items;

pub use items::{Items, item_id};

use crate::dialect::{
    Confidence, Dialect, ResultForm, Signals, openai_chat, reading::*, rules::*, shared,
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "openai-responses",
    about: "OpenAI Responses request bodies",
    provider: &PROVIDER,
    results: &[RESULTS],
    keys: &[
        "contents",
        "context_management",
        "conversation",
        "dimensions",
        "encoding_format",
        "include",
        "input",
        "input_type",
        "instructions",
        "max_output_tokens",
        "messages",
        "model",
        "output",
        "previous_response_id",
        "response_format",
        "truncation",
        "voice",
    ],
    detect,
    read,
    provider_name: openai_chat::provider_name,
    answer: &["/output"],
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "openai", rules),
    refusals: || &REFUSALS,
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv" "../rules/makers.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(&REFUSALS);
    let has = |rule| held.contains(&rule);
    let openai = model.is("openai");
    Rules {
        results: if has("results next") {
            Results::Run
        } else {
            Results::Anywhere
        },
        ending: if has("no prefill") {
            LastMessage::NotAssistant
        } else {
            LastMessage::Any
        },
        start: StartAfterCut::NotResult,
        pairs_by_id: true,
        items: true,
        reasoning_followed: true,
        item_ids: openai && model.own,
        reasoned: reasoned(&held),
        services: model.services(),
        surrogates: openai,
        calls_last: has("calls last"),
        json_arguments: has("json arguments"),
        programs: true,
        arguments: if openai || has("string arguments") {
            Arguments::String
        } else {
            Arguments::Any
        },
        fields: openai,
        types: if openai && model.own {
            DIALECT.name
        } else {
            ""
        },
        call_id: only(
            openai,
            Syntax {
                min: 1,
                max: 64,
                ..Syntax::FREE
            },
        ),
        call_name: only(openai, NAME),
        tool_name: only(openai, NAME),
        ..free(model)
    }
}

/// Outputs are a string or an array of typed parts.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate::of(r#"[{"type":"input_text","text":""#, r#""}]"#),
    ..shared::RESULTS
};

/// Members that only these bodies have.
const OWN: &str = "instructions previous_response_id conversation max_output_tokens include truncation context_management";

/// Members of other bodies that have an `input`: embeddings, speech.
const OTHERS: &str = "encoding_format dimensions voice input_type response_format";

fn detect(signals: &Signals) -> Confidence {
    // A record of a request and its answer is not a request.
    if !signals.lists("input")
        || signals.has("messages")
        || signals.has("contents")
        || signals.has("output")
    {
        return Confidence::No;
    }
    let items = signals.message_has("type role");
    if items || signals.has_any(OWN) {
        return Confidence::Certain;
    }
    let talks = |model: &str| {
        !["embed", "moderation", "tts"]
            .iter()
            .any(|word| model.contains(word))
    };
    let empty = signals.has("input") && !signals.array && !signals.has_messages();
    if (signals.value("input").is_some() || empty)
        && signals.value("model").is_some_and(talks)
        && !signals.has_any(OTHERS)
    {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    builder.reasoning_binds = true;
    shared::members(cursor, builder, "input", input, |key, cursor, builder| {
        match key {
            b"store" => builder.request.forgets = cursor.skip()? == Kind::False,
            b"previous_response_id" | b"conversation" => {
                builder.calls_elsewhere |= cursor.skip()? != Kind::Null
            }
            _ => shared::setting(key, cursor, builder)?,
        }
        Ok(())
    })
}

fn input(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match cursor.kind()? {
        Kind::String => {
            let first = builder.blocks.len();
            if let shared::Content::String(span) = shared::content(cursor, builder)? {
                builder.message(Role::User, span, first, false);
            }
        }
        Kind::Array => {
            let mut items = Items::of_body();
            cursor.each_element(|_, cursor| items.item(cursor, builder))?;
            items.end(builder);
        }
        // Without `input`, nothing is sent.
        Kind::Null => drop(cursor.skip()?),
        _ => {
            cursor.skip()?;
            builder.not_understood(
                Level::Place,
                "key input that is no list and no text".to_owned(),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        check::{check, lost_reasoning},
        dialect::{builder::TranscriptBuilder, transcript},
        settings::{Estimator, Scope},
        transcript::{Block, Flags, Transcript},
    };

    fn body(json: &str) -> Transcript {
        let mut builder = TranscriptBuilder::new(Estimator::Utf16);
        builder.begin(0, 1);
        read(&mut Cursor::new(json.as_bytes()), &mut builder).unwrap();
        transcript(&DIALECT, builder, Scope::Context).unwrap()
    }

    fn items(items: &str) -> Transcript {
        body(&format!(r#"{{"model":"gpt-5","input":[{items}]}}"#))
    }

    /// Messages as `role block…`, a linked block with its tool.
    fn reported(found: &Transcript) -> Vec<String> {
        let block = |b: &Block| {
            let tool = if b.is_linked() {
                format!(":{}", found.tool_of(b))
            } else {
                String::new()
            };
            let fixed = if b.flags.has(Flags::ABSENT) { "!" } else { "" };
            format!("{:?}{tool}{fixed}", b.kind)
        };
        let message = |i: usize| {
            let blocks: Vec<String> = found.blocks_of(i).iter().map(block).collect();
            format!("{:?} {}", found.messages[i].role, blocks.join(" "))
        };
        (0..found.messages.len()).map(message).collect()
    }

    fn codes(found: &Transcript) -> Vec<&'static str> {
        check(found, &&b""[..])
            .into_iter()
            .map(|d| d.row.code)
            .collect()
    }

    #[test]
    fn a_run_of_the_model_is_one_message() {
        let found = items(
            r#"{"role":"developer","content":"d"},{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image"}]},
            {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"abc"}],"content":[{"type":"reasoning_text","text":"de"}],"encrypted_content":"zzz"},
            {"content":[{"type":"output_text","text":"y"}],"id":"msg_1","role":"assistant","type":"message"},{"type":"web_search_call","id":"ws_1"},
            {"arguments":"{}","call_id":"a","name":"f","type":"function_call"},{"type":"custom_tool_call","call_id":"b","name":"g","input":"1234"},
            {"output":"o","call_id":"b","type":"custom_tool_call_output"},
            {"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"p"},{"type":"input_file","file_id":"q"}]},
            {"type":"message","role":"assistant","content":"end"}"#,
        );
        assert_eq!(
            reported(&found),
            [
                "System Text",
                "User Text Image",
                "Assistant Thinking Text Other Call:f Call:g",
                "Tool Result:g Text",
                "Tool Result:f Text Other",
                "Assistant Text"
            ]
        );
        let parts: Vec<(u16, u32)> = found
            .blocks_of(2)
            .iter()
            .map(|b| (b.part, b.chars))
            .collect();
        assert_eq!(parts, [(0, 5), (1, 1), (2, 38), (3, 2), (4, 4)]);
        assert_eq!((codes(&found), found.warnings.len()), (vec![], 0));
        assert_eq!(found.provider_name.as_deref(), Some("openai"));
    }

    #[test]
    fn shells_patches_and_computers() {
        let found = items(
            r#"{"role":"user","content":"x"},{"type":"local_shell_call","id":"lsh_1","call_id":"c1","action":{"type":"exec"}},{"type":"local_shell_call","id":"lsh_2","call_id":"c2","action":{}},
            {"type":"local_shell_call_output","id":"c1","output":"o"},{"type":"local_shell_call_output","id":"lsh_2","output":"o"},
            {"type":"shell_call","call_id":"s1","action":{}},{"type":"shell_call","call_id":"s2","action":{}},{"type":"shell_call","call_id":"s3","action":{}},
            {"type":"shell_call_output","call_id":"s1","output":[{"stdout":"long","stderr":"","outcome":{}}]},
            {"type":"shell_call_output","call_id":"s2","output":[{"stdout":"a","stderr":"b"}]},{"type":"shell_call_output","call_id":"s3","output":[{"stdout":"","stderr":""}]},
            {"type":"apply_patch_call","call_id":"p","operation":{}},{"type":"computer_call","call_id":"k","action":{}},
            {"type":"apply_patch_call_output","call_id":"p","status":"failed"},{"type":"computer_call_output","call_id":"k","output":{"type":"computer_screenshot","image_url":"u"}}"#,
        );
        assert_eq!(
            reported(&found),
            [
                "User Text",
                "Assistant Call:local_shell Call:local_shell",
                "Tool Result:local_shell Text",
                "Tool Result:local_shell Text",
                "Assistant Call:shell Call:shell Call:shell",
                "Tool Result:shell Text",
                "Tool Result:shell! Text Text",
                "Tool Result:shell Text",
                "Assistant Call:apply_patch Call:computer",
                "Tool Result:apply_patch!",
                "Tool Result:computer! Image"
            ]
        );
        assert!(codes(&found).is_empty(), "{:?}", codes(&found));
        assert!(found.blocks_of(9)[0].flags.has(Flags::ERROR));
    }

    #[test]
    fn unknown_items_are_kept() {
        let found = items(
            r#""string",7,{"type":"from_the_future","output":"x"},{"type":"function_call","call_id":"a","name":"f"},{"type":"from_the_future"},
            {"type":"function_call","call_id":"b","name":"g"},{"type":"compaction","encrypted_content":"z"},{"type":"additional_tools","tools":[]},{"role":"tool","content":"?"},{}"#,
        );
        assert_eq!(
            reported(&found),
            [
                "Other Other",
                "Assistant Call:f Other Call:g",
                "Other Other",
                "System ",
                "Other Text",
                "Other Other"
            ]
        );
        let warned: Vec<&str> = found
            .warnings
            .iter()
            .filter_map(|w| w.text.strip_suffix(": unknown, passed through"))
            .collect();
        assert_eq!(
            warned,
            [
                "1 × a number in place of a message",
                "1 × a string in place of a message",
                "2 × item of type from_the_future",
                "1 × item without a type",
                "1 × role tool"
            ]
        );
        assert!(!found.calls_elsewhere);
        assert_eq!(reported(&body(r#"{"input":"hello"}"#)), ["User Text"]);
        assert_eq!(
            reported(&body(
                r#"{"input":[{"role":"user","content":"x"}],"input":"hello"}"#
            )),
            ["User Text"]
        );
        assert!(body(r#"{"input":null,"model":"x/y"}"#).messages.is_empty());
    }

    #[test]
    fn pairs_hold_over_the_whole_list() {
        let call = r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#;
        let output = r#"{"type":"function_call_output","call_id":"a","output":"x"}"#;
        let text = r#"{"role":"assistant","content":"y"}"#;
        let user = r#"{"role":"user","content":"z"}"#;
        for (list, want) in [
            (vec![user, call, text, user, output], vec![]),
            (vec![user, call], vec!["E01"]),
            (vec![user, output], vec!["E02"]),
            (vec![user, call, output, output], vec!["E05"]),
            (
                vec![r#"{"type":"item_reference","id":"fc_1"}"#, output],
                vec![],
            ),
        ] {
            assert_eq!(codes(&items(&list.join(","))), want, "{list:?}");
        }
        for (member, want) in [
            (r#""previous_response_id":"resp_1""#, 0),
            (r#""conversation":{"id":"c"}"#, 0),
            (r#""previous_response_id":null"#, 1),
        ] {
            assert_eq!(
                codes(&body(&format!(r#"{{"input":[{output}],{member}}}"#))).len(),
                want,
                "{member}"
            );
        }
    }

    #[test]
    fn reasoning_is_tied_to_what_follows() {
        let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
        let call =
            r#"{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}"}"#;
        let output = r#"{"type":"function_call_output","call_id":"a","output":"x"}"#;
        let whole = items(&[reasoning, call, output].join(","));
        assert!(codes(&whole).is_empty());
        assert_eq!(codes(&items(&[call, reasoning, output].join(","))), ["E17"]);
        assert_eq!(
            codes(&items(
                r#"{"type":"item_reference","id":"rs_1"},{"role":"user","content":"x"}"#
            )),
            ["E17"]
        );
        let mut defects = Vec::new();
        lost_reasoning(&whole, &items(&[call, output].join(",")), &mut defects);
        assert_eq!(defects.len(), 1);
        lost_reasoning(&whole, &whole, &mut defects);
        assert_eq!(defects.len(), 1);
    }
}
