//! Bedrock Converse bodies.
//!
//! The blocks are in `blocks`. The model mostly is in the address; where the body names it, that is `modelId`.

mod blocks;

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::rules::models::Model;
use crate::dialect::rules::{
    MARKS, NAME, NO_PREFILL, PLAIN, THINKS_UNASKED, free, possible, thinking_bound,
};
use crate::dialect::shared::content::ContentParent;
use crate::dialect::shared::untyped::UntypedMessages;
use crate::dialect::shared::{self, Content, objects};
use crate::dialect::{Confidence, Dialect, Signals};
use crate::json::{Cursor, Kind, Scanned};
use crate::transcript::{
    Arguments, EmptyContent, FirstMessage, IdScope, Interface, LastMessage, Letters, Results, Role,
    Rules, Syntax, ThinkingRules,
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "bedrock-converse",
    about: "Amazon Bedrock Converse request bodies",
    interface: &INTERFACE,
    results: &[blocks::RESULTS],
    keys: &[
        "inferenceConfig",
        "messages",
        "model",
        "modelId",
        "toolConfig",
    ],
    detect,
    read,
    provider: |_| Some("amazon-bedrock"),
    ..Dialect::BODY
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "anthropic", rules),
    refusals: REFUSALS,
    bracketed: false,
    ..PLAIN
};

const REFUSALS: &str = include_str!("refusals.tsv");

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(REFUSALS);
    let has = |rule| held.contains(&rule);
    let claude = model.is("anthropic");
    let refuses_prefill = claude && model.claude.is_some_and(|version| version >= NO_PREFILL);
    Rules {
        results: Results::NextTurn,
        results_first: claude,
        results_alone: has("results alone"),
        results_counted: true,
        roles_checked: true,
        unique: IdScope::Conversation,
        opening: FirstMessage::UserKept,
        ending: if refuses_prefill {
            LastMessage::NotAssistant
        } else {
            LastMessage::Any
        },
        // A model that is not named counts as one that refuses neighbours.
        alternates: !has("any turns"),
        neighbours_speak: has("texts in a row"),
        empty: EmptyContent::No {
            last: false,
            beside_calls: false,
        },
        empty_calls: true,
        tools_declared: true,
        tools_differ: true,
        error_filled: true,
        merges: true,
        typed_texts: false,
        marks: Some(MARKS),
        marks_on_parts: true,
        marks_are_parts: true,
        thoughts: ThinkingRules {
            signed: claude,
            followed: claude,
            as_asked: claude,
            unasked: model.claude.is_none_or(|version| version >= THINKS_UNASKED),
        },
        arguments: Arguments::Object,
        fields: true,
        call_id: Syntax {
            letters: Letters::Dotted,
            min: 1,
            max: 64,
            ..Syntax::FREE
        },
        call_name: NAME,
        tool_name: NAME,
        thinking_bound: thinking_bound(model, None),
        ..free(model)
    }
}

fn detect(signals: &Signals) -> Confidence {
    if !signals.lists("messages") {
        return Confidence::No;
    }
    let block = ["toolUse", "toolResult", "reasoningContent", "cachePoint"]
        .iter()
        .any(|k| signals.block_has(k));
    let top = signals.has_any(&["inferenceConfig", "toolConfig", "modelId"]);
    if block || top {
        Confidence::Certain
    } else if signals.is_untyped() {
        // Its model is named in the address, or as `modelId`.
        if signals.value("model").is_some() {
            Confidence::Named
        } else {
            Confidence::Likely
        }
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    shared::members(
        cursor,
        builder,
        "messages",
        messages,
        |key, cursor, builder| {
            match key {
                b"system" => shared::setting(key, cursor, builder)?,
                b"toolConfig" => cursor.member(b"tools", |cursor| {
                    shared::setting(b"tools", cursor, builder)
                })?,
                b"additionalModelRequestFields" => cursor.member(b"thinking", |cursor| {
                    shared::setting(b"thinking", cursor, builder)
                })?,
                b"modelId" => shared::setting(b"model", cursor, builder)?,
                _ => {}
            }
            Ok(())
        },
    )
}

const MESSAGES: UntypedMessages = UntypedMessages {
    parts: "content",
    role: |name| match name {
        b"user" => (Role::User, false),
        b"assistant" => (Role::Assistant, false),
        b"system" => (Role::System, false),
        _ => (Role::Other, true),
    },
    read: |cursor, builder| {
        let may_be_empty = matches!(cursor.kind()?, Kind::Array | Kind::String | Kind::Null);
        let content = blocks::content(cursor, ContentParent::Message, builder)?;
        Ok((matches!(content, Content::Array(_)), may_be_empty))
    },
};

fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    objects(cursor, builder, |cursor, builder| {
        MESSAGES.message(cursor, builder)
    })
}
