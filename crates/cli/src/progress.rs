//! Progress on standard error: on a terminal only, and only for what takes longer than a second.

use std::{
    io::{self, IsTerminal},
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// How long a command may be silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a wait is shown to go on.
const TICK: Duration = Duration::from_millis(100);

/// A bar with a known end, or a count without one.
pub(super) struct Progress {
    started: Instant,
    total: Option<u64>,
    unit: &'static str,
    shown: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new(total: Option<u64>, unit: &'static str, quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal();
        Self { started: Instant::now(), total, unit, shown, bar: None }
    }

    /// How far it has come.
    pub(super) fn at(&mut self, position: u64) {
        if !self.shown || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let (total, unit) = (self.total, self.unit);
        self.bar.get_or_insert_with(|| bar(total, unit)).set_position(position);
    }

    fn tick(&self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }
}

/// Works on another thread while this one shows how far the work has come; on this thread if there is nobody
/// to show it to.
///
/// The work counts what it has done. Without a total and without a count, a spinner with the time tells that
/// it goes on.
pub(super) fn watched<T: Send>(mut progress: Progress, work: impl FnOnce(&Arc<AtomicU64>) -> T + Send) -> T {
    let done = Arc::new(AtomicU64::new(0));
    if !progress.shown {
        return work(&done);
    }
    thread::scope(|scope| {
        let (finished, wait) = mpsc::channel::<()>();
        let worker = scope.spawn(|| {
            // Dropped when the work ends, however it ends.
            let _finished = finished;
            work(&done)
        });
        while let Err(mpsc::RecvTimeoutError::Timeout) = wait.recv_timeout(TICK) {
            progress.at(done.load(Ordering::Relaxed));
            progress.tick();
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn bar(total: Option<u64>, unit: &'static str) -> ProgressBar {
    let (bar, template) = match total {
        // Nothing to count: it only goes on.
        Some(0) => (ProgressBar::new_spinner(), "{spinner} {prefix}, {elapsed}"),
        Some(total) => (ProgressBar::new(total), "{wide_bar} {human_pos}/{human_len} {prefix}, {per_sec}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {human_pos} {prefix}, {per_sec}, {elapsed}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style).with_prefix(unit)
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
