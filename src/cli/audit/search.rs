//! Pairs of neighbouring data to try, where a command takes its data as an argument.
#![expect(clippy::float_arithmetic, reason = "what pair is audited: no bound depends on it")]

use std::sync::{Arc, atomic::AtomicU64};

use super::{
    settings::Settings,
    target::{Origin, Target},
};
use crate::{
    audit::{Audit, fresh_seed},
    bits::seeded,
    cli::Failure,
    exact::{Rational, parse, render},
};

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

/// The patterns around the data (Ding et al., *Detecting violations of differential privacy*, CCS 2018): every pair differs in each entry by at most one,
/// or, for the extremes, in one entry from its least to its greatest value.
pub(super) fn patterns(argument: &str, base: &str) -> Result<Vec<(String, String)>, Failure> {
    let must = "must be numbers with commas between them, such as 1,1,1,1";
    let data: Option<Vec<Rational>> = base.split(',').map(|entry| parse(entry.trim()).ok()).collect();
    let data = data.filter(|data| data.len() <= MOST_DATA).ok_or_else(|| Failure::value(argument, base, must))?;
    let one = Rational::from_integer(1.into());
    let list = |data: &[Rational]| data.iter().map(render).collect::<Vec<_>>().join(",");
    let moved = |by: &dyn Fn(usize) -> i64| -> String {
        let data: Vec<Rational> = data
            .iter()
            .enumerate()
            .map(|(place, entry)| entry + &one * Rational::from_integer(by(place).into()))
            .collect();
        list(&data)
    };
    let half = data.len() / 2;
    let base = list(&data);
    let pairs = [
        ("one above", moved(&|place| i64::from(place == 0))),
        ("one below", moved(&|place| -i64::from(place == 0))),
        ("the last one above", moved(&|place| i64::from(place + 1 == data.len()))),
        ("one above and the rest below", moved(&|place| if place == 0 { 1 } else { -1 })),
        ("one below and the rest above", moved(&|place| if place == 0 { -1 } else { 1 })),
        ("half and half", moved(&|place| if place < half { 1 } else { -1 })),
        ("all above", moved(&|_| 1)),
        ("all below", moved(&|_| -1)),
        ("all but one above", moved(&|place| i64::from(place != 0))),
        ("all but one below", moved(&|place| -i64::from(place != 0))),
    ];
    let mut distinct: Vec<(String, String)> = Vec::new();
    for (_, neighbour) in pairs {
        let pair = (base.clone(), neighbour);
        if pair.0 != pair.1 && !distinct.contains(&pair) {
            distinct.push(pair);
        }
    }
    if let (Some(least), Some(most)) = (data.iter().min(), data.iter().max())
        && least != most
    {
        let with_first = |first: &Rational| {
            let entries: Vec<Rational> = std::iter::once(first).chain(data.iter().skip(1)).cloned().collect();
            list(&entries)
        };
        distinct.push((with_first(least), with_first(most)));
    }
    Ok(distinct)
}

/// Puts the pair that promises most first. Its audit draws afresh, so that trying costs no confidence.
pub(super) fn settle(
    target: &mut Target,
    settings: &Settings,
    seed: [u8; 32],
    done: &Arc<AtomicU64>,
) -> Result<(), Failure> {
    let samples = pilot(target.wanted(settings));
    let (claim, scales) = (target.claim.clone(), target.scales.clone());
    let (timeout, folder) = (target.timeout, target.folder.clone());
    let Origin::Search { command, pairs, argument } = &mut target.origin else { return Ok(()) };
    if pairs.len() < 2 {
        return Ok(());
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
        let report = audit.scales(&scales).run(&on_a, &on_b);
        let report = report.map_err(|error| Failure::Environment(format!("{argument}: {error}")))?;
        let promise = (report.delta_lower.max(report.delta_estimate / 2.0), report.epsilon_lower, place);
        if best.is_none_or(|best| (promise.0, promise.1) > (best.0, best.1)) {
            best = Some(promise);
        }
    }
    if let Some((.., place)) = best {
        pairs.swap(0, place);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_neighbours_of_the_base() {
        let pairs = patterns("--base", "1, 0,1/2").unwrap();
        assert!(pairs.contains(&("1,0,1/2".to_owned(), "2,0,1/2".to_owned())));
        assert!(pairs.iter().all(|(a, b)| a != b));
        let distinct: std::collections::BTreeSet<_> = pairs.iter().collect();
        assert_eq!(distinct.len(), pairs.len());
        assert_eq!(patterns("--base", "5").unwrap().len(), 2);
        for bad in ["", "x", "1,,2", "1;2"] {
            assert_eq!(patterns("--base", bad).unwrap_err().status(), 2, "{bad}");
        }
    }
}
