//! Π φ_i(t)^k_i at the frequencies t_m = 2πm/L, m = 0, 1, …, and sums over them, in fixed point
//! ([`limbs`](super::limbs)).
//!
//! φ_i(t) = Σ P·e^((θ+it)l)/M_i(θ): one weight for each outcome, all weights together 1, each turned by
//! e^(i·t₁·l) from one frequency to the next.
//!
//! **Rounding, in units.** A weight begins off by less than 2, a turn is off by less than 2√2, a product adds
//! less than √5. So if x_m stands for a weight w turned m times, x_(m+1) is off by at most (1 + 3u)·e_m +
//! 2√2·w + √5; the sum over n weights by at most (1 + 3u)^m·(2n + m(2√2 + √5·n)) ≤ **3(n + 1)(m + 1)**, as
//! (1 + 3u)^m ≤ 1.01 for all m here. The phase is one weight of 1, turned: 6(m + 1). The bell e^(−am²) is
//! r₀·r₁⋯r_(m−1), r_j = e^(−a(2j+1)) by recurrence: r₀ and e^(−2a) off by less than 2, so r_j by less than
//! 3(j + 1), and the bell by less than Σ_(j<m) (3j + 4) ≤ **2(m + 1)²**. The kernel |w₀|/w is off by less
//! than 42. No factor is above 1 in modulus; a product of factors that are off by e_1, e_2, … is off by at
//! most **2·Σ(e_i + 3)**, as long as that is at most 1/2 in all ([`Complex::pow`]).

use alloc::{boxed::Box, vec::Vec};

use num_bigint::BigInt;

use super::limbs::{Complex, Fixed, digits};

/// A complex number, as integers of units of some digits.
pub(super) type Units = (BigInt, BigInt);

/// φ of one part: the weights of its outcomes at t = 0, their turns from one frequency to the next, and the
/// copies.
pub(super) struct Turning {
    pub(super) weights: Vec<BigInt>,
    pub(super) turns: Vec<Units>,
    pub(super) copies: u64,
}

/// |w₀|/w_m, w_m/|w₀| = ±1 − α·m² + iβ·m: α and β over 2^(F + [`KERNEL_GUARD_BITS`]).
pub(super) struct Kernel {
    /// 1 or −1.
    pub(super) one: BigInt,
    pub(super) square: BigInt,
    pub(super) linear: BigInt,
}

/// Further digits of α and β: α is off by less than 2, so that m²·α for m < 2^20 (16 times
/// [`MOST_FREQUENCIES`](super::constants::MOST_FREQUENCIES)) is off by less than 2^(41 − 64) units. A proof
/// needs them.
pub(super) const KERNEL_GUARD_BITS: u32 = 64;

/// What the phase and the bell are at the first frequency.
pub(super) struct Window {
    /// e^(i·t₁·(s²(2θ+1)/2 − ε)).
    pub(super) turn: Units,
    /// e^(−a) and e^(−2a), a = s²t₁²/2.
    pub(super) bell: Units,
}

/// Sums over all frequencies |m| ≤ M, as integers of units: of Re G/(w/|w₀|) and of Re G, where G is Π φ^k
/// with phase and bell.
pub(super) struct Sums {
    pub(super) main: BigInt,
    pub(super) excess: BigInt,
}

/// Frequencies of some number of limbs.
pub(super) trait Frequencies: core::fmt::Debug {
    /// Continues up to the frequency t_M.
    fn extend(&mut self, last: usize);

    /// The sums over |m| ≤ M; `None` before [`extend`](Self::extend) has reached M.
    fn sums(&self, window: &Window, last: usize) -> Option<Sums>;
}

/// Of as many limbs as are asked for: 2, 3 or 4. `None` for a weight that is no weight.
pub(super) fn frequencies(limbs: u32, parts: &[Turning], kernel: &Kernel) -> Option<Box<dyn Frequencies>> {
    Some(match limbs {
        2 => Box::new(Limbed::<2>::new(parts, kernel)?),
        3 => Box::new(Limbed::<3>::new(parts, kernel)?),
        _ => Box::new(Limbed::<4>::new(parts, kernel)?),
    })
}

/// What φ^k of a part with n outcomes is off by at t_M, in units; saturating.
pub(super) fn units_of_part(outcomes: usize, copies: u64, last: usize) -> u128 {
    let wide = |n: usize| u128::try_from(n).unwrap_or(u128::MAX).saturating_add(1);
    let of_one = wide(outcomes).saturating_mul(3).saturating_mul(wide(last));
    u128::from(copies).saturating_mul(2).saturating_mul(of_one.saturating_add(3))
}

/// What G/(w/|w₀|) is off by at t_M, where the parts' powers are off by so much each.
pub(super) fn units(parts: impl Iterator<Item = u128>, last: usize) -> u128 {
    let wide = u128::try_from(last).unwrap_or(u128::MAX).saturating_add(1);
    let (phase, bell, kernel) = (6 * wide, wide.saturating_mul(wide).saturating_mul(2), 42);
    let all = parts.chain([phase, bell, kernel]).fold(0_u128, |sum, of| sum.saturating_add(of).saturating_add(3));
    all.saturating_mul(2)
}

/// One part's weights as they are turned.
#[derive(Debug)]
struct Strand<const L: usize> {
    weights: Vec<Complex<L>>,
    turns: Vec<Complex<L>>,
    copies: u64,
}

#[derive(Debug)]
struct Limbed<const L: usize> {
    strands: Vec<Strand<L>>,
    kernel: Turned,
    /// Π φ^k at t_0, t_1, …
    products: Vec<Complex<L>>,
    /// |w₀|/w at the same.
    inverses: Vec<Complex<L>>,
}

/// x_m = w_m/|w₀| for m = 0, 1, …, exactly from α and β, which are over 2^(F + guard) for F digits: m²α by
/// sums of odd multiples.
#[derive(Debug)]
struct Turned {
    /// ±1 − m²α, and (2m + 1)α.
    re: Fixed<KERNEL_LIMBS>,
    fall: Fixed<KERNEL_LIMBS>,
    twice: Fixed<KERNEL_LIMBS>,
    /// mβ, and β.
    im: Fixed<KERNEL_LIMBS>,
    linear: Fixed<KERNEL_LIMBS>,
}

/// Limbs for F + guard digits after the point and 2^95 before it.
const KERNEL_LIMBS: usize = 6;
const KERNEL_BITS: u32 = 64 * 6;

impl Turned {
    fn new(Kernel { one, square, linear }: &Kernel) -> Option<Self> {
        Some(Self {
            re: Fixed::from_units(one)?,
            fall: Fixed::from_units(square)?,
            twice: Fixed::from_units(&(square << 1_u32))?,
            im: Fixed::ZERO,
            linear: Fixed::from_units(linear)?,
        })
    }

    /// |w₀|/w_m = 1/x_m, with |x_m| ≥ 1 brought to between 1/2 and 2; the next call is for m + 1.
    ///
    /// |x_m| ≥ 1, as |w_m|² = (θ² + t²)((θ+1)² + t²) rises with t.
    ///
    /// With x·2^-e rounded down by less than a unit in either part, the reciprocal is off by less than 32 +
    /// 4√2 < 40 units, and by less than 2 more once it is brought back.
    fn next<const L: usize>(&mut self) -> Option<Complex<L>> {
        let size = self.re.size().max(self.im.size());
        // A step adds at most 3 times the larger of two such numbers, which has its place within the limbs.
        if size.max(self.fall.size()) > KERNEL_BITS - 3 {
            return None;
        }
        let e = size.checked_sub(digits(u32::try_from(L).ok()?) + KERNEL_GUARD_BITS)?;
        let near: Complex<L> =
            Complex { re: self.re.shifted(KERNEL_GUARD_BITS + e), im: self.im.shifted(KERNEL_GUARD_BITS + e) };
        let Complex { re, im } = near.reciprocal()?;
        self.re = self.re.sub(self.fall);
        self.fall = self.fall.add(self.twice);
        self.im = self.im.add(self.linear);
        Some(Complex { re: re.shifted(e), im: im.shifted(e) })
    }
}

fn complex<const L: usize>((re, im): &Units) -> Option<Complex<L>> {
    Some(Complex { re: Fixed::from_units(re)?, im: Fixed::from_units(im)? })
}

impl<const L: usize> Limbed<L> {
    fn new(parts: &[Turning], kernel: &Kernel) -> Option<Self> {
        let strand = |part: &Turning| -> Option<Strand<L>> {
            // A weight below one unit is 0, and off by less than two units at every frequency, as every
            // weight is.
            let seen =
                part.weights.iter().zip(&part.turns).filter(|(weight, _)| weight.sign() == num_bigint::Sign::Plus);
            let (mut weights, mut turns) = (Vec::new(), Vec::new());
            for (weight, turn) in seen {
                weights.push(Complex { re: Fixed::from_units(weight)?, im: Fixed::ZERO });
                turns.push(complex(turn)?);
            }
            Some(Strand { weights, turns, copies: part.copies })
        };
        let strands = parts.iter().map(strand).collect::<Option<_>>()?;
        Some(Self { strands, kernel: Turned::new(kernel)?, products: Vec::new(), inverses: Vec::new() })
    }
}

impl<const L: usize> Frequencies for Limbed<L> {
    fn extend(&mut self, last: usize) {
        for _ in self.products.len()..=last {
            let mut product = Complex::one();
            for strand in &mut self.strands {
                let mut sum = Complex::ZERO;
                for (weight, turn) in strand.weights.iter_mut().zip(&strand.turns) {
                    sum = sum.add(*weight);
                    *weight = weight.mul(*turn);
                }
                product = product.mul(sum.pow(strand.copies));
            }
            let Some(inverse) = self.kernel.next() else { return };
            self.products.push(product);
            self.inverses.push(inverse);
        }
    }

    fn sums(&self, window: &Window, last: usize) -> Option<Sums> {
        let turn: Complex<L> = complex(&window.turn)?;
        let (mut ratio, falling) = (Fixed::<L>::from_units(&window.bell.0)?, Fixed::<L>::from_units(&window.bell.1)?);
        let Complex { re: mut bell, im: _ } = Complex::<L>::one();
        let mut phase = Complex::one();
        let (mut main, mut excess) = (Fixed::ZERO, Fixed::ZERO);
        let (products, inverses) = (self.products.get(..=last)?, self.inverses.get(..=last)?);
        for (m, (product, inverse)) in products.iter().zip(inverses).enumerate() {
            let g = product.mul(phase).scaled(bell);
            let of_main = g.re.mul(inverse.re).sub(g.im.mul(inverse.im));
            // m and −m are conjugate.
            main = main.add(of_main);
            excess = excess.add(g.re);
            if m > 0 {
                main = main.add(of_main);
                excess = excess.add(g.re);
            }
            phase = phase.mul(turn);
            bell = bell.mul(ratio);
            ratio = ratio.mul(falling);
        }
        Some(Sums { main: main.units(), excess: excess.units() })
    }
}
