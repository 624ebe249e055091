//! A sidecar: a file that keeps what runs cut, so that it can be put back (`undo`) and printed
//! (`show`).
//!
//! It begins with [`MAGIC`]. A frame follows for each output, and written frames do not change:
//!
//! | bytes | what |
//! |---|---|
//! | 8, 8 | the number of the packed bytes, and its complement |
//! | 32 | SHA-256 of the packed bytes |
//! | | zstd of the [`Recipe`] as a line of JSON, and of the texts that no frame before it has |
//!
//! A frame that is not complete is that of a process that was killed before its output had its
//! name: it is overwritten.

use super::{
    folder::{MissingFolders, PathTarget},
    output::copy,
    *,
};
use deadhead_core::internal::edit::{Edited, Edits};
use rustix::{
    fs::{FlockOperation, OFlags, flock},
    io::Errno,
};
use sha2::{Digest, Sha256};
use std::{
    collections::HashSet,
    fs::Permissions,
    os::unix::fs::{FileExt, PermissionsExt},
    sync::{Mutex, PoisonError},
    thread::sleep,
    time::Duration,
};

/// The first bytes of a sidecar.
const MAGIC: &[u8] = b"deadhead sidecar 1\n";
/// Bytes of a frame before the packed ones.
const HEADER: u64 = 48;
/// The time between two tries to lock a sidecar for a hook.
const WAIT: Duration = Duration::from_millis(5);
/// The level of zstd, and that of a hook's text, for which its agent waits.
const LEVELS: [i32; 2] = [9, 3];

type Hash = [u8; 32];

/// How an input is made of an output.
#[derive(Default, Serialize, Deserialize)]
pub struct Recipe {
    /// SHA-256 of the output and of the input; empty if the frame only has a text.
    pub output: String,
    pub input: String,
    /// Bytes of the output that are kept, the bytes behind them that are replaced, and the number
    /// of the text that replaces them. Texts are counted from 0, in all frames. What is behind the
    /// last step is kept.
    pub steps: Vec<(u64, u64, usize)>,
    /// The number of bytes of each text of the frame.
    texts: Vec<usize>,
}

/// What was cut from one input, and the digests of what was read and written.
#[derive(Default)]
pub struct Cuts {
    input: Sha256,
    output: Sha256,
    steps: Vec<(u64, u64, Hash)>,
    texts: HashMap<Hash, Vec<u8>>,
    kept: u64,
}

impl Cuts {
    /// Adds a piece of the input with its edits.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn add(&mut self, input: &dyn ReadAt, edits: &Edits) -> io::Result<()> {
        let mut at = 0;
        for (cut, put) in edits.removed() {
            let text = input.read(cut.start, cut.end)?;
            let hash = Sha256::digest(&text).into();
            self.steps.push((self.kept + cut.start - at, put, hash));
            self.texts.entry(hash).or_insert(text.into_owned());
            (self.kept, at) = (0, cut.end);
        }
        self.kept += input.size() - at;
        let output = Edited::new(edits, input);
        copy(input, 0, input.size(), &mut self.input)?;
        copy(&output, 0, output.size(), &mut self.output)
    }
}

/// The frames of a sidecar, from one on. No other process writes to it meanwhile.
pub struct Frames {
    path: PathBuf,
    file: File,
    /// The end of the frames that were read, in bytes; 0 in a new file.
    end: u64,
}

impl Frames {
    /// Opens a sidecar; one that does not exist is made, unless it is only read.
    ///
    /// # Errors
    /// It cannot be opened or locked, or is no sidecar.
    pub fn open(path: &Path, lock: FlockOperation) -> Result<Frames> {
        let writes = !matches!(lock, FlockOperation::LockShared);
        let flags = if writes {
            OFlags::RDWR | OFlags::CREATE
        } else {
            OFlags::RDONLY
        };
        let open = || -> Result<(File, usize)> {
            const NONE: &str = "is no sidecar; name a file that --sidecar made, or a new one";
            let PathTarget::Place(place) = folder::find(path, MissingFolders::Fail)? else {
                bail!(NONE);
            };
            let file = place.open_trusted(flags)?;
            ensure!(file.metadata()?.is_file(), NONE);
            flock(&file, lock)?;
            let mut magic = [0; MAGIC.len()];
            let size = magic.len().min(file.metadata()?.len() as usize);
            file.read_exact_at(&mut magic[..size], 0)?;
            ensure!(MAGIC.starts_with(&magic[..size]), NONE);
            Ok((file, size))
        };
        let (file, size) = open().with_context(|| path.display().to_string())?;
        Ok(Frames {
            path: path.to_owned(),
            file,
            end: if size < MAGIC.len() { 0 } else { size as u64 },
        })
    }

    /// Returns the size and the digest of the next frame; `None` if there is no complete one.
    fn header(&self) -> Result<Option<(u64, Hash)>> {
        let (mut sizes, mut digest) = ([[0; 8]; 2], Hash::default());
        let rest = self.file.metadata()?.len().saturating_sub(self.end);
        if self.end == 0 || rest < HEADER {
            return Ok(None);
        }
        self.file
            .read_exact_at(sizes.as_flattened_mut(), self.end)?;
        self.file.read_exact_at(&mut digest, self.end + 16)?;
        match sizes.map(u64::from_le_bytes) {
            [size, complement] if size == !complement => {
                Ok((size <= rest - HEADER).then_some((size, digest)))
            }
            _ => Err(self.damaged()),
        }
    }

    /// Returns the next recipe, and the texts of its frame one after the other.
    ///
    /// # Errors
    /// The file was changed.
    pub fn next(&mut self) -> Result<Option<(Recipe, Vec<u8>)>> {
        let Some((size, digest)) = self.header()? else {
            return Ok(None);
        };
        let mut packed = vec![0; usize::try_from(size)?];
        self.file.read_exact_at(&mut packed, self.end + HEADER)?;
        let read = || -> Option<(Recipe, Vec<u8>)> {
            let mut bytes = zstd::decode_all(&packed[..]).ok()?;
            let line = bytes.iter().position(|byte| *byte == b'\n')?;
            let recipe: Recipe = serde_json::from_slice(&bytes[..line]).ok()?;
            bytes.drain(..=line);
            let fits = |rest: usize, size: &usize| rest.checked_sub(*size);
            (recipe.texts.iter().try_fold(bytes.len(), fits)? == 0).then_some((recipe, bytes))
        };
        let is_whole = Hash::from(Sha256::digest(&packed)) == digest;
        let found = is_whole
            .then(read)
            .flatten()
            .ok_or_else(|| self.damaged())?;
        self.end += HEADER + size;
        Ok(Some(found))
    }

    /// Writes a frame behind those that were read.
    fn append(&mut self, recipe: &Recipe, texts: &[u8]) -> Result<()> {
        let level = LEVELS[usize::from(recipe.output.is_empty())];
        let mut packed = zstd::Encoder::new(Vec::new(), level)?;
        serde_json::to_writer(&mut packed, recipe)?;
        packed.write_all(b"\n")?;
        packed.write_all(texts)?;
        let packed = packed.finish()?;
        let (start, size) = (if self.end == 0 { MAGIC } else { b"" }, packed.len() as u64);
        let sizes = [size, !size].map(u64::to_le_bytes);
        let digest = Sha256::digest(&packed);
        let frame = [start, sizes.as_flattened(), &digest, &packed].concat();
        let write = || {
            self.file.set_permissions(Permissions::from_mode(0o600))?;
            self.file.set_len(self.end)?;
            self.file.write_all_at(&frame, self.end)
        };
        write()
            .inspect_err(|_| drop(self.file.set_len(self.end)))
            .with_context(|| cannot_write(&self.path))?;
        self.end += frame.len() as u64;
        Ok(())
    }

    fn damaged(&self) -> anyhow::Error {
        let (path, end) = (self.path.display(), self.end);
        anyhow::anyhow!("{path}: was changed or damaged at byte {end} or behind it; use a copy")
    }
}

/// The texts of a frame.
pub fn texts<'a>(recipe: &'a Recipe, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut at = 0;
    recipe.texts.iter().map(move |size| {
        at += size;
        &bytes[at - size..at]
    })
}

/// The sidecar of a run, to which the inputs of the run add.
pub struct Sidecar {
    path: PathBuf,
    known: Mutex<Known>,
}

/// The content of the file, as far as it was read.
#[derive(Default)]
struct Known {
    end: u64,
    /// The number of each text.
    texts: HashMap<Hash, usize>,
    count: usize,
    /// The digests of the outputs and inputs of recipes.
    recipes: HashSet<(String, String)>,
}

impl Sidecar {
    /// Reads a sidecar; if there is none, the first output makes it.
    ///
    /// # Errors
    /// It cannot be read, or was changed.
    pub fn new(path: &Path) -> Result<Sidecar> {
        let mut known = Known::default();
        if path.exists() {
            known.read_on(&mut Frames::open(path, FlockOperation::LockShared)?)?;
        }
        Ok(Sidecar {
            path: path.to_owned(),
            known: Mutex::new(known),
        })
    }

    /// Keeps what was cut from one input.
    ///
    /// # Errors
    /// It cannot be written; then the file is as it was.
    pub fn keep(&self, cuts: Cuts) -> Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frames = Frames::open(&self.path, FlockOperation::LockExclusive)?;
        known.read_on(&mut frames)?;
        let kept = known.add(&mut frames, cuts);
        if kept.is_err() {
            *known = Known::default();
        }
        kept
    }
}

impl Known {
    /// Reads the frames that this and other processes have added.
    fn read_on(&mut self, frames: &mut Frames) -> Result<()> {
        frames.end = frames.end.max(self.end);
        while let Some((recipe, bytes)) = frames.next()? {
            for text in texts(&recipe, &bytes) {
                self.texts.insert(Sha256::digest(text).into(), self.count);
                self.count += 1;
            }
            self.recipes.insert((recipe.output, recipe.input));
        }
        self.end = frames.end;
        Ok(())
    }

    fn add(&mut self, frames: &mut Frames, cuts: Cuts) -> Result<()> {
        let (output, input) = (hex(cuts.output), hex(cuts.input));
        if !self.recipes.insert((output.clone(), input.clone())) {
            return Ok(());
        }
        let (mut sizes, mut new) = (Vec::new(), Vec::new());
        let steps = cuts.steps.into_iter().map(|(kept, put, hash)| {
            let number = self.texts.entry(hash).or_insert_with(|| {
                let text = &cuts.texts[&hash];
                new.extend_from_slice(text);
                sizes.push(text.len());
                self.count + sizes.len() - 1
            });
            (kept, put, *number)
        });
        let recipe = Recipe {
            output,
            input,
            steps: steps.collect(),
            texts: sizes,
        };
        frames.append(&recipe, &new)?;
        frames.file.sync_all()?;
        self.count += recipe.texts.len();
        self.end = frames.end;
        Ok(())
    }
}

/// Adds a text, without reading those that are there, and without waiting for the disk.
///
/// # Errors
/// It cannot be written, other processes write to it for half a second, or it is no sidecar.
pub fn keep_text(path: &Path, text: &[u8]) -> Result<()> {
    let mut waits = [WAIT; 100].into_iter();
    let mut frames = loop {
        match Frames::open(path, FlockOperation::NonBlockingLockExclusive) {
            // Hooks of tools that run in parallel run in parallel.
            Err(error) if error.root_cause().downcast_ref() == Some(&Errno::WOULDBLOCK) => {
                sleep(waits.next().ok_or(error)?);
            }
            opened => break opened?,
        }
    };
    while let Some((size, _)) = frames.header()? {
        frames.end += HEADER + size;
    }
    let recipe = Recipe {
        texts: vec![text.len()],
        ..Recipe::default()
    };
    frames.append(&recipe, text)
}

/// The digits of a digest.
pub fn hex(digest: Sha256) -> String {
    format!("{:x}", digest.finalize())
}
