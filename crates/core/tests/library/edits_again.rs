//! Steps of `edits` over requests: what one request cut is cut again byte for byte in the next, and cuts come in batches.

use crate::notation::{Conversation, EVERY, Turn};
use deadhead_core::{Config, Pruner, Session};
use serde_json::{Value, json};

/// Twelve steps of two tools, each with a text of its own, and a reminder that comes again.
fn talk() -> Conversation {
    let mut lines = String::from("user look at all of it\n");
    for i in 0..12 {
        if i % 4 == 3 {
            lines.push_str(&format!(
                "say answer {i} <é\"\\ 漢字 0123456789*9>\nuser remember: <be brief *9>\n"
            ));
        }
        let tool = if i % 3 == 2 { "exec" } else { "read" };
        lines.push_str(&format!(
            "call c{i:02} {tool} {{\"path\":\"x{i}\",\"text\":\"<some words *9>\",\"n\":{i}}}\n"
        ));
        lines.push_str(&format!(
            "result c{i:02} {}{i} <é\"\\ 漢字 0123456789*60>\n",
            if i == 4 { "error " } else { "" }
        ));
    }
    Conversation::parse(&(lines + "say done\nuser thanks"))
}

/// The elements of the list that a body is.
fn elements(body: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(body).unwrap();
    ["messages", "contents", "input", "chat_history"]
        .iter()
        .find_map(|key| body[*key].as_array())
        .unwrap()
        .clone()
}

/// Returns, for each request of a growing conversation, the number of new cuts and the chars that they removed.
fn requests(name: &str, steps: &Value) -> Vec<(usize, u64)> {
    let pruner = Pruner::new(
        Config::from_json5(
            &json!({"contextPruning": {"mode": "adaptive"}, "edits": steps}).to_string(),
        )
        .unwrap(),
    );
    let pruner = pruner
        .unwrap()
        .format(
            EVERY
                .iter()
                .find(|spoken| spoken.name == name)
                .unwrap()
                .format,
        )
        .unwrap();
    let (said, spoken) = (
        talk(),
        EVERY.iter().find(|spoken| spoken.name == name).unwrap(),
    );
    let (mut session, mut found) = (Session::default(), Vec::new());
    let mut last: Option<(Vec<Value>, Vec<Value>)> = None;
    for turns in 1..=said.turns.len() {
        // A request ends with what the user or a tool says.
        if matches!(said.turns[turns - 1], Turn::Model(_)) {
            continue;
        }
        let input = spoken.render(&Conversation {
            turns: said.turns[..turns].to_vec(),
        });
        let about = format!("{name}, {turns} turns, {steps}");
        let outcome = pruner
            .at(1000 * turns as i64)
            .session(&mut session)
            .prune(&input)
            .unwrap_or_else(|e| panic!("{about}: {e}"));
        let (before, after) = (elements(&input), elements(&outcome.bytes));
        if let Some((old, cut)) = &last {
            assert_eq!(
                &before[..old.len()],
                &old[..],
                "{about}: the conversation grows"
            );
            if before.len() == after.len() {
                for i in (0..old.len()).filter(|&i| old[i] != cut[i]) {
                    assert_eq!(after[i], cut[i], "{about}: element {i} was cut before");
                }
            } else {
                // Removed content stays away, and kept content was there before.
                assert!(
                    cut.len() <= old.len() && before.len() - after.len() >= old.len() - cut.len(),
                    "{about}"
                );
            }
        }
        let new = outcome
            .report
            .cuts
            .iter()
            .filter(|cut| cut.pass != "sticky");
        let (count, chars) = new.fold((0, 0), |(count, chars), cut| {
            (count + 1, chars + cut.chars_before - cut.chars_after)
        });
        found.push((count, chars));
        last = Some((before, after));
        // The same request again comes out as it did.
        let again = pruner
            .at(1000 * turns as i64 + 1)
            .session(&mut session)
            .prune(&input)
            .unwrap();
        assert!(
            again.bytes == outcome.bytes,
            "{about}: the same request again"
        );
    }
    found
}

fn bodies() -> impl Iterator<Item = &'static str> {
    // Version 1 of Cohere has its list in two members.
    EVERY
        .iter()
        .filter(|spoken| spoken.is_body() && spoken.name != "cohere, v1" && spoken.can_say(&talk()))
        .map(|spoken| spoken.name)
}

#[test]
fn earlier_cuts_are_repeated() {
    let many = json!({"tool_results": 2});
    for step in [
        json!({"type": "clear_tool_results", "keep": many, "placeholder": "[{tool} {lines}]"}),
        json!({"type": "clear_tool_results", "keep": many, "clear_tool_inputs": true}),
        json!({"type": "clear_tool_results", "keep": many, "clear_tool_inputs": ["exec"]}),
        json!({"type": "clear_tool_results", "errors": "only", "keep": {"user_turns": 1}}),
        json!({"type": "clear_tool_results", "trigger": {"input_tokens": 700}, "keep": many, "until": {"fits": {"chars": 1000}}}),
        json!({"type": "clear_tool_results", "keep": many, "until": {"freed": {"input_tokens": 375}}}),
        json!({"type": "clear_tool_results", "keep": many, "clear_tool_inputs": true, "until": {"freed": {"input_tokens": 375}}}),
        json!({"type": "truncate_tool_results", "keep": many, "over": {"chars": 50}, "head": {"chars": 20}, "tail": {"chars": 9}, "note": "…"}),
        json!({"type": "truncate_tool_results", "keep": many, "over": {"chars": 50}, "head": {"chars": 20}, "tail": {"chars": 9}, "note": "{tail}…{head}…{head}"}),
        json!({"type": "drop_tool_calls", "keep": {"tool_uses": 3}}),
    ] {
        let cut = |name: &str| {
            requests(name, &json!([step]))
                .iter()
                .any(|(count, _)| *count > 0)
        };
        // Arguments of calls without ids stay.
        assert!(bodies().filter(|name| cut(name)).count() >= 3, "{step}");
    }
}

#[test]
fn cuts_come_in_batches() {
    for name in bodies() {
        let least = json!([{"type": "clear_tool_results", "keep": {"tool_results": 1}, "clear_at_least": {"input_tokens": 750}}]);
        let rounds = requests(name, &least);
        assert!(
            rounds
                .iter()
                .all(|(count, chars)| *count == 0 || *chars >= 3000),
            "{name}: {rounds:?}"
        );
        assert!(
            rounds.iter().filter(|(count, _)| *count > 0).count() >= 2,
            "{name}: {rounds:?}"
        );
        let polled = json!([{"type": "clear_tool_results", "keep": {"tool_results": 2, "counted": "before_exclusions"}, "polling": 4}]);
        let rounds = requests(name, &polled);
        assert!(
            rounds
                .iter()
                .skip(6)
                .all(|(count, _)| [0, 2, 4].contains(count)),
            "{name}: {rounds:?}"
        );
        assert!(
            rounds.iter().filter(|(count, _)| *count > 0).count() <= 4,
            "{name}: {rounds:?}"
        );
        // What was removed counts in its round: four of twelve are removed at a time, and the newest two stay.
        let removed = json!([{"type": "drop_tool_calls", "keep": {"tool_results": 2, "counted": "before_exclusions"}, "polling": 4}]);
        let rounds = requests(name, &removed);
        assert!(
            rounds.iter().filter(|(count, _)| *count > 0).count() <= 4,
            "{name}: {rounds:?}"
        );
    }
}

/// Ids may come again in a conversation: each result is known by its number among those of its id.
#[test]
fn ids_that_come_again_are_distinguished() {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for i in 0..3 {
        let call = json!({"id": "abcdefgh0", "type": "function", "function": {"name": "read", "arguments": format!("{{\"n\": {i}}}")}});
        messages.push(json!({"role": "assistant", "content": "so", "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": "abcdefgh0", "name": "read", "content": format!("{i} ").repeat(100)}));
    }
    let body = json!({"model": "mistral-large-latest", "messages": messages}).to_string();
    let step =
        json!({"type": "clear_tool_results", "keep": {"tool_uses": 1}, "clear_tool_inputs": true});
    let config = Config::from_json5(
        &json!({"contextPruning": {"mode": "adaptive"}, "edits": [step]}).to_string(),
    )
    .unwrap();
    let pruner = Pruner::new(config).unwrap();
    let mut session = Session::default();
    let mut run = |time| {
        pruner
            .at(time)
            .session(&mut session)
            .prune(body.as_bytes())
            .unwrap()
            .bytes
    };
    let first = run(1000);
    assert_eq!(
        String::from_utf8_lossy(&first).matches("[cleared]").count(),
        2
    );
    for time in 2..5 {
        assert_eq!(
            String::from_utf8_lossy(&run(1000 * time)),
            String::from_utf8_lossy(&first)
        );
    }
}
