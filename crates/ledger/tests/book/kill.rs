//! kill -9 at random moments, between a debit and its result and within them.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use certus_ledger::book::Book;

use crate::{
    processes::{child, job},
    support::{Folder, Random, debit, opening, pure},
};

/// What a killed process told the world before: the lines outlive it, as they are written at once.
struct World(fs::File);

impl World {
    fn tell(&mut self, what: &str, release: &str) {
        self.0.write_all(format!("{what} {release}\n").as_bytes()).unwrap();
    }
}

/// The bytes of a release's result: some of them long, so that a kill finds them half written.
fn result(release: &str) -> Vec<u8> {
    let seed = release.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut random = Random(seed);
    let size = if random.below(8) == 0 { 1 << 18 } else { random.below(3000) };
    (0..size).map(|place| (place % 251) as u8).collect()
}

/// The noise is known from here on, and what is done with it takes some time.
fn draw(world: &mut World, release: &str) {
    world.tell("drawn", release);
    thread::sleep(Duration::from_millis(1));
}

/// A child: releases until it is killed. It debits, draws, keeps the result and prints it; the control draws
/// before it debits.
#[test]
fn child_that_releases() {
    let Some(job) = job() else { return };
    let [path, round, order] = job.as_slice() else { panic!("{job:?}") };
    let world = OpenOptions::new().append(true).create(true).open(format!("{path}.world")).unwrap();
    let mut world = World(world);
    let mut book = Book::open(Path::new(path), None).unwrap();
    for number in 0.. {
        let release = format!("{round}-{number}");
        if order == "noise first" {
            draw(&mut world, &release);
        }
        let debited = book.debit(&debit(&release, "1/1000")).unwrap();
        world.tell("acknowledged", &release);
        if order != "noise first" {
            draw(&mut world, &release);
        }
        book.record_result(&debited, &result(&release)).unwrap();
        world.tell("printed", &release);
    }
}

/// What went wrong in rounds of kills.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wrong {
    debits_lost: usize,
    drawn_without_debit: usize,
    printed_without_result: usize,
    not_opened: usize,
}

/// Kills in so many rounds, on a fresh ledger every so often; also how many lines were told of each kind.
fn kill(name: &str, order: &str, rounds: u64) -> (Wrong, BTreeMap<String, usize>, u64) {
    let folder = Folder::new(name);
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
    println!("seed {seed}");
    let mut random = Random(seed.into());
    let (mut wrong, mut told, mut torn) = (Wrong::default(), BTreeMap::new(), 0);
    let mut path = folder.file("0.ledger");
    let mut longest = Duration::from_millis(30);
    for round in 0..rounds {
        if round % 20 == 0 {
            path = folder.file(&format!("{round}.ledger"));
            Book::create(&path, &opening(pure("1000"))).unwrap();
        }
        let job = format!("{}|{round}|{order}", path.display());
        let mut process = child("kill::child_that_releases", &job);
        let wait = Duration::from_micros(random.below(longest.as_micros() as u64));
        let started = Instant::now();
        thread::sleep(wait);
        process.kill().unwrap();
        process.wait().unwrap();
        // If most are killed before they begin, wait longer.
        let world = fs::read_to_string(format!("{}.world", path.display())).unwrap_or_default();
        if world.is_empty() && round % 20 == 19 {
            longest = (started.elapsed() + longest) * 2;
        }
        match Book::read(&path, None) {
            Ok(reading) => torn += u64::from(reading.torn() > 0),
            Err(_) => wrong.not_opened += 1,
        }
        let Ok(mut book) = Book::open(&path, None) else {
            wrong.not_opened += 1;
            continue;
        };
        if round % 20 != 19 && round + 1 != rounds {
            continue;
        }
        for line in world.lines() {
            let (what, release) = line.split_once(' ').unwrap();
            *told.entry(what.to_owned()).or_default() += 1;
            let id = release.parse().unwrap();
            let has_debit = book.state().release(&id).is_some_and(|release| release.debits() > 0);
            match what {
                "acknowledged" => wrong.debits_lost += usize::from(!has_debit),
                "drawn" => wrong.drawn_without_debit += usize::from(!has_debit),
                _ => {
                    let kept = book.result_of(&id).unwrap();
                    wrong.printed_without_result += usize::from(!has_debit || kept != Some(result(release)));
                }
            }
        }
        drop(book);
        fs::remove_file(&path).unwrap();
    }
    println!("{rounds} kills, {torn} torn writes, {told:?}");
    (wrong, told, torn)
}

#[test]
fn nothing_acknowledged_is_lost() {
    let (wrong, told, _) = kill("kill", "debit first", 100);
    assert_eq!(wrong, Wrong::default());
    assert!(told.get("printed").is_some_and(|printed| *printed > 20), "{told:?}");
}

/// A program that draws before it debits is caught by the same test.
#[test]
fn noise_before_the_debit_is_caught() {
    let (wrong, ..) = kill("control", "noise first", 60);
    assert!(wrong.drawn_without_debit > 0, "{wrong:?}");
    assert_eq!((wrong.debits_lost, wrong.not_opened), (0, 0));
}

#[test]
#[ignore = "minutes, 10000 rounds of kill -9: `.ci/run --full` runs it"]
fn nothing_acknowledged_is_lost_in_many_rounds() {
    let (wrong, told, _) = kill("kill-long", "debit first", 10_000);
    assert_eq!(wrong, Wrong::default());
    assert!(told.get("printed").is_some_and(|printed| *printed > 2_000), "{told:?}");
}
