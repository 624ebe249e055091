//! Walks a folder for session logs and reports the savings of pruning each, without writing anything.

use deadhead_core::{Config, Pruner, Source};
use std::path::Path;

fn walk(folder: &Path, pruner: &Pruner) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, pruner)?;
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            // It is read as a stream: a log may be larger than the memory.
            let reports = Source::open(&path)
                .map_err(Into::into)
                .and_then(|mut log| pruner.prune_log(&mut log, &mut std::io::sink()));
            match reports {
                Ok(reports) => {
                    for report in reports {
                        println!(
                            "{}: {} of {} tokens stay",
                            path.display(),
                            report.after.tokens,
                            report.before.tokens
                        );
                    }
                }
                Err(error) => eprintln!("{}: {error}", path.display()),
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pruner = Pruner::new(Config::from_json5(
        "{contextPruning: {mode: 'aggressive'}}",
    )?)?;
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    Ok(walk(Path::new(&folder), &pruner)?)
}
