//! soft-trim and hard-clear: the settings of `contextPruning`, run as two steps.
//!
//! **What.** When the context fills `softTrimRatio` of the window, every candidate (`candidates`) of more than `softTrim.maxChars`
//! UTF-16 units is replaced by its first `headChars` and last `tailChars` and a note with its size. With `images: "prune"` the images
//! of a candidate are replaced by a marker as well, whatever its size. When the context then still fills `hardClearRatio` and the
//! candidates have at least `minPrunableToolChars`, they are cleared from the oldest on until the ratio is met. The aggressive mode
//! clears all of them without either condition.
//!
//! **Why.** Most of a transcript is old tool output. Its beginning and end are its most useful parts, and the tool can be run again.
//!
//! **Safety.** The call and its result stay a pair; only the text of results changes. Cuts fall between characters. A result that
//! already has the note, or is the placeholder, is left alone, so that a second run changes nothing. A result that is not longer than
//! the placeholder is left alone (`skipShorter`); the original program clears it, and so does every preset.
//!
//! ```text
//! before   {"type":"text","text":"AAAAAAAA…ZZZZZZZZ"}
//! trimmed  {"type":"text","text":"AAA\n...\nZZZ\n\n[Tool result trimmed: kept first 3 chars and last 3 chars of 9000 chars.]"}
//! cleared  {"type":"text","text":"[Old tool result content cleared]"}
//! ```

use super::rules::{Rules, Shape};
use super::{StepContext, ends, step};
use crate::Error;
use crate::edit::{Action, Proposal, View};
use crate::pass::dependencies::Part;
use crate::pass::{Pass, Rest, note, too_small};
use crate::settings::{
    Amount, ContextPruning, Counting, Keep, Measure, Mode, PruningRules, Settings, Size, Step,
    StepType, Stop, Unit, word,
};

/// The row of soft-trim.
pub const SOFT_TRIM: Pass = Pass {
    name: "soft-trim",
    about: "keep head and tail of large old tool results",
    on: |settings| settings.edits.is_empty(),
    clocked: true,
    size: None,
    plan: soft_trim,
};

/// The row of hard-clear.
pub const HARD_CLEAR: Pass = Pass {
    name: "hard-clear",
    about: "replace the oldest tool results by a placeholder",
    on: |settings| settings.edits.is_empty(),
    clocked: true,
    size: None,
    plan: hard_clear,
};

/// The settings that state a step. Reports have the name and the words of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `edits`, or a body.
    Edits,
    /// `contextPruning.softTrim`.
    SoftTrim,
    /// `contextPruning.hardClear`.
    HardClear,
}

impl Origin {
    /// The name of the step in reports.
    pub fn name(self, step: &Step) -> &'static str {
        match self {
            Origin::Edits => step.kind.name(),
            Origin::SoftTrim => SOFT_TRIM.name,
            Origin::HardClear => HARD_CLEAR.name,
        }
    }

    /// The reason of a cut that has none of its own.
    pub fn reason(self, step: &Step) -> String {
        match (self, step.until) {
            (Origin::HardClear, Stop::Fits(ratio)) => {
                format!(
                    "the trimmed context fills hardClearRatio {} of the window or more",
                    ratio.number
                )
            }
            (Origin::HardClear, _) => "aggressive mode".to_owned(),
            _ => format!("edits: {}", step.kind.name()),
        }
    }

    /// The note that candidates of `sum` are less than `least`.
    pub fn too_few(self, sum: f64, least: Size) -> String {
        match self {
            Origin::HardClear => {
                let (sum, least) = (sum as u64, least.number as u64);
                format!(
                    "the results that may be cleared have {sum} chars, less than minPrunableToolChars {least}"
                )
            }
            _ => format!(
                "candidates have {sum:.0} {}, less than candidates_hold {}",
                word(least.unit),
                least.number
            ),
        }
    }
}

fn soft_trim(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Rest> {
    let pruning = &settings.context_pruning;
    match mode {
        Mode::Off | Mode::BreakEven => return Ok(Proposal::default()),
        Mode::Aggressive => return Ok(note("the aggressive mode clears and does not trim")),
        _ => {}
    }
    let ratio = view.ratio();
    if ratio < pruning.soft_trim_ratio {
        return Ok(note(too_small(
            ratio,
            "pruning",
            pruning.soft_trim_ratio,
            "softTrimRatio",
        )));
    }
    let clears =
        HARD_CLEAR.is_on(settings) && pruning.hard_clear.enabled && is_large(view, pruning);
    let next = clears.then(|| clearing(pruning));
    let context = StepContext {
        mode,
        idle: None,
        asked: false,
        number: 0,
        origin: Origin::SoftTrim,
        next: next.as_ref(),
    };
    step(view, settings, &trimming(pruning), context)
}

fn hard_clear(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Rest> {
    let pruning = &settings.context_pruning;
    let (ratio, before) = (view.ratio(), view.fill(view.chars_after_earlier()));
    let wanted = match mode {
        Mode::Off | Mode::BreakEven => return Ok(Proposal::default()),
        Mode::Aggressive => Step {
            until: Stop::All,
            candidates_hold: None,
            ..clearing(pruning)
        },
        _ if !pruning.hard_clear.enabled => return Ok(note("hardClear.enabled is false")),
        _ if !is_large(view, pruning) => {
            return Ok(note(too_small(
                before,
                "pruning",
                pruning.soft_trim_ratio,
                "softTrimRatio",
            )));
        }
        _ if ratio < pruning.hard_clear_ratio => {
            return Ok(note(too_small(
                ratio,
                "clearing",
                pruning.hard_clear_ratio,
                "hardClearRatio",
            )));
        }
        _ => clearing(pruning),
    };
    let context = StepContext {
        mode,
        idle: None,
        asked: false,
        number: 1,
        origin: Origin::HardClear,
        next: None,
    };
    step(view, settings, &wanted, context)
}

/// Whether the context is large enough to be trimmed, without the cuts of this run. As in the original, what is too small to trim is
/// too small to clear.
fn is_large(view: &View<'_>, pruning: &ContextPruning) -> bool {
    view.fill(view.chars_after_earlier()) >= pruning.soft_trim_ratio
}

/// Trims the result at `at` as soft-trim does. Returns the action and the chars that it leaves; `None` if there is nothing to trim.
///
/// # Errors
/// The input cannot be read any more.
pub fn trimmed(
    view: &View<'_>,
    at: Part,
    pruning: &ContextPruning,
) -> Result<Option<(Action, u64)>, Error> {
    let Rules {
        shape: Shape::Ends(rule, _),
        ..
    } = Rules::of(view, &trimming(pruning), 0)
    else {
        return Ok(None);
    };
    let new = if ends::is_flagged(view, at) {
        None
    } else {
        rule.shortened(view, at)?
    };
    Ok(new.map(|new| (new.action, new.chars)))
}

/// The step that is soft-trim.
pub fn trimming(pruning: &ContextPruning) -> Step {
    let sizes = &pruning.soft_trim;
    let note = format!(
        "{{head}}\n...\n{{tail}}\n\n[Tool result trimmed: kept first {} chars and last {} chars of {{chars}} chars.]",
        sizes.head_chars, sizes.tail_chars
    );
    Step {
        kind: StepType::TruncateToolResults,
        over: Some(chars(sizes.max_chars)),
        head: Some(chars(sizes.head_chars)),
        tail: Some(chars(sizes.tail_chars)),
        note: Some(note),
        ..both(pruning)
    }
}

/// The step that is hard-clear.
fn clearing(pruning: &ContextPruning) -> Step {
    Step {
        until: Stop::Fits(Amount {
            unit: Unit::ContextFraction,
            number: pruning.hard_clear_ratio,
        }),
        candidates_hold: Some(chars(pruning.min_prunable_tool_chars))
            .filter(|least| least.number > 0.0),
        ..both(pruning)
    }
}

fn both(pruning: &ContextPruning) -> Step {
    let keep = Amount {
        unit: Unit::AssistantMessages,
        number: pruning.keep_last_assistants as f64,
    };
    Step {
        keep: Some(Keep {
            amount: keep,
            before_exclusions: false,
        }),
        tools: pruning.tools.allow.clone(),
        exclude_tools: pruning.tools.deny.clone(),
        placeholder: pruning.hard_clear.placeholder.clone(),
        estimator: Counting::Chars,
        pruning: Some(PruningRules {
            images: pruning.images,
            skip_shorter: pruning.hard_clear.skip_shorter,
        }),
        ..Step::default()
    }
}

fn chars(number: u64) -> Size {
    Size {
        unit: Measure::Chars,
        number: number as f64,
    }
}
