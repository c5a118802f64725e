//! What must hold of any bytes given to the CSV reader. A broken property panics.

use certus_release::csv::{rows, value};

/// Every line that is not empty is a row, wherever ranges are cut; every field has a meaning or none. The first
/// byte says how many fields a row has and where the bytes are cut.
pub fn csv(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let fields = usize::from(*first & 3) + 1;
    let cut = u64::from(*first >> 2).min(bytes.len() as u64);
    let whole = rows(bytes, fields, &[]).expect("memory is read");
    let in_two = rows(bytes, fields, &[cut]).expect("memory is read");
    assert_eq!(whole, in_two, "where a range is cut changes nothing");
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !matches!(line, [] | [b'\r']));
    assert_eq!(lines.count(), whole.len(), "each line that is not empty is a row");
    for field in whole.iter().flatten() {
        let integer = value::integer(field);
        if let Some(number) = value::number(field) {
            assert!(number.is_finite() || integer.is_none(), "a number is one");
        }
        let _ = value::text(field);
    }
}
