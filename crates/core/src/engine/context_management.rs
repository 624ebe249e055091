//! The edits that a body asks its server for: left to the server, applied here, or written into the body instead of being applied.

use super::Setup;
use crate::Error;
use crate::diagnostics::{AppliedEdit, AppliedEdits, Warning};
use crate::dialect::keeps_thinking;
use crate::edit::{BodyMember, Proposal, View};
use crate::pass::candidates::allows;
use crate::pass::edits::{self, Origin, StepContext};
use crate::pass::protection::guard;
use crate::settings::context_management::{MEMBER, check, steps, template};
use crate::settings::emitted::{edit_of_pruning, edits_of};
use crate::settings::{ContextManagement, Mode, Step, StepError};
use crate::transcript::Layout;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The outcome of the edits.
#[derive(Debug, Default)]
pub struct ContextManagementResult {
    /// The edits that were applied.
    pub applied: Vec<AppliedEdit>,
    /// The proposals of the steps, each with the step's name.
    pub proposals: Vec<(&'static str, Proposal)>,
    /// The warnings for the user.
    pub warnings: Vec<Warning>,
    /// Whether the policy was written into the body instead of being applied.
    pub instead: bool,
    /// Whether the body's own edits are performed here.
    here: bool,
}

impl ContextManagementResult {
    /// Handles the edits of the body of `view` as the settings say.
    ///
    /// # Errors
    /// The member cannot be read, or the policy cannot be written as one.
    pub fn begin(view: &mut View<'_>, setup: &Setup) -> Result<ContextManagementResult, Error> {
        let mut managed = ContextManagementResult::default();
        if view.transcript.layout != Layout::Body {
            return Ok(managed);
        }
        let how = setup.settings.context_management;
        let found = if view.transcript.request.manages_context {
            BodyMember::find(view, MEMBER)?
        } else {
            None
        };
        let own = found
            .as_ref()
            .and_then(|member| serde_json::from_slice::<Value>(&member.value).ok())
            .filter(|value| !value.is_null());
        match (how, found, own) {
            (ContextManagement::Apply, Some(member), Some(own @ Value::Object(_))) => {
                managed.apply(view, setup, &member, own)?
            }
            (ContextManagement::Apply, Some(_), Some(_)) => {
                managed.warn(format!("{MEMBER} is no object with edits, and stays"))
            }
            (ContextManagement::Emit, found, _) => managed.emit(view, setup, found)?,
            (ContextManagement::Leave, Some(_), Some(own)) if own["edits"].is_array() => managed
                .warn(format!(
                    "the body's own {MEMBER} is left to its server; {} apply performs it here",
                    (view.naming)("contextManagement")
                )),
            _ => {}
        }
        Ok(managed)
    }

    fn warn(&mut self, text: String) {
        self.warnings.push(Warning::new(text));
    }

    /// Applies the body's own edits, and removes them from the body.
    fn apply(
        &mut self,
        view: &mut View<'_>,
        setup: &Setup,
        member: &BodyMember,
        mut own: Value,
    ) -> Result<(), Error> {
        let edits = own
            .get("edits")
            .filter(|edits| !edits.is_null())
            .cloned()
            .unwrap_or_else(|| json!([]));
        let wrong =
            |wrong: StepError| Error::Config(wrong.error("the body", &format!("{MEMBER}.edits")));
        let model = setup
            .settings
            .model
            .as_deref()
            .or(view.transcript.model.as_deref());
        let turns = if keeps_thinking(model) {
            json!("all")
        } else {
            json!(1)
        };
        let wanted = steps(&edits, &template(), &turns).map_err(wrong)?;
        check(&edits).map_err(wrong)?;
        let known = edits::types(&edits);
        for (number, (value, kind)) in wanted.iter().zip(known).enumerate() {
            let moment = StepContext {
                mode: Mode::Adaptive,
                idle: None,
                asked: true,
                number,
                origin: Origin::Edits,
                next: None,
            };
            let step = Step::deserialize(value).map_err(|_| Error::Changed)?;
            let name = step.kind.name();
            let mut proposal = edits::step(view, &setup.settings, &step, moment)?;
            guard(view, &setup.settings, name, &mut proposal)?;
            let freed = edits::freed(view, &step, &proposal)?;
            if !proposal.cuts.is_empty() {
                self.applied.push(AppliedEdit::new(
                    kind,
                    name,
                    edits::number(view, &proposal),
                    freed,
                ));
            }
            let note = Proposal {
                cuts: Vec::new(),
                outside: Vec::new(),
                note: proposal.note.clone(),
                skipped: proposal.skipped.clone(),
                ..Proposal::default()
            };
            self.proposals.push((name, note));
            view.accept(proposal);
        }
        self.here = true;
        let rest: Vec<&Value> = edits
            .as_array()
            .into_iter()
            .flatten()
            .filter(|edit| !edits::is_known(edit))
            .collect();
        if !rest.is_empty() {
            self.warn(format!(
                "{} edits of {MEMBER} are of types that are not performed here and stay",
                rest.len()
            ));
        }
        let members = own.as_object_mut().into_iter();
        members.for_each(|members| {
            if rest.is_empty() {
                drop(members.shift_remove("edits"))
            } else {
                members["edits"] = json!(rest)
            }
        });
        let is_empty = own.as_object().is_none_or(|members| members.is_empty());
        member
            .changed((!is_empty).then(|| own.to_string()))
            .into_iter()
            .for_each(|change| view.change(change));
        Ok(())
    }

    /// Writes the policy into the body.
    fn emit(
        &mut self,
        view: &mut View<'_>,
        setup: &Setup,
        found: Option<BodyMember>,
    ) -> Result<(), Error> {
        if !view.rules.drops_thinking {
            self.warn(format!(
                "{MEMBER} is written into bodies of Anthropic's only; this one is pruned here"
            ));
            return Ok(());
        }
        self.instead = true;
        if found.is_some() {
            self.warn(format!(
                "the body has {MEMBER} already, which stays as it is"
            ));
            return Ok(());
        }
        let window = view.window_chars / crate::estimate::CHARS_PER_TOKEN;
        let tools = tools(view)?;
        let (edits, left) = match &setup.settings.edits[..] {
            [] => {
                let pruning = &setup.settings.context_pruning;
                let named = pruning.tools.deny.iter().filter(|name| !name.contains('*'));
                let excluded = tools
                    .iter()
                    .filter(|tool| !allows(&pruning.tools.allow, &pruning.tools.deny, tool))
                    .chain(named)
                    .cloned()
                    .collect();
                (
                    vec![edit_of_pruning(pruning, window, &excluded)],
                    Vec::new(),
                )
            }
            steps => edits_of(steps, window, &tools),
        };
        left.into_iter().for_each(|why| self.warn(why));
        if edits.is_empty() {
            self.warn(format!(
                "no step of the policy can be said in {MEMBER}: nothing is written"
            ));
            return Ok(());
        }
        view.change(BodyMember::added(
            view,
            MEMBER,
            &json!({ "edits": edits }).to_string(),
        )?);
        Ok(())
    }

    /// Returns the edits for the report; `None` where the body's own edits were not performed here.
    pub fn account(self) -> Option<AppliedEdits> {
        self.here.then_some(AppliedEdits {
            applied_edits: self.applied,
        })
    }
}

/// Returns the names of the tools that the body declares or calls.
fn tools(view: &View<'_>) -> Result<BTreeSet<String>, Error> {
    let defined = BodyMember::find(view, "tools")?
        .and_then(|member| serde_json::from_slice::<Value>(&member.value).ok());
    let defined = defined
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str());
    let called = view
        .transcript
        .tools
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty());
    Ok(defined.chain(called).map(str::to_owned).collect())
}
