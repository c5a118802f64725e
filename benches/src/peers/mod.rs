//! The samplers that are compared, a file each.
//!
//! A peer is a name and a function from a group to a sampler. A sampler owns its generator and whatever it prepared; filling
//! a slice is the work that is timed. Outputs that pass 64 bits are recorded as the nearest `i64`.

mod certus;
mod chacha20;
#[cfg(feature = "opendp")]
mod opendp;
#[cfg(feature = "prio")]
mod prio;
mod rand_distr;

use crate::group::Group;

/// What is timed. A closure that fills a slice is one.
pub trait Sampler {
    /// Fills the slice with samples.
    fn fill(&mut self, samples: &mut [i64]);

    /// What it prepared in advance, if it does so.
    fn preparation(&self) -> Option<Preparation> {
        None
    }
}

impl<F: FnMut(&mut [i64])> Sampler for F {
    fn fill(&mut self, samples: &mut [i64]) {
        self(samples);
    }
}

/// What a prepared sampler holds.
#[derive(Clone, Copy, Debug)]
pub struct Preparation {
    /// How it draws.
    pub construction: &'static str,
    /// The memory of its tables.
    pub bytes: usize,
}

/// A sampler in the comparison.
pub struct Peer {
    /// Its name in the table.
    pub name: &'static str,
    /// What the reader must know about it.
    pub note: &'static str,
    /// Builds it for a group that it takes.
    pub build: fn(&Group) -> Box<dyn Sampler>,
    /// The largest scale that it takes.
    pub most: f64,
}

impl Peer {
    const fn new(name: &'static str, note: &'static str, build: fn(&Group) -> Box<dyn Sampler>) -> Self {
        Self { name, note, build, most: f64::INFINITY }
    }

    /// Whether it draws the noise of a group.
    pub fn takes(&self, group: &Group) -> bool {
        group.float() <= self.most
    }
}

/// The largest scale of the fixed-work samplers, 2^56.
const FIXED_MOST: f64 = 72_057_594_037_927_936.0;

/// The peer that ratios are taken against.
pub const BASELINE: &str = "rand_distr";

/// Every peer, in the order of the table.
pub const PEERS: &[Peer] = &[
    Peer::new("chacha20", "one raw u64 word, no sampler", chacha20::words),
    Peer::new(BASELINE, "inexact: floats, rounded", rand_distr::rounded),
    Peer::new("certus-reference", "", certus::reference),
    Peer::new("certus-prepared", "", certus::prepared),
    Peer { most: FIXED_MOST, ..Peer::new("certus-fixed", "β ≤ 2^-53", certus::fixed) },
    Peer { most: FIXED_MOST, ..Peer::new("certus-fixed-wide", "β ≤ 2^-100", certus::fixed_wide) },
    #[cfg(feature = "opendp")]
    Peer::new(opendp::NAME, opendp::NOTE, opendp::sampler),
    #[cfg(feature = "prio")]
    Peer::new("prio", "", prio::sampler),
];

/// The seed of every generator that takes one.
const SEED: [u8; 32] = [42; 32];

/// A sampler that draws its samples one by one.
fn one_by_one(mut draw: impl FnMut() -> i64 + 'static) -> Box<dyn Sampler> {
    Box::new(move |samples: &mut [i64]| samples.iter_mut().for_each(|sample| *sample = draw()))
}

/// The end of `i64` on the side of a number that does not fit it.
fn end(negative: bool) -> i64 {
    if negative { i64::MIN } else { i64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Noise;

    /// Σ k²·w(k) / Σ w(k) over all integers where the weights are few, else its limit: 2s² and σ².
    fn variance(group: &Group) -> f64 {
        let scale = group.float();
        let weight = |k: f64| match group.noise {
            Noise::Laplace => (-k / scale).exp(),
            Noise::Gaussian => (-k * k / (2.0 * scale * scale)).exp(),
        };
        if scale <= 1000.0 {
            let (mass, moment) = (1..100_000)
                .map(f64::from)
                .fold((1.0, 0.0), |(mass, moment), k| (mass + 2.0 * weight(k), moment + 2.0 * k * k * weight(k)));
            return moment / mass;
        }
        match group.noise {
            Noise::Laplace => 2.0 * scale * scale,
            Noise::Gaussian => scale * scale,
        }
    }

    /// A benchmark of the wrong distribution compares nothing. The variance of n = 8192 samples has a standard error of at most
    /// 8% (the fourth moment of `gaussian 1/3`); we allow 40%, five of them, since OpenDP's source takes no seed.
    #[test]
    fn every_peer_draws_what_its_group_says() {
        for group in Group::all() {
            for peer in PEERS.iter().filter(|peer| peer.name != "chacha20" && peer.takes(&group)) {
                // Rounding a continuous noise adds 1/12, which shows where the scale is small. It is inexact.
                if peer.name == BASELINE && group.float() < 10.0 {
                    continue;
                }
                let mut samples = [0; 8192];
                (peer.build)(&group).fill(&mut samples);
                let moment =
                    |power| samples.iter().map(|&k| (k as f64).powi(power)).sum::<f64>() / samples.len() as f64;
                let (mean, ratio) = (moment(1), moment(2) / variance(&group));
                assert!((0.6..1.4).contains(&ratio), "{group}, {}: variance × {ratio}", peer.name);
                assert!(mean.abs() < 0.1 * variance(&group).sqrt(), "{group}, {}: mean {mean}", peer.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (at, peer) in PEERS.iter().enumerate() {
            assert!(PEERS[..at].iter().all(|other| other.name != peer.name), "{}", peer.name);
        }
    }
}
