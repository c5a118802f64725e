//! The program `certus-release`: parse and price, debit, aggregate, draw, record, print, in this order.

mod arguments;
mod failure;
mod one_line;
mod release;
mod write;

use std::{ffi::OsString, io::Write, path::Path};

use certus::bits::{Bits, BitsError, SystemBits};
use clap::{Parser, error::ErrorKind};

use crate::output::Receipt;
use arguments::{CheckReceipt, Cli};
pub use failure::Failure;

/// Where a fresh source of bits comes from: the system's, unless a test has another.
pub type FreshBits<'b> = &'b mut dyn FnMut() -> Result<Box<dyn Bits>, BitsError>;

/// Where the program prints and draws.
pub struct World<'w> {
    /// Standard output.
    pub out: &'w mut dyn Write,
    /// Standard error.
    pub err: &'w mut dyn Write,
    /// A fresh generator for each release.
    pub bits: FreshBits<'w>,
}

/// Runs the program on the process's own arguments and streams; the answer is the exit status.
#[must_use]
pub fn main() -> u8 {
    let mut bits = || SystemBits::new().map(|bits| Box::new(bits) as Box<dyn Bits>);
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    run(std::env::args_os(), &mut World { out: &mut out, err: &mut err, bits: &mut bits })
}

/// Runs the program on arguments, the program's name first: 0 fine, 2 bad usage or input, 3 the environment
/// failed, 4 the budget refuses. A failure is one line on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, world: &mut World<'_>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let is_check = arguments.get(1).is_some_and(|first| first == "check-receipt");
    let outcome = if is_check { check_receipt(&arguments, world) } else { release(&arguments, world) };
    match outcome {
        Ok(()) => 0,
        Err(failure) => {
            if let Some(line) = failure.line() {
                // If even this cannot be written, the status still tells.
                let _ = writeln!(world.err, "error: {line}");
            }
            failure.status()
        }
    }
}

/// The parsed arguments; help and version are printed here.
fn parsed<P: Parser>(arguments: &[OsString], world: &mut World<'_>) -> Result<Option<P>, Failure> {
    match P::try_parse_from(arguments) {
        Ok(parsed) => Ok(Some(parsed)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            world.out.write_all(error.to_string().as_bytes())?;
            Ok(None)
        }
        Err(error) => Err(Failure::from_parser(&error)),
    }
}

fn release(arguments: &[OsString], world: &mut World<'_>) -> Result<(), Failure> {
    match parsed::<Cli>(arguments, world)? {
        Some(cli) => release::run(&cli, world),
        None => Ok(()),
    }
}

fn check_receipt(arguments: &[OsString], world: &mut World<'_>) -> Result<(), Failure> {
    // The program's name, and then what follows the command's.
    let (first, rest) = (arguments.iter().take(1), arguments.iter().skip(2));
    let arguments: Vec<OsString> = first.chain(rest).cloned().collect();
    let Some(check) = parsed::<CheckReceipt>(&arguments, world)? else { return Ok(()) };
    let receipt = Receipt::read(&release::read_text("FILE", &check.file)?).map_err(Failure::usage)?;
    let plan = receipt.check().map_err(Failure::usage)?;
    let mut checked = vec!["plan, digest and price"];
    if let Some(path) = &check.plan {
        let given = certus_ledger::plan::ReleasePlan::from_file(Path::new(path)).map_err(Failure::usage)?;
        if given.digest() != plan.digest() {
            return Err(Failure::Usage("--plan: is another plan than the receipt's".into()));
        }
        checked.push("plan file");
    }
    if let Some(path) = &check.output {
        receipt.check_output(release::read_text("--output", path)?.as_bytes()).map_err(Failure::usage)?;
        checked.push("output");
    }
    if let Some(path) = &check.ledger {
        receipt.check_ledger(Path::new(path)).map_err(Failure::usage)?;
        checked.push("debit in the ledger");
    }
    writeln!(world.out, "the receipt holds: {}; cost: {}", checked.join(", "), receipt.cost.shown())?;
    Ok(())
}
