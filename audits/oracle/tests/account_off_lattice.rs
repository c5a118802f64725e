//! The independent oracle of accounts off the lattice: δ(ε) of random plans whose outcomes are listed one by one, at 100 digits in MPFR.
//!
//! It is the definition, δ(ε) = Σ max(P − e^ε·Q, 0) over all outcomes of all copies, in both directions: no loss, no tilt, no frequency and no
//! grid. The plans are small and the ε are the hard ones: beside an atom of the loss, and beside the greatest. Every seed is fixed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_arithmetic,
    reason = "a test stops where an assumption fails; its sizes are small; the floats are MPFR's"
)]

use std::ops::Range;

use certus::account::{Plan, Precision, delta_both_ways};
use certus::exact::{NonNegative, Positive, Probability, Rational};
use certus::guarantee::{Domination, FinitePair, Pair};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rug::ops::{CompleteRound, Pow};
use rug::{Complete, Float, Integer};

/// Bits of the oracle's arithmetic: 10^-20 beside an atom there are 100 digits left.
const BITS: u32 = 420;

/// The most outcomes of all copies that are listed.
const MOST_OUTCOMES: usize = 6000;

/// Gaussian noise beyond so many σ is left out: below e^-1000.
const REACH: u32 = 45;

fn between(rng: &mut ChaCha20Rng, low: u64, high: u64) -> u64 {
    low + rng.next_u64() % (high - low + 1)
}

fn one_of<T: Clone>(rng: &mut ChaCha20Rng, all: &[T]) -> T {
    all[between(rng, 0, all.len() as u64 - 1) as usize].clone()
}

fn rational(n: u64, d: u64) -> Rational {
    Rational::new(n.into(), d.into())
}

fn float(x: &Rational) -> Float {
    let integer = |n: &num_bigint::BigInt| Integer::from_str_radix(&n.to_str_radix(16), 16).unwrap();
    Float::with_val(BITS, integer(x.numer())) / Float::with_val(BITS, integer(x.denom()))
}

fn probability(x: Rational) -> Probability {
    Probability::new(x).unwrap()
}

/// (P, Q) of every outcome.
type Masses = Vec<(Float, Float)>;

/// 2 to 5 outcomes, of unlike masses; some of them are impossible on one side.
fn finite(rng: &mut ChaCha20Rng) -> (Pair, Masses) {
    let n = between(rng, 2, 5) as usize;
    let mut side = || (0..n).map(|_| one_of(rng, &[1, 1, 3, 10, 100]) * between(rng, 1, 100)).collect::<Vec<u64>>();
    let mut sides = [side(), side()];
    for (side, hundredths) in [(1, 30), (0, 20)] {
        if between(rng, 0, 99) < hundredths {
            sides[side][between(rng, 0, n as u64 - 1) as usize] = 0;
        }
    }
    let share = |side: &[u64], i: usize| rational(side[i], side.iter().sum());
    let [p, q] = &sides;
    let outcomes = (0..n).map(|i| (probability(share(p, i)), probability(share(q, i)))).collect();
    let masses = (0..n).map(|i| (float(&share(p, i)), float(&share(q, i)))).collect();
    (Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap()), masses)
}

/// P(y) ∝ q^|y|; outcomes y ≤ 0 share a loss, and so do those y ≥ shift.
fn laplace(rng: &mut ChaCha20Rng) -> (Pair, Masses) {
    let (scale, shift) = (rational(between(rng, 1, 60), between(rng, 2, 9)), between(rng, 1, 3) as u32);
    let q = (-float(&scale).recip()).exp();
    let below = Float::with_val(BITS, 1 + &q).recip();
    let at_zero = Float::with_val(BITS, 1 - &q) * &below;
    let at = |distance: u32| Float::with_val(BITS, Pow::pow(&q, distance));
    let mass = |y: u32| match y {
        0 => below.clone(),
        y if y == shift => below.clone() * at(shift),
        y => at_zero.clone() * at(y),
    };
    let pair = Pair::Laplace { scale: Positive::new(scale).unwrap(), shift: shift.into() };
    (pair, (0..=shift).map(|y| (mass(y), mass(shift - y))).collect())
}

/// P(y) ∝ e^(-y²/2σ²), and Q the same moved by 1.
fn gaussian(rng: &mut ChaCha20Rng) -> (Pair, Masses) {
    let tenths = between(rng, 1, 5) as u32;
    let reach = i64::from(REACH * tenths / 10 + 1);
    let variance = rational(u64::from(tenths * tenths), 100);
    let twice = float(&variance) * 2_u32;
    let weight = |y: i64| (Float::with_val(BITS, -y * y) / &twice).exp();
    let total = (-reach - 1..=reach + 1).map(weight).fold(Float::new(BITS), |sum, weight| sum + weight);
    let mass = |y: i64| weight(y) / &total;
    let pair = Pair::Gaussian { variance: Positive::new(variance).unwrap(), shift: 1_u32.into() };
    (pair, (-reach..=reach + 1).map(|y| (mass(y), mass(y - 1))).collect())
}

/// ((1 − r)·Q + r·P, Q), or the reverse.
fn subsampled(rng: &mut ChaCha20Rng, (pair, masses): (Pair, Masses)) -> (Pair, Masses) {
    let rate =
        one_of(rng, &[rational(1, 2), rational(3, 10), rational(1, 100), rational(1, 10_000), rational(1, 1 << 20)]);
    let reversed = between(rng, 0, 3) == 0;
    let r = float(&rate);
    let mixed = |p: Float, q: &Float| (1 - r.clone()) * q + r.clone() * p;
    let both = |(p, q): (Float, Float)| if reversed { (q.clone(), mixed(p, &q)) } else { (mixed(p, &q), q) };
    let masses = masses.into_iter().map(both).collect();
    (Pair::Subsampled { rate: probability(rate), of: Box::new(pair), reversed }, masses)
}

/// Every way to run k copies, up to their order: (P, Q), times the number of orders.
fn copies(masses: &Masses, k: u32) -> Masses {
    let factorials: Vec<Integer> = (0..=k).map(|j| Integer::factorial(j).complete()).collect();
    // How many copies are left, with P and Q of the others, each divided by the factorials of the numbers of equal outcomes.
    let mut open =
        vec![(k, Float::with_val(BITS, &factorials[k as usize]), Float::with_val(BITS, &factorials[k as usize]))];
    for (i, (p, q)) in masses.iter().enumerate() {
        let is_last = i + 1 == masses.len();
        let mut next = Vec::new();
        for (left, p_others, q_others) in &open {
            for j in if is_last { *left } else { 0 }..=*left {
                let times = |others: &Float, one: &Float| {
                    Float::with_val(BITS, Pow::pow(one, j)) * others / &factorials[j as usize]
                };
                next.push((left - j, times(p_others, p), times(q_others, q)));
            }
        }
        open = next;
    }
    open.into_iter().map(|(_, p, q)| (p, q)).collect()
}

struct Case {
    plan: Plan,
    /// For the reader.
    text: String,
    /// Of all copies of all parts.
    outcomes: Masses,
}

/// 1 to 3 parts, each up to 6 times, of at most [`MOST_OUTCOMES`] outcomes in all.
fn case(rng: &mut ChaCha20Rng) -> Case {
    loop {
        let (mut plan, mut text) = (Plan::new(), String::new());
        let mut outcomes = vec![(Float::with_val(BITS, 1), Float::with_val(BITS, 1))];
        for _ in 0..one_of(rng, &[1, 1, 2, 2, 3]) {
            let (pair, masses) = match between(rng, 0, 7) {
                0..=3 => finite(rng),
                4 => laplace(rng),
                5 => {
                    let pair = laplace(rng);
                    subsampled(rng, pair)
                }
                _ => {
                    let pair = gaussian(rng);
                    subsampled(rng, pair)
                }
            };
            let k = between(rng, 1, 6) as u32;
            let number = Integer::from(masses.len() as u64 - 1 + u64::from(k)).binomial(k);
            if number * outcomes.len() as u64 > MOST_OUTCOMES {
                outcomes.clear();
                break;
            }
            let own = copies(&masses, k);
            let times = |(p, q): &(Float, Float)| {
                own.iter().map(|(a, b)| ((p * a).complete(BITS), (q * b).complete(BITS))).collect::<Masses>()
            };
            outcomes = outcomes.iter().flat_map(times).collect();
            plan = plan.with(&Domination::by(pair.clone()), k.into()).unwrap();
            text = format!("{text}{pair:?}*{k} ");
        }
        if !outcomes.is_empty() {
            return Case { plan, text, outcomes };
        }
    }
}

/// Σ max(P − e^ε·Q, 0), and Σ max(Q − e^ε·P, 0).
fn truths(outcomes: &Masses, epsilon: &Rational) -> [Float; 2] {
    let power = float(epsilon).exp();
    let mut sums = [Float::new(BITS), Float::new(BITS)];
    for (p, q) in outcomes {
        for (sum, (p, q)) in sums.iter_mut().zip([(p, q), (q, p)]) {
            let gap = p - (&power * q).complete(BITS);
            if gap > 0 {
                *sum += gap;
            }
        }
    }
    sums
}

/// The finite losses above 0 of a direction, of outcomes that are not next to impossible.
fn losses(outcomes: &Masses, is_forward: bool) -> Vec<Float> {
    let ways = outcomes.iter().map(|(p, q)| if is_forward { (p, q) } else { (q, p) });
    let likely = ways.filter(|(p, q)| **p > smallest() && **q > 0 && p > q);
    likely.map(|(p, q)| (p / q).complete(BITS).ln()).collect()
}

/// The smallest δ > 0 that is asked for.
fn smallest() -> Float {
    Float::with_val(BITS, 10).pow(-50)
}

/// A rational at most 2/10^places above or below.
fn beside(rng: &mut ChaCha20Rng, x: &Float, places: u32) -> NonNegative {
    let unit = Integer::from(10).pow(places);
    let (nearest, _) = (x * &unit).complete(BITS).to_integer_round(rug::float::Round::Nearest).unwrap();
    let moved: Integer = nearest + one_of(rng, &[1, -1]);
    let big = |n: Integer| num_bigint::BigInt::parse_bytes(n.to_string_radix(10).as_bytes(), 10).unwrap();
    NonNegative::new(Rational::new(big(moved.max(Integer::new())), big(unit))).unwrap()
}

/// 0, any, beside an atom, beside the greatest; where either δ is tiny the next is tried.
fn epsilons(rng: &mut ChaCha20Rng, outcomes: &Masses) -> Vec<(NonNegative, [Float; 2])> {
    let with_truths = |epsilon: NonNegative| {
        let truths = truths(outcomes, epsilon.get());
        (epsilon, truths)
    };
    let mut all = vec![with_truths(NonNegative::zero())];
    for kind in 0..3 {
        for _ in 0..10 {
            let own = losses(outcomes, between(rng, 0, 1) == 0);
            let Some(greatest) = own.iter().max_by(|a, b| a.partial_cmp(b).unwrap()) else { continue };
            let (epsilon, places) = match kind {
                0 => (greatest.clone() * between(rng, 1, 999) as u32 / 1000_u32, 6),
                1 => (one_of(rng, &own), one_of(rng, &[9, 12, 20])),
                _ => (greatest.clone(), one_of(rng, &[6, 9, 20])),
            };
            let (epsilon, truths) = with_truths(beside(rng, &epsilon, places));
            if truths.iter().all(|truth| *truth == 0 || *truth > smallest()) {
                all.push((epsilon, truths));
                break;
            }
        }
    }
    all
}

/// Whether the truth is from `lower` to `upper`, up to the oracle's own error: relative 10^-90, and e^-1000 for what is left out.
fn contains(lower: &Float, upper: &Float, truth: &Float) -> bool {
    let error = Float::with_val(BITS, 10).pow(-90_i32) * truth + Float::with_val(BITS, -1000).exp();
    *lower <= Float::with_val(BITS, truth + &error) && *upper >= Float::with_val(BITS, truth - &error)
}

/// Asks for both directions at 5 and at 15 digits, and checks that an enclosure that is wrong would be noticed.
fn check(plans: Range<u64>) {
    let percent = |x: &Float, n: u32| Float::with_val(BITS, x * n) / 100_u32;
    let (mut positive, mut sharp) = (0, 0);
    for number in plans {
        let mut rng = ChaCha20Rng::seed_from_u64(7000 + number);
        let Case { plan, text, outcomes } = case(&mut rng);
        for (epsilon, truths) in epsilons(&mut rng, &outcomes) {
            for digits in [5, 15] {
                let answers = delta_both_ways(&plan, &epsilon, &Precision { digits }).unwrap();
                for (answer, truth) in answers.iter().zip(&truths) {
                    let (lower, upper) = (float(&answer.enclosure.lower()), float(&answer.enclosure.upper()));
                    let what = format!("plan {number}, {text}at {}, {digits} digits: {truth}", epsilon.get());
                    assert!(contains(&lower, &upper, truth), "{what} is not in {}", answer.enclosure);
                    if *truth == 0 {
                        continue;
                    }
                    // Cut to 1% below the lower end, or to 1% above the upper one, an enclosure is wrong.
                    assert!(lower == 0 || !contains(&Float::new(BITS), &percent(&lower, 99), truth), "{what}");
                    assert!(!contains(&percent(&upper, 101), &Float::with_val(BITS, 2), truth), "{what}");
                    // Where it is narrow, so it is with 1% off either end.
                    let is_low_noticed = !contains(&lower, &percent(&upper, 99), truth);
                    let is_high_noticed = !contains(&percent(&lower, 101), &upper, truth);
                    positive += 1;
                    sharp += u32::from(is_low_noticed && is_high_noticed);
                }
            }
        }
    }
    assert!(positive > 500 && sharp * 10 > positive * 9, "{sharp} of {positive} are narrow");
}

/// Two halves, for two cores.
#[test]
fn the_first_fifty_plans() {
    check(0..50);
}

#[test]
fn the_other_fifty_plans() {
    check(50..100);
}
