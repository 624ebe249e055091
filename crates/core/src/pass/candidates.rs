//! Selects the results that soft-trim and hard-clear may cut, as OpenClaw does.
//!
//! A result is a candidate if it comes after the first message that a user wrote and before the last `keepLastAssistants` assistant
//! messages, its tool is allowed, and, with `images: "skip"`, it has no image. A message of the user that contains only results, as
//! in Anthropic's bodies, does not count as written by a user.

use super::Rest;
use super::dependencies::Part;
use super::protection::UserProtection;
use crate::diagnostics::Skip;
use crate::edit::{Reach, ToolUse, View};
use crate::settings::{Images, Settings, Tools};
use crate::transcript::{BlockKind, Flags, Role};
use crate::wildcard;

/// The results in reach, oldest first, and those that would be but for a rule about them.
///
/// # Errors
/// The transcript has too few assistant messages, or no user's; or the input cannot be read any more.
pub fn candidates(
    view: &View<'_>,
    settings: &Settings,
    pass: &'static str,
) -> Result<CandidatesAndSkips, Rest> {
    let keep = settings.context_pruning.keep_last_assistants;
    candidates_before(view, settings, keep, pass)
}

/// The same, before the last `keep` assistant messages.
///
/// # Errors
/// As [`candidates`].
pub fn candidates_before(
    view: &View<'_>,
    settings: &Settings,
    keep: usize,
    pass: &'static str,
) -> Result<CandidatesAndSkips, Rest> {
    let pruning = &settings.context_pruning;
    let end = cutoff(view, keep)?;
    let protection = UserProtection::of_results(view, settings)?;
    within(view, end, &pruning.tools, pruning.images, &protection, pass)
}

/// Results in reach, and those that would be but for a rule about them.
pub type CandidatesAndSkips = (Vec<Part>, Vec<Skip>);

/// The results between the first message that a user wrote and message `end`, and those that would be but for a rule about them.
///
/// # Errors
/// There is no such message.
pub fn within(
    view: &View<'_>,
    end: usize,
    tools: &Tools,
    images: Images,
    user_protection: &UserProtection,
    pass: &'static str,
) -> Result<CandidatesAndSkips, Rest> {
    let start = view.left().find(|&i| is_question(view, i));
    let start = start.ok_or("no user message")?;
    let reaches = view.reaches.filter(|_| !view.has_removals());
    let known = reaches.map(|reaches| reaches.of((pass, 0), end));
    let Reach { end: seen, open } = known.unwrap_or_default();
    let mut candidates: Vec<Part> = open.iter().filter_map(|one| one.result).collect();
    let mut skipped = Vec::new();
    // In a message of any other role a result is no result to the provider, and counts otherwise.
    let has_results =
        |i: &usize| matches!(view.transcript.messages[*i].role, Role::User | Role::Tool);
    for i in (start.max(seen)..end).filter(has_results) {
        for (index, _) in view
            .parts_left(i)
            .filter(|(_, block)| block.kind == BlockKind::Result)
        {
            let protected = user_protection.reason(index).map(str::to_owned);
            match protected.or_else(|| exclusion(view, index, tools, images)) {
                None => candidates.push((i as u32, index)),
                Some(why) => skipped.push(view.skip(pass, (i as u32, index), why)),
            }
        }
    }
    if let Some(reaches) = reaches {
        let open = candidates.iter().copied().map(ToolUse::of_result).collect();
        reaches.note((pass, 0), Reach { end, open });
    }
    Ok((candidates, skipped))
}

/// Index of the `keep`-th assistant message from the end; the end itself when none is kept.
///
/// # Errors
/// There are fewer.
pub fn cutoff(view: &View<'_>, keep: usize) -> Result<usize, String> {
    let messages = &view.transcript.messages;
    let Some(others) = keep.checked_sub(1) else {
        return Ok(messages.len());
    };
    view.left()
        .rev()
        .filter(|&i| messages[i].role == Role::Assistant && !messages[i].continues)
        .nth(others)
        .ok_or_else(|| format!("fewer than {keep} assistant messages"))
}

/// Whether message `i` is what a user says.
pub fn is_question(view: &View<'_>, i: usize) -> bool {
    view.transcript.messages[i].role == Role::User && !view.transcript.is_only_results(i)
}

/// Why the result at `index` may not be touched, if so.
pub fn exclusion(view: &View<'_>, index: u32, tools: &Tools, images: Images) -> Option<String> {
    let (block, tool) = (view.block(index), view.tool(index));
    if !allows(&tools.allow, &tools.deny, tool) {
        return Some(format!("the tool {tool:?} is not allowed"));
    }
    if block.flags.has(Flags::ABSENT) {
        return Some("it has no content".to_owned());
    }
    let children = view.children(index);
    if children.iter().any(|c| {
        !matches!(
            c.kind,
            BlockKind::Text | BlockKind::Malformed | BlockKind::Image
        )
    }) {
        return Some("it holds a block that is neither text nor image".to_owned());
    }
    if children.len() > 1 && children.iter().any(|c| c.flags.has(Flags::CACHE_MARK)) {
        return Some("a block in it carries a cache mark".to_owned());
    }
    (images == Images::Skip && children.iter().any(|c| c.kind == BlockKind::Image))
        .then(|| "it holds an image".to_owned())
}

/// Whether these lists of patterns let the results of `name` be cut: deny wins, an empty allow list allows all.
pub fn allows(allow: &[String], deny: &[String], name: &str) -> bool {
    if allow.is_empty() && deny.is_empty() {
        return true;
    }
    let name = name.trim().to_lowercase();
    let usable = |list: &[String]| {
        list.iter()
            .map(|p| p.trim().to_lowercase())
            .filter(|p| !p.is_empty())
            .collect::<Vec<_>>()
    };
    let allow = usable(allow);
    !usable(deny).iter().any(|p| wildcard::matches(p, &name))
        && (allow.is_empty() || allow.iter().any(|p| wildcard::matches(p, &name)))
}

/// Whether the result is nothing but the placeholder already.
pub fn is_placeholder(view: &View<'_>, at: Part, placeholder: &str) -> Result<bool, crate::Error> {
    let [child] = view.children(at.1) else {
        return Ok(false);
    };
    // A text has no more units than bytes, so that those of the placeholder are seldom counted.
    let chars = child.chars as usize;
    if child.kind != BlockKind::Text
        || chars > placeholder.len()
        || chars != placeholder.encode_utf16().count()
    {
        return Ok(false);
    }
    Ok(view.text(at.0 as usize, child.span.inside())? == placeholder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let list = |patterns: &[&str]| patterns.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        for (allow, deny, name, want) in [
            (&[][..], &[][..], "exec", true),
            (&["*"], &[], "", true),
            (&["ex*"], &["exec"], "exec", false),
            (&["ex*"], &["exec"], "Exec ", false),
            (&["exec", "read"], &["*image*"], "Read", true),
            (&["exec"], &[], "exec2", false),
            (&[" ", ""], &[], "anything", true),
            (&["a*c*e"], &[], "abcde", true),
            (&["a*c*e"], &[], "ace", true),
            (&["a*c*e"], &[], "ae", false),
            (&["a*a"], &[], "a", false),
            (&["r.d"], &[], "read", false),
            (&["[x]?"], &[], "[x]?", true),
        ] {
            assert_eq!(
                allows(&list(allow), &list(deny), name),
                want,
                "{allow:?} {deny:?} {name}"
            );
        }
    }
}
