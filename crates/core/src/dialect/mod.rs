//! Input formats. Each has a row in [`DIALECTS`] and a function that reads one record into a
//! builder.
//!
//! A format says how likely an input is its own ([`Dialect::detect`]), reads records
//! ([`Dialect::read`]) and reduces what was read to the messages that would be sent next
//! ([`Dialect::context`]). Passes and checks never learn which one it was.

pub mod accept;
mod anthropic;
pub mod beside;
pub mod builder;
#[cfg(test)]
mod chat_tests;
mod claude_code;
mod cline;
mod codex;
mod cohere;
mod converse;
mod copilot_cli;
mod detect;
mod gemini;
mod gemini_cli;
#[cfg(test)]
mod lines_tests;
mod messages;
mod mistral;
#[cfg(test)]
mod names_tests;
mod ollama;
mod openai_chat;
mod openai_responses;
mod openclaw;
mod opencode;
mod qwen_code;
mod reading;
mod rules;
pub mod shared;
pub mod tree;
pub mod usage;
pub mod wrapper;

pub use detect::{Detected, Signals, detect, fits, unknown, unknown_format};
pub use openai_responses::item_id;
pub use rules::{
    models::{is_cached_by_ttl, is_eligible, is_known_provider, keeps_thinking, providers},
    stricter,
};
pub use tree::{EntryReleased, name_missing, release_entries};

pub use crate::transcript::Layout;
use crate::{
    agents::{AGENTS, SessionFile},
    diagnostics::Warning,
    json::{Cursor, IdMap, Scanned},
    settings::Scope,
    transcript::{BlockKind, Provider, RecordReferences, ResultTemplate, Transcript},
};
use beside::Beside;
use builder::TranscriptBuilder;
use shared::reply::Replies;
use usage::Calls;

/// Reads the value at a cursor into a builder. It fails where that is malformed JSON.
pub type Reader<T = ()> = fn(&mut Cursor<'_>, &mut TranscriptBuilder) -> Scanned<T>;

/// One input format: all that it or its provider means.
#[derive(Debug)]
pub struct Dialect {
    /// Name for `--format` and reports.
    pub name: &'static str,
    /// One line for `--format help`.
    pub about: &'static str,
    /// Whether a record is a body or one of a log.
    pub layout: Layout,
    /// The rules and the error texts of the provider.
    pub provider: &'static Provider,
    /// Name of the API that such a body is for, where agents name it.
    pub api: Option<&'static str>,
    /// The forms in which the content of a result is written and read again; the first one, unless
    /// the reader chooses another.
    pub results: &'static [ResultForm],
    /// Keys at the top of a record for which it asks when it is detected. A record may have any
    /// number of others.
    pub keys: &'static [&'static str],
    /// Returns the confidence that signals are of this format, by its own signs.
    pub detect: fn(&Signals) -> Confidence,
    /// Reads one record: a whole body, or the value of one line.
    pub read: Reader,
    /// The references between records; `None` where records do not name each other.
    pub references: Option<&'static RecordReferences>,
    /// The forms of the results that are written for calls without one.
    pub replies: Replies,
    /// Reduces a builder to the effective context.
    pub context: fn(&mut TranscriptBuilder, Scope) -> Result<(), EntryReleased>,
    /// The way in which the calls in a log and their usage are read.
    pub calls: Calls,
    /// The provider for a model, where the input names none.
    pub provider_name: fn(model: Option<&str>) -> Option<&'static str>,
    /// The form in which requests of a log are written; none if the API that was called has no form
    /// here.
    pub request: fn(&Transcript) -> Option<Form>,
    /// Returns the words of a message, or of a part without a text, that the agent makes itself,
    /// from its object and the prompts before it; `None` if its texts are all of its words.
    pub words: fn(object: &[u8], prompts: &[String]) -> Option<String>,
    /// Reads what a log holds of its next request beside the messages.
    pub beside: beside::Reading,
    /// JSON pointers into an answer of its API: the first that leads to an object, or to a list
    /// that is not empty, leads to its parts, the calls among them.
    pub answer: &'static [&'static str],
}

/// The form of a request.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Anthropic's messages of blocks; whether those of the log are such blocks.
    Blocks {
        /// Whether a block of the log is one as it is.
        own: bool,
    },
    /// Messages of a chat completion.
    Chat,
    /// Gemini's contents of parts; parts of the log that are such parts stay as they are.
    Contents,
    /// Items of OpenAI's Responses.
    Items {
        /// Whether those of the log are such items.
        own: bool,
    },
}

impl Form {
    /// The format of such a request.
    pub fn dialect(&self) -> &'static Dialect {
        match self {
            Form::Blocks { .. } => &anthropic::DIALECT,
            Form::Chat => &openai_chat::DIALECT,
            Form::Contents => &gemini::DIALECT,
            Form::Items { .. } => &openai_responses::DIALECT,
        }
    }
}

impl Dialect {
    /// A request body of an unknown provider, in the spelling that most providers share. All of its
    /// messages are sent.
    pub const BODY: Dialect = Dialect {
        name: "",
        about: "",
        layout: Layout::Body,
        provider: &messages::PROVIDER,
        api: None,
        results: &[shared::RESULTS],
        keys: &[],
        detect: |_| Confidence::No,
        read: shared::body,
        references: None,
        replies: Replies::COMMON,
        context: |_, _| Ok(()),
        calls: Calls::UNKNOWN,
        provider_name: |_| None,
        request: |_| None,
        words: |_, _| None,
        beside: |_, _| Ok(Beside::default()),
        answer: &[],
    };

    /// The log of an agent, a record a line, of which all messages are sent.
    pub const LOG: Dialect = Dialect {
        layout: Layout::History,
        provider: &rules::HISTORY,
        ..Dialect::BODY
    };
}

/// The form of a result's content that is not a string: how it is written and read.
#[derive(Debug)]
pub struct ResultForm {
    /// The text around the new text.
    pub template: ResultTemplate,
    /// Reads a content value: pushes its blocks into the builder.
    pub read: Reader,
}

/// How likely an input is of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Not this format.
    No,
    /// Only if the user names it: no sign speaks against it, and none for it.
    Named,
    /// Possible, when nothing better fits.
    Maybe,
    /// Nothing speaks against it, something for it.
    Likely,
    /// Only this format looks so.
    Certain,
}

impl Dialect {
    /// How the agent names and finds a session; `None` where nobody knows.
    pub fn session(&self) -> Option<&'static SessionFile> {
        let agent = AGENTS.iter().find(|agent| agent.format == self.name)?;
        agent.session.as_ref()
    }
}

/// All formats; of two that look equally likely the earlier gives the name, and the stricter rules
/// of both apply.
pub const DIALECTS: &[Dialect] = &[
    openclaw::DIALECT,
    claude_code::DIALECT,
    cline::DIALECT,
    codex::DIALECT,
    copilot_cli::DIALECT,
    gemini_cli::DIALECT,
    opencode::DIALECT,
    qwen_code::DIALECT,
    gemini::DIALECT,
    converse::DIALECT,
    mistral::DIALECT,
    cohere::DIALECT,
    ollama::DIALECT,
    openai_chat::DIALECT,
    openai_responses::DIALECT,
    anthropic::DIALECT,
    messages::DIALECT,
];

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|f| f.name == name)
}

/// The format of this name.
///
/// # Errors
/// No format has that name.
pub fn named(name: &str) -> Result<&'static Dialect, crate::Error> {
    let unknown = || crate::Error::NoFormat {
        name: name.to_owned(),
        known: detect::known(),
    };
    by_name(name).ok_or_else(unknown)
}

/// Makes the transcript of a builder that holds all records of an input.
///
/// # Errors
/// An entry that was released while reading is needed: read again with everything kept.
pub fn transcript(
    format: &'static Dialect,
    mut builder: TranscriptBuilder,
    scope: Scope,
) -> Result<Transcript, EntryReleased> {
    (format.context)(&mut builder, scope)?;
    Ok(assemble(format, builder))
}

/// Sorts the entries of a whole history as they were written, without lines that were written
/// twice, and returns the parent of each.
pub fn in_order(format: &Dialect, builder: &mut TranscriptBuilder) -> tree::Parents {
    (format.calls.make_tree)(builder);
    // The only error is a released entry, and nothing was released.
    let tree = tree::grow(builder).unwrap_or_default();
    let is_chain = format.calls.is_chain;
    let order = if is_chain {
        tree::order::chain(&tree)
    } else {
        tree::order::written(builder, &tree)
    };
    let places = tree::order::places(&order, builder.entries.len());
    let parent = |(&i, at): (&usize, u32)| {
        if is_chain {
            at.checked_sub(1)
        } else {
            places.get(tree.parents[i] as usize).copied()
        }
    };
    let parents = order.iter().zip(0..).map(parent);
    let parents = parents
        .map(|parent| parent.unwrap_or(builder::NONE))
        .collect();
    tree::order::arrange(builder, &order);
    tree::taken_back::resolve(builder);
    tree::Parents::acyclic(parents, builder::NONE)
}

/// Makes a transcript of all that a builder has: for a history, of all messages, whether in the
/// context or not.
pub fn assemble(format: &'static Dialect, mut builder: TranscriptBuilder) -> Transcript {
    name_results(&mut builder);
    let (not_understood, unread) = builder.all_not_understood();
    let unknown = not_understood
        .iter()
        .map(|(what, n)| format!("{n} × {what}"));
    builder.warnings.extend(unknown.map(Warning::new));
    if unread.messages == 0 && format.layout == Layout::History && builder.records > 0 {
        builder
            .warnings
            .push(Warning::new("there is no message in it".to_owned()));
    }
    if let Some((id, bytes)) = &builder.begins_with {
        builder.warnings.push(Warning::new(format!(
            "it begins with the first {bytes} bytes of another log (history_base), that of {id}, which are not read here"
        )));
    }
    let torn = builder.torn();
    let provider_name = builder
        .provider
        .or_else(|| (format.provider_name)(builder.model.as_deref()).map(str::to_owned));
    let provider = format.provider.for_messages(&builder.messages);
    Transcript {
        format: format.name,
        layout: format.layout,
        references: format.references,
        provider,
        template: &format.results[builder.result_form as usize].template,
        result_form: builder.result_form,
        messages: builder.messages,
        items: builder.items,
        request_record: builder.request_record,
        blocks: builder.blocks,
        links: builder.links,
        notes: builder.notes,
        // All of a body is sent.
        result_copies: if format.layout == Layout::History {
            builder.result_copies
        } else {
            Vec::new()
        },
        request: builder.request,
        tools: builder.names.into_list(),
        model: builder.model,
        provider_name,
        window: builder.window,
        boundary: builder.boundary,
        model_record: builder.model_record,
        begins_with: builder.begins_with,
        api: builder.api.or(format.api.map(str::to_owned)),
        service: builder.service,
        last_call: builder.assistant_time,
        markers: builder.markers,
        projections: builder
            .projections
            .iter()
            .map(|p| (p.start, p.end))
            .collect(),
        calls_elsewhere: builder.calls_elsewhere,
        reasoning_binds: builder.reasoning_binds,
        multiline_records: false,
        read_by_bytes: builder.read_by_bytes,
        out_of_order: builder.out_of_order,
        copies: builder.copies,
        taken_back: builder.taken_back,
        missing: builder.missing,
        records: builder.records,
        table: builder.table,
        damaged: builder.damaged,
        torn_before: builder.torn_before,
        torn,
        unread,
        warnings: builder.warnings,
        pairs: Default::default(),
    }
}

/// Gives results that do not name their tool the name that the call before them has.
fn name_results(builder: &mut TranscriptBuilder) {
    if !builder.links.iter().any(|link| link.tool == 0) {
        return;
    }
    let mut tools = IdMap::with_capacity_and_hasher(builder.links.len() / 2, Default::default());
    for block in builder.blocks.iter().filter(|b| b.is_linked()) {
        let link = &mut builder.links[block.extra as usize];
        if block.kind == BlockKind::Call {
            tools.insert(link.call, link.tool);
        } else if link.tool == 0 {
            link.tool = tools.get(&link.call).copied().unwrap_or(0);
        }
    }
}
