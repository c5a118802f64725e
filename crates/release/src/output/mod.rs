//! What a release prints: one document, shown as a table, CSV, Parquet or JSON.
//!
//! The document is what the ledger records and what a receipt names by its digest; every format is made from
//! it, so that a retry prints the same again.

mod document;
#[cfg(feature = "engine")]
mod parquet;
mod receipt;
mod table;

pub use document::{CostText, Document, MechanismText, QueryText, RowText};
#[cfg(feature = "engine")]
pub use parquet::{ParquetError, parquet};
pub use receipt::{Receipt, ReceiptError};
pub use table::{csv, dry_run_table, table};

/// The version of the JSON documents.
pub const SCHEMA_VERSION: u32 = 1;
