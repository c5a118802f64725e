//! `certus tally`: a stream of outputs, counted into a file.

use std::io::{self, Write};

use serde_json::json;

use super::files::{self, SampleFile};
use crate::{
    Failure, SCHEMA_VERSION,
    arguments::{Format, Shared, Tally},
    whole_file::{WholeFile, check_apart, check_apart_from_standard_input},
};
use certus::bits::{Bits, SystemBits};
use certus_audit::outputs::Recording;

pub(crate) fn run(options: &Tally, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    if shared.json && options.output.is_none() {
        return Err(Failure::argument("--json", "needs --output: the tally itself would be on standard output"));
    }
    let to = options.output.as_deref().map(|name| WholeFile::to("--output", name, "a-1.tally")).transpose()?;
    if let Some(to) = &to {
        match &options.file {
            Some(path) => check_apart(&[to], &[("FILE".to_owned(), path.clone())])?,
            None => check_apart_from_standard_input(to)?,
        }
    }
    let id = match &options.id {
        Some(id) if id.is_empty() || id.len() > 200 => {
            return Err(Failure::value("--id", id, "must be a name of 1 to 200 bytes"));
        }
        Some(id) => id.clone(),
        // Two machines must not have the same.
        None => format!("{:016x}", SystemBits::new()?.take(64)?),
    };
    let mut recording = Recording::new();
    let column = options.column.as_deref();
    match options.file.as_deref() {
        Some(path) => {
            let format = files::format_of_both(("FILE", path), ("FILE", path), options.format)?;
            let tally = SampleFile { argument: "FILE", path, format, column };
            tally.record(files::open("FILE", path)?, u64::MAX, &mut recording)?;
        }
        None => {
            let format = options.format.unwrap_or(Format::Text);
            let tally = SampleFile { argument: "standard input", path: "-", format, column };
            tally.record(io::stdin().lock(), u64::MAX, &mut recording)?;
        }
    }
    let tally = recording.finish(&id);
    match to {
        None => tally.write(&mut *out)?,
        Some(file) => {
            let mut content = Vec::new();
            tally.write(&mut content)?;
            file.write(&content)?;
            let (samples, distinct) = (tally.samples(), tally.distinct());
            if shared.json {
                let document = json!({
                    "schema_version": SCHEMA_VERSION,
                    "id": id,
                    "samples": samples,
                    "distinct": distinct,
                    "output": file.path().display().to_string(),
                });
                writeln!(out, "{document}")?;
            } else {
                writeln!(out, "{samples} samples, {distinct} distinct outputs, as {id}: {}", file.path().display())?;
            }
        }
    }
    out.flush()?;
    Ok(0)
}
