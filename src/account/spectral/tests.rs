use std::println;
use std::time::Instant;
use alloc::vec::Vec;

use super::{listing::list, outcomes::LossSum, plan::{Listed, Wanted}, sum::working_bits};
use crate::exact::{Budget, Working, parse};

#[test]
fn trial() {
    for (spec, epsilon, width) in [
        ("subsampled_gaussian(sigma=1, rate=1/100)*100", "1", 1e-5),
        ("subsampled_gaussian(sigma=1, rate=1/100)*1000", "3", 1e-5),
        ("subsampled_gaussian(sigma=1, rate=1/100)*10000", "7", 1e-5),
        ("subsampled_gaussian(sigma=1, rate=1/100)*100000", "30", 1e-5),
        ("subsampled_gaussian(sigma=3/10, rate=1/1000)*1000", "3", 1e-5),
        ("subsampled_gaussian(sigma=3/10, rate=1/1000)*1000", "20", 1e-5),
        ("subsampled_gaussian(sigma=3/10, rate=1/2)*1000", "2600", 1e-5),
        ("subsampled_gaussian(sigma=3/10, rate=1/2)*1000", "2050", 1e-5),
        ("subsampled_gaussian(sigma=1, rate=1e-9)*1000", "1e-7", 1e-5),
    ] {
        let spec: crate::mechanism::Spec = spec.parse().unwrap();
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        let domination = crate::mechanism::domination(&spec).unwrap();
        for pair in [&domination.forward()[0], &domination.backward()[0]] {
            let start = Instant::now();
            let working = Working::new(working_bits(4, super::listing::small(pair)));
            let part = list(pair, copies, 208, &working).unwrap();
            let listed = start.elapsed();
            let mut plan = Listed::new(LossSum { parts: Vec::from([part]) }, working);
            let found = plan.delta(&parse(epsilon).unwrap(), Wanted { width, most: 1 << 16 }, &Budget::unlimited()).unwrap();
            let f = |x: &crate::exact::Rational| crate::exact::decimal(x, 10, crate::exact::Rounding::Down);
            println!("{spec} {} {} width {:.2e} listed {listed:?} all {:?}", f(&found.lower), f(&found.upper), found.width(), start.elapsed());
        }
    }
}
