//! E11: Bedrock wants the roles of user and assistant in turn.
//!
//! Anthropic's own service merges neighbours of one role; Converse refuses them.

use super::Finder;
use crate::transcript::{Role, Rules};

/// Adds what there is of E11.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if transcript.rules != Rules::Converse {
        return;
    }
    let mut before = None;
    for (i, message) in transcript.messages.iter().enumerate().filter(|(_, m)| m.role != Role::System) {
        if before == Some(message.role) {
            finder.tell("E11", i, None, 0, "its role is that of the message before");
        }
        before = Some(message.role);
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

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
}
