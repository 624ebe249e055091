//! A step of `edits` as one plain sentence.

use super::amounts::{Amount, Stop, Unit};
use super::duration::spoken_duration;
use super::keys::{Duplicates, Errors, Exemption, Step, StepType};
use super::steps::WhichInputs;

/// Describes a step in one sentence.
pub fn sentence(step: &Step) -> String {
    let mut text = trigger(step);
    text.push_str(&what(step));
    if let Some(keep) = &step.keep {
        text.push_str(&match keep.amount {
            Amount { number: 0.0, .. } => String::new(),
            amount if amount.number.is_infinite() => ", of which all stay".to_owned(),
            amount => {
                format!(", but the newest {}{}", counted(amount), if keep.before_exclusions { ", what is left out counted" } else { "" })
            }
        });
    }
    if let Some(polling) = step.polling.filter(|polling| *polling > 1) {
        text.push_str(&format!(", {polling} at a time"));
    }
    if step.newest_result == Exemption::Keep {
        text.push_str(", never the newest result");
    }
    text.push_str(&match step.until {
        Stop::All => String::new(),
        Stop::Freed(amount) => format!(", until {} are freed", counted(amount)),
        Stop::Fits { amount, below } => format!(", until {} {} is left", if below { "less than" } else { "at most" }, counted(amount)),
    });
    if let Some(least) = &step.clear_at_least {
        let batches = if least.batches { "in batches that free" } else { "if that frees" };
        text.push_str(&format!(", {batches} at least {}", counted(least.amount)));
    }
    text.push('.');
    text
}

fn trigger(step: &Step) -> String {
    let Some(trigger) = &step.trigger else { return String::new() };
    let op = if trigger.or_equal { "at least" } else { "more than" };
    let amount = trigger.amount;
    match amount.unit {
        Unit::InputTokens => format!("when the context has {op} {} tokens, ", number(amount.number)),
        Unit::ContextFraction => format!("when the context fills {op} {} of the window, ", amount.number),
        Unit::ToolUses => format!("when there are {op} {} calls, ", number(amount.number)),
        Unit::Chars => format!("when the results have {op} {} chars, ", number(amount.number)),
        Unit::Idle => format!("when the last call was {op} {} ago, ", spoken_duration(amount.number as u64)),
        _ => "when it pays for the cache that it breaks, ".to_owned(),
    }
}

fn what(step: &Step) -> String {
    match step.kind {
        StepType::ClearThinking => return "removes reasoning".to_owned(),
        StepType::DropLastAnswers => return "removes answers at the end of a body".to_owned(),
        _ => {}
    }
    let which = match (step.duplicates, step.errors) {
        (None, _) if step.kind == StepType::TruncateTexts => "texts",
        (Some(_), _) if step.kind == StepType::TruncateTexts => "texts that are said again",
        (Some(Duplicates::SameCall), Errors::Only) => "errors of calls that are made again",
        (Some(Duplicates::SameCall), _) => "results of calls that are made again",
        (Some(Duplicates::SameContent), _) => "results that are said again",
        (None, Errors::Only) => "errors",
        (None, _) => "results",
    };
    let mut text = match step.kind {
        StepType::DropToolCalls => format!("removes calls with their {which}"),
        StepType::TruncateToolResults | StepType::TruncateTexts => {
            let over = step.over.map(|over| format!(" over {}", counted(over))).unwrap_or_default();
            let part = |name: &str, amount: Option<Amount>| amount.map(|amount| format!("the {name} {}", counted(amount)));
            let kept: Vec<String> = [part("first", step.head), part("last", step.tail)].into_iter().flatten().collect();
            let kept = if kept.is_empty() { "nothing".to_owned() } else { kept.join(" and ") };
            format!("of {which}{over} keeps {kept}")
        }
        _ => match (&step.placeholder, &step.clear_tool_inputs) {
            (None, WhichInputs::None) => "does nothing".to_owned(),
            (None, _) => match &step.input_placeholder {
                Some(text) => format!("clears arguments of {which} to {text:?}"),
                None => format!("clears the arguments of {which}"),
            },
            (Some(text), inputs) => {
                let inputs = if *inputs == WhichInputs::None { "" } else { " and the arguments of their calls" };
                format!("clears {which}{inputs} to {text:?}")
            }
        },
    };
    if !step.tools.is_empty() {
        text.push_str(&format!(" of {}", step.tools.join(", ")));
    }
    let mut left: Vec<String> = step.exclude_tools.iter().map(|tool| format!("those of {tool}")).collect();
    if step.errors == Errors::Keep {
        left.push("errors".to_owned());
    }
    if step.empty == Exemption::Keep {
        left.push("empty ones".to_owned());
    }
    if step.kind == StepType::DropToolCalls && step.unread == Exemption::Keep {
        left.push("those that the model has not read".to_owned());
    }
    if let Some(over) = step.over.filter(|_| !matches!(step.kind, StepType::TruncateToolResults | StepType::TruncateTexts)) {
        left.push(format!("those of {} or fewer", counted(over)));
    }
    if !left.is_empty() {
        text.push_str(&format!(", without {}", left.join(", ")));
    }
    text
}

fn counted(amount: Amount) -> String {
    match amount.unit {
        Unit::ContextFraction => format!("{} of the window", amount.number),
        unit => format!("{} {}", number(amount.number), unit.name().replace('_', " ")),
    }
}

/// A number with commas.
fn number(number: f64) -> String {
    let digits = format!("{number}");
    let (whole, rest) = digits.split_once('.').map_or((digits.as_str(), String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + &rest
}
