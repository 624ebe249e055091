//! Functions that need Linux. On other systems they return `None` or do nothing, and their callers use a portable way.

pub use system::{file_in_memory, move_from_pipe, wish_for_huge_pages};

#[cfg(all(target_os = "linux", not(portable)))]
mod system {
    use memmap2::{Advice, MmapMut};
    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::io::Errno;
    use rustix::pipe::{SpliceFlags, splice};
    use std::fs::File;
    use std::io;

    /// Creates a file in memory without a name, if the system supports it.
    pub fn file_in_memory() -> Option<File> {
        memfd_create("deadhead", MemfdFlags::CLOEXEC)
            .ok()
            .map(File::from)
    }

    /// Splices at most `most` bytes from `pipe` to the end of `file`, without copying them to user space. Returns `None` if `pipe` is not a
    /// pipe.
    pub fn move_from_pipe(pipe: &File, file: &File, most: usize) -> io::Result<Option<usize>> {
        loop {
            match splice(pipe, None, file, None, most, SpliceFlags::empty()) {
                Ok(n) => return Ok(Some(n)),
                Err(Errno::INTR) => {}
                Err(Errno::INVAL) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Asks for huge pages. If there are none, the pages stay small.
    pub fn wish_for_huge_pages(pages: &MmapMut) {
        let _ = pages.advise(Advice::HugePage);
    }
}

#[cfg(not(all(target_os = "linux", not(portable))))]
mod system {
    use memmap2::MmapMut;
    use std::fs::File;
    use std::io;

    pub fn file_in_memory() -> Option<File> {
        None
    }

    pub fn move_from_pipe(_: &File, _: &File, _: usize) -> io::Result<Option<usize>> {
        Ok(None)
    }

    pub fn wish_for_huge_pages(_: &MmapMut) {}
}
