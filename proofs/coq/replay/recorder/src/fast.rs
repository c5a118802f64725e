//! The fast samplers: tables, buckets and the response by ε, on random tapes and on tapes made to be ambiguous.

use std::io::Write;

use certus::{
    bits::{Bits, Replay, Tape, seeded},
    exact::{BigUint, Enclosure, Integer, NonNegative, Positive, Rational, exp_neg},
    mechanism::{Private, RandomizedResponse},
    sample::{PreparedGaussian, PreparedLaplace, Program},
};

use crate::{
    Outcome, Recording, Task, Written,
    floors::{Decay, enclosed, floors, shipped},
    fraction, over,
};

/// The `length` bits of a number, the first the most significant.
pub fn digits(number: &BigUint, length: u32) -> Vec<bool> {
    (0..u64::from(length)).rev().map(|place| number.bit(place)).collect()
}

/// So many random bits.
pub fn random(source: &mut impl Bits, length: u32) -> Result<Vec<bool>, Box<dyn std::error::Error>> {
    (0..length).map(|_| Ok(source.take(1)? == 1)).collect()
}

impl<W: Write> Recording<W> {
    /// One run on a tape that begins with these bits and goes on at random.
    pub fn from_prefix<P: Program<Output: Written>>(
        &mut self,
        name: &str,
        sampler: &P,
        mut bits: Vec<bool>,
        source: &mut impl Bits,
    ) -> Outcome {
        bits.extend(random(source, 2000)?);
        let mut tape = Replay::new(bits.iter().copied().collect::<Tape>());
        let output = sampler.sample(&mut tape)?;
        let used: Tape = bits.iter().take(tape.position()).copied().collect();
        writeln!(self.to, "tape {name} : {used} : {}", output.written())?;
        Ok(())
    }

    /// The floors of a distribution at `precision` bits, of which the first look is `width`, by their number;
    /// and what they are floors of, which Coq checks: cells of 2^`offset` places, of both signs if `folded`.
    pub fn floors(
        &mut self,
        (decay, offset, folded): (Decay<'_>, u32, bool),
        precision: u32,
        width: u32,
        floors: &[BigUint],
    ) -> Result<u64, Box<dyn std::error::Error>> {
        let list = self.list(precision, width, floors)?;
        writeln!(self.to, "cells {list} {} {offset} {}", decay.written(), u8::from(folded))?;
        Ok(list)
    }

    /// A list of floors, by its number; what it is of is said after it.
    pub fn list(&mut self, precision: u32, width: u32, floors: &[BigUint]) -> Result<u64, Box<dyn std::error::Error>> {
        self.lists += 1;
        write!(self.to, "floors {} {precision} {width} :", self.lists)?;
        for floor in floors {
            write!(self.to, " {floor:x}")?;
        }
        writeln!(self.to)?;
        Ok(self.lists)
    }

    /// A table: words at random, words equal to a threshold, and those that go on as the threshold does for another word; and all ones, which is the open last cell.
    pub fn table(&mut self, decay: Decay<'_>, sampler: &impl Program<Output = Integer>, looks: u32) -> Outcome {
        const WIDTH: u32 = 63;
        let precision = WIDTH + 64 * looks;
        let floors = floors(decay, &BigUint::from(1u32), true, precision, usize::MAX)?;
        let list = self.floors((decay, 0, true), precision, WIDTH, &floors)?;
        let name = format!("table {list} 64");
        let mut source = seeded([self.lists.to_le_bytes()[0]; 32]);
        for _ in 0..100 {
            self.from_prefix(&name, sampler, Vec::new(), &mut source)?;
        }
        let step = floors.len() / 12 + 1;
        for floor in floors.iter().step_by(step).chain(floors.last()) {
            for look in 0..looks {
                for add in [-1i8, 0, 1] {
                    let length = WIDTH + 64 * look;
                    let mut number = floor >> (precision - length);
                    match add {
                        1 => number += 1u32,
                        -1 if number > BigUint::ZERO => number -= 1u32,
                        _ => {}
                    }
                    let mut bits = digits(&number, length);
                    // The sign is after the first look.
                    bits.splice(63..63, random(&mut source, 1)?);
                    self.from_prefix(&name, sampler, bits, &mut source)?;
                }
            }
        }
        for ones in [63, 64 + 63, 64 + 64].into_iter().take(usize::try_from(looks)?) {
            self.from_prefix(&name, sampler, vec![true; ones], &mut source)?;
        }
        Ok(())
    }

    /// Buckets of 2^`offset` places: random words; buckets' prefixes equal to a threshold, to `looks` − 1 words more; the open last cell; and V beside e^-x.
    pub fn buckets(
        &mut self,
        decay: Decay<'_>,
        sampler: &impl Program<Output = Integer>,
        offset: u32,
        looks: u32,
        most: usize,
    ) -> Outcome {
        // As `prepared::layout` has it: one word, or a second for 16 bits of the place and the sign.
        let whole = if offset <= 36 { 64 } else { 80 };
        let both = whole - offset - 1;
        let squeeze = both.saturating_sub(30).max(8);
        let prefix = both - squeeze;
        let (low, unused) = if whole == 64 { (0, 0) } else { (15, 48) };
        let high = offset - low;
        let more = 64 * looks;
        let precision = prefix + more;
        let width = BigUint::from(1u32) << offset;
        let floors = floors(decay, &width, false, precision, most)?;
        let ones = (BigUint::from(1u32) << prefix) - 1u32;
        let reach = floors.iter().take_while(|&floor| floor >> more < ones).count() + 1;
        let list = self.floors((decay, offset, false), precision, prefix, &floors)?;
        let name = format!("buckets {} {list} {reach} {squeeze} {high} {low} {unused} 64", decay.written());
        let mut source = seeded([self.lists.to_le_bytes()[0]; 32]);
        for _ in 0..80 {
            self.from_prefix(&name, sampler, Vec::new(), &mut source)?;
        }
        // The bucket's real goes on with the threshold, after the rest of the first words. The last that a first look can equal, if there are as many, is
        // the open last cell, where all ones go on at random.
        for floor in floors.iter().take(reach.min(700)).step_by(reach.min(700) / 8 + 1).chain(floors.get(reach - 1)) {
            for look in 0..looks {
                for add in [false, true] {
                    let digits = digits(&((floor >> (more - 64 * look)) + u32::from(add)), prefix + 64 * look);
                    let (first, second) = digits.split_at(usize::try_from(prefix)?);
                    let mut bits = first.to_vec();
                    bits.extend(random(&mut source, whole + unused - prefix)?);
                    bits.extend(second);
                    self.from_prefix(&name, sampler, bits, &mut source)?;
                }
            }
        }
        // Places that are near a bound as the Rust encloses it are looked for among so many.
        let tries = 4000;
        for place in 0..25u32 {
            // A bucket's prefix from inside it, and a place in it.
            let bucket = usize::try_from(place)? * reach.min(1000) / 50;
            let before = if bucket == 0 { BigUint::ZERO } else { (&floors[bucket - 1] >> more) + 1u32 };
            if floors[bucket].clone() >> more <= before {
                continue;
            }
            let edge = &width * bucket;
            let mut offset_bits = random(&mut source, offset)?;
            let exponent = |bits: &[bool]| {
                let at = bits.iter().fold(BigUint::ZERO, |sum, &bit| sum * 2u32 + u32::from(bit));
                let k = &edge + at;
                (decay.exponent(&k) - decay.exponent(&edge), k)
            };
            // One place where e^-x is so little below a multiple of 2^-(squeeze + 64) that the Rust's bound is not below it.
            for _ in 0..if place == 1 { tries } else { 0 } {
                let (_, upper) = shipped(exponent(&offset_bits).0, squeeze + 64)?;
                let (_, tighter) = enclosed(exponent(&offset_bits).0, squeeze + 64 + 32)?;
                if tighter >> 32u32 < upper - 1u32 {
                    break;
                }
                offset_bits = random(&mut source, offset)?;
            }
            let (x, k) = exponent(&offset_bits);
            // The second word of V, or a third as well.
            for (words, add) in [(1, 0u64), (1, 1), (2, 0), (2, 1)].into_iter().take(if place < 4 { 4 } else { 2 }) {
                let length = squeeze + 64 * words;
                let (accept, _) = enclosed(x.clone(), length)?;
                let v = digits(&((&accept + add).min((BigUint::from(1u32) << length) - 1u32)), length);
                let (first, rest) = v.split_at(usize::try_from(squeeze)?);
                let mut bits = digits(&before, prefix);
                bits.extend(first);
                bits.extend(&offset_bits);
                bits.extend(random(&mut source, 1 + unused)?);
                bits.extend(rest);
                let mut name = name.clone();
                for words in 1..=words {
                    let length = squeeze + 64 * words;
                    let (lower, upper) = shipped(x.clone(), length)?;
                    name += &format!(" {k} {length} {lower} {upper}");
                }
                self.from_prefix(&name, sampler, bits, &mut source)?;
            }
        }
        Ok(())
    }

    /// A response by ε: the enclosures of p that its coin compares with, at each length.
    pub fn response_by_epsilon(&mut self, task: Task, epsilon: &Rational, answers: u64, truth: i64) -> Outcome {
        let epsilon = NonNegative::new(epsilon.clone())?;
        self.lists += 1;
        write!(self.to, "bounds {} :", self.lists)?;
        for length in 0..90u32 {
            let working = length + 8 + 64;
            let one = Enclosure::from_integer(1, working);
            let lies = Enclosure::from_integer(answers - 1, 0).mul(&exp_neg(&epsilon, working));
            let p = one.div(&one.add(&lies)).ok_or("no enclosure")?;
            let unit = Rational::from_integer((BigUint::from(1u32) << length).into());
            write!(self.to, " {},{}", (p.lower() * &unit).floor().numer(), (p.upper() * &unit).ceil().numer())?;
        }
        writeln!(self.to)?;
        // Coq checks that these enclose p.
        let exponent = fraction(epsilon.numerator(), epsilon.denominator());
        writeln!(self.to, "coin {} {exponent} {answers}", self.lists)?;
        let parameters = format!("{} {answers} {truth}", self.lists);
        let response = RandomizedResponse::by_epsilon(epsilon, answers);
        self.record(task, "response_by_epsilon", &parameters, &response.on(&Integer::from(truth))?)
    }
}

fn positive(value: Rational) -> Result<Positive, Box<dyn std::error::Error>> {
    Ok(Positive::new(value)?)
}

pub fn record<W: Write>(to: &mut Recording<W>) -> Outcome {
    for (n, d, answers, truth) in [(0, 1, 2, 1), (1, 1, 2, 0), (1, 2, 3, 1), (7, 3, 5, 4)] {
        to.response_by_epsilon(Task::Tree, &over(n, d), answers, truth)?;
    }
    for (n, d, answers, truth) in
        [(1, 1, 2, 0), (355, 113, 10, 9), (1, 1000, 3, 2), (20, 1, 1000, 0), (1, 7, i64::MAX.unsigned_abs(), 1 << 62)]
    {
        to.response_by_epsilon(Task::Tapes(60), &over(n, d), answers, truth)?;
    }
    for (n, d, looks) in [(1, 3, 2), (1, 1, 2), (5, 2, 2), (355, 113, 3), (12, 1, 2)] {
        let scale = positive(over(n, d))?;
        to.table(Decay::Laplace(&scale), &PreparedLaplace::new(&scale), looks)?;
    }
    for (n, d) in [(1, 9), (1, 1), (7, 3), (100, 1), (900_001, 1000)] {
        let variance = positive(over(n, d))?;
        to.table(Decay::Gaussian(&variance), &PreparedGaussian::with_variance(&variance), 2)?;
    }
    // σ² of about 2^21 to 2^102, and scales: at least 128 buckets a scale.
    let two_to = |power: u32| Rational::from_integer((BigUint::from(1u32) << power).into());
    for (variance, offset, looks) in [(over(4_200_001, 1), 4, 3), (two_to(80), 33, 2), (two_to(88) + over(2, 7), 37, 2)]
    {
        let variance = positive(variance)?;
        to.buckets(Decay::Gaussian(&variance), &PreparedGaussian::with_variance(&variance), offset, looks, 2200)?;
    }
    // The open last cell is the 2661st; the second has fewer.
    for (scale, offset, most) in [(two_to(30) + over(1, 3), 23, 3500), (two_to(45), 38, 1500)] {
        let scale = positive(scale)?;
        to.buckets(Decay::Laplace(&scale), &PreparedLaplace::new(&scale), offset, 2, most)?;
    }
    Ok(())
}
