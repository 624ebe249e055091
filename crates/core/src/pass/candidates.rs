//! Selects the results that soft-trim and hard-clear may cut, as OpenClaw does.
//!
//! A result is a candidate if it comes after the first message that a user wrote and before the
//! last `keepLastAssistants` assistant messages, its tool is allowed, and, with `images: "skip"`,
//! it has no image. A message of the user that contains only results, as in Anthropic's bodies,
//! does not count as written by a user.

use super::{protection::UserProtection, *};
use crate::{
    edit::{Reach, ToolUse},
    settings::Images,
    transcript::Block,
};

/// Results in reach, oldest first, and those that a rule excludes.
pub type CandidatesAndSkips = (Vec<Part>, Vec<Skip>);

/// The results between the first message that a user wrote and the last assistant messages that
/// `contextPruning` keeps.
///
/// # Errors
/// The transcript has too few assistant messages, or no user's; or the input cannot be read any
/// more.
pub fn candidates(
    view: &View<'_>,
    settings: &Settings,
    pass: &'static str,
) -> Result<CandidatesAndSkips, Rest> {
    let keep = settings.context_pruning.keep_last_assistants;
    candidates_before(view, settings, (keep, false), pass)
}

/// The results between the first message that a user wrote and the last `keep` assistant messages;
/// `clears`: for a pass that removes all that a result holds.
///
/// # Errors
/// The transcript has too few assistant messages, or no user's; or the input cannot be read any
/// more.
pub fn candidates_before(
    view: &View<'_>,
    settings: &Settings,
    (keep, clears): (usize, bool),
    pass: &'static str,
) -> Result<CandidatesAndSkips, Rest> {
    let (tools, images) = (
        &settings.context_pruning.tools,
        settings.context_pruning.images,
    );
    let end = cutoff(view, keep)?;
    let protection = UserProtection::new(view, settings)?;
    let start = view
        .left()
        .find(|&i| is_question(view, i))
        .ok_or("no user message")?;
    let reaches = view.reaches_left();
    let known = reaches.map(|reaches| reaches.of((pass, 0), end));
    let Reach { end: seen, open } = known.unwrap_or_default();
    let mut candidates: Vec<Part> = open.iter().filter_map(|one| one.result).collect();
    let mut skipped = Vec::new();
    let why = |index| {
        let tool = view.tool(index);
        if let Some(why) = protection.reason(index) {
            Some(why.to_owned())
        } else if !wildcard::allows(&tools.allow, &tools.deny, tool) {
            Some(format!("the tool {tool:?} is not allowed"))
        } else {
            exclusion(view, index, images, clears).map(str::to_owned)
        }
    };
    // In a message of another role, a result is not a result to the provider, and counts
    // differently.
    let has_results =
        |i: &usize| matches!(view.transcript.messages[*i].role, Role::User | Role::Tool);
    for i in (start.max(seen)..end).filter(has_results) {
        for index in view.left_of(i, BlockKind::Result) {
            let at = (i as u32, index);
            match why(index) {
                None => candidates.push(at),
                Some(why) => skipped.push(view.skip(pass, at, why)),
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

/// Whether message `i` is a user's own words.
pub fn is_question(view: &View<'_>, i: usize) -> bool {
    view.transcript.messages[i].role == Role::User && !view.transcript.is_only_results(i)
}

/// Returns why the content of the result at `index` may not be cut, if so. A result that is cleared
/// loses all content, and needs no text; content that defines tools for later calls stays.
pub fn exclusion(
    view: &View<'_>,
    index: u32,
    images: Images,
    clears: bool,
) -> Option<&'static str> {
    let children = view.children(index);
    let holds = |kind| children.iter().any(|child| child.kind == kind);
    let is_known = |kind| {
        matches!(
            kind,
            BlockKind::Text | BlockKind::Malformed | BlockKind::Image
        )
    };
    // Blocks beside the content would stay.
    let content = view.transcript.link_at(index).content;
    let is_inside =
        |child: &Block| content.start <= child.span.start && child.span.end <= content.end;
    let defines_tools = |child: &Block| {
        let message = view.transcript.message_with(index);
        child.kind == BlockKind::Other
            && message
                .bytes(view.texts, child.span)
                .is_ok_and(|block| memchr::memmem::find(&block, b"\"tool_reference\"").is_some())
    };
    if view.block(index).flags.has(Flags::ABSENT) {
        Some("it has no content")
    } else if !children
        .iter()
        .all(|child| is_known(child.kind) || clears && is_inside(child))
    {
        Some("it holds a block that is neither text nor image")
    } else if children.iter().any(defines_tools) {
        Some("it defines tools for later calls")
    } else if children.len() > 1 && children.iter().any(|c| c.flags.has(Flags::CACHE_MARK)) {
        Some("a block in it carries a cache mark")
    } else {
        (images == Images::Skip && holds(BlockKind::Image)).then_some("it holds an image")
    }
}
