//! The level under attack: true claims that are searched for the worst alarm rate, and plainly false ones
//! that must be seen.
//!
//! An adversary who knows the coins of the split finds true claims of three or four outputs that are called
//! false far too often. The same claims are then audited on fresh samples with coins that the claim does not
//! know, and must be called false in at most α of the runs.
//!
//! `cargo test` tries a few claims. All of it, with its figures (minutes):
//! `CERTUS_FULL=1 cargo test --release -p certus-audit --lib level -- --nocapture`
#![expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests sample floats"
)]

use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::outputs::{Part, Table, Tally};
use super::statistics::exp_bounds;
use super::{Audit, Claim, Verdict, fresh_seed};
use certus::bits::{BitStream, Bits, seeded};
use certus::exact::parse;

type Source = BitStream<ChaCha20Rng>;

/// The coins that every audit had before they were drawn afresh.
const KNOWN: [u8; 32] = [0; 32];

/// The probability of a weight of 1.
const UNIT: f64 = 1.0 / 4_294_967_296.0;

/// All weights of a side.
const WHOLE: u64 = 1 << 32;

/// A stream for every purpose and run, none of which depends on a claim.
fn source(purpose: u8, one: u64, two: u64) -> Source {
    let mut seed = [purpose; 32];
    seed[..8].copy_from_slice(&one.to_le_bytes());
    seed[8..16].copy_from_slice(&two.to_le_bytes());
    seeded(seed)
}

fn unit(bits: &mut Source) -> f64 {
    (bits.take(53).unwrap() + 1) as f64 / 9_007_199_254_740_992.0
}

/// A pair of distributions on 0, 1, 2, … for which (ε, 0) is true, exactly: the probabilities are multiples
/// of 2^-32.
#[derive(Clone, Debug)]
struct True {
    epsilon: &'static str,
    samples: u64,
    a: Vec<u64>,
    b: Vec<u64>,
    /// The outputs of which P_a = e^ε·P_b, nearly.
    tight: Vec<bool>,
}

impl True {
    /// With weights of the first side that are e^ε of the second's, rounded down, where `tight` says so, and
    /// proportional to them elsewhere; `None` if that is no pair of distributions, or the claim is false of
    /// it.
    fn new(epsilon: &'static str, samples: u64, b: &[f64], tight: &[bool]) -> Option<Self> {
        let (c, _) = exp_bounds(epsilon.parse().ok()?);
        let rounded = |weight: f64| (weight * WHOLE as f64) as u64;
        let mut b: Vec<u64> = b.iter().map(|weight| rounded(*weight)).collect();
        let missing = WHOLE.checked_sub(b.iter().sum())?;
        *b.last_mut()? += missing;
        let inside: u64 = b.iter().zip(tight).filter(|(_, tight)| **tight).map(|(weight, _)| weight).sum();
        let rest = (WHOLE as f64 - c * inside as f64) / (WHOLE - inside) as f64;
        let weight = |(weight, tight): (&u64, &bool)| {
            if *tight { (c * *weight as f64) as u64 } else { (rest * *weight as f64) as u64 }
        };
        let mut a: Vec<u64> = b.iter().zip(tight).map(weight).collect();
        let missing = WHOLE.checked_sub(a.iter().sum())?;
        let loose = tight.iter().position(|tight| !tight)?;
        *a.get_mut(loose)? += missing;
        let claim = Self { epsilon, samples, a, b, tight: tight.to_vec() };
        claim.is_true().then_some(claim)
    }

    /// Each output at most e^ε times as likely on one side as on the other, which is (ε, 0).
    fn is_true(&self) -> bool {
        let (c, _) = exp_bounds(self.epsilon.parse().unwrap());
        let at_most = |p: u64, q: u64| p as f64 <= c * q as f64;
        self.a.iter().zip(&self.b).all(|(p, q)| at_most(*p, *q) && at_most(*q, *p))
    }

    fn random(bits: &mut Source) -> Self {
        loop {
            let outputs = 3 + bits.take(1).unwrap() as usize;
            let epsilon = ["0.25", "0.5", "1", "2"][bits.take(2).unwrap() as usize];
            let samples = (2_000.0 * 25_f64.powf(unit(bits))) as u64;
            let parts: Vec<f64> = (0..outputs).map(|_| -unit(bits).ln()).collect();
            let sum: f64 = parts.iter().sum();
            let b: Vec<f64> = parts.iter().map(|part| part / sum).collect();
            let tight: Vec<bool> = (0..outputs).map(|_| bits.take(1).unwrap() == 1).collect();
            if !tight.contains(&true) {
                continue;
            }
            if let Some(claim) = Self::new(epsilon, samples, &b, &tight) {
                return claim;
            }
        }
    }

    /// A claim near by.
    fn moved(&self, by: f64, bits: &mut Source) -> Option<Self> {
        let parts: Vec<f64> =
            self.b.iter().map(|weight| *weight as f64 * (by * (2.0 * unit(bits) - 1.0)).exp()).collect();
        let sum: f64 = parts.iter().sum();
        Self::new(self.epsilon, self.samples, &parts.iter().map(|part| part / sum).collect::<Vec<_>>(), &self.tight)
    }

    /// How far the known coins move the evaluated part of the expected counts towards an alarm, in standard
    /// errors.
    fn bias(&self) -> f64 {
        let expected = |weights: &[u64]| -> Vec<u64> {
            let mut counts: Vec<u64> =
                weights.iter().map(|weight| (*weight as f64 * UNIT * self.samples as f64) as u64).collect();
            let missing = self.samples - counts.iter().sum::<u64>();
            *counts.last_mut().unwrap() += missing;
            counts
        };
        let (a, b) = (Tally::of_counts("a", 1, &expected(&self.a)), Tally::of_counts("b", 2, &expected(&self.b)));
        let table = Table::split(&a, &b, &mut seeded(KNOWN)).unwrap();
        let counts = table.counts(Part::Evaluate);
        let tight: Vec<bool> = self.tight.iter().copied().take(table.outputs().len()).collect();
        let ((x, y), (n, m)) = (counts.inside(&tight), counts.samples());
        let (n, m, c) = (n as f64, m as f64, self.epsilon.parse::<f64>().unwrap().exp());
        // The standard error of the true probabilities: of a handful of samples it is not to be had from the
        // counts.
        let inside = |weights: &[u64]| -> f64 {
            weights.iter().zip(&self.tight).filter(|(_, tight)| **tight).map(|(weight, _)| *weight as f64 * UNIT).sum()
        };
        let (p, q) = (inside(&self.a), inside(&self.b));
        (x as f64 / n - c * y as f64 / m) / (p * (1.0 - p) / n + c * c * q * (1.0 - q) / m).sqrt()
    }

    /// The worst claim that a search finds: of many, the one that the known coins hurt most, and from there
    /// uphill.
    fn worst(search: u64, tries: usize) -> Self {
        let mut bits = source(1, search, 0);
        let many = (0..tries).map(|_| Self::random(&mut bits)).map(|claim| (claim.bias(), claim));
        let (mut bias, mut claim) = many.max_by(|one, two| one.0.total_cmp(&two.0)).unwrap();
        for step in 0..tries {
            let by = 0.3 * (1.0 - step as f64 / tries as f64);
            let Some(moved) = claim.moved(by, &mut bits) else { continue };
            let hurt = moved.bias();
            if hurt > bias {
                (bias, claim) = (hurt, moved);
            }
        }
        claim
    }

    /// The counts of fresh samples.
    fn draw(&self, weights: &[u64], bits: &mut Source) -> Vec<u64> {
        let mut counts = vec![0; weights.len()];
        for _ in 0..self.samples {
            let mut drawn = bits.take(32).unwrap();
            let place = weights.iter().position(|weight| {
                let here = drawn < *weight;
                drawn = drawn.wrapping_sub(*weight);
                here
            });
            counts[place.unwrap()] += 1;
        }
        counts
    }

    /// Whether an audit at this confidence of fresh samples calls the claim false; `None`: by coins from the
    /// operating system.
    fn is_called_false(&self, confidence: f64, run: u64, coins: Option<[u8; 32]>) -> bool {
        let (mut one, mut two) = (source(2, run, 1), source(2, run, 2));
        let a = Tally::of_counts("a", 1, &self.draw(&self.a, &mut one));
        let b = Tally::of_counts("b", 2, &self.draw(&self.b, &mut two));
        let claim = Claim::new(parse(self.epsilon).unwrap(), parse("0").unwrap()).unwrap();
        let audit = Audit::new(claim, confidence).unwrap();
        let audit = coins.into_iter().fold(audit, Audit::seed);
        audit.run(&a, &b).unwrap().verdict == Verdict::Violation
    }

    /// How often, of so many runs from `first` on.
    fn alarms(&self, first: u64, runs: u64, coins: impl Fn(u64) -> Option<[u8; 32]> + Sync) -> usize {
        (first..first + runs).into_par_iter().filter(|run| self.is_called_false(0.95, *run, coins(*run))).count()
    }
}

/// Coins of a master seed that knows no claim, and no sample.
fn fresh(run: u64) -> Option<[u8; 32]> {
    fresh_seed(&mut source(3, run, 0)).ok()
}

/// The example of the review: 161 alarms of 300 at confidence 0.95 while the coins were fixed. The samples
/// have fixed seeds; the coins are the operating system's, as a user's are, because whether *they* are fresh
/// is what is tested. At most 5 % are alarms, so more than 45 of 300 come with probability below 10^-10.
#[test]
fn three_outputs_that_fixed_coins_call_false() {
    // P_a = (0.415, 0.28, 0.305), P_b = (0.285, 0.103, 0.612): 0.28 is e·0.103 and 2·10^-5 more, which is
    // taken away, so that ε = 1 is true.
    let claim = True::new("1", 50_000, &[0.285, 0.103, 0.612], &[false, true, false]).unwrap();
    let (first, second, third) = (0.415 / UNIT, claim.a[1], 0.305 / UNIT);
    let rest = (WHOLE - second) as f64 / (first + third);
    let first = (first * rest) as u64;
    let claim = True { a: vec![first, second, WHOLE - first - second], ..claim };
    assert!(claim.is_true());
    let (fixed, alarms) = (claim.alarms(0, 300, |_| Some(KNOWN)), claim.alarms(0, 300, |_| None));
    println!("of 300 runs: {alarms} alarms with fresh coins, {fixed} with known ones");
    assert!(alarms <= 45, "{alarms} of 300");
    // The test can fail: with the coins of old it does. (Half of the test is of an event that is not aimed at.)
    assert!(fixed > 60, "{fixed} of 300");
}

/// Without a seed no two runs on the same samples have the same split: of sixteen, the counts that were
/// evaluated are all the same with probability below (1/40)^15, by the mode of a hypergeometric count of
/// variance 400·(1/5)·(4/5) on each side.
#[test]
fn every_run_draws_its_own_coins() {
    let (a, b) = (Tally::of_counts("a", 1, &[300, 300, 400]), Tally::of_counts("b", 2, &[500, 300, 200]));
    let claim = Claim::new(parse("0.1").unwrap(), parse("0").unwrap()).unwrap();
    let audit = Audit::new(claim, 0.95).unwrap();
    let run = |audit: &Audit| {
        let report = audit.run(&a, &b).unwrap();
        (report.is_seeded, report.findings.iter().map(|finding| (finding.pair.x, finding.pair.y)).collect::<Vec<_>>())
    };
    let fresh: std::collections::BTreeSet<_> = (0..16).map(|_| run(&audit)).collect();
    assert!(fresh.len() > 1 && fresh.iter().all(|(is_seeded, _)| !is_seeded), "{fresh:?}");
    let seeded: std::collections::BTreeSet<_> = (0..16).map(|_| run(&audit.clone().seed([7; 32]))).collect();
    assert!(seeded.len() == 1 && seeded.iter().all(|(is_seeded, _)| *is_seeded), "{seeded:?}");
}

/// 200 searched claims of 200 runs at confidence 0.95, at most 24 alarms each; a claim of more than 19 is run
/// 2,000 times more, of which at most 5 % and three standard errors (129) are alarms. A claim of rate 0.05
/// has more than 24 of 200 with probability 3·10^-5; the seeds are fixed. In `cargo test`, 6 claims of 100
/// runs, at most 14 alarms each (probability 1.4·10^-4 at a rate of 0.05).
#[test]
fn searched_claims_are_called_false_at_the_level() {
    let full = std::env::var_os("CERTUS_FULL").is_some();
    let (claims, tries, runs, most, known_runs) = if full { (200, 400, 200, 24, 200) } else { (6, 40, 100, 14, 40) };
    let found: Vec<True> = (0..claims).into_par_iter().map(|search| True::worst(search, tries)).collect();
    let (mut rates, mut known) = (Vec::new(), Vec::new());
    for (place, claim) in found.iter().enumerate() {
        let first = place as u64 * 10_000;
        let alarms = claim.alarms(first, runs, fresh);
        let by_known = claim.alarms(first, known_runs, |_| Some(KNOWN));
        println!(
            "claim {place}: bias {:.2}, {alarms} of {runs}; known coins: {by_known} of {known_runs}; {claim:?}",
            claim.bias()
        );
        assert!(alarms <= most, "{alarms} of {runs}: {claim:?}");
        if full && alarms > 19 {
            let more = claim.alarms(first + runs, 2_000, fresh);
            println!("claim {place} again: {more} of 2000");
            assert!(more <= 129, "{more} of 2000: {claim:?}");
        }
        rates.push(alarms);
        known.push(by_known);
    }
    let total: usize = rates.iter().sum();
    println!(
        "fresh coins: {total} alarms of {} runs, {} of {runs} at worst; known coins: {} of {known_runs} at worst, {} in all",
        runs * claims,
        rates.iter().max().unwrap(),
        known.iter().max().unwrap(),
        known.iter().sum::<usize>(),
    );
    // All together at a rate of at most 5 %, and five standard errors.
    let of_all = (runs * claims) as f64;
    assert!((total as f64) < 0.05 * of_all + 5.0 * (0.0475 * of_all).sqrt(), "{total} of {of_all}");
    // The adversary is one: what it found hurts where the coins are known.
    assert!(known.iter().sum::<usize>() as f64 > 0.12 * (known_runs * claims) as f64, "{known:?}");
}

/// What is plainly false is never missed: 0.99 against 0.01, 0.9 against 0.1, 0.8 against 0.05, of 400 to
/// 5,000 samples at confidence 0.999, in 1,000 runs (in `cargo test`, 90). (Where the expected P(S) was near
/// 1 the region was vacuous, and one run in eight of 0.99 against 0.01 with 5,000 samples was missed.)
#[test]
fn plain_violations_are_never_missed() {
    let runs = if std::env::var_os("CERTUS_FULL").is_some() { 112 } else { 10 };
    for (p, q) in [(0.99, 0.01), (0.9, 0.1), (0.8, 0.05)] {
        for samples in [400, 1000, 5000] {
            let weights = |p: f64| vec![(p / UNIT) as u64, WHOLE - (p / UNIT) as u64];
            // Drawn as a true claim's samples are, though it is none.
            let plain = True { epsilon: "1", samples, a: weights(p), b: weights(q), tight: vec![true, false] };
            let missed: Vec<u64> = (0..runs)
                .into_par_iter()
                .filter(|run| !plain.is_called_false(0.999, (1 << 40) + run, fresh((1 << 40) + run)))
                .collect();
            assert!(missed.is_empty(), "{p} against {q}, {samples} samples: {missed:?} of {runs}");
        }
    }
}
