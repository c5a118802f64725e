//! What a test of one event would have seen: the smallest δ that it calls a violation every other time.
//!
//! An event S with P(S) = p and Q(S) = q has the δ p − c·q. The test of (c, δ₀) counts X ~ Binomial(n, p) and
//! Y ~ Binomial(m, q), and calls a violation where its [`Region`](super::region::Region) lies in p − c·q >
//! δ₀. Its *power* at (p, q) is the probability of that.
//!
//! * **The refuted counts are a staircase**: beside x, every y up to y*(x). [`Test::last_refuting`] finds
//!   y*(x) by the rules of the region itself, cell by cell. It is computed at some x, and between them its
//!   distance from the line c·y/m = x/n − δ₀ is taken as linear in the angle arcsin √(x/n), by which a
//!   standard error is nearly constant.
//! * **The worst (p, q) with a δ of at least d** lies on the line p = c·q + d, 0 ≤ q ≤ (1 − d)/c, because y*
//!   rises with x and X with p. Neither end of the line is the worst as a rule. At p = 1, where X = n, the
//!   power is P(Y ≤ y*(n)), and no x sees more: beside too large a q not even p = 1 is seen, and only a d
//!   above 1 − c·q excludes it.
//! * **The power is summed**, Σ_x P(X = x)·P(Y ≤ y*(x)), without a normal approximation, which is wrong by
//!   half where p nears 1.
//!
//! The answer is moved up by a hundredth of its excess over δ₀, for what lies between the x and the q that
//! are looked at; tests compare it with sums over the region's own answers at every (x, y). No verdict of a
//! violation rests on it.
#![expect(clippy::float_arithmetic, reason = "a description of a test; what refutes a claim does not depend on it")]

use std::collections::HashMap;

use super::real;
use super::region::rules::Rules;
use super::region::{Shape, corner_scores};
use super::tail::{Tail, mass, rejected_below};

/// A test of P(S) ≤ c·Q(S) + δ by the region of this shape, before the counts are seen.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// P's samples.
    pub n: u64,
    /// Q's samples.
    pub m: u64,
    /// The α of the region.
    pub alpha: f64,
    /// Its shape.
    pub shape: Shape,
    /// e^ε of the claim.
    pub c: f64,
    /// δ of the claim.
    pub delta: f64,
}

/// Of up to so many samples, y* is computed at every x.
const FEW: u64 = 128;

/// The angle between two x of the staircase that are computed is this share of that to the nearer end of it.
const SPREAD: f64 = 0.4;

/// Places of q that are looked at.
const PLACES: u32 = 96;

/// Halvings of an interval of δ.
const HALVINGS: usize = 14;

/// What is added to the answer, as a share of its excess over the claimed δ.
const MARGIN: f64 = 0.01;

/// Masses below this share of the greatest one are left out of a sum.
const NEGLIGIBLE: f64 = 1e-9;

/// Cells that are first judged together.
const BLOCK: u64 = 64;

impl Test {
    /// The least d such that every event with a δ of at least d is called a violation with probability one
    /// half or more, whatever its probabilities are; `None` if not even d = 1 is.
    ///
    /// ```
    /// use certus_audit::statistics::{power::Test, region::Shape};
    ///
    /// let shape = Shape::Tilted { slope: 1_f64.exp(), offset: 0.1, most: 0.6 };
    /// let test = Test { n: 5000, m: 5000, alpha: 0.001, shape, c: 1_f64.exp(), delta: 0.0 };
    /// assert!(test.smallest_seen().is_some_and(|delta| delta > 0.05 && delta < 0.15));
    /// assert_eq!(Test { n: 6, m: 6, ..test }.smallest_seen(), None);
    /// ```
    #[must_use]
    pub fn smallest_seen(&self) -> Option<f64> {
        let stairs = Staircase::new(self)?;
        // What is not seen at p = 1 must be out of reach: 1 − c·q < d.
        let most = last_median(self.m, stairs.nodes.last()?.1).min((1.0 - self.delta) / self.c);
        let mut least = self.delta.max(1.0 - self.c * most);
        // Where the staircase is furthest from its line first: the other places are then looked at once each.
        let places = (0..=PLACES).map(|place| most * (f64::from(place) / f64::from(PLACES)).powi(2));
        let gap = |q: f64| stairs.gap((self.c * q + self.delta) * real(self.n));
        let mut places: Vec<(f64, f64)> = places.map(|q| (gap(q), q)).collect();
        places.sort_by(|one, two| two.0.total_cmp(&one.0));
        for (_, q) in places {
            let most = 1.0 - self.c * q;
            let is_seen = |delta: f64| stairs.power((self.c * q + delta).min(1.0), q) >= 0.5;
            if least >= most || is_seen(least) {
                continue;
            }
            let (mut low, mut high) = (least, most);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if is_seen(middle) { high = middle } else { low = middle }
            }
            least = high;
        }
        Some((least + MARGIN * (least - self.delta)).min(1.0))
    }

    /// The last y that x refutes the claim beside; `None` if it does not even beside 0.
    #[must_use]
    pub fn last_refuting(&self, x: u64) -> Option<u64> {
        let is_test = self.m > 0 && x <= self.n && self.alpha > 0.0 && self.alpha < 1.0 && self.c.is_finite();
        if !is_test {
            return None;
        }
        match self.shape {
            Shape::Box { share } => {
                let (of_p, of_q) = corner_scores(self.alpha, share)?;
                last_count(self.m, (rejected_below(self.n, x, of_p, None) - self.delta) / self.c, of_q)
            }
            Shape::Tilted { .. } => Row::new(self, x)?.last(),
        }
    }

    /// Whether x refutes the claim beside a y of 0.
    fn is_refuting(&self, x: u64) -> bool {
        match self.shape {
            Shape::Box { .. } => self.last_refuting(x).is_some(),
            Shape::Tilted { .. } => Row::new(self, x).is_some_and(|mut row| row.failing(0).is_none()),
        }
    }
}

/// The last y of which the score of P_q(Y ≤ y) is at least `score`; `None` if 0 is too many.
fn last_count(m: u64, q: f64, score: f64) -> Option<u64> {
    let is_few = |y: u64| Tail::of(m, y + 1, q).lower_score_at_least() >= score;
    if q <= 0.0 || !is_few(0) {
        return None;
    }
    // Invariant: `low` is few enough, and `high` is too many (m is: its score is −∞). The first guess is the
    // normal approximation's.
    let (mut low, mut high) = (0, m);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess, saturated and bounded")]
    let mut next = (real(m) * q - score * (real(m) * q * (1.0 - q).max(0.0)).sqrt()) as u64;
    let mut width = 1;
    while high - low > 1 {
        let middle = next.clamp(low + 1, high - 1);
        if is_few(middle) {
            low = middle;
            next = middle.saturating_add(width);
        } else {
            high = middle;
            next = middle.saturating_sub(width);
        }
        width *= 2;
        // Once both ends were met, halve.
        if low > 0 && high < m {
            next = low + (high - low) / 2;
        }
    }
    Some(low)
}

/// The greatest q with P_q(Y ≤ y) ≥ ½, from below.
fn last_median(m: u64, y: u64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if Tail::of(m, y + 1, middle).upper_at_most() <= 0.5 { low = middle } else { high = middle }
    }
    low
}

/// A count x against the line p = c·q + δ: how much each cell asks of y.
struct Row<'t> {
    test: &'t Test,
    rules: Rules,
    x: u64,
    /// What rule 2 leaves of p.
    p_most: f64,
    /// The scores of x where the line crosses an edge, as far as they were needed.
    scores: HashMap<u64, f64>,
}

/// Cells that are judged as one.
#[derive(Clone, Copy)]
struct Block {
    from: u64,
    to: u64,
    /// By how much the score of x exceeds what is needed.
    margin: f64,
}

impl<'t> Row<'t> {
    fn new(test: &'t Test, x: u64) -> Option<Self> {
        let rules = Rules::new((test.n, test.m), test.alpha, test.shape)?;
        Some(Self { test, rules, x, p_most: rules.p_range(x).1, scores: HashMap::new() })
    }

    /// The score of x where the line leaves the cells before a place, or at the end of p.
    fn score(&mut self, place: u64) -> f64 {
        let p = (self.test.delta + self.test.c * self.rules.edge(place)).min(self.p_most);
        *self.scores.entry(place).or_insert_with(|| Tail::of(self.test.n, self.x, p).upper_score_at_least())
    }

    fn block(&mut self, y: u64, from: u64, to: u64) -> Block {
        let (q0, q1) = (self.rules.edge(from), self.rules.edge(to));
        let of_y = self.rules.score_of_y(y, q0);
        // Rule 4; or rule 5, or rule 3.
        let margin = if of_y >= self.rules.corner {
            f64::INFINITY
        } else {
            self.score(to) - self.rules.needed(of_y, (q0, q1)).min(self.rules.corner)
        };
        Block { from, to, margin }
    }

    /// The cell on which x is furthest from refuting the claim beside y; `None` if it refutes it on all.
    ///
    /// What is rejected as one is rejected in parts, so that the margins of a block's parts are no less than
    /// its own: the first single cell that is the worst of all is the worst cell.
    fn failing(&mut self, y: u64) -> Option<u64> {
        let cells = self.rules.span(y).cells;
        let mut blocks: Vec<Block> = Vec::new();
        let mut from = cells.start;
        while from < cells.end {
            let to = (from + BLOCK).min(cells.end);
            blocks.push(self.block(y, from, to));
            from = to;
        }
        loop {
            let worst = blocks.iter().enumerate().min_by(|one, two| one.1.margin.total_cmp(&two.1.margin));
            let (place, Block { from, to, margin }) = worst.map(|(place, block)| (place, *block))?;
            if margin >= 0.0 {
                return None;
            }
            if to - from == 1 {
                return Some(from);
            }
            let middle = from + (to - from) / 2;
            blocks.swap_remove(place);
            let halves = [self.block(y, from, middle), self.block(y, middle, to)];
            blocks.extend(halves);
        }
    }

    /// The last y that a cell allows.
    fn allowed(&mut self, cell: u64) -> Option<u64> {
        let (q0, q1) = (self.rules.edge(cell), self.rules.edge(cell + 1));
        let score = self.score(cell + 1);
        last_count(self.test.m, q0, self.rules.asked(score, (q0, q1)))
    }

    /// From what the cell at x/n = c·q + δ allows, down to what all do.
    fn last(&mut self) -> Option<u64> {
        if self.failing(0).is_some() {
            return None;
        }
        let q = (real(self.x) / real(self.test.n) - self.test.delta) / self.test.c;
        let mut y = self.allowed(self.rules.place(q)).unwrap_or(0);
        while y > 0 {
            let Some(cell) = self.failing(y) else { break };
            y = self.allowed(cell).unwrap_or(0).min(y - 1);
        }
        Some(y)
    }
}

/// y* at some x, and between them.
struct Staircase<'t> {
    test: &'t Test,
    /// x and y*(x), by ascending x, from the first x that refutes at all up to n.
    nodes: Vec<(u64, u64)>,
}

impl<'t> Staircase<'t> {
    /// `None` if n refutes nothing.
    fn new(test: &'t Test) -> Option<Self> {
        let last = (test.n, test.last_refuting(test.n)?);
        let (mut none, mut first) = (0, test.n);
        while first - none > 1 {
            let middle = none + (first - none) / 2;
            if test.is_refuting(middle) { first = middle } else { none = middle }
        }
        let angle = |x: u64| (real(x) / real(test.n)).sqrt().asin();
        let (from, to) = (angle(first), core::f64::consts::FRAC_PI_2);
        // A quarter of a standard error at either end.
        let unit = 0.125 / real(test.n).sqrt();
        let mut nodes = Vec::new();
        let mut x = first;
        while x < test.n {
            nodes.extend(test.last_refuting(x).map(|y| (x, y)));
            let here = angle(x);
            let sine = (here + unit + SPREAD * (here - from).min(to - here)).min(to).sin();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to n")]
            let next = (real(test.n) * sine * sine) as u64;
            x = if test.n <= FEW { x + 1 } else { next.max(x + 1) };
        }
        nodes.push(last);
        Some(Self { test, nodes })
    }

    /// How much less y*(x) is than the y of the line.
    fn gap(&self, x: f64) -> f64 {
        let Test { n, m, c, delta, .. } = *self.test;
        let line = |x: f64| (x / real(n) - delta) / c * real(m);
        let angle = |x: f64| (x / real(n)).clamp(0.0, 1.0).sqrt().asin();
        let of = |(node, y): &(u64, u64)| (angle(real(*node)), line(real(*node)) - real(*y));
        let after = self.nodes.partition_point(|(node, _)| real(*node) < x);
        let before = after.checked_sub(1).and_then(|before| self.nodes.get(before));
        match (before.map(of), self.nodes.get(after).map(of)) {
            (Some((x0, gap0)), Some((x1, gap1))) => gap0 + (gap1 - gap0) * (angle(x) - x0) / (x1 - x0),
            (Some((_, only)), None) | (None, Some((_, only))) => only,
            (None, None) => 0.0,
        }
    }

    /// y*(x), from the first node on.
    fn step(&self, x: u64) -> u64 {
        let Test { n, m, c, delta, .. } = *self.test;
        let y = (real(x) / real(n) - delta) / c * real(m) - self.gap(real(x));
        // A node's own y is an integer, but for its rounding.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to m")]
        let step = (y + 1e-6).max(0.0) as u64;
        step
    }

    /// The probability of a violation.
    fn power(&self, p: f64, q: f64) -> f64 {
        let (of_x, of_y) = (Masses::new(self.test.n, p), Masses::new(self.test.m, q));
        let sums = of_y.sums();
        let first = self.nodes.first().map_or(u64::MAX, |(first, _)| *first);
        let below = |y: u64| match y.checked_sub(of_y.first).map(usize::try_from) {
            None => 0.0,
            Some(place) => place.ok().and_then(|place| sums.get(place)).or(sums.last()).copied().unwrap_or(0.0),
        };
        let refuting = (of_x.first..).zip(&of_x.masses).filter(|(x, _)| *x >= first);
        refuting.map(|(x, mass)| mass * below(self.step(x))).sum()
    }
}

/// The masses of a binomial distribution that count, from `first` on.
struct Masses {
    first: u64,
    masses: Vec<f64>,
}

impl Masses {
    fn new(n: u64, p: f64) -> Self {
        if p <= 0.0 || p >= 1.0 {
            return Self { first: if p >= 1.0 { n } else { 0 }, masses: vec![1.0] };
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most n + 1")]
        let mode = ((real(n) + 1.0) * p).floor().min(real(n)) as u64;
        let (odds, most) = (p / (1.0 - p), mass(n, mode, p));
        let mut masses = Vec::new();
        let (mut x, mut here) = (mode, most);
        while x > 0 && here > NEGLIGIBLE * most {
            here *= real(x) / (real(n - x + 1) * odds);
            x -= 1;
            masses.push(here);
        }
        masses.reverse();
        masses.push(most);
        let first = x;
        (x, here) = (mode, most);
        while x < n && here > NEGLIGIBLE * most {
            here *= real(n - x) * odds / real(x + 1);
            x += 1;
            masses.push(here);
        }
        Self { first, masses }
    }

    /// P(X ≤ first), P(X ≤ first + 1), …
    fn sums(&self) -> Vec<f64> {
        let add = |sum: &mut f64, mass: &f64| {
            *sum += mass;
            Some(*sum)
        };
        self.masses.iter().scan(0.0, add).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
