//! The composition of all copies of all parts, on one side: few losses as they are while they are few, then on grids that widen as losses spread.

use alloc::{
    collections::{BTreeMap, VecDeque},
    vec::Vec,
};
use core::cmp::Reverse;

use super::{
    atoms::{self, Atoms, atoms},
    coarsen::coarsen,
    convolution::Side,
    curve::Curve,
    dots::{Grid, connect_some},
    effort::Effort,
    grouped::Grouped,
    pld::Pld,
    sparse::{Limits, Sparse},
};
use crate::{exact::Rational, guarantee::Pair};

/// The most points of a composition whose grid is too wide to be halved.
const MOST_POINTS: usize = 1 << 20;

/// So many different numbers of copies are gone through digit by digit.
pub(super) const MANY_GROUPS: usize = 4;

/// One copy of a part of a plan, as both sides start from it.
pub(super) enum Part {
    /// Its outcomes, in a window and of so many binary digits.
    Few(Atoms, Grid, u32),
    /// Its losses on a grid, tilted; the dots they are made from are a hundred times as large.
    Grid(Tilted),
}

/// One copy's losses on a grid, tilted.
pub(super) struct Tilted {
    /// `None` where a number is out of range.
    lower: Option<Grouped>,
    upper: Pld,
}

/// The binary digits of listed losses beyond those of their places.
pub(super) const MORE_PLACES: u32 = 36;

/// Whether a pair's losses are few, and have places enough of 2^-fine.
pub(super) fn is_listed(pair: &Pair, grid: Grid, bits: u32, fine: u32) -> bool {
    atoms::are_few(pair) && grid.step + 10 <= fine && atoms::are_few_of(pair, bits)
}

impl Part {
    /// Few losses of multiples of 2^-fine, where they have places enough, not being tiny beside the others; or a grid, its curve looked at so often.
    pub(super) fn new(
        pairs: &[Pair],
        (grid, bits): (Grid, u32),
        (looks, fine): (u64, u32),
        theta: &Rational,
    ) -> Option<Self> {
        let few = match pairs {
            [pair] if is_listed(pair, grid, bits, fine) => atoms(pair, bits, fine + MORE_PLACES),
            _ => None,
        };
        if let Some(atoms) = few {
            return Some(Self::Few(atoms, grid, bits));
        }
        let mut curves: Vec<Curve> = pairs.iter().map(|pair| Curve::new(pair, bits)).collect::<Option<_>>()?;
        let dots = connect_some(&mut curves, (grid, bits), usize::try_from(looks).unwrap_or(usize::MAX), theta)?;
        Some(Self::Grid(Tilted { lower: Grouped::new(&dots, theta), upper: Pld::new(&dots, theta)? }))
    }
}

/// A distribution of losses on a grid, of one side.
pub(super) trait Measure: Clone {
    const SIDE: Side;

    /// One copy.
    fn of_tilted(one: &Tilted) -> Option<Self>;

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

    fn of_tilted(one: &Tilted) -> Option<Self> {
        Some(one.upper.clone())
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

    fn of_tilted(one: &Tilted) -> Option<Self> {
        one.lower.clone()
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
#[derive(Clone)]
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

/// Blocks of copies, and how many each is of, that are to be added up: few losses, and those on a grid.
struct Blocks<M> {
    few: Vec<(Sparse, u64)>,
    dense: Vec<(M, u64)>,
}

impl<M> Blocks<M> {
    fn none() -> Self {
        Self { few: Vec::new(), dense: Vec::new() }
    }

    fn add(&mut self, block: Composed<M>, size: u64) {
        match block {
            Composed::Few(few) => self.few.push((few, size)),
            Composed::Grid(measure) => self.dense.push((measure, size)),
        }
    }
}

/// Blocks from the least key on; those that are made of two come after all of their kind that were made before, which are about as small.
struct Queue<T> {
    given: VecDeque<T>,
    joint: VecDeque<T>,
}

impl<T> Queue<T> {
    fn new<K: Ord>(mut blocks: Vec<T>, key: impl Fn(&T) -> K) -> Self {
        blocks.sort_by_key(key);
        Self { given: blocks.into(), joint: VecDeque::new() }
    }

    fn len(&self) -> usize {
        self.given.len() + self.joint.len()
    }

    fn pop<K: Ord>(&mut self, key: impl Fn(&T) -> K) -> Option<T> {
        let is_joint = match (self.given.front(), self.joint.front()) {
            (Some(given), Some(joint)) => key(joint) < key(given),
            (given, _) => given.is_none(),
        };
        if is_joint { self.joint.pop_front() } else { self.given.pop_front() }
    }

    fn into_iter(self) -> impl Iterator<Item = T> {
        self.given.into_iter().chain(self.joint)
    }
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
    ///
    /// Of parts with as many copies one of each is composed first, and copies of that then: as many joins as there are parts, and not times the binary digits of the
    /// copies.
    pub(super) fn chain<M: Measure>(&self, parts: &[(&Part, u64)]) -> Option<Composed<M>> {
        let mut alike: BTreeMap<u64, Blocks<M>> = BTreeMap::new();
        for (part, copies) in parts {
            let one = alike.entry(*copies).or_insert_with(Blocks::none);
            match part {
                Part::Few(atoms, grid, bits) => {
                    let window = (&grid.loss(grid.first), &grid.loss(grid.last));
                    one.few.push((Sparse::new(atoms, M::SIDE, self.theta, window, (self.fine, *bits))?, 1));
                }
                Part::Grid(tilted) => one.dense.push((M::of_tilted(tilted)?, 1)),
            }
        }
        let mut groups = Vec::new();
        for (copies, one) in alike {
            let size = u64::try_from(one.few.len() + one.dense.len()).ok()?;
            groups.push((self.together(one)?, size, copies));
        }
        if groups.len() >= MANY_GROUPS { self.by_digits(&groups) } else { self.by_powers(groups) }
    }

    /// All copies of each, and then the sum.
    fn by_powers<M: Measure>(&self, groups: Vec<(Composed<M>, u64, u64)>) -> Option<Composed<M>> {
        let mut all = Blocks::none();
        for (one, size, copies) in groups {
            match one {
                Composed::Few(few) => self.add_few(&mut all, few, size, copies)?,
                Composed::Grid(measure) => {
                    all.dense.push((self.power(measure, copies, size)?, copies.saturating_mul(size)))
                }
            }
        }
        self.together(all)
    }

    /// Digit by digit of all their copies, from the highest (Horner; Straus 1964): what there is twice, and one more of each that has the digit. As many joins as there are
    /// digits that are not 0, and the squares but once for all.
    fn by_digits<M: Measure>(&self, groups: &[(Composed<M>, u64, u64)]) -> Option<Composed<M>> {
        let most = groups.iter().map(|(_, _, copies)| *copies).max()?;
        let mut total: Option<(Composed<M>, u64)> = None;
        for digit in (0..u64::BITS - most.leading_zeros()).rev() {
            let mut blocks = Blocks::none();
            let mut count = 0;
            if let Some((before, size)) = total {
                count = u64::saturating_mul(size, 2);
                blocks.add(self.doubled(before, count)?, count);
            }
            for (one, size, _) in groups.iter().filter(|(_, _, copies)| (copies >> digit) & 1 == 1) {
                count = u64::saturating_add(count, *size);
                blocks.add(one.clone(), *size);
            }
            total = Some((self.together(blocks)?, count));
        }
        total.map(|(total, _)| total)
    }

    /// Two of a block, of `count` copies together.
    fn doubled<M: Measure>(&self, block: Composed<M>, count: u64) -> Option<Composed<M>> {
        let measure = match block {
            Composed::Few(few) => match few.compose(&few, self.theta, self.limits(), self.cut(count)) {
                Some(double) => return Some(Composed::Few(double)),
                None => self.of_few(&few, count / 2)?,
            },
            Composed::Grid(measure) => measure,
        };
        self.join(measure.clone(), measure, count).map(Composed::Grid)
    }

    /// The sum of blocks. The shortest first, and the finest: each is placed, and its grid halved, as late as may be, so that N blocks cost as many roundings as N
    /// has binary digits, on grids that widen.
    fn together<M: Measure>(&self, Blocks { few, mut dense }: Blocks<M>) -> Option<Composed<M>> {
        let length = |(block, _): &(Sparse, u64)| block.points.len();
        let mut few = Queue::new(few, length);
        while few.len() > 1 {
            let ((a, a_count), (b, b_count)) = few.pop(length).zip(few.pop(length))?;
            let count = a_count.saturating_add(b_count);
            match a.compose(&b, self.theta, self.limits(), self.cut(count)) {
                Some(joint) => few.joint.push_back((joint, count)),
                None => {
                    few.joint.extend([(a, a_count), (b, b_count)]);
                    break;
                }
            }
        }
        if dense.is_empty() && few.len() == 1 {
            return few.pop(length).map(|(few, _)| Composed::Few(few));
        }
        for (block, count) in few.into_iter() {
            dense.push((self.of_few(&block, count)?, count));
        }
        let step = |(measure, count): &(M, u64)| (Reverse(measure.step()), *count);
        let mut dense = Queue::new(dense, step);
        while dense.len() > 1 {
            let ((a, a_count), (b, b_count)) = dense.pop(step).zip(dense.pop(step))?;
            let count = a_count.saturating_add(b_count);
            dense.joint.push_back((self.join(a, b, count)?, count));
        }
        dense.pop(step).map(|(measure, _)| Composed::Grid(measure))
    }

    /// Each of all/count such distributions may lose 2^-cut·count/all of itself, so that all of them lose about 2^-cut.
    fn cut(&self, count: u64) -> u32 {
        self.cut + (u64::BITS - (self.all / count.max(1)).leading_zeros())
    }

    fn limits(&self) -> Limits {
        Limits { sums: self.effort.sums, grid: self.effort.composed / 2 }
    }

    /// `copies` copies of few losses, each of `size` already: as they are while they are few, and on a grid beyond.
    fn add_few<M: Measure>(&self, blocks: &mut Blocks<M>, one: Sparse, size: u64, copies: u64) -> Option<()> {
        let (mut square, mut size, mut rest) = (one, size, copies);
        loop {
            if rest & 1 == 1 {
                blocks.few.push((square.clone(), size));
            }
            rest >>= 1;
            if rest == 0 {
                return Some(());
            }
            match square.compose(&square, self.theta, self.limits(), self.cut(size.saturating_mul(2))) {
                Some(double) => (square, size) = (double, size.saturating_mul(2)),
                None => {
                    // Two times the rest, of blocks that can be doubled no more as they are.
                    let measure = self.power(self.of_few(&square, size)?, rest * 2, size)?;
                    blocks.dense.push((measure, (rest * 2).saturating_mul(size)));
                    return Some(());
                }
            }
        }
    }

    fn of_few<M: Measure>(&self, block: &Sparse, size: u64) -> Option<M> {
        M::of_few(block, self.theta, self.effort.composed / 2, self.cut(size))
    }

    fn add<M: Measure>(&self, total: &mut Option<(M, u64)>, measure: M, size: u64) -> Option<()> {
        *total = Some(match total.take() {
            None => (measure, size),
            Some((other, count)) => {
                (self.join(other, measure, count.saturating_add(size))?, count.saturating_add(size))
            }
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
            size = size.saturating_mul(2);
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
