//! E11: Bedrock and Perplexity want the roles of user and assistant in turn, Mistral an answer between results and the user.
//!
//! Anthropic's own service merges neighbours of one role; Converse refuses them. Perplexity's bodies are of OpenAI's shape,
//! and the model tells them.

use super::Finder;
use crate::transcript::{Role, Rules, Transcript};

/// Adds what there is of E11.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let wrong: fn(Role, Role) -> Option<&'static str> = match transcript.rules {
        _ if takes_turns(transcript) => {
            |before, role| (before == role && role != Role::Tool).then_some("its role is that of the message before")
        }
        Rules::Mistral => |before, role| match (before, role) {
            (Role::Tool, Role::User) => Some("the user speaks after a result, without an answer between"),
            (Role::User, Role::Tool) => Some("a result stands after the user's message"),
            _ => None,
        },
        _ => return,
    };
    let mut before = None;
    for (i, message) in transcript.messages.iter().enumerate().filter(|(_, m)| m.role != Role::System) {
        if let Some(detail) = before.and_then(|before| wrong(before, message.role)) {
            finder.tell("E11", i, None, 0, detail);
        }
        before = Some(message.role);
    }
}

/// Whether neighbours of one role are refused.
pub fn takes_turns(transcript: &Transcript) -> bool {
    let perplexity = |model: &str| {
        let model = model.to_lowercase();
        model.starts_with("perplexity/") || model == "sonar" || model.starts_with("sonar-")
    };
    transcript.rules == Rules::Converse || transcript.rules == Rules::OpenAiChat && transcript.model.as_deref().is_some_and(perplexity)
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::{codes, defects};

    #[test]
    fn roles_take_turns() {
        let say = |role: &str| format!(r#"{{"role":"{role}","content":[{{"text":"x"}}]}}"#);
        let body = |roles: &[&str]| format!(r#"{{"messages":[{}]}}"#, roles.iter().map(|r| say(r)).collect::<Vec<_>>().join(","));
        assert_eq!(codes("bedrock-converse", &body(&["user", "assistant", "user"])), [""; 0]);
        assert_eq!(codes("bedrock-converse", &body(&["user", "system", "assistant"])), [""; 0]);
        assert_eq!(codes("bedrock-converse", &body(&["user", "user"])), ["E11"]);
        assert_eq!(codes("bedrock-converse", &body(&["user", "system", "user"])), ["E11"]);
        assert_eq!(codes("anthropic", &body(&["user", "user"])), [""; 0]);
    }

    #[test]
    fn perplexity_wants_turns_too() {
        let body = |model: &str, roles: &[&str]| {
            let messages: Vec<String> = roles.iter().map(|role| format!(r#"{{"role":"{role}","content":"x"}}"#)).collect();
            format!(r#"{{"model":"{model}","messages":[{}]}}"#, messages.join(","))
        };
        for model in ["sonar", "sonar-pro", "perplexity/sonar-reasoning"] {
            assert_eq!(codes("openai-chat", &body(model, &["system", "user", "assistant", "user"])), [""; 0], "{model}");
            let told = defects("openai-chat", &body(model, &["user", "user"]));
            assert!(told.len() == 1 && told[0].row.code == "E11" && told[0].row.provider.unwrap().contains("alternating"), "{model}");
        }
        assert_eq!(codes("openai-chat", &body("gpt-5", &["user", "user"])), [""; 0]);
    }

    #[test]
    fn mistral_answers_before_the_user_goes_on() {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"abcdefgh1","function":{"name":"f","arguments":"{}"}}]}"#;
        let result = r#"{"role":"tool","tool_call_id":"abcdefgh1","name":"f","content":"x"}"#;
        let user = r#"{"role":"user","content":"x"}"#;
        let body = |messages: &[&str]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        assert_eq!(codes("mistral", &body(&[user, user, call, result])), [""; 0]);
        assert_eq!(codes("mistral", &body(&[user, call, result, user])), ["E11"]);
        assert_eq!(codes("mistral", &body(&[user, result])), ["E02", "E11"]);
        assert_eq!(codes("openai-chat", &body(&[user, call, result, user])), [""; 0]);
    }
}
