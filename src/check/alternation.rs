//! E11: Bedrock wants the roles of user and assistant in turn.
//!
//! Anthropic's own service merges neighbours of one role; Converse refuses them.

use super::Defect;
use crate::report::DefectRow;
use crate::transcript::{Role, Rules, Transcript};

/// Adds what there is of E11.
pub fn check(transcript: &Transcript, defects: &mut Vec<Defect>) {
    if transcript.rules != Rules::Converse {
        return;
    }
    let mut before = None;
    for message in transcript.messages.iter().filter(|m| m.role != Role::System) {
        if before == Some(message.role) {
            let detail = "its role is that of the message before".to_owned();
            defects.push(Defect { row: DefectRow { code: "E11", message: message.number, detail }, about: 0 });
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
