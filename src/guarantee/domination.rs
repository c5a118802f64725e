//! What a mechanism says of its neighbouring inputs.

use alloc::{boxed::Box, vec, vec::Vec};

use super::{GaussianVectors, GuaranteeError, Pair, Relation, two_steps};

/// Which neighbouring inputs attain the pairs that dominate a mechanism M: inputs D, D′ for which the profile
/// of (M(D), M(D′)) is the pair's at every ε, below 0 too, and hence that of (M(D′), M(D)) the reversed
/// pair's.
///
/// Where some do, an account of the pairs is one of the mechanism: its lower bounds, too, hold of the
/// mechanism. Where none are known to, the pairs dominate, and no more is said: the account is an upper
/// bound, and the mechanism itself may lose less than the account's *lower* end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Attained {
    /// By answers that are as far apart as a stated sensitivity allows, whichever the neighbours that it is
    /// stated for: some query of that sensitivity has such answers.
    ByAnswers,
    /// By databases that are neighbours in this way.
    ByNeighbours(Relation),
    /// By none that are known.
    #[default]
    Unknown,
}

impl Attained {
    /// What attains the pairs of two mechanisms at once, each of which sees its own columns of the same
    /// records: neighbours of one relation, if there is one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::ByAnswers, by) | (by, Self::ByAnswers) => by,
            (Self::ByNeighbours(one), Self::ByNeighbours(another)) if one == another => self,
            _ => Self::Unknown,
        }
    }
}

/// The pairs that dominate a mechanism M on neighbouring inputs D, D′, and which inputs are neighbours.
///
/// The inputs are ordered: under add/remove neighbours D has the person and D′ has not; under change-one the
/// order is immaterial, and both lists are the same. For every such D, D′ and every ε, the profile of (M(D),
/// M(D′)) at ε is at most the largest profile of `forward`, and that of (M(D′), M(D)) at most the largest of
/// `backward`. The supremum of several profiles is itself the profile of a pair, so a list of pairs composes
/// as that one pair does.
///
/// ```
/// use certus::guarantee::{Attained, Domination, FinitePair, Pair, Relation};
///
/// // Whatever tells everything is dominated by it; that it does tell everything is more.
/// let bound = Domination::by(Pair::Finite(FinitePair::revealing()));
/// assert!(!bound.is_attained());
/// assert!(bound.attained(Attained::ByNeighbours(Relation::AddRemove)).is_attained());
/// ```
///
/// # Relation
///
/// A domination is for the neighbours of one [`Relation`], or for either: a sensitivity that somebody states,
/// or a pair that somebody gives, is stated for the neighbours that they have in mind. What is for add/remove
/// neighbours can be had for change-one neighbours ([`Domination::under`]), never the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domination {
    forward: Vec<Pair>,
    backward: Vec<Pair>,
    attained: Attained,
    /// The neighbours that it is for; nothing for either.
    relation: Option<Relation>,
    /// What else is known of Gaussian noise on vectors. The pairs dominate without it.
    vectors: Option<Box<GaussianVectors>>,
}

impl Domination {
    /// One pair that dominates for D, D′; its reverse for D′, D. For either relation.
    #[must_use]
    pub fn by(pair: Pair) -> Self {
        Self::by_all(vec![pair])
    }

    /// Several pairs for D, D′; their reverses for D′, D. For either relation.
    #[must_use]
    pub fn by_all(pairs: Vec<Pair>) -> Self {
        let backward = pairs.iter().map(Pair::reversed).collect();
        Self { forward: pairs, backward, attained: Attained::Unknown, relation: None, vectors: None }
    }

    /// The same, *each* of whose pairs some neighbours attain. Whoever says so vouches for it.
    ///
    /// Pairs that are attained by neighbours of a relation are for that relation.
    #[must_use]
    pub fn attained(self, by: Attained) -> Self {
        let relation = match by {
            Attained::ByNeighbours(relation) => Some(relation),
            Attained::ByAnswers | Attained::Unknown => self.relation,
        };
        let vectors = match by {
            Attained::Unknown => self.vectors.map(|vectors| Box::new(vectors.not_attained())),
            _ => self.vectors,
        };
        Self { attained: by, relation, vectors, ..self }
    }

    /// The same, of Gaussian noise on vectors, which an account knows more of than these pairs say.
    pub(super) fn of_vectors(self, vectors: GaussianVectors) -> Self {
        Self { vectors: Some(Box::new(vectors)), ..self }
    }

    /// What is known of Gaussian noise on vectors, where it is that.
    #[must_use]
    pub fn vectors(&self) -> Option<&GaussianVectors> {
        self.vectors.as_deref()
    }

    /// The same, for the neighbours of this relation alone.
    #[must_use]
    pub fn for_neighbours(self, relation: Relation) -> Self {
        Self { relation: Some(relation), ..self }
    }

    /// The same, for either relation: whoever says so states a sensitivity, or gives a pair, for the
    /// neighbours that they have in mind.
    #[must_use]
    pub fn for_either(self) -> Self {
        Self { relation: None, ..self }
    }

    /// The neighbours that it is for; nothing for either.
    #[must_use]
    pub fn relation(&self) -> Option<Relation> {
        self.relation
    }

    /// What it says of the neighbours of a relation. What is for either, or for these, is as it is.
    ///
    /// A change is a removal and an addition: from D with x to D without, and from there to D with y. If a
    /// test that rejects D with y with probability α rejects D with at most G(α), and one that rejects D with
    /// α rejects D with x with at most F(α), then the former rejects D with x with at most F(G(α)) (Dong,
    /// Roth and Su 2022, Theorem 2.14). [`Pair`]s whose curve F∘G can be written down are converted; it is
    /// not known to be attained.
    ///
    /// ```
    /// use certus::{exact::{Positive, Rational}, guarantee::{Domination, Pair, Relation}};
    ///
    /// let one = Positive::new(Rational::from_integer(1.into()))?;
    /// let noise = |shift: u32| Pair::Laplace { scale: one.clone(), shift: shift.into() };
    /// let count = Domination::by(noise(1)).for_neighbours(Relation::AddRemove);
    /// assert_eq!(count.under(Relation::ChangeOne)?.forward(), [noise(2)]);
    /// assert!(Domination::by(noise(1)).for_neighbours(Relation::ChangeOne).under(Relation::AddRemove).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// From change-one to add/remove nothing follows; for subsampled pairs no conversion is known.
    pub fn under(&self, relation: Relation) -> Result<Self, GuaranteeError> {
        match (self.relation, relation) {
            (None, _) => Ok(self.clone().for_neighbours(relation)),
            (Some(from), to) if from == to => Ok(self.clone()),
            (Some(Relation::AddRemove), Relation::ChangeOne) => {
                let pair = two_steps::pair(&self.forward).ok_or(GuaranteeError::NoTwoSteps)?;
                Ok(Self::by(pair).for_neighbours(relation))
            }
            _ => Err(GuaranteeError::RelationsDiffer),
        }
    }

    /// Whether each of the pairs is the mechanism's own on some neighbours, and not only a bound.
    #[must_use]
    pub fn is_attained(&self) -> bool {
        self.attained_by() != Attained::Unknown
    }

    /// Which neighbours attain each of the pairs, or the vector that dominates in their place.
    #[must_use]
    pub fn attained_by(&self) -> Attained {
        match &self.vectors {
            Some(vectors) if vectors.is_exact() => vectors.attained_by(),
            _ => self.attained,
        }
    }

    /// The pairs for (M(D), M(D′)).
    #[must_use]
    pub fn forward(&self) -> &[Pair] {
        &self.forward
    }

    /// The pairs for (M(D′), M(D)).
    #[must_use]
    pub fn backward(&self) -> &[Pair] {
        &self.backward
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the order of three mechanisms, and however they are grouped.
    #[test]
    fn attaining_at_once_has_no_order() {
        let all = [
            Attained::ByAnswers,
            Attained::ByNeighbours(Relation::AddRemove),
            Attained::ByNeighbours(Relation::ChangeOne),
            Attained::Unknown,
        ];
        for a in all {
            assert_eq!(a.and(a), a);
            for b in all {
                assert_eq!(a.and(b), b.and(a));
                for c in all {
                    assert_eq!(a.and(b).and(c), a.and(b.and(c)));
                }
            }
        }
        let [_, comes, changes, unknown] = all;
        assert_eq!((comes.and(changes), comes.and(unknown)), (unknown, unknown));
    }
}
