//! The normal distribution function Φ and its density φ, to hundreds of bits at many points.
//!
//! Anchors z_a = a/64 hold Φ(z_a) and the Taylor coefficients of φ there,
//! C_n = φ^(n)(z_a)/n! = (−1)^n·He_n(z_a)·φ(z_a)/n!, so that with |d| ≤ 1/128
//!
//! φ(z_a + d) = Σ C_n·dⁿ and Φ(z_a + d) = Φ(z_a) + Σ C_n·dⁿ⁺¹/(n + 1).
//!
//! **Remainder.** Cramér's inequality, |He_n(x)|·e^(-x²/4) ≤ 1.09·√n!, gives |φ^(n)(x)| ≤ 0.44·√n! for every
//! x, so by Lagrange what follows the term N − 1 is at most 0.44·2^(-7N)/√N! ≤ 2^(-7N).
//!
//! **Rounding.** Everything is on integers over 2^W; an *ulp* is 2^-W. He_n(z_a)·64ⁿ is an exact integer.
//! φ(z_a) is held with 96 bits more, so that each C_n is within 2 ulps (|He_n(z_a)|/n! ≤ e^(z_a + 1/2) < 2^60
//! for z_a ≤ 40). A Horner step multiplies the error by |d| ≤ 2^-7 and adds at most 4 ulps, so a series is
//! within 5 ulps, and the anchors' Φ, each found from the one before, within 8 ulps times their number.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive, Zero};

use super::fixed::floor;
use crate::exact::{BigUint, NonNegative, Rational, exp_neg};

/// Anchors lie at the multiples of 2^-SPACING.
const SPACING: u32 = 6;

/// The largest |z| with anchors; beyond it Φ is known to be within e^(-z²/2) of 0 or 1.
const WIDEST: u32 = 40;

/// What one value of Φ or φ may be wrong by, in ulps: 2^12 anchors of 8 ulps each, and 5 for the last series,
/// is below 2^16.
pub(super) const ULPS: u32 = 1 << 16;

struct Anchor {
    cdf: BigInt,
    /// C_0, C_1, …
    series: Vec<BigInt>,
    /// C_0/1, C_1/2, …
    integral: Vec<BigInt>,
}

/// Φ and φ over 2^W, anchors computed as they are asked for.
pub(super) struct Normal {
    bits: u32,
    terms: u32,
    /// 1/√(2π) over 2^(W + 96).
    density: BigInt,
    anchors: Vec<Anchor>,
}

/// Guard bits of φ(z_a).
const GUARD: u32 = 96;

impl Normal {
    pub(super) fn new(bits: u32) -> Self {
        // 2^(-7·terms) is below an ulp.
        let terms = bits / (SPACING + 1) + 2;
        // 1/√(2π) = √(2^2B/(2π))/2^B; π below is within 2^-B, and a floor within one more.
        let wide = bits + GUARD + 8;
        let two_pi = pi(wide).magnitude() << 1_u32;
        let density = ((BigUint::one() << (3 * wide)) / two_pi).sqrt() >> 8_u32;
        Self { bits, terms, density: density.into(), anchors: Vec::new() }
    }

    /// (Φ(z), φ(z)) for z ≥ 0 over 2^W, each within [`ULPS`]; z may be wrong by a few ulps, for as many more.
    /// `None` beyond z = 40.
    pub(super) fn at(&mut self, z: &BigInt) -> Option<(BigInt, BigInt)> {
        let half = BigInt::one() << (self.bits - SPACING - 1);
        let nearest = ((z + half) >> (self.bits - SPACING)).to_usize()?;
        if nearest >= usize::try_from(WIDEST << SPACING).ok()? {
            return None;
        }
        while self.anchors.len() <= nearest {
            let next = self.anchor(self.anchors.len())?;
            self.anchors.push(next);
        }
        let anchor = self.anchors.get(nearest)?;
        let d = z - (BigInt::from(nearest) << (self.bits - SPACING));
        Some((&anchor.cdf + self.rise(&anchor.integral, &d), self.sum(&anchor.series, &d)))
    }

    /// Σ C_n·dⁿ.
    fn sum(&self, series: &[BigInt], d: &BigInt) -> BigInt {
        let mut sum = BigInt::zero();
        for c in series.iter().rev() {
            sum *= d;
            sum >>= self.bits;
            sum += c;
        }
        sum
    }

    /// Σ C_n·dⁿ⁺¹/(n + 1).
    fn rise(&self, integral: &[BigInt], d: &BigInt) -> BigInt {
        (self.sum(integral, d) * d) >> self.bits
    }

    fn anchor(&self, index: usize) -> Option<Anchor> {
        let a = BigInt::from(index);
        // z_a²/2 = a²/2^13.
        let exponent = Rational::new(&a * &a, BigInt::one() << (2 * SPACING + 1));
        let wide = self.bits + GUARD;
        let falling = floor(&exp_neg(&NonNegative::new(exponent).ok()?, wide).lower(), wide);
        let density = (falling * &self.density) >> wide;
        // G_n = 64ⁿ·He_n(a/64): G_(n+1) = a·G_n − n·64²·G_(n−1).
        let (mut hermite, mut before) = (BigInt::one(), BigInt::zero());
        let mut factorial = BigInt::one();
        let mut series = Vec::new();
        for n in 0..self.terms {
            let sign = if n % 2 == 0 { BigInt::one() } else { -BigInt::one() };
            let scaled = sign * &density * &hermite;
            series.push(scaled.div_floor(&(&factorial << (GUARD + SPACING * n))));
            let next = &a * &hermite - ((&before * n) << (2 * SPACING));
            (before, hermite) = (hermite, next);
            factorial *= n + 1;
        }
        let integral: Vec<BigInt> = series.iter().zip(1_u32..).map(|(c, n)| c / n).collect();
        let cdf = match index.checked_sub(1).and_then(|index| self.anchors.get(index)) {
            None => BigInt::one() << (self.bits - 1),
            Some(last) => {
                // Half the way from either side: both series are asked for |d| = 1/128 only.
                let d = BigInt::one() << (self.bits - SPACING - 1);
                &last.cdf + self.rise(&last.integral, &d) - self.rise(&integral, &-d)
            }
        };
        Some(Anchor { cdf, series, integral })
    }
}

/// π over 2^bits, within one unit: 16·atan(1/5) − 4·atan(1/239) (Machin 1706), with 16 guard bits for the
/// roundings of the at most bits/2 terms.
fn pi(bits: u32) -> BigInt {
    let wide = bits + 16;
    let atan = |k: u32| -> BigInt {
        let mut power: BigInt = (BigInt::one() << wide) / k;
        let (mut sum, mut n) = (BigInt::zero(), 1_u32);
        while !power.is_zero() {
            let term = &power / n;
            sum = if n % 4 == 1 { sum + term } else { sum - term };
            power /= k * k;
            n += 2;
        }
        sum
    };
    (BigInt::from(16) * atan(5) - BigInt::from(4) * atan(239)) >> 16_u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use num_traits::Signed;

    fn scaled(text: &str, bits: u32) -> BigInt {
        floor(&crate::exact::parse(text).unwrap(), bits)
    }

    #[test]
    fn pi_to_sixty_digits() {
        let digits = (pi(220) * BigInt::from(10).pow(60)) >> 220_u32;
        assert_eq!(digits.to_string(), "3141592653589793238462643383279502884197169399375105820974944");
    }

    /// Values of mpmath at 80 digits.
    #[test]
    fn agrees_with_mpmath() {
        let bits = 220;
        let mut normal = Normal::new(bits);
        for (z, cdf, density) in VALUES {
            let (computed, slope) = normal.at(&scaled(z, bits)).unwrap();
            for (computed, expected) in [(computed, cdf), (slope, density)] {
                let error = (computed - scaled(expected, bits)).abs();
                assert!(error < BigInt::from(ULPS), "{z}: {error} ulps");
            }
        }
    }

    const VALUES: &[(&str, &str, &str)] = &[
        ("0", "0.5", "0.398942280401432677939946059934381868475858631164934657665925829670657925899"),
        (
            "1/3",
            "0.630558659818236361727207717930426416671745630042449640604999641534197553742",
            "0.377383227692993164017922024349184357227359423182954099558398081012080631375",
        ),
        (
            "0.0078125",
            "0.503116704860842580450669067519122304596661422105888433361657750110522898704",
            "0.398930105834993247659206854592159342481155951977570450805673925016687337875",
        ),
        (
            "1.2345678",
            "0.891504300472241996997381391980415738752943285210279168896590135010551334804",
            "0.186184463102868461849367964105111714265461268681033279431746068685223884332",
        ),
        (
            "5.5",
            "0.999999981010437534112280616148725966419813683642510880703206144324505342118",
            "0.000000107697600425432763587820310790061191989132106420303120119286777964690972464",
        ),
        (
            "12.0078124",
            "0.999999999999999999999999999999998383580264157270932003096171639296822814846",
            "1.95424733770672673010166291647736218168117631887764113459681463021952078065e-32",
        ),
        (
            "17.3",
            "0.999999999999999999999999999999999999999999999999999999999999999999764805554",
            "4.08236960107155267740882331588952828823362666960770095608944639152265726832e-66",
        ),
        ("38.999", "1.0", "2.17217017364109794959397912007397650626823620706995594445732471065579442458e-331"),
    ];
}
