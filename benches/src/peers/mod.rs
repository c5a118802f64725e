//! The samplers that are compared, a file each.
//!
//! A peer is a name and a function from a group to a filler. A filler owns its generator and whatever it prepared; each of
//! its calls fills a slice, which is the work that is timed. Outputs that pass 64 bits are recorded as the nearest `i64`.

mod certus;
mod chacha20;
#[cfg(feature = "opendp")]
mod opendp;
#[cfg(feature = "prio")]
mod prio;
mod rand_distr;

use crate::group::Group;

/// Fills a slice with samples.
pub type Fill = Box<dyn FnMut(&mut [i64])>;

/// A sampler in the comparison.
pub struct Peer {
    /// Its name in the table.
    pub name: &'static str,
    /// What the reader must know about it.
    pub note: &'static str,
    /// Builds it for a group.
    pub build: fn(&Group) -> Fill,
}

/// The peer that ratios are taken against.
pub const BASELINE: &str = "rand_distr";

/// Every peer, in the order of the table.
pub const PEERS: &[Peer] = &[
    Peer { name: "chacha20", note: "one raw u64 word, no sampler", build: chacha20::words },
    Peer { name: BASELINE, note: "inexact: floats, rounded", build: rand_distr::rounded },
    Peer { name: "certus-reference", note: "", build: certus::reference },
    #[cfg(feature = "opendp")]
    Peer { name: opendp::NAME, note: opendp::NOTE, build: opendp::sampler },
    #[cfg(feature = "prio")]
    Peer { name: "prio", note: "", build: prio::sampler },
];

/// The seed of every generator that takes one.
const SEED: [u8; 32] = [42; 32];

/// A filler that draws its samples one by one.
fn one_by_one(mut draw: impl FnMut() -> i64 + 'static) -> Fill {
    Box::new(move |samples| samples.iter_mut().for_each(|sample| *sample = draw()))
}

/// The end of `i64` on the side of a number that does not fit it.
fn end(negative: bool) -> i64 {
    if negative { i64::MIN } else { i64::MAX }
}
