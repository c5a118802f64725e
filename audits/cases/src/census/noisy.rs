//! The same table with noise, and the best that can be made of it.

use certus::{
    bits::{Bits, BitsError},
    exact::{Positive, Rational},
    sample::{Laplace, Program},
};

use super::table::{PUBLISHED, Person, Row, Seen, seen};
use crate::{CaseError, random::uniform};

/// The oldest anybody is: the clamp that the sensitivities rest on.
pub const OLDEST: i32 = 125;

/// How many parts ε is split into. A person is in rows of five kinds (everyone; one sex; one race; the married; black women), and each row has three statistics.
pub const PARTS: u32 = 15;

/// What one person changes in a row if added or taken away: the count by 1, the sum of ages by 125, twice the median by 250 (ages can lie so that it does).
pub const SENSITIVITY: Seen = Seen { count: 1, sum: OLDEST, twice_median: 2 * OLDEST };

/// The statistics of each row with discrete Laplace noise of scale sensitivity·15/ε: ε-private in all, neighbours adding or removing one.
pub fn released(people: &[Person], epsilon: &Positive, bits: &mut impl Bits) -> Result<Vec<Seen>, CaseError> {
    let noise = |sensitivity: i32| {
        let scale = Rational::from_integer((i64::from(sensitivity) * i64::from(PARTS)).into()) / epsilon.get();
        Ok::<_, CaseError>(Laplace::new(&Positive::new(scale)?))
    };
    let (count, sum, median) = (noise(SENSITIVITY.count)?, noise(SENSITIVITY.sum)?, noise(SENSITIVITY.twice_median)?);
    let mut released = Vec::new();
    for row in &PUBLISHED {
        let truth = seen(row.group, people);
        released.push(Seen {
            count: noised(truth.count, &count, bits)?,
            sum: noised(truth.sum, &sum, bits)?,
            twice_median: noised(truth.twice_median, &median, bits)?,
        });
    }
    Ok(released)
}

/// A sum past 32 bits is clamped.
fn noised(value: i32, noise: &Laplace, bits: &mut impl Bits) -> Result<i32, BitsError> {
    let drawn = noise.sample(bits)?.to_string().parse::<i64>().unwrap_or(i64::MAX);
    let sum = drawn.saturating_add(value.into()).clamp(i32::MIN.into(), i32::MAX.into());
    Ok(i32::try_from(sum).unwrap_or(i32::MAX))
}

/// The released numbers taken at their word, as rows for the solver; none if one is absurd on its face (a count below 0, say).
pub fn at_their_word(released: &[Seen], people: usize) -> Option<Vec<Row>> {
    let rows = PUBLISHED.iter().zip(released).map(|(row, seen)| {
        let is_possible = (0..=people as i32).contains(&seen.count)
            && (0..=seen.count * OLDEST).contains(&seen.sum)
            && (0..=2 * OLDEST).contains(&seen.twice_median);
        let twice_median = (seen.count > 0).then_some(seen.twice_median);
        is_possible.then_some(Row { count: seen.count, twice_median, sums: Some((seen.sum, seen.sum)), ..*row })
    });
    rows.collect()
}

/// How far people are from what was released, in units of each statistic's noise: −ln of the likelihood, but for a constant.
pub fn misfit(people: &[Person], released: &[Seen]) -> f64 {
    let apart = |a: i32, b: i32, scale: i32| f64::from(a.abs_diff(b)) / f64::from(scale);
    let rows = PUBLISHED.iter().zip(released).map(|(row, noisy)| {
        let here = seen(row.group, people);
        apart(here.count, noisy.count, SENSITIVITY.count)
            + apart(here.sum, noisy.sum, SENSITIVITY.sum)
            + apart(here.twice_median, noisy.twice_median, SENSITIVITY.twice_median)
    });
    rows.sum()
}

/// The likeliest people that a search finds (simulated annealing, from several beginnings), given that they are so many and that the married are 15 or older.
pub fn likeliest(
    released: &[Seen],
    people: usize,
    effort: u64,
    bits: &mut impl Bits,
) -> Result<Vec<Person>, CaseError> {
    let mut best: (f64, Vec<Person>) = (f64::INFINITY, Vec::new());
    for _ in 0..8 {
        let mut world = (0..people).map(|_| anyone(bits)).collect::<Result<Vec<_>, _>>()?;
        let mut now = misfit(&world, released);
        for step in 0..effort {
            let heat = 2.0 * 0.000_5_f64.powf(step as f64 / effort as f64);
            let place = (uniform(bits)? * people as f64) as usize;
            let Some(before) = world.get(place).copied() else { continue };
            let after = changed(before, bits)?;
            // A second person often has to change against the first: sums and medians hold each other.
            let other = (uniform(bits)? * people as f64) as usize;
            let beside = world.get(other).copied().filter(|_| other != place && uniform(bits).is_ok_and(|u| u < 0.5));
            set(&mut world, place, after);
            if let Some(person) = beside {
                let age = (person.age - (after.age - before.age)).clamp(if person.married { 15 } else { 0 }, OLDEST);
                set(&mut world, other, Person { age, ..person });
            }
            let next = misfit(&world, released);
            if next <= now || uniform(bits)? < ((now - next) / heat).exp() {
                now = next;
                if now < best.0 {
                    best = (now, world.clone());
                }
            } else {
                set(&mut world, place, before);
                if let Some(person) = beside {
                    set(&mut world, other, person);
                }
            }
        }
    }
    best.1.sort_unstable();
    Ok(best.1)
}

fn set(world: &mut [Person], place: usize, person: Person) {
    if let Some(here) = world.get_mut(place) {
        *here = person;
    }
}

/// Anybody, all equally likely.
pub fn anyone(bits: &mut impl Bits) -> Result<Person, BitsError> {
    let age = (uniform(bits)? * f64::from(OLDEST + 1)) as i32;
    let [female, black, married] = [bits.take(1)? == 1, bits.take(1)? == 1, bits.take(1)? == 1];
    Ok(Person { age, female, black, married: married && age >= 15 })
}

/// Somebody else: one thing is changed, or the age by a little.
fn changed(person: Person, bits: &mut impl Bits) -> Result<Person, BitsError> {
    let mut person = person;
    match bits.take(3)? {
        0 => person.female = !person.female,
        1 => person.black = !person.black,
        2 => person.married = !person.married,
        3 => person.age = (uniform(bits)? * f64::from(OLDEST + 1)) as i32,
        _ => {
            let far = 1 << bits.take(3)?.min(5);
            person.age = (person.age + (uniform(bits)? * f64::from(2 * far + 1)) as i32 - far).clamp(0, OLDEST);
        }
    }
    person.married &= person.age >= 15;
    Ok(person)
}
