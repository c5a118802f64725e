//! What stops an aggregation. The texts speak of the plan, the header or schema and the machine alone.

use std::{error::Error, io};

use datafusion::common::DataFusionError;

use crate::{csv::HeaderError, sql::SqlError};

/// An aggregation that gives nothing.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A name that ends neither in .csv nor in .parquet.
    #[error("the data are neither a .csv nor a .parquet file")]
    Format,
    /// Not a plain file.
    #[error("the data are not a plain file, which could be seen to change")]
    NotAFile,
    /// The header.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The plan, or the schema.
    #[error(transparent)]
    Plan(#[from] SqlError),
    /// A schema that cannot be read.
    #[error("the Parquet file's schema cannot be read")]
    Schema,
    /// A column of the schema that is there twice, or of a type without a rule.
    #[error("the column {0:?} of the Parquet file is of a type that no declaration reads")]
    Type(String),
    /// The file is another than when it was checked, or was written to.
    #[error("the file changed while it was read; there is no output")]
    Changed,
    /// The system's.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The engine's memory or spill space.
    #[error(
        "the aggregation does not fit the memory ({memory} bytes) and the spill space ({spill} bytes) that it may use"
    )]
    Resources {
        /// Bytes of memory.
        memory: usize,
        /// Bytes of spill space.
        spill: u64,
    },
    /// Anything else. What the engine says may quote data, and is not shown.
    #[error("the engine could not aggregate the file")]
    Engine,
}

/// The file is not the one that was checked.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the file changed while it was read")]
pub struct ChangedError;

/// What an error of DataFusion becomes.
pub(crate) fn without_data(error: &DataFusionError, memory: usize, spill: u64) -> EngineError {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = source {
        // The limit of the spill space is told from its text alone: it names the setting.
        let exhausted = matches!(current.downcast_ref(), Some(DataFusionError::ResourcesExhausted(_)))
            || current.source().is_none() && current.to_string().contains("max_temp_directory_size");
        if exhausted {
            return EngineError::Resources { memory, spill };
        }
        if current.is::<ChangedError>() {
            return EngineError::Changed;
        }
        if let Some(io) = current.downcast_ref::<io::Error>() {
            match io.get_ref() {
                Some(inner) => source = Some(inner),
                None => return EngineError::Io(io.kind().into()),
            }
            continue;
        }
        source = current.source();
    }
    EngineError::Engine
}
