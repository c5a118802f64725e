//! Pairs of neighbouring data to try, where a command takes its data as an argument.
#![expect(clippy::float_arithmetic, reason = "what pair is audited: no bound depends on it")]

use std::sync::{Arc, atomic::AtomicU64};

use super::{
    settings::Settings,
    target::{Origin, Target},
};
use crate::{Failure, arguments::Neighbours};
use certus::{
    bits::seeded,
    exact::{Rational, parse, render},
};
use certus_audit::{Audit, fresh_seed, outputs::Tally};

/// Where the data go in a command.
pub(super) const PLACE: &str = "{}";

/// The most data.
const MOST_DATA: usize = 1000;

/// The confidence of the pilot: it decides nothing but which pair is audited.
const PILOT: f64 = 0.8;

/// The command on these data.
pub(super) fn with_data(command: &str, data: &str) -> String {
    command.replace(PLACE, data)
}

/// The outputs a side of a pilot run, of an audit of so many.
pub(super) fn pilot(samples: u64) -> u64 {
    (samples / 20).clamp(1000, 20_000).min(samples)
}

/// Neighbours of the data, of the kind that the claim is for. `each`: the patterns of Ding et al., *Detecting violations of differential privacy*, CCS 2018.
pub(super) fn patterns(argument: &str, base: &str, neighbours: Neighbours) -> Result<Vec<(String, String)>, Failure> {
    let must = "must be numbers with commas between them, such as 1,1,1,1";
    let data: Option<Vec<Rational>> = base.split(',').map(|entry| parse(entry.trim()).ok()).collect();
    let data = data.filter(|data| data.len() <= MOST_DATA).ok_or_else(|| Failure::value(argument, base, must))?;
    let list = |data: &[Rational]| data.iter().map(render).collect::<Vec<_>>().join(",");
    let moved = |by: &dyn Fn(usize) -> i64| -> String {
        let entries = data.iter().enumerate();
        list(&entries.map(|(place, entry)| entry + Rational::from_integer(by(place).into())).collect::<Vec<_>>())
    };
    let (half, last) = (data.len() / 2, data.len().saturating_sub(1));
    let neighbours: Vec<String> = match neighbours {
        Neighbours::One => [0, half, last]
            .into_iter()
            .flat_map(|changed| [1, -1].map(|by| moved(&|place| if place == changed { by } else { 0 })))
            .collect(),
        Neighbours::Record => {
            let ends = [data.iter().min(), data.iter().max()].into_iter().flatten();
            ends.flat_map(|end| {
                [0, half, last].map(|changed| {
                    let entry = |(place, entry): (usize, &Rational)| if place == changed { end } else { entry }.clone();
                    list(&data.iter().enumerate().map(entry).collect::<Vec<_>>())
                })
            })
            .collect()
        }
        Neighbours::Each => vec![
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
    let base = list(&data);
    let mut pairs: Vec<(String, String)> = Vec::new();
    for neighbour in neighbours {
        let pair = (base.clone(), neighbour);
        if pair.0 != pair.1 && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    if pairs.is_empty() {
        return Err(Failure::argument(argument, "has no neighbours of this kind: all of its entries are the same"));
    }
    Ok(pairs)
}

/// Puts the pair that promises most first. Its audit draws afresh, so that trying costs no confidence; answers the samples that were tried, for whoever checks that.
pub(super) fn settle(
    target: &mut Target,
    settings: &Settings,
    seed: [u8; 32],
    done: &Arc<AtomicU64>,
) -> Result<Tally, Failure> {
    let mut tried_samples = Tally::default();
    let samples = pilot(target.wanted(settings));
    let (claim, scales) = (target.claim.clone(), target.scales.clone());
    let (timeout, folder) = (target.timeout, target.folder.clone());
    let Origin::Search { command, pairs, argument } = &mut target.origin else { return Ok(tried_samples) };
    if pairs.len() < 2 {
        return Ok(tried_samples);
    }
    let mut seeds = seeded(seed);
    let mut best: Option<(f64, f64, usize)> = None;
    for (place, (a, b)) in pairs.iter().enumerate() {
        let origin = Origin::Search {
            command: command.clone(),
            pairs: vec![(a.clone(), b.clone())],
            argument: argument.clone(),
        };
        let tried = Target { timeout, folder: folder.clone(), ..Target::new("", claim.clone(), origin) };
        let (on_a, on_b) = tried.draw(samples, settings, fresh_seed(&mut seeds)?, done)?;
        let audit = Audit::new(claim.clone(), PILOT).map_err(|error| Failure::argument("--confidence", error))?;
        let coins = fresh_seed(&mut seeds)?;
        let audit = if settings.is_seeded { audit.seed(coins) } else { audit };
        let report = audit.scales(&scales).run(&on_a, &on_b);
        let report = report.map_err(|error| Failure::Environment(format!("{argument}: {error}")))?;
        for side in [&on_a, &on_b] {
            let repeated = |error| Failure::Environment(format!("{argument}: {error}"));
            tried_samples = tried_samples.merge(side).map_err(repeated)?;
        }
        let promise = (report.delta_lower.max(report.delta_estimate / 2.0), report.epsilon_lower, place);
        if best.is_none_or(|best| (promise.0, promise.1) > (best.0, best.1)) {
            best = Some(promise);
        }
    }
    if let Some((.., place)) = best {
        pairs.swap(0, place);
    }
    Ok(tried_samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_neighbours_of_the_base() {
        let pairs = |base, neighbours| patterns("--base", base, neighbours);
        for neighbours in [Neighbours::One, Neighbours::Record, Neighbours::Each] {
            let pairs = pairs("1, 0,1/2", neighbours).unwrap();
            assert!(pairs.iter().all(|(a, b)| a == "1,0,1/2" && a != b), "{neighbours:?}");
            let distinct: std::collections::BTreeSet<_> = pairs.iter().collect();
            assert_eq!(distinct.len(), pairs.len());
            // Only where every entry may move do two of them differ.
            let changed = |b: &str| b.split(',').zip(["1", "0", "1/2"]).filter(|(one, two)| one != two).count();
            assert_eq!(pairs.iter().all(|(_, b)| changed(b) == 1), neighbours != Neighbours::Each);
        }
        assert_eq!(pairs("5", Neighbours::One).unwrap().len(), 2);
        assert_eq!(pairs("5", Neighbours::Record).unwrap_err().status(), 2);
        for bad in ["", "x", "1,,2", "1;2"] {
            assert_eq!(pairs(bad, Neighbours::One).unwrap_err().status(), 2, "{bad}");
        }
    }
}
