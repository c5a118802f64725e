//! A Parquet file as a table of DataFusion: the declared columns, row groups as partitions.
//!
//! The file is opened here rather than by name within the engine, which would take `*` in a name for a
//! pattern, and could open another file than the one that was checked.

use std::{collections::BTreeSet, fmt, fs::File, io, path::PathBuf, sync::Arc};

use datafusion::{
    arrow::{
        array::RecordBatch,
        datatypes::{Schema, SchemaRef},
    },
    catalog::{Session, TableProvider},
    common::{DataFusionError, Result},
    datasource::TableType,
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::Expr,
    parquet::arrow::{
        ProjectionMask,
        arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
    },
    physical_plan::{
        ExecutionPlan,
        stream::RecordBatchStreamAdapter,
        streaming::{PartitionStream, StreamingTableExec},
    },
};

use super::{ChangedError, Identity};

/// Rows of a batch.
const BATCH_ROWS: usize = 8192;

/// A file whose declared columns are read.
#[derive(Clone)]
pub(super) struct ParquetTable {
    path: PathBuf,
    identity: Identity,
    metadata: ArrowReaderMetadata,
    /// The declared columns, by their places among the file's.
    places: Vec<usize>,
    schema: SchemaRef,
    partitions: usize,
    progress: Arc<dyn Fn(u64) + Send + Sync>,
}

impl ParquetTable {
    /// The table of the columns of these names.
    pub(super) fn new(
        path: PathBuf,
        identity: Identity,
        metadata: ArrowReaderMetadata,
        names: &BTreeSet<&str>,
        partitions: usize,
        progress: Arc<dyn Fn(u64) + Send + Sync>,
    ) -> Self {
        let fields = metadata.schema().fields().iter().enumerate();
        let (places, fields): (_, Vec<_>) = fields.filter(|(_, field)| names.contains(field.name().as_str())).unzip();
        let schema = Arc::new(Schema::new(fields.into_iter().cloned().collect::<Vec<_>>()));
        Self { path, identity, metadata, places, schema, partitions: partitions.max(1), progress }
    }

    /// The batches of every so-manieth row group, in the order of the schema.
    fn batches(&self, part: usize) -> Result<Batches> {
        let file = File::open(&self.path)?;
        if Identity::of(&file)? != self.identity {
            return Err(DataFusionError::External(Box::new(io::Error::other(ChangedError))));
        }
        let groups = (part..self.metadata.metadata().num_row_groups()).step_by(self.partitions).collect();
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), self.places.iter().copied());
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let reader = builder.with_row_groups(groups).with_projection(mask).with_batch_size(BATCH_ROWS).build()?;
        Ok(Batches { reader, schema: Arc::clone(&self.schema), progress: Arc::clone(&self.progress) })
    }
}

impl fmt::Debug for ParquetTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl TableProvider for ParquetTable {
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
        let mut order = None;
        if let Some(projection) = projection {
            // The file's columns come in the file's order; what is asked for in another is put into it after.
            let sorted: BTreeSet<usize> = projection.iter().copied().collect();
            table.places = sorted.iter().filter_map(|place| self.places.get(*place).copied()).collect();
            table.schema = Arc::new(self.schema.project(&sorted.iter().copied().collect::<Vec<_>>())?);
            order =
                Some(projection.iter().filter_map(|place| sorted.iter().position(|other| other == place)).collect());
        }
        let (schema, table) = (Arc::clone(&table.schema), Arc::new(table));
        let parts = (0..table.partitions)
            .map(|part| Arc::new(Part { table: Arc::clone(&table), part }) as Arc<dyn PartitionStream>);
        Ok(Arc::new(StreamingTableExec::try_new(schema, parts.collect(), order.as_ref(), [], false, None)?))
    }
}

#[derive(Debug)]
struct Part {
    table: Arc<ParquetTable>,
    part: usize,
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.table.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (batches, failure) = match self.table.batches(self.part) {
            Ok(batches) => (Some(batches), None),
            Err(error) => (None, Some(Err(error))),
        };
        let stream = futures::stream::iter(failure.into_iter().chain(batches.into_iter().flatten()));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.table.schema), stream))
    }
}

struct Batches {
    reader: ParquetRecordBatchReader,
    schema: SchemaRef,
    progress: Arc<dyn Fn(u64) + Send + Sync>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        let batch = batch.and_then(|batch| batch.with_schema(Arc::clone(&self.schema)));
        (self.progress)(batch.as_ref().map_or(0, |batch| batch.num_rows() as u64));
        Some(batch.map_err(Into::into))
    }
}
