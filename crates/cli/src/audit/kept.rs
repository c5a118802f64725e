//! Commands that stay between the batches of a sequential audit: each is started once, for all the outputs that it
//! may be asked for, and read batch by batch. It ends with the audit.

use std::{
    io::{BufRead, BufReader, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    commands::{Killed, Run, Terms, last_of, runs, start},
    group::Group,
};
use crate::Failure;
use certus_audit::{
    Side,
    outputs::{LONGEST_LINE_BYTES, Recording, Tally},
};

/// A run may be asked for so many more outputs than its part of all: every batch is shared out by itself, and there
/// are never so many batches.
const SLACK: u64 = 64;

/// Runs that stay.
pub(super) struct Kept {
    runs: Vec<KeptRun>,
    answers: mpsc::Receiver<(usize, Result<Tally, Failure>)>,
    timeout: Duration,
}

struct KeptRun {
    run: Run,
    ask: mpsc::Sender<u64>,
    _group: Killed,
}

impl Kept {
    /// Starts both commands, each in shards, for at most `most` outputs a side.
    pub(super) fn start(
        sides: ((&str, &str), (&str, &str)),
        most: u64,
        terms: &Terms,
        done: &Arc<AtomicU64>,
    ) -> Result<Self, Failure> {
        let (send, answers) = mpsc::channel();
        let mut kept = Vec::new();
        for (place, mut run) in runs(sides, most, terms.shards).into_iter().enumerate() {
            run.samples = run.samples.saturating_add(SLACK);
            let (child, group) = start(&run, terms.folder.as_deref())?;
            let (group, (ask, asked)) = (Arc::new(group), mpsc::channel());
            let reader = Reader { place, run: run.clone(), group: Arc::clone(&group), done: Arc::clone(done) };
            let send = send.clone();
            // Not scoped, as in `commands`: a killed group may leave its end of the pipe to somebody.
            thread::Builder::new()
                .spawn(move || reader.answer(child, &asked, &send))
                .map_err(|error| Failure::Environment(format!("a thread could not be started: {error}")))?;
            kept.push(KeptRun { run, ask, _group: Killed(group) });
        }
        Ok(Self { runs: kept, answers, timeout: terms.timeout })
    }

    /// The next outputs of both sides, so many each.
    pub(super) fn draw(&self, batch: u64) -> Result<(Tally, Tally), Failure> {
        let deadline = Instant::now() + self.timeout;
        for side in [Side::A, Side::B] {
            let runs: Vec<&KeptRun> = self.runs.iter().filter(|kept| kept.run.side == side).collect();
            let shards = runs.len().max(1) as u64;
            for (shard, kept) in (0..).zip(runs) {
                let part = batch / shards + u64::from(shard < batch % shards);
                // If nobody listens any more, its failure is among the answers.
                let _ = kept.ask.send(part);
            }
        }
        let (mut on_a, mut on_b) = (Tally::default(), Tally::default());
        for _ in &self.runs {
            let left = deadline.saturating_duration_since(Instant::now());
            let (place, tally) = self.answers.recv_timeout(left).map_err(|_| {
                Failure::Environment(format!(
                    "{}: a command printed too few lines within {} s (--timeout); it was killed",
                    self.runs.first().map_or("--a", |kept| &kept.run.argument),
                    self.timeout.as_secs()
                ))
            })?;
            let Some(KeptRun { run, .. }) = self.runs.get(place) else { continue };
            let merged = run.side.pick(&mut on_a, &mut on_b);
            let so_far = std::mem::take(merged);
            *merged = so_far.merge(&tally?).map_err(|error| {
                Failure::Environment(format!("{}: {error}; CERTUS_SHARD differs from run to run", run.argument))
            })?;
        }
        Ok((on_a, on_b))
    }
}

/// What reads one run.
struct Reader {
    place: usize,
    run: Run,
    group: Arc<Group>,
    done: Arc<AtomicU64>,
}

impl Reader {
    /// Answers every request with a tally of so many lines, until nobody asks.
    fn answer(
        self,
        mut child: std::process::Child,
        asked: &mpsc::Receiver<u64>,
        send: &mpsc::Sender<(usize, Result<Tally, Failure>)>,
    ) {
        let errors = child.stderr.take().and_then(|stderr| thread::Builder::new().spawn(move || last_of(stderr)).ok());
        let Some(stdout) = child.stdout.take() else { return };
        let mut lines = BufReader::new(stdout);
        let mut batch = 0_u64;
        while let Ok(wanted) = asked.recv() {
            batch += 1;
            match self.read(&mut lines, wanted, batch) {
                Ok(tally) => {
                    let _ = send.send((self.place, Ok(tally)));
                }
                Err(what) => {
                    self.group.kill();
                    let _ = self.group.finish(&mut child);
                    let said = errors.and_then(|errors| errors.join().ok()).filter(|said| !said.is_empty());
                    let said = said.unwrap_or_else(|| "nothing".to_owned());
                    let line = format!("{}: the command {what}; its stderr: {said}", self.run.argument);
                    let _ = send.send((self.place, Err(Failure::Environment(line))));
                    return;
                }
            }
        }
        self.group.kill();
        let _ = self.group.finish(&mut child);
    }

    fn read(&self, lines: &mut impl BufRead, wanted: u64, batch: u64) -> Result<Tally, String> {
        let mut recording = Recording::new();
        let mut line = Vec::new();
        for read in 0..wanted {
            line.clear();
            // One byte for the newline, and one that tells that the line is too long.
            let most = LONGEST_LINE_BYTES as u64 + 2;
            lines.by_ref().take(most).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
            if line.is_empty() {
                return Err(format!("printed {read} more lines where {wanted} were asked for, and ended"));
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            recording.line(&line).map_err(|error| format!("printed what is no output: {error}"))?;
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(recording.finish(&format!("{}{}-{batch}", self.run.side.name(), self.run.shard)))
    }
}
