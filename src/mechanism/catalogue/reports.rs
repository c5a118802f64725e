//! Reports of one person: RAPPOR.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    Built, Entry, Outcome, Typed,
    closed_form::{Bit, Product},
    keys::{missing, probability, refused, required, size},
};
use crate::{
    exact::{Pmf, Rational},
    mechanism::{Arguments, statistic::Rappor},
};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "rappor",
    aliases: &[],
    keys: &[
        ("k", "an integer from 1 to 65536: the bits of a report"),
        ("h", "an integer from 1 to k: the most bits that a value sets"),
        ("f", "a number above 0, at most 1: the share of lies in the permanent response"),
        (
            "p",
            "a number from 0 to 1: P(1) of a report where the permanent response has 0; with q, for a one-time report",
        ),
        ("q", "a number above p, at most 1: P(1) of a report where the permanent response has 1; with p"),
    ],
    summary: "k bits, each a randomized response: the permanent one, or, with p and q, one report of it",
    input: "the positions of the bits that a value sets, integers with commas between them",
    examples: &["rappor(k=4, h=1, f=1/2)", "rappor(k=4, h=2, f=1/2, p=1/4, q=3/4)"],
}];

pub(super) fn rappor(arguments: &mut Arguments<'_>) -> Built<Rappor> {
    let (k, h) = (size(arguments, "k")?, size(arguments, "h")?);
    if h > k {
        return Err(refused(arguments, "h", "must be an integer from 1 to k"));
    }
    let f = probability(arguments, "f")?;
    let f = required(arguments, "f", f)?;
    if f.numerator().bits() == 0 {
        return Err(refused(arguments, "f", "must be above 0 and at most 1"));
    }
    let (p, q) = (probability(arguments, "p")?, probability(arguments, "q")?);
    let (mechanism, p, q) = match (p, q) {
        (None, None) => {
            let certain = |bit: i64| Rational::from_integer(bit.into());
            (Rappor::permanent(k, h, &f), certain(0), certain(1))
        }
        (Some(p), Some(q)) => (Rappor::one_time(k, h, &f, &p, &q), p.get().clone(), q.get().clone()),
        (None, _) => return Err(missing(arguments, "p (beside q)")),
        (_, None) => return Err(missing(arguments, "q (beside p)")),
    };
    let mechanism = mechanism.map_err(|error| refused(arguments, "p and q", error))?;
    let positions = |from: usize| -> String {
        (from..from.saturating_add(h).min(k)).map(|i| alloc::format!("{i}")).collect::<Vec<_>>().join(",")
    };
    let moved = f.get() * (&q - &p) / Rational::from_integer(2.into());
    let (one, zero) = (q - &moved, p + &moved);
    let paper = move |set: &[usize], precision: u32| -> Option<Box<dyn Pmf<Outcome>>> {
        let mut positions: Vec<usize> = Vec::new();
        for position in set.iter().filter(|position| **position < k) {
            if !positions.contains(position) && positions.len() < h {
                positions.push(*position);
            }
        }
        let bit = |i: usize| -> Box<dyn Pmf<Outcome>> {
            Box::new(Bit(if positions.contains(&i) { one.clone() } else { zero.clone() }, precision))
        };
        (k <= 64).then(|| -> Box<dyn Pmf<Outcome>> { Box::new(Product::new((0..k).map(bit))) })
    };
    Ok(Typed::of_data(mechanism, (positions(0), positions(h))).on_paper(paper))
}
