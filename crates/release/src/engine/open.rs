//! A file that a plan can be aggregated from, as far as its header or schema tells.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use certus_ledger::plan::ReleasePlan;
use datafusion::{
    arrow::datatypes::{DataType, SchemaRef},
    parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions},
};

use super::{EngineError, Identity};
use crate::{
    aggregates::RankKey,
    csv::Header,
    sql::{self, Kind, Kinds, Source},
};

/// How an aggregation runs.
#[derive(Clone)]
pub struct Options {
    /// Bytes that the engine's sorts and groups may take; the process takes more, by buffers and batches.
    pub memory: usize,
    /// The folder in which sorts and groups that do not fit the memory are kept for a while; the system's,
    /// unless it is named. **These files hold rows of the data**, in mode 0600, and are removed at the end,
    /// unless the process is killed.
    pub spill: Option<PathBuf>,
    /// Bytes that they may take. A query with a person sorts the rows that pass its filter: about 45 bytes
    /// each for an identifier of 12 characters and one column (4.4 GB measured for 10^8 rows).
    pub spill_limit: u64,
    /// Parts of the work that run at once.
    pub partitions: usize,
    /// Told, again and again, how much of how much was read: bytes of CSV, rows of Parquet. Each query reads
    /// the file once.
    pub progress: Arc<dyn Fn(u64, u64) + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memory: 512 << 20,
            spill: None,
            spill_limit: 100 << 30,
            partitions: std::thread::available_parallelism().map_or(1, usize::from),
            progress: Arc::new(|_, _| {}),
        }
    }
}

/// A file whose header or schema serves a plan.
pub struct Data {
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    pub(super) format: Format,
    pub(super) options: Options,
}

/// CSV or Parquet.
pub(super) enum Format {
    Csv(Header),
    Parquet(ArrowReaderMetadata, Source),
}

impl Data {
    /// Opens a file and compares its header or schema with a plan. No row is read.
    ///
    /// # Errors
    ///
    /// Another ending than .csv or .parquet, a column of the plan that is not there or that has no rule, or a
    /// plan that contradicts itself.
    pub fn open(plan: &ReleasePlan, path: &Path, options: Options) -> Result<Self, EngineError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(EngineError::NotAFile);
        }
        let identity = Identity::settled(&file)?;
        let (format, source) = match ending.as_str() {
            "csv" => {
                let header = Header::read(&file)?;
                for name in names(plan) {
                    header.place(name)?;
                }
                (Format::Csv(header), Source::Canonical)
            }
            "parquet" => {
                let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
                let metadata = metadata.map_err(|_| EngineError::Schema)?;
                let source = Source::Typed(kinds(plan, metadata.schema())?);
                (Format::Parquet(metadata, source.clone()), source)
            }
            _ => return Err(EngineError::Format),
        };
        // Whatever the plan gets wrong is found here, before the budget is debited.
        let key = RankKey([0; 32]);
        for place in 0..plan.queries.len() {
            sql::aggregation_of(plan, &key, "data", &source, place)?;
        }
        Ok(Self { path: path.to_owned(), identity, format, options })
    }
}

/// The columns of a file that a plan reads.
pub(super) fn names(plan: &ReleasePlan) -> BTreeSet<&str> {
    let person = plan.person.iter().map(|person| person.column.as_str());
    plan.columns.keys().map(String::as_str).chain(person).collect()
}

/// The types of the columns that a plan reads.
fn kinds(plan: &ReleasePlan, schema: &SchemaRef) -> Result<Kinds, EngineError> {
    let mut kinds = BTreeMap::new();
    for name in names(plan) {
        let mut fields = schema.fields().iter().filter(|field| field.name() == name);
        let field = fields.next().ok_or_else(|| sql::SqlError::Absent(name.to_owned()))?;
        let kind = kind(field.data_type()).filter(|_| fields.next().is_none());
        kinds.insert(name.to_owned(), kind.ok_or_else(|| EngineError::Type(name.to_owned()))?);
    }
    Ok(kinds)
}

fn kind(data: &DataType) -> Option<Kind> {
    Some(match data {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Kind::Integer,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => Kind::Integer,
        DataType::UInt64 => Kind::Unsigned,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Kind::Float,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => Kind::Decimal,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        DataType::Boolean => Kind::Boolean,
        DataType::Dictionary(_, values) => return kind(values).filter(|kind| *kind == Kind::Text),
        _ => return None,
    })
}
