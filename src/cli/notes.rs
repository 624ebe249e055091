//! Lines of a proxy for people, which a thread prints. If nobody reads them they are lost, and no
//! request waits.

use super::*;
use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering},
    mpsc::{SyncSender, sync_channel},
};
use std::thread;

/// Lines that may wait to be printed.
const WAITING: usize = 1000;
/// How often [`wait`] looks, and how many times.
const LOOK: Duration = Duration::from_millis(1);
const LOOKS: usize = 1000;

static LINES: OnceLock<SyncSender<String>> = OnceLock::new();
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Has a line printed, unless too many wait.
pub fn print(line: &str) {
    LEFT.fetch_add(1, Ordering::Relaxed);
    let lines = LINES.get_or_init(|| {
        let (lines, coming) = sync_channel::<String>(WAITING);
        let _ = thread::Builder::new().spawn(move || {
            for line in coming {
                stderr_line!("deadhead: {line}");
                LEFT.fetch_sub(1, Ordering::Relaxed);
            }
        });
        lines
    });
    if lines.try_send(line.to_owned()).is_err() {
        LEFT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits until all lines are printed, for a second at most.
pub fn wait() {
    for _ in 0..LOOKS {
        if LEFT.load(Ordering::Relaxed) == 0 {
            break;
        }
        thread::sleep(LOOK);
    }
}
