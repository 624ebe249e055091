//! `deadhead run` at a terminal: the agent may ask there, whatever its input is, and from the background once it is in the foreground again.

use crate::provider::PATIENCE;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::thread;

/// Runs a line of bash in a session with a terminal of its own, types `hello` once it asks, and waits for its answer.
fn answers(script: &str) {
    let home = tempfile::tempdir().unwrap();
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || {
        File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap()
    };
    let mut shell = std::process::Command::new("setsid");
    shell
        .args(["--ctty", "bash", "-c", script])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .env("DEADHEAD", env!("CARGO_BIN_EXE_deadhead"))
        .current_dir(home.path())
        .stdin(open())
        .stdout(open())
        .stderr(open());
    let mut child = shell.spawn().unwrap();
    drop(shell);
    let mut terminal = File::from(master);
    let mut keys = terminal.try_clone().unwrap();
    let (sender, pieces) = channel();
    thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = terminal.read(&mut piece) {
            let _ = sender.send(String::from_utf8_lossy(&piece[..read]).into_owned());
        }
    });
    let (mut all, mut is_asked) = (String::new(), false);
    while let Ok(piece) = pieces.recv_timeout(PATIENCE) {
        all += &piece;
        if !is_asked && all.contains("ASKED") {
            is_asked = true;
            keys.write_all(b"hello\n").unwrap();
        }
        if all.contains("GOT hello") {
            break;
        }
    }
    if !all.contains("GOT hello") {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    assert!(all.contains("GOT hello"), "{script}: it never ends: {all}");
}

const AGENT: &str = "sh -c 'cat; echo ASKED; read x </dev/tty; echo GOT $x'";

#[test]
fn the_agent_may_ask_at_its_terminal() {
    answers(&format!("echo task | $DEADHEAD run -- {AGENT}"));
    answers(&format!("$DEADHEAD run -- {AGENT} </dev/null"));
    answers("$DEADHEAD run -- sh -c 'echo ASKED; read x; echo GOT $x'");
    // Without deadhead, too.
    answers(&format!("echo task | {AGENT}"));
}

/// It is stopped in the background, where it may not ask, and goes on in the foreground.
#[test]
fn an_agent_comes_to_the_foreground() {
    let asks = "sh -c 'read x </dev/tty; echo GOT $x'";
    for run in ["$DEADHEAD run -- ", ""] {
        let waits = "until [ \"$(jobs -s)\" ]; do sleep 0.02; done";
        answers(&format!("set -m; {run}{asks} & {waits}; echo ASKED; fg"));
    }
}
