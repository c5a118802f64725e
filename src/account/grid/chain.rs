//! The composition of all copies of all parts, on one side: few losses as they are while they are few, then on grids that widen as losses spread.

use alloc::vec::Vec;

use super::{
    atoms::{Atoms, atoms},
    coarsen::coarsen,
    composition::Effort,
    convolution::Side,
    curve::Curve,
    dots::{Dots, Grid, connect},
    grouped::Grouped,
    pld::Pld,
    sparse::{Limits, Sparse},
};
use crate::{exact::Rational, guarantee::Pair};

/// The most points of a composition whose grid is too wide to be halved.
const MOST_POINTS: usize = 1 << 20;

/// One copy of a part of a plan, as both sides start from it.
pub(super) enum Part {
    /// Its outcomes, in a window and of so many binary digits.
    Few(Atoms, Grid, u32),
    Dots(Dots),
}

impl Part {
    /// Few losses of multiples of 2^-fine, where they have places enough, not being tiny beside the others; or dots.
    pub(super) fn new(pairs: &[Pair], grid: Grid, bits: u32, fine: u32) -> Option<Self> {
        let few = match pairs {
            [pair] if grid.step + 10 <= fine => atoms(pair, bits, fine + 36),
            _ => None,
        };
        if let Some(atoms) = few {
            return Some(Self::Few(atoms, grid, bits));
        }
        let mut curves: Vec<Curve> = pairs.iter().map(|pair| Curve::new(pair, bits)).collect::<Option<_>>()?;
        connect(&mut curves, grid, bits).map(Self::Dots)
    }
}

/// A distribution of losses on a grid, of one side.
pub(super) trait Measure: Clone {
    const SIDE: Side;

    /// One copy.
    fn of_dots(dots: &Dots, theta: &Rational) -> Option<Self>;

    /// Few losses, on a grid of at most `most` points, but for 2^-cut of them at either end.
    fn of_few(few: &Sparse, theta: &Rational, most: usize, cut: u32) -> Option<Self>;

    /// The grid is the multiples of 2^-step.
    fn step(&self) -> u32;

    fn len(&self) -> usize;

    /// The sum of two independent losses on the same grid, but for 2^-cut of it at either end.
    fn compose(&self, other: &Self, theta: &Rational, cut: u32) -> Option<Self>;

    /// On the grid of twice the step.
    fn coarsen(&self, theta: &Rational) -> Option<Self>;
}

impl Measure for Pld {
    const SIDE: Side = Side::Upper;

    fn of_dots(dots: &Dots, theta: &Rational) -> Option<Self> {
        Self::new(dots, theta)
    }

    fn of_few(few: &Sparse, theta: &Rational, most: usize, cut: u32) -> Option<Self> {
        few.split(theta, most, cut)
    }

    fn step(&self) -> u32 {
        self.step
    }

    fn len(&self) -> usize {
        self.masses.len()
    }

    fn compose(&self, other: &Self, _theta: &Rational, cut: u32) -> Option<Self> {
        self.compose(other, cut)
    }

    fn coarsen(&self, theta: &Rational) -> Option<Self> {
        coarsen(self, theta)
    }
}

impl Measure for Grouped {
    const SIDE: Side = Side::Lower;

    fn of_dots(dots: &Dots, theta: &Rational) -> Option<Self> {
        Self::new(dots, theta)
    }

    fn of_few(few: &Sparse, theta: &Rational, most: usize, cut: u32) -> Option<Self> {
        few.group(theta, most, cut)
    }

    fn step(&self) -> u32 {
        self.step
    }

    fn len(&self) -> usize {
        self.whole.len()
    }

    fn compose(&self, other: &Self, theta: &Rational, cut: u32) -> Option<Self> {
        self.compose(other, theta, cut)
    }

    fn coarsen(&self, theta: &Rational) -> Option<Self> {
        self.coarsen(theta)
    }
}

/// All copies of all parts.
pub(super) enum Composed<M> {
    /// So few losses that none was placed on a grid.
    Few(Sparse),
    Grid(M),
}

impl<M> Composed<M> {
    /// The same of what is on a grid.
    pub(super) fn map<N>(self, of_grid: impl FnOnce(M) -> Option<N>) -> Option<Composed<N>> {
        match self {
            Self::Few(few) => Some(Composed::Few(few)),
            Self::Grid(measure) => of_grid(measure).map(Composed::Grid),
        }
    }
}

/// What has been added up so far, and of how many copies: few losses, and those on a grid.
struct Sum<M> {
    few: Option<(Sparse, u64)>,
    dense: Option<(M, u64)>,
}

/// What the compositions of one account share.
pub(super) struct Work<'a> {
    /// The copies of all parts together.
    pub(super) all: u64,
    pub(super) theta: &'a Rational,
    pub(super) effort: Effort,
    pub(super) cut: u32,
    /// Few losses are multiples of 2^-fine.
    pub(super) fine: u32,
}

impl Work<'_> {
    /// All copies of all parts; `None` if a number is out of range.
    pub(super) fn chain<M: Measure>(&self, parts: &[(&Part, u64)]) -> Option<Composed<M>> {
        let mut sum = Sum { few: None, dense: None };
        for (part, copies) in parts {
            match part {
                Part::Few(atoms, grid, bits) => {
                    let window = (&grid.loss(grid.first), &grid.loss(grid.last));
                    let one = Sparse::new(atoms, M::SIDE, self.theta, window, (self.fine, *bits))?;
                    self.add_few(&mut sum, one, *copies)?;
                }
                Part::Dots(dots) => {
                    let measure = self.power(M::of_dots(dots, self.theta)?, *copies, 1)?;
                    self.add(&mut sum.dense, measure, *copies)?;
                }
            }
        }
        if let Some((few, count)) = sum.few {
            if sum.dense.is_none() {
                return Some(Composed::Few(few));
            }
            let measure = self.of_few(&few, count)?;
            self.add(&mut sum.dense, measure, count)?;
        }
        sum.dense.map(|(measure, _)| Composed::Grid(measure))
    }

    /// Each of all/count such distributions may lose 2^-cut·count/all of itself, so that all of them lose about 2^-cut.
    fn cut(&self, count: u64) -> u32 {
        self.cut + (u64::BITS - (self.all / count.max(1)).leading_zeros())
    }

    fn limits(&self) -> Limits {
        Limits { sums: self.effort.sums, grid: self.effort.composed / 2 }
    }

    /// Adds `copies` copies of few losses: as they are while they are few, and on a grid beyond.
    fn add_few<M: Measure>(&self, sum: &mut Sum<M>, one: Sparse, copies: u64) -> Option<()> {
        let (mut square, mut size, mut rest) = (one, 1_u64, copies);
        loop {
            if rest & 1 == 1 {
                self.add_sparse(sum, &square, size)?;
            }
            rest >>= 1;
            if rest == 0 {
                return Some(());
            }
            match square.compose(&square, self.theta, self.limits(), self.cut(size * 2)) {
                Some(double) => (square, size) = (double, size * 2),
                None => {
                    // Two times the rest, of blocks that can be doubled no more as they are.
                    let measure = self.power(self.of_few(&square, size)?, rest * 2, size)?;
                    return self.add(&mut sum.dense, measure, rest * 2 * size);
                }
            }
        }
    }

    fn add_sparse<M: Measure>(&self, sum: &mut Sum<M>, block: &Sparse, size: u64) -> Option<()> {
        let Some((few, count)) = sum.few.take() else {
            sum.few = Some((block.clone(), size));
            return Some(());
        };
        match few.compose(block, self.theta, self.limits(), self.cut(count + size)) {
            Some(joint) => sum.few = Some((joint, count + size)),
            None => {
                let measure = self.of_few(&few, count)?;
                self.add(&mut sum.dense, measure, count)?;
                sum.few = Some((block.clone(), size));
            }
        }
        Some(())
    }

    fn of_few<M: Measure>(&self, block: &Sparse, size: u64) -> Option<M> {
        M::of_few(block, self.theta, self.effort.composed / 2, self.cut(size))
    }

    fn add<M: Measure>(&self, total: &mut Option<(M, u64)>, measure: M, size: u64) -> Option<()> {
        *total = Some(match total.take() {
            None => (measure, size),
            Some((other, count)) => (self.join(other, measure, count + size)?, count + size),
        });
        Some(())
    }

    /// The loss of `times` blocks of `size` copies, by squaring, on grids that widen as the losses spread.
    fn power<M: Measure>(&self, measure: M, times: u64, size: u64) -> Option<M> {
        let (mut square, mut rest, mut size) = (measure, times, size);
        let mut product = None;
        loop {
            if rest & 1 == 1 {
                self.add(&mut product, square.clone(), size)?;
            }
            rest >>= 1;
            if rest == 0 {
                return product.map(|(product, _)| product);
            }
            size *= 2;
            square = self.join(square.clone(), square, size)?;
        }
    }

    /// The composition of two, of `count` copies together.
    fn join<M: Measure>(&self, mut a: M, mut b: M, count: u64) -> Option<M> {
        while a.step() > b.step() {
            a = a.coarsen(self.theta)?;
        }
        while b.step() > a.step() {
            b = b.coarsen(self.theta)?;
        }
        let mut joint = a.compose(&b, self.theta, self.cut(count))?;
        while joint.len() > self.effort.composed && joint.step() > 0 {
            joint = joint.coarsen(self.theta)?;
        }
        (joint.len() <= MOST_POINTS).then_some(joint)
    }
}
