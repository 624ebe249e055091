//! The progress bar on stderr. It is shown when a run takes long, or always on request.

use super::*;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

/// Time after which a bar is shown.
const PATIENCE: Duration = Duration::from_millis(700);
/// Time after which lines say what is done, where there is no terminal.
const LONG: Duration = Duration::from_secs(5);
/// Columns of a bar where there is no terminal.
const WIDTH: u16 = 80;

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
    /// A bar over `total` bytes, behind words that say what is done. With words it is also for what takes long without a terminal.
    pub fn new(when: AutoChoice, total: u64, what: &'static str) -> Progress {
        let patience = match when {
            AutoChoice::Always => Some(Duration::ZERO),
            AutoChoice::Never => None,
            AutoChoice::Auto if io::stderr().is_terminal() => Some(PATIENCE),
            AutoChoice::Auto => (!what.is_empty()).then_some(LONG),
        };
        Progress {
            bar: Mutex::new(None),
            total,
            what,
            done: AtomicU64::new(0),
            since: Instant::now(),
            patience,
        }
    }

    /// An input that is so many of the bytes, and counts so many when it is read: packed ones are more than they are.
    pub fn part(&self, share: u64, size: u64) -> Part<'_> {
        Part {
            whole: self,
            share,
            size,
            added: AtomicU64::new(0),
        }
    }

    /// Says something else meanwhile: on a terminal the bar makes way for it.
    pub fn suspend<T>(&self, say: impl FnOnce() -> T) -> T {
        let bar = self
            .bar
            .lock()
            .ok()
            .and_then(|bar| bar.clone())
            .filter(|_| io::stderr().is_terminal());
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
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template(
                "{msg}{bar:30} {bytes}/{total_bytes} {binary_bytes_per_sec}",
            )
            .unwrap_or_else(|_| ProgressStyle::default_bar());
            let target = if io::stderr().is_terminal() {
                ProgressDrawTarget::stderr()
            } else {
                ProgressDrawTarget::term_like_with_hz(Box::new(NoTerminal), 1)
            };

            ProgressBar::with_draw_target(Some(self.total), target)
                .with_style(style)
                .with_message(self.what)
        });
        bar.set_position(done);
        // Whoever asked for a bar sees it, however quick the work is.
        if done >= self.total {
            bar.force_draw();
        }
    }
}

impl Part<'_> {
    /// So many bytes are done, by its own count.
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

/// A file or a pipe in the place of a terminal: lines are not drawn over, but follow each other.
#[derive(Debug)]
struct NoTerminal;

impl TermLike for NoTerminal {
    fn width(&self) -> u16 {
        WIDTH
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        writeln!(Stderr, "{text}")
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        // The bar is drawn, and then filled up with blanks to the width.
        if text.trim().is_empty() {
            Ok(())
        } else {
            writeln!(Stderr, "{text}")
        }
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}
