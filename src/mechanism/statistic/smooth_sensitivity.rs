//! The smooth sensitivity of a median: the largest r^k·A(k), exactly, in n·log n comparisons.

use alloc::{vec, vec::Vec};
use core::cmp::Ordering;

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::One;

use crate::exact::{Positive, Rational};

/// The bits that are kept of a power of the decay, to tell its first 63: each of k roundings costs less than
/// one unit.
const KEPT_BITS: u64 = 256;

/// The size of a power r^k: it is in [leading, leading + 2]·2^exponent, with leading from 2^62 to 2^63.
#[derive(Clone, Copy)]
struct Size {
    leading: u64,
    exponent: i64,
}

/// The sizes of 1, r, r², …, r^last.
fn sizes(decay: &Positive, last: usize) -> Vec<Size> {
    // r^k is in [kept, kept + k + 1]·2^exponent: of KEPT_BITS bits, so that k < 2^64 leaves the first 63
    // right to 1.
    let (mut kept, mut exponent) = (BigUint::one() << (KEPT_BITS - 1), 1_i64.saturating_sub_unsigned(KEPT_BITS));
    let mut sizes = Vec::with_capacity(last.saturating_add(1));
    for _ in 0..=last {
        let leading = u64::try_from(&kept >> (KEPT_BITS - 63)).unwrap_or(u64::MAX);
        sizes.push(Size { leading, exponent: exponent.saturating_add_unsigned(KEPT_BITS - 63) });
        let more = decay.denominator().bits().saturating_add(1);
        kept = ((kept * decay.numerator()) << more) / decay.denominator();
        // r ≥ 1/q > 2^-more, so that KEPT_BITS or more are left.
        let spare = kept.bits().saturating_sub(KEPT_BITS);
        kept >>= spare;
        exponent = exponent.saturating_add_unsigned(spare).saturating_sub_unsigned(more);
    }
    sizes
}

/// r^k·distance, for a comparison.
#[derive(Clone, Copy)]
struct Worth {
    k: usize,
    size: Size,
    distance: u64,
}

impl Worth {
    fn compare(&self, other: &Self, decay: &Positive) -> Ordering {
        if self.k == other.k || self.distance == 0 || other.distance == 0 {
            return self.distance.cmp(&other.distance);
        }
        if self.is_surely_below(other) {
            return Ordering::Less;
        }
        if other.is_surely_below(self) {
            return Ordering::Greater;
        }
        // r^k·d and r^(k + m)·e, as d·q^m and e·p^m for r = p/q.
        let apart = u32::try_from(self.k.abs_diff(other.k)).unwrap_or(u32::MAX);
        let (less, more) = if self.k < other.k { (self, other) } else { (other, self) };
        let order =
            (decay.denominator().pow(apart) * less.distance).cmp(&(decay.numerator().pow(apart) * more.distance));
        if self.k < other.k { order } else { order.reverse() }
    }

    /// Whether the first bits tell that this is less; never wrong where it says so.
    fn is_surely_below(&self, other: &Self) -> bool {
        let most = (u128::from(self.size.leading) + 2) * u128::from(self.distance);
        let least = u128::from(other.size.leading) * u128::from(other.distance);
        // Both as 128 bits whose first is 1.
        let (up, down) = (most.leading_zeros(), least.leading_zeros());
        let exponents = (
            self.size.exponent.saturating_sub_unsigned(up.into()),
            other.size.exponent.saturating_sub_unsigned(down.into()),
        );
        match exponents.0.cmp(&exponents.1) {
            Ordering::Less => true,
            Ordering::Equal => most << up < least << down,
            Ordering::Greater => false,
        }
    }

    /// r^k·distance, in lowest terms.
    fn exact(&self, decay: &Positive) -> Rational {
        let Ok(k) = u32::try_from(self.k) else { return Rational::from_integer(self.distance.into()) };
        let (numerator, denominator) = (decay.numerator().pow(k), decay.denominator().pow(k));
        // p^k and q^k are coprime as p and q are; what the distance shares with q^k is less than a word.
        let shared = BigUint::from(self.distance).gcd(&(&denominator % self.distance.max(1)));
        match self.distance {
            0 => Rational::from_integer(0.into()),
            distance => Rational::new_raw((numerator * (distance / &shared)).into(), (denominator / shared).into()),
        }
    }
}

/// The largest r^(i + j − 1)·(upper[j] − lower[i]) over i and j that are not both 0, for a decay r below 1.
///
/// `lower` does not rise and `upper` does not fall, and both begin with the median. What j is worth to i
/// changes, from j to a j′ > j, by the factor r^(j′ − j)·(upper[j′] − lower[i])/(upper[j] − lower[i]), which
/// falls as lower[i] does. So the best j does not grow with i, and that of the middle i halves the question
/// (Nissim, Raskhodnikova and Smith 2007, Section 3.1).
pub(super) fn largest(lower: &[i64], upper: &[i64], decay: &Positive) -> Rational {
    let sizes = sizes(decay, lower.len().saturating_add(upper.len()));
    let worth = |i: usize, j: usize| {
        let k = i.saturating_add(j).saturating_sub(1);
        Some(Worth { k, size: *sizes.get(k)?, distance: upper.get(j)?.abs_diff(*lower.get(i)?) })
    };
    let is_more = |one: &Worth, other: &Worth| one.compare(other, decay) == Ordering::Greater;
    let mut best: Option<Worth> = None;
    // Runs of i, and the j among which the best of each is.
    let mut open = vec![(0..lower.len(), 0..upper.len())];
    while let Some((run, among)) = open.pop() {
        if run.is_empty() {
            continue;
        }
        let middle = run.start.midpoint(run.end);
        let mut here: Option<(usize, Worth)> = None;
        for (j, found) in among.clone().filter_map(|j| Some((j, worth(middle, j)?))) {
            if here.as_ref().is_none_or(|(_, known)| is_more(&found, known)) {
                here = Some((j, found));
            }
        }
        let Some((j, found)) = here else { continue };
        if best.as_ref().is_none_or(|known| is_more(&found, known)) {
            best = Some(found);
        }
        open.push((run.start..middle, j..among.end));
        open.push((middle.saturating_add(1)..run.end, among.start..j.saturating_add(1)));
    }
    best.map_or_else(|| Rational::from_integer(0.into()), |best| best.exact(decay))
}
