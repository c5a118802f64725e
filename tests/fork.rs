//! A child never repeats its parent's noise: forked for real.
#![cfg(all(unix, feature = "std"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]

use std::{
    collections::HashSet,
    io::{Read, Write, pipe},
};

use certus::{
    bits::{Bits, SystemBits, seeded},
    exact::{Positive, parse},
    sample::{Laplace, Program},
};
use fork::{Fork, fork, waitpid};

/// What each of `children` forks of this process draws first from the source that it inherits.
fn first_draws<B: Bits>(bits: &mut B, children: usize) -> Vec<String> {
    // A scale of 10^18: two streams agree on a sample with probability about 10^-18.
    let noise = Laplace::new(&Positive::new(parse("1e18").unwrap()).unwrap());
    // The stream is in the middle of a word when it is inherited.
    noise.sample(bits).unwrap();
    (0..children)
        .map(|_| {
            let (mut reader, mut writer) = pipe().unwrap();
            match fork().unwrap() {
                Fork::Child => {
                    let sample = noise.sample(bits).map_or_else(|error| error.to_string(), |sample| sample.to_string());
                    let written = writer.write_all(sample.as_bytes()).is_ok();
                    std::process::exit(i32::from(!written));
                }
                Fork::Parent(child) => {
                    drop(writer);
                    let mut sample = String::new();
                    reader.read_to_string(&mut sample).unwrap();
                    waitpid(child).unwrap();
                    assert!(sample.parse::<i128>().is_ok(), "{sample}");
                    sample
                }
            }
        })
        .collect()
}

#[test]
fn a_thousand_children_and_their_parent_draw_differently() {
    let mut bits = SystemBits::new().unwrap();
    let mut draws = first_draws(&mut bits, 1000);
    draws.push(bits.take(64).unwrap().to_string());
    assert_eq!(draws.iter().collect::<HashSet<_>>().len(), 1001);
}

/// The control: a source that does not look sees a thousand times the same, so that the test above could fail.
#[test]
fn an_unprotected_stream_repeats() {
    let draws = first_draws(&mut seeded([1; 32]), 20);
    assert_eq!(draws.iter().collect::<HashSet<_>>().len(), 1);
}
