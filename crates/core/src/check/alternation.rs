//! E11: the order of roles. Bedrock and Perplexity require user and assistant in turn, Mistral requires results directly after calls.
//!
//! Anthropic's own service merges consecutive messages of one role; Converse refuses them for most models. Perplexity's bodies look like
//! OpenAI's, so that the model decides.

use super::{Finder, table};
use crate::transcript::{BlockKind, Role, SystemPlacement};

/// Reports E11.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let mut before: Option<Role> = None;
    let mut spoken: Option<Role> = None;
    for (i, message) in transcript.messages.iter().enumerate() {
        let role = message.role;
        let wrong = match (before, role) {
            (Some(Role::Assistant | Role::Tool), Role::System)
                if rules.system == SystemPlacement::NotAfterAnswer =>
            {
                Some("a system message is directly behind an answer or a result")
            }
            (_, Role::System) if rules.system == SystemPlacement::First && spoken.is_some() => {
                Some("a system message is behind others")
            }
            (Some(_), Role::System) if rules.system == SystemPlacement::FirstMessage => {
                Some("a system message is behind another message")
            }
            (Some(Role::User | Role::System), Role::Tool) if rules.results_follow_calls => {
                Some("a result is behind neither an answer nor a result")
            }
            (_, Role::System | Role::Tool) => None,
            _ if rules.alternates && spoken == Some(role) && !may_follow(finder, i) => {
                Some("its role is that of the message before")
            }
            _ => None,
        };
        if let Some(detail) = wrong {
            let fault = match role {
                Role::System | Role::Tool => "E11",
                _ if rules.system == SystemPlacement::First => "E11",
                _ if rules.neighbours_speak => "E11 results",
                _ => "E11 successive roles",
            };
            let defect = finder.report(fault, i, detail);
            if role == Role::System || role == Role::Tool {
                defect.by_hand(table::ORDER);
            }
        }
        before = Some(role);
        spoken = if role == Role::System { spoken } else { before };
    }
}

/// Returns whether the server joins message `i` to the one of its role before it.
fn may_follow(finder: &Finder<'_>, i: usize) -> bool {
    let mut blocks = finder.transcript.blocks_of(i).iter();
    finder.rules.neighbours_speak && !blocks.any(|block| block.kind == BlockKind::Result)
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
}
