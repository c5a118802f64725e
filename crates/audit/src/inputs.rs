//! Which inputs to audit: neighbours of given data, and of several pairs the one that promises most.
#![expect(clippy::float_arithmetic, reason = "what pair is audited: no bound depends on it")]

use certus::exact::Rational;

use super::{
    Audit, Claim,
    outputs::{MergeError, Tally},
    run::AuditError,
};

/// When two lists of numbers are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Neighbours {
    /// One entry differs, by one.
    One,
    /// One entry is another of the data's.
    Record,
    /// Every entry may differ by one: the patterns of Ding et al., *Detecting violations of differential
    /// privacy*, CCS 2018.
    Each,
}

impl Neighbours {
    /// Neighbours of the data to try: distinct, and other than the data. There are none of
    /// [`Record`](Self::Record) where
    /// all entries are the same.
    ///
    /// ```
    /// use certus::exact::{Rational, parse};
    /// use certus_audit::inputs::Neighbours;
    ///
    /// let data: Vec<Rational> = ["1", "5"].iter().map(|entry| parse(entry)).collect::<Result<_, _>>()?;
    /// assert_eq!(Neighbours::One.of(&data).len(), 4);
    /// assert!(Neighbours::Record.of(&data[..1]).is_empty());
    /// # Ok::<(), certus::exact::NumberError>(())
    /// ```
    #[must_use]
    pub fn of(self, data: &[Rational]) -> Vec<Vec<Rational>> {
        let moved = |by: &dyn Fn(usize) -> i64| -> Vec<Rational> {
            let entries = data.iter().enumerate();
            entries.map(|(place, entry)| entry + Rational::from_integer(by(place).into())).collect()
        };
        let (half, last) = (data.len() / 2, data.len().saturating_sub(1));
        let neighbours: Vec<Vec<Rational>> = match self {
            Self::One => [0, half, last]
                .into_iter()
                .flat_map(|changed| [1, -1].map(|by| moved(&|place| if place == changed { by } else { 0 })))
                .collect(),
            Self::Record => {
                let ends = [data.iter().min(), data.iter().max()].into_iter().flatten();
                let replaced = |changed: usize, end: &Rational| -> Vec<Rational> {
                    let entries = data.iter().enumerate();
                    entries.map(|(place, entry)| if place == changed { end } else { entry }.clone()).collect()
                };
                ends.flat_map(|end| [0, half, last].map(|changed| replaced(changed, end))).collect()
            }
            Self::Each => vec![
                moved(&|place| i64::from(place == 0)),
                moved(&|place| -i64::from(place == 0)),
                moved(&|place| if place == 0 { 1 } else { -1 }),
                moved(&|place| if place == 0 { -1 } else { 1 }),
                moved(&|place| if place < half { 1 } else { -1 }),
                moved(&|_| 1),
                moved(&|_| -1),
                moved(&|place| i64::from(place != 0)),
                moved(&|place| -i64::from(place != 0)),
            ],
        };
        let mut distinct: Vec<Vec<Rational>> = Vec::new();
        for neighbour in neighbours {
            if neighbour != data && !distinct.contains(&neighbour) {
                distinct.push(neighbour);
            }
        }
        distinct
    }
}

/// Why no pair of inputs was chosen.
#[derive(Debug, thiserror::Error)]
pub enum PilotError<E> {
    /// The samples of a pair could not be drawn.
    #[error(transparent)]
    Draw(E),
    /// They could not be audited.
    #[error(transparent)]
    Audit(AuditError),
    /// Two pairs share samples.
    #[error(transparent)]
    Merge(MergeError),
}

/// The samples of a pair: of both sides; and the coins of the split, if they are seeded.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Of the first input.
    pub a: Tally,
    /// Of the second.
    pub b: Tally,
    /// As for [`Audit::seed`].
    pub coins: Option<[u8; 32]>,
}

/// The confidence of a pilot: it decides nothing but which pair is audited.
const CONFIDENCE: f64 = 0.8;

/// The outputs a side that a pilot draws, for an audit of so many.
#[must_use]
pub fn pilot_samples(samples: u64) -> u64 {
    (samples / 20).clamp(1000, 20_000).min(samples)
}

/// The place of the pair that promises most, of so many, and all samples that were tried.
///
/// The audit of that pair must draw afresh: then trying costs no confidence. [`Tally::check_apart`] says
/// whether it did.
///
/// # Errors
///
/// If a pair's samples cannot be drawn or audited, or two pairs share some.
pub fn most_promising<E>(
    claim: &Claim,
    scales: &[f64],
    pairs: usize,
    mut draw: impl FnMut(usize) -> Result<Tried, E>,
) -> Result<(usize, Tally), PilotError<E>> {
    let mut all = Tally::default();
    let mut best = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0);
    for place in 0..pairs {
        let Tried { a, b, coins } = draw(place).map_err(PilotError::Draw)?;
        let audit = Audit::new(claim.clone(), CONFIDENCE).map_err(PilotError::Audit)?.scales(scales);
        let audit = match coins {
            Some(coins) => audit.seed(coins),
            None => audit,
        };
        let report = audit.run(&a, &b).map_err(PilotError::Audit)?;
        for side in [&a, &b] {
            all = all.merge(side).map_err(PilotError::Merge)?;
        }
        let promise = (report.delta_lower.max(report.delta_estimate / 2.0), report.epsilon_lower);
        if promise > (best.0, best.1) {
            best = (promise.0, promise.1, place);
        }
    }
    Ok((best.2, all))
}
