//! A hook of a gateway: it sees each request before it is sent, and keeps the session of each user.

use deadhead_core::{Config, Error, Pruner, Session};
use std::collections::HashMap;

struct Hook {
    pruner: Pruner,
    sessions: HashMap<String, Session>,
}

impl Hook {
    /// The body to send instead, and the header that says what was removed.
    fn before(&mut self, user: &str, body: &[u8]) -> Result<(Vec<u8>, String), Error> {
        let session = self.sessions.entry(user.to_owned()).or_default();
        let out = self.pruner.session(session).prune(body)?;
        Ok((out.bytes.into_owned(), out.report.header().to_owned()))
    }
}

fn main() -> Result<(), Error> {
    let pruner = Pruner::new(Config::from_json5(
        "{contextPruning: {mode: 'cache-ttl', ttl: '5m'}}",
    )?)?;
    let mut hook = Hook {
        pruner,
        sessions: HashMap::new(),
    };
    let body = br#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let (sent, header) = hook.before("ada", body)?;
    println!("{header}\n{}", String::from_utf8_lossy(&sent));
    Ok(())
}
