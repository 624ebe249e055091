//! One run over a transcript: stages that work on one value, from the cache policy to the report.

use super::{
    cache_state::{asks_cache, cache_state, with_request},
    composition::CompositionCap,
    timed::is_timed,
    *,
};
use crate::{
    cache_cost::cache_cost,
    cache_policy::{LastCall, decide, ttl_disagrees},
    check::uncertain,
    diagnostics::{CacheCost, PassTotal},
    edit::{Action, added, betas},
    listing::listing,
    pass::{thinking, weighing::prompt_before},
    recorded::{context_tokens, disagreement, is_cached_long},
    report,
    session::{ends_with, marker, needed_again, prefix::Prefix, sticky, sticky::CutKey},
    settings::window,
    transcript::Layout,
};
use std::collections::BTreeSet;

/// Where a transcript was read from.
#[derive(Clone, Copy)]
pub enum Origin {
    /// A body, at this line.
    Body { line: u64, found: Detected },
    /// A log.
    History,
}

/// A run over a transcript. Each stage adds what it did, and its rows of the report.
pub struct Run<'a> {
    pub setup: &'a Setup,
    pub view: View<'a>,
    pub policy: CachePolicy,
    /// The passes that rest because their cuts would break the transcript.
    pub resting: Vec<&'static str>,
    /// The state of the composition cap.
    pub cap: CompositionCap,
    pub report: Report,
    /// Whether the policy was written into the body, for its server to perform.
    pub is_left_to_server: bool,
    pub edits: Edits,
    /// The output, if it was rendered to be read again.
    pub output: Option<Vec<u8>>,
    /// The number of messages of the output, if it was read as a whole. It may be less than that of
    /// the kept messages: some formats merge messages of the model if nothing is left between them.
    pub messages: Option<usize>,
    /// The prefix of the output, if a body was read again.
    pub prefix: Option<Prefix>,
    /// The lifetime of the cached prompts: whether it is the long one, and in milliseconds.
    long: Option<bool>,
    lifetime: Option<u64>,
    /// The prices of the model, and whether it has any.
    row: Row,
    priced: bool,
    /// The keys of what may be cut, and of earlier cuts whose texts have changed.
    known: Vec<CutKey>,
    gone: Vec<u64>,
    learned: Option<NewState>,
    /// The number of the message that received a cache mark.
    marked: Option<u32>,
}

/// A stage of a run.
type Stage = fn(&mut Run<'_>) -> Result<()>;

/// The stages in their order. The output is read again by a stage of its own, which needs to know
/// where the transcript was read from.
const STAGES: &[Stage] = &[
    list_parts,
    server::open,
    repeat_cuts,
    look_at_cache,
    context_management::perform,
    passes::cut,
    bind_thinking,
    server::ask,
    add_mark,
    edit,
];

/// Runs all stages. Passes that may be skipped are left out if their cuts would break the
/// transcript; the report says so.
pub fn run(
    before: &Transcript,
    texts: &dyn ReadAt,
    setup: &Setup,
    origin: Origin,
) -> Result<Pruned> {
    let mut run = Run::new(before, texts, setup)?;
    if let Err(error) = run.all(origin) {
        let is_broken = error.is_refusal() || matches!(error, Error::Fixed { .. });
        let resting = run.may_rest();
        if !is_broken || resting.is_empty() {
            return Err(error);
        }
        let warning = format!("{} rests: {error}", resting.join(" and "));
        run = Run {
            resting,
            ..Run::new(before, texts, setup)?
        };
        run.all(origin)?;
        run.report.warnings.push(Warning::new(warning));
    }
    Ok(Pruned {
        report: run.report,
        edits: run.edits,
        output: run.output,
        learned: run.learned,
    })
}

/// Cuts `view` as a prune of the same context does, without checking the output.
///
/// # Errors
/// The input cannot be read any more.
pub fn cut<'a>(view: View<'a>, policy: CachePolicy, setup: &'a Setup) -> Result<View<'a>> {
    let mut run = Run::of(view, policy, setup);
    server::open(&mut run)?;
    passes::cut(&mut run)?;
    bind_thinking(&mut run)?;
    Ok(run.view)
}

impl<'a> Run<'a> {
    fn new(before: &'a Transcript, texts: &'a dyn ReadAt, setup: &'a Setup) -> Result<Run<'a>> {
        let settings = &setup.settings;
        let (provider, model) = provider_and_model(before, settings);
        let window = window(settings, model, provider, before.window);
        let mut view = View::new(before, texts, settings, window.tokens);
        view.naming = setup.naming;
        view.size = context_tokens(&view, &settings.notes())?;
        let long = is_cached_long(&view)?;
        let stated = before.request.cache_life.filter(|life| *life > 0);
        let lifetime = (stated.map(|life| life * 1000))
            .or_else(|| long.map(|is_long| setup.price(before).0.lifetime_ms(is_long)));
        // If no last call was given, it is that of the state.
        let stored = setup.memory.as_ref().and_then(|memory| memory.last_call);
        let clock = Clock {
            last_call: setup.clock.last_call.or(stored.map(LastCall::Stored)),
            ..setup.clock
        };
        let odd = disagreement(&view, &settings.notes())?;
        let mut policy = decide(before, settings, &clock, lifetime, setup.naming);
        if before.request.summarizes || setup.summarizes {
            policy.decision.ran = false;
            policy.decision.why =
                "the request asks for a summary, which needs the whole context".into();
        }
        let report = Report {
            window,
            model: model.map(str::to_owned),
            provider: provider.map(str::to_owned),
            warnings: [&setup.warnings[..], &before.warnings, odd.as_slice()].concat(),
            ..Report::default()
        };
        Ok(Run {
            long,
            lifetime,
            report,
            ..Run::of(view, policy, setup)
        })
    }

    fn of(view: View<'a>, policy: CachePolicy, setup: &'a Setup) -> Run<'a> {
        let (row, priced) = setup.price(view.transcript);
        Run {
            setup,
            view,
            policy,
            resting: Vec::new(),
            cap: CompositionCap::default(),
            report: Report::default(),
            is_left_to_server: false,
            edits: Edits::default(),
            output: None,
            messages: None,
            prefix: None,
            long: None,
            lifetime: None,
            row,
            priced,
            known: Vec::new(),
            gone: Vec::new(),
            learned: None,
            marked: None,
        }
    }

    fn all(&mut self, origin: Origin) -> Result<()> {
        STAGES.iter().try_for_each(|stage| stage(self))?;
        output::read_again(self, origin)?;
        learn(self, origin)?;
        complete_report(self)
    }

    /// Whether the run may cut anything but what earlier runs cut.
    pub fn may_cut(&self) -> bool {
        let setup = self.setup;
        let is_asked = setup.summarizes || self.view.transcript.request.summarizes;
        !is_asked && setup.rest.is_none() && setup.detail != Detail::Parts
    }

    /// Accepts what a pass proposes, and adds what it reports.
    pub fn accept(&mut self, pass: &'static str, proposal: Proposal) {
        self.note(pass, &proposal);
        self.view.accept(proposal);
    }

    fn accept_earlier(&mut self, pass: &'static str, proposal: Proposal) {
        self.note(pass, &proposal);
        self.view.accept_earlier(proposal);
    }

    /// Adds what a pass reports besides its cuts.
    fn note(&mut self, pass: &'static str, proposal: &Proposal) {
        let report = &mut self.report;
        let notes = &mut self.policy.decision.notes;
        if let Some(note) = &proposal.note {
            // A reason that several passes share is reported once.
            match notes.iter_mut().find(|(_, said)| said == note) {
                Some((names, _)) => *names = format!("{names}, {pass}"),
                None => notes.push((pass.to_owned(), note.clone())),
            }
        }
        report.reranked.extend_from_slice(&proposal.reranked);
        report.skipped.extend_from_slice(&proposal.skipped);
        report
            .warnings
            .extend(proposal.warnings.iter().cloned().map(Warning::new));
        let left = proposal.skipped.len() as u64;
        match report.passes.iter_mut().find(|row| row.name == pass) {
            Some(row) => row.skipped += left,
            None => report.passes.push(PassTotal {
                name: pass.to_owned(),
                skipped: left,
                ..PassTotal::default()
            }),
        }
    }

    /// Returns the passes that did cut and may be skipped.
    fn may_rest(&self) -> Vec<&'static str> {
        let outside = self.view.outside().iter().map(|cut| cut.pass);
        let cut: BTreeSet<_> = self
            .view
            .cuts()
            .map(|cut| cut.pass)
            .chain(outside)
            .collect();
        let mut names: Vec<_> = self
            .setup
            .passes
            .iter()
            .filter(|pass| pass.skips_if_invalid() && cut.contains(pass.name))
            .map(|pass| pass.name)
            .collect();
        names.sort_unstable();
        names
    }
}

fn list_parts(run: &mut Run<'_>) -> Result<()> {
    if run.setup.detail == Detail::Parts {
        run.report.parts = listing(&run.view, &run.setup.settings)?;
    }
    Ok(())
}

/// Makes the cuts of earlier runs again.
fn repeat_cuts(run: &mut Run<'_>) -> Result<()> {
    let setup = run.setup;
    let transcript = run.view.transcript;
    if let Some(why) = &setup.rest {
        let decision = &mut run.policy.decision;
        decision.ran = false;
        decision.why = why.clone();
        run.policy.open = false;
        return Ok(());
    }
    let memory = setup.memory.as_deref();
    if let Some(memory) = memory {
        run.known = sticky::known(transcript, run.view.texts, memory.is_structural())?;
        let spares_open = setup.settings.keeps_newest();
        let (proposal, gone) = sticky::replay(&run.view, &run.known, memory, spares_open)?;
        run.gone = gone;
        run.accept_earlier(sticky::NAME, proposal);
    }
    // Cuts that the agent recorded are used only until there is a state.
    if memory.is_none_or(|memory| memory.prefix.is_none()) && !transcript.projections.is_empty() {
        run.accept_earlier(marker::NAME, marker::replay(&run.view)?);
    }
    Ok(())
}

/// Finds the state of the provider's cache, if a pass asks for it.
fn look_at_cache(run: &mut Run<'_>) -> Result<()> {
    let setup = run.setup;
    let policy = &mut run.policy;
    let asks_cache = asks_cache(run.view.transcript, policy, setup);
    policy.decision.is_timed = is_timed(policy, setup, &run.row, asks_cache);
    if asks_cache {
        let idle = policy.decision.idle_ms;
        run.view.cache = Some(cache_state(&run.view, &run.row, idle, setup, run.long)?);
        if !run.priced {
            let model = match &run.report.model {
                Some(id) => format!("{id:?} has no price"),
                None => "no model is named".to_owned(),
            };
            let [named, priced] = ["model", "replay.prices"].map(setup.naming);
            let warning = format!(
                "{model}: cuts are weighed by the ratios of prices that are usual for the provider; {named} names a model, {priced} gives prices"
            );
            run.report.warnings.push(Warning::new(warning));
        }
    }
    Ok(())
}

/// Handles the thinking that the cuts make invalid.
fn bind_thinking(run: &mut Run<'_>) -> Result<()> {
    let settings = &run.setup.settings;
    let ttl = ttl_disagrees(settings, &run.policy.decision, run.lifetime);
    let (_, model) = provider_and_model(run.view.transcript, settings);
    run.report.warnings.extend(ttl.map(Warning::new));
    thinking::apply(&mut run.view, settings.thinking, model, &mut run.report)?;
    if run.view.new_cuts().any(|cut| cut.pass == thinking::NAME) {
        run.note(thinking::NAME, &Proposal::default());
    }
    Ok(())
}

/// Adds a cache mark at the end of the cached prompt before the first cut, so that the provider
/// finds its entry.
fn add_mark(run: &mut Run<'_>) -> Result<()> {
    let view = &run.view;
    let first = view.new_cuts().next();
    let cache = view.cache.as_ref().filter(|cache| !cache.is_cold);
    let (Some(first), Some(cache)) = (first, cache) else {
        return Ok(());
    };
    let prompt = prompt_before(cache, first.message).filter(|_| view.outside().is_empty());
    if let Some((prompt, long)) = prompt.zip(cache.free_mark) {
        let changes = added(view, prompt, long)?;
        if !changes.is_empty() {
            run.marked = view
                .transcript
                .messages
                .get(prompt as usize - 1)
                .map(|message| message.number);
        }
        for change in changes {
            run.view.change(change);
        }
    }
    Ok(())
}

fn edit(run: &mut Run<'_>) -> Result<()> {
    run.edits = Edits::of(&run.view)?;
    Ok(())
}

/// Makes the state for the session's next run.
fn learn(run: &mut Run<'_>, origin: Origin) -> Result<()> {
    let setup = run.setup;
    let Some(memory) = setup.memory.as_deref() else {
        return Ok(());
    };
    let settings = &setup.settings;
    let now = setup.clock.now;
    let transcript = run.view.transcript;
    let length = transcript.messages.len();
    let steps = settings.edits.iter().map(|step| step.kind.name());
    let asked = run
        .report
        .context_management
        .iter()
        .flat_map(|done| &done.applied_edits);
    let passes = setup
        .passes
        .iter()
        .filter(|pass| pass.clocked || pass.is_weighed(settings, transcript.layout))
        .map(|pass| pass.name);
    let steps = steps.chain(asked.map(|edit| edit.pass));
    let waiting: Vec<&str> = passes.chain(steps).collect();
    let prefix = output::prefix(run, origin)?;
    let known = std::mem::take(&mut run.known);
    let view = &run.view;
    let mut learned = sticky::new_state(view, known, &waiting, now)?;
    learned.gone = std::mem::take(&mut run.gone);
    // A body is sent: what that costs is told for every policy. A log may be read many times.
    let is_sent = run.priced && transcript.layout == Layout::Body && view.cache.is_none();
    let idle = run.policy.decision.idle_ms;
    let found = match is_sent {
        true => Some(cache_state(view, &run.row, idle, setup, run.long)?),
        false => None,
    };
    let cache = view.cache.as_ref().or(found.as_ref());
    learned.ledger = with_request(memory.ledger, view, cache, setup);
    let before = memory.ends.last().map_or(u32::MAX, |end| end.length);
    learned.again = needed_again(view, before)?;
    learned.stable = memory.prefix.as_ref().map(|last| prefix.shared(last));
    learned.prefix = prefix;
    // If no message is removed, the numbers of messages are those of the input.
    let is_whole = run.messages.is_none_or(|messages| messages == length);
    let same = match learned.stable.filter(|_| is_whole) {
        Some(stable) => stable.messages as u32,
        None => view.new_cuts().next().map_or(u32::MAX, |cut| cut.message),
    };
    // What the server clears is whole in the output.
    let mut served = view
        .new_cuts()
        .filter(|cut| cut.action.by_server().is_some());
    let same = served.next().map_or(same, |cut| cut.message.min(same));
    learned.ends = ends_with(&memory.ends, same, length as u32, now);
    run.learned = Some(learned);
    Ok(())
}

fn complete_report(run: &mut Run<'_>) -> Result<()> {
    let view = &run.view;
    let setup = run.setup;
    let report = &mut run.report;
    report.decision = run.policy.decision.clone();
    report::complete(
        report,
        view,
        &run.edits,
        (setup.detail, &setup.settings.resources),
    )?;
    report.after.messages = run.messages.map_or(report.before.messages, |n| n as u64);
    report.cache = CacheCost {
        marked: run.marked,
        ..cache_cost(
            view,
            report.decision.idle_ms,
            run.long,
            &run.row,
            run.priced,
        )
    };
    report.betas = betas(view);
    if !report.betas.is_empty() {
        let names = report.betas.join(",");
        let text = format!("the request needs the header anthropic-beta: {names}");
        report.warnings.push(Warning::new(text));
    }
    // A later pass may have cut what was ranked.
    report.reranked.retain(|list| {
        let cut = list.block.and_then(|block| view.cut(block));
        cut.is_none_or(|cut| matches!(cut.action, Action::Rewrite(_)))
    });
    run.cap.report(setup, report);
    let decision = &mut report.decision;
    if !view.is_whole() {
        decision.notes.clear();
    }
    for (names, note) in &decision.notes {
        decision.why += &format!("; {names}: {note}");
    }
    let codes = match setup.task {
        Task::Prune => Vec::new(),
        _ => uncertain(view.transcript, view.texts),
    };
    if !codes.is_empty() {
        let named = view.transcript.model.is_some() || view.transcript.service.is_some();
        let (what, flag) = if named {
            ("host", "provider")
        } else {
            ("model", "model")
        };
        let flag = (setup.naming)(flag);
        let text = format!(
            "not checked: {}; some {what}s refuse this, and none is named: name the {what} with {flag}",
            codes.join(", ")
        );
        report.warnings.push(Warning::new(text));
    }
    Ok(())
}
