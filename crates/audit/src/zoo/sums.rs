//! Sums over time: prefix, partial and smart sums (Chan, Shi and Song 2011; Wang, Ding, Kifer and Zhang
//! 2020).

use super::{BROKEN, CORRECT, Draw, Side, Specimen, noise::exact_laplace};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "prefix_sum_all_move",
        about: "prefix sums of ten noisy counts (noise 1/epsilon) on which one person may be in all ten: epsilon is 1",
        make: || prefix_sums(|side, _| side.pick(1, 2)),
        ..BROKEN
    },
    Specimen {
        name: "prefix_sum_correct",
        about: "the same where one person is in one of the counts",
        make: || prefix_sums(|side, at| if at == 3 { side.pick(1, 2) } else { 1 }),
        ..CORRECT
    },
    Specimen {
        name: "partial_sum_half_noise",
        about: "a sum with noise 1/(2·epsilon): epsilon is doubled",
        samples: 400_000,
        make: || sum(5),
        ..BROKEN
    },
    Specimen { name: "partial_sum_correct", about: "a sum with noise 1/epsilon", make: || sum(10), ..CORRECT },
    Specimen {
        name: "smart_sum_block_without_noise",
        about: "running sums in blocks of three that add no noise to a finished block",
        make: || smart_sums(false),
        ..BROKEN
    },
    Specimen {
        name: "smart_sum_correct",
        about: "running sums in blocks of three, each element and each block with noise 2/epsilon",
        make: || smart_sums(true),
        ..CORRECT
    },
];

fn prefix_sums(count: fn(Side, usize) -> i64) -> Draw {
    let noise = exact_laplace(10, 1);
    Box::new(move |side, random, line| {
        let mut total = 0;
        for at in 0..10 {
            total += count(side, at) + noise(random)?;
            line.part(total);
        }
        Ok(())
    })
}

fn sum(scale: u32) -> Draw {
    let noise = exact_laplace(scale, 1);
    Box::new(move |side, random, line| {
        line.part(side.pick(7, 8) + noise(random)?);
        Ok(())
    })
}

/// Nine elements, of which the second differs by one.
fn smart_sums(noisy_blocks: bool) -> Draw {
    let noise = exact_laplace(20, 1);
    Box::new(move |side, random, line| {
        // What is told of the finished blocks, the sum of the block so far, and what is told of the elements
        // of it.
        let (mut blocks, mut block, mut elements) = (0, 0, 0);
        for at in 1..=9 {
            let element = if at == 2 { side.pick(1, 0) } else { 1 };
            block += element;
            if at % 3 == 0 {
                blocks += block + if noisy_blocks { noise(random)? } else { 0 };
                (block, elements) = (0, 0);
                line.part(blocks);
            } else {
                elements += element + noise(random)?;
                line.part(blocks + elements);
            }
        }
        Ok(())
    })
}
