//! Bodies that the tool loops of SDKs and frameworks send are accepted as they come, and by every policy as they go out.
//!
//! `tests/agents/sdk-loops.jsonl` has them, as a provider on loopback saw them; `.ci/sdk-loops` wrote it.

use crate::user_words::policies;
use deadhead_core::Pruner;
use serde_json::Value;

const LOOPS: &str = include_str!("../../../../tests/agents/sdk-loops.jsonl");

/// What sent a body, its model where the path names it, and the body.
fn bodies() -> impl Iterator<Item = (String, Option<String>, Vec<u8>)> {
    LOOPS.lines().map(|line| {
        let sent: Value = serde_json::from_str(line).unwrap();
        let path = sent["path"].as_str().unwrap();
        let model = path.split_once("/models/").map(|(_, rest)| rest);
        let model = model.map(|rest| rest.split(':').next().unwrap().to_owned());
        let body = serde_json::to_vec(&sent["body"]).unwrap();
        (sent["from"].as_str().unwrap().to_owned(), model, body)
    })
}

#[test]
fn what_the_loops_of_sdks_send_is_accepted_and_stays_so() {
    let policies = policies();
    let mut cut = 0;
    for (from, model, body) in bodies() {
        for (name, settings) in &policies {
            let mut settings = settings.clone();
            settings.model = model.clone();
            // A pass of another crate.
            settings.passes.on.remove("rag-rerank");
            let pruner = Pruner::new(settings.into()).unwrap();
            let about = format!("{from} with {name}");
            assert_eq!(pruner.check(&body).unwrap(), [], "{about}");
            let out = pruner.prune(&body).unwrap();
            assert_eq!(pruner.check(&out.bytes).unwrap(), [], "{about}");
            cut += u64::from(*out.bytes != *body);
        }
    }
    assert!(cut > 100, "{cut} of them were cut");
}
