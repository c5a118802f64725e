//! Pairs of neighbouring data to try, where a command takes its data as an argument.
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
use certus_audit::{
    fresh_seed,
    inputs::{PilotError, Tried, most_promising, pilot_samples},
    outputs::Tally,
};

/// Where the data go in a command.
pub(super) const PLACE: &str = "{}";

/// The most data.
const MOST_DATA: usize = 1000;

/// The command on these data.
pub(super) fn with_data(command: &str, data: &str) -> String {
    command.replace(PLACE, data)
}

/// Neighbours of the data, of the kind that the claim is for. `each`: the patterns of Ding et al., *Detecting
/// violations of differential privacy*, CCS 2018.
pub(super) fn patterns(argument: &str, base: &str, neighbours: Neighbours) -> Result<Vec<(String, String)>, Failure> {
    let must = "must be numbers with commas between them, such as 1,1,1,1";
    let data: Option<Vec<Rational>> = base.split(',').map(|entry| parse(entry.trim()).ok()).collect();
    let data = data.filter(|data| data.len() <= MOST_DATA).ok_or_else(|| Failure::value(argument, base, must))?;
    let list = |data: &[Rational]| data.iter().map(render).collect::<Vec<_>>().join(",");
    let base = list(&data);
    let pairs: Vec<_> = neighbours.in_library().of(&data).iter().map(|other| (base.clone(), list(other))).collect();
    if pairs.is_empty() {
        return Err(Failure::argument(argument, "has no neighbours of this kind: all of its entries are the same"));
    }
    Ok(pairs)
}

/// Puts the pair that promises most first. Its audit draws afresh, so that trying costs no confidence;
/// answers the samples that were tried, for whoever checks that.
pub(super) fn settle(
    target: &mut Target,
    settings: &Settings,
    seed: [u8; 32],
    done: &Arc<AtomicU64>,
) -> Result<Tally, Failure> {
    let samples = pilot_samples(target.wanted(settings));
    let (claim, scales) = (target.claim.clone(), target.scales.clone());
    let (timeout, folder) = (target.timeout, target.folder.clone());
    let Origin::Search { command, pairs, argument } = &mut target.origin else { return Ok(Tally::default()) };
    if pairs.len() < 2 {
        return Ok(Tally::default());
    }
    let mut seeds = seeded(seed);
    let tried = most_promising(&claim, &scales, pairs.len(), |place| {
        let pairs = pairs.get(place).cloned().into_iter().collect();
        let origin = Origin::Search { command: command.clone(), pairs, argument: argument.clone() };
        let tried = Target { timeout, folder: folder.clone(), ..Target::new("", claim.clone(), origin) };
        let (a, b) = tried.draw(samples, settings, fresh_seed(&mut seeds)?, done)?;
        let coins = fresh_seed(&mut seeds)?;
        Ok::<_, Failure>(Tried { a, b, coins: settings.is_seeded.then_some(coins) })
    });
    let (place, samples) = tried.map_err(|error| match error {
        PilotError::Draw(failure) => failure,
        PilotError::Audit(error) => Failure::Environment(format!("{argument}: {error}")),
        PilotError::Merge(error) => Failure::Environment(format!("{argument}: {error}")),
    })?;
    pairs.swap(0, place);
    Ok(samples)
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
