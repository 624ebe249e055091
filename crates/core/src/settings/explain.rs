//! A step of `edits` as one plain sentence: when it acts, what it does, and what it leaves alone.

use super::amounts::{Amount, Keep, Stop, Unit};
use super::duration::spoken_duration;
use super::keys::{Contents, Duplicates, Errors, Exemption, Form, Images, Start, Step, StepType};
use super::steps::WhichInputs;

/// Describes a step in one sentence.
pub fn sentence(step: &Step) -> String {
    let mut text = trigger(step) + &action(step);
    if step.keep.as_ref().is_some_and(|keep| keep.amount.number.is_infinite()) {
        return text + ".";
    }
    let exceptions = exceptions(step);
    if !exceptions.is_empty() {
        text.push_str(&format!(", except {}", listed(&exceptions)));
    }
    if let Some(polling) = step.polling.filter(|polling| *polling > 1) {
        text.push_str(&format!(", {polling} at a time"));
    }
    text.push_str(&match step.until {
        Stop::All => String::new(),
        Stop::Freed(amount) => format!(", the oldest first, until {} are removed", counted(amount)),
        Stop::Fits { amount, below } => {
            let op = if below { "less than" } else { "at most" };
            match amount.unit {
                Unit::ContextFraction => format!(", the oldest first, until the context fills {op} {}", counted(amount)),
                Unit::InputTokens => format!(", the oldest first, until the context has {op} {}", counted(amount)),
                _ => format!(", the oldest first, until the results have {op} {}", counted(amount)),
            }
        }
    });
    if let Some(least) = &step.clear_at_least {
        let batches = if least.batches { "in batches that remove" } else { "only if that removes" };
        text.push_str(&format!(", {batches} at least {}", counted(least.amount)));
    }
    if let Some(least) = step.candidates_hold {
        text.push_str(&format!(", only if these have at least {}", counted(least)));
    }
    if step.only_if_line_shrinks {
        text.push_str(", only where the line in the file becomes shorter");
    } else if step.only_if_smaller.is_some() {
        text.push_str(", only where they become shorter");
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

fn action(step: &Step) -> String {
    let which = which(step);
    if step.keep.as_ref().is_some_and(|keep| keep.amount.number.is_infinite()) {
        return match step.kind {
            StepType::ClearThinking => "keeps all reasoning".to_owned(),
            StepType::DropToolCalls => format!("keeps all calls and their {which}"),
            _ => format!("keeps all {which}"),
        };
    }
    match step.kind {
        StepType::ClearThinking => "removes reasoning".to_owned(),
        StepType::DropLastAnswers => "removes answers at the end of a body".to_owned(),
        StepType::DropToolCalls => {
            let note = step.note.as_ref().map(|note| format!(", and leaves the text {note:?} of each")).unwrap_or_default();
            format!("removes calls and their {which}{note}")
        }
        StepType::TruncateToolResults | StepType::TruncateTexts => shortening(step, &which),
        StepType::ClearToolResults => clearing(step, &which),
    }
}

/// Returns the content that the step changes, in words.
fn which(step: &Step) -> String {
    let name = match (step.kind, step.errors) {
        (StepType::TruncateTexts, _) => "texts of messages",
        (_, Errors::Only) => "failed results",
        _ => "results",
    };
    let tools = match &step.tools[..] {
        [] => String::new(),
        tools if tools.iter().any(|tool| tool == "*") => String::new(),
        tools => format!(" of {}", listed(tools)),
    };
    let contents = match step.contents {
        Contents::Any => "",
        Contents::String => " that are one text",
        Contents::List => " that are lists",
    };
    let again = match (step.duplicates, step.kind) {
        (None, _) => "",
        (Some(_), StepType::TruncateTexts) => " that come again later",
        (Some(Duplicates::SameCall), _) => " whose calls are made again later",
        (Some(Duplicates::SameContent), _) => " that come again later",
    };
    format!("{name}{tools}{contents}{again}")
}

fn clearing(step: &Step, which: &str) -> String {
    let inputs = match (&step.clear_tool_inputs, &step.input_placeholder) {
        (WhichInputs::None, _) => None,
        (inputs, text) => {
            let of = if let WhichInputs::Of(tools) = inputs { format!(" of {}", listed(tools)) } else { String::new() };
            let what = match (&step.input_members[..], text) {
                ([], Some(_)) => "texts in the arguments".to_owned(),
                ([], None) => "the arguments".to_owned(),
                (names, _) => format!("the arguments {}", listed(names)),
            };
            let new = text.as_ref().map_or_else(|| "an empty object".to_owned(), |text| format!("{text:?}"));
            Some((what, of, new))
        }
    };
    match (&step.placeholder, inputs) {
        (None, None) => "does nothing".to_owned(),
        (None, Some((what, of, new))) => format!("replaces {what} of calls{of} with {new}, for {which}"),
        (Some(text), None) => format!("replaces {which} with {text:?}"),
        (Some(text), Some((what, of, new))) => format!("replaces {which} with {text:?}, and {what} of their calls{of} with {new}"),
    }
}

fn shortening(step: &Step, which: &str) -> String {
    let over = |over: Option<Amount>| over.map(|over| format!(" of more than {}", counted(over))).unwrap_or_default();
    let which = format!("{which}{}", over(step.over));
    match step.form {
        Form::Masked => return format!("replaces {which} with a preview of them"),
        Form::Condensed => return format!("removes white space of JSON, and unchanged lines of diffs, from {which}"),
        Form::Plain | Form::Outline => {}
    }
    let mut text = shortened(&which, (step.head, step.tail, step.note.as_deref()));
    for limit in &step.or {
        let other = shortened(&format!("others{}", over(limit.over)), (limit.head, limit.tail, limit.note.as_deref()));
        text.push_str(&format!("; {other}"));
    }
    text
}

fn shortened(which: &str, (head, tail, note): (Option<Amount>, Option<Amount>, Option<&str>)) -> String {
    let part = |name: &str, amount: Option<Amount>| amount.filter(|amount| amount.number > 0.0).map(|a| format!("{name} {}", counted(a)));
    let kept: Vec<String> = [part("first", head), part("last", tail)].into_iter().flatten().collect();
    match (&kept[..], note) {
        ([], note) => format!("replaces {which} with {:?}", note.unwrap_or("[... {removed} removed ...]")),
        (kept, None) => format!("cuts {which} to their {}", listed(kept)),
        (kept, Some(note)) => format!("cuts {which} to their {} with the note {note:?}", listed(kept)),
    }
}

/// Returns the content that the step keeps, in words.
fn exceptions(step: &Step) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if step.start == Start::FirstUserMessage {
        found.push("those before the first message of the user".to_owned());
    }
    found.extend(step.spare.as_ref().and_then(|spare| newest(step, spare)));
    found.extend(step.keep.as_ref().and_then(|keep| newest(step, keep)));
    if !step.exclude_tools.is_empty() {
        found.push(format!("those of {}", listed(&step.exclude_tools)));
    }
    if step.errors == Errors::Keep {
        found.push("failed ones".to_owned());
    }
    if step.empty == Exemption::Keep {
        found.push("empty ones".to_owned());
    }
    if let Some(over) = step.over.filter(|_| !matches!(step.kind, StepType::TruncateToolResults | StepType::TruncateTexts)) {
        found.push(format!("those of {} or fewer", counted(over)));
    }
    if step.images == Some(Images::Skip) {
        found.push("those with images".to_owned());
    }
    if step.newest_result == Exemption::Keep {
        found.push("the newest result in any case".to_owned());
    }
    if step.newest_message == Exemption::Keep {
        found.push("those in the newest message".to_owned());
    }
    if step.kind == StepType::DropToolCalls && step.unread == Exemption::Keep {
        found.push("those that the model has not read".to_owned());
    }
    found
}

/// The newest of what stays; none where that is nothing.
fn newest(step: &Step, keep: &Keep) -> Option<String> {
    let amount = keep.amount;
    let one = amount.number == 1.0;
    let n = number(amount.number);
    let since = |name: &str| {
        if one { format!("those since the newest {name}") } else { format!("those since the {} newest {name}", ordinal(amount.number)) }
    };
    Some(match (amount.unit, amount.number) {
        (_, 0.0) => return None,
        (unit, _) if step.kind == StepType::ClearThinking && unit != Unit::Messages && unit != Unit::AllMessages => {
            let with = if unit == Unit::ThinkingTurns { " with reasoning" } else { "" };
            if one { format!("that of the newest answer{with}") } else { format!("that of the newest {n} answers{with}") }
        }
        (Unit::ToolResults | Unit::ToolUses, _) => {
            let name = if step.kind == StepType::DropToolCalls { "call" } else { "result" };
            let counted = if keep.before_exclusions { " (counted with those that are left alone)" } else { "" };
            if one { format!("the newest {name}{counted}") } else { format!("the newest {n} {name}s{counted}") }
        }
        (Unit::Tokens | Unit::Chars, _) => format!("the newest {} of them", counted(amount)),
        (Unit::UserTurns, _) => since("message of the user"),
        (Unit::AssistantMessages, _) => since("answer"),
        (Unit::CallingMessages, _) => since("message with a call"),
        (Unit::Turns, _) => since("turn"),
        _ => since("message"),
    })
}

/// The place of a number in a row: 2nd, 10th.
fn ordinal(number: f64) -> String {
    let end = match (number % 10.0, number % 100.0) {
        (_, 11.0 | 12.0 | 13.0) => "th",
        (1.0, _) => "st",
        (2.0, _) => "nd",
        (3.0, _) => "rd",
        _ => "th",
    };
    format!("{}{end}", self::number(number))
}

/// Names in a row, the last two with `and` between them.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn counted(amount: Amount) -> String {
    let n = number(amount.number);
    let name = match amount.unit {
        Unit::ContextFraction => return format!("{} of the window", amount.number),
        Unit::InputTokens => "tokens".to_owned(),
        Unit::ToolResults | Unit::ToolUses => "results".to_owned(),
        unit => unit.name().replace('_', " "),
    };
    if amount.number == 1.0 { format!("{n} {}", name.trim_end_matches('s')) } else { format!("{n} {name}") }
}

/// Returns a number with commas.
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
