//! The most that a plan may hold: whatever is read is read in bounded time and memory.

/// Bytes of a plan file, and of a file of values.
pub const MOST_BYTES: u64 = 4 << 20;
/// Columns of a plan.
pub const MOST_COLUMNS: usize = 1_000;
/// Queries of a plan.
pub const MOST_QUERIES: usize = 1_000;
/// Values of a list, cut points, and groups of a query: the coordinates that a vector of the catalogue takes.
pub const MOST_VALUES: usize = 1 << 16;
/// Candidates of a quantile or of top-k: what a choice of the catalogue takes.
pub const MOST_CANDIDATES: usize = 10_000;
/// Bytes of a name or of a text.
pub const MOST_TEXT_BYTES: usize = 1_000;
/// Bytes of a filter.
pub const MOST_FILTER_BYTES: usize = 10_000;
/// Parentheses and NOTs around each other.
pub const MOST_FILTER_DEPTH: usize = 50;
/// Literals of one IN.
pub const MOST_LITERALS: usize = 1_000;
/// Groups of a person under thresholded keys: what `stability_histogram` takes.
pub const MOST_THRESHOLDED_GROUPS: u32 = 1_000;
/// Steps of a column of numbers are at most 2^53 in magnitude: doubles count so far without a gap.
pub const MOST_STEPS: i64 = 1 << 53;
/// The widest range of a variance, in steps: squares of its width stay below 2^60.
pub const MOST_VARIANCE_STEPS: u64 = 1 << 30;
/// Characters of a query's name.
pub const MOST_NAME: usize = 100;
