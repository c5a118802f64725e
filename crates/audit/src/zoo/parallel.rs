//! Many answers to the same question.

use super::{
    BROKEN, CORRECT, Draw, Specimen,
    noise::exact_laplace,
    sparse_vector::{svt3, svt3_rounded, svt4},
};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "parallel_laplace_not_composed",
        about: "twenty answers of epsilon 0.05 to one question, called 0.05: together they cost 1",
        epsilon: "0.05",
        make: || answers(20),
        // Of ε each.
        at: Some(|epsilon| answers((1.0 / epsilon).round() as u32)),
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
        make: || both([svt4(1.0), svt3(1.0)]),
        at: Some(|epsilon| both([svt4(epsilon), svt3_rounded(epsilon)])),
        ..BROKEN
    },
];

fn both(mut both: [Draw; 2]) -> Draw {
    Box::new(move |side, random, line| both.iter_mut().try_for_each(|one| one(side, random, line)))
}

/// Twenty of them.
fn answers(scale: u32) -> Draw {
    let noise = exact_laplace(scale, 1);
    Box::new(move |side, random, line| {
        for _ in 0..20 {
            line.part(side.pick(0, 1) + noise(random)?);
        }
        Ok(())
    })
}
