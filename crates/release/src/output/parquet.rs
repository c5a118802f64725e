//! A document's results as a Parquet file.

use std::sync::Arc;

use datafusion::{
    arrow::{
        array::{ArrayRef, Float64Array, RecordBatch, StringArray},
        datatypes::{DataType, Field, Schema},
    },
    parquet::arrow::ArrowWriter,
};

use super::{
    Document,
    table::{COLUMNS, records},
};

/// The file could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the Parquet output could not be made: {0}")]
pub struct ParquetError(String);

/// The results as the bytes of a Parquet file. Numbers are doubles, nearest to the exact texts beside them.
///
/// # Errors
///
/// If the writer fails.
pub fn parquet(document: &Document) -> Result<Vec<u8>, ParquetError> {
    let failed = |error: &dyn std::fmt::Display| ParquetError(error.to_string());
    let records = records(document);
    let is_number = |name: &str| matches!(name, "value" | "accuracy_95" | "accuracy_95_all");
    let kind = |name: &str| if is_number(name) { DataType::Float64 } else { DataType::Utf8 };
    let fields: Vec<Field> = COLUMNS.iter().map(|name| Field::new(*name, kind(name), true)).collect();
    let column = |(place, name): (usize, &&str)| -> ArrayRef {
        let texts = records.iter().map(|record| record.get(place).map(String::as_str).filter(|text| !text.is_empty()));
        if is_number(name) {
            Arc::new(texts.map(|text| text.and_then(|text| text.parse::<f64>().ok())).collect::<Float64Array>())
        } else {
            Arc::new(texts.collect::<StringArray>())
        }
    };
    let columns: Vec<ArrayRef> = COLUMNS.iter().enumerate().map(column).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, None).map_err(|error| failed(&error))?;
    writer.write(&batch).map_err(|error| failed(&error))?;
    writer.close().map_err(|error| failed(&error))?;
    Ok(bytes)
}
