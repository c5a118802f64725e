//! Every public constructor and function over extreme arguments: no panic, no abort, none over a second.
//!
//! A case covers some functions and makes calls; this binary runs itself once for each case, and with `CERTUS_FULL=1` once for
//! each *call*, in a process of its own, with overflow checks (the profile `test` has them). A child that dies, or takes too long, is reported with
//! the call that it was in. The list of functions is read from the sources (`api.rs`): a public function without a case fails by name.
//!
//! Not here: the audit's functions and the command's (`audit/`, `cli/`), and the digits that a caller asks for: time grows with those.
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

use std::{
    io::{Read, Write},
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// What a case calls, and the calls.
pub struct Case {
    pub name: &'static str,
    /// `file: Type::function`, as `api.rs` finds them.
    pub covers: &'static [&'static str],
    pub calls: fn(&mut Calls),
}

/// A call that takes longer than this, of processor time, is too slow.
const SLOW: Duration = Duration::from_secs(1);

/// The longest that a child may take: what the machine does besides is not the library's fault.
const LONGEST: Duration = Duration::from_secs(120);

/// The calls of a case, as a child makes them.
pub struct Calls {
    /// The only one to be made, if not all are.
    only: Option<usize>,
    made: usize,
}

impl Calls {
    /// Makes a call, if it is to be made: says so first, and how long it took.
    pub fn make<T>(&mut self, what: impl std::fmt::Display, call: impl FnOnce() -> T) {
        let at = self.made;
        self.made += 1;
        if self.only.is_some_and(|only| only != at) {
            return;
        }
        let what: String = what.to_string().chars().take(200).collect();
        say(&format!("call {at} {what}"));
        let before = processor_time();
        std::hint::black_box(call());
        let took = processor_time().saturating_sub(before);
        if took > SLOW {
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

/// In a child: the case that the parent names.
#[test]
fn child() {
    let Ok(name) = std::env::var("CERTUS_EXTREMES_CASE") else { return };
    let case = cases().into_iter().chain(exact::controls()).find(|case| case.name == name).unwrap();
    let only = std::env::var("CERTUS_EXTREMES_CALL").ok().map(|at| at.parse().unwrap());
    let mut calls = Calls { only, made: 0 };
    (case.calls)(&mut calls);
    say(&format!("done {}", calls.made));
}

/// What a child said, and how it ended, if not well.
fn run(name: &str, call: Option<usize>) -> (String, Option<String>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture", "--test-threads=1"]).env("CERTUS_EXTREMES_CASE", name);
    command.env("RUST_BACKTRACE", "0").stdout(Stdio::null()).stderr(Stdio::piped());
    if let Some(call) = call {
        command.env("CERTUS_EXTREMES_CALL", call.to_string());
    }
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = pipe.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let ended = end(&mut child);
    (reader.join().unwrap(), ended)
}

/// Waits for a child, or ends it.
fn end(child: &mut Child) -> Option<String> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (!status.success()).then(|| status.to_string());
        }
        if started.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some(format!("ended after {LONGEST:?}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What went wrong in a case, a line each.
fn failures(case: &Case, call: Option<usize>) -> Vec<String> {
    let (said, ended) = run(case.name, call);
    let lines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix('@')).collect();
    let mut wrong: Vec<String> =
        lines.iter().filter(|line| line.starts_with("slow ")).map(|line| format!("{}: {line}", case.name)).collect();
    if let Some(ended) = ended {
        let last = lines.iter().rev().find(|line| line.starts_with("call ")).unwrap_or(&"no call");
        let panic = said.lines().skip_while(|line| !line.contains("panicked at")).take(2).collect::<Vec<_>>().join(" ");
        wrong.push(format!("{}: {last}: {ended} {panic}", case.name));
    } else if call.is_none() && !lines.last().is_some_and(|line| line.starts_with("done ") && *line != "done 0") {
        wrong.push(format!("{}: made no call", case.name));
    }
    wrong
}

/// How many calls a case makes.
fn count(case: &Case) -> usize {
    let mut calls = Calls { only: Some(usize::MAX), made: 0 };
    (case.calls)(&mut calls);
    calls.made
}

#[test]
fn no_panic_no_abort_none_over_a_second() {
    let cases = cases();
    let full = std::env::var_os("CERTUS_FULL").is_some();
    let work: Vec<(&Case, Option<usize>)> = cases
        .iter()
        .flat_map(|case| {
            let calls: Vec<Option<usize>> = if full { (0..count(case)).map(Some).collect() } else { vec![None] };
            calls.into_iter().map(move |call| (case, call))
        })
        .collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((case, call)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failures = failures(case, *call);
                    wrong.lock().unwrap().extend(failures);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), work.len(), wrong.join("\n"));
}

/// The control: a child that panics, one that is too slow and one that never ends its call are told as such.
#[test]
fn a_panic_and_a_slow_call_are_seen() {
    let names = ["control: panics", "control: slow"];
    let controls = exact::controls();
    for (name, case) in names.iter().zip(&controls) {
        assert_eq!(case.name, *name);
        let wrong = failures(case, None);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].contains(if name.contains("slow") { "slow 0" } else { "panicked" }), "{wrong:?}");
    }
}
