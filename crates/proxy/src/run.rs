//! `deadhead run`: an agent behind a proxy of its own.
//!
//! At a terminal the agent stays in the process group of this program, so that the terminal's keys
//! reach it as they do without; signals of this program are passed on to that group, or where a
//! script has started it, whose group it is, to the agent. Elsewhere the agent has a group of its
//! own, to which they are passed on: some agents are a process that starts another one, and end
//! alone. The proxy lives for as long as the agent does.
//!
//! A process of its own, the guard, outlives a run that is killed: it then ends the agent, whose
//! requests nobody would answer any more.

use crate::{
    Options, Proxy, Result, Upstreams,
    agents::{self, Setup, Wish},
    serve,
};
use hyper_util::server::graceful::GracefulShutdown;
use rustix::{
    process::{Pid, Signal, getpgrp, getpid, kill_process, kill_process_group},
    termios::tcgetpgrp,
};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Stdio},
};
use tokio::sync::mpsc::UnboundedReceiver;

/// The address of the proxy: any free port.
const ADDRESS: &str = "127.0.0.1:0";
/// The code of a program that cannot be started, and of one that is not found, as shells have them.
const CODES: (u8, u8) = (126, 127);

/// What the guard is called with.
const GUARD: &str = "guard";

/// Signals that end or notify an agent.
const PASSED_ON: [Signal; 6] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::TERM,
    Signal::USR1,
    Signal::USR2,
];

/// The receiver of signals: a process, or its group.
#[derive(Clone, Copy, Debug)]
struct Target {
    pid: Pid,
    is_group: bool,
}

impl Target {
    /// The number of the process, negative for its group.
    fn number(self) -> String {
        let sign = if self.is_group { "-" } else { "" };
        format!("{sign}{}", self.pid.as_raw_nonzero())
    }

    /// Sends a signal, unless the receiver has ended.
    fn send(self, signal: Signal) {
        let _ = if self.is_group {
            kill_process_group(self.pid, signal)
        } else {
            kill_process(self.pid, signal)
        };
    }
}

/// Runs a program with its arguments behind a proxy, and prints what that came to. Returns its exit
/// code, 128 and the number of the signal where one ended it. `options` are those of the proxy,
/// whose upstreams follow from the program and the wish.
///
/// # Errors
/// The proxy or the program cannot be started.
pub fn run(
    command: &[OsString],
    wish: Wish<'_>,
    options: impl FnOnce(Upstreams) -> Result<Options>,
) -> Result<u8> {
    let [program, given @ ..] = command else {
        return Err("name a program to run".into());
    };
    serve::runtime()?.block_on(async {
        let listener = serve::listener(ADDRESS, false).await?;
        let address = format!("http://{}", listener.local_addr()?);
        let variable = |name: &str| std::env::var_os(name);
        let Setup {
            env,
            args,
            upstreams,
            look_at,
            reach,
        } = agents::setup(program, given, &address, wish, &variable)?;
        let proxy = Proxy::new(options(upstreams)?)?;
        let note = proxy.options.note;
        if let Some(hosts) = reach {
            let name = program.display();
            note(&format!("{name} is no agent that is known; its requests may reach {hosts}"));
        }
        let signals = serve::signals(&PASSED_ON)?;
        // Whatever its input is, and also in the background, where a shell may take the terminal
        // back.
        let is_at_terminal = File::open("/dev/tty").is_ok();
        let is_leader = getpgrp() == getpid();
        let mut guard = started()?;
        // The process that makes the agent's group, until the agent is in it.
        let mut first = None;
        let mut agent = Command::new(program);
        agent.args(args).envs(env);
        let group = if is_at_terminal {
            is_leader.then(getpid)
        } else {
            // The guard knows the group before the agent is in it: an agent is never without it.
            // What stops or kills this group does not reach the guard.
            let first = first.insert(started()?);
            agent.process_group(i32::try_from(first.id())?);
            Some(Pid::from_child(first))
        };
        let group = group.map(|pid| Target { pid, is_group: true });
        if let Some(group) = group {
            write(&mut guard, &group.number())?;
        }
        let spawned = agent.spawn();
        first.into_iter().for_each(dismiss);
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                let is_missing = error.kind() == io::ErrorKind::NotFound;
                let is_path = program.as_encoded_bytes().contains(&b'/');
                let name = program.display();
                note(&match is_missing && !is_path {
                    true => format!("{name} is not on the PATH"),
                    false => format!("{name}: {error}"),
                });
                dismiss(guard);
                return Ok(if is_missing { CODES.1 } else { CODES.0 });
            }
        };
        let target = group.unwrap_or(Target {
            pid: Pid::from_child(&child),
            is_group: false,
        });
        if group.is_none() {
            write(&mut guard, &target.number())?;
        }
        let ended = tokio::task::spawn_blocking(move || child.wait());
        let open = GracefulShutdown::new();
        let status = tokio::select! {
            () = serve::connections(&listener, &proxy, &open) => unreachable!("connections are taken for ever"),
            () = pass_on(signals, target) => unreachable!("signals come for ever"),
            status = ended => status??,
        };
        if status.signal().is_some() && target.is_group {
            // What it had started goes with it.
            target.send(Signal::TERM);
        }
        dismiss(guard);
        proxy.end(&format!(
            "no request came to {address}, and nothing was saved; look at {look_at}"
        ));
        Ok(code(status))
    })
}

/// Passes signals on for as long as there are any.
async fn pass_on(mut signals: UnboundedReceiver<Signal>, target: Target) {
    let mut own = None;
    while let Some(signal) = signals.recv().await {
        // Signals of the terminal's keys have reached the agent; a signal to a group that includes
        // this program would come back.
        let is_key = [Signal::INT, Signal::QUIT].contains(&signal);
        if is_key && is_in_foreground() || own.take() == Some(signal) {
            continue;
        }
        own = (target.pid == getpid()).then_some(signal);
        target.send(signal);
    }
}

/// Whether the terminal's keys reach the group of this program.
fn is_in_foreground() -> bool {
    let group = File::open("/dev/tty").and_then(|tty| Ok(tcgetpgrp(tty)?));
    group.is_ok_and(|group| group == getpgrp())
}

/// Starts the guard, and waits until it takes no signal any more.
fn started() -> io::Result<Child> {
    let mut guard = Command::new(std::env::current_exe()?)
        .arg(GUARD)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // The terminal's signals are for the agent.
        .process_group(0)
        .spawn()?;
    guard
        .stdout
        .take()
        .map_or(Ok(0), |mut ready| ready.read(&mut [0]))?;
    Ok(guard)
}

/// Is the guard: reads stdin to its end, which is open for as long as the run lives; ends the
/// process whose number came, or where it is negative that group, unless a full stop came behind
/// it. The signals of the agent's group do not end it.
///
/// # Errors
/// Signals cannot be taken.
pub fn guard() -> Result<()> {
    serve::runtime()?.block_on(async {
        let _ignored = serve::signals(&PASSED_ON)?;
        io::stdout().write_all(b".")?;
        io::stdout().flush()?;
        let mut said = String::new();
        io::stdin().read_to_string(&mut said)?;
        let number: i32 = said.parse().unwrap_or_default();
        if let Some(pid) = Pid::from_raw(number.abs()) {
            let is_group = number < 0;
            let target = Target { pid, is_group };
            target.send(Signal::TERM);
            // A stopped process receives it only then.
            target.send(Signal::CONT);
        }
        Ok(())
    })
}

/// Tells the guard that there is nothing left to end.
fn dismiss(mut guard: Child) {
    let _ = write(&mut guard, ".");
    let _ = guard.wait();
}

fn write(guard: &mut Child, text: &str) -> io::Result<()> {
    guard
        .stdin
        .as_mut()
        .map_or(Ok(()), |pipe| pipe.write_all(text.as_bytes()))
}

/// The exit code for how the agent ended.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    u8::try_from(code.unwrap_or(1)).unwrap_or(u8::MAX)
}
