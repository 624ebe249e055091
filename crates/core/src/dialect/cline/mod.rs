//! Cline and Roo Code histories: `api_conversation_history.json`, and the session files of Cline's
//! newer releases.
//!
//! The first is an array of messages in Anthropic's shape with a time (`ts`), the second an object
//! that holds one under `messages`. The result of a call with several queries is a list of `{query,
//! result}`, whose results are texts. Results may be texts (`[read_file for 'x'] Result:`): those
//! that answer native calls are results (`texts`); in histories from before native calls they are
//! texts here as well, and are left alone. An array without a `ts`, a `modelInfo` and such texts is
//! like any other and read as `messages`.

pub mod texts;

use crate::{
    dialect::{
        Confidence, Dialect, Form, Signals,
        builder::TranscriptBuilder,
        cline::texts::PendingCalls,
        shared,
        shared::unread::no_record,
        tree::contexts,
        usage::{Calls, Prompts, Row, Seen, State},
    },
    json::{Cursor, Kind, Scanned},
    transcript::Role,
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "cline",
    about: "Cline and Roo Code histories (api_conversation_history.json)",
    keys: &["max_tokens", "messages", "model", "sessionId", "version"],
    detect,
    read,
    calls: Calls {
        prompts: Prompts::Rows(rows),
        make_tree: contexts::chain,
        documents: &["*.messages.json", "api_conversation_history.json"],
        counted_elsewhere: ": Cline keeps those of older histories in ui_messages.json, without the prompts",
        ..Calls::UNKNOWN
    },
    request: |_| Some(Form::Blocks { own: false }),
    ..Dialect::LOG
};

fn detect(signals: &Signals) -> Confidence {
    let own = |role: &String| matches!(role.as_str(), "user" | "assistant");
    if signals.roles.is_empty()
        || !signals.roles.iter().all(own)
        || signals.message_has("tool_calls")
    {
        return Confidence::No;
    }
    let wrapped = signals.has("messages sessionId") && !signals.has_any("model max_tokens");
    let own = signals.message_has("ts")
        || signals.message_has("modelInfo")
        || signals.headed && signals.has_type("tool_use");
    if wrapped && signals.has("version") || signals.array && own {
        Confidence::Certain
    } else if wrapped || signals.array {
        Confidence::Maybe
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match cursor.kind()? {
        Kind::Array | Kind::Object => {
            shared::members(cursor, builder, "messages", messages, |_, _, _| Ok(()))
        }
        kind => no_record(cursor, kind, builder),
    }
}

/// Reads an array of messages, and notes the time and the model of the last answer.
fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let mut open = PendingCalls::default();
    shared::objects(cursor, builder, |cursor, builder| {
        let facts = shared::message(cursor, builder)?;
        open.message(facts.index, cursor.record_bytes(), builder);
        if facts.role == Role::Assistant {
            let model = facts.model.as_deref();
            builder.set_model(model, maker(model, facts.provider.as_deref()));
            builder.assistant_time = builder.assistant_time.max(facts.time);
        }
        Ok(())
    })?;
    open.end(builder);
    Ok(())
}

/// The maker of a model. Cline's own service routes; whose model it is follows from the model's
/// name.
fn maker<'a>(model: Option<&'a str>, provider: Option<&'a str>) -> Option<&'a str> {
    if provider == Some("cline") {
        model?.split_once('/').map(|(maker, _)| maker)
    } else {
        provider
    }
}

/// Makes the row of a message, which has its usage as `calculateUsageCostFromPricing` of Cline's
/// SDK counts it.
fn rows(seen: Seen, state: &mut State, rows: &mut Vec<Row>) {
    let row = seen.counted();
    let name = |number: u32| state.names.name(number).filter(|name| !name.is_empty());
    let maker = maker(name(row.model), name(row.provider)).map(str::to_owned);
    let provider = state.names.intern(&maker.unwrap_or_default());
    rows.push(Row { provider, ..row }.whole());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dialect::{detect, transcript},
        settings::{Estimator, Scope},
        transcript::{BlockKind, Transcript},
    };

    const CALL: &str = r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"read_files","input":{}}],"modelInfo":{"id":"anthropic/claude-a","provider":"cline"},"ts":7}"#;
    const ANSWER: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"query":"q","result":"four"},{"query":"q","result":"five5"}]}],"ts":9}"#;

    fn read_text(text: &str) -> Transcript {
        let mut builder = TranscriptBuilder::new(Estimator::Utf16);
        builder.begin(0, 1);
        read(&mut Cursor::new(text.as_bytes()), &mut builder).unwrap();
        transcript(&DIALECT, builder, Scope::Context).unwrap()
    }

    #[test]
    fn both_files() {
        let array = format!(r#"[{{"role":"user","content":"x","ts":1}},{CALL},{ANSWER}]"#);
        for text in [
            format!(r#"{{"version":1,"sessionId":"s","messages":{array}}}"#),
            array,
        ] {
            let found = read_text(&text);
            assert_eq!(
                (found.messages.len(), found.model.as_deref()),
                (3, Some("anthropic/claude-a"))
            );
            assert_eq!(
                (found.provider_name.as_deref(), found.last_call),
                (Some("anthropic"), Some(7))
            );
            let texts = found
                .blocks_of(2)
                .iter()
                .filter(|b| b.kind == BlockKind::Text)
                .map(|b| b.chars);
            assert_eq!(texts.collect::<Vec<_>>(), [4, 5]);
            assert_eq!(found.tool_of(&found.blocks_of(2)[0]), "read_files");
        }
    }

    #[test]
    fn results_in_texts_are_the_users() {
        let found = read_text(
            r#"[{"role":"user","content":[{"type":"text","text":"[read_file for 'x'] Result:"},{"type":"text","text":"y"}],"ts":1}]"#,
        );
        assert!(found.blocks.iter().all(|b| b.kind == BlockKind::Text));
    }

    #[test]
    fn bodies_are_not_taken() {
        let name = |text: &str| {
            detect(&mut Cursor::new(text.as_bytes()))
                .unwrap()
                .map(|d| (d.format.name, d.rival.is_some()))
        };
        let sorted = format!(r#"{{"messages":[{CALL},{ANSWER}],"sessionId":"s","version":1}}"#);
        assert_eq!(name(&sorted), Some(("cline", false)));
        for (text, want) in [
            (format!("[{CALL},{ANSWER}]"), "cline"),
            (
                format!(r#"{{"version":1,"agent":"lead","sessionId":"s","messages":[{CALL}]}}"#),
                "cline",
            ),
            (
                format!(
                    r#"{{"model":"claude-a","max_tokens":1,"messages":[{}]}}"#,
                    CALL.replace(",\"ts\":7", "")
                ),
                "anthropic",
            ),
            (format!(r#"{{"messages":[{CALL}]}}"#), "anthropic"),
            (r#"[{"role":"user","content":"x"}]"#.to_owned(), "messages"),
        ] {
            assert_eq!(name(&text), Some((want, false)), "{text}");
        }
    }
}
