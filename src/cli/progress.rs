//! The progress of a run on stderr: a bar on a terminal when the run takes long, or always on
//! request; elsewhere one line after five seconds.

use super::*;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

/// Time after which a bar is shown.
const PATIENCE: Duration = Duration::from_millis(700);
/// Time after which a line says what is done, where there is no terminal.
const LONG: Duration = Duration::from_secs(5);

/// A bar that appears late, at once or never.
pub struct Progress {
    bar: Mutex<Option<ProgressBar>>,
    total: u64,
    /// What is done, with a space behind it.
    what: &'static str,
    done: AtomicU64,
    since: Instant,
    /// Time after which it appears, if it does.
    patience: Option<Duration>,
    /// Whether it is a bar, and not a line.
    is_bar: bool,
    is_said: AtomicBool,
}

/// The part of the work that one input is.
pub struct Part<'a> {
    whole: &'a Progress,
    /// The bytes that it adds to the whole, and the bytes that are counted when it is read.
    share: u64,
    size: u64,
    added: AtomicU64,
}

impl Progress {
    /// A bar over `total` bytes, behind words that say what is done. With words it is also for what
    /// takes long without a terminal.
    pub fn new(when: AutoChoice, total: u64, what: &'static str) -> Progress {
        let is_bar = io::stderr().is_terminal();
        let patience = match when {
            AutoChoice::Always => Some(Duration::ZERO),
            AutoChoice::Never => None,
            AutoChoice::Auto if is_bar => Some(PATIENCE),
            AutoChoice::Auto => (!what.is_empty()).then_some(LONG),
        };
        Progress {
            bar: Mutex::new(None),
            total,
            what,
            done: AtomicU64::new(0),
            since: Instant::now(),
            patience,
            is_bar,
            is_said: AtomicBool::new(false),
        }
    }

    /// Adds an input that is `share` of the bytes, and `size` bytes when it is read: a packed input
    /// is longer unpacked.
    pub fn part(&self, share: u64, size: u64) -> Part<'_> {
        Part {
            whole: self,
            share,
            size,
            added: AtomicU64::new(0),
        }
    }

    /// Prints something else meanwhile: on a terminal the bar is hidden for it.
    pub fn suspend<T>(&self, say: impl FnOnce() -> T) -> T {
        let bar = self.bar.lock().ok().and_then(|bar| bar.clone());
        match bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }

    /// So many more bytes are done.
    pub fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self
            .patience
            .is_none_or(|patience| self.since.elapsed() < patience)
        {
            return;
        }
        if !self.is_bar {
            if !self.is_said.swap(true, Ordering::Relaxed) {
                let [done, total] = [done, self.total].map(HumanBytes);
                stderr_line!("deadhead: note: {}{done} of {total} done", self.what);
            }
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            // The rate of the first second is meaningless.
            let template = "{msg}{bar:30} {bytes}/{total_bytes}, {eta} left";
            let style = ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(self.total)
                .with_style(style)
                .with_message(self.what)
        });
        bar.set_position(done);
        // A requested bar is shown even if the work is quick.
        if done >= self.total {
            bar.force_draw();
        }
    }
}

impl Part<'_> {
    /// Notes the number of bytes that are done, by its own count.
    pub fn at(&self, done: u64) {
        let share = if done < self.size {
            (u128::from(self.share) * u128::from(done) / u128::from(self.size)) as u64
        } else {
            self.share
        };
        let before = self.added.fetch_max(share, Ordering::Relaxed);
        if share > before {
            self.whole.add(share - before);
        }
    }

    /// All of it is done, well or badly.
    pub fn finish(&self) {
        self.at(self.size);
    }
}
