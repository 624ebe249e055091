//! Checks stdin and stdout: they may be closed, or stdout may be one of the inputs.
//!
//! Rust puts the null device in the place of a standard stream that is closed, before `main`
//! begins. So they are checked before that: otherwise a caller that closed stdout would take an
//! empty output for a good one.

use super::*;
use rustix::io::fcntl_getfd;
use std::{
    io::{Stdin, Stdout},
    os::fd::AsFd,
    sync::atomic::{AtomicBool, Ordering},
};

static STDIN_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDERR_IS_SILENT: AtomicBool = AtomicBool::new(false);

ctor::declarative::ctor! {
    // Two system calls, and nothing that needs what Rust sets up before `main`.
    #[ctor(unsafe)]
    fn check_descriptors() {
        STDIN_IS_CLOSED.store(fcntl_getfd(io::stdin()).is_err(), Ordering::Relaxed);
        STDOUT_IS_CLOSED.store(fcntl_getfd(io::stdout()).is_err(), Ordering::Relaxed);
    }
}

/// Stdout, for data.
pub fn stdout() -> io::Result<Stdout> {
    if STDOUT_IS_CLOSED.load(Ordering::Relaxed) {
        Err(io::Error::other(
            "stdout is closed; write with -o, or to /dev/null",
        ))
    } else {
        Ok(io::stdout())
    }
}

/// Stdin, for data.
pub fn stdin() -> io::Result<Stdin> {
    if STDIN_IS_CLOSED.load(Ordering::Relaxed) {
        Err(io::Error::other("stdin is closed; name a FILE"))
    } else {
        Ok(io::stdin())
    }
}

/// A descriptor of its own for a stream.
pub fn file_of(stream: impl AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

/// Returns the identity of an open file if it is an ordinary one. A terminal, a pipe or a device
/// may be read and written at once.
fn ordinary(stream: impl AsFd) -> Option<Identity> {
    file_of(stream)
        .ok()?
        .metadata()
        .ok()
        .filter(Metadata::is_file)
        .map(|found| Identity::of(&found))
}

/// Whether the output for these files would be printed on a screen. Piped input is printed: a user
/// who types a pipe chose it.
pub fn would_fill_screen(files: &[PathBuf]) -> bool {
    !files.is_empty() && !files.iter().any(|file| is_dash(file)) && io::stdout().is_terminal()
}

/// Prints a text, as the last act of a command.
pub fn print(text: impl AsRef<[u8]>) -> Result<Verdict> {
    let mut stdout = stdout()?;
    stdout
        .write_all(text.as_ref())
        .and_then(|()| stdout.flush())
        .context("stdout: cannot write")?;
    Ok(Verdict::Done)
}

/// Refuses to print if stdout is a file that the run reads, as after `>> FILE` and `1<> FILE`. If
/// stderr is such a file, no message is written either.
pub fn refuse(reads: &ReadFiles, prints: bool) -> Result<()> {
    if let Some(found) = ordinary(io::stderr())
        && let Err(error) = reads.refuse(Path::new("stderr"), found)
    {
        STDERR_IS_SILENT.store(true, Ordering::Relaxed);
        return Err(error);
    }
    match ordinary(io::stdout()).filter(|_| prints) {
        Some(found) => reads.refuse(Path::new("stdout"), found),
        None => Ok(()),
    }
}

/// Refuses to write to stdout if that is an input as it was opened, which may be another than the
/// one that was looked at.
pub fn refuse_opened(input: Identity) -> Result<()> {
    if ordinary(io::stdout()) == Some(input) {
        bail!("stdout is this input, and inputs are never written to");
    }
    Ok(())
}

/// Stderr: a failed write is not an error.
pub struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !STDERR_IS_SILENT.load(Ordering::Relaxed) {
            let _ = io::stderr().write_all(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
