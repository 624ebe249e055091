//! The program as a process.

use crate::provider::PATIENCE;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// The program, in an environment of the test's own.
pub fn program(home: &Path) -> Command {
    program_by(home, None)
}

/// The same, started by another program.
pub fn program_by(home: &Path, starter: Option<&str>) -> Command {
    let own = env!("CARGO_BIN_EXE_deadhead");
    let mut command = Command::new(starter.unwrap_or(own));
    if starter.is_some() {
        command.arg(own);
    }
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("TMPDIR", home)
        .current_dir(home);
    command
}

/// The lines that a process writes to stderr.
#[derive(Clone, Debug, Default)]
pub struct Lines(Arc<(Mutex<Vec<String>>, Condvar)>);

impl Lines {
    pub fn of(child: &mut Child) -> Lines {
        let lines = Lines::default();
        let (own, from) = (lines.clone(), BufReader::new(child.stderr.take().unwrap()));
        thread::spawn(move || {
            for line in from.lines().map_while(Result::ok) {
                own.0.0.lock().unwrap().push(line);
                own.0.1.notify_all();
            }
        });
        lines
    }

    /// The first line with this text, once it is there.
    pub fn wait(&self, text: &str) -> String {
        let mut lines = self.0.0.lock().unwrap();
        loop {
            if let Some(line) = lines.iter().find(|line| line.contains(text)) {
                return line.clone();
            }
            let (next, waited) = self.0.1.wait_timeout(lines, PATIENCE).unwrap();
            assert!(!waited.timed_out(), "{text}: {next:?}");
            lines = next;
        }
    }
}

/// A proxy.
pub struct Proxy {
    pub url: String,
    pub lines: Lines,
    pub child: Child,
    pub home: tempfile::TempDir,
}

impl Proxy {
    /// One that gives bodies time: this machine may have other work.
    pub fn start(args: &[&str]) -> Proxy {
        Proxy::exactly(&[&["--max-wait", "60000"], args].concat())
    }

    pub fn exactly(args: &[&str]) -> Proxy {
        let home = tempfile::tempdir().unwrap();
        let mut command = program(home.path());
        command.arg("proxy").args(args);
        if !args.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = Lines::of(&mut child);
        let line = lines.wait("listening on ");
        let (_, url) = line.split_once("listening on ").unwrap();
        Proxy {
            url: url.to_owned(),
            lines,
            child,
            home,
        }
    }

    pub fn metrics(&self) -> std::collections::HashMap<String, f64> {
        let answer = crate::client::get(&self.url, "/metrics");
        crate::provider::metrics(&String::from_utf8(answer.body).unwrap())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the command makes of a body.
pub fn pruned(body: &[u8], args: &[&str]) -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("body.json"), body).unwrap();
    let output = program(home.path())
        .args(["prune", "-q", "body.json"])
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}
