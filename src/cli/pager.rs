//! Shows a long text at a terminal, by the user's own pager.

use super::*;
use signal_hook::consts::SIGINT;
use std::{env::var_os, io::Seek, process::Command};

/// Shows a file by `$PAGER`, else by less, which ends at once where all is on one screen. Without a
/// pager it is printed.
///
/// # Errors
/// The file cannot be read, or stdout not be written.
pub fn show(mut file: File) -> io::Result<()> {
    file.rewind()?;
    let pager = var_os("PAGER").unwrap_or_else(|| "less".into());
    let mut command = Command::new("sh");
    command.arg("-c").arg(&pager).stdin(file.try_clone()?);
    if var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    // The key is for the pager.
    signal_hook::flag::register(SIGINT, Arc::default())?;
    let is_shown = !pager.is_empty() && command.status().is_ok_and(|status| status.success());
    if !is_shown {
        file.rewind()?;
        io::copy(&mut file, &mut streams::stdout()?)?;
    }
    Ok(())
}
