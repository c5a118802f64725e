//! Values of private data: none is refused, and what is refused is told in words that do not depend on it.

use crate::{build, entries, examples};

/// Integers that are out of some type's or some mechanism's range.
const VALUES: [&str; 10] = [
    "0",
    "-1",
    "2",
    "11",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1e999",
    "-1e999",
];

/// The input with one of its entries replaced, each in turn: as many entries as before, the number of which
/// is public.
fn replaced(input: &str, value: &str) -> Vec<String> {
    let entries: Vec<&str> = input.split(',').collect();
    let at = |place: usize| {
        let mut entries = entries.clone();
        entries[place] = value;
        entries.join(",")
    };
    (0..entries.len()).map(at).collect()
}

/// Whatever the value of an entry, there is a release.
#[test]
fn no_value_is_refused() {
    for example in examples() {
        let mechanism = build(example);
        let (first, second) = mechanism.neighbours();
        for input in [first, second] {
            for value in VALUES {
                for input in replaced(input, value) {
                    if let Err(error) = mechanism.on(&input) {
                        panic!("{example} on {input:?}: {error}");
                    }
                }
            }
        }
    }
}

/// What is no number, or not as many as the public parameters say, is refused; by the same words whatever it
/// is.
#[test]
fn a_refusal_does_not_depend_on_the_value() {
    for entry in entries() {
        let example = entry.examples[0];
        let mechanism = build(example);
        let error = |input: &str| mechanism.on(input).err().map(|error| error.to_string());
        let (no_number, another) = (error("é"), error("17,\u{1b}[0m"));
        assert!(no_number.is_some(), "{example}");
        assert_eq!(no_number, another, "{example}");
        // Fewer, or more, than there must be.
        let (few, many) = (error("1,2,3,4,5,6,7,8,9"), error("-77,0,0,0,0,0,0,0,0"));
        assert_eq!(few, many, "{example}");
    }
}
