//! A filter: reads bodies on stdin, one a line, and writes them pruned to stdout.

use deadhead_core::{Config, Pruner};
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pruner = Pruner::new(Config::default())?;
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        match pruner.prune(line.as_bytes()) {
            Ok(out) => stdout.write_all(&out.bytes)?,
            // What cannot be pruned is not lost.
            Err(error) => {
                eprintln!("passed through: {error}");
                stdout.write_all(line.as_bytes())?;
            }
        }
        stdout.write_all(b"\n")?;
    }
    Ok(())
}
