//! The progress bar: on stderr, only when the work lasts.

use super::When;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time after which a bar is shown.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar that appears late or never.
pub struct Progress {
    bar: Mutex<Option<ProgressBar>>,
    total: u64,
    since: Instant,
    wanted: bool,
}

impl Progress {
    /// A bar over `total` bytes.
    pub fn new(when: When, total: u64) -> Progress {
        let wanted = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => std::io::stderr().is_terminal(),
        };
        Progress { bar: Mutex::new(None), total, since: Instant::now(), wanted }
    }

    /// So many bytes are done, of all.
    pub fn at(&self, done: u64) {
        if !self.wanted || self.since.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {binary_bytes_per_sec}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr()).with_style(style)
        });
        bar.set_position(done);
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}
