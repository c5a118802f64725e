//! `certus.Laplace` and `certus.Gaussian`: exact noise into numpy arrays, and onto them.

use certus::{
    bits::{BitsError, Key, Range},
    exact::{Integer, Positive, Rational, render},
    sample::{FillError, GaussianNoise, LaplaceNoise, Sample, Sampler, fixed::Mode},
};
use pyo3::{
    exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError},
    prelude::*,
    types::{PyList, PyString},
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    array,
    capsule::{self, Column},
    gpu::OnGpus,
    number::{count, integer, positive, refused, to_fraction, to_int, type_name},
    source::{Seeded, Source, draw, failed},
};

/// The most samples of one call: what an array can hold.
const MOST_SAMPLES: u64 = 1 << 59;

/// The most threads that may be asked for.
const MOST_THREADS: u64 = 1024;

/// The noise by its sampler.
pub(crate) enum Drawn {
    Laplace(LaplaceNoise),
    Gaussian(GaussianNoise),
}

/// Integer noise: what `certus.Laplace` and `certus.Gaussian` have in common.
///
/// Every sample is exact: no float decides anything. It is seeded by the operating system, afresh in every
/// call; `source` is for tests (`certus.testing.seeded`).
#[pyclass(module = "certus", frozen, subclass)]
pub(crate) struct Noise {
    pub(crate) drawn: Drawn,
    pub(crate) on_gpus: OnGpus,
}

impl Noise {
    fn new(drawn: Drawn) -> Self {
        Self { drawn, on_gpus: OnGpus::default() }
    }
}

/// The sampler of a name.
pub(crate) fn sampler(name: &str) -> PyResult<Sampler> {
    match name {
        "prepared" => Ok(Sampler::Prepared),
        "fixed" => Ok(Sampler::Fixed(Mode::Standard)),
        "reference" => Ok(Sampler::Reference),
        _ => Err(refused("sampler", "must be 'prepared', 'fixed' or 'reference'")),
    }
}

impl Drawn {
    fn sampler(&self) -> &'static str {
        match self {
            Self::Laplace(noise) => noise.sampler(),
            Self::Gaussian(noise) => noise.sampler(),
        }
    }

    fn fill<T: Sample + Send>(
        &self,
        bits: Source<'_>,
        pool: Option<&ThreadPool>,
        out: &mut [T],
    ) -> Result<(), FillError> {
        match (self, pool) {
            (Self::Laplace(LaplaceNoise::Prepared(noise)), Some(pool)) => {
                pool.install(|| noise.fill_at(range(bits, out)?, out))
            }
            (Self::Gaussian(GaussianNoise::Prepared(noise)), Some(pool)) => {
                pool.install(|| noise.fill_at(range(bits, out)?, out))
            }
            (Self::Laplace(noise), _) => noise.fill(bits, out),
            (Self::Gaussian(noise), _) => noise.fill(bits, out),
        }
    }

    fn add(&self, bits: Source<'_>, pool: Option<&ThreadPool>, values: &mut [i64]) -> Result<usize, BitsError> {
        match (self, pool) {
            (Self::Laplace(LaplaceNoise::Prepared(noise)), Some(pool)) => {
                pool.install(|| noise.add_noise_at(range(bits, values)?, values))
            }
            (Self::Gaussian(GaussianNoise::Prepared(noise)), Some(pool)) => {
                pool.install(|| noise.add_noise_at(range(bits, values)?, values))
            }
            (Self::Laplace(noise), _) => noise.add_noise(bits, values),
            (Self::Gaussian(noise), _) => noise.add_noise(bits, values),
        }
    }
}

/// As many samples of a fresh key as a slice has places.
fn range<T>(bits: Source<'_>, slice: &[T]) -> Result<Range, BitsError> {
    Key::drawn_from(bits)?.range(u64::try_from(slice.len()).map_err(|_| BitsError::Overflow)?)
}

/// Threads of this call alone: a pool that outlives it would be gone in a forked child.
pub(crate) fn pool(threads: &Bound<'_, PyAny>, noise: &Noise) -> PyResult<ThreadPool> {
    if !matches!(noise.drawn, Drawn::Laplace(LaplaceNoise::Prepared(_)) | Drawn::Gaussian(GaussianNoise::Prepared(_))) {
        return Err(refused("threads", "must not be given but for the prepared sampler"));
    }
    let threads = usize::try_from(count(threads, "threads", 1, MOST_THREADS)?)?;
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| PyRuntimeError::new_err(format!("threads: {error}")))
}

/// How many samples are asked for.
fn length(n: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(usize::try_from(count(n, "n", 0, MOST_SAMPLES)?)?)
}

/// An empty vector with room for n numbers.
fn room(n: usize) -> PyResult<Vec<i64>> {
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(|_| PyMemoryError::new_err("there is no room for so many numbers"))?;
    Ok(values)
}

/// A sample that does not fit is no sample, and nothing is returned.
fn not_filled(error: FillError) -> PyErr {
    match error {
        FillError::Bits(error) => failed(error),
        _ => PyOverflowError::new_err("a sample does not fit int64: sample_integers draws integers of any size"),
    }
}

#[pymethods]
impl Noise {
    /// The name of the sampler that draws: 'prepared', 'fixed' or 'reference'.
    ///
    /// Noise too wide for tables is drawn by the reference sampler.
    #[getter]
    fn sampler(&self) -> &'static str {
        self.drawn.sampler()
    }

    /// n samples, as an array of int64; with into='arrow', as a Column for whoever reads Arrow.
    ///
    /// threads: on so many threads (the prepared sampler's only). The samples are then the same for every
    /// number of threads, and others than without. OverflowError, and nothing is returned, if a sample does
    /// not fit int64.
    #[pyo3(signature = (n, *, into="numpy", threads=None, source=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        n: &Bound<'py, PyAny>,
        into: &str,
        threads: Option<&Bound<'py, PyAny>>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pool = threads.map(|threads| pool(threads, self)).transpose()?;
        let n = length(n)?;
        match into {
            "numpy" => {}
            "arrow" => {
                let source = source.map(Bound::get);
                let drawn = py.detach(|| {
                    let mut out = room(n)?;
                    out.resize(n, 0);
                    draw(source, |bits| self.drawn.fill(bits, pool.as_ref(), &mut out)).map_err(not_filled)?;
                    Ok::<_, PyErr>(out)
                })?;
                return Ok(Bound::new(py, Column::from(drawn))?.into_any());
            }
            _ => return Err(refused("into", "must be 'numpy' or 'arrow'")),
        }
        let array = array::zeros(py, &[n])?;
        let mut borrowed = array::writable(&array, "n")?;
        let out = array::slice(&mut borrowed, "n")?;
        let source = source.map(Bound::get);
        let drawn = py.detach(|| draw(source, |bits| self.drawn.fill(bits, pool.as_ref(), out)));
        drawn.map_err(not_filled)?;
        drop(borrowed);
        Ok(array.into_any())
    }

    /// n samples, as a list of Python integers of any size.
    #[pyo3(signature = (n, *, source=None))]
    fn sample_integers<'py>(
        &self,
        py: Python<'py>,
        n: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let n = length(n)?;
        let noise = self.integers(py, n, source)?;
        to_list(py, &noise)
    }

    /// x with independent noise added to each entry, as a new array of int64 of the same shape; of an Arrow
    /// column of int64 without nulls, as a Column.
    ///
    /// out: an array of int64 and of that shape that takes the result instead; it may be x itself.
    /// threads: as of `sample`. OverflowError if a sum does not fit int64: nothing is returned then, and
    /// out holds zeros.
    #[pyo3(signature = (x, *, out=None, threads=None, source=None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<&Bound<'py, PyAny>>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pool = threads.map(|threads| pool(threads, self)).transpose()?;
        if let Some(chunks) = capsule::chunks(x, "x")? {
            if out.is_some() {
                return Err(refused("out", "must not be given for an Arrow column, which never changes"));
            }
            let words = capsule::words(&chunks, "x")?;
            let source = source.map(Bound::get);
            let sums = py.detach(|| {
                let mut sums = room(words.iter().map(|chunk| chunk.values().len()).sum())?;
                words.iter().for_each(|chunk| sums.extend_from_slice(chunk.values()));
                self.add_to(source, pool.as_ref(), &mut sums).map(|()| sums)
            })?;
            return Ok(Bound::new(py, Column::from(sums))?.into_any());
        }
        let result = array::copied(x, out)?;
        let mut borrowed = array::writable(&result, "out")?;
        let values = array::slice(&mut borrowed, "out")?;
        let source = source.map(Bound::get);
        py.detach(|| self.add_to(source, pool.as_ref(), values))?;
        drop(borrowed);
        Ok(result.into_any())
    }

    /// Each of some Python integers, of any size, with independent noise added; a list.
    #[pyo3(signature = (values, *, source=None))]
    fn add_integers<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let must = || PyTypeError::new_err(format!("values: must be a sequence of int, not {}", type_name(values)));
        if values.is_instance_of::<PyString>() {
            return Err(must());
        }
        let mut answers = Vec::new();
        for value in values.try_iter().map_err(|_| must())? {
            let value = value?.call_method0("__index__").map_err(|_| PyTypeError::new_err("values: must be int"))?;
            answers.push(Integer::from(integer(&value)?));
        }
        let noise = self.integers(py, answers.len(), source)?;
        let sums: Vec<Integer> = answers.iter().zip(&noise).map(|(answer, noise)| answer.add(noise)).collect();
        to_list(py, &sums)
    }
}

impl Noise {
    /// Adds noise to each of these; sums are clamped, and all are zeros if there is an error.
    pub(crate) fn add_clamped(
        &self,
        bits: Source<'_>,
        pool: Option<&ThreadPool>,
        values: &mut [i64],
    ) -> Result<(), BitsError> {
        self.drawn.add(bits, pool, values).map(drop)
    }

    /// Adds noise to each of these; they are zeros if there is an error.
    fn add_to(&self, source: Option<&Seeded>, pool: Option<&ThreadPool>, values: &mut [i64]) -> PyResult<()> {
        let clamped = draw(source, |bits| self.drawn.add(bits, pool, values));
        // Values without noise are private, and clamped sums are not what was asked for.
        if clamped != Ok(0) {
            values.fill(0);
        }
        if clamped.map_err(failed)? > 0 {
            return Err(PyOverflowError::new_err("a sum does not fit int64: add_integers takes integers of any size"));
        }
        Ok(())
    }

    fn integers(&self, py: Python<'_>, n: usize, source: Option<&Bound<'_, Seeded>>) -> PyResult<Vec<Integer>> {
        let source = source.map(Bound::get);
        py.detach(|| {
            let mut noise = vec![Integer::ZERO; n];
            draw(source, |bits| self.drawn.fill(bits, None, &mut noise)).map(|()| noise)
        })
        .map_err(not_filled)
    }
}

fn to_list<'py>(py: Python<'py>, values: &[Integer]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, values.iter().map(|value| to_int(py, value)).collect::<PyResult<Vec<_>>>()?)
}

/// Discrete Laplace noise: P(k) is proportional to e^(-|k|/scale) on all integers k.
///
/// sampler: 'prepared' (tables, the fastest), 'fixed' (work that says nothing about the noise, up to a scale
/// of 2^56) or 'reference' (nothing is built beforehand). All draw from the same distribution, exactly.
/// The time that 'prepared' and 'reference' take depends on the noise: whoever can measure it learns
/// something about the noise, and so about the answer. 'fixed' is for them.
#[pyclass(module = "certus", frozen, extends = Noise)]
pub(crate) struct Laplace {
    scale: Positive,
}

#[pymethods]
impl Laplace {
    #[new]
    #[pyo3(signature = (scale, *, sampler="prepared"))]
    fn new(py: Python<'_>, scale: &Bound<'_, PyAny>, sampler: &str) -> PyResult<PyClassInitializer<Self>> {
        let (scale, by) = (positive(scale, "scale")?, self::sampler(sampler)?);
        let noise = py.detach(|| LaplaceNoise::new(&scale, by)).map_err(|error| refused("scale", error))?;
        Ok(PyClassInitializer::from(Noise::new(Drawn::Laplace(noise))).add_subclass(Self { scale }))
    }

    /// The scale, a Fraction.
    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, self.scale.get())
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        shown("Laplace", "scale", slf.scale.get(), slf.as_super().sampler())
    }
}

/// Discrete Gaussian noise: P(k) is proportional to e^(-k^2/(2*sigma^2)) on all integers k.
///
/// Either sigma or sigma2, its square, is given. The samplers are those of `Laplace`, with the same caution
/// about time.
#[pyclass(module = "certus", frozen, extends = Noise)]
pub(crate) struct Gaussian {
    variance: Positive,
}

#[pymethods]
impl Gaussian {
    #[new]
    #[pyo3(signature = (sigma=None, *, sigma2=None, sampler="prepared"))]
    fn new(
        py: Python<'_>,
        sigma: Option<&Bound<'_, PyAny>>,
        sigma2: Option<&Bound<'_, PyAny>>,
        sampler: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let variance = match (sigma, sigma2) {
            (Some(sigma), None) => positive(sigma, "sigma")?.square(),
            (None, Some(sigma2)) => positive(sigma2, "sigma2")?,
            _ => return Err(PyTypeError::new_err("either sigma or sigma2 must be given")),
        };
        let by = self::sampler(sampler)?;
        let noise = py.detach(|| GaussianNoise::new(&variance, by)).map_err(|error| refused("sigma", error))?;
        Ok(PyClassInitializer::from(Noise::new(Drawn::Gaussian(noise))).add_subclass(Self { variance }))
    }

    /// The square of sigma, a Fraction.
    #[getter]
    fn sigma2<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, self.variance.get())
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        shown("Gaussian", "sigma2", slf.variance.get(), slf.as_super().sampler())
    }
}

fn shown(name: &str, key: &str, value: &Rational, sampler: &str) -> String {
    format!("certus.{name}({key}='{}', sampler='{sampler}')", render(value))
}
