//! The session of a body or a log.

use super::*;
use crate::dialect::by_name;

fn name(body: &str) -> SessionName {
    let found = crate::dialect::detect(&mut Cursor::new(body.as_bytes()))
        .ok()
        .flatten();
    SessionName::of_body(
        body.as_bytes(),
        found.unwrap_or_else(|| by_name("messages").unwrap().into()),
    )
    .unwrap()
}

#[test]
fn bodies_name_their_session() {
    let user = name(
        r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"metadata":{"user_id":"u\u00e9"}}"#,
    );
    assert_eq!((user.key.as_str(), user.source), ("ué", "metadata.user_id"));
    let key =
        name(r#"{"model":"m","prompt_cache_key":"k","messages":[{"role":"user","content":"x"}]}"#);
    assert_eq!((key.key.as_str(), key.source), ("k", "prompt_cache_key"));
    let wrapped = name(
        r#"{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","prompt_cache_key":"w","messages":[{"role":"user","content":"x"}]}}"#,
    );
    assert_eq!(wrapped.key, "w");
}

#[test]
fn a_conversation_is_known_by_its_beginning() {
    let begin = name(
        r#"{"model":"m","max_tokens":1,"system":"s","messages":[{"role":"user","content":"x"}]}"#,
    );
    assert_eq!(begin.source, "content");
    for same in [
        r#"{"model":"n","max_tokens":1,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":"y"},{"role":"user","content":"z"}]}"#,
        r#"{"messages":[{"content":"x","role":"user"}],"max_tokens":9,"model":"m","system":"\u0073"}"#,
    ] {
        assert_eq!(name(same), begin, "{same}");
    }
    for other in [
        r#"{"model":"m","max_tokens":1,"system":"t","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"model":"m","max_tokens":1,"system":"s","messages":[{"role":"user","content":"y"}]}"#,
    ] {
        assert_ne!(name(other), begin, "{other}");
    }
    let gemini = r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"systemInstruction":{"parts":[{"text":"s"}]}}"#;
    assert_ne!(name(gemini), name(&gemini.replace("\"s\"", "\"t\"")));
}

#[test]
fn histories_carry_ids() {
    for (head, want) in [
        (
            "{\"type\":\"session\",\"id\":\"abc\"}\n{\"type\":\"message\"}\n",
            "abc",
        ),
        (
            "{\"type\":\"summary\"}\n{\"type\":\"user\",\"sessionId\":\"s-1\"}\n",
            "s-1",
        ),
        (
            "{\"type\":\"session_meta\",\"payload\":{\"id\":\"c-1\"}}\n",
            "c-1",
        ),
        (
            "{\n \"sessionId\": \"g-1\",\n \"messages\": [ { \"torn",
            "g-1",
        ),
        (
            "{\n \"info\": {\"id\": \"ses_1\"},\n \"messages\": []\n}",
            "ses_1",
        ),
        (
            "{\"type\":\"session.start\",\"data\":{\"sessionId\":\"p-1\"}}\n",
            "p-1",
        ),
    ] {
        assert_eq!(
            SessionName::of_history(head.as_bytes()),
            SessionName::new(want, "history"),
            "{head}"
        );
    }
    let array = |more: &str| {
        SessionName::of_history(
            format!("[\n{{\"role\":\"user\",\"content\":\"x\"}}{more}").as_bytes(),
        )
    };
    assert_eq!(
        array("\n]"),
        array(",\n{\"role\":\"assistant\",\"content\":\"y\"}]")
    );
    let without = SessionName::of_history(b"{\"role\":\"user\",\"content\":\"x\"}\n");
    assert_eq!(without.source, "content");
    assert_eq!(
        without,
        SessionName::of_history(b"{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\"assistant\"}")
    );
}

#[test]
fn long_names_are_digests() {
    let long = "é".repeat(9000);
    assert!(SessionName::new(&long, "flag").key.len() < 120);
    assert_ne!(
        SessionName::new(&long, "flag"),
        SessionName::new(&long[2..], "flag")
    );
}

#[test]
fn deep_contents_are_no_matter() {
    let (open, close) = ("{\"parts\":[".repeat(100_000), "]}".repeat(100_000));
    let body = format!("{{\"system_instruction\":{open}{close},\"contents\":[]}}");
    let found = Detected::from(by_name("gemini").unwrap());
    assert!(SessionName::of_body(body.as_bytes(), found).is_ok());
}
