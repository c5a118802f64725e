//! The check: all neighbours of a domain, in either order.

use certus::{
    account::{self, Plan, Precision},
    exact::{BigInt, NonNegative, Positive, Probability, Rational, Real},
    guarantee::{Domination, Guarantee, Privacy},
    mechanism::Private,
    sample::Program,
};
use certus_audit::certify::{Masses, hockey_stick, structural};

pub fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

pub fn positive(n: i64, d: i64) -> Positive {
    Positive::new(rational(n, d)).unwrap()
}

pub fn probability(n: i64, d: i64) -> Probability {
    Probability::new(rational(n, d)).unwrap()
}

/// A domain whose every release is enumerated, and which of its inputs are neighbours.
pub struct Enumerated<O> {
    masses: Vec<Masses<O>>,
    neighbours: Vec<(usize, usize)>,
}

/// Every release of a domain.
pub fn enumerate<T, P: Program>(
    inputs: &[T],
    on: impl Fn(&T) -> P,
    neighbours: impl Fn(&T, &T) -> bool,
    depth: u32,
) -> Enumerated<P::Output> {
    let masses = inputs.iter().map(|input| structural(&on(input), depth, &mut |_| {}).unwrap()).collect();
    let all = (0..inputs.len()).flat_map(|a| (0..inputs.len()).map(move |b| (a, b)));
    // Either order: a relation need be given in one.
    let related =
        |a: usize, b: usize| a != b && (neighbours(&inputs[a], &inputs[b]) || neighbours(&inputs[b], &inputs[a]));
    let neighbours: Vec<_> = all.filter(|(a, b)| related(*a, *b)).collect();
    assert!(!neighbours.is_empty(), "a domain without neighbours shows nothing");
    Enumerated { masses, neighbours }
}

impl<O: Ord> Enumerated<O> {
    /// The largest certified lower bound of δ(ε), and the largest upper bound less its allowance (1 +
    /// e^ε)·slack.
    fn worst(&self, epsilon: &Rational) -> (Rational, Rational) {
        let epsilon = NonNegative::new(epsilon.clone()).unwrap();
        let power = Real::from(epsilon.get().clone()).exp().at_most(40).unwrap();
        let (mut lower, mut excess) = (rational(0, 1), rational(-1, 1));
        for (a, b) in &self.neighbours {
            let (p, q) = (&self.masses[*a], &self.masses[*b]);
            let delta = hockey_stick(p, q, &epsilon).unwrap();
            let slack = |masses: &Masses<O>| {
                Rational::new(masses.unresolved().clone().into(), BigInt::from(1) << masses.precision())
            };
            lower = lower.max(delta.lower());
            // A part in 2^30 for the rounding of the sum itself, of up to 2^15 terms.
            let allowed = slack(p) + &power * slack(q) + rational(1, 1 << 30);
            excess = excess.max(delta.upper() - allowed);
        }
        (lower, excess)
    }

    /// Whether the stated guarantee stands.
    pub fn holds(&self, stated: &Guarantee) -> bool {
        let (epsilon, delta) = parameters(stated);
        let (lower, excess) = self.worst(&epsilon);
        lower <= delta && excess <= delta
    }

    /// Whether a guarantee of 99/100·ε, or of the same ε and 99/100·δ, is refuted.
    pub fn is_tight(&self, stated: &Guarantee) -> bool {
        let (epsilon, delta) = parameters(stated);
        let less = rational(99, 100);
        if delta == rational(0, 1) {
            self.worst(&(&epsilon * &less)).0 > delta
        } else {
            self.worst(&epsilon).0 > &delta * &less
        }
    }

    /// Whether the profile of the pairs is at least that of every two neighbours, at several ε up to 5/4 of
    /// the stated.
    pub fn is_dominated(&self, stated: &Guarantee, domination: &Domination) -> bool {
        let plan = Plan::of(domination, 1);
        let (most, _) = parameters(stated);
        (0..=5).all(|quarter| {
            let epsilon = &most * rational(quarter, 4);
            let at = NonNegative::new(epsilon.clone()).unwrap();
            let profile = account::delta(&plan, &at, &Precision::default()).unwrap().enclosure;
            self.worst(&epsilon).0 <= profile.upper()
        })
    }

    /// Whether the pairs are no further apart than some two neighbours, up to a part in 100.
    pub fn attains(&self, stated: &Guarantee, domination: &Domination) -> bool {
        let plan = Plan::of(domination, 1);
        let (most, _) = parameters(stated);
        (0..4).all(|quarter| {
            let epsilon = &most * rational(quarter, 4);
            let at = NonNegative::new(epsilon.clone()).unwrap();
            let profile = account::delta(&plan, &at, &Precision::default()).unwrap().enclosure;
            self.worst(&epsilon).0 >= profile.lower() * rational(99, 100)
        })
    }
}

/// (ε, δ), each rounded up by at most 2^-80.
fn parameters(stated: &Guarantee) -> (Rational, Rational) {
    match stated.privacy() {
        Privacy::Pure { epsilon } => (epsilon.at_most(80).unwrap(), rational(0, 1)),
        Privacy::Approximate { epsilon, delta } => (epsilon.at_most(80).unwrap(), delta.at_most(80).unwrap()),
        _ => panic!("no other kind is stated here"),
    }
}

/// A mechanism on a domain: its guarantee stands, and its pairs dominate.
pub fn check<M: Private>(
    mechanism: &M,
    inputs: &[Box<M::Input>],
    neighbours: impl Fn(&M::Input, &M::Input) -> bool,
    depth: u32,
) -> Enumerated<<M::Release as Program>::Output>
where
    M::Error: std::fmt::Debug,
{
    let on = |input: &Box<M::Input>| mechanism.on(input).unwrap();
    let enumerated = enumerate(inputs, on, |a, b| neighbours(a, b), depth);
    assert!(enumerated.holds(&mechanism.guarantee()), "{} is refuted", mechanism.guarantee());
    enumerated
}
