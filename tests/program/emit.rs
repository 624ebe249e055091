//! `deadhead emit` over all samples that are logs: what it writes has no defect.

use crate::data::samples;
use crate::support::{Place, deadhead};
use deadhead_core::settings::presets;
use rayon::prelude::*;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Each sample is emitted by one preset of so many, and each preset of some samples.
const STEP: usize = 9;

const FOLDERS: [&str; 5] = ["claude-code", "codex", "copilot-cli", "cline", "openclaw"];

#[test]
fn the_request_of_every_sample_is_accepted_whole_and_pruned() {
    let count = AtomicUsize::new(0);
    let logs = samples()
        .par_iter()
        .enumerate()
        .filter(|(_, sample)| FOLDERS.contains(&sample.folder()));
    logs.for_each(|(at, sample)| {
        let place = Place::new();
        let log = place.file("log", &sample.bytes);
        let presets = presets().iter().skip(at % STEP).step_by(STEP);
        let presets = presets.map(|preset| vec!["--preset", &*preset.name]);
        for policy in [vec![], vec!["--mode=aggressive"]]
            .into_iter()
            .chain(presets)
        {
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
