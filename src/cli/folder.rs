//! A destination: an open folder, and the name of a file in it.
//!
//! This module walks a path name by name, rather than the system, for two reasons. A part of the
//! path that is swapped later does not affect the open folder. And links are followed as Linux does
//! with `fs.protected_symlinks`, whether that is on or not: a link in a sticky folder to which
//! everybody may write is followed only if it is the caller's, or the folder owner's. `cap-std`
//! does not serve: it refuses paths and links that leave its folder, and does not ask who made a
//! link.

use super::{linux::FOLDER, *};
use rustix::{
    fs::{
        Access, AtFlags, CWD, FileType, Mode, OFlags, Stat, access, fstat, mkdirat, openat,
        readlinkat, statat,
    },
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
};

/// Links that one path may lead through.
const LINKS: usize = 40;
/// Bytes that a path may have, as in Linux.
const LONGEST: usize = 4096;
/// A folder in which everybody may make files, and only their owners may take them away.
const SHARED: Mode = Mode::SVTX.union(Mode::WOTH);

/// A name in an open folder.
#[derive(Debug)]
pub struct Place {
    /// The folder.
    pub folder: Arc<OwnedFd>,
    /// The name.
    pub name: OsString,
}

/// The target of a path.
pub enum PathTarget {
    /// A place for an ordinary file, whether there is one or not.
    Place(Place),
    /// A device or a pipe.
    Stream(Stream),
    /// A folder.
    Folder,
}

/// A device or a pipe that is not open yet, or a link of /proc to one.
pub struct Stream {
    place: Place,
    is_link: bool,
}

/// Whether folders that are missing on the way are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MissingFolders {
    /// They are.
    Make,
    /// They are an error.
    Fail,
}

/// Follows a path: each of its parts is a name in the folder to which those before it lead.
pub fn find(path: &Path, missing: MissingFolders) -> io::Result<PathTarget> {
    if path.as_os_str().len() > LONGEST {
        return Err(Errno::NAMETOOLONG.into());
    }
    let start = if path.is_absolute() { "/" } else { "." };
    let mut folder = Arc::new(openat(CWD, start, FOLDER, Mode::empty())?);
    let (mut rest, mut links) = (reversed(path), 0);
    while let Some(name) = rest.pop() {
        if matches!(name.as_bytes(), b"/" | b"." | b"..") {
            folder = Arc::new(openat(&folder, name, FOLDER, Mode::empty())?);
            continue;
        }
        let (place, is_last) = (Place { folder, name }, rest.is_empty());
        let found = place.metadata()?;
        // A missing name becomes a file or, on the way, a folder.
        let mut kind = found.as_ref().map_or(FileType::RegularFile, kind_of);
        let is_link = kind == FileType::Symlink;
        if let Some(found) = found.filter(|_| !is_plain(kind))
            && !is_trusted(&place.folder, &found)?
        {
            return Err(planted(if is_link { "link" } else { "pipe" }));
        }
        let in_proc = is_link && linux::is_in_proc(&place.folder);
        if in_proc {
            // Its target may be another one than its text names.
            let open = kind_of(&statat(&place.folder, &place.name, AtFlags::empty())?);
            kind = if is_plain(open) { kind } else { open };
        }
        folder = match kind {
            FileType::Symlink => {
                links += 1;
                if links > LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = readlinkat(&place.folder, &place.name, Vec::new())?;
                if in_proc {
                    statat(&place.folder, &target, AtFlags::empty())?;
                }
                rest.extend(reversed(OsStr::from_bytes(target.as_bytes()).as_ref()));
                place.folder
            }
            FileType::RegularFile if is_last => return Ok(PathTarget::Place(place)),
            kind if is_last && !is_plain(kind) => {
                return Ok(PathTarget::Stream(Stream { place, is_link }));
            }
            _ => place.enter(missing)?,
        };
    }
    Ok(PathTarget::Folder)
}

fn kind_of(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

/// Whether it is a file or a folder.
fn is_plain(kind: FileType) -> bool {
    matches!(kind, FileType::RegularFile | FileType::Directory)
}

/// The parts of a path, the last one first.
fn reversed(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// The folder of a path, which is the current one where the path names none.
pub fn above(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Makes a folder where it is missing.
pub fn make(path: &Path) -> io::Result<()> {
    match find(path, MissingFolders::Make)? {
        PathTarget::Folder => Ok(()),
        PathTarget::Place(place) => place.enter(MissingFolders::Make).map(drop),
        PathTarget::Stream(_) => Err(Errno::NOTDIR.into()),
    }
}

/// Fails if a file cannot be written: of the file and the folders above it, `most` in all, the
/// first one that exists must be writable.
pub fn try_write(path: &Path, most: usize) -> io::Result<()> {
    let path = absolute(path)?;
    let found = path.ancestors().take(most).find(|path| path.exists());
    Ok(access(found.ok_or(Errno::NOENT)?, Access::WRITE_OK)?)
}

impl Place {
    /// Returns the metadata of the file that has this name now. A link is not followed.
    pub fn metadata(&self) -> io::Result<Option<Stat>> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens what has this name; a file that is made is for its owner alone.
    pub fn open(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mode = Mode::RUSR | Mode::WUSR;
        openat(&self.folder, &self.name, flags | OFlags::CLOEXEC, mode)
    }

    /// Opens the folder that has this name. A link is not followed.
    fn enter(&self, missing: MissingFolders) -> io::Result<Arc<OwnedFd>> {
        if missing == MissingFolders::Make {
            let all = Mode::RWXU | Mode::RWXG | Mode::RWXO;
            match mkdirat(&self.folder, &self.name, all) {
                Err(error) if error != Errno::EXIST => return Err(error.into()),
                _ => {}
            }
        }
        Ok(Arc::new(self.open(FOLDER | OFlags::NOFOLLOW)?))
    }

    /// Opens what has this name, to be read or written in place. A link is not followed, a pipe
    /// does not block, and what another user may have planted is refused.
    pub fn open_trusted(&self, flags: OFlags) -> io::Result<File> {
        let file = self.open(flags | OFlags::NOFOLLOW | OFlags::NONBLOCK)?;
        if is_trusted(&self.folder, &fstat(&file)?)? {
            Ok(file.into())
        } else {
            Err(planted("file"))
        }
    }

    /// Whether what has this name may be written to as it is: in a folder that is shared it must be
    /// the caller's, or the folder's owner's, as Linux has it with `fs.protected_regular`.
    pub fn is_trusted(&self) -> io::Result<bool> {
        self.metadata()?
            .map_or(Ok(true), |found| is_trusted(&self.folder, &found))
    }
}

impl Stream {
    /// Opens it to be written to. If it has become an ordinary file meanwhile, it is left alone.
    pub fn open(self) -> io::Result<File> {
        let mut flags = OFlags::WRONLY | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, !self.is_link);
        let file = File::from(self.place.open(flags)?);
        if file.metadata()?.is_file() {
            Err(io::Error::other("changed while it was opened"))
        } else {
            Ok(file)
        }
    }
}

/// Refuses a file that is written to in place if somebody else may have planted it, or a link to
/// it. Other errors are left to the caller that opens it.
pub fn refuse_planted(path: &Path) -> io::Result<()> {
    match find(path, MissingFolders::Fail) {
        Ok(PathTarget::Place(place)) if !place.is_trusted()? => Err(planted("file")),
        Err(error) if error.kind() == io::ErrorKind::Other => Err(error),
        _ => Ok(()),
    }
}

fn is_trusted(folder: &OwnedFd, found: &Stat) -> io::Result<bool> {
    let folder = fstat(folder)?;
    Ok(trusts(
        Mode::from_raw_mode(folder.st_mode),
        folder.st_uid,
        found.st_uid,
        rustix::process::geteuid().as_raw(),
    ))
}

/// Whether `caller` may use what `owner` made in a folder of such a mode and owner.
fn trusts(folder: Mode, folder_owner: u32, owner: u32, caller: u32) -> bool {
    !folder.contains(SHARED) || owner == caller || owner == folder_owner
}

/// Returns the error of something that another user put into a shared folder. No error of the
/// system has its kind.
fn planted(what: &str) -> io::Error {
    io::Error::other(format!(
        "a {what} of another user in a folder to which everybody may write is not used; name another path"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_04_links_are_followed_as_the_system_would() {
        const ROOT: u32 = 0;
        for (mode, folder_owner, owner, caller, want) in [
            (0o1777, ROOT, 7, 7, true),
            (0o1777, ROOT, ROOT, 7, true),
            (0o1777, ROOT, 8, 7, false),
            // Root is a caller like any other.
            (0o1777, 9, 8, ROOT, false),
            (0o1777, 9, 9, ROOT, true),
            (0o1773, ROOT, 8, 7, false),
            // Not shared: only sticky, or only open to all.
            (0o1775, ROOT, 8, 7, true),
            (0o0777, ROOT, 8, 7, true),
            (0o0755, 8, 8, 7, true),
        ] {
            assert_eq!(
                trusts(Mode::from_raw_mode(mode), folder_owner, owner, caller),
                want,
                "{mode:o} {folder_owner} {owner} {caller}"
            );
        }
    }

    fn shown(path: &Path) -> String {
        match find(path, MissingFolders::Fail) {
            Ok(PathTarget::Place(place)) => format!("place {}", place.name.display()),
            Ok(PathTarget::Stream(_)) => "stream".to_owned(),
            Ok(PathTarget::Folder) => "folder".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn paths_lead_where_the_system_leads() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/file"), "x").unwrap();
        for (name, target) in [
            ("rel", "a/../a/file"),
            ("abs", at("a").to_str().unwrap()),
            ("loop", "loop"),
            ("new", "a/new"),
            ("up", ".."),
        ] {
            std::os::unix::fs::symlink(target, at(name)).unwrap();
        }
        let there = fs::File::open(at("a/file")).unwrap();
        let open = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&there));
        for (path, want) in [
            (at("a/file"), "place file"),
            (at("./a//b/.././file"), "place file"),
            (at("rel"), "place file"),
            (at("abs/file"), "place file"),
            (at("abs/b"), "folder"),
            (at("new"), "place new"),
            (at("none"), "place none"),
            (at("none/x"), "No such file or directory (os error 2)"),
            (at("a/file/x"), "Not a directory (os error 20)"),
            (
                at("loop/x"),
                "Too many levels of symbolic links (os error 40)",
            ),
            (at("up/none"), "place none"),
            ("/dev/null".into(), "stream"),
            ("/".into(), "folder"),
            (open.clone().into(), "place file"),
            ("/proc/self/cwd".into(), "folder"),
        ] {
            assert_eq!(shown(&path), want, "{}", path.display());
        }
        // An open file whose name was removed has no place.
        fs::remove_file(at("a/file")).unwrap();
        #[cfg(all(target_os = "linux", not(portable)))]
        assert!(
            shown(Path::new(&open)).starts_with("No such file"),
            "{}",
            shown(Path::new(&open))
        );
    }
}
