//! The data of tests: samples, and lists of cases. All of it lies below `tests/`.
//!
//! `tests/samples/` has the samples that the README shows and those written by hand; `archive.tar.zst` beside them has what
//! other projects recorded. `SOURCES.tsv` there names the source and the licence of each.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A session log or a request body.
pub struct Sample {
    /// Its name in `SOURCES.tsv`, with `/` between folders.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Sample {
    /// The name of the folder that it is in: `codex`, `gemini`, and so on; empty for one that is in none.
    pub fn folder(&self) -> &str {
        self.name.rsplit('/').nth(1).unwrap_or_default()
    }
}

/// All samples, sorted by name. A test binary reads them once.
pub fn samples() -> &'static [Sample] {
    static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
        let folder = at("samples");
        let mut samples = archived(&folder.join("archive.tar.zst"));
        let plain = walkdir::WalkDir::new(&folder)
            .into_iter()
            .map(|entry| entry.unwrap().into_path());
        samples.extend(
            plain
                .filter(|path| {
                    path.extension()
                        .is_some_and(|e| e == "json" || e == "jsonl")
                })
                .map(|path| Sample {
                    name: path
                        .strip_prefix(&folder)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                    bytes: fs::read(&path).unwrap(),
                }),
        );
        samples.sort_by(|a, b| a.name.cmp(&b.name));
        samples
    });
    &SAMPLES
}

/// The sample of this name.
pub fn sample(name: &str) -> &'static Sample {
    samples()
        .iter()
        .find(|sample| sample.name == name)
        .unwrap_or_else(|| panic!("there is no sample {name}"))
}

/// The lines of a file below `tests/` as JSON; a file whose name ends in `.zst` is unpacked first.
pub fn lines(name: &str) -> Vec<Value> {
    let mut bytes = fs::read(at(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    if name.ends_with(".zst") {
        bytes = zstd::decode_all(&bytes[..]).unwrap();
    }
    let values = serde_json::Deserializer::from_slice(&bytes).into_iter();
    values
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files of an archive.
pub fn archived(path: &Path) -> Vec<Sample> {
    let packed = fs::read(path).unwrap();
    let mut archive = tar::Archive::new(zstd::Decoder::new(&packed[..]).unwrap());
    let entries = archive
        .entries()
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.header().entry_type().is_file());
    let read = |mut entry: tar::Entry<'_, _>| {
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        Sample { name, bytes }
    };
    entries.map(read).collect()
}

/// A path below the `tests/` that holds the samples, seen from the program or from one of its crates.
fn at(name: &str) -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("tests"));
    folders
        .into_iter()
        .find(|tests| tests.join("samples").is_dir())
        .unwrap()
        .join(name)
}
