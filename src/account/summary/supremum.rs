//! sup_{s>0} K(s)/(s(s+1)): the ρ of losses that are bounded.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::cumulant::Loss;
use crate::{
    account::Precision,
    exact::{Enclosure, Rational, Working},
};

/// Points at which K is computed, at most.
const MOST_POINTS: u32 = 500;

/// Some losses, each with a number of copies; K is that of their sum.
pub(super) struct Supremum<'a> {
    losses: &'a [(Loss, Rational)],
    /// T: the sum of their tops.
    top: Rational,
    working: &'a Working,
}

/// K at a point, and an upper bound of each loss's K″.
struct Node {
    s: Rational,
    value: Enclosure,
    slope: Enclosure,
    bends: Vec<Rational>,
}

struct Cell {
    from: usize,
    to: usize,
    most: Rational,
}

/// What is known of the supremum, and where its lower bound is attained.
pub(super) struct Found {
    pub(super) lower: Rational,
    pub(super) upper: Rational,
    /// s = α − 1; 0 for the limit there.
    pub(super) at: Rational,
}

impl<'a> Supremum<'a> {
    pub(super) fn new(losses: &'a [(Loss, Rational)], working: &'a Working) -> Self {
        let top = losses.iter().map(|(loss, copies)| copies * &loss.top).sum();
        Self { losses, top, working }
    }

    /// Encloses sup_{s>0} ρ(s), ρ(s) = K(s)/(s(s+1)), to a relative width of 10^-digits if that is within
    /// reach.
    ///
    /// K is convex with K(0) = 0. ρ(s) falls to K′(0), the Kullback–Leibler divergence, as s falls to 0, and
    /// is at most T/(s+1) far out, since K(s) ≤ s·T. Between, on cells [a, b]: with H the cubic that has K
    /// and K′ at both ends, K(s) = H(s) + K⁗(ξ)·(s−a)²(b−s)²/24 (Hermite). K⁗ is a fourth cumulant, at most
    /// the fourth central moment, at most R²·K″ for a loss in a range of R; and |K‴| ≤ R·K″, so that K″ grows
    /// by no more than e^(Rh) over the width h of the cell; it is at most R²/4 (Popoviciu). In the Bernstein
    /// basis of degree 4 on [a, b], (s−a)²(b−s)² is h⁴/6 of the middle function alone, and a number ρ with
    /// ρ·s(s+1) above that bound coefficient by coefficient is above ρ(s) on the whole cell; likewise above
    /// the chord of K, where that is lower. The cell of the largest bound is halved until all are as low as
    /// the largest ρ(s) seen.
    ///
    /// Whenever it ends, the bounds hold. Before any cell is known, K″ ≤ R²/4 alone says K(s) ≤ s·K′(0) +
    /// s²·ΣR²/8, and ρ ≤ max(K′(0), ΣR²/8) (Cesar and Rogers 2021, for one loss).
    ///
    /// `None` if the digits do not suffice to see that K′(0) > 0.
    pub(super) fn find(&self, precision: &Precision) -> Option<Found> {
        let zero = self.node(Rational::zero())?;
        let least = zero.slope.lower();
        if !least.is_positive() {
            return None;
        }
        let eighths: Rational = self.losses.iter().map(|(loss, copies)| copies * &loss.range * &loss.range).sum();
        let crude = zero.slope.upper().max(eighths / BigInt::from(8));
        let mut found = Found { lower: least, upper: crude.clone(), at: Rational::zero() };
        // Past it, T/(s+1) is below K′(0).
        let furthest = power_of_two(&(&self.top / &found.lower));
        let mut nodes = Vec::from([zero]);
        let Some(last) = self.node(furthest) else { return Some(found) };
        nodes.push(last);
        let mut cells = Vec::from([self.cell(&nodes, 0, 1)?]);
        let slack = Rational::new(BigInt::one(), BigInt::from(10).pow(precision.digits));
        for _ in 0..MOST_POINTS {
            let Some(index) = (0..cells.len()).max_by(|a, b| most(&cells, *a).cmp(&most(&cells, *b))) else { break };
            let cell = cells.swap_remove(index);
            found.upper = cell.most.clone().min(crude.clone()).max(found.lower.clone());
            if found.upper <= &found.lower + &found.lower * &slack {
                break;
            }
            let (from, to) = (nodes.get(cell.from)?, nodes.get(cell.to)?);
            let Some(node) = self.node(between(&from.s, &to.s)) else { break };
            let here = node.value.mul_rational(&(&node.s * (&node.s + Rational::one())).recip()).lower();
            if here > found.lower {
                (found.lower, found.at) = (here, node.s.clone());
            }
            nodes.push(node);
            let middle = nodes.len() - 1;
            cells.push(self.cell(&nodes, cell.from, middle)?);
            cells.push(self.cell(&nodes, middle, cell.to)?);
        }
        found.upper = found.upper.max(found.lower.clone());
        Some(found)
    }

    fn node(&self, s: Rational) -> Option<Node> {
        let zero = || Enclosure::from_integer(0, self.working.bits());
        let mut node = Node { s, value: zero(), slope: zero(), bends: Vec::new() };
        for (loss, copies) in self.losses {
            let at = loss.at(&node.s, self.working)?;
            node.value = node.value.add(&at.value.mul_rational(copies));
            node.slope = node.slope.add(&at.slope.mul_rational(copies));
            node.bends.push(at.bend.upper());
        }
        Some(node)
    }

    /// The cell between two nodes, with an upper bound of ρ(s) on it.
    fn cell(&self, nodes: &[Node], from: usize, to: usize) -> Option<Cell> {
        let (a, b) = (nodes.get(from)?, nodes.get(to)?);
        let chord = [(4, 0), (3, 1), (2, 2), (1, 3), (0, 4)].map(|share| mixed(&a.value, &b.value, share));
        let far = &self.top / (&a.s + Rational::one());
        let most = most_of(&self.quartic(a, b)?, a, b).min(most_of(&chord, a, b)).min(far);
        Some(Cell { from, to, most })
    }

    /// The Bernstein coefficients of a polynomial that is above K from a to b: H, and the bound of what it
    /// leaves out.
    fn quartic(&self, a: &Node, b: &Node) -> Option<[Enclosure; 5]> {
        let bits = self.working.bits();
        let width = &b.s - &a.s;
        // K⁗ ≤ Σ R²·K″.
        let mut fourth = Rational::zero();
        for ((loss, copies), bends) in self.losses.iter().zip(a.bends.iter().zip(&b.bends)) {
            let square = &loss.range * &loss.range;
            let mut bend = &square / BigInt::from(4);
            let growth = &loss.range * &width;
            if growth <= Rational::from_integer(4.into()) {
                let growth = Enclosure::from_rational(&growth, 64).exp(64)?.upper();
                bend = bend.min(bends.0.min(bends.1) * growth);
            }
            fourth += copies * square * bend;
        }
        let remainder = Enclosure::from_rational(&(fourth * width.pow(4) / BigInt::from(24 * 6)), bits);
        // The cubic's coefficients of degree 3, and then of degree 4.
        let third = &width / BigInt::from(3);
        let (first, last) = (a.value.add(&a.slope.mul_rational(&third)), b.value.sub(&b.slope.mul_rational(&third)));
        Some([
            a.value.clone(),
            mixed(&a.value, &first, (1, 3)),
            mixed(&first, &last, (2, 2)).add(&remainder),
            mixed(&last, &b.value, (3, 1)),
            b.value.clone(),
        ])
    }
}

/// The least ρ with ρ·s(s+1) above a polynomial between two nodes, coefficient by coefficient.
fn most_of(coefficients: &[Enclosure; 5], a: &Node, b: &Node) -> Rational {
    let mut most = Rational::zero();
    for (m, coefficient) in (0_i64..).zip(coefficients) {
        let other = quadratic(&a.s, &b.s, m);
        // It is 0 at s = 0 only, where K is 0, too.
        if other.is_positive() {
            most = most.max(coefficient.mul_rational(&other.recip()).upper());
        }
    }
    most
}

/// x and y in so many fourths.
fn mixed(x: &Enclosure, y: &Enclosure, share: (i64, i64)) -> Enclosure {
    let of = |n: i64| Rational::new(n.into(), 4.into());
    x.mul_rational(&of(share.0)).add(&y.mul_rational(&of(share.1)))
}

fn most(cells: &[Cell], index: usize) -> Option<&Rational> {
    cells.get(index).map(|cell| &cell.most)
}

/// The m-th of the five Bernstein coefficients of s² + s on [a, b]: its blossom at 4 − m times a and m times
/// b.
fn quadratic(a: &Rational, b: &Rational, m: i64) -> Rational {
    let n = 4 - m;
    let of = |count: i64, value: Rational| value * BigInt::from(count);
    let square = of(n * (n - 1) / 2, a * a) + of(n * m, a * b) + of(m * (m - 1) / 2, b * b);
    square / BigInt::from(6) + (of(n, a.clone()) + of(m, b.clone())) / BigInt::from(4)
}

/// Where a cell is cut: evenly, or evenly in the logarithm where it spans more than that; all dyadic.
fn between(a: &Rational, b: &Rational) -> Rational {
    if a.is_zero() {
        b / BigInt::from(8)
    } else if *b > a * BigInt::from(3) {
        (a + b) * Rational::new(3.into(), 8.into())
    } else {
        (a + b) / BigInt::from(2)
    }
}

/// The least power of two above x > 0.
fn power_of_two(x: &Rational) -> Rational {
    let (mut power, two) = (Rational::one(), Rational::from_integer(2.into()));
    while power <= *x {
        power *= &two;
    }
    while &power / &two > *x {
        power /= &two;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::{Probability, parse},
        guarantee::{FinitePair, Pair},
    };

    /// A loss that is rarely large, some times over: in cells where K″ grows, where it is largest, and where
    /// it falls, the polynomial is above K, and no more above it than what was left out.
    #[test]
    fn the_polynomial_is_above() {
        let of = |text: &str| Probability::new(parse(text).unwrap()).unwrap();
        let outcomes =
            Vec::from([(of("1/1000000"), of("1/20000000000")), (of("999999/1000000"), of("19999999999/20000000000"))]);
        let pair = Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap());
        let working = Working::new(400);
        let losses = [(Loss::new(&pair, &working).unwrap(), Rational::from_integer(5.into()))];
        let supremum = Supremum::new(&losses, &working);
        let at = |s: &Rational| supremum.node(s.clone()).unwrap();
        // The range is 9.9; K″ is largest at s = 1.4.
        for (from, to) in
            [("1/10", "1/9"), ("1/10", "2/5"), ("1", "1.01"), ("1.3", "1.5"), ("1.4", "1.8"), ("3", "3.1")]
        {
            let (a, b) = (at(&parse(from).unwrap()), at(&parse(to).unwrap()));
            let coefficients = supremum.quartic(&a, &b).unwrap();
            for n in 0..=16_i64 {
                let (u, v) = (Rational::new(n.into(), 16.into()), Rational::new((16 - n).into(), 16.into()));
                let value = (0_i32..).zip([1, 4, 6, 4, 1]).zip(&coefficients).fold(
                    Enclosure::from_integer(0, 400),
                    |sum, ((m, binomial), coefficient)| {
                        sum.add(&coefficient.mul_rational(&(u.pow(m) * v.pow(4 - m) * BigInt::from(binomial))))
                    },
                );
                let node = at(&(&a.s * &v + &b.s * &u));
                let above = value.sub(&node.value);
                let least = if n % 16 == 0 { parse("-1e-60").unwrap() } else { Rational::zero() };
                assert!(above.lower() >= least, "[{from}, {to}] at {n}/16: {above}");
                // R⁴/4·e^(Rh) of (s−a)²(b−s)²/24, five times.
                let (width, growth) = (&b.s - &a.s, Rational::from_integer(60.into()));
                let most = growth * parse("12100").unwrap() * width.pow(4) * (&u * &v).pow(2) / BigInt::from(24);
                assert!(above.lower() <= most, "[{from}, {to}] at {n}/16: {above} {most}");
            }
        }
    }
}
