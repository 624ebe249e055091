//! The order of messages and of their contents: E04, E11, E12, E13 and E36.

use super::*;
use crate::transcript::{FirstMessage, LastMessage, SystemPlacement};

/// Finds results after other content, roles in an order that the provider does not accept, and an
/// end that the model cannot continue.
pub fn check(finder: &mut Finder<'_>) {
    if finder.rules.results_first {
        results_first(finder);
    }
    roles(finder);
    end(finder);
}

/// E04. Messages of one role are merged, so that a text of the previous message precedes the
/// results.
fn results_first(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let mut calls = IdSet::with_capacity_and_hasher(transcript.links.len() / 2, Default::default());
    for turn in finder.turns() {
        let asks = transcript.messages[turn.start].role == Role::User;
        let mut behind = false;
        for (index, block) in turn.flat_map(|i| transcript.parts(i)) {
            if block.kind == BlockKind::Call {
                calls.insert(transcript.link(block).call);
            } else if asks && block.kind != BlockKind::Result {
                behind = true;
            } else if asks && behind && calls.contains(&transcript.link(block).call) {
                finder
                    .report("E04", index)
                    .with(&[&transcript.tool_of(block)])
                    .about = transcript.link(block).call;
            }
        }
    }
}

/// E11. Bedrock and Perplexity require user and assistant in turn, Mistral requires results
/// directly after calls.
///
/// Anthropic's own service merges consecutive messages of one role; Converse refuses them for most
/// models. Perplexity's bodies look like OpenAI's, so that the model decides.
fn roles(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let mut before = None;
    let mut spoken = None;
    // Whether the server joins a message to the one of its role before it.
    let may_follow = |i| rules.neighbours_speak && !transcript.has(i, BlockKind::Result);
    for (i, message) in transcript.messages.iter().enumerate() {
        let role = message.role;
        let fault = match (role, rules.system) {
            (Role::System, SystemPlacement::NotAfterAnswer)
                if matches!(before, Some(Role::Assistant | Role::Tool)) =>
            {
                Some("E11 behind an answer")
            }
            (Role::User, _)
                if rules.results_are_answered
                    && before == Some(Role::Tool)
                    && !transcript.is_only_results(i) =>
            {
                Some("E11 user behind a result")
            }
            (Role::System, SystemPlacement::First) if spoken.is_some() => Some("E11 behind others"),
            (Role::System, SystemPlacement::FirstMessage) if before.is_some() => {
                Some("E11 behind another")
            }
            (Role::Tool, _)
                if rules.results_follow_calls
                    && matches!(before, Some(Role::User | Role::System)) =>
            {
                Some("E11 stray result")
            }
            (Role::System | Role::Tool, _) => None,
            _ if !rules.alternates || spoken != Some(role) || may_follow(i) => None,
            (_, SystemPlacement::First) => Some("E11"),
            _ if rules.neighbours_speak => Some("E11 results"),
            _ => Some("E11 successive roles"),
        };
        if let Some(fault) = fault {
            finder.report(fault, i);
        }
        before = Some(role);
        spoken = if role == Role::System { spoken } else { before };
    }
}

/// E12 and E13, for a last message of the assistant. One that waits for a server tool is accepted, and one that ends with the summary of a
/// compaction: the model answers what is in it (the tool runner of Anthropic's SDK 2.14.0 sends nothing else behind a compaction).
fn end(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let messages = &transcript.messages;
    if matches!(rules.ending, LastMessage::Prefix) {
        for i in (0..messages.len().saturating_sub(1)).filter(|i| messages[*i].prefix) {
            finder.report("E12 prefix", i);
        }
    }
    let last = messages.iter().rposition(|m| m.role != Role::System);
    let answers = |last: &usize| messages[*last].role == Role::Assistant;
    let Some(last) = last.filter(|last| answers(last) && !transcript.request.summarizes) else {
        return;
    };
    let final_block = transcript.numbered_blocks_of(last).last();
    // A conversation that consists of one answer begins wrongly, which is reported instead.
    let alone = last == 0 && rules.opening == FirstMessage::User;
    let why = match rules.ending {
        LastMessage::NotAssistant
            if final_block.is_some_and(|(end, _)| !goes_on(finder, last, end)) =>
        {
            Some("this model does not go on from there")
        }
        LastMessage::Prefix if !messages[last].prefix => Some("it is no prefix"),
        _ => None,
    };
    if let Some(why) = why.filter(|_| !alone) {
        let is_first = rules.system == SystemPlacement::First;
        let fault = if is_first { "E12 last message" } else { "E12" };
        finder.report(fault, last).with(&[&format_args!("{why}")]);
    }
    if let Some((index, block)) = final_block.filter(|_| rules.no_trailing_space)
        && block.kind == BlockKind::Text
        && block.flags.has(Flags::TRAILING)
        && !block.flags.has(Flags::BLANK)
    {
        finder.report("E13", index);
    }
}

/// Returns whether a call of a server tool, from message `last` on, has no result, or block `end` is the summary of a compaction.
fn goes_on(finder: &Finder<'_>, last: usize, end: u32) -> bool {
    let first = finder.transcript.messages[last].blocks;
    let mut waiting = IdSet::default();
    for note in finder.facts.iter().filter(|n| n.block >= first) {
        match note.kind {
            NoteKind::ServerCall(id) => drop(waiting.insert(id)),
            NoteKind::ServerResult(id) => drop(waiting.remove(&id)),
            NoteKind::Compaction if note.block == end => return true,
            _ => {}
        }
    }
    !waiting.is_empty()
}

/// E36: a system message among the others, in a place where the provider does not accept it.
///
/// Anthropic accepts such messages from Claude 4.8 on: after a user message or the result of a
/// server tool, and before an answer or at the end. A system message without blocks only changes
/// settings, and may be anywhere.
pub fn of_systems(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let role = |i: usize| transcript.messages[i].role;
    if finder.rules.system == SystemPlacement::Never {
        for (i, message) in transcript.messages.iter().enumerate() {
            if message.role == Role::System && !transcript.blocks_of(i).is_empty() {
                finder.report("E36 never", i);
            }
        }
    }
    if finder.rules.system != SystemPlacement::BeforeAnswer {
        return;
    }
    let mut all = (0..transcript.messages.len())
        .filter(|i| role(*i) != Role::System || !transcript.blocks_of(*i).is_empty())
        .peekable();
    let mut before = None;
    while let Some(i) = all.next() {
        let before = before.replace(i);
        if role(i) != Role::System {
            continue;
        }
        match before {
            None => {
                finder.report("E36 system first", i);
            }
            Some(before)
                if role(before) == Role::Assistant && !ends_with_server_result(finder, before) =>
            {
                finder.report("E36 system follows", i);
            }
            _ => {}
        }
        let fault = match all.peek().map(|after| role(*after)) {
            None | Some(Role::Assistant) => continue,
            // Any number of them may end the conversation.
            Some(Role::System) if all.clone().all(|i| role(i) == Role::System) => continue,
            Some(Role::System) => "E36 another",
            Some(_) => "E36",
        };
        finder.report(fault, i);
    }
}

/// Returns whether the answer at `i` ends with the result of a server tool.
fn ends_with_server_result(finder: &Finder<'_>, i: usize) -> bool {
    finder.transcript.parts(i).last().is_some_and(|(block, _)| {
        finder
            .facts_of(block)
            .any(|fact| matches!(fact, NoteKind::ServerResult(_)))
    })
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::{codes, defects};

    #[test]
    fn roles_take_turns() {
        let say = |role: &str| format!(r#"{{"role":"{role}","content":[{{"text":"x"}}]}}"#);
        let body = |roles: &[&str]| {
            format!(
                r#"{{"messages":[{}]}}"#,
                roles.iter().map(|r| say(r)).collect::<Vec<_>>().join(",")
            )
        };
        assert_eq!(
            codes("bedrock-converse", &body(&["user", "assistant", "user"])),
            [""; 0]
        );
        assert_eq!(
            codes("bedrock-converse", &body(&["user", "system", "assistant"])),
            [""; 0]
        );
        assert_eq!(codes("bedrock-converse", &body(&["user", "user"])), ["E11"]);
        assert_eq!(
            codes("bedrock-converse", &body(&["user", "system", "user"])),
            ["E11"]
        );
        let typed = body(&["user", "user"]).replace("{\"text\"", "{\"type\":\"text\",\"text\"");
        assert_eq!(codes("anthropic", &typed), [""; 0]);
    }

    #[test]
    fn perplexity_wants_turns_too() {
        let body = |model: &str, roles: &[&str]| {
            let messages: Vec<String> = roles
                .iter()
                .map(|role| format!(r#"{{"role":"{role}","content":"x"}}"#))
                .collect();
            format!(
                r#"{{"model":"{model}","messages":[{}]}}"#,
                messages.join(",")
            )
        };
        for model in ["sonar", "sonar-pro", "perplexity/sonar-reasoning"] {
            assert_eq!(
                codes(
                    "openai-chat",
                    &body(model, &["system", "user", "assistant", "user"])
                ),
                [""; 0],
                "{model}"
            );
            let reported = defects("openai-chat", &body(model, &["user", "user"]));
            assert!(
                reported.len() == 1
                    && reported[0].row.code == "E11"
                    && reported[0].row.provider.unwrap().contains("alternating"),
                "{model}"
            );
        }
        assert_eq!(
            codes("openai-chat", &body("gpt-5", &["user", "user"])),
            [""; 0]
        );
    }

    #[test]
    fn mistral_has_results_behind_calls_and_the_system_before_answers() {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"abcdefgh1","function":{"name":"f","arguments":"{}"}}]}"#;
        let result = r#"{"role":"tool","tool_call_id":"abcdefgh1","name":"f","content":"x"}"#;
        let user = r#"{"role":"user","content":"x"}"#;
        let body = |messages: &[&str]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        assert_eq!(
            codes("mistral", &body(&[user, user, call, result])),
            [""; 0]
        );
        let system = r#"{"role":"system","content":"x"}"#;
        let answer = r#"{"role":"assistant","content":"x"}"#;
        assert_eq!(
            codes("mistral", &body(&[user, call, result, user])),
            [""; 0]
        );
        assert_eq!(codes("mistral", &body(&[user, result])), ["E02", "E11"]);
        assert_eq!(
            codes(
                "mistral",
                &body(&[system, system, user, system, answer, user])
            ),
            [""; 0]
        );
        assert_eq!(
            codes("mistral", &body(&[user, answer, system, user])),
            ["E11"]
        );
        assert_eq!(
            codes("mistral", &body(&[user, call, result, system, user])),
            ["E11"]
        );
        assert_eq!(
            codes("openai-chat", &body(&[user, answer, system, user])),
            [""; 0]
        );
        assert_eq!(
            codes("openai-chat", &body(&[user, call, result, user])),
            [""; 0]
        );
    }

    #[test]
    fn mistral_continues_from_a_prefix_only() {
        let body = |more: &str| {
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"y"{more}}}]}}"#
            )
        };
        assert_eq!(codes("mistral", &body("")), ["E12"]);
        assert_eq!(codes("mistral", &body(r#","prefix":false"#)), ["E12"]);
        assert_eq!(codes("mistral", &body(r#","prefix":true"#)), [""; 0]);
        assert_eq!(codes("openai-chat", &body("")), [""; 0]);
    }
}
