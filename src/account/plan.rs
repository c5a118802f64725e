//! What runs, and how often.

use alloc::{vec, vec::Vec};

use num_traits::Zero;

use super::{AccountError, Direction};
use crate::{
    exact::Rational,
    guarantee::{Attained, Domination, GaussianVectors, Pair, Relation},
};

/// One mechanism's domination, and how many copies of it run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    forward: Vec<Pair>,
    backward: Vec<Pair>,
    copies: u64,
    /// What else is known of Gaussian noise on vectors.
    vectors: Option<GaussianVectors>,
}

/// Mechanisms that run on the same data, each any number of times, adaptively or not, all for neighbours of
/// one relation.
///
/// The order in which they are added does not matter: parts are sorted and equal ones merged (Invariant #1).
/// For change-one neighbours, whose order is immaterial, a part has the same pairs forward and backward
/// (Invariant #2). The copies of all parts add up to less than 2^64 (Invariant #3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    parts: Vec<Part>,
    /// The neighbours that attain the pairs of every part.
    attained: Attained,
    /// The same of the vectors that are attained, beside the pairs of the other parts.
    below: Attained,
    /// The neighbours that the parts are for; nothing while all are for either.
    relation: Option<Relation>,
}

impl Part {
    fn is_of(&self, forward: &[Pair], backward: &[Pair], vectors: Option<&GaussianVectors>) -> bool {
        self.forward == forward && self.backward == backward && self.vectors.as_ref() == vectors
    }
}

impl Default for Plan {
    /// Nothing, which any neighbours attain.
    fn default() -> Self {
        Self { parts: Vec::new(), attained: Attained::ByAnswers, below: Attained::ByAnswers, relation: None }
    }
}

impl Plan {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `copies` runs of one mechanism.
    #[must_use]
    pub fn of(domination: &Domination, copies: u64) -> Self {
        let mut plan = Self::new();
        plan.add(domination, copies);
        plan
    }

    /// Adds `copies` runs of a mechanism.
    ///
    /// ```
    /// use certus::{account::{AccountError, Plan}, mechanism::domination};
    ///
    /// let histogram = domination(&"histogram(keys=2, scale=1)".parse()?)?;
    /// let mean = domination(&"mean_of_known(lower=0, upper=1, records=2, scale=1)".parse()?)?;
    /// // A histogram of records that come and go, beside a mean of records that change.
    /// assert_eq!(Plan::of(&histogram, 1).with(&mean, 1), Err(AccountError::RelationsDiffer));
    /// # Ok::<(), certus::mechanism::SpecError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it is for other neighbours than the plan is ([`Domination::under`] converts where that is
    /// possible). Neighbours of one relation are not those of the other: what two mechanisms lose together is
    /// known for those that both are for. Also if there would be 2^64 copies or more in all.
    pub fn with(mut self, domination: &Domination, copies: u64) -> Result<Self, AccountError> {
        let already = self.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.copies));
        if already.and_then(|already| already.checked_add(copies)).is_none() {
            return Err(AccountError::TooManyCopies);
        }
        match (self.relation, domination.relation()) {
            (Some(one), Some(other)) if one != other && copies > 0 => Err(AccountError::RelationsDiffer),
            _ => {
                self.add(domination, copies);
                Ok(self)
            }
        }
    }

    /// Adds what is for the same neighbours, where all copies together are below 2^64.
    fn add(&mut self, domination: &Domination, copies: u64) {
        if copies == 0 {
            return;
        }
        let earlier = self.relation;
        self.relation = earlier.or(domination.relation());
        let parts = if earlier == self.relation { Vec::new() } else { core::mem::take(&mut self.parts) };
        // What was for either is now for the neighbours of the plan.
        for part in parts {
            self.add_part(part);
        }
        let (forward, backward) = (domination.forward().to_vec(), domination.backward().to_vec());
        let vectors = domination.vectors().cloned();
        let below = vectors.as_ref().map_or(domination.attained_by(), GaussianVectors::attained_by);
        self.below = self.below.and(below);
        self.attained = self.attained.and(domination.attained_by());
        self.add_part(Part { forward, backward, copies, vectors });
        self.sort();
    }

    fn sort(&mut self) {
        let key = |part: &Part| (part.forward.clone(), part.backward.clone(), part.vectors.clone());
        self.parts.sort_by_cached_key(key);
    }

    fn add_part(&mut self, Part { mut forward, mut backward, copies, vectors }: Part) {
        if self.relation == Some(Relation::ChangeOne) {
            // Of two changed records either may be the first: a pair that dominates one order stands for
            // both.
            forward.extend(backward.iter().cloned());
            backward.clone_from(&forward);
        }
        for pairs in [&mut forward, &mut backward] {
            pairs.sort();
            pairs.dedup();
        }
        match self.parts.iter_mut().find(|part| part.is_of(&forward, &backward, vectors.as_ref())) {
            // The sum of all copies is below 2^64: `with` has seen to that, and it does not saturate.
            Some(part) => part.copies = part.copies.saturating_add(copies),
            None => self.parts.push(Part { forward, backward, copies, vectors }),
        }
    }

    /// The neighbours that it is for; nothing while all of it is for either.
    #[must_use]
    pub fn relation(&self) -> Option<Relation> {
        self.relation
    }

    /// Whether the account takes the first distributions of several pairs for those of one and the same
    /// input: several runs of pairs that are not symmetric, in a plan for neighbours of no stated relation.
    /// Where neighbours have no order, as under change-one, an analyst may meet each pair either way round,
    /// and the plan must say so ([`Domination::under`]).
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        let several = self.parts.len() > 1 || self.parts.iter().any(|part| part.copies > 1);
        self.relation.is_none() && several && self.parts.iter().any(|part| part.forward != part.backward)
    }

    /// Whether the pairs are those of the mechanisms themselves on some neighbouring inputs, so that an
    /// account's lower bounds hold of the mechanisms, too; otherwise the pairs dominate, the account is an
    /// upper bound, and what the mechanisms lose may be less than its *lower* end.
    ///
    /// * **One pair a part**, each attained: by neighbours D, D′ of one relation, which may be taken to be
    ///   the same for all parts, each mechanism having its own columns of the same records, or its own query.
    ///   Then (M₁(D), M₂(D), …) against (M₁(D′), M₂(D′), …), not adaptive, is the product of the pairs: the
    ///   composition of the pairs is attained, forward by D, D′ and backward by D′, D, and adaptive
    ///   mechanisms lose no more (they are dominated).
    /// * **A list of pairs**, each attained: the largest profile is attained at every ε, by neighbours that
    ///   may differ from one ε to the other. That is enough for a mechanism that runs once and alone. Of two
    ///   runs the account composes the supremum of the profiles, a pair that no two neighbours need attain.
    ///
    /// ```
    /// use certus::{account::Plan, mechanism::domination};
    ///
    /// let plan = |spec: &str| Ok::<_, certus::mechanism::SpecError>(Plan::of(&domination(&spec.parse()?)?, 2));
    /// assert!(plan("gaussian(sigma=2)")?.is_attained());
    /// // Dominated by a randomized response, as is everything that is 1-private.
    /// assert!(!plan("exponential(epsilon=1, candidates=3)")?.is_attained());
    /// # Ok::<(), certus::mechanism::SpecError>(())
    /// ```
    #[must_use]
    pub fn is_attained(&self) -> bool {
        let once = matches!(self.parts.as_slice(), [Part { copies: 1, .. }]);
        self.is_attained_at_once() || (once && self.attained != Attained::Unknown && self.is_countable())
    }

    /// Whether the same neighbours attain it at every ε: a list of pairs has several, and what is read off
    /// its whole profile, such as a trade-off curve, need be no one's.
    #[must_use]
    pub fn is_attained_at_once(&self) -> bool {
        let single = |part: &Part| part.forward.len() <= 1 && part.backward.len() <= 1;
        self.attained != Attained::Unknown && self.parts.iter().all(single) && self.is_countable()
    }

    /// Whether the lower ends of its account are the mechanisms' own: where it is attained, and where some
    /// vectors are that stand for those of which only a bound is known.
    #[must_use]
    pub fn has_lower_end(&self) -> bool {
        let single = |part: &Part| part.vectors.is_some() || (part.forward.len() <= 1 && part.backward.len() <= 1);
        let by_vectors = self.has_vectors() && self.below != Attained::Unknown && self.parts.iter().all(single);
        self.is_attained() || (by_vectors && self.below().is_some())
    }

    /// Whether all coordinates of all vectors are few enough to be accounted for one by one.
    fn is_countable(&self) -> bool {
        !self.has_vectors() || self.below().is_some()
    }

    /// Whether a part is Gaussian noise on vectors of which a line is known, and so its two ends are apart.
    pub(super) fn has_vectors(&self) -> bool {
        self.parts.iter().any(|part| part.vectors.is_some())
    }

    /// The plan with what its vectors attain in their place: no more than the plan loses. `None` where there
    /// would be too many copies.
    pub(super) fn below(&self) -> Option<Self> {
        self.with_vectors(|vectors, _| Some(vectors.attained()))
    }

    /// The plan with pairs of the same ρ in place of vectors.
    pub(super) fn of_their_length(&self) -> Option<Self> {
        self.with_vectors(|vectors, _| Some(vec![(vectors.of_its_length(), 1)]))
    }

    /// The plan with lines in place of vectors, and at least ln κ: within that factor the plan loses no more.
    /// Also the greatest share of a variance that a line does without. `None` where a part has no line.
    pub(super) fn above(&self) -> Option<(Self, Rational, Rational)> {
        let (mut ln_kappa, mut lost) = (Rational::zero(), Rational::zero());
        let plan = self.with_vectors(|vectors, copies| {
            if vectors.is_exact() {
                return Some(vectors.attained());
            }
            let line = vectors.line(copies)?;
            ln_kappa += line.ln_kappa * Rational::from_integer(copies.into());
            lost = lost.clone().max(line.lost);
            Some(vec![(line.pair, 1)])
        })?;
        Some((plan, ln_kappa, lost))
    }

    /// The plan with pairs in place of vectors, each with its copies in one run; `None` if there would be
    /// 2^64 or more.
    fn with_vectors(&self, mut of: impl FnMut(&GaussianVectors, u64) -> Option<Vec<(Pair, u64)>>) -> Option<Self> {
        let mut plan = Self { parts: Vec::new(), ..self.clone() };
        let mut all = 0_u64;
        for part in &self.parts {
            let pairs = match &part.vectors {
                None => {
                    all = all.checked_add(part.copies)?;
                    plan.add_part(part.clone());
                    continue;
                }
                Some(vectors) => of(vectors, part.copies)?,
            };
            for (pair, copies) in pairs {
                let copies = copies.checked_mul(part.copies)?;
                all = all.checked_add(copies)?;
                let backward = vec![pair.reversed()];
                plan.add_part(Part { forward: vec![pair], backward, copies, vectors: None });
            }
        }
        plan.sort();
        Some(plan)
    }

    /// The parts, sorted.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What to compose for (M(D), M(D′)) and for (M(D′), M(D)); one of them where they are the same.
    #[must_use]
    pub fn directions(&self) -> Vec<Direction> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        let forward = Direction::of(self.parts.iter().map(|part| (part.forward.clone(), part.copies)));
        let backward = Direction::of(self.parts.iter().map(|part| (part.backward.clone(), part.copies)));
        if forward == backward { vec![forward] } else { vec![forward, backward] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Precision, delta},
        exact::{NonNegative, Probability, Rational},
        guarantee::FinitePair,
        mechanism::domination,
    };

    fn planned(specs: &[(&str, u64)]) -> Result<Plan, AccountError> {
        let add =
            |plan: Plan, (spec, copies): &(&str, u64)| plan.with(&domination(&spec.parse().unwrap()).unwrap(), *copies);
        specs.iter().try_fold(Plan::new(), add)
    }

    fn plan(specs: &[(&str, u64)]) -> Plan {
        planned(specs).unwrap()
    }

    /// Twice the most copies would cost as much as once.
    #[test]
    fn copies_never_saturate() {
        let (laplace, other) = ("laplace(scale=1)", "laplace(scale=2)");
        assert!(planned(&[(laplace, u64::MAX)]).is_ok());
        assert!(planned(&[(laplace, u64::MAX - 1), (other, 1)]).is_ok());
        for more in [laplace, other, "mean_of_known(lower=0, upper=1, records=2, scale=1)"] {
            assert_eq!(planned(&[(laplace, u64::MAX), (more, 1)]), Err(AccountError::TooManyCopies), "{more}");
            assert_eq!(planned(&[(laplace, u64::MAX), (more, u64::MAX)]), Err(AccountError::TooManyCopies), "{more}");
        }
        // The share of each of 2^64 − 1 copies is below ε/2^63.
        let all = plan(&[(laplace, u64::MAX - 1), (other, 1)]);
        let answer = delta(&all, &NonNegative::one(), &Precision { digits: 6 });
        assert!(
            answer.is_err()
                || answer.unwrap().enclosure.upper()
                    >= Rational::from_integer(1.into()) - Rational::new(1.into(), 1000.into())
        );
    }

    /// One relation a plan, in whatever order the parts come; what is for either goes with both.
    #[test]
    fn parts_for_different_neighbours_are_refused() {
        let (comes, changes) = (Some(Relation::AddRemove), Some(Relation::ChangeOne));
        let either = ("laplace(scale=1, sensitivity=3)", 1);
        let coming = [("histogram(keys=2, scale=1)", 1), ("subsampled_gaussian(sigma=2, rate=1/10)", 7)];
        let changing = [
            ("mean_of_known(lower=0, upper=1, records=2, scale=1)", 1),
            ("rappor(k=2, h=1, f=1/2)", 2),
            ("randomized_response(gamma=1/4)", 1),
            ("quantile(level=1/2, lower=0, upper=3, epsilon=1, change_one=1)", 1),
            ("smooth_median(lower=0, upper=2, records=3, degree=3, ratio=1, decay=1/2)", 1),
        ];
        assert_eq!(plan(&[either]).relation(), None);
        for one in coming {
            assert_eq!(plan(&[one]).relation(), comes);
            assert_eq!(plan(&[either, one]), plan(&[one, either]));
            assert_eq!(plan(&[either, one]).relation(), comes);
            for other in changing {
                assert_eq!(plan(&[other, either]).relation(), changes);
                for specs in [vec![one, other], vec![other, one], vec![either, other, one], vec![one, either, other]] {
                    assert_eq!(planned(&specs), Err(AccountError::RelationsDiffer), "{specs:?}");
                }
                // None of it runs.
                assert_eq!(plan(&[one, (other.0, 0)]), plan(&[one]));
            }
        }
    }

    /// Beside a change, which has no order, a pair that tells more one way than the other counts for both: of
    /// two such pairs one may be forward where the other is backward.
    #[test]
    fn a_change_has_no_order() {
        let probability = |n: i64| Probability::new(Rational::new(n.into(), 4.into())).unwrap();
        let outcomes = vec![(probability(1), probability(0)), (probability(3), probability(4))];
        let pair = Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap());
        let (one_way, other_way) = (Domination::by(pair.clone()), Domination::by(pair.reversed()));
        let together = Plan::of(&one_way, 1).with(&other_way, 1).unwrap();
        assert_eq!(together.directions().len(), 2, "either order, one at a time");
        assert!(together.is_ordered() && Plan::of(&one_way, 2).is_ordered());
        let under = one_way.under(Relation::AddRemove).unwrap();
        assert!(!Plan::of(&one_way, 1).is_ordered() && !Plan::of(&under, 2).is_ordered());
        let none = domination(&"randomized_response(gamma=0)".parse().unwrap()).unwrap();
        let change = together.clone().with(&none, 1).unwrap();
        assert_eq!(change, Plan::of(&none, 1).with(&one_way, 2).unwrap());
        assert_eq!(change.directions().len(), 1);
        assert!(!change.is_ordered() && !plan(&[("gaussian(sigma=2)", 7), ("laplace(scale=1)", 2)]).is_ordered());
        assert!(!change.is_attained());
        let zero = NonNegative::zero();
        let at_zero = |plan: &Plan| delta(plan, &zero, &Precision::default()).unwrap().enclosure;
        assert!(at_zero(&change).lower() > at_zero(&together).upper());
    }

    #[test]
    fn single_pairs_of_one_relation_are_attained_together() {
        for (specs, is_attained) in [
            (&[("gaussian(sigma=2)", 7), ("laplace(scale=1, sensitivity=2)", 1)][..], true),
            (&[("subsampled_gaussian(sigma=2, rate=1/10)", 7), ("count(scale=2)", 2)], true),
            (&[("laplace(scale=1)", 1), ("histogram(keys=2, scale=1, change_one=1)", 2)], true),
            (&[("randomized_response(gamma=1/4)", 2), ("histogram(keys=2, scale=1, change_one=1)", 2)], true),
            // One bound is enough for the whole to be one, and so is a bound with the pair of what is none.
            (&[("gaussian(sigma=2)", 7), ("exponential(epsilon=1, candidates=3)", 1)], false),
            (&[("randomized_response(epsilon=1)", 1), ("exponential(epsilon=1, candidates=3)", 1)], false),
        ] {
            assert_eq!(plan(specs).is_attained(), is_attained, "{specs:?}");
            let reversed: Vec<_> = specs.iter().rev().copied().collect();
            assert_eq!(plan(&reversed), plan(specs), "{specs:?}");
        }
        assert!(plan(&[("gaussian(sigma=2)", 7), ("exponential(epsilon=1, candidates=3)", 0)]).is_attained());
        assert!(Plan::new().is_attained());
    }

    #[test]
    fn a_list_is_attained_by_itself_alone() {
        let list = "bounded_laplace(scale=2, lower=0, upper=10)";
        assert!(plan(&[(list, 1)]).is_attained() && !plan(&[(list, 1)]).is_attained_at_once());
        assert!(!plan(&[(list, 2)]).is_attained());
        assert!(!plan(&[(list, 1), ("laplace(scale=1)", 1)]).is_attained());
        assert!(!plan(&[(list, 1), (list, 1)]).is_attained());
        // All of the interval: the two answers are its ends, one pair.
        let single = "bounded_laplace(scale=2, lower=0, upper=1)";
        assert!(plan(&[(single, 2), ("laplace(scale=1)", 1)]).is_attained_at_once());
        // Two names of one pair are no list.
        let revealing = || Pair::Finite(FinitePair::revealing());
        let twice = Domination::by_all(vec![revealing(), revealing()]);
        let twice = twice.attained(Attained::ByNeighbours(Relation::AddRemove));
        assert!(Plan::of(&twice, 2).is_attained());
    }
}
