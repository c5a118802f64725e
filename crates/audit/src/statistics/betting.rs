//! A test that may stop at any time: betting against a claim.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::real;

/// How pairs of samples fell: the first letter of P's, the second of Q's; in the event or out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// P in, Q out: the evidence.
    pub in_out: u64,
    /// Both in.
    pub in_in: u64,
    /// Both out.
    pub out_out: u64,
    /// P out, Q in.
    pub out_in: u64,
}

impl Outcomes {
    /// Counts pairs, each whether P's and Q's sample is in the event.
    #[must_use]
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut outcomes = Self::default();
        for pair in pairs {
            match pair {
                (true, false) => outcomes.in_out += 1,
                (true, true) => outcomes.in_in += 1,
                (false, false) => outcomes.out_out += 1,
                (false, true) => outcomes.out_in += 1,
            }
        }
        outcomes
    }

    fn pairs(&self) -> u64 {
        self.in_out + self.in_in + self.out_out + self.out_in
    }
}

/// A gambler's fortune, who bets that P(S) > e^ε·Q(S) + δ.
///
/// Round by round, an event S and a stake λ ∈ [0, 1/(c + 1)) are fixed, c = e^ε, and then pairs (X, Y) of
/// fresh independent samples come. With G = 1{X ∈ S} − c·1{Y ∈ S}, the fortune against δ is multiplied by 1 +
/// λ·(G − δ) for each pair.
///
/// *It holds at any time.* G ≥ −c and δ ≤ 1, so the factor is positive. If P(S) ≤ c·Q(S) + δ for every event,
/// then E G ≤ δ and the factor's mean is at most 1, given the past, since S and λ depend on the past alone:
/// the fortune is a nonnegative supermartingale that starts at 1, and by Ville (1939) it ever reaches 1/α
/// with probability at most α. One may look after every round and stop when one likes.
///
/// *A confidence sequence.* The stakes do not depend on δ, so one run plays against every δ at once, and the
/// fortune falls as δ grows. The largest δ against which it ever reached 1/α is a lower bound on the true
/// δ(ε), at all times at once, at confidence 1 − α. (Waudby-Smith and Ramdas, "Estimating means of bounded
/// random variables by betting", 2023.)
///
/// ```
/// use certus_audit::statistics::betting::{Bets, Outcomes};
///
/// let mut bets = Bets::new(1_f64.exp());
/// for _ in 0..10 {
///     // What was seen before suggests P(S) = 0.5 and Q(S) = 0.
///     let stake = bets.stake(0.5, 0.0, 0.0);
///     bets.round(stake, Outcomes { in_out: 20, out_out: 20, ..Outcomes::default() }, 0.001);
/// }
/// assert!(bets.delta_lower() > 0.3);
/// ```
#[derive(Clone, Debug)]
pub struct Bets {
    /// At least e^ε.
    c: f64,
    rounds: Vec<(f64, Outcomes)>,
    delta_lower: f64,
}

impl Bets {
    /// No bet yet, against e^ε = `c` (not less than it).
    #[must_use]
    pub fn new(c: f64) -> Self {
        Self { c, rounds: Vec::new(), delta_lower: f64::NEG_INFINITY }
    }

    /// The largest stake: a factor is at least 1 − (c + 1)/(c + 2) > 0.
    fn most(&self) -> f64 {
        1.0 / (self.c + 2.0)
    }

    /// λ·(G − δ), of which a factor is 1 and this; a c of infinity is bet on with nothing.
    fn gain(stake: f64, gain: f64) -> f64 {
        if stake == 0.0 { 0.0 } else { stake * gain }
    }

    /// Kelly's stake against δ, if P(S) = p and Q(S) = q were true: the one of the largest mean logarithm.
    ///
    /// That is concave in λ; its derivative changes sign once, which bisection finds. Any stake is sound.
    #[must_use]
    pub fn stake(&self, p: f64, q: f64, delta: f64) -> f64 {
        let gains = [
            (p * (1.0 - q), 1.0 - delta),
            (p * q, 1.0 - self.c - delta),
            ((1.0 - p) * (1.0 - q), -delta),
            ((1.0 - p) * q, -self.c - delta),
        ];
        let slope = |stake: f64| {
            gains.iter().map(|(weight, gain)| weight * gain / (1.0 + Self::gain(stake, *gain))).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, self.most());
        if slope(high) >= 0.0 {
            return high;
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        low
    }

    /// Plays a round with a stake that was fixed before, and updates the confidence sequence at α.
    ///
    /// A stake outside [0, 1/(c + 2)] is moved into it.
    pub fn round(&mut self, stake: f64, outcomes: Outcomes, alpha: f64) {
        let stake = if stake.is_nan() { 0.0 } else { stake.clamp(0.0, self.most()) };
        self.rounds.push((stake, outcomes));
        let needed = -alpha.ln();
        // The fortune falls with δ: bisect for the δ at which it is 1/α, keeping the side where it is
        // reached.
        let (mut low, mut high) = (self.delta_lower.max(0.0), 1.0);
        if self.log_fortune(low) < needed {
            return;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.log_fortune(middle) >= needed { low = middle } else { high = middle }
        }
        self.delta_lower = self.delta_lower.max(low);
    }

    /// The logarithm of the fortune against δ, from below: each term is within a few units in the last place.
    #[must_use]
    pub fn log_fortune(&self, delta: f64) -> f64 {
        let mut sum = 0.0;
        let mut size = 0.0;
        for (stake, Outcomes { in_out, in_in, out_out, out_in }) in &self.rounds {
            for (count, gain) in [(in_out, 1.0), (in_in, 1.0 - self.c), (out_out, 0.0), (out_in, -self.c)] {
                // From ε = 36.8 on a stake times −c rounds to −1, of which the logarithm is −∞: nothing of it
                // is nothing.
                if *count == 0 {
                    continue;
                }
                let term = real(*count) * Self::gain(*stake, gain - delta).ln_1p();
                sum += term;
                size += term.abs();
            }
        }
        sum - size * 1e-12
    }

    /// The confidence sequence now: P(S) − e^ε·Q(S) > this for some event played, at confidence 1 − α at all
    /// times; −∞ before any evidence.
    #[must_use]
    pub fn delta_lower(&self) -> f64 {
        self.delta_lower
    }

    /// Of the last round, P's samples in the event.
    #[cfg(test)]
    pub(crate) fn in_first(&self) -> Option<u64> {
        self.rounds.last().map(|(_, outcomes)| outcomes.in_out + outcomes.in_in)
    }

    /// The pairs played.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.rounds.iter().map(|(_, outcomes)| outcomes.pairs()).sum()
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "thresholds of draws")]
mod tests {
    use super::*;
    use certus::bits::seeded;

    /// Plays `rounds` rounds of 20 pairs with p and q from the past; stops when the claim falls.
    fn play(
        p: f64,
        q: f64,
        c: f64,
        delta: f64,
        rounds: usize,
        alpha: f64,
        bits: &mut impl certus::bits::Bits,
    ) -> (Bets, bool) {
        let mut bets = Bets::new(c);
        let mut seen = (1.0, 1.0, 2.0);
        for _ in 0..rounds {
            let stake = bets.stake(seen.0 / seen.2, seen.1 / seen.2, delta);
            let mut draw = |p: f64| bits.take(32).unwrap() < (p * 4_294_967_296.0) as u64;
            let pairs: Vec<(bool, bool)> = (0..20).map(|_| (draw(p), draw(q))).collect();
            for (x, y) in &pairs {
                seen = (seen.0 + f64::from(u8::from(*x)), seen.1 + f64::from(u8::from(*y)), seen.2 + 1.0);
            }
            bets.round(stake, Outcomes::of(pairs), alpha);
            if bets.delta_lower() > delta {
                return (bets, true);
            }
        }
        (bets, false)
    }

    /// At the boundary, looking after each of 60 rounds: 500 runs at α = 0.05; more than 5% plus five
    /// standard errors is 49.
    #[test]
    fn looking_after_every_round_costs_nothing() {
        for (p, q, delta) in [(0.5, 0.25, 0.0), (0.6, 0.25, 0.1), (0.1, 0.05, 0.0), (0.2, 0.0, 0.2)] {
            let mut bits = seeded([9; 32]);
            let alarms = (0..500).filter(|_| play(p, q, 2.0, delta, 60, 0.05, &mut bits).1).count();
            assert!(alarms < 49, "{p} {q} {delta}: {alarms}");
        }
    }

    #[test]
    fn gross_violations_stop_early() {
        let mut bits = seeded([10; 32]);
        let (bets, stopped) = play(0.5, 0.0, 2.7, 0.0, 1000, 0.001, &mut bits);
        assert!(stopped && bets.pairs() <= 400, "{}", bets.pairs());
        let (bets, stopped) = play(0.5, 0.4, 2.7, 0.0, 100, 0.001, &mut bits);
        assert!(!stopped && bets.delta_lower() <= 0.0);
    }

    /// The sequence is where the fortune is 1/α, and not sooner.
    #[test]
    fn the_bound_is_where_the_fortune_reaches_its_goal() {
        let mut bets = Bets::new(2.0);
        let stake = bets.stake(0.5, 0.05, 0.0);
        bets.round(stake, Outcomes { in_out: 45, in_in: 5, out_out: 45, out_in: 5 }, 0.01);
        let bound = bets.delta_lower();
        assert!(
            bound > 0.0 && bets.log_fortune(bound) >= 100_f64.ln() && bets.log_fortune(bound + 1e-6) < 100_f64.ln(),
            "{bound}"
        );
    }

    /// Where e^ε has no digits left beside 1: no evidence is no number, and what is lost is lost.
    #[test]
    fn large_claims_have_fortunes() {
        for epsilon in [36.0_f64, 36.8, 40.0, 100.0, 800.0] {
            for (in_out, out_in) in [(0, 0), (50, 0), (50, 1), (0, 9)] {
                let mut bets = Bets::new(epsilon.exp());
                assert!(bets.stake(0.9, 1e-20, 0.1).is_finite(), "{epsilon}");
                // The largest stake.
                bets.round(1.0, Outcomes { in_out, out_in, out_out: 7, in_in: 0 }, 0.01);
                let fortune = bets.log_fortune(0.1);
                assert!(!fortune.is_nan() && fortune <= 1e-9, "{epsilon} {in_out} {out_in}: {fortune}");
                assert_eq!(bets.delta_lower(), f64::NEG_INFINITY, "{epsilon}");
            }
        }
    }

    #[test]
    fn stakes_are_kellys() {
        let bets = Bets::new(2.0);
        // Against P = ½ on an event that Q never has: bet all that is allowed. Where the odds are even:
        // nothing.
        assert_eq!(bets.stake(0.5, 0.0, 0.0), 0.25);
        assert!(bets.stake(0.4, 0.2, 0.0) < 1e-9);
        assert!(bets.stake(0.1, 0.2, 0.0) < 1e-9);
    }
}
