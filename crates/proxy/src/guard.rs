//! A process that outlives a run which is killed: it then ends the agent, whose requests nobody would answer any more.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// What the process is called with.
pub const COMMAND: &str = "guard";

/// What signals go to: a process alone, or its group.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub pid: Pid,
    pub is_group: bool,
}

impl Target {
    /// Sends a signal. What has ended already takes none.
    pub fn send(self, signal: Signal) {
        let _ = if self.is_group {
            kill_process_group(self.pid, signal)
        } else {
            kill_process(self.pid, signal)
        };
    }
}

/// Starts the process. It waits for as long as the answer's pipe is open, which it is while this process lives.
pub fn start(target: Target) -> io::Result<Child> {
    let number = target.pid.as_raw_nonzero().get();
    let number = if target.is_group { -number } else { number };
    Command::new(std::env::current_exe()?)
        .args([COMMAND, "--", &number.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // The terminal's signals are for the agent.
        .process_group(0)
        .spawn()
}

/// Is that process: waits for the end of stdin; ends process `number`, or where it is negative that group, unless a byte came before.
pub fn guard(number: i32) {
    let mut said = Vec::new();
    let _ = io::stdin().read_to_end(&mut said);
    let target = Pid::from_raw(number.abs()).map(|pid| Target {
        pid,
        is_group: number < 0,
    });
    if let (true, Some(target)) = (said.is_empty(), target) {
        target.send(Signal::TERM);
    }
}
