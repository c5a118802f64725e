//! Many answers to the same question.

use super::{
    BROKEN, CORRECT, Draw, Specimen,
    noise::exact_laplace,
    sparse_vector::{svt3, svt4},
};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "parallel_laplace_not_composed",
        about: "twenty answers of epsilon 0.05 to one question, called 0.05: together they cost 1",
        epsilon: "0.05",
        make: || answers(20),
        ..BROKEN
    },
    Specimen {
        name: "parallel_laplace_correct",
        about: "twenty answers of epsilon 0.05, which together are 1",
        epsilon: "1",
        make: || answers(20),
        ..CORRECT
    },
    Specimen {
        name: "parallel_svt3_and_svt4",
        about: "two broken sparse vectors beside each other",
        epsilon: "1",
        make: || {
            let mut both = [svt3(), svt4()];
            Box::new(move |side, random, line| both.iter_mut().try_for_each(|one| one(side, random, line)))
        },
        ..BROKEN
    },
];

fn answers(count: usize) -> Draw {
    let noise = exact_laplace(20, 1);
    Box::new(move |side, random, line| {
        for _ in 0..count {
            line.part(side.pick(0, 1) + noise(random)?);
        }
        Ok(())
    })
}
