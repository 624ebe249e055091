//! Results that Anthropic's server clears in the place of cuts here: whether it may, and the member
//! that asks for it.

use super::{context_management::tools, *};
use crate::{
    edit::{is_list, member, set_member},
    pass::{
        server::{excluded, uses},
        thinking::is_lost,
    },
    session::recipe::Recipe,
    settings::{
        ContextManagement, Thinking,
        context_management::{CLEAR_TOOL_USES, MEMBER, edit_of_run},
    },
    transcript::{BlockKind, Layout},
};
use serde_json::{Value, json};

/// Notes whether results may be left to the server, and which tools it leaves alone. In one
/// conversation these are always the same tools.
pub fn open(run: &mut Run<'_>) -> Result<()> {
    let (setup, view) = (run.setup, &run.view);
    let settings = &setup.settings;
    let transcript = view.transcript;
    let is_asked = match settings.thinking {
        Thinking::Server => true,
        thinking => thinking == Thinking::Auto && setup.sends_headers,
    };
    let is_body = transcript.layout == Layout::Body;
    let (provider, model) = provider_and_model(transcript, settings);
    let rules = (transcript.provider.rules)(model, provider);
    let mut blocks = transcript.blocks.iter();
    // A replay counts what the proxy would do.
    let may = is_asked
        && run.may_cut()
        && (is_body || setup.sends_headers)
        && rules.server_clears
        && rules.thinking_bound == Some(true)
        && blocks.any(|block| block.kind == BlockKind::Thinking);
    if !may || is_body && !has_room(view, settings.context_management)? {
        run.view.loses_thinking = is_lost(&run.view, settings.thinking, model)?;
        return Ok(());
    }
    let cut = view.cuts().find_map(|cut| cut.action.by_server().cloned());
    let memory = setup.memory.iter();
    let mut stored = memory.flat_map(|memory| memory.decisions.values());
    let stored = stored.find_map(|decision| match &decision.recipe {
        Recipe::Server { tools } => Some(tools.as_slice().into()),
        _ => None,
    });
    run.view.server = Some(match cut.or(stored) {
        Some(tools) => tools,
        None if is_body => excluded(settings, &tools(view)?),
        None => excluded(settings, &transcript.tools),
    });
    Ok(())
}

/// Whether a body leaves room for an edit.
fn has_room(view: &View<'_>, how: ContextManagement) -> Result<bool> {
    let own = member(view, MEMBER)?;
    let mut edits = own["edits"].as_array().into_iter().flatten();
    let is_free = edits.all(|edit| edit["type"] != CLEAR_TOOL_USES);
    // A summary that is asked for is written from the results.
    let is_free = is_free && member(view, "compaction")?.is_null();
    Ok(how == ContextManagement::Leave
        && !is_list(view)?
        && (own.is_object() || own.is_null())
        && is_free)
}

/// Asks the server to clear what is left to it. At least one result that it can clear stays.
pub fn ask(run: &mut Run<'_>) -> Result<()> {
    let Some(tools) = run.view.server.clone() else {
        return Ok(());
    };
    let (all, cleared) = uses(&run.view, &tools)?;
    let cleared = cleared.min(all.len().saturating_sub(1));
    if cleared == 0 {
        return Ok(());
    }
    let mut own = member(&run.view, MEMBER)?;
    let mut edits: Vec<Value> = serde_json::from_value(own["edits"].take()).unwrap_or_default();
    edits.push(edit_of_run(all.len() - cleared, &tools));
    own["edits"] = json!(edits);
    set_member(&mut run.view, MEMBER, &own)?;
    run.report.server_clears = Some(cleared as u64);
    Ok(())
}
