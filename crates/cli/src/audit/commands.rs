//! Commands that are audited: each runs by `sh -c`, in shards, and prints one output a line.

use std::{
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use super::group::Group;
use crate::Failure;
use certus::mechanism::Excerpt;
use certus_audit::{
    Side,
    outputs::{Recording, Tally},
};

/// How much of what a command says on its standard error is kept: the end.
const KEPT: usize = 2048;

/// How long the threads that read may take to see that their command was killed.
const GRACE: Duration = Duration::from_secs(2);

/// One run of a command.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// What the command is called in an error: the argument that named it.
    pub(super) argument: String,
    pub(super) command: String,
    pub(super) side: Side,
    /// Over both sides, so that no two runs of an audit have the same number.
    pub(super) shard: u64,
    pub(super) samples: u64,
}

/// How commands run.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// Of each side.
    pub(super) shards: u64,
    pub(super) timeout: Duration,
    /// Where; here, if nobody says.
    pub(super) folder: Option<String>,
}

/// The number of the next run: no two of this process have the same, so that a command that seeds itself by
/// it never prints the same samples twice, neither on both sides, nor in two batches, nor in a trial and the
/// audit after it.
///
/// From 1: many generators (`srandom` of glibc, and so `srand` of gawk) take a seed of 0 for 1.
static NEXT_SHARD: AtomicU64 = AtomicU64::new(1);

/// Numbers from here on: for samples that must be fresh beside those of another process.
pub(super) fn number_shards_from(number: u64) {
    NEXT_SHARD.store(number, Ordering::Relaxed);
}

/// The runs of both commands, each in shards.
pub(super) fn runs((a, b): ((&str, &str), (&str, &str)), samples: u64, shards: u64) -> Vec<Run> {
    let shards = shards.clamp(1, samples.max(1));
    let mut runs = Vec::new();
    for (side, (argument, command)) in [(Side::A, a), (Side::B, b)] {
        let first = NEXT_SHARD.fetch_add(shards, Ordering::Relaxed);
        for shard in 0..shards {
            runs.push(Run {
                argument: argument.to_owned(),
                command: command.to_owned(),
                side,
                shard: first + shard,
                samples: samples / shards + u64::from(shard < samples % shards),
            });
        }
    }
    runs
}

/// Runs both commands, each in shards, and tallies what they print.
pub(super) fn both(
    (a, b): ((&str, &str), (&str, &str)),
    samples: u64,
    terms: &Terms,
    done: &Arc<AtomicU64>,
) -> Result<(Tally, Tally), Failure> {
    let runs = runs((a, b), samples, terms.shards);
    let tallies = all(&runs, terms, done)?;
    let (mut on_a, mut on_b) = (Tally::default(), Tally::default());
    for (run, tally) in runs.iter().zip(tallies) {
        let merged = run.side.pick(&mut on_a, &mut on_b);
        let so_far = std::mem::take(merged);
        *merged = so_far.merge(&tally).map_err(|error| {
            Failure::Environment(format!("{}: {error}; CERTUS_SHARD differs from run to run", run.argument))
        })?;
    }
    Ok((on_a, on_b))
}

/// Runs all at once; the first failure ends all.
fn all(runs: &[Run], terms: &Terms, done: &Arc<AtomicU64>) -> Result<Vec<Tally>, Failure> {
    let deadline = Instant::now() + terms.timeout;
    let (send, receive) = mpsc::channel();
    let mut groups = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let (child, group) = start(run, terms.folder.as_deref())?;
        let group = Arc::new(group);
        let (run, send, done) = (run.clone(), send.clone(), Arc::clone(done));
        groups.push(Killed(Arc::clone(&group)));
        // Not scoped: what a killed group leaves behind might keep its end of a pipe, and must not keep us.
        let reader = thread::Builder::new().spawn(move || {
            let outcome = read(&run, child, &group, &done);
            // If nobody listens any more, there is nothing to tell.
            let _ = send.send((place, outcome));
        });
        reader.map_err(|error| Failure::Environment(format!("a thread could not be started: {error}")))?;
    }
    drop(send);
    let mut tallies = vec![None; runs.len()];
    for _ in 0..runs.len() {
        let left = deadline.saturating_duration_since(Instant::now());
        match receive.recv_timeout(left) {
            Ok((place, Ok(tally))) => {
                if let Some(slot) = tallies.get_mut(place) {
                    *slot = Some(tally);
                }
            }
            Ok((_, Err(failure))) => return Err(failure),
            Err(_) => return Err(hung(runs, &tallies, &groups, &receive, terms.timeout)),
        }
    }
    Ok(tallies.into_iter().flatten().collect())
}

/// A group that ends with its audit, also when another command failed and a thread still reads.
pub(super) struct Killed(pub(super) Arc<Group>);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// The time is up: which command it was, and what it said.
fn hung(
    runs: &[Run],
    tallies: &[Option<Tally>],
    groups: &[Killed],
    receive: &mpsc::Receiver<(usize, Result<Tally, Failure>)>,
    timeout: Duration,
) -> Failure {
    let late = runs.iter().zip(tallies).find(|(_, tally)| tally.is_none());
    let argument = late.map_or("--a", |(run, _)| &run.argument);
    groups.iter().for_each(|killed| killed.0.kill());
    // What it printed until then says more than its silence.
    let said = match receive.recv_timeout(GRACE) {
        Ok((_, Err(Failure::Environment(line)))) => line.split_once("; its stderr: ").map(|(_, said)| said.to_owned()),
        _ => None,
    };
    let said = said.unwrap_or_else(|| "nothing".to_owned());
    Failure::Environment(format!(
        "{argument}: the command did not end within {} s (--timeout); it was killed; its stderr: {said}",
        timeout.as_secs()
    ))
}

pub(super) fn start(run: &Run, folder: Option<&str>) -> Result<(Child, Group), Failure> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(&run.command);
    command.env("CERTUS_SAMPLES", run.samples.to_string()).env("CERTUS_SHARD", run.shard.to_string());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Group::spawn(&mut command)
        .map_err(|error| Failure::Environment(format!("{}: sh could not be started: {error}", run.argument)))
}

/// Reads a command's outputs to their end.
fn read(run: &Run, mut child: Child, group: &Group, done: &AtomicU64) -> Result<Tally, Failure> {
    let errors = child.stderr.take().and_then(|stderr| thread::Builder::new().spawn(move || last_of(stderr)).ok());
    let mut recording = Recording::new();
    let mut first = Vec::new();
    let outputs = child.stdout.take().map(|stdout| Lines { inner: stdout, done, first: &mut first });
    // One more than wanted tells that there are too many.
    let read = outputs.map_or(Ok(0), |outputs| recording.read(outputs, run.samples.saturating_add(1)));
    let enough = matches!(read, Ok(lines) if lines == run.samples);
    if !enough {
        // It may print for ever.
        group.kill();
    }
    let status = group.finish(&mut child);
    let said = || {
        let said = errors.and_then(|errors| errors.join().ok()).unwrap_or_default();
        if said.is_empty() { "nothing".to_owned() } else { said }
    };
    let failed = |what: String| {
        Err(Failure::Environment(format!("{}: the command {what}; its stderr: {}", run.argument, said())))
    };
    let wanted = run.samples;
    match (read, status) {
        (Ok(lines), _) if lines > wanted => {
            let stray = message(&first).map_or_else(String::new, |line| {
                format!(
                    ", the first of which is no number but {}: messages belong on standard error",
                    Excerpt::new(line)
                )
            });
            failed(format!("printed more than the {wanted} lines it was asked for{stray}"))
        }
        (Ok(lines), Ok(status)) if enough && status.success() => {
            debug_assert_eq!(lines, wanted);
            Ok(recording.finish(&format!("{}{}", run.side.name(), run.shard)))
        }
        // Without a code, and with too few lines, it is we who killed it.
        (Ok(lines), Ok(status)) if enough || (!status.success() && status.code().is_some()) => {
            failed(format!("{} after {lines} of {wanted} lines", ended(status)))
        }
        (Ok(lines), _) => {
            failed(format!("printed {lines} of the {wanted} lines it was asked for: CERTUS_SAMPLES says how many"))
        }
        (Err(error), _) => failed(format!("printed what is no output: {error}")),
    }
}

/// Whether a command succeeds in this time; what it prints is not looked at.
pub(super) fn succeeds(command: &str, folder: Option<&str>, timeout: Duration) -> bool {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(folder) = folder {
        shell.current_dir(folder);
    }
    let Ok((mut child, group)) = Group::spawn(&mut shell) else { return false };
    let deadline = Instant::now() + timeout;
    while !group.has_ended() {
        if Instant::now() >= deadline {
            group.kill();
        }
        thread::sleep(Duration::from_millis(5));
    }
    group.finish(&mut child).is_ok_and(|status| status.success())
}

fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("failed with status {code}"),
        None => "was killed by a signal".to_owned(),
    }
}

/// The end of what a command says, on one line.
pub(super) fn last_of(mut stderr: impl Read) -> String {
    let (mut buffer, mut kept) = ([0; 4096], Vec::new());
    while let Ok(length) = stderr.read(&mut buffer) {
        if length == 0 {
            break;
        }
        kept.extend_from_slice(buffer.get(..length).unwrap_or_default());
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
    let text = String::from_utf8_lossy(&kept);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // The last lines tell what happened; the line as a whole is cut at its end.
    let last = lines.get(lines.len().saturating_sub(3)..).unwrap_or_default();
    last.join(" | ")
}

/// The first line of what a command printed, if it is a message: it has letters, and the second line is a number.
fn message(start: &[u8]) -> Option<&str> {
    let mut lines = std::str::from_utf8(start).ok()?.lines();
    let (first, second) = (lines.next()?, lines.next()?);
    let is_number = |line: &str| line.trim().parse::<f64>().is_ok();
    (!is_number(first) && is_number(second)).then_some(first)
}

/// How much of the start of what a command printed is kept.
const START: usize = 256;

/// A reader that counts lines, and keeps how it began.
struct Lines<'a, R> {
    inner: R,
    done: &'a AtomicU64,
    first: &'a mut Vec<u8>,
}

impl<R: Read> Read for Lines<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        let read = buffer.get(..length).unwrap_or_default();
        let lines = read.iter().filter(|byte| **byte == b'\n').count();
        self.done.fetch_add(lines as u64, Ordering::Relaxed);
        let room = START.saturating_sub(self.first.len());
        self.first.extend(read.iter().take(room));
        Ok(length)
    }
}
