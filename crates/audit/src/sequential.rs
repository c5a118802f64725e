//! An audit that looks as it goes, and stops as soon as the claim has fallen.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::events::{Candidate, Event, Goal, Orientation, Search};
use super::outputs::{Counts, Output};
use super::run::AuditError;
use super::statistics::betting::{Bets, Outcomes};
use super::statistics::{exp_bounds, real};
use super::{Claim, LowerBounds};

/// A sequential audit: batch by batch, the samples so far choose an event and a stake, and the next batch
/// settles the bet.
///
/// Either direction has a fortune of its own at α/2, so that by [`Bets`]' argument the claim, if true, is
/// ever called false with probability at most α, however often one looks, and whenever one stops. Every batch
/// is bet on before it is learned from.
///
/// ```
/// use certus_audit::{Claim, Sequential, outputs::Output};
/// use certus::exact::parse;
///
/// let mut audit = Sequential::new(&Claim::new(parse("1")?, parse("0")?)?, 0.999)?;
/// let batch = |value: i64| vec![Output::from(value); 40];
/// while !audit.is_refuted() && audit.pairs() < 10_000 {
///     audit.batch(&batch(7), &batch(8));
/// }
/// assert!(audit.is_refuted() && audit.pairs() < 500);
/// assert_eq!(audit.event().map(|(event, _)| event.to_string()), Some("value <= 7".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sequential {
    claim: Claim,
    epsilon: f64,
    delta: f64,
    c: f64,
    alpha: f64,
    scales: Vec<f64>,
    /// All samples so far, first those to fit on, then those to compare on: they take turns by batch.
    past: [Vec<(Output, bool)>; 2],
    turn: usize,
    bets: [Bets; 2],
    /// What the next batch is bet on, by direction: the event, and the rates seen.
    next: [Option<(Event, f64, f64)>; 2],
    refuting: Option<(Event, Orientation)>,
    /// The kinds of events that were last searched for.
    searched: Vec<&'static str>,
    pairs: u64,
    /// Choose again when there are so many pairs.
    choose_at: u64,
}

impl Sequential {
    /// What is shown of the claim so far.
    #[must_use]
    pub fn lower(&self) -> LowerBounds {
        LowerBounds::new(&self.claim, self.delta_lower(), self.epsilon_lower())
    }

    /// No sample yet.
    ///
    /// # Errors
    ///
    /// If the confidence is not in (0, 1 − 10^-12].
    pub fn new(claim: &Claim, confidence: f64) -> Result<Self, AuditError> {
        if !(confidence > 0.0 && confidence <= 1.0 - 1e-12) {
            return Err(AuditError::Confidence);
        }
        let (_, c) = exp_bounds(claim.epsilon_above());
        Ok(Self {
            claim: claim.clone(),
            epsilon: claim.epsilon_above(),
            delta: claim.delta_above(),
            c,
            alpha: 1.0 - confidence,
            scales: Vec::new(),
            past: [Vec::new(), Vec::new()],
            turn: 0,
            bets: [Bets::new(c), Bets::new(c)],
            next: [None, None],
            refuting: None,
            searched: Vec::new(),
            pairs: 0,
            choose_at: 0,
        })
    }

    /// Numbers that float outputs may be multiples of.
    #[must_use]
    pub fn scales(mut self, scales: &[f64]) -> Self {
        self.scales = scales.to_vec();
        self
    }

    /// Settles the bets on fresh samples, in the order they were drawn, and learns from them. Of unequal
    /// numbers, the surplus is only learned from.
    pub fn batch(&mut self, a: &[Output], b: &[Output]) {
        for (place, direction) in Orientation::BOTH.into_iter().enumerate() {
            let (Some(Some((event, p, q))), Some(bets)) = (self.next.get(place), self.bets.get_mut(place)) else {
                continue;
            };
            let (first, second) = direction.orient(a, b);
            let inside = |outputs: &[Output]| event.select(outputs);
            let outcomes = Outcomes::of(inside(first).into_iter().zip(inside(second)));
            // One standard error of caution, or a lucky past makes a reckless stake.
            let stake = bets.stake(*p, *q, self.delta);
            bets.round(stake, outcomes, self.alpha / 2.0);
            if bets.delta_lower() > self.delta && self.refuting.is_none() {
                self.refuting = Some((event.clone(), direction));
            }
        }
        self.pairs += a.len().min(b.len()) as u64;
        if let Some(past) = self.past.get_mut(self.turn % 2) {
            past.extend(a.iter().map(|output| (output.clone(), true)));
            past.extend(b.iter().map(|output| (output.clone(), false)));
        }
        self.turn += 1;
        if self.turn >= 2 && self.pairs >= self.choose_at {
            // Choosing costs as much as the past is long: at every half more of it.
            self.choose_at = self.pairs + self.pairs / 2;
            self.choose();
        }
    }

    /// The events and rates for the next batches, from the past.
    fn choose(&mut self) {
        let mut outputs: Vec<Output> = self.past.iter().flatten().map(|(output, _)| output.clone()).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let count = |past: &[(Output, bool)]| {
            let mut counts = Counts { a: vec![0; outputs.len()], b: vec![0; outputs.len()] };
            for (output, is_a) in past {
                let side = if *is_a { &mut counts.a } else { &mut counts.b };
                if let Some(counter) = outputs.binary_search(output).ok().and_then(|place| side.get_mut(place)) {
                    *counter += 1;
                }
            }
            counts
        };
        let [train, validate] = [count(&self.past[0]), count(&self.past[1])];
        // As if as many samples were still to come.
        let outputs: Vec<&Output> = outputs.iter().collect();
        let search = Search::new(&outputs, &train, &validate, (self.pairs, self.pairs), &[], &self.scales);
        self.searched = search.kinds();
        let goal = Goal::Delta { c: self.c, delta: self.delta };
        let bet = |Candidate { event, seen, .. }: Candidate| {
            let rate = |count: u64, of: u64| (real(count) + 0.5) / (real(of) + 1.0);
            let (p, q) = (rate(seen.x, seen.n), rate(seen.y, seen.m));
            let error = |rate: f64, of: u64| 0.5 * (rate * (1.0 - rate) / real(of.max(1))).sqrt();
            (event, (p - error(p, seen.n)).max(0.0), (q + error(q, seen.m)).min(1.0))
        };
        self.next = Orientation::BOTH.map(|direction| search.best_of(goal, self.alpha / 2.0, &[direction]).map(bet));
    }

    /// Whether the claim has fallen.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.delta_lower() > self.delta
    }

    /// The confidence sequence: δ(ε) is above this, at all times at once; 0 before any evidence.
    #[must_use]
    pub fn delta_lower(&self) -> f64 {
        self.bets.iter().map(Bets::delta_lower).fold(0.0, f64::max)
    }

    /// The kinds of events that are searched for, in words.
    #[must_use]
    pub fn searched(&self) -> &[&'static str] {
        &self.searched
    }

    /// The pairs of samples seen.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The pairs that were bet on: fewer than those seen, since the first batches are only learned from.
    #[must_use]
    pub fn pairs_bet(&self) -> u64 {
        self.bets.iter().map(Bets::pairs).max().unwrap_or(0)
    }

    /// Every ε below this is refuted at the claimed δ; 0 if the claim stands.
    ///
    /// Let d be `delta_lower`: P(S) − c·Q(S) ≥ d for some event S, c = e^ε. So c·Q(S) ≤ 1 − d, and P(S) −
    /// c′·Q(S) ≥ d − (c′/c − 1)·(1 − d), which is above δ for every c′ < c·(1 − δ)/(1 − d).
    #[must_use]
    pub fn epsilon_lower(&self) -> f64 {
        if !self.is_refuted() {
            return 0.0;
        }
        let more = ((1.0 - self.delta) / (1.0 - self.delta_lower())).ln() - 1e-12;
        self.epsilon + more.clamp(0.0, f64::MAX)
    }

    /// The event that was played when the claim fell, and which side was P.
    ///
    /// **Some** event that was played up to then violates the claim, at the confidence, and this is the last
    /// of them: the fortune that refutes the claim was made on all of them, and of this one alone nothing is
    /// shown. A replay tests it on fresh samples.
    #[must_use]
    pub fn event(&self) -> Option<&(Event, Orientation)> {
        self.refuting.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::parse;

    /// The bet on a batch is fixed before the batch: the first two are learned from, and what the third is
    /// like changes no bet on it.
    #[test]
    fn bets_are_made_before_the_samples_come() {
        let claim = Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap();
        let mut audit = Sequential::new(&claim, 0.99).unwrap();
        let batch = |from: i64| (0..50).map(|i| Output::from(from + i % 7)).collect::<Vec<Output>>();
        audit.batch(&batch(0), &batch(3));
        audit.batch(&batch(0), &batch(3));
        assert_eq!((audit.pairs(), audit.pairs_bet()), (100, 0));
        let next = audit.next.clone();
        let inside = next[0]
            .as_ref()
            .map(|(event, ..)| event.select(&batch(100)).iter().filter(|inside| **inside).count() as u64);
        let mut surprised = audit.clone();
        surprised.batch(&batch(100), &batch(-100));
        assert_eq!(surprised.pairs_bet(), 50);
        // The old event decides what the new samples are worth.
        assert_eq!(surprised.bets[0].in_first(), inside);
    }

    /// Randomized response with P(1) = 0.9 and Q(1) = 0.3, whose ε is ln 7 (the other answer: 0.7 over 0.1).
    /// Where a claim has fallen, an ε above the claimed one is refuted, and no true one; where it stands,
    /// none.
    #[test]
    fn a_claim_that_has_fallen_refutes_a_larger_epsilon() {
        let side =
            |ones: i64| -> Vec<Output> { (0..100).map(|i| Output::from(i64::from((i * 37) % 100 < ones))).collect() };
        for (epsilon, delta, falls) in
            [("0.5", "0", true), ("0.5", "0.2", true), ("1.5", "0.01", true), ("2", "0", false)]
        {
            let claim = Claim::new(parse(epsilon).unwrap(), parse(delta).unwrap()).unwrap();
            let mut audit = Sequential::new(&claim, 0.99).unwrap();
            for batch in 0..60 {
                let mut b = side(30);
                // As independent samples would be paired.
                b.rotate_left(batch * 7 % 100);
                audit.batch(&side(90), &b);
            }
            let refuted = audit.epsilon_lower();
            assert_eq!(audit.is_refuted(), falls, "{epsilon} {delta}");
            let lower = crate::LowerBounds::new(&claim, audit.delta_lower(), refuted);
            assert_eq!((lower.is_refuted, lower.epsilon > claim.epsilon_above()), (falls, falls), "{lower:?}");
            assert!(refuted < 7_f64.ln() && audit.searched().contains(&"thresholds of numbers"), "{refuted}");
        }
    }
}
