//! A CSV file as a table of DataFusion: canonical columns, ranges of bytes as partitions.

use std::{fmt, fs::File, io, ops::Range, path::PathBuf, sync::Arc};

use certus_ledger::plan::ReleasePlan;
use datafusion::{
    arrow::{
        array::{RecordBatch, RecordBatchOptions},
        datatypes::SchemaRef,
    },
    catalog::{Session, TableProvider},
    common::{DataFusionError, Result},
    datasource::TableType,
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::Expr,
    physical_plan::{
        ExecutionPlan,
        stream::RecordBatchStreamAdapter,
        streaming::{PartitionStream, StreamingTableExec},
    },
};

use super::{
    columns::{Builder, Declared, schema},
    header::{Header, HeaderError},
    lines::Lines,
    record::Records,
};
use crate::engine::Identity;

/// Rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Told how many more bytes were read.
pub type Progress = Arc<dyn Fn(u64) + Send + Sync>;

/// A file whose declared columns are read.
#[derive(Clone)]
pub struct CsvTable {
    path: PathBuf,
    identity: Identity,
    header: Header,
    columns: Vec<Declared>,
    schema: SchemaRef,
    partitions: usize,
    progress: Progress,
}

impl CsvTable {
    /// The table of a plan. `partitions` ranges are read at once.
    ///
    /// # Errors
    ///
    /// A header that lacks a column of the plan.
    pub fn new(
        plan: &ReleasePlan,
        path: PathBuf,
        identity: Identity,
        header: Header,
        partitions: usize,
        progress: Progress,
    ) -> Result<Option<Self>, HeaderError> {
        let Some(columns) = Declared::all(plan, &header)? else { return Ok(None) };
        let partitions = partitions.max(1);
        let schema = Arc::new(schema(&columns));
        Ok(Some(Self { path, identity, header, columns, schema, partitions, progress }))
    }

    /// Ranges of bytes that together are the rows of the file.
    fn ranges(&self) -> Vec<Range<u64>> {
        let (first, end, count) = (self.header.end, self.identity.length(), self.partitions as u64);
        let length = end.saturating_sub(first);
        let cut = |part: u64| first + length / count * part + (length % count) * part / count;
        (0..count).map(|part| cut(part)..cut(part + 1)).collect()
    }
}

impl fmt::Debug for CsvTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvTable").field("columns", &self.columns).finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl TableProvider for CsvTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut table = self.clone();
        if let Some(projection) = projection {
            table.columns = projection.iter().filter_map(|place| self.columns.get(*place).cloned()).collect();
            table.schema = Arc::new(self.schema.project(projection)?);
        }
        let (schema, table) = (Arc::clone(&table.schema), Arc::new(table));
        let parts = table
            .ranges()
            .into_iter()
            .map(|range| Arc::new(Part { table: Arc::clone(&table), range }) as Arc<dyn PartitionStream>);
        Ok(Arc::new(StreamingTableExec::try_new(schema, parts.collect(), None, [], false, None)?))
    }
}

/// The rows that begin in a range of bytes.
#[derive(Debug)]
struct Part {
    table: Arc<CsvTable>,
    range: Range<u64>,
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.table.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let table = Arc::clone(&self.table);
        let range = self.range.clone();
        let mut batches = None;
        let stream = futures::stream::iter(std::iter::from_fn(move || {
            let batches = match &mut batches {
                Some(batches) => batches,
                None => match Batches::new(Arc::clone(&table), range.clone()) {
                    Ok(new) => batches.insert(new),
                    Err(error) => return Some(Err(external(error))),
                },
            };
            batches.next().map_err(external).transpose()
        }));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.table.schema), stream))
    }
}

fn external(error: io::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

struct Batches {
    table: Arc<CsvTable>,
    records: Records,
    builders: Vec<Builder>,
    failed: bool,
}

impl Batches {
    fn new(table: Arc<CsvTable>, range: Range<u64>) -> io::Result<Self> {
        let file = File::open(&table.path)?;
        if Identity::of(&file)? != table.identity {
            return Err(io::Error::other(crate::engine::ChangedError));
        }
        let progress = Arc::clone(&table.progress);
        let lines = Lines::new(file, range, table.header.end, Box::new(move |bytes| progress(bytes)))?;
        let records = Records::new(lines, table.header.columns());
        let builders = table.columns.iter().map(|column| Builder::new(column, BATCH_ROWS)).collect();
        Ok(Self { table, records, builders, failed: false })
    }

    fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.failed {
            return Ok(None);
        }
        self.failed = true;
        let mut rows = 0;
        while rows < BATCH_ROWS {
            let Some(record) = self.records.next()? else { break };
            for (column, builder) in self.table.columns.iter().zip(&mut self.builders) {
                builder.push(record.field(column.place));
            }
            rows += 1;
        }
        self.failed = false;
        if rows == 0 {
            return Ok(None);
        }
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.table.schema), columns, &options);
        batch.map(Some).map_err(io::Error::other)
    }
}
