//! Sources of bits, and samplers.

use std::num::NonZeroU64;

use certus::{
    bits::{BitStream, Bits, Enumeration, Key, Meter, Recorder, Replay, SystemBits, Tape, seeded},
    exact::{BigUint, Integer, Rational},
    sample::{
        Bernoulli, BernoulliExp, Choice, Gaussian, GaussianNoise, Geometric, Laplace, LaplaceNoise, PreparedGaussian,
        PreparedLaplace, Sampler, Uniform, Weight,
        fixed::{FixedGaussian, FixedLaplace, Mode},
    },
};

use crate::{Calls, Case, values::*};

fn sources(calls: &mut Calls) {
    for count in [0, 1, 64, 65, u32::MAX] {
        calls.make(format!("take({count}) of every source"), || {
            let tape: Tape = "0110".parse().unwrap();
            let taken =
                (Replay::new(tape).take(count), Enumeration::new(count).take(count), seeded([1; 32]).take(count));
            let generator = <rand_chacha::ChaCha20Rng as certus::rand_core::SeedableRng>::from_seed([1; 32]);
            let mut stream = BitStream::new(generator);
            let wrapped = (Meter::new(&mut stream).take(count), Recorder::new(&mut stream).take(count));
            (taken, wrapped, SystemBits::new().unwrap().take(count))
        });
    }
}

fn reference(calls: &mut Calls) {
    for value in long_positives() {
        calls.make(format!("Laplace, Geometric, Gaussian of {}", shown(&value)), || {
            let one = (drawn(&Laplace::new(&value)), drawn(&Geometric::new(&value)));
            (one, drawn(&Gaussian::new(&value)), drawn(&Gaussian::with_variance(&value)))
        });
    }
    for value in long_non_negatives() {
        calls.make(format!("BernoulliExp of {}", shown(&value)), || drawn(&BernoulliExp::new(&value)));
        for exponent in with_long(rationals()) {
            let weight = |factor: &str, exponent: Rational| Weight {
                factor: certus::exact::NonNegative::new(certus::exact::parse(factor).unwrap()).unwrap(),
                exponent,
            };
            calls.make(format!("Choice of {} against exponent {}", shown(&value), shown(&exponent)), || {
                let weights =
                    [Weight { factor: value.clone(), exponent: exponent.clone() }, weight("1", 0_i64.into_rational())];
                Choice::new(&weights).map(|choice| drawn(&choice))
            });
        }
    }
    // As found in review: a factor of 1e-30 beside one whose exponent is a million.
    calls.make("Choice of 1e-30 against exponent 10^6", || {
        let of = |factor: &str, exponent: i64| Weight {
            factor: certus::exact::NonNegative::new(certus::exact::parse(factor).unwrap()).unwrap(),
            exponent: exponent.into_rational(),
        };
        Choice::new(&[of("1e-30", 0), of("1", 1_000_000)]).map(|choice| drawn(&choice))
    });
    for value in long_probabilities() {
        calls.make(format!("Bernoulli of {}", shown(&value)), || drawn(&Bernoulli::new(value.clone())));
    }
    for bound in [1, 3, u64::MAX] {
        calls.make(format!("Uniform::below({bound})"), || drawn(&Uniform::below(NonZeroU64::new(bound).unwrap())));
    }
    for bound in [1, 3, u64::MAX] {
        let bound = NonZeroU64::new(bound).unwrap();
        calls.make(format!("Uniform::word_below({bound})"), || Uniform::word_below(bound, &mut seeded([5; 32])));
    }
    for bound in [BigUint::ZERO, long().numer().magnitude().clone()] {
        calls.make("Uniform::new", || Uniform::new(bound).map(|uniform| drawn(&uniform)));
    }
}

trait IntoRational {
    fn into_rational(self) -> Rational;
}

impl IntoRational for i64 {
    fn into_rational(self) -> Rational {
        Rational::from_integer(self.into())
    }
}

fn prepared(calls: &mut Calls) {
    for value in long_positives() {
        for length in [0, 1, 200] {
            calls.make(format!("prepared Laplace of {}, {length}", shown(&value)), || {
                let noise = PreparedLaplace::new(&value);
                let (mut words, mut sums) = (vec![0_i64; length], vec![i64::MAX; length]);
                let filled = noise.fill(&mut seeded([1; 32]), &mut words);
                (filled, noise.add_noise(&mut seeded([1; 32]), &mut sums), noise.samples(seeded([1; 32])).next())
            });
            calls.make(format!("prepared Gaussian of {}, {length}", shown(&value)), || {
                PreparedGaussian::new(&value).fill(&mut seeded([1; 32]), &mut vec![0_i64; length])
            });
            calls.make(format!("prepared Gaussian of variance {}, {length}", shown(&value)), || {
                PreparedGaussian::with_variance(&value).add_noise(&mut seeded([1; 32]), &mut vec![i64::MIN; length])
            });
        }
        for length in [0, 9, u64::MAX] {
            calls.make(format!("at a range of {length}, of {}", shown(&value)), || {
                let noise = PreparedLaplace::new(&value);
                let (mut words, mut sums) = ([0_i64; 9], [i64::MAX; 9]);
                let mut key = Key::new().and(Key::drawn_from(&mut seeded([1; 32])))?;
                let filled = noise.fill_at(key.range(length)?, &mut words).is_ok();
                let noised = key.range(length).and_then(|range| noise.add_noise_at(range, &mut sums));
                let alone = Key::drawn_from(&mut seeded([2; 32]))?
                    .range(length)?
                    .launch(|launch| [0, length / 2, u64::MAX].map(|index| noise.sample_at(launch, index).is_ok()));
                Ok::<_, certus::bits::BitsError>((filled, noised, alone))
            });
        }
    }
}

fn by_any_sampler(calls: &mut Calls) {
    for value in long_positives() {
        for sampler in [Sampler::Reference, Sampler::Prepared, Sampler::Fixed(Mode::Standard)] {
            calls.make(format!("noise of {} by {sampler:?}", shown(&value)), || {
                let (mut words, mut integers, mut sums) = ([0_i64; 70], vec![Integer::ZERO; 70], [i64::MIN; 70]);
                let mut bits = seeded([1; 32]);
                let laplace = LaplaceNoise::new(&value, sampler)?;
                let filled =
                    (laplace.fill(&mut bits, &mut words).is_ok(), laplace.fill(&mut bits, &mut integers).is_ok());
                let gaussian = GaussianNoise::new(&value, sampler)?;
                Ok::<_, certus::sample::fixed::FixedError>((filled, gaussian.add_noise(&mut bits, &mut sums).is_ok()))
            });
        }
    }
}

fn fixed(calls: &mut Calls) {
    for value in long_positives() {
        for mode in [Mode::Standard, Mode::Wide] {
            calls.make(format!("fixed Laplace of {}, {mode:?}", shown(&value)), || {
                let noise = FixedLaplace::new(&value, mode)?;
                let filled = noise.fill(&mut seeded([1; 32]), &mut [0; 40]).is_ok();
                let costs: Vec<_> = long_non_negatives().iter().map(|epsilon| noise.cost(u64::MAX, epsilon)).collect();
                Ok::<_, certus::sample::fixed::FixedError>((filled, costs))
            });
            calls.make(format!("fixed Gaussian of {}, {mode:?}", shown(&value)), || {
                let filled = FixedGaussian::new(&value, mode)?.fill(&mut seeded([1; 32]), &mut [0; 40]).is_ok();
                FixedGaussian::with_variance(&value, mode)
                    .map(|noise| (filled, noise.cost(0, &certus::exact::NonNegative::zero())))
            });
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "sources of bits",
            covers: &[
                "bits/meter.rs: Meter::new",
                "bits/stream.rs: BitStream::new",
                "bits/stream.rs: seeded",
                "bits/system.rs: SystemBits::new",
                "bits/tape.rs: Replay::new",
                "bits/tape.rs: Recorder::new",
                "bits/tape.rs: Enumeration::new",
            ],
            calls: sources,
        },
        Case {
            name: "reference samplers",
            covers: &[
                "sample/bernoulli.rs: Bernoulli::new",
                "sample/bernoulli_exp.rs: BernoulliExp::new",
                "sample/choice.rs: Choice::new",
                "sample/gaussian.rs: Gaussian::new",
                "sample/gaussian.rs: Gaussian::with_variance",
                "sample/geometric.rs: Geometric::new",
                "sample/laplace.rs: Laplace::new",
                "sample/uniform.rs: Uniform::below",
                "sample/uniform.rs: Uniform::new",
                "sample/uniform.rs: Uniform::word_below",
            ],
            calls: reference,
        },
        Case {
            name: "noise by any sampler",
            covers: &[
                "sample/noise.rs: $noise::new",
                "sample/noise.rs: $noise::fill",
                "sample/noise.rs: $noise::add_noise",
            ],
            calls: by_any_sampler,
        },
        Case {
            name: "prepared samplers",
            covers: &[
                "sample/prepared/mod.rs: $name::fill",
                "sample/prepared/mod.rs: $name::add_noise",
                "sample/prepared/mod.rs: $name::samples",
                "sample/prepared/mod.rs: PreparedLaplace::new",
                "sample/prepared/mod.rs: PreparedGaussian::new",
                "sample/prepared/mod.rs: PreparedGaussian::with_variance",
                "sample/prepared/counter.rs: $name::fill_at",
                "sample/prepared/counter.rs: $name::add_noise_at",
                "sample/prepared/counter.rs: $name::sample_at",
                "bits/key.rs: Key::new",
                "bits/key.rs: Key::drawn_from",
                "bits/key.rs: Key::range",
                "bits/key.rs: Range::launch",
            ],
            calls: prepared,
        },
        Case {
            name: "fixed-work samplers",
            covers: &[
                "sample/fixed/mod.rs: $sampler::cost",
                "sample/fixed/mod.rs: $sampler::fill",
                "sample/fixed/mod.rs: FixedGaussian::new",
                "sample/fixed/mod.rs: FixedGaussian::with_variance",
                "sample/fixed/mod.rs: FixedLaplace::new",
            ],
            calls: fixed,
        },
    ]
}
