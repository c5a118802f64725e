//! An aggregation: each query by itself, so that one at a time takes memory.

use std::{
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use certus_ledger::{Digest, plan::ReleasePlan};
use datafusion::{
    arrow::{
        array::{Array, AsArray, RecordBatch, StringArray},
        compute::cast,
        datatypes::DataType,
    },
    catalog::TableProvider,
    execution::{
        disk_manager::{DiskManager, DiskManagerMode},
        memory_pool::FairSpillPool,
        runtime_env::RuntimeEnvBuilder,
    },
    prelude::{SessionConfig, SessionContext},
};
use futures::StreamExt;

use super::{
    Data, EngineError, Identity, cells,
    error::without_data,
    open::{Format, names},
    parquet::ParquetTable,
};
use crate::{
    aggregates::{Aggregates, Group, RankKey, Reader, Row},
    csv::CsvTable,
    sql::{self, Source},
};

/// What the table is called.
const TABLE: &str = "data";

impl Data {
    /// Aggregates the file, and gives every group of every query once.
    ///
    /// **What was given counts only if this returns without an error**: a file that changed is noticed at the
    /// end.
    ///
    /// # Errors
    ///
    /// A file that changed; what the machine lacks.
    pub fn for_each_group(
        &self,
        plan: &ReleasePlan,
        rank_key: &RankKey,
        mut give: impl FnMut(usize, Group),
    ) -> Result<(), EngineError> {
        self.check_unchanged()?;
        let workers = self.options.partitions.max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build()?;
        let outcome = runtime.block_on(self.run(plan, rank_key, &mut give));
        // A file that changed may be the cause of any error.
        self.check_unchanged()?;
        outcome
    }

    /// Aggregates the file, and keeps all groups.
    ///
    /// # Errors
    ///
    /// As [`Data::for_each_group`].
    pub fn aggregate(&self, plan: &ReleasePlan, digest: &Digest, key: &RankKey) -> Result<Aggregates, EngineError> {
        let mut queries = vec![Vec::new(); plan.queries.len()];
        self.for_each_group(plan, key, |place, group| {
            if let Some(groups) = queries.get_mut(place) {
                groups.push(group);
            }
        })?;
        Ok(Aggregates { plan: *digest, rank_key: key.clone(), queries })
    }

    /// The file that the path names is the one that was opened, and was not written to.
    fn check_unchanged(&self) -> Result<(), EngineError> {
        match File::open(&self.path).and_then(|file| Identity::of(&file)) {
            Ok(identity) if identity == self.identity => Ok(()),
            Ok(_) | Err(_) => Err(EngineError::Changed),
        }
    }

    async fn run(
        &self,
        plan: &ReleasePlan,
        rank_key: &RankKey,
        give: &mut impl FnMut(usize, Group),
    ) -> Result<(), EngineError> {
        let (context, source) = self.context(plan)?;
        let public = |error| without_data(&error, self.options.memory, self.options.spill_limit);
        let reader = Reader::new(plan);
        for place in 0..plan.queries.len() {
            let text = sql::aggregation_of(plan, rank_key, TABLE, &source, place)?;
            let mut batches = context.sql(&text).await.map_err(public)?.execute_stream().await.map_err(public)?;
            while let Some(batch) = batches.next().await {
                groups(&reader, &batch.map_err(public)?, give)?;
            }
        }
        Ok(())
    }

    /// A session with the table in it.
    fn context(&self, plan: &ReleasePlan) -> Result<(SessionContext, Source), EngineError> {
        let options = &self.options;
        let public = |error| without_data(&error, options.memory, options.spill_limit);
        let mode = match &options.spill {
            Some(folder) => DiskManagerMode::Directories(vec![folder.clone()]),
            None => DiskManagerMode::OsTmpDirectory,
        };
        let disk = DiskManager::builder().with_mode(mode).with_max_temp_directory_size(options.spill_limit);
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(FairSpillPool::new(options.memory)))
            .with_disk_manager_builder(disk)
            .build_arc()
            .map_err(public)?;
        let config = SessionConfig::new().with_target_partitions(options.partitions.max(1));
        let context = SessionContext::new_with_config_rt(config, runtime);
        let total = match &self.format {
            Format::Csv(_) => self.identity.length(),
            Format::Parquet(metadata, _) => metadata.metadata().file_metadata().num_rows().unsigned_abs(),
        };
        let total = total * plan.queries.len() as u64;
        let (read, tell) = (AtomicU64::new(0), Arc::clone(&options.progress));
        let progress = Arc::new(move |more| tell(read.fetch_add(more, Ordering::Relaxed) + more, total));
        let (path, partitions) = (self.path.clone(), options.partitions);
        let (table, source): (Arc<dyn TableProvider>, _) = match &self.format {
            Format::Csv(header) => {
                let table = CsvTable::new(plan, path, self.identity, header.clone(), partitions, progress)?;
                (Arc::new(table.ok_or(EngineError::Engine)?), Source::Canonical)
            }
            Format::Parquet(metadata, source) => {
                let names = names(plan);
                let table = ParquetTable::new(path, self.identity, metadata.clone(), &names, partitions, progress);
                (Arc::new(table), source.clone())
            }
        };
        context.register_table(TABLE, table).map_err(public)?;
        cells::functions(plan).for_each(|function| context.register_udf(function));
        Ok((context, source))
    }
}

/// The groups of a batch, all of whose columns are texts.
fn groups(reader: &Reader<'_>, batch: &RecordBatch, give: &mut impl FnMut(usize, Group)) -> Result<(), EngineError> {
    let columns: Result<Vec<_>, _> = batch.columns().iter().map(|column| cast(column, &DataType::Utf8)).collect();
    let columns = columns.map_err(|_| EngineError::Engine)?;
    let columns: Vec<&StringArray> = columns.iter().map(AsArray::as_string::<i32>).collect();
    let mut fields = Vec::with_capacity(columns.len());
    for row in 0..batch.num_rows() {
        fields.clear();
        fields.extend(columns.iter().map(|column| if column.is_null(row) { "" } else { column.value(row) }));
        match reader.read(&fields) {
            Ok(Row::Group(place, group)) => give(place, group),
            Ok(Row::Plan(_) | Row::Rank(_)) | Err(_) => return Err(EngineError::Engine),
        }
    }
    Ok(())
}
