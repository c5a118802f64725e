//! The fixed-work samplers: random words, words beside every kind of edge, and slices. `fill` discloses to
//! its source which trials are ambiguous, before it branches on it: that is recorded too, and it finds the
//! first and the last word in doubt.

use std::io::Write;

use certus::{
    bits::{Bits, BitsError, seeded},
    exact::{BigUint, Positive, Rational},
    sample::fixed::{FixedGaussian, FixedLaplace, Mode},
};

use crate::{
    Outcome, Recording,
    floors::{Decay, enclosed, floors},
    fraction, over,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Words, and what was disclosed: which trials of each batch were ambiguous.
struct Watched {
    words: Vec<u64>,
    position: usize,
    masks: Vec<u64>,
}

impl Bits for Watched {
    fn take(&mut self, count: u32) -> std::result::Result<u64, BitsError> {
        if count != 64 {
            return Err(BitsError::TooManyAtOnce);
        }
        let word = self.words.get(self.position).ok_or(BitsError::TapeEnded)?;
        self.position += 1;
        Ok(*word)
    }

    fn disclose(&mut self, found: &mut [u64]) {
        self.masks.extend(found.get(1));
    }
}

/// A sampler that fills slices.
trait Fills {
    fn fills(&self, bits: &mut Watched, out: &mut [i64]) -> std::result::Result<(), BitsError>;
}

impl Fills for FixedGaussian {
    fn fills(&self, bits: &mut Watched, out: &mut [i64]) -> std::result::Result<(), BitsError> {
        self.fill(bits, out)
    }
}

impl Fills for FixedLaplace {
    fn fills(&self, bits: &mut Watched, out: &mut [i64]) -> std::result::Result<(), BitsError> {
        self.fill(bits, out)
    }
}

/// How a construction draws: the digits of its tables' numbers, and of a place.
struct Drawn {
    mode: Mode,
    second: bool,
    /// log₂ of the places; 0 if none is drawn.
    places: u32,
}

impl Drawn {
    fn bits(&self) -> u32 {
        if self.mode == Mode::Wide { 128 } else { 64 }
    }

    fn push(&self, words: &mut Vec<u64>, number: &BigUint) {
        for index in (0..self.bits() / 64).rev() {
            words.push(low_word(&(number >> (64 * index))));
        }
    }

    /// The words of a trial: the tables' numbers with the sign, the place, and V.
    fn trial(&self, [first, second]: [&BigUint; 2], negative: u32, place: u64, accept: &BigUint) -> Vec<u64> {
        let mut words = Vec::new();
        self.push(&mut words, &((first << 1u32) + negative));
        if self.second {
            self.push(&mut words, &((second << 1u32) + 1u32));
        }
        if self.places > 0 {
            // What is below the place is not read.
            words.push(place << (64 - self.places) | 0x00a5_a5a5_a5a5_a5a5 >> self.places);
            self.push(&mut words, accept);
        }
        words
    }
}

/// The last 64 bits.
fn low_word(number: &BigUint) -> u64 {
    number.iter_u64_digits().next().unwrap_or(0)
}

/// The name of a mode in Coq.
fn written(mode: Mode) -> &'static str {
    if mode == Mode::Wide { "Wide" } else { "Standard" }
}

struct Runs<'r, W, S> {
    to: &'r mut Recording<W>,
    sampler: &'r S,
    name: String,
    drawn: Drawn,
    source: Box<dyn Bits>,
}

impl<W: Write, S: Fills> Runs<'_, W, S> {
    fn random(&mut self) -> Result<u64> {
        Ok(self.source.take(64)?)
    }

    /// A run of `count` samples on words that begin with these and go on at random.
    fn run(&mut self, mut words: Vec<u64>, count: usize) -> Result<(Watched, Vec<i64>)> {
        for _ in 0..20 * (count + 4) {
            words.push(self.random()?);
        }
        let mut bits = Watched { words, position: 0, masks: Vec::new() };
        let mut out = vec![0; count];
        self.sampler.fills(&mut bits, &mut out)?;
        Ok((bits, out))
    }

    fn record(&mut self, words: Vec<u64>, count: usize) -> Outcome {
        fn list<T: ToString>(numbers: &[T]) -> String {
            numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        let (bits, out) = self.run(words, count)?;
        let used: String = bits.words.iter().take(bits.position).map(|word| format!("{word:064b}")).collect();
        let kind = if count == 1 { "fixed" } else { "filled" };
        writeln!(self.to.to, "{kind} {} : {used} : {} : {}", self.name, list(&out), list(&bits.masks))?;
        Ok(())
    }

    /// The rest of a trial at random: V, or a place and V, of which the first bit is 0 so that it is likely
    /// to accept.
    fn with_tables(&mut self, tables: [&BigUint; 2], negative: u32) -> Result<Vec<u64>> {
        let place = if self.drawn.places == 0 { 0 } else { self.random()? >> (64 - self.drawn.places) };
        let accept = BigUint::from(self.random()? >> 1) << (self.drawn.bits() - 64);
        Ok(self.drawn.trial(tables, negative, place, &accept))
    }

    /// Tables' numbers that equal a threshold, or are beside it; and those whose next one or two words do,
    /// too.
    fn thresholds(&mut self, floors: &[BigUint], index: usize, precision: u32) -> Outcome {
        let digits = self.drawn.bits() - 1;
        let zero = BigUint::ZERO;
        let steps = floors.len() / 4 + 1;
        for floor in floors.iter().step_by(steps) {
            for look in 0..(precision - digits) / 64 {
                for add in [-1i8, 0, 1] {
                    let mut number = floor >> (precision - digits - 64 * look);
                    match add {
                        1 => number += 1u32,
                        -1 if number > zero => number -= 1u32,
                        _ => {}
                    }
                    let u = &number >> (64 * look);
                    if u.bits() > digits.into() {
                        continue;
                    }
                    let tables = if index == 0 { [&u, &zero] } else { [&zero, &u] };
                    let negative = u32::try_from(self.random()? & 1)?;
                    let mut words = self.with_tables(tables, negative)?;
                    for place in (0..look).rev() {
                        words.push(low_word(&(&number >> (64 * place))));
                    }
                    self.record(words, 1)?;
                }
            }
        }
        Ok(())
    }

    /// Past the last threshold; and zero, of either sign.
    fn ends(&mut self) -> Outcome {
        let ones = (BigUint::from(1u32) << (self.drawn.bits() - 1)) - 1u32;
        let zero = BigUint::ZERO;
        for tables in [[&ones, &zero], [&zero, &ones], [&(&ones - 3u32), &zero]] {
            let words = self.with_tables(tables, 0)?;
            self.record(words, 1)?;
        }
        for negative in [0, 1] {
            self.record(self.drawn.trial([&zero, &zero], negative, 0, &zero), 1)?;
        }
        Ok(())
    }

    /// V at the first and the last word in doubt of a place, and beside both; and V as e^-x begins, with its
    /// next word, or one off.
    fn window(&mut self, tables: [&BigUint; 2], place: u64, x: Rational) -> Outcome {
        let bits = self.drawn.bits();
        let (exact, _) = enclosed(x, bits + 64)?;
        let (near, more) = (&exact >> 64u32, low_word(&exact));
        let all = BigUint::from(1u32) << bits;
        for word in [more.saturating_sub(1), more, more.saturating_add(1)] {
            let mut words = self.drawn.trial(tables, 0, place, &near);
            words.push(word);
            self.record(words, 1)?;
        }
        let mut is_doubtful = |v: &BigUint| -> Result<bool> {
            let words = self.drawn.trial(tables, 0, place, v);
            let (bits, _) = self.run(words, 1)?;
            Ok(bits.masks.first() == Some(&1))
        };
        // Between a word that is in doubt and one that is not.
        let mut edge = |mut doubtful: BigUint, mut sure: BigUint| -> Result<BigUint> {
            while (&doubtful).max(&sure) - (&doubtful).min(&sure) > BigUint::from(1u32) {
                let middle = (&doubtful + &sure) >> 1u32;
                if is_doubtful(&middle)? { doubtful = middle } else { sure = middle }
            }
            Ok(doubtful)
        };
        let far = BigUint::from(1u32) << 40u32;
        let mut edges = Vec::new();
        if near > far {
            let first = edge(near.clone(), &near - &far)?;
            edges.extend([&first - 1u32, first]);
        }
        if &near + &far < all {
            let last = edge(near.clone(), &near + &far)?;
            edges.extend([last.clone(), last + 1u32]);
        }
        for v in edges {
            self.record(self.drawn.trial(tables, 0, place, &v), 1)?;
        }
        Ok(())
    }

    fn all(&mut self, lists: &[&[BigUint]], precision: u32, exponent: impl Fn(u64, u64) -> Rational) -> Outcome {
        for _ in 0..15 {
            self.record(Vec::new(), 1)?;
        }
        self.ends()?;
        for (index, floors) in lists.iter().enumerate() {
            self.thresholds(floors, index, precision)?;
        }
        let digits = self.drawn.bits() - 1;
        let zero = BigUint::ZERO;
        // The number that a table settles on this index.
        let at = |floors: &[BigUint], index: usize| match index {
            0 => BigUint::ZERO,
            index => (&floors[index - 1] >> (precision - digits)) + 1u32,
        };
        if self.drawn.places > 0 {
            let last = (1u64 << self.drawn.places) - 1;
            for bucket in [0, 3, 6] {
                let u = at(lists[0], bucket);
                for place in [1, last - last / 3] {
                    self.window([&u, &zero], place, exponent(u64::try_from(bucket)?, place))?;
                }
            }
        }
        // Slices: of a few samples, of more than one batch; and with an ambiguous trial among others.
        for count in [2, 3, 33] {
            self.record(Vec::new(), count)?;
        }
        let u = &lists[0][0] >> (precision - digits);
        let mut words = self.with_tables([&zero, &zero], 0)?;
        words.extend(self.with_tables([&u, &zero], 1)?);
        words.extend(self.with_tables([&u, &zero], 0)?);
        self.record(words, 3)
    }
}

/// ⌊(1 − Q^(j+1))/(1 − Q^8)·2^precision⌋ for Q = e^(-w/s), j below 7; and 2^precision.
fn last_digit(scale: &Positive, places: u32, precision: u32) -> Result<Vec<BigUint>> {
    let working = precision + 64;
    let one = BigUint::from(1u32) << working;
    let power =
        |count: u64| enclosed(Rational::from_integer((BigUint::from(count) << places).into()) / scale.get(), working);
    let whole = power(8)?;
    let mut floors = Vec::new();
    for j in 1..8 {
        let power = power(j)?;
        let floor = ((&one - power.1) << precision) / (&one - &whole.0);
        if floor != ((&one - power.0) << precision) / (&one - &whole.1) {
            return Err("the floor of a digit is not determined".into());
        }
        floors.push(floor);
    }
    floors.push(BigUint::from(1u32) << precision);
    Ok(floors)
}

impl<W: Write> Recording<W> {
    /// The floors of a table, as `floors`: no acceptance asks its x to be at most 1.
    fn cells(
        &mut self,
        (decay, offset, folded): (Decay<'_>, u32, bool),
        precision: u32,
        width: u32,
        floors: &[BigUint],
    ) -> Result<u64> {
        let list = self.list(precision, width, floors)?;
        writeln!(self.to, "fixed_cells {list} {} {offset} {}", decay.written(), u8::from(folded))?;
        Ok(list)
    }

    fn fixed_gaussian(&mut self, variance: Rational, mode: Mode) -> Outcome {
        let variance = Positive::new(variance)?;
        let root = (variance.numerator() / variance.denominator()).sqrt();
        let places = u32::try_from(root.bits())?.saturating_sub(2);
        let sampler = FixedGaussian::with_variance(&variance, mode)?;
        let drawn = Drawn { mode, second: false, places };
        let digits = drawn.bits() - 1;
        let precision = digits + 192;
        let width = BigUint::from(1u32) << places;
        let decay = Decay::Gaussian(&variance);
        let floors = floors(decay, &width, places == 0, precision, usize::MAX)?;
        let list = self.cells((decay, places, places == 0), precision, digits, &floors)?;
        let parameters = fraction(variance.numerator(), variance.denominator());
        let name = match places {
            0 => format!("direct {} {list}", written(mode)),
            places => format!("gaussian {} {parameters} {places} {list}", written(mode)),
        };
        let source = Box::new(seeded([self.lists.to_le_bytes()[0]; 32]));
        let exponent = |bucket: u64, place: u64| {
            let edge = &width * bucket;
            decay.exponent(&(&edge + place)) - decay.exponent(&edge)
        };
        Runs { to: self, sampler: &sampler, name, drawn, source }.all(&[&floors], precision, exponent)
    }

    fn fixed_laplace(&mut self, scale: Rational, mode: Mode) -> Outcome {
        let scale = Positive::new(scale)?;
        let places = u32::try_from((scale.numerator() / scale.denominator()).bits())?.saturating_sub(2);
        let tail = if mode == Mode::Wide { 104 } else { 57 };
        let second = places > 0 || scale.get().clone() * Rational::from_integer(tail.into()) > over(57, 1);
        let sampler = FixedLaplace::new(&scale, mode)?;
        let drawn = Drawn { mode, second, places };
        let digits = drawn.bits() - 1;
        let precision = digits + 192;
        let decay = Decay::Laplace(&scale);
        let parameters = fraction(scale.numerator(), scale.denominator());
        let exponent = |_: u64, place: u64| decay.exponent(&BigUint::from(place));
        if !second {
            let floors = floors(decay, &BigUint::from(1u32), true, precision, usize::MAX)?;
            let list = self.cells((decay, 0, true), precision, digits, &floors)?;
            let name = format!("direct {} {list}", written(mode));
            let source = Box::new(seeded([self.lists.to_le_bytes()[0]; 32]));
            return Runs { to: self, sampler: &sampler, name, drawn, source }.all(&[&floors], precision, exponent);
        }
        let low = last_digit(&scale, places, precision)?;
        let first = self.list(precision, digits, &low)?;
        writeln!(self.to, "digits {first} {parameters} {places}")?;
        let high = floors(decay, &(BigUint::from(8u32) << places), false, precision, usize::MAX)?;
        let list = self.cells((decay, places + 3, false), precision, digits, &high)?;
        let name = match places {
            0 => format!("narrow {} {first} {list}", written(mode)),
            places => format!("laplace {} {parameters} {places} {first} {list}", written(mode)),
        };
        let source = Box::new(seeded([self.lists.to_le_bytes()[0]; 32]));
        Runs { to: self, sampler: &sampler, name, drawn, source }.all(&[&low[..7], &high], precision, exponent)
    }
}

pub fn record<W: Write>(to: &mut Recording<W>) -> Outcome {
    let two_to = |power: u32| Rational::from_integer((BigUint::from(1u32) << power).into());
    for variance in [over(1, 1), over(47, 3), over(16, 1), over(10_001, 1), two_to(80) + over(2, 7), two_to(112)] {
        to.fixed_gaussian(variance, Mode::Standard)?;
    }
    for variance in [over(7, 3), over(400, 1), two_to(81)] {
        to.fixed_gaussian(variance, Mode::Wide)?;
    }
    for scale in [over(2, 3), over(5, 2), over(4, 1), over(1001, 10), two_to(50)] {
        to.fixed_laplace(scale, Mode::Standard)?;
    }
    for scale in [over(1, 2), over(1, 1), over(29, 2), two_to(40) + over(1, 3)] {
        to.fixed_laplace(scale, Mode::Wide)?;
    }
    Ok(())
}
