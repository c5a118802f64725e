//! What is said beside a verdict: differences between the two sides that may come from how the samples were
//! kept.
//!
//! A note changes no number and no verdict. It tells nothing of a value: only how many samples there are, and
//! how their lines end.

use super::target::Origin;
use certus_audit::outputs::{Output, Shape, Tally};

/// What there is to say of the samples of both sides.
pub(super) fn notes(origin: &Origin, a: &Tally, b: &Tally) -> Vec<String> {
    let quotes = if matches!(origin, Origin::Tallies { .. }) { quotes(a, b) } else { None };
    let shards = if matches!(origin, Origin::Commands { .. } | Origin::Search { .. }) { one_shard(a, b) } else { None };
    // Of what is drawn in this process, a word is no message.
    let is_own = matches!(origin, Origin::Mechanism { .. } | Origin::Zoo(_));
    let strays = if is_own { [None, None] } else { [stray("a", a), stray("b", b)] };
    [fewer(a, b), line_ends(a, b), quotes, shards].into_iter().chain(strays).flatten().collect()
}

/// One side has fewer samples: what was not recorded is not audited.
fn fewer(a: &Tally, b: &Tally) -> Option<String> {
    let (less, more) = match (a.samples(), b.samples()) {
        (on_a, on_b) if on_a < on_b => (("a", on_a), ("b", on_b)),
        (on_a, on_b) if on_b < on_a => (("b", on_b), ("a", on_a)),
        _ => return None,
    };
    Some(format!(
        "side {} has {} samples and side {} has {}: if outputs of one side were not recorded, this audit does not see them",
        less.0, less.1, more.0, more.1
    ))
}

/// Commands that ran once each: what they print cannot be compared with another run of the same side.
fn one_shard(a: &Tally, b: &Tally) -> Option<String> {
    let is_one = a.shards().len() == 1 && b.shards().len() == 1;
    is_one.then(|| {
        "each command ran once (--shards 1): if both use the same seed their samples are not independent, and no verdict holds".to_owned()
    })
}

/// Hardly an output a run is a word, and all others are numbers: a message ("Loading model…") is among the outputs.
fn stray(side: &str, tally: &Tally) -> Option<String> {
    let is_word = |output: &Output| output.shape() == Shape::Word;
    let words: u64 = tally.iter().filter(|(output, _)| is_word(output)).map(|(_, count)| count).sum();
    let is_number = |output: &Output| matches!(output.shape(), Shape::Integer | Shape::Float | Shape::Fraction);
    if tally.iter().any(|(output, _)| !is_word(output) && !is_number(output)) {
        return None;
    }
    let runs = u64::try_from(tally.shards().len()).unwrap_or(u64::MAX).max(1);
    let is_stray = words > 0 && words <= runs.saturating_mul(MOST_STRAY) && words < tally.samples() / 100;
    is_stray.then(|| {
        format!(
            "side {side} has {words} that {} where all other outputs are numbers: whatever is printed is an output, \
             a message such as \"Loading model…\" too; messages belong on standard error",
            if words == 1 { "is a word" } else { "are words" }
        )
    })
}

/// The most lines of a message.
const MOST_STRAY: u64 = 3;

/// The samples whose line ends in a carriage return.
fn returns(tally: &Tally) -> u64 {
    tally.iter().filter(|(output, _)| output.text().ends_with('\r')).map(|(_, count)| count).sum()
}

/// One side has carriage returns and the other none, or hardly any: as if only one file had come from
/// Windows.
fn line_ends(a: &Tally, b: &Tally) -> Option<String> {
    let (on_a, on_b) = (returns(a), returns(b));
    let most = |returns: u64, tally: &Tally| returns > tally.samples() / 2;
    let differ = (on_a == 0) != (on_b == 0) || most(on_a, a) != most(on_b, b);
    // Compared as shares of the samples: u128 holds any product of two counts.
    let is_a = u128::from(on_a) * u128::from(b.samples()) >= u128::from(on_b) * u128::from(a.samples());
    let (crlf, lf) = if is_a { ("a", "b") } else { ("b", "a") };
    differ.then(|| {
        format!(
            "lines of side {crlf} end in CRLF and those of side {lf} in LF: \
             a carriage return is part of an output, so that this alone makes the sides differ"
        )
    })
}

/// One tally has texts in quotes and the other none: as if they had been counted from different formats.
fn quotes(a: &Tally, b: &Tally) -> Option<String> {
    let has_quotes = |tally: &Tally| tally.iter().any(|(output, _)| output.text().contains('"'));
    let (with, without) = match (has_quotes(a), has_quotes(b)) {
        (true, false) => ("a", "b"),
        (false, true) => ("b", "a"),
        _ => return None,
    };
    Some(format!(
        "side {with} has texts in quotes and side {without} has none: if one side was counted from NDJSON and the other \
         from another format, or by an earlier version, this alone makes the sides differ"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus_audit::outputs::Recording;

    fn tally(lines: &[&str]) -> Tally {
        let mut recording = Recording::new();
        lines.iter().for_each(|line| recording.line(line.as_bytes()).unwrap());
        recording.finish("x")
    }

    fn said(a: &[&str], b: &[&str]) -> String {
        let files = Origin::Tallies { a: Vec::new(), b: Vec::new(), arguments: Default::default() };
        notes(&files, &tally(a), &tally(b)).join("\n")
    }

    #[test]
    fn what_is_said_and_what_is_not() {
        assert_eq!(said(&["1", "2"], &["2", "1"]), "");
        assert_eq!(said(&["1\r", "2\r"], &["1\r", "3\r"]), "");
        assert_eq!(said(&["\"1\"", "2"], &["\"2\"", "1"]), "");
        assert!(said(&["1", "2", "3"], &["2", "1"]).starts_with("side b has 2 samples and side a has 3:"));
        assert!(said(&["1"], &["2", "1"]).starts_with("side a has 1 samples and side b has 2:"));
        assert!(said(&["1\r", "2\r"], &["1", "2"]).starts_with("lines of side a end in CRLF"));
        assert!(said(&["1", "2"], &["1", "2\r"]).starts_with("lines of side b end in CRLF"));
        assert!(said(&["1\r", "2", "3"], &["1\r", "2\r", "3"]).starts_with("lines of side b end in CRLF"));
        assert!(said(&["\"1\"", "2"], &["1", "2"]).starts_with("side a has texts in quotes"));
        let mut numbers: Vec<String> = (0..500).map(|number| number.to_string()).collect();
        let of = |lines: &[String]| said(&lines.iter().map(String::as_str).collect::<Vec<_>>(), &["1"; 500]);
        assert_eq!(of(&numbers), "");
        numbers[0] = "Loading model…".to_owned();
        assert!(of(&numbers).starts_with("side a has 1 that is a word"));
        numbers.iter_mut().step_by(50).for_each(|number| *number = "x".to_owned());
        assert_eq!(of(&numbers), "");
        let commands = Origin::Commands { a: String::new(), b: String::new(), arguments: Default::default() };
        let two = |first: &str| {
            tally(&[first]).merge(&{
                let mut recording = Recording::new();
                recording.integer(1);
                recording.finish("y")
            })
        };
        assert_eq!(notes(&commands, &two("\"1\"").unwrap(), &two("1").unwrap()), Vec::<String>::new());
        let once = notes(&commands, &tally(&["\"1\""]), &tally(&["1"]));
        assert!(once.len() == 1 && once.concat().contains("--shards 1"), "{once:?}");
    }
}
