//! `certus.Tally` and `certus.Recording`: outputs counted, added up, sent from machine to machine.

use std::{path::PathBuf, sync::Arc};

use certus::bits::BitsError;
use certus_audit::outputs::{self, MergeError, Output, TallyFileError};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict, PyType},
};

use crate::{
    number::{refused, type_name},
    outputs::{Kind, read},
    source::{draw, failed},
};

/// The longest name of a shard, in bytes, as of the command's --id.
const LONGEST_NAME_BYTES: usize = 200;

/// How often each output was seen, and in which shards.
///
/// A tally is the command's: to_bytes gives the bytes of the file that `certus tally` writes. Adding is a
/// sum of counts and a union of shards, in any order. A shard counts once: two of one name, or with the same
/// outputs in the same order, or with a long run of them in common, are a ValueError, since samples counted
/// twice are not independent.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Tally {
    pub(crate) tally: Arc<outputs::Tally>,
}

impl Tally {
    fn new(tally: outputs::Tally) -> Self {
        Self { tally: Arc::new(tally) }
    }
}

/// The name of a shard: what was given, or one that no other has.
fn shard_name(name: Option<&str>) -> PyResult<String> {
    match name {
        Some(name) if name.is_empty() || name.len() > LONGEST_NAME_BYTES => {
            Err(refused("shard", format_args!("must be a name of 1 to {LONGEST_NAME_BYTES} bytes")))
        }
        Some(name) => Ok(name.to_owned()),
        None => {
            let word = draw(None, |bits| -> Result<u64, BitsError> { bits.take(64) }).map_err(failed)?;
            Ok(format!("{word:016x}"))
        }
    }
}

fn not_merged(error: MergeError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Tally {
    /// The tally of these outputs, which are one shard.
    ///
    /// outputs: a numpy array of integers, floats, booleans or text (a row of a 2-D array is one output), an
    /// Arrow array, or a list of int, float, bool, str, tuple or None, which is no output.
    /// shard: the identity of this recording, by which a second count of it is refused: on an engine that
    /// runs tasks again, the job, the side and the partition. Without one it gets a name that no other has.
    #[staticmethod]
    #[pyo3(signature = (outputs, shard=None))]
    fn of(py: Python<'_>, outputs: &Bound<'_, PyAny>, shard: Option<&str>) -> PyResult<Self> {
        let name = shard_name(shard)?;
        let (batch, _) = read(outputs, "outputs")?;
        let mut recording = outputs::Recording::new();
        batch.record(py, &mut recording)?;
        Ok(Self::new(py.detach(|| recording.finish(&name))))
    }

    /// Both tallies in one; ValueError if they share a shard. `+` does the same.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let merged = py.detach(|| outputs::Tally::clone(&self.tally).merge(&other.tally));
        merged.map(Self::new).map_err(not_merged)
    }

    fn __add__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        self.merge(py, other)
    }

    /// 0 + tally, with which `sum` begins.
    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        match other.extract::<u64>() {
            Ok(0) => Ok(Self { tally: self.tally.clone() }),
            _ => Err(PyTypeError::new_err(format!("a tally is added to a tally, not to {}", type_name(other)))),
        }
    }

    /// The bytes of the file that the command's `certus tally` writes of the same outputs.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut file = Vec::new();
        py.detach(|| self.tally.write(&mut file))?;
        Ok(PyBytes::new(py, &file))
    }

    /// The tally of such bytes; ValueError if they are damaged, or no tally's.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let file = data.as_bytes();
        py.detach(|| outputs::Tally::read(file)).map(Self::new).map_err(not_read)
    }

    /// Writes the file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let bytes = self.to_bytes(py)?;
        let bytes = bytes.as_bytes();
        Ok(py.detach(|| std::fs::write(path, bytes))?)
    }

    /// Reads a file of this package or of the command.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = || -> Result<outputs::Tally, TallyFileError> {
            outputs::Tally::read(std::io::BufReader::new(std::fs::File::open(path)?))
        };
        py.detach(read).map(Self::new).map_err(not_read)
    }

    /// How many outputs were counted.
    #[getter]
    fn samples(&self) -> u64 {
        self.tally.samples()
    }

    /// How many of them are different.
    #[getter]
    fn distinct(&self) -> usize {
        self.tally.distinct()
    }

    /// The names of the shards, ascending.
    #[getter]
    fn shards(&self) -> Vec<String> {
        self.tally.shards().iter().map(|shard| shard.id().to_owned()).collect()
    }

    /// The outputs as text, each with its count: a new dict, in the order of the file.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (output, count) in self.tally.iter() {
            counts.set_item(output.text(), count)?;
        }
        Ok(counts)
    }

    /// How often this text was seen: an output as the file writes it.
    fn count(&self, text: &str) -> u64 {
        self.tally.count(&Output::parse(text))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.tally.samples())?)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().tally == self.tally)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        Ok((class.getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __repr__(&self) -> String {
        let [samples, distinct] = [self.tally.samples().to_string(), self.tally.distinct().to_string()];
        format!("<certus.Tally: {samples} samples, {distinct} distinct, shards: {}>", self.tally.shards().len())
    }
}

/// A damaged file is a bad value; one that is not there is the system's error.
fn not_read(error: TallyFileError) -> PyErr {
    match error {
        TallyFileError::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            PyValueError::new_err(error.to_string())
        }
        TallyFileError::Io(error) => error.into(),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Outputs of one shard, recorded batch after batch.
///
/// What holds of the outputs of one array holds of all: an array of floats after one of integers is a
/// TypeError.
#[pyclass(module = "certus")]
pub(crate) struct Recording {
    /// None once it was made a tally, or interrupted.
    recording: Option<outputs::Recording>,
    kind: Option<Kind>,
}

impl Recording {
    fn gone() -> PyErr {
        PyRuntimeError::new_err("this recording was made a tally, or interrupted: begin a new one")
    }
}

#[pymethods]
impl Recording {
    #[new]
    fn new() -> Self {
        Self { recording: Some(outputs::Recording::new()), kind: None }
    }

    /// Records a batch of outputs, as `Tally.of` takes them, and answers how many there were.
    ///
    /// Nothing is recorded where it raises.
    fn record(&mut self, py: Python<'_>, outputs: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.add(py, outputs, "outputs", None)
    }

    /// As `record`, with the name that refusals begin with, and how many there have to be.
    #[pyo3(name = "_add", signature = (outputs, name, wanted=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        outputs: &Bound<'_, PyAny>,
        name: &str,
        wanted: Option<usize>,
    ) -> PyResult<usize> {
        if self.recording.is_none() {
            return Err(Self::gone());
        }
        let (batch, kind) = read(outputs, name)?;
        if let Some(wanted) = wanted
            && batch.len() != wanted
        {
            let came = batch.len();
            return Err(refused(name, format_args!("must return {wanted} outputs if asked for {wanted}, not {came}")));
        }
        match self.kind {
            Some(earlier) if earlier != kind => {
                let must = format!("{name}: must not change its type, from {earlier} to {kind}");
                return Err(PyTypeError::new_err(must));
            }
            _ => self.kind = Some(kind),
        }
        let length = batch.len();
        // An interrupted recording holds a part of the batch, and is lost.
        let mut recording = self.recording.take().ok_or_else(Self::gone)?;
        batch.record(py, &mut recording)?;
        self.recording = Some(recording);
        Ok(length)
    }

    /// A new recording for outputs of the same type.
    fn _next(&self) -> Self {
        Self { kind: self.kind, ..Self::new() }
    }

    /// The tally of all that was recorded, as the shard of this name; the recording is used up.
    #[pyo3(signature = (shard=None))]
    fn tally(&mut self, py: Python<'_>, shard: Option<&str>) -> PyResult<Tally> {
        let name = shard_name(shard)?;
        let recording = self.recording.take().ok_or_else(Self::gone)?;
        Ok(Tally::new(py.detach(|| recording.finish(&name))))
    }

    /// How many outputs were recorded.
    #[getter]
    fn samples(&self) -> u64 {
        self.recording.as_ref().map_or(0, outputs::Recording::samples)
    }
}
