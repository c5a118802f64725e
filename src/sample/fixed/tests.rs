//! The fixed-work samplers: exact where words do not decide, and distributed as the paper says.

use alloc::{collections::BTreeMap, string::ToString, vec, vec::Vec};

use num_traits::ToPrimitive;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{shape::Words, *};
use crate::{
    bits::{Recorder, Replay, Tape, seeded},
    exact::{GaussianPmf, LaplacePmf, Pmf, parse},
    sample::{Program, execute, program::Execution},
};

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).unwrap()).unwrap()
}

/// σ or scales of every construction.
const SCALES: [&str; 9] =
    ["1/1000", "1/3", "1", "355/113", "10", "1000", "1e6", "1099511627776", "36028797018963968.75"];

fn kernels<W: Word>(scale: &str) -> [Kernel<W>; 2] {
    [Kernel::gaussian(&positive(scale).square()).unwrap(), Kernel::laplace(&positive(scale)).unwrap()]
}

#[test]
fn beta_is_within_the_bound_of_its_mode() {
    for scale in SCALES.iter().copied().chain([
        "4",
        "3.999",
        "5",
        "7.99",
        "8",
        "1e-300",
        "123456789012345678901234567890123456789e-30",
    ]) {
        for mode in [Mode::Standard, Mode::Wide] {
            let bound = Rational::new(1.into(), BigInt::one() << mode.bits());
            let gaussian = FixedGaussian::new(&positive(scale), mode).unwrap();
            let laplace = FixedLaplace::new(&positive(scale), mode).unwrap();
            for beta in [gaussian.beta(), laplace.beta()] {
                assert!(*beta > Rational::from_integer(0.into()) && *beta <= bound, "{scale} {mode:?}: {beta}");
            }
        }
    }
}

#[test]
fn too_wide_is_refused_and_says_what_is_accepted() {
    let most = Rational::from_integer(BigInt::one() << MOST_SCALE_BITS);
    let over = Positive::new(&most + Rational::new(1.into(), 1000.into())).unwrap();
    let most = Positive::new(most).unwrap();
    for mode in [Mode::Standard, Mode::Wide] {
        assert!(FixedGaussian::new(&most, mode).is_ok() && FixedLaplace::new(&most, mode).is_ok());
        assert_eq!(FixedGaussian::new(&over, mode).unwrap_err(), FixedError::TooWide);
        assert_eq!(
            FixedLaplace::new(&over, mode).unwrap_err().to_string(),
            "the fixed-work sampler takes a scale or sigma up to 2^56"
        );
        assert!(FixedLaplace::new(&positive("1e1000"), mode).is_err());
    }
}

#[test]
fn the_cost_is_that_of_the_formula() {
    let noise = FixedLaplace::new(&positive("1"), Mode::Standard).unwrap();
    let epsilon = |text: &str| NonNegative::new(parse(text).unwrap()).unwrap();
    // e^0 = 1.
    let twice = noise.beta() * Rational::from_integer(14.into());
    assert!(noise.cost(7, &epsilon("0")).contains(&twice));
    assert!(noise.cost(0, &epsilon("1e9")).upper() <= Rational::from_integer(1.into()));
    assert_eq!(noise.cost(1, &epsilon("1e900")), Enclosure::from_integer(1, 0));
    assert_eq!(noise.cost(u64::MAX, &epsilon("1")), Enclosure::from_integer(1, 0));
    let (lower, upper) = (parse("2.718281828459045").unwrap(), parse("2.718281828459046").unwrap());
    let cost = noise.cost(1, &epsilon("1"));
    assert!(
        cost.lower() > (lower + Rational::one()) * noise.beta()
            && cost.upper() < (upper + Rational::one()) * noise.beta()
    );
}

/// A sample after another and a slice at once are the same samples.
#[test]
fn a_slice_holds_the_same_samples() {
    for scale in SCALES {
        for mode in [Mode::Standard, Mode::Wide] {
            let noise = FixedGaussian::new(&positive(scale), mode).unwrap();
            let (mut bulk, mut single) = (seeded([4; 32]), seeded([4; 32]));
            for length in [0, 1, 31, 32, 33, 500] {
                let mut many = vec![0; length];
                noise.fill(&mut bulk, &mut many).unwrap();
                assert!(many.iter().all(|&sample| noise.sample(&mut single).unwrap() == sample.into()), "{scale}");
            }
            let noise = FixedLaplace::new(&positive(scale), mode).unwrap();
            let mut many = vec![0; 500];
            noise.fill(&mut bulk, &mut many).unwrap();
            assert!(many.iter().all(|&sample| noise.sample(&mut single).unwrap() == sample.into()), "{scale}");
        }
    }
}

#[test]
fn a_source_that_ends_is_an_error() {
    let noise = FixedGaussian::new(&positive("10"), Mode::Standard).unwrap();
    let mut bits = Replay::new(vec![false; 191].into_iter().collect());
    assert_eq!(noise.fill(&mut bits, &mut [0]), Err(BitsError::TapeEnded));
    assert_eq!(noise.sample(&mut bits), Err(BitsError::TapeEnded));
}

/// The tape that begins with these words, and goes on with random bits.
fn tape<W: Word>(kernel: &Kernel<W>, words: &Words<W>, seed: u8) -> Tape {
    let mut tape = Vec::new();
    let mut push = |value: BigUint, count: u32| tape.extend((0..u64::from(count)).rev().map(|i| value.bit(i)));
    push(words.first.to_big(), W::BITS);
    if kernel.draws().0 {
        push(words.second.to_big(), W::BITS);
    }
    if kernel.draws().1 {
        push(BigUint::from(words.offset) << (64 - kernel.digits()), 64);
        push(words.accept.to_big(), W::BITS);
    }
    let mut rest = seeded([seed; 32]);
    tape.extend((0..1 << 12).map(|_| rest.take(1).unwrap() == 1));
    tape.into_iter().collect()
}

/// What a trial says, run as it ships, on words followed by random bits; with the number of bits that it
/// read.
fn run<W: Word>(kernel: &Kernel<W>, words: &Words<W>, seed: u8) -> (Option<Integer>, usize) {
    let mut bits = Replay::new(tape(kernel, words, seed));
    let step = kernel.step((), &mut Execution { bits: &mut bits }).unwrap();
    (step.break_value(), bits.position())
}

/// The same trial by the exact path alone, which the shipped trial takes only if it must, on the same digits.
fn exactly<W: Word>(kernel: &Kernel<W>, words: &Words<W>, seed: u8) -> Option<Integer> {
    let mut bits = Replay::new(tape(kernel, words, seed));
    let own = kernel.own_words();
    for _ in 0..own {
        bits.take(64).unwrap();
    }
    kernel.settle(words, &mut Execution { bits: &mut bits }).unwrap()
}

fn random_words<W: Word>(kernel: &Kernel<W>, source: &mut impl Bits) -> Words<W> {
    let mut word = || W::from_words(source.take(64).unwrap(), source.take(64).unwrap());
    let (first, second, accept) = (word(), word(), word());
    let offset = if kernel.draws().1 { source.take(kernel.digits()).unwrap() } else { 0 };
    Words { first, second, offset, accept }
}

/// Every threshold, the words beside it, and the open end, in every construction: the exact path agrees
/// wherever the words decide, decides where they do not, and is asked there only.
fn edges<W: Word>() {
    let mut source = seeded([8; 32]);
    let mut forced = 0;
    for scale in SCALES {
        for kernel in kernels::<W>(scale) {
            let own = usize::try_from(kernel.own_words()).unwrap() * 64;
            for (table, thresholds) in kernel.thresholds().into_iter().enumerate() {
                let greatest = W::MAX.shifted(1);
                for at in thresholds.iter().copied().chain([greatest]) {
                    for (by, sign) in [(-1, 0), (0, 0), (0, 1), (1, 0)] {
                        let near: BigInt = BigInt::from(at.to_big()) + by;
                        let Some(near) = near.to_biguint().filter(|near: &BigUint| *near <= greatest.to_big()) else {
                            continue;
                        };
                        let word = W::from_big(&((near << 1u32) + BigUint::from(u32::from(sign == 1)))).unwrap();
                        let mut words = random_words(&kernel, &mut source);
                        if table == 0 {
                            words.first = word
                        } else {
                            words.second = word
                        }
                        let seed = u8::try_from(forced % 251).unwrap();
                        let (shipped, read) = run(&kernel, &words, seed);
                        assert_eq!(shipped, exactly(&kernel, &words, seed), "{scale} {words:?}");
                        if by == 0 {
                            // More digits than the first: a threshold lies strictly inside what its word
                            // stands for.
                            assert!(read > own || at == greatest, "{scale} {words:?}");
                            forced += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(forced > 400, "{forced}");
}

#[test]
fn every_threshold_is_settled_exactly() {
    edges::<u64>();
    edges::<u128>();
}

/// At a threshold Fⱼ the very digits of Fⱼ decide: those of Fⱼ − 2^-300 fall below it, those of Fⱼ + 2^-300
/// do not.
#[test]
fn the_digits_of_the_threshold_decide() {
    for (text, sigma) in [("1", 1u32), ("3", 3)] {
        let kernel = Kernel::<u64>::gaussian(&positive(text).square()).unwrap();
        // P(|K| ≤ j) from the closed form, which shares nothing with the tables.
        let pmf = GaussianPmf::new(&positive(&(sigma * sigma).to_string()), 400).unwrap();
        let mut sum = Enclosure::from_integer(0, 0);
        for (j, threshold) in kernel.thresholds().remove(0).into_iter().enumerate() {
            let j = i64::try_from(j).unwrap();
            sum = sum.add(&pmf.probability(&j.into()));
            if j > 0 {
                sum = sum.add(&pmf.probability(&(-j).into()));
            }
            let unit = BigInt::one() << 300u32;
            let floor = (sum.lower() * &unit).floor().to_integer();
            assert_eq!(&floor >> 237u32, BigInt::from(threshold), "{j}");
            for (digits, expected) in [(&floor - 1, j), (&floor + 2, j + 1)] {
                // 63 digits, the sign, and the other digits.
                let digits = BigInt::to_biguint(&digits).unwrap();
                let bits = (0..300).rev().map(|i| digits.bit(i));
                let mut tape: Vec<bool> = bits.collect();
                tape.insert(63, false);
                tape.extend([true; 1000]);
                let found = execute(&kernel, &mut Replay::new(tape.into_iter().collect())).unwrap();
                assert_eq!(found, Integer::from(expected));
            }
        }
    }
}

/// Noise past the machine word, at a probability of e^-130: exact as an integer, an error in a slice of
/// words, unless it is −2^63, which fits.
#[test]
fn noise_past_the_word_is_refused_by_a_slice() {
    // w = 2^55, and 8w is 4 scales: the second table's 32nd index is 2^63, and 1 − U is e^(-4·32.5).
    let noise = FixedLaplace::new(&positive("72057594037927936"), Mode::Standard).unwrap();
    let length = 63 + 3 * 64u32;
    let tail = exp_neg(&NonNegative::new(Rational::from_integer(130.into())).unwrap(), length + 16);
    let tail = (tail.lower() * (BigInt::one() << length)).to_integer();
    let u = (BigInt::one() << length) - tail;
    let digits: Vec<bool> = (0..u64::from(length)).rev().map(|i| u.bit(i)).collect();
    for (negative, offset, expected) in
        [(0u64, 0u64, 1i128 << 63), (1, 0, -(1 << 63)), (1, 5, -(1 << 63) - 5), (0, 9, (1 << 63) + 9)]
    {
        let mut tape: Vec<bool> = Vec::new();
        let mut push = |word: u64| tape.extend((0..64).rev().map(|i| word >> i & 1 == 1));
        push(negative);
        let (first, more) = digits.split_at(63);
        tape.extend(first.iter().chain([&true]));
        let mut push = |word: u64| tape.extend((0..64).rev().map(|i| word >> i & 1 == 1));
        push(offset << 9);
        push(0);
        tape.extend(more);
        let bits = || Replay::new(tape.iter().copied().collect());
        let sample = noise.sample(&mut bits()).unwrap();
        assert_eq!(sample.to_big(), BigInt::from(expected));
        let mut slice = [0];
        let filled = noise.fill(&mut bits(), &mut slice).map(|()| slice);
        assert_eq!(filled, i64::try_from(expected).map(|word| [word]).map_err(|_| BitsError::Overflow));
    }
}

/// The words just outside and just inside the window of the acceptance.
fn windows<W: Word>() {
    let mut source = seeded([9; 32]);
    let mut ambiguous = 0;
    for scale in ["4", "10", "355", "1e6", "1099511627776", "72057594037927936"] {
        for kernel in kernels::<W>(scale) {
            for round in 0..40 {
                let mut words = random_words(&kernel, &mut source);
                let Some((start, window)) = kernel.window(&words) else { panic!("{scale} has no offsets") };
                let all = BigInt::one() << W::BITS;
                for by in [
                    BigInt::from(-1),
                    0.into(),
                    BigInt::from(window.to_big()) / 2,
                    BigInt::from(window.to_big()) - 1,
                    window.to_big().into(),
                ] {
                    let v = (BigInt::from(start.to_big()) + &by + &all) % &all;
                    words.accept = W::from_big(&v.to_biguint().unwrap()).unwrap();
                    let trial = kernel.trial(&words);
                    let inside = !num_traits::Signed::is_negative(&by) && by < window.to_big().into();
                    assert_eq!(trial.ambiguous == 1, inside, "{scale} {by}");
                    ambiguous += trial.ambiguous;
                    assert_eq!(run(&kernel, &words, round).0, exactly(&kernel, &words, round), "{scale} {words:?}");
                }
            }
        }
    }
    assert!(ambiguous > 1000);
}

#[test]
fn the_window_of_the_acceptance_is_settled_exactly() {
    windows::<u64>();
    windows::<u128>();
}

/// Random words are settled as the exact path settles them, at every width.
#[test]
fn words_that_decide_decide_right() {
    fn check<W: Word>(rounds: u32) {
        let mut source = seeded([10; 32]);
        for scale in ["1/3", "2", "10", "300"] {
            for kernel in kernels::<W>(scale) {
                for _ in 0..rounds {
                    let words = random_words(&kernel, &mut source);
                    let trial = kernel.trial(&words);
                    let found = (trial.accepted == 1).then(|| Integer::from(trial.candidate.into()));
                    assert!(trial.ambiguous == 1 || found == exactly(&kernel, &words, 0), "{scale} {words:?}");
                }
            }
        }
    }
    check::<u64>(300);
    check::<u128>(100);
}

/// Chi-square of counts against probabilities; cells with expectations below 10 are joined, and empty cells
/// count. Alpha is 10^-6 a test.
fn fits(counts: &BTreeMap<i64, u64>, total: u64, probability: impl Fn(i64) -> f64, reach: i64) {
    let n = total as f64;
    let (mut statistic, mut cells) = (0.0, 0u32);
    let (mut expected, mut observed, mut covered, mut seen) = (0.0, 0.0, 0.0, 0u64);
    for k in -reach..=reach {
        expected += n * probability(k);
        let count = counts.get(&k).copied().unwrap_or(0);
        observed += count as f64;
        seen += count;
        if expected >= 10.0 {
            statistic += (observed - expected).powi(2) / expected;
            covered += expected;
            (expected, observed) = (0.0, 0.0);
            cells += 1;
        }
    }
    // What is left over, at either end.
    let (expected, observed) = ((n - covered).max(1e-9), observed + (total - seen) as f64);
    if expected >= 10.0 {
        statistic += (observed - expected).powi(2) / expected;
        cells += 1;
    } else {
        assert!(observed < 60.0, "{observed} of {expected}");
    }
    let p = 1.0 - ChiSquared::new(f64::from(cells.max(2) - 1)).unwrap().cdf(statistic);
    assert!(p > 1e-6, "chi-square {statistic} in {cells} cells: p = {p}");
}

fn float(value: &Enclosure) -> f64 {
    let middle = (value.lower() + value.upper()) / Rational::from_integer(2.into());
    (middle * Rational::from_integer(BigInt::one() << 80u32)).to_integer().to_f64().unwrap() / 2f64.powi(80)
}

fn counted(samples: &[i64], cell: i64) -> BTreeMap<i64, u64> {
    let mut counts = BTreeMap::new();
    for sample in samples {
        *counts.entry(sample.div_euclid(cell)).or_insert(0) += 1;
    }
    counts
}

const SAMPLES: usize = 1_000_000;

fn samples(mut fill: impl FnMut(&mut [i64])) -> Vec<i64> {
    let mut samples = vec![0; SAMPLES];
    fill(&mut samples);
    samples
}

#[test]
fn narrow_noise_fits() {
    for (seed, scale) in (20u8..).zip(["1/3", "1", "355/113", "10", "1000"]) {
        let s = positive(scale);
        for mode in [Mode::Standard, Mode::Wide] {
            let mut bits = seeded([seed + 50 * u8::from(mode == Mode::Wide); 32]);
            let reach = 18 * s.get().ceil().to_integer().to_i64().unwrap();
            let gaussian = FixedGaussian::new(&s, mode).unwrap();
            let found = samples(|out| gaussian.fill(&mut bits, out).unwrap());
            let pmf = GaussianPmf::new(&s.square(), 80).unwrap();
            fits(&counted(&found, 1), SAMPLES as u64, |k| float(&pmf.probability(&k.into())), reach / 2);
            let laplace = FixedLaplace::new(&s, mode).unwrap();
            let found = samples(|out| laplace.fill(&mut bits, out).unwrap());
            let pmf = LaplacePmf::new(&s, 80);
            fits(&counted(&found, 1), SAMPLES as u64, |k| float(&pmf.probability(&k.into())), reach);
        }
    }
}

/// Wide noise, in cells of a sixteenth of its scale, and its low bits, which must be uniform.
#[test]
fn wide_noise_fits() {
    for (seed, scale) in (70u8..).zip(["1e6", "1099511627776"]) {
        let s = positive(scale).get().to_integer().to_i64().unwrap();
        let cell = s / 16;
        let width = cell as f64 / s as f64;
        for mode in [Mode::Standard, Mode::Wide] {
            let mut bits = seeded([seed + 50 * u8::from(mode == Mode::Wide); 32]);
            let gaussian = FixedGaussian::new(&positive(scale), mode).unwrap();
            let found = samples(|out| gaussian.fill(&mut bits, out).unwrap());
            // A cell is [c, c + 1)·cell: the continuous distribution is within 1/s of it, far below what a
            // million samples see.
            let normal = statrs::distribution::Normal::new(0.0, 1.0).unwrap();
            let half = 0.5 / s as f64;
            fits(
                &counted(&found, cell),
                SAMPLES as u64,
                |c| normal.cdf((c + 1) as f64 * width - half) - normal.cdf(c as f64 * width - half),
                200,
            );
            uniform(&found);
            let laplace = FixedLaplace::new(&positive(scale), mode).unwrap();
            let found = samples(|out| laplace.fill(&mut bits, out).unwrap());
            let cdf = |x: f64| if x < 0.0 { x.exp() / 2.0 } else { 1.0 - (-x).exp() / 2.0 };
            fits(
                &counted(&found, cell),
                SAMPLES as u64,
                |c| cdf((c + 1) as f64 * width - half) - cdf(c as f64 * width - half),
                400,
            );
            uniform(&found);
        }
    }
}

/// The low eight bits.
fn uniform(samples: &[i64]) {
    let mut counts = BTreeMap::new();
    for sample in samples {
        *counts.entry(sample & 255).or_insert(0) += 1;
    }
    fits(&counts, samples.len() as u64, |k| if (0..256).contains(&k) { 1.0 / 256.0 } else { 0.0 }, 256);
}

/// A test of the test: noise of a scale that is wrong by one part in a hundred does not fit, nor does a
/// missing zero.
#[test]
fn misfits_are_caught() {
    let gaussian = FixedGaussian::new(&positive("10"), Mode::Standard).unwrap();
    let mut found = samples(|out| gaussian.fill(&mut seeded([99; 32]), out).unwrap());
    let caught = |found: &[i64], sigma2: &str| {
        let pmf = GaussianPmf::new(&positive(sigma2), 80).unwrap();
        let counts = counted(found, 1);
        std::panic::catch_unwind(|| fits(&counts, SAMPLES as u64, |k| float(&pmf.probability(&k.into())), 400)).is_err()
    };
    assert!(!caught(&found, "100"));
    assert!(caught(&found, "102"));
    for sample in &mut found {
        *sample += i64::from(*sample == 0);
    }
    assert!(caught(&found, "100"));
}

/// No bit is drawn that the documentation does not count, and none twice.
#[test]
fn words_a_trial() {
    for (scale, gaussian, laplace) in [("1/3", 1, 1), ("2", 1, 2), ("10", 3, 4)] {
        let [gaussian_kernel, laplace_kernel] = kernels::<u64>(scale);
        for (kernel, words) in [(gaussian_kernel, gaussian), (laplace_kernel, laplace)] {
            let mut recorder = Recorder::new(seeded([3; 32]));
            let _ = kernel.step((), &mut Execution { bits: &mut recorder }).unwrap();
            assert_eq!(recorder.cut().bits().len(), words * 64);
            assert_eq!(kernel.own_words(), words as u64);
        }
    }
}
