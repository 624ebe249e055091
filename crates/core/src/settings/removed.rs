//! Names that earlier versions had, and what to use instead.

/// A name that is not there any more.
#[derive(Debug)]
pub struct Removed {
    /// `preset`, `key` or `step` (a member of a step of `edits`).
    pub kind: &'static str,
    /// The name.
    pub name: &'static str,
    /// The replacement, to follow "use".
    pub instead: &'static str,
}

const fn row(kind: &'static str, name: &'static str, instead: &'static str) -> Removed {
    Removed { kind, name, instead }
}

/// All removed names.
pub const REMOVED: &[Removed] = &[
    row("preset", "ca-prune", TRUNCATE),
    row("preset", "cissor-trim", TRUNCATE),
    row("preset", "cloudflare", TRUNCATE),
    row("preset", "codex-truncation-bytes", TRUNCATE),
    row("preset", "cozempic-age", "the preset swe-agent-last-n, or edits with clear_tool_results and keep"),
    row("preset", "cozempic-clamp", TRUNCATE),
    row("preset", "cozempic-mega-block", TRUNCATE),
    row("preset", "dcp-dedupe", "edits with clear_tool_results and duplicates: \"same_call\""),
    row("preset", "gemini-cli-masking", "the preset opencode-prune"),
    row("preset", "heartbit-core", TRUNCATE),
    row("preset", "inspect-edit", "edits with clear_thinking, and clear_tool_results with keep: {tool_uses: 3}"),
    row("preset", "openai-agents-trimmer", TRUNCATE),
    row("preset", "vercel-prune-messages", "edits with clear_thinking and drop_tool_calls"),
    row("step", "contents", "over, tools or errors to choose results"),
    row("step", "folder", "head, tail and note"),
    row("step", "form", "head, tail and note"),
    row("step", "images", "contextPruning.images"),
    row("step", "input_members", "clear_tool_inputs"),
    row("step", "input_placeholder", "clear_tool_inputs"),
    row("step", "newest_message", "spare or newest_result"),
    row("step", "note_fits", "a smaller head"),
    row("step", "only_if_line_shrinks", "over"),
    row("step", "only_if_smaller", "over"),
    row("step", "or", "another step with its own over"),
    row("step", "shells", "tools"),
    row("step", "start", "the settings of contextPruning"),
    row("step", "unread", "a selection by hand"),
];

const TRUNCATE: &str = "the preset codex-truncation, or edits with truncate_tool_results";

/// The replacement of a removed name of this kind; `None` where it is none.
pub fn instead(kind: &str, name: &str) -> Option<&'static str> {
    REMOVED.iter().find(|row| row.kind == kind && row.name == name).map(|row| row.instead)
}
