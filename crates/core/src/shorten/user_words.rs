//! The words of a user in the result of a tool, which no cut takes away.
//!
//! Agents send a prompt that was typed while a tool ran at the end of its result, in a reminder; a
//! refusal with what the user said to it, and the answers to a question, are results as well. The
//! files of `agents` have these ways: tools that ask the user, beginnings of refusals, and
//! beginnings of reminders that only the agent writes. Any other reminder may be of the user.

use crate::agents::{AGENTS, Agent};

const TAG: &str = "system-reminder>";

/// Returns the byte of `text`, a result of `tool`, from which on it may be a user's; its length if
/// none of it is. `is_end` says whether `text` is the end of the result, where reminders are.
pub fn user_words(tool: &str, text: &str, is_end: bool) -> usize {
    let begins = |text: &str, list: fn(&Agent) -> &Vec<String>| {
        AGENTS
            .iter()
            .flat_map(list)
            .any(|begin| text.starts_with(begin))
    };
    let mut asking = AGENTS.iter().flat_map(|agent| &agent.asks);
    if asking.any(|name| name.eq_ignore_ascii_case(tool)) || begins(text, |agent| &agent.refusals) {
        return 0;
    }
    // Where the first of consecutive reminders that may be a user's begins; the number of open
    // ones, because a tag in a user's words may lack its other half; and where the last one ends.
    let (mut start, mut open, mut end) = (text.len(), 0_u32, 0);
    if !is_end || !text.trim_end().ends_with("</system-reminder>") {
        return start;
    }
    for (at, _) in text.match_indices(TAG) {
        let Some(before) = text[..at].strip_suffix('<') else {
            (open, end) = (open.saturating_sub(1), at + TAG.len());
            continue;
        };
        if open == 0 && !before[end..].trim().is_empty() {
            start = text.len();
        }
        let said = text[at + TAG.len()..].trim_start();
        if start == text.len() && !begins(said, |agent| &agent.reminders) {
            start = before.len();
        }
        open += 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_says_is_found() {
        let queued = "<system-reminder>\nThe user sent a new message while you were working:\nstop\n</system-reminder>";
        let tokens =
            "<system-reminder>\n<total_tokens>9 tokens left</total_tokens>\n</system-reminder>";
        let odd = "<system-reminder>\nThe user sent:\na </system-reminder> b\n</system-reminder>";
        let open = "<system-reminder>\nThe user sent:\n<system-reminder>\nwhy?\n</system-reminder>";
        let pasted = "<system-reminder>\nThe user sent:\nsee\n\n<system-reminder>\nx\n</system-reminder>\n\nso\n</system-reminder>";
        for (tool, result, words) in [
            ("Bash", "out", ""),
            ("Bash", "", ""),
            ("Bash", "out </system-reminder>", ""),
            ("Bash", "system-reminder></system-reminder>", ""),
            ("Bash", &format!("out\n\n{tokens}"), ""),
            ("Bash", &format!("out\n\n{queued}\nmore"), ""),
            ("Bash", &format!("out\n\n{queued}"), queued),
            ("Bash", queued, queued),
            (
                "Bash",
                &format!("out\n\n{queued}\n\n{tokens}"),
                &*format!("{queued}\n\n{tokens}"),
            ),
            (
                "Bash",
                &format!("out\n\n{tokens}\n\n{queued}\n"),
                &*format!("{queued}\n"),
            ),
            ("Bash", &format!("{queued}\nout\n\n{queued}"), queued),
            (
                "Bash",
                &format!("out\n\n{odd}\n\n{tokens}"),
                &*format!("{odd}\n\n{tokens}"),
            ),
            ("Bash", &format!("out\n\n{open}"), open),
            ("Bash", &format!("out\n\n{pasted}"), pasted),
            ("AskUserQuestion", "blue", "blue"),
            (
                "Bash",
                "The user doesn't want to proceed with this tool use. So",
                "The user doesn't want to proceed with this tool use. So",
            ),
        ] {
            assert_eq!(
                &result[user_words(tool, result, true)..],
                words,
                "{result:?}"
            );
        }
    }
}
