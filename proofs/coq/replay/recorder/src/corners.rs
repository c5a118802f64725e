//! Corners of the prepared samplers: slices, at once by `fill`; both zeros; every width of a place that
//! ships; magnitudes past 2^64; and refinements to the fourth look.

use std::io::Write;

use certus::{
    bits::{Bits, Replay, Tape, seeded},
    exact::{BigUint, Integer, Positive, Rational},
    sample::{PreparedGaussian, PreparedLaplace, Program},
};

use crate::{
    Outcome, Recording,
    fast::{digits, random},
    floors::{Decay, enclosed, floors},
    over,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What both prepared samplers do.
trait Prepared: Program<Output = Integer> {
    fn fills(&self, bits: &mut Replay, out: &mut [Integer]) -> Outcome;
}

impl Prepared for PreparedLaplace {
    fn fills(&self, bits: &mut Replay, out: &mut [Integer]) -> Outcome {
        Ok(self.fill(bits, out)?)
    }
}

impl Prepared for PreparedGaussian {
    fn fills(&self, bits: &mut Replay, out: &mut [Integer]) -> Outcome {
        Ok(self.fill(bits, out)?)
    }
}

/// The bits of a slot: those of its first word, and of its second part.
type Slot = (Vec<bool>, Vec<bool>);

/// The bits of a wide trial, as `prepared::layout` has them.
#[derive(Clone, Copy)]
struct Layout {
    prefix: u32,
    squeeze: u32,
    /// Of the place, in the first word and in the second.
    high: u32,
    low: u32,
}

impl Layout {
    fn new(offset: u32) -> Self {
        let low = if offset <= 36 { 0 } else { 15 };
        let both = if low == 0 { 64 } else { 80 } - offset - 1;
        let squeeze = both.saturating_sub(30).max(8);
        Self { prefix: both - squeeze, squeeze, high: offset - low, low }
    }

    fn offset(self) -> u32 {
        self.high + self.low
    }

    /// V is 0, which is accepted at once.
    fn slot(self, prefix: &BigUint, place: &BigUint, negative: bool) -> Slot {
        let place = digits(place, self.offset());
        let (high, low) = place.split_at(usize::try_from(self.high).unwrap_or(0));
        let mut first = digits(prefix, self.prefix);
        first.extend(digits(&BigUint::ZERO, self.squeeze));
        first.extend(high);
        let mut second = low.to_vec();
        second.push(negative);
        if self.low == 0 {
            first.extend(second.drain(..));
        }
        (first, second)
    }

    /// A trial of its own: the second word has more bits, which are not read.
    fn trial(self, (first, second): Slot) -> Vec<bool> {
        let mut bits = first;
        if self.low > 0 {
            bits.extend(second);
            bits.extend((0..48).map(|place| place % 3 == 0));
        }
        bits
    }
}

impl<W: Write> Recording<W> {
    /// A slice of `count` samples on a tape that begins with these bits and goes on at random.
    fn slice(
        &mut self,
        name: &str,
        sampler: &impl Prepared,
        mut bits: Vec<bool>,
        count: usize,
        source: &mut impl Bits,
    ) -> Outcome {
        bits.extend(random(source, u32::try_from(count)? * 200 + 2000)?);
        let mut tape = Replay::new(bits.iter().copied().collect::<Tape>());
        let mut out = vec![Integer::ZERO; count];
        sampler.fills(&mut tape, &mut out)?;
        let used: Tape = bits.iter().take(tape.position()).copied().collect();
        let out: Vec<_> = out.iter().map(ToString::to_string).collect();
        writeln!(self.to, "bulk {name} : {used} : {}", out.join(" "))?;
        Ok(())
    }

    fn table_slices(&mut self, decay: Decay<'_>, sampler: &impl Prepared) -> Outcome {
        let (width, precision) = (63, 63 + 128);
        let floors = floors(decay, &BigUint::from(1u32), true, precision, usize::MAX)?;
        let list = self.floors((decay, 0, true), precision, width, &floors)?;
        let name = format!("table {list} 64");
        let mut source = seeded([self.lists.to_le_bytes()[0]; 32]);
        // A slot in doubt among others, of either sign; the words that decide come after the batch.
        for count in [3, 64, 66] {
            let mut bits = Vec::new();
            for slot in 0..count {
                let floor = &floors[slot % floors.len().min(5)] >> (precision - width);
                let negative = random(&mut source, 1)?;
                match slot % 3 {
                    1 => bits.extend(digits(&floor, width).into_iter().chain(negative)),
                    2 if slot < 9 => bits.extend(digits(&BigUint::ZERO, width).into_iter().chain([slot < 5])),
                    _ => bits.extend(random(&mut source, 64)?),
                }
            }
            self.slice(&name, sampler, bits, count, &mut source)?;
        }
        for count in [1, 2, 5, 130] {
            self.slice(&name, sampler, Vec::new(), count, &mut source)?;
        }
        Ok(())
    }

    /// Both zeros, the first and the last place of near buckets, and refinements; `far`: a bucket past 2^64,
    /// if there is one.
    fn places(&mut self, decay: Decay<'_>, sampler: &impl Prepared, offset: u32, looks: u32, far: usize) -> Outcome {
        let layout = Layout::new(offset);
        // One look more than the tapes begin with, which decides them.
        let precision = layout.prefix + if looks == 0 { 0 } else { 64 * (looks + 1) };
        let width = BigUint::from(1u32) << offset;
        let floors = floors(decay, &width, false, precision, far.max(10) + 2)?;
        let list = self.floors((decay, offset, false), precision, layout.prefix, &floors)?;
        // The Rust's squeeze is of buckets whose magnitudes are below 2^63.
        let reach = (floors.len() + 1).min(1 << (63 - offset));
        let unused = if layout.low == 0 { 0 } else { 48 };
        let Layout { squeeze, high, low, .. } = layout;
        let name = format!("buckets {} {list} {reach} {squeeze} {high} {low} {unused} 64", decay.written());
        let mut source = seeded([self.lists.to_le_bytes()[0]; 32]);
        // The first number inside a bucket.
        let inside = |bucket: usize, looks: u32| match bucket {
            0 => BigUint::ZERO,
            bucket => (&floors[bucket - 1] >> (precision - layout.prefix - 64 * looks)) + 1u32,
        };
        let (zero, last) = (BigUint::ZERO, &width - 1u32);
        let slots = [
            layout.slot(&zero, &zero, false),
            layout.slot(&zero, &zero, true),
            layout.slot(&zero, &BigUint::from(1u32), true),
            layout.slot(&inside(2, 0), &zero, true),
            layout.slot(&inside(3, 0), &last, false),
            layout.slot(&inside(1, 0), &(&width / 3u32), true),
        ];
        // A negative zero is followed by the next trial.
        for slot in &slots {
            let mut bits = layout.trial(slot.clone());
            bits.extend(layout.trial(slots[4].clone()));
            self.from_prefix(&name, sampler, bits, &mut source)?;
        }
        // A slice of six: four of the second parts are of one word, and the others of the next.
        let mut bits: Vec<bool> = slots.iter().flat_map(|slot| slot.0.clone()).collect();
        if layout.low > 0 {
            bits.extend(slots.iter().flat_map(|slot| slot.1.clone()));
            bits.extend(random(&mut source, 32)?);
        }
        // What the negative zero draws in its stead.
        bits.extend(layout.trial(slots[5].clone()));
        self.slice(&name, sampler, bits, slots.len(), &mut source)?;
        // Where thresholds lie, to the last look but one, and what then decides.
        for look in 1..=looks {
            for (bucket, add) in [(0, 0u32), (1, 1)] {
                let number = (&floors[bucket] >> (precision - layout.prefix - 64 * look)) + add;
                let mut bits = layout.trial(layout.slot(&(&number >> (64 * look)), &last, look == 1));
                bits.extend(digits(&(&number & ((BigUint::from(1u32) << (64 * look)) - 1u32)), 64 * look));
                self.from_prefix(&name, sampler, bits, &mut source)?;
            }
        }
        if far > 0 {
            for (bucket, place, negative) in
                [(far, &last, false), (far, &zero, true), (far - 1, &(&width / 7u32), true)]
            {
                let number = inside(bucket, 1);
                let slot = layout.slot(&(&number >> 64u32), place, negative);
                let mut bits = layout.trial(slot.clone());
                bits.extend(digits(&(&number & BigUint::from(u64::MAX)), 64));
                self.from_prefix(&name, sampler, bits, &mut source)?;
                // The same as one slot of a slice of one, whose second word has three parts that go unused.
                let (mut bits, second) = slot;
                bits.extend(second);
                bits.extend(random(&mut source, 48)?);
                bits.extend(digits(&(&number & BigUint::from(u64::MAX)), 64));
                self.slice(&name, sampler, bits, 1, &mut source)?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Recording<W> {
    /// x = 2^-33, of which the bounds on words are as tight as they get: e^-x is 2^-67 above the least of
    /// them, and V is below it, but not by a word's unit.
    fn beside_one(&mut self) -> Outcome {
        let scale = Positive::new(Rational::from_integer((BigUint::from(1u32) << 33u32).into()))?;
        let (decay, sampler, layout) = (Decay::Laplace(&scale), PreparedLaplace::new(&scale), Layout::new(26));
        let floors = floors(decay, &(BigUint::from(1u32) << 26u32), false, layout.prefix, 8)?;
        let list = self.floors((decay, 26, false), layout.prefix, layout.prefix, &floors)?;
        let Layout { squeeze, high, .. } = layout;
        let name = format!("buckets {} {list} {} {squeeze} {high} 0 0 64", decay.written(), floors.len() + 1);
        let mut source = seeded([self.lists.to_le_bytes()[0]; 32]);
        let (accept, _) = enclosed(decay.exponent(&BigUint::from(1u32)), squeeze + 64)?;
        for below in [4u32, 8, 16, 24] {
            let v = digits(&(&accept - below), squeeze + 64);
            let (first, rest) = v.split_at(usize::try_from(squeeze)?);
            let mut bits = digits(&BigUint::ZERO, layout.prefix);
            bits.extend(first);
            bits.extend(digits(&BigUint::from(1u32), 26));
            bits.push(below == 8);
            bits.extend(rest);
            // Rejected, it would draw another trial, of other bits.
            self.from_prefix(&name, &sampler, bits, &mut source)?;
        }
        Ok(())
    }
}

pub fn record<W: Write>(to: &mut Recording<W>) -> Outcome {
    let positive = |value: Rational| -> Result<Positive> { Ok(Positive::new(value)?) };
    let whole = |number: BigUint| Rational::from_integer(number.into());
    for (n, d) in [(5, 2), (12, 1)] {
        let scale = positive(over(n, d))?;
        to.table_slices(Decay::Laplace(&scale), &PreparedLaplace::new(&scale))?;
    }
    to.beside_one()?;
    let variance = positive(over(7, 3))?;
    to.table_slices(Decay::Gaussian(&variance), &PreparedGaussian::with_variance(&variance))?;
    for offset in 3..=55 {
        // 128 buckets a scale; at the widest, bucket 512 begins at 2^64.
        let power = BigUint::from(1u32) << (offset + 7);
        let far = if offset == 55 { 513 } else { 0 };
        let scale = positive(whole(&power + 1u32))?;
        to.places(Decay::Laplace(&scale), &PreparedLaplace::new(&scale), offset, 3, far)?;
        let variance = positive(whole(&power * &power + 1u32))?;
        let looks = u32::from(far > 0);
        to.places(Decay::Gaussian(&variance), &PreparedGaussian::with_variance(&variance), offset, looks, far)?;
    }
    Ok(())
}
