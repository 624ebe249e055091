//! The edits that a body asks its server for: left to the server, applied here, or written into the
//! body instead of being applied.

use super::{passes::step, *};
use crate::{
    diagnostics::{AppliedEdit, AppliedEdits},
    dialect::keeps_thinking,
    edit::{member, set_member},
    pass::edits,
    settings::{
        ContextManagement, ListPlace, Step,
        context_management::{
            CLEAR_THINKING, MEMBER, check, edit_of_pruning, edits_of, steps, template,
        },
    },
    transcript::Layout,
    wildcard,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Handles the edits of the body as the settings say.
///
/// # Errors
/// The member cannot be read, or the policy cannot be written as one.
pub fn perform(run: &mut Run<'_>) -> Result<()> {
    let transcript = run.view.transcript;
    if !run.may_cut() || transcript.layout != Layout::Body {
        return Ok(());
    }
    let own = if transcript.request.manages_context {
        member(&run.view, MEMBER)?
    } else {
        Value::Null
    };
    match (run.setup.settings.context_management, own) {
        (ContextManagement::Apply, own @ Value::Object(_)) => apply(run, own)?,
        (ContextManagement::Apply, own) if !own.is_null() => {
            warn(run, format!("{MEMBER} is no object with edits, and stays"))
        }
        (ContextManagement::Emit, own) => emit(run, !own.is_null())?,
        (ContextManagement::Leave, own) if own["edits"].is_array() => {
            let setting = (run.view.naming)("contextManagement");
            let text = format!(
                "the body's own {MEMBER} is left to its server; {setting} apply performs it here"
            );
            warn(run, text);
        }
        _ => {}
    }
    Ok(())
}

fn warn(run: &mut Run<'_>, text: String) {
    run.report.warnings.push(Warning::new(text));
}

/// Applies the body's own edits, and removes them from the body.
fn apply(run: &mut Run<'_>, mut own: Value) -> Result<()> {
    let edits = match &own["edits"] {
        Value::Null => json!([]),
        edits => edits.clone(),
    };
    let list = ListPlace {
        source: "the body",
        shown: &format!("{MEMBER}.edits"),
    };
    let (_, model) = provider_and_model(run.view.transcript, &run.setup.settings);
    let turns = if keeps_thinking(model) {
        json!("all")
    } else {
        json!(1)
    };
    let wanted = steps(&edits, list, &template(), &turns).map_err(Error::Config)?;
    check(&edits, list).map_err(Error::Config)?;
    let policy = Vec::<Step>::deserialize(json!(wanted)).map_err(|_| Error::Changed)?;
    let mut done = AppliedEdits::default();
    let all = || edits.as_array().into_iter().flatten();
    let types = all().filter_map(edits::known);
    for (number, (wanted, kind)) in policy.iter().zip(types).enumerate() {
        let name = wanted.kind.name();
        // The body asks for it, whatever the mode.
        let proposal = step(run, &policy, number, None)?;
        let freed = edits::freed(&run.view, wanted, &proposal)?;
        if !proposal.cuts.is_empty() {
            let number = edits::number(&run.view, &proposal);
            let is_thinking = name == "clear_thinking";
            done.applied_edits.push(AppliedEdit {
                kind,
                cleared_tool_uses: (!is_thinking).then_some(number),
                cleared_thinking_turns: is_thinking.then_some(number),
                cleared_input_tokens: freed,
                pass: name,
            });
        }
        run.accept(name, proposal);
    }
    run.report.context_management = Some(done);
    let is_rest = |edit: &&Value| edits::known(edit).is_none();
    let rest: Vec<&Value> = all().filter(is_rest).collect();
    if rest.is_empty() {
        own.as_object_mut()
            .and_then(|members| members.shift_remove("edits"));
    } else {
        own["edits"] = json!(rest);
        let text = format!(
            "{} edits of {MEMBER} are of types that are not performed here and stay",
            rest.len()
        );
        warn(run, text);
    }
    if own.as_object().is_none_or(|members| members.is_empty()) {
        own = Value::Null;
    }
    set_member(&mut run.view, MEMBER, &own)
}

/// Writes the policy into the body, which has such a member already if `is_there`.
fn emit(run: &mut Run<'_>, is_there: bool) -> Result<()> {
    let view = &run.view;
    if !view.rules.drops_thinking {
        let text =
            format!("{MEMBER} is written into bodies of Anthropic's only; this one is pruned here");
        warn(run, text);
        return Ok(());
    }
    run.is_left_to_server = true;
    if is_there {
        warn(
            run,
            format!("the body has {MEMBER} already, which stays as it is"),
        );
        return Ok(());
    }
    let window = view.window;
    let tools = tools(view)?;
    let pruning = &run.setup.settings.context_pruning;
    let (mut edits, mut left) = match &run.setup.settings.edits[..] {
        [] => {
            let allow = &pruning.tools.allow;
            let deny = &pruning.tools.deny;
            let excluded = tools
                .iter()
                .filter(|tool| !wildcard::allows(allow, deny, tool));
            let named = deny.iter().filter(|name| !name.contains('*'));
            let excluded = excluded.chain(named).cloned().collect();
            let edit = edit_of_pruning(pruning, window, &excluded);
            (vec![edit], Vec::new())
        }
        steps => edits_of(steps, window, &tools),
    };
    if view.transcript.ignores_thinking(&view.rules) {
        let count = edits.len();
        edits.retain(|edit| edit["type"] != CLEAR_THINKING);
        if edits.len() < count {
            left.push("no thinking is cleared, as the request turns none on".into());
        }
    }
    left.into_iter().for_each(|why| warn(run, why));
    if edits.is_empty() {
        warn(
            run,
            format!("no step of the policy can be said in {MEMBER}: nothing is written"),
        );
        return Ok(());
    }
    set_member(&mut run.view, MEMBER, &json!({ "edits": edits }))
}

/// Returns the names of the tools that the body declares or calls.
pub fn tools(view: &View<'_>) -> Result<BTreeSet<String>> {
    let defined = member(view, "tools")?;
    let defined = defined.as_array();
    let called = view.transcript.tools.iter().map(String::as_str);
    Ok(defined
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .chain(called.filter(|name| !name.is_empty()))
        .map(str::to_owned)
        .collect())
}
