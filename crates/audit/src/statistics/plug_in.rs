//! The empirical privacy loss: the plug-in δ̂(ε), its upper bound, and bands for the whole curve.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::{exp_bounds, real};

/// The privacy loss of two empirical distributions: for every output, how often each side printed it.
///
/// # The plug-in
///
/// δ̂(ε) = Σ_o (p̂(o) − e^ε·q̂(o))₊, over the outputs o. It is the δ of the empirical distributions, which
/// put the mass p̂(o) on the loss ln(p̂(o)/q̂(o)).
///
/// # The upper bound
///
/// With probability at least 1 − α, δ(ε) ≤ δ̂(ε) + √((1/n + e^(2ε)/m)·ln(1/α)/2) for n and m samples.
///
/// *Proof.* x ↦ x₊ is convex, so by Jensen E (p̂(o) − e^ε·q̂(o))₊ ≥ (p(o) − e^ε·q(o))₊; summed, E δ̂ ≥ δ: the
/// plug-in is biased upward, which is the safe side. Replacing one sample of P takes 1/n from one p̂(o) and
/// gives it to another p̂(o′). The first term of the sum falls by at most 1/n and the second rises by at most
/// 1/n, so δ̂ moves by at most 1/n. A sample of Q likewise moves it by at most e^ε/m. By McDiarmid (1989),
/// P(δ̂ ≤ E δ̂ − t) ≤ exp(−2t²/(n·(1/n)² + m·(e^ε/m)²)), which is α for the t above. ∎
///
/// Nothing was assumed of the outputs: the bound holds for any set of them, known beforehand or not, as it
/// speaks of all texts at once. For a continuous mechanism, whose outputs hardly repeat, it is near 1 and
/// says nothing. It speaks of **this pair of inputs alone**, and of the outputs as they were printed: a
/// mechanism whose δ is small here may leak on another pair.
///
/// # Both directions
///
/// δ*(ε) = max of δ(P‖Q) and δ(Q‖P). One of the two is the maximum, and that its own bound fails has
/// probability at most α; the larger bound fails only if this one does. So the maximum of both bounds holds
/// at α, undivided.
///
/// ```
/// use certus_audit::statistics::plug_in::EmpiricalLoss;
///
/// let loss = EmpiricalLoss::new(&[750, 250], &[250, 750]);
/// assert!((loss.delta(0.0) - 0.5).abs() < 1e-9);
/// assert!(loss.delta_upper(0.0, 0.05) > 0.5 && loss.delta_upper(0.0, 0.05) < 0.56);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EmpiricalLoss {
    n: u64,
    m: u64,
    /// Invariant: the distinct pairs of counts, ascending, with the number of outputs that have them.
    atoms: Vec<(u64, u64, u64)>,
}

/// A jump of the empirical privacy-loss distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atom {
    /// ln(p̂/q̂): −∞ and +∞ where a side never printed the outputs.
    pub loss: f64,
    /// The mass under P.
    pub p: f64,
    /// The mass under Q.
    pub q: f64,
}

impl EmpiricalLoss {
    /// From the counts of each output on both sides, in the same order.
    #[must_use]
    pub fn new(a: &[u64], b: &[u64]) -> Self {
        let mut pairs: Vec<(u64, u64)> =
            a.iter().copied().zip(b.iter().copied()).filter(|pair| *pair != (0, 0)).collect();
        pairs.sort_unstable();
        let mut atoms: Vec<(u64, u64, u64)> = Vec::new();
        for (x, y) in pairs {
            match atoms.last_mut() {
                Some((last_x, last_y, outputs)) if (*last_x, *last_y) == (x, y) => *outputs += 1,
                _ => atoms.push((x, y, 1)),
            }
        }
        let total = |side: fn(&(u64, u64, u64)) -> u64| atoms.iter().map(|atom| side(atom) * atom.2).sum();
        Self { n: total(|atom| atom.0), m: total(|atom| atom.1), atoms }
    }

    /// The same with the sides exchanged.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut atoms: Vec<_> = self.atoms.iter().map(|(x, y, outputs)| (*y, *x, *outputs)).collect();
        atoms.sort_unstable();
        Self { n: self.m, m: self.n, atoms }
    }

    /// The empirical privacy-loss distribution, by ascending loss: outputs with the same counts are one atom.
    #[must_use]
    pub fn atoms(&self) -> Vec<Atom> {
        let (n, m) = (real(self.n.max(1)), real(self.m.max(1)));
        let atom = |(x, y, outputs): &(u64, u64, u64)| {
            let (p, q) = (real(*x) / n, real(*y) / m);
            Atom { loss: (p / q).ln(), p: p * real(*outputs), q: q * real(*outputs) }
        };
        let mut atoms: Vec<Atom> = self.atoms.iter().map(atom).collect();
        atoms.sort_by(|one, two| one.loss.total_cmp(&two.loss));
        atoms
    }

    /// δ̂(ε), the plug-in.
    #[must_use]
    pub fn delta(&self, epsilon: f64) -> f64 {
        self.plug_in(epsilon.exp())
    }

    fn plug_in(&self, c: f64) -> f64 {
        if self.n == 0 || self.m == 0 {
            return 1.0;
        }
        let (n, m) = (real(self.n), real(self.m));
        // Infinity times 0 is no number.
        let loss = |y: u64| if y == 0 { 0.0 } else { c * real(y) / m };
        self.atoms.iter().map(|(x, y, outputs)| (real(*x) / n - loss(*y)).max(0.0) * real(*outputs)).sum()
    }

    /// An upper bound on δ(ε) of the pair that was sampled, at confidence 1 − α; at most 1.
    ///
    /// A sum of k terms below 1 is off by at most k·2^-52 of its value, and the outputs are fewer than 10^9:
    /// below 10^-6 of it, added.
    #[must_use]
    pub fn delta_upper(&self, epsilon: f64, alpha: f64) -> f64 {
        if self.n == 0 || self.m == 0 || !(alpha > 0.0 && alpha < 1.0) {
            return 1.0;
        }
        let (c_least, c_most) = exp_bounds(epsilon);
        let radius = deviation(self.n, self.m, c_most, alpha);
        (self.plug_in(c_least) * (1.0 + 1e-6) + radius * (1.0 + 1e-9)).min(1.0)
    }

    /// An upper bound on the whole curve ε ↦ δ*(ε), ε ≥ 0, of the worse direction, at confidence 1 − α for
    /// all of it at once.
    ///
    /// At each of the k points the maximum of both directions' bounds holds at α/k, as above: so all k do at
    /// α. Minima are taken of these maxima, which bound δ* itself, and not before: a direction's own bound at
    /// a point where it is not the worse one may fail besides, and 2k bounds at α/k hold at 2α only.
    #[must_use]
    pub fn band(&self, epsilons: &[f64], alpha: f64) -> Band {
        let share = alpha / real(epsilons.len().max(1) as u64);
        let back = self.reversed();
        let bound = |epsilon: f64| self.delta_upper(epsilon, share).max(back.delta_upper(epsilon, share));
        let mut points: Vec<(f64, f64)> = epsilons.iter().map(|epsilon| (*epsilon, bound(*epsilon))).collect();
        points.sort_by(|one, two| one.0.total_cmp(&two.0));
        // δ* falls as ε grows, and all bounds hold at once: one at a smaller ε bounds it too.
        let mut least = 1.0_f64;
        for (_, bound) in &mut points {
            least = least.min(*bound);
            *bound = least;
        }
        Band { points }
    }
}

/// McDiarmid's √((1/n + c²/m)·ln(1/α)/2).
#[must_use]
pub fn deviation(n: u64, m: u64, c: f64, alpha: f64) -> f64 {
    ((1.0 / real(n) + c * c / real(m)) * (1.0 / alpha).ln() / 2.0).sqrt()
}

/// An upper bound on a privacy curve, at every ε ≥ 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Invariant: ascending ε.
    points: Vec<(f64, f64)>,
}

impl Band {
    /// The bound at an ε.
    ///
    /// δ* falls as ε grows, and is a maximum of functions that are linear in c = e^ε, so it is convex in c:
    /// between two points it lies below the chord, right of the last below the last bound, left of the first
    /// below δ ≤ 1.
    #[must_use]
    pub fn at(&self, epsilon: f64) -> f64 {
        let after = self.points.partition_point(|(point, _)| *point <= epsilon);
        let before = after.checked_sub(1).and_then(|place| self.points.get(place));
        match (before, self.points.get(after)) {
            (None, _) => 1.0,
            (Some((_, bound)), None) => *bound,
            (Some((left, left_bound)), Some((right, right_bound))) => {
                let (left, right, c) = (left.exp(), right.exp(), epsilon.exp());
                let share = ((c - left) / (right - left)).clamp(0.0, 1.0);
                let chord = left_bound + (right_bound - left_bound) * share;
                // The rounding of the chord, and never above the bound at its left end.
                (chord + 1e-9).min(*left_bound)
            }
        }
    }

    /// The points that the band was computed at.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::bits::{Bits, seeded};

    fn sample(weights: &[u64], runs: u64, bits: &mut impl Bits) -> Vec<u64> {
        let total: u64 = weights.iter().sum();
        let mut counts = vec![0; weights.len()];
        for _ in 0..runs {
            let mut drawn = bits.take(40).unwrap() % total;
            let place = weights.iter().position(|weight| {
                let here = drawn < *weight;
                drawn = drawn.wrapping_sub(*weight);
                here
            });
            counts[place.unwrap()] += 1;
        }
        counts
    }

    /// The largest change that one sample can make is the constant of McDiarmid's inequality, and some sample
    /// makes it.
    #[test]
    fn one_sample_moves_the_plug_in_by_its_constant() {
        let c = 2.0;
        let mut bits = seeded([3; 32]);
        let mut most = (0.0_f64, 0.0_f64);
        for _ in 0..300 {
            let (a, b) = (sample(&[3, 1, 4, 1], 20, &mut bits), sample(&[1, 5, 9, 2], 30, &mut bits));
            let before = EmpiricalLoss::new(&a, &b).plug_in(c);
            for from in 0..4 {
                for to in 0..4 {
                    let moved = |counts: &[u64]| {
                        let mut counts = counts.to_vec();
                        counts[from] = counts[from].checked_sub(1)?;
                        counts[to] += 1;
                        Some(counts)
                    };
                    if let Some(a) = moved(&a) {
                        most.0 = most.0.max((EmpiricalLoss::new(&a, &b).plug_in(c) - before).abs());
                    }
                    if let Some(b) = moved(&b) {
                        most.1 = most.1.max((EmpiricalLoss::new(&a, &b).plug_in(c) - before).abs());
                    }
                }
            }
        }
        assert!((most.0 - 1.0 / 20.0).abs() < 1e-12 && (most.1 - c / 30.0).abs() < 1e-12, "{most:?}");
        // Their squares, times the samples, under the root.
        let sum = 20.0 * most.0 * most.0 + 30.0 * most.1 * most.1;
        assert!((deviation(20, 30, c, 0.05) - (sum * 20_f64.ln() / 2.0).sqrt()).abs() < 1e-12);
    }

    /// Near-deterministic sides, where the plug-in has no bias to hide behind: two outputs, P(1) = ½ at
    /// distance from the kink. 20,000 draws, α = 0.05; misses of at most 5% plus five standard errors; and
    /// with half the radius they would be more (the constant is needed).
    #[test]
    fn the_upper_bound_holds_and_half_the_radius_would_not() {
        let mut bits = seeded([4; 32]);
        let (mut missed, mut missed_half) = (0, 0);
        for _ in 0..20_000 {
            // P = (1/2, 1/2), Q = (0, 1): δ(0) = 1/2, attained without bias, of the largest variance.
            let ones = u64::from(bits.take(64).unwrap().count_ones());
            let loss = EmpiricalLoss::new(&[ones, 64 - ones], &[0, 1_000_000_000]);
            missed += u32::from(loss.delta_upper(0.0, 0.05) < 0.5);
            let half = loss.delta(0.0) + deviation(64, 1_000_000_000, 1.0, 0.05) / 2.0;
            missed_half += u32::from(half < 0.5);
        }
        assert!(missed < 1154, "{missed}");
        assert!(missed_half > 1154, "{missed_half}");
    }

    /// Q has few samples, and an event that is thrice as likely under Q as under P. The bound on P over Q
    /// rises from 0.056 at ε = 0.5 to 0.113 at 1.2, and that on Q over P falls from 0.17 to 0.034: the worse
    /// direction is bounded by 0.113 at 1.2. (With minima before maxima the band was 0.056 there: that rests
    /// on both bounds at 0.5 and on one at 1.2, each of which fails with probability α/2.)
    #[test]
    fn a_band_is_no_lower_than_the_bounds_that_it_rests_on() {
        let (a, b) = ([100_000, 900_000], [600, 1400]);
        let loss = EmpiricalLoss::new(&a, &b);
        let epsilons = [0.5, 1.2];
        let worse = |epsilon: f64| loss.delta_upper(epsilon, 0.01).max(loss.reversed().delta_upper(epsilon, 0.01));
        let least = worse(0.5).min(worse(1.2));
        assert!((0.11..0.12).contains(&least), "{least}");
        for side in [&loss, &loss.reversed()] {
            assert!(side.band(&epsilons, 0.02).at(1.2) >= least, "{}", side.band(&epsilons, 0.02).at(1.2));
        }
    }

    #[test]
    fn no_number_is_made_of_infinity_and_nothing() {
        let loss = EmpiricalLoss::new(&[5, 5], &[0, 10]);
        assert_eq!((loss.delta(800.0), loss.delta_upper(800.0, 0.05)), (0.5, 1.0));
        assert_eq!(loss.band(&[0.0, 800.0], 0.05).at(800.0), loss.band(&[0.0], 0.025).at(800.0));
    }

    #[test]
    fn bands_are_convex_and_above_the_points() {
        let mut bits = seeded([5; 32]);
        let (a, b) = (sample(&[8, 4, 2, 1], 4000, &mut bits), sample(&[1, 2, 4, 8], 4000, &mut bits));
        let loss = EmpiricalLoss::new(&a, &b);
        let band = loss.band(&[0.0, 0.5, 1.0, 2.0], 0.05);
        let truth = |epsilon: f64| {
            [(8.0, 1.0), (4.0, 2.0), (2.0, 4.0), (1.0, 8.0)]
                .iter()
                .map(|(p, q)| ((p - epsilon.exp() * q) / 15.0).max(0.0))
                .sum::<f64>()
        };
        for i in 0..300 {
            let epsilon = f64::from(i) / 100.0;
            assert!(band.at(epsilon) >= truth(epsilon), "{epsilon}");
            assert!(band.at(epsilon) >= loss.delta(epsilon).min(1.0) - 1e-9);
        }
        assert_eq!(band.at(-1.0), 1.0);
        assert_eq!(band, loss.reversed().band(&[0.0, 0.5, 1.0, 2.0], 0.05));
        assert_eq!(loss.reversed().reversed(), loss);
        let atoms = loss.atoms();
        let pld: f64 =
            atoms.iter().filter(|atom| atom.loss > 0.5).map(|atom| atom.p * (1.0 - (0.5 - atom.loss).exp())).sum();
        assert!((pld - loss.delta(0.5)).abs() < 1e-12);
    }
}
