//! The reference samplers once more, on 64-bit words, with a switch for one bug at a time.
//!
//! With [`Bug::None`] they draw what the shipped samplers draw, bit for bit (a test says so): what a detector
//! makes of a mutant, it makes of a copy of the shipped code with one line changed. A line with a bug reads
//! `if bug == Bug::… { wrong } else { right }`.

use std::{
    cmp::Ordering,
    ops::ControlFlow::{self, Break, Continue},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use certus::{
    exact::Integer,
    sample::{Count, Interpreter, Program, Step},
};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bug {
    /// Nothing.
    None,
    /// The sign is negative with probability 33/64.
    SignBias,
    /// Negative zero is kept, and counts as zero.
    NegativeZero,
    /// A uniform word equal to the bound is accepted, and wraps to 0.
    AcceptsTheBound,
    /// The uniform integer is below n − 1.
    BelowOneLess,
    /// The uniform integer is a word modulo n.
    ModuloBias,
    /// The series for e^-x is cut after its third toss.
    TruncatedSeries,
    /// An even number of tosses is taken for an odd one.
    WrongParity,
    /// A comparison that is not decided after so many bits is false.
    TieIsFalse(u32),
    /// k = u + ⌊scale⌋·v, where v counts coins of e^(-⌈scale⌉/scale). (⌊scale⌋ throughout would be right.)
    FloorOfScale,
    /// v counts coins of e^-1.
    CountsByE,
    /// The Gaussian's acceptance is given σ for σ².
    SigmaForVariance,
    /// Numerator and denominator of the scale are swapped.
    Swapped,
}

/// Bernoulli(numerator/denominator): `certus::sample::Bernoulli`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coin {
    pub bug: Bug,
    pub numerator: u64,
    pub denominator: u64,
}

impl Program for Coin {
    /// The remainder, and how many bits were equal.
    type State = (u64, u32);
    type Output = bool;

    fn start(&self) -> (u64, u32) {
        (self.numerator, 0)
    }

    fn step<I: Interpreter>(&self, (remainder, equal): (u64, u32), on: &mut I) -> Step<Self, I> {
        // The right sampler does not count: its state is the remainder alone.
        let (equal, tied) = match self.bug {
            Bug::TieIsFalse(most) => (equal + 1, equal == most),
            _ => (0, false),
        };
        if remainder == 0 || tied {
            return Ok(Break(false));
        }
        if remainder >= self.denominator {
            return Ok(Break(true));
        }
        let complement = self.denominator - remainder;
        let (digit, rest) =
            if remainder < complement { (false, 2 * remainder) } else { (true, remainder - complement) };
        let bit = on.bits(1)? == 1;
        Ok(if bit == digit { Continue((rest, equal)) } else { Break(digit) })
    }
}

/// Bernoulli(e^-x) for x = numerator/denominator ≤ 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    pub bug: Bug,
    pub numerator: u64,
    pub denominator: u64,
}

impl Program for Unit {
    type State = u64;
    type Output = bool;

    fn start(&self) -> u64 {
        1
    }

    fn step<I: Interpreter>(&self, k: u64, on: &mut I) -> Step<Self, I> {
        let coin = Coin { bug: self.bug, numerator: self.numerator, denominator: self.denominator * k };
        let toss = on.call(&coin)? && !(self.bug == Bug::TruncatedSeries && k == 3);
        if !toss {
            return Ok(Break(k % 2 == if self.bug == Bug::WrongParity { 0 } else { 1 }));
        }
        Ok(Continue(k + 1))
    }
}

/// Bernoulli(e^-x): `certus::sample::BernoulliExp`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CoinExp {
    pub bug: Bug,
    pub numerator: u64,
    pub denominator: u64,
}

impl Program for CoinExp {
    type State = u64;
    type Output = bool;

    fn start(&self) -> u64 {
        self.numerator / self.denominator
    }

    fn step<I: Interpreter>(&self, whole: u64, on: &mut I) -> Step<Self, I> {
        let unit = |numerator, denominator| Unit { bug: self.bug, numerator, denominator };
        if whole == 0 {
            return Ok(Break(on.call(&unit(self.numerator % self.denominator, self.denominator))?));
        }
        Ok(if on.call(&unit(1, 1))? { Continue(whole - 1) } else { Break(false) })
    }
}

/// Uniform below `bound`: `certus::sample::Uniform`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Below {
    pub bug: Bug,
    pub bound: u64,
}

impl Program for Below {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let word = on.bits(u64::BITS - (self.bound - 1).leading_zeros())?;
        let bound = self.bound;
        let accepted = match self.bug {
            Bug::AcceptsTheBound => (word <= bound).then_some(word % bound),
            Bug::BelowOneLess => (word < bound - 1).then_some(word),
            Bug::ModuloBias => Some(word % bound),
            _ => (word < bound).then_some(word),
        };
        Ok(accepted.map_or(Continue(()), |word| Break(word.into())))
    }
}

/// Geometric magnitude of scale numerator/denominator: `certus::sample::Geometric`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Magnitude {
    pub bug: Bug,
    pub numerator: u64,
    pub denominator: u64,
}

impl Program for Magnitude {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let bug = self.bug;
        let (numerator, denominator) =
            if bug == Bug::Swapped { (self.denominator, self.numerator) } else { (self.numerator, self.denominator) };
        let ceiling = numerator.div_ceil(denominator);
        let t = if bug == Bug::FloorOfScale { numerator / denominator } else { ceiling };
        let u = on.call(&Below { bug, bound: t })?;
        let u = u.magnitude_word().unwrap_or(0);
        if !on.call(&Unit { bug, numerator: u * denominator, denominator: numerator })? {
            return Ok(Continue(()));
        }
        let coin = match bug {
            Bug::CountsByE => CoinExp { bug, numerator: 1, denominator: 1 },
            _ => CoinExp { bug, numerator: ceiling * denominator, denominator: numerator },
        };
        let v = on.call(&Count(coin))?;
        Ok(Break(Integer::from(u + t * v)))
    }
}

/// Discrete Laplace of scale numerator/denominator: `certus::sample::Laplace`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TwoSided {
    pub bug: Bug,
    pub numerator: u64,
    pub denominator: u64,
}

impl Program for TwoSided {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let Self { bug, numerator, denominator } = *self;
        let magnitude = on.call(&Magnitude { bug, numerator, denominator })?;
        let negative = if bug == Bug::SignBias { on.bits(6)? < 33 } else { on.bits(1)? == 1 };
        if negative && magnitude.is_zero() && bug != Bug::NegativeZero {
            return Ok(Continue(()));
        }
        Ok(Break(if negative { magnitude.neg() } else { magnitude }))
    }
}

/// Discrete Gaussian of the integer σ: `certus::sample::Gaussian`. Then t = ⌈σ⌉ = σ, and σ²/t = σ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bell {
    pub bug: Bug,
    pub sigma: u64,
}

impl Program for Bell {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let Self { bug, sigma: t } = *self;
        let y = on.call(&TwoSided { bug, numerator: t, denominator: 1 })?;
        let variance = if bug == Bug::SigmaForVariance { t } else { t * t };
        // (|y| − variance/t)²/2·variance = (|y|·t − variance)²/(2·variance·t²).
        let difference = (y.magnitude_word().unwrap_or(0) * t).abs_diff(variance);
        let accept = CoinExp { bug, numerator: difference * difference, denominator: 2 * variance * t * t };
        Ok(if on.call(&accept)? { Break(y) } else { Continue(()) })
    }
}

/// Uniform below 3 in its first trial only: a trial after a rejected one accepts the word 3, as a 0.
///
/// The memory of the rejection hides in a cell that the state does not show, with an order that does not see
/// it: what the purity of [`Program`] forbids. The structural interpreter runs each step once and believes
/// that it is always the same.
#[derive(Clone, Debug)]
pub struct Remembers(pub Arc<AtomicBool>);

impl Ord for Remembers {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl PartialOrd for Remembers {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Remembers {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Remembers {}

impl Program for Remembers {
    type State = ();
    type Output = Integer;

    fn start(&self) {
        self.0.store(false, SeqCst);
    }

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let word = on.bits(2)?;
        Ok(if word < 3 {
            Break(word.into())
        } else if self.0.swap(true, SeqCst) {
            Break(Integer::ZERO)
        } else {
            ControlFlow::Continue(())
        })
    }
}
