//! Temporary files: readable by their owner only, and deleted when the process ends, also by a signal.

use super::process;
use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// Names that are tried before the folder is given up.
const ATTEMPTS: u64 = 1000;

/// A file that is removed unless it is renamed.
#[derive(Debug)]
pub struct Temporary {
    /// The file to write to.
    pub file: File,
    folder: Arc<OwnedFd>,
    name: String,
}

impl Temporary {
    /// A new file in an open folder, for its owner alone.
    pub fn new(folder: &Arc<OwnedFd>) -> io::Result<Temporary> {
        clean_up_when_interrupted();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let random = RandomState::new();
        // Locked while the file is made, so that a signal finds all that there are.
        let mut ours = ours();
        for attempt in 0..ATTEMPTS {
            let name = format!(".deadhead-{:016x}", random.hash_one(attempt));
            match openat(folder, name.as_str(), flags, Mode::RUSR | Mode::WUSR) {
                Ok(file) => {
                    ours.insert(name.clone(), Arc::clone(folder));
                    return Ok(Temporary { file: file.into(), folder: Arc::clone(folder), name });
                }
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Puts the file in the place of what is called `name` in its folder.
    pub fn rename(self, name: &std::ffi::OsStr) -> io::Result<()> {
        rustix::fs::renameat(&self.folder, self.name.as_str(), &self.folder, name)?;
        ours().remove(&self.name);
        Ok(())
    }

    /// The same where nothing may be of that name.
    pub fn link(self, name: &std::ffi::OsStr) -> io::Result<()> {
        use rustix::io::Errno;
        match rustix::fs::linkat(&self.folder, self.name.as_str(), &self.folder, name, AtFlags::empty()) {
            // A file system without links.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => self.rename(name),
            other => Ok(other?),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if ours().remove(&self.name).is_some() {
            let _ = unlinkat(&self.folder, self.name.as_str(), AtFlags::empty());
        }
    }
}

/// Temporary files of this process: their names, which are random, and their folders.
fn ours() -> MutexGuard<'static, BTreeMap<String, Arc<OwnedFd>>> {
    static OURS: Mutex<BTreeMap<String, Arc<OwnedFd>>> = Mutex::new(BTreeMap::new());
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files on SIGINT, SIGTERM and SIGHUP, and then dies of the signal as usual. One that the process was
/// started to ignore stays ignored. Without a thread to wait for them, signals do what they do by default.
fn clean_up_when_interrupted() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let signals: Vec<i32> = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !process::ignores(*signal)).collect();
        if signals.is_empty() {
            return;
        }
        let (ready, wait) = sync_channel::<()>(0);
        let waiting = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            // Caught only now that there is somebody to see them.
            let Ok(mut signals) = Signals::new(signals) else { return };
            drop(ready);
            if let Some(signal) = signals.forever().next() {
                let ours = ours();
                for (name, folder) in ours.iter() {
                    let _ = unlinkat(folder, name.as_str(), AtFlags::empty());
                }
                let _ = emulate_default_handler(signal);
            }
        });
        if waiting.is_ok() {
            let _ = wait.recv();
        }
    });
}
