//! `deadhead emit` over all samples that are logs: what it writes has no defect.

use crate::data::samples;
use crate::support::{Place, deadhead};
use rayon::prelude::*;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

const FOLDERS: [&str; 5] = ["claude-code", "codex", "copilot-cli", "cline", "openclaw"];

#[test]
fn the_request_of_every_sample_is_accepted_whole_and_pruned() {
    let count = AtomicUsize::new(0);
    let logs = samples()
        .par_iter()
        .filter(|sample| FOLDERS.contains(&sample.folder()));
    logs.for_each(|sample| {
        let place = Place::new();
        let log = place.file("log", &sample.bytes);
        for policy in [&[][..], &["--mode=aggressive"]] {
            let made = deadhead()
                .arg("emit")
                .args(policy)
                .arg(&log)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&made.stderr).into_owned();
            assert!(made.status.success(), "{}: {said}", sample.name);
            let body: Value = serde_json::from_slice(&made.stdout).unwrap();
            let messages = body.get("messages").or(body.get("input")).unwrap();
            assert!(!messages.as_array().unwrap().is_empty(), "{}", sample.name);
            deadhead()
                .args(["check", "-"])
                .write_stdin(made.stdout)
                .assert()
                .success();
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(count.into_inner() > 20);
}
