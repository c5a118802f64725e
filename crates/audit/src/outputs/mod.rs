//! What a mechanism printed: one output a line, counted in tallies that merge, and split without looking at
//! the values.

mod output;
mod recording;
mod split;
mod table;
mod tally;
mod tally_file;
mod text;
mod texts;
mod trace;

use text::Text;

pub(crate) use output::part_number;
pub use output::{Output, Shape};
pub use recording::{LONGEST_LINE_BYTES, LineError, Recording};
pub use split::draw;
pub use table::{Counts, Part, Table};
pub use tally::{MergeError, Shard, Tally};
pub use tally_file::TallyFileError;
pub use trace::Trace;
