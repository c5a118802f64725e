//! Random small plans, and random numbers for settings, all of one seed.

use alloc::{boxed::Box, vec::Vec};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use crate::{
    exact::{NonNegative, Positive, Probability, Rational, parse},
    guarantee::{FinitePair, Pair, Weight},
};

/// Pairs with their numbers of copies: one direction of a plan.
pub(super) type Plan = Vec<(Pair, u64)>;

/// A stream of choices.
pub(super) struct Dice(ChaCha20Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    /// A number below n, the same bias for everyone.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }

    /// One of some things.
    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let place = self.below(u64::try_from(from.len()).unwrap());
        from[usize::try_from(place).unwrap()].clone()
    }

    /// A number from 0 to 1, below 1.
    pub(super) fn share(&mut self) -> Rational {
        Rational::new(self.below(1 << 24).into(), (1 << 24).into())
    }

    /// A float from a to b.
    #[expect(clippy::float_arithmetic, reason = "a setting, which may be any")]
    pub(super) fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * f64::from(u32::try_from(self.below(1 << 24)).unwrap()) / f64::from(1 << 24)
    }

    /// One to three parts, up to six copies of each.
    pub(super) fn plan(&mut self) -> Plan {
        let parts = self.pick(&[1, 1, 2, 2, 3]);
        (0..parts).map(|_| self.part()).collect()
    }

    fn part(&mut self) -> (Pair, u64) {
        let copies = 1 + self.below(6);
        match self.below(7) {
            0..=2 => (self.finite(), copies),
            3 => (laplace(self.pick(&["1/2", "3", "20"]), 1 + self.below(3)), copies),
            4 => {
                let of = laplace(self.pick(&["1/3", "2"]), 1);
                (self.sampled(of, &["3/10", "1/100", "1e-4"]), copies)
            }
            5 => {
                let variance = Positive::new(parse(self.pick(&["9/100", "1/4"])).unwrap()).unwrap();
                let of = Pair::Gaussian { variance, shift: 1_u32.into() };
                (self.sampled(of, &["1/2", "1/100", "1e-5"]), 1 + self.below(3))
            }
            _ => {
                let (n, d) = self.pick(&[(3, 2), (9, 1)]);
                (Pair::Finite(finite(&[(n, d), (d, n)])), copies)
            }
        }
    }

    /// Two to five outcomes of weights over some decades, some with P = 0 or Q = 0, some times e^-x.
    fn finite(&mut self) -> Pair {
        let count = 2 + self.below(4);
        let mut weight = || self.pick(&[1, 1, 3, 10, 100]) * (1 + self.below(100));
        let mut rows: Vec<(u64, u64)> = (0..count).map(|_| (weight(), weight())).collect();
        let (with_p, with_q) = (self.below(10) >= 2, self.below(10) >= 3);
        if !with_p {
            rows[0].0 = 0;
        }
        if !with_q {
            rows[1].1 = 0;
        }
        let pair = finite(&rows);
        if self.below(4) > 0 {
            return Pair::Finite(pair);
        }
        let mut fall =
            |of: &Weight| Weight { factor: of.factor.clone(), exponent: NonNegative::new(self.share()).unwrap() };
        let outcomes = pair.outcomes().iter().map(|(p, q)| (fall(p), fall(q))).collect();
        Pair::Finite(FinitePair::new(outcomes).unwrap())
    }

    fn sampled(&mut self, of: Pair, rates: &[&str]) -> Pair {
        let rate = Probability::new(parse(self.pick(rates)).unwrap()).unwrap();
        Pair::Subsampled { rate, of: Box::new(of), reversed: false }
    }
}

fn laplace(scale: &str, shift: u64) -> Pair {
    Pair::Laplace { scale: Positive::new(parse(scale).unwrap()).unwrap(), shift: shift.into() }
}

fn finite(rows: &[(u64, u64)]) -> FinitePair {
    let weight = |n: u64| Weight::rational(NonNegative::new(Rational::from_integer(n.into())).unwrap());
    FinitePair::new(rows.iter().map(|(p, q)| (weight(*p), weight(*q))).collect()).unwrap()
}
