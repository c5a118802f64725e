//! A Poisson sample of the data: every example by a coin of its own, exactly.

use certus::{
    bits::BitsError,
    sample::{Bernoulli, Program as _},
};
use pyo3::{exceptions::PyMemoryError, prelude::*};

use crate::{
    array,
    number::{count, probability},
    source::{Seeded, draw, failed},
};

/// The most examples of a data set.
const MOST_EXAMPLES: u64 = 1 << 40;

/// The places, in order, of the examples that are drawn: each of `population` with probability `rate`.
#[pyfunction(name = "_poisson_sample")]
#[pyo3(signature = (population, rate, *, source=None))]
pub(crate) fn poisson_sample<'py>(
    py: Python<'py>,
    population: &Bound<'py, PyAny>,
    rate: &Bound<'py, PyAny>,
    source: Option<&Bound<'py, Seeded>>,
) -> PyResult<Bound<'py, PyAny>> {
    let population = count(population, "population", 0, MOST_EXAMPLES)?;
    let coin = Bernoulli::new(probability(rate, "rate")?);
    let source = source.map(Bound::get);
    let drawn = py.detach(|| {
        draw(source, |bits| {
            bits.begin()?;
            let mut drawn = Vec::new();
            for place in 0..population {
                if coin.sample(bits)? {
                    drawn.push(i64::try_from(place).map_err(|_| BitsError::Overflow)?);
                }
            }
            Ok::<_, BitsError>(drawn)
        })
    });
    let drawn = drawn.map_err(failed)?;
    let places = array::zeros(py, &[drawn.len()])?;
    let mut borrowed = array::writable(&places, "population")?;
    let out = array::slice(&mut borrowed, "population")?;
    if out.len() != drawn.len() {
        return Err(PyMemoryError::new_err("there is no room for so many numbers"));
    }
    out.copy_from_slice(&drawn);
    drop(borrowed);
    Ok(places.into_any())
}
