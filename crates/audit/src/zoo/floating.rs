//! Floating-point noise: the low bits tell the input (Mironov 2012; Haney, Desfontaines, Hartman, Shrestha
//! and Hay 2022).

use super::{BROKEN, CORRECT, Draw, Random, Specimen, noise::exact_laplace};
use certus::{
    bits::BitsError,
    exact::{Positive, Rational},
    sample::{PreparedGaussian, Program},
};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "float_laplace",
        about: "Laplace noise by the naive inverse of the distribution function, in doubles",
        epsilon: "1",
        scales: &[1.0],
        make: || float(|random| random.laplace(1.0)),
        ..BROKEN
    },
    Specimen {
        name: "float_laplace_correct",
        about: "the same on a grid of 2^-10, with exact noise",
        epsilon: "1",
        make: || on_a_grid(exact_laplace(1024, 1)),
        ..CORRECT
    },
    Specimen {
        name: "float_gaussian_box_muller",
        about: "normal noise by Box and Muller, in doubles",
        epsilon: "1",
        delta: "0.01",
        scales: &[3.0],
        make: || float(|random| random.box_muller(3.0)),
        ..BROKEN
    },
    Specimen {
        name: "float_gaussian_polar",
        about: "normal noise by the polar method, in doubles",
        epsilon: "1",
        delta: "0.01",
        scales: &[3.0],
        make: || float(|random| random.polar(3.0)),
        ..BROKEN
    },
    Specimen {
        name: "float_gaussian_correct",
        about: "discrete Gaussian noise on a grid of 2^-10, exact",
        epsilon: "1",
        delta: "0.01",
        make: || {
            let sigma = Positive::new(Rational::from_integer((3 * 1024).into())).ok();
            let sampler = sigma.map(|sigma| PreparedGaussian::new(&sigma));
            on_a_grid(move |random| match &sampler {
                Some(sampler) => Ok(sampler.sample(random.bits())?.to_i64().unwrap_or(i64::MAX)),
                None => Ok(0),
            })
        },
        ..CORRECT
    },
];

fn float(noise: fn(&mut Random) -> Result<f64, BitsError>) -> Draw {
    Box::new(move |side, random, line| {
        line.part(side.pick(0.0, 1.0) + noise(random)?);
        Ok(())
    })
}

/// Multiples of 2^-10: a sum of them is exact in doubles.
fn on_a_grid(noise: impl Fn(&mut Random) -> Result<i64, BitsError> + Send + 'static) -> Draw {
    Box::new(move |side, random, line| {
        line.part((side.pick(0, 1024) + noise(random)?) as f64 / 1024.0);
        Ok(())
    })
}
