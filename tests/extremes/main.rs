//! Every public constructor and function over extreme arguments: no panic, no abort, none that takes seconds.
//!
//! A case covers some functions and makes calls; this binary runs itself once for each case, and with `CERTUS_FULL=1` once for
//! each *call*, in a process of its own, with overflow checks (the profile `test` has them). A child that dies, or takes too long, is reported with
//! the call that it was in. The list of functions is read from the sources (`api.rs`): a public function without a case fails by name.
//!
//! Not here: the other packages' functions, and the digits that a caller asks for: time grows with those.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail by panicking")]

mod account;
mod api;
mod exact;
mod guarantee;
mod mechanism;
mod sample;
mod statistic;
mod values;
mod waiting;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// What a case calls, and the calls.
pub struct Case {
    /// What it is called in a report.
    pub name: &'static str,
    /// `file: Type::function`, as `api.rs` finds them.
    pub covers: &'static [&'static str],
    /// Makes them.
    pub calls: fn(&mut Calls),
}

/// A call that takes longer than this, of processor time, is too slow. The slowest take about a second on a
/// fast machine, and two and a half on a slow one; with `CERTUS_FULL=1` the machine is said to be idle, and
/// does other things besides without it.
fn slow() -> Duration {
    Duration::from_secs(if std::env::var_os("CERTUS_FULL").is_some() { 4 } else { 8 })
}

/// The longest that a call may take by the clock: what the machine does besides is not the library's fault.
const LONGEST: Duration = Duration::from_secs(30);

/// The calls of a case, as a child makes them.
pub struct Calls {
    case: &'static str,
    /// Those to be made.
    those: std::ops::Range<usize>,
    made: usize,
}

impl Calls {
    /// Makes a call, if it is to be made: says so first, and how long it took.
    pub fn make<T>(&mut self, what: impl std::fmt::Display, call: impl FnOnce() -> T) {
        let at = self.made;
        self.made += 1;
        if !self.those.contains(&at) {
            return;
        }
        let what: String = what.to_string().chars().take(200).collect();
        if waiting::is_waiting(self.case, &what) {
            return;
        }
        say(&format!("call {at} {what}"));
        let before = processor_time();
        std::hint::black_box(call());
        let took = processor_time().saturating_sub(before);
        if took > slow() {
            say(&format!("slow {at} {what}: {took:?}"));
        }
    }
}

fn say(line: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "@{line}");
    let _ = out.flush();
}

/// The processor time of this thread, where Linux tells, and time otherwise: the machine may be busy with other things.
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn cases() -> Vec<Case> {
    [exact::cases(), sample::cases(), guarantee::cases(), mechanism::cases(), statistic::cases(), account::cases()]
        .into_iter()
        .flatten()
        .collect()
}

/// In a child: the calls of a case that the parent names.
#[test]
fn child() {
    let Ok(name) = std::env::var("CERTUS_EXTREMES_CASE") else { return };
    let case = cases().into_iter().chain(exact::controls()).find(|case| case.name == name).unwrap();
    let number = |name: &str| std::env::var(name).unwrap().parse().unwrap();
    let mut calls =
        Calls { case: case.name, those: number("CERTUS_EXTREMES_FROM")..number("CERTUS_EXTREMES_TO"), made: 0 };
    (case.calls)(&mut calls);
    say(&format!("done {}", calls.made));
}

/// What a child says, line by line, and when it said something last.
struct Said {
    lines: Vec<String>,
    last: Instant,
}

/// What a child said, and how it ended, if not well.
fn run(name: &str, those: &std::ops::Range<usize>) -> (Vec<String>, Option<String>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture", "--test-threads=1"]).env("CERTUS_EXTREMES_CASE", name);
    command.env("CERTUS_EXTREMES_FROM", those.start.to_string()).env("CERTUS_EXTREMES_TO", those.end.to_string());
    command.env("RUST_BACKTRACE", "0").stdout(Stdio::null()).stderr(Stdio::piped());
    // The slow control is too slow by the limit that is soonest over.
    if name.starts_with("control: ") {
        command.env("CERTUS_FULL", "1");
    }
    let mut child = command.spawn().unwrap();
    let pipe = BufReader::new(child.stderr.take().unwrap());
    let said = Arc::new(Mutex::new(Said { lines: Vec::new(), last: Instant::now() }));
    let reader = std::thread::spawn({
        let said = said.clone();
        move || {
            for line in pipe.lines().map_while(Result::ok) {
                let mut said = said.lock().unwrap();
                said.lines.push(line);
                said.last = Instant::now();
            }
        }
    });
    let ended = end(&mut child, &said);
    reader.join().unwrap();
    let lines = std::mem::take(&mut said.lock().unwrap().lines);
    (lines, ended)
}

/// Waits for a child, or ends it.
fn end(child: &mut Child, said: &Mutex<Said>) -> Option<String> {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (!status.success()).then(|| status.to_string());
        }
        if said.lock().unwrap().last.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some(format!("no end after {LONGEST:?}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What went wrong among these calls of a case, a line each. After a call that never ends, another child
/// makes those that follow.
fn failures(case: &Case, mut those: std::ops::Range<usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    loop {
        let (lines, ended) = run(case.name, &those);
        let said: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix('@')).collect();
        wrong.extend(said.iter().filter(|line| line.starts_with("slow ")).map(|line| format!("{}: {line}", case.name)));
        let Some(ended) = ended else {
            let count =
                said.iter().rev().find_map(|line| line.strip_prefix("done ")).map_or(0, |count| count.parse().unwrap());
            if count == 0 {
                wrong.push(format!("{}: made no call", case.name));
            }
            return wrong;
        };
        let last = said.iter().rev().find_map(|line| line.strip_prefix("call "));
        let panic = lines
            .iter()
            .skip_while(|line| !line.contains("panicked at"))
            .take(2)
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");
        wrong.push(format!("{}: {}: {ended} {panic}", case.name, last.unwrap_or("no call")));
        match last.and_then(|last| last.split(' ').next()?.parse::<usize>().ok()) {
            Some(at) if at + 1 < those.end => those.start = at + 1,
            _ => return wrong,
        }
    }
}

/// How many calls a case makes.
fn count(case: &Case) -> usize {
    let mut calls = Calls { case: case.name, those: 0..0, made: 0 };
    (case.calls)(&mut calls);
    calls.made
}

#[test]
fn no_panic_no_abort_none_that_takes_seconds() {
    let cases = cases();
    let full = std::env::var_os("CERTUS_FULL").is_some();
    let work: Vec<(&Case, std::ops::Range<usize>)> = cases
        .iter()
        .flat_map(|case| {
            let count = count(case);
            let at_once = if full { 1 } else { count.max(1) };
            (0..count.max(1)).step_by(at_once).map(move |from| (case, from..from + at_once))
        })
        .collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((case, those)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failures = failures(case, those.clone());
                    failures.iter().for_each(|line| eprintln!("{line}"));
                    wrong.lock().unwrap().extend(failures);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), work.len(), wrong.join("\n"));
}

/// The control: a child that panics and one that is too slow are told as such.
#[test]
fn a_panic_and_a_slow_call_are_seen() {
    let names = ["control: panics", "control: slow"];
    let controls = exact::controls();
    for (name, case) in names.iter().zip(&controls) {
        assert_eq!(case.name, *name);
        let wrong = failures(case, 0..1);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].contains(if name.contains("slow") { "slow 0" } else { "panicked" }), "{wrong:?}");
    }
}
