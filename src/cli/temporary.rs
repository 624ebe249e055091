//! Temporary files: readable by their owner only, and gone when the process ends, also by a signal.
//!
//! Where the system has files without names, a file gets one when it is whole: a process that is
//! killed leaves nothing. Elsewhere it has a random name from the beginning, which a signal that
//! can be caught removes.

use super::*;
use rustix::{
    fs::{AtFlags, Mode, OFlags, openat, unlinkat},
    io::Errno,
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    ffi::OsStr,
    hash::{BuildHasher, RandomState},
    os::fd::OwnedFd,
    sync::{Mutex, MutexGuard, Once, PoisonError, mpsc::sync_channel},
    thread,
};

/// The number of names that are tried.
const ATTEMPTS: u64 = 1000;

/// A file that is removed unless it is renamed.
#[derive(Debug)]
pub struct Temporary {
    /// The file to write to.
    pub file: File,
    folder: Arc<OwnedFd>,
    /// Its name; `None` if the file system keeps it without one.
    name: Option<String>,
}

impl Temporary {
    /// A new file in an open folder, for its owner alone.
    pub fn new(folder: &Arc<OwnedFd>) -> io::Result<Temporary> {
        let (name, file) = match linux::unnamed(folder) {
            Some(file) => (None, file),
            None => {
                let (name, file) = named(folder, |name| create(folder, name))?;
                (Some(name), file)
            }
        };
        Ok(Temporary {
            file,
            folder: Arc::clone(folder),
            name,
        })
    }

    /// Puts the file in the place of what is called `name` in its folder, or fails if it `is_new`
    /// and something is there; returns it.
    pub fn place(mut self, name: &OsStr, is_new: bool) -> io::Result<File> {
        self.give_name(name, is_new)?;
        self.file.try_clone()
    }

    fn give_name(&mut self, name: &OsStr, is_new: bool) -> io::Result<()> {
        if self.name.is_none() {
            match linux::link_open(&self.file, &self.folder, name) {
                Err(error) if !is_new || error.kind() != io::ErrorKind::AlreadyExists => {}
                linked => return linked,
            }
        }
        // A link replaces nothing: the file gets a name of its own first.
        let own = self.own_name()?;
        let (folder, own) = (&self.folder, own.as_str());
        if is_new {
            match rustix::fs::linkat(folder, own, folder, name, AtFlags::empty()) {
                // A file system without links, or a system that lets nobody make one.
                Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP | Errno::NOSYS) => {}
                linked => return Ok(linked?),
            }
        }
        rustix::fs::renameat(folder, own, folder, name)?;
        ours().remove(own);
        Ok(())
    }

    /// The name of the file, which is given one if it has none.
    fn own_name(&mut self) -> io::Result<String> {
        match &self.name {
            Some(name) => Ok(name.clone()),
            None => {
                let (name, ()) = named(&self.folder, |name| {
                    linux::link_open(&self.file, &self.folder, OsStr::new(name))
                })?;
                Ok(self.name.insert(name).clone())
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name
            && ours().remove(name).is_some()
        {
            let _ = unlinkat(&self.folder, name.as_str(), AtFlags::empty());
        }
    }
}

fn create(folder: &OwnedFd, name: &str) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Makes something of a random name in a folder, which is removed if a signal ends the process.
fn named<T>(
    folder: &Arc<OwnedFd>,
    make: impl Fn(&str) -> io::Result<T>,
) -> io::Result<(String, T)> {
    clean_up_when_interrupted();
    let random = RandomState::new();
    // Locked while the file is made, so that a signal finds all that there are.
    let mut ours = ours();
    for attempt in 0..ATTEMPTS {
        let name = format!(".deadhead-{:016x}", random.hash_one(attempt));
        match make(&name) {
            Ok(made) => {
                ours.insert(name.clone(), Arc::clone(folder));
                return Ok((name, made));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Temporary files of this process: their names, which are random, and their folders.
fn ours() -> MutexGuard<'static, BTreeMap<String, Arc<OwnedFd>>> {
    static OURS: Mutex<BTreeMap<String, Arc<OwnedFd>>> = Mutex::new(BTreeMap::new());
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files on SIGINT, SIGTERM and SIGHUP, and then dies of the signal as usual.
/// One that the process was started to ignore stays ignored. Without a thread to wait for them,
/// signals do what they do by default.
fn clean_up_when_interrupted() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let signals: Vec<i32> = [SIGINT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| !process::ignores(*signal))
            .collect();
        if signals.is_empty() {
            return;
        }
        let (ready, wait) = sync_channel::<()>(0);
        let waiting = thread::Builder::new().spawn(move || {
            // They are caught only now that this thread handles them.
            let Ok(mut signals) = Signals::new(signals) else {
                return;
            };
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Write, path::Path};

    fn open(folder: &Path) -> Arc<OwnedFd> {
        Arc::new(File::open(folder).unwrap().into())
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_under_its_name_alone() {
        for has_name in [false, true] {
            for (old, replaces) in [
                (None, true),
                (Some("old"), true),
                (None, false),
                (Some("old"), false),
            ] {
                let place = tempfile::tempdir().unwrap();
                old.map_or(Ok(()), |old| fs::write(place.path().join("file"), old))
                    .unwrap();
                let folder = open(place.path());
                let mut made = Temporary::new(&folder).unwrap();
                if has_name {
                    made.own_name().unwrap();
                }
                made.file.write_all(b"new").unwrap();
                let done = made.place("file".as_ref(), !replaces);
                let about = format!("{has_name}, over {old:?}, replaces {replaces}");
                assert_eq!(done.is_ok(), replaces || old.is_none(), "{about}: {done:?}");
                assert_eq!(names(place.path()), ["file"], "{about}");
                assert_eq!(
                    fs::read_to_string(place.path().join("file")).unwrap(),
                    if done.is_ok() { "new" } else { "old" },
                    "{about}"
                );
            }
        }
    }

    /// Every Linux has a file system in memory there.
    #[cfg(all(target_os = "linux", not(portable)))]
    #[test]
    fn a_process_that_is_killed_leaves_nothing() {
        let place = tempfile::tempdir_in("/dev/shm").unwrap();
        let folder = open(place.path());
        let made = Temporary::new(&folder).unwrap();
        assert_eq!(names(place.path()), [""; 0]);
        made.place("file".as_ref(), false).unwrap();
        assert_eq!(names(place.path()), ["file"]);
    }

    #[test]
    fn a_file_that_is_not_wanted_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let folder = open(place.path());
        drop(Temporary::new(&folder).unwrap());
        let mut named = Temporary::new(&folder).unwrap();
        named.own_name().unwrap();
        assert_eq!(names(place.path()).len(), 1);
        drop(named);
        assert_eq!(names(place.path()), [""; 0]);
    }
}
