//! A destination: an open folder, and the name of a file in it.
//!
//! A path is walked here, name by name, and not by the system, for two reasons. Whoever swaps a part of it later swaps nothing for
//! the folder that is open; and links are followed as Linux does with `fs.protected_symlinks`, whether that is on or not: one
//! in a sticky folder to which everybody may write is followed only if it is the caller's, or the folder's owner's.

use super::linux::FOLDER;
use super::*;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, readlinkat, statat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Component;

/// Links that one path may lead through.
const LINKS: usize = 40;
/// Bytes that a path may have, as in Linux.
const LONGEST: usize = 4096;
/// A folder in which everybody may make files, and only their owners may take them away.
const SHARED: Mode = Mode::SVTX.union(Mode::WOTH);

/// A name in an open folder.
#[derive(Clone, Debug)]
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
    Folder(OwnedFd),
}

/// A device or a pipe that is not open yet, and how it is opened.
pub struct Stream(Place, OFlags);

/// Whether folders that are missing on the way are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MissingFolders {
    /// They are.
    Make,
    /// They are an error.
    Fail,
}

/// Follows a path.
pub fn find(path: &Path, missing: MissingFolders) -> io::Result<PathTarget> {
    follow(path, missing, &mut 0)
}

/// The folder of a path, which is the current one where the path names none.
pub fn above(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Opens a folder and makes it where it is missing.
pub fn open(path: &Path) -> io::Result<OwnedFd> {
    enter(path, MissingFolders::Make, &mut 0)
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

    /// Whether what has this name may be written to as it is: in a folder that is shared it must be the caller's, or the folder's
    /// owner's, as Linux has it with `fs.protected_regular`.
    pub fn is_trusted(&self) -> io::Result<bool> {
        self.metadata()?
            .map_or(Ok(true), |found| is_trusted(&self.folder, &found))
    }
}

impl Stream {
    /// Opens it to be written to. What has become an ordinary file meanwhile is left alone.
    pub fn open(self) -> io::Result<File> {
        let Stream(place, more) = self;
        let file = File::from(place.open(OFlags::WRONLY | OFlags::NOCTTY | more)?);
        if file.metadata()?.is_file() {
            Err(io::Error::other("changed while it was opened"))
        } else {
            Ok(file)
        }
    }
}

/// Refuses a file that is written to in place where somebody else may have planted it, or a link to it. Whether there is one,
/// and what, is for whoever opens it to say.
pub fn refuse_planted(path: &Path) -> io::Result<()> {
    match find(path, MissingFolders::Fail) {
        Ok(PathTarget::Place(place)) if !place.is_trusted()? => Err(planted("file")),
        Err(error) if error.kind() == io::ErrorKind::Other => Err(error),
        _ => Ok(()),
    }
}

/// Follows a path, after so many links.
fn follow(path: &Path, missing: MissingFolders, links: &mut usize) -> io::Result<PathTarget> {
    let mut parts = path.components();
    let last = parts.next_back();
    let above = parts.as_path();
    let name = match last {
        Some(Component::Normal(name)) => name.to_owned(),
        Some(Component::ParentDir) => {
            let below = enter(above, missing, links)?;
            let folder = openat(below, "..", FOLDER, Mode::empty())?;
            return Ok(PathTarget::Folder(folder));
        }
        root => {
            let name = root.map_or(OsStr::new("."), Component::as_os_str);
            let folder = openat(CWD, name, FOLDER, Mode::empty())?;
            return Ok(PathTarget::Folder(folder));
        }
    };
    if path.as_os_str().len() > LONGEST {
        return Err(Errno::NAMETOOLONG.into());
    }
    let folder = Arc::new(enter(above, missing, links)?);
    let place = Place { folder, name };
    let Some(found) = place.metadata()? else {
        return Ok(PathTarget::Place(place));
    };
    let kind = FileType::from_raw_mode(found.st_mode);
    match kind {
        FileType::Directory => Ok(PathTarget::Folder(place.open(FOLDER | OFlags::NOFOLLOW)?)),
        FileType::RegularFile => Ok(PathTarget::Place(place)),
        _ if !is_trusted(&place.folder, &found)? => Err(planted(match kind {
            FileType::Symlink => "link",
            _ => "pipe",
        })),
        FileType::Symlink => follow_link(place, above, missing, links),
        _ => Ok(PathTarget::Stream(Stream(place, OFlags::NOFOLLOW))),
    }
}

/// Follows a link in the folder `above`.
fn follow_link(
    link: Place,
    above: &Path,
    missing: MissingFolders,
    links: &mut usize,
) -> io::Result<PathTarget> {
    *links += 1;
    if *links > LINKS {
        return Err(Errno::LOOP.into());
    }
    // What a link of /proc leads to may be nothing that its text names.
    let in_proc = linux::is_in_proc(&link.folder);
    if in_proc {
        let open = statat(&link.folder, &link.name, AtFlags::empty())?;
        let kind = FileType::from_raw_mode(open.st_mode);
        if !matches!(kind, FileType::Directory | FileType::RegularFile) {
            return Ok(PathTarget::Stream(Stream(link, OFlags::empty())));
        }
    }
    let target = readlinkat(&link.folder, &link.name, Vec::new())?.into_bytes();
    let target = follow(&above.join(OsString::from_vec(target)), missing, links)?;
    match &target {
        PathTarget::Place(place) if in_proc && place.metadata()?.is_none() => {
            Err(Errno::NOENT.into())
        }
        _ => Ok(target),
    }
}

/// Opens a folder, which is no link any more than when it was looked at.
fn enter(path: &Path, missing: MissingFolders, links: &mut usize) -> io::Result<OwnedFd> {
    let place = match follow(path, missing, links)? {
        PathTarget::Folder(folder) => return Ok(folder),
        PathTarget::Place(place) if place.metadata()?.is_none() => place,
        _ => return Err(Errno::NOTDIR.into()),
    };
    if missing == MissingFolders::Make {
        let all = Mode::RWXU | Mode::RWXG | Mode::RWXO;
        match mkdirat(&place.folder, &place.name, all) {
            Err(error) if error != Errno::EXIST => return Err(error.into()),
            _ => {}
        }
    }
    Ok(place.open(FOLDER | OFlags::NOFOLLOW)?)
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

/// The error of something that another user put where everybody may. No error of the system has its kind.
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
            Ok(PathTarget::Folder(_)) => "folder".to_owned(),
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
        // A file that is open and has no name any more has no place.
        fs::remove_file(at("a/file")).unwrap();
        #[cfg(all(target_os = "linux", not(portable)))]
        assert!(
            shown(Path::new(&open)).starts_with("No such file"),
            "{}",
            shown(Path::new(&open))
        );
    }
}
