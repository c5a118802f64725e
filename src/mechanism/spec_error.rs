//! What can be wrong with a mechanism spec: each line names the argument and says what is accepted.

use alloc::string::String;

use super::Excerpt;
use crate::exact::NumberError;

/// The largest number of copies in `name(…)*k`.
pub const MAX_COPIES: u32 = 1_000_000_000;

/// The longest text of a spec, in bytes.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// The most arguments of a spec.
pub(super) const MAX_ARGUMENTS: usize = 64;

/// The most entries of a list.
pub(super) const MAX_ENTRIES: usize = 4_096;

/// The longest name or key, in bytes.
pub(super) const MAX_NAME: usize = 40;

/// Why a text is not a mechanism spec, or not one that the mechanism accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text, or its canonical form, is longer than 64 KiB.
    #[error(
        "mechanism spec: must be at most {MAX_BYTES} bytes, also with its numbers written as fractions in lowest terms"
    )]
    TooLong,
    /// The mechanism's name is missing or malformed.
    #[error("mechanism name {found}: must be 1 to {MAX_NAME} of a-z, 0-9 and _, and not begin with a digit")]
    Name {
        /// What stands where the name should.
        found: Excerpt,
    },
    /// A key is missing or malformed.
    #[error("{name}: key {found}: must be 1 to {MAX_NAME} of a-z, 0-9 and _, and not begin with a digit")]
    Key {
        /// The mechanism.
        name: String,
        /// What stands where the key should.
        found: Excerpt,
    },
    /// A key is not followed by `=`.
    #[error("{name}: {key}: must be written {key}=NUMBER or {key}=[NUMBER, …]")]
    NoValue {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
    },
    /// A key is given twice.
    #[error("{name}: {key}: must be given once, not twice")]
    Twice {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
    },
    /// There are more than 64 arguments.
    #[error("{name}: must have at most {MAX_ARGUMENTS} arguments")]
    TooManyArguments {
        /// The mechanism.
        name: String,
    },
    /// A list has more than 4,096 entries.
    #[error("{name}: {key}: must be a list of at most {MAX_ENTRIES} numbers")]
    TooManyEntries {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
    },
    /// A value, or an entry of a list, is not a number.
    #[error("{name}: {key}: {found} {source}")]
    Number {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
        /// What stands where the number should.
        found: Excerpt,
        /// What is wrong with it.
        source: NumberError,
    },
    /// A list stands inside a list.
    #[error("{name}: {key}: must be a list of numbers, not of lists")]
    Nested {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
    },
    /// Something other than a comma or the closing bracket follows a value.
    #[error("{name}: {key}: must be followed by `,` or `{closing}`, not by {found}")]
    Unclosed {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
        /// The bracket that is open.
        closing: char,
        /// What follows.
        found: Excerpt,
    },
    /// Text follows the end of the spec.
    #[error("{name}: must end there or in *k (k copies), not in {found}")]
    Trailing {
        /// The mechanism.
        name: String,
        /// The text.
        found: Excerpt,
    },
    /// The number of copies is not an integer from 1 to [`MAX_COPIES`].
    #[error("{name}: copies {found}: k in *k must be an integer from 1 to {MAX_COPIES}")]
    Copies {
        /// The mechanism.
        name: String,
        /// What stands where the number should.
        found: Excerpt,
    },
    /// A list is given where the mechanism takes a number.
    #[error("{name}: {key}: must be a number, not a list")]
    NotANumber {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
    },
    /// A number is given where the mechanism takes a list.
    #[error("{name}: {key}: must be a list, such as [1, 1/2], not a number")]
    NotAList {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
    },
    /// There is no mechanism of this name.
    #[error("mechanism {found}: unknown; accepted: {accepted}")]
    UnknownName {
        /// The name.
        found: Excerpt,
        /// The names that there are.
        accepted: String,
    },
    /// A key that the mechanism needs is not given.
    #[error("{name}: {key}: must be given")]
    Missing {
        /// The mechanism.
        name: String,
        /// The key, or the keys of which one is needed.
        key: String,
    },
    /// A number is not in the range that the key accepts.
    #[error("{name}: {key}: {must}")]
    OutOfRange {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
        /// What the number must be.
        must: &'static str,
    },
    /// The mechanism refuses the number, or the numbers, given for a key.
    #[error("{name}: {key}: {why}")]
    Refused {
        /// The mechanism.
        name: String,
        /// The key, or the keys that do not go together.
        key: String,
        /// What must hold.
        why: String,
    },
    /// The mechanism has no such key.
    #[error("{name}: {key}: unknown key; accepted: {accepted}")]
    Unknown {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
        /// The keys that the mechanism accepts.
        accepted: String,
    },
    /// The mechanism has this key, but does not take it beside the others given.
    #[error(
        "{name}: {key}: must not be combined with the other arguments given; accepted, not all together: {accepted}"
    )]
    Conflicting {
        /// The mechanism.
        name: String,
        /// The key.
        key: String,
        /// The keys that the mechanism accepts.
        accepted: String,
    },
}
