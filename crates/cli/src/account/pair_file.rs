//! Pairs of finite distributions: two columns of exact numbers in a file.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};

use super::listed::Item;
use crate::{Failure, source::count};
use certus::{
    exact::{NonNegative, Rational, Rounding, decimal, parse, render},
    guarantee::{Attained, Domination, FinitePair, Pair, Weight},
    mechanism::{Excerpt, MAX_COPIES},
};

/// The longest file that is read, in bytes.
const LONGEST: u64 = 4 << 20;

/// The most outcomes of a pair.
const MOST_OUTCOMES: usize = 1 << 16;

/// The longest common denominator, in bits: about 10,000 digits.
const LONGEST_DENOMINATOR: u64 = 33_220;

/// The text of a file that an argument names. What cannot be read is bad input.
pub(crate) fn read(path: &str) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::Usage(format!("{path}: must be a file that can be read: {error}"));
    let mut text = Vec::new();
    File::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut text).map_err(failed)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > LONGEST) {
        return Err(Failure::Usage(format!("{path}: must be at most {} MiB long", LONGEST >> 20)));
    }
    String::from_utf8(text).map_err(|_| Failure::Usage(format!("{path}: must be text in UTF-8")))
}

/// The file of `--pair FILE` or `--pair FILE*K`.
pub(super) fn path_of(argument: &str) -> &str {
    argument.rsplit_once('*').map_or(argument, |(path, _)| path)
}

/// `--pair FILE` or `--pair FILE*K`: what follows the last `*` is the number of copies.
pub(super) fn from_argument(argument: &str) -> Result<Item, Failure> {
    let (path, copies) = match argument.rsplit_once('*') {
        Some((path, copies)) => (path, count("--pair: copies", copies, 1, MAX_COPIES.into())?),
        None => (argument, 1),
    };
    if path.is_empty() {
        return Err(Failure::value("--pair", argument, "must name a file of two columns, p and q, as FILE or FILE*K"));
    }
    from_file(path, copies)
}

/// The pair in a file, this often.
pub(super) fn from_file(path: &str, copies: u64) -> Result<Item, Failure> {
    let columns = columns(path, &read(path)?)?;
    from_columns(path, columns, copies)
}

/// The lines of the file: `p, q` or `p q`, after an optional heading of these names; `#` begins a comment.
fn columns(path: &str, text: &str) -> Result<Vec<(Rational, Rational)>, Failure> {
    let mut outcomes = Vec::new();
    let mut is_first = true;
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let fields: Vec<&str> = if line.contains([',', ';']) {
            line.split([',', ';']).map(str::trim).collect()
        } else {
            line.split_whitespace().collect()
        };
        if std::mem::take(&mut is_first) && matches!(fields.as_slice(), ["p" | "P", "q" | "Q"]) {
            continue;
        }
        let refused =
            |what: &str| Failure::Usage(format!("{path}: line {}: {what}, not {}", index + 1, Excerpt::new(line)));
        let [p, q] = fields.as_slice() else { return Err(refused("must be two numbers, p and q")) };
        let number = |text: &str| parse(text).map_err(|_| refused("must be two numbers such as 1/3, 0.25 or 1e-6"));
        outcomes.push((number(p)?, number(q)?));
    }
    Ok(outcomes)
}

/// The item of a pair whose probabilities are given; `source` names them in an error.
pub(super) fn from_columns(
    source: &str,
    mut outcomes: Vec<(Rational, Rational)>,
    copies: u64,
) -> Result<Item, Failure> {
    // Outcomes have no names, so their order is none.
    outcomes.sort();
    let refused = |what: String| Failure::Usage(format!("{source}: {what}"));
    if outcomes.is_empty() || outcomes.len() > MOST_OUTCOMES {
        let found = outcomes.len();
        return Err(refused(format!(
            "must have from 1 to {MOST_OUTCOMES} outcomes, each with its p and q, not {found}"
        )));
    }
    for (side, name) in
        [(outcomes.iter().map(|(p, _)| p).collect::<Vec<_>>(), "p"), (outcomes.iter().map(|(_, q)| q).collect(), "q")]
    {
        if let Some(negative) = side.iter().find(|value| ***value < Rational::zero()) {
            return Err(refused(format!(
                "{name}: must be probabilities, from 0 to 1, not {}",
                Excerpt::new(&render(negative))
            )));
        }
        let sum = sum(&side)
            .ok_or_else(|| refused(format!("{name}: must have a common denominator of at most 10000 digits")))?;
        if !sum.is_one() {
            return Err(refused(format!("{name}: must add up to exactly 1, not {}", shown(&sum))));
        }
    }
    let list = |side: fn(&(Rational, Rational)) -> &Rational| {
        outcomes.iter().map(|pair| render(side(pair))).collect::<Vec<_>>().join(", ")
    };
    let text = format!("pair(p=[{}], q=[{}])", list(|pair| &pair.0), list(|pair| &pair.1));
    // Both sides add up to 1 exactly, so that weights are probabilities; and none is negative.
    let weight = |value: Rational| Weight::rational(NonNegative::new(value).unwrap_or_else(|_| NonNegative::zero()));
    let pair = FinitePair::new(outcomes.into_iter().map(|(p, q)| (weight(p), weight(q))).collect());
    let pair = pair.map_err(|error| refused(error.to_string()))?;
    // Attained by definition: the pair is what is asked about.
    Ok(Item::new(text, Domination::by(Pair::Finite(pair)).attained(Attained::ByAnswers), copies))
}

/// The exact sum, if the numbers have a common denominator that is not absurd. Numbers are added by
/// denominator first, since a file rarely has many.
fn sum(numbers: &[&Rational]) -> Option<Rational> {
    let mut numerators: BTreeMap<&BigInt, BigInt> = BTreeMap::new();
    for number in numbers {
        *numerators.entry(number.denom()).or_default() += number.numer();
    }
    let mut common = BigUint::one();
    for denominator in numerators.keys() {
        // The common factor with a denominator that is far shorter, by way of one remainder.
        let denominator = denominator.magnitude();
        common *= denominator / (&common % denominator).gcd(denominator);
        if common.bits() > LONGEST_DENOMINATOR {
            return None;
        }
    }
    let common = BigInt::from(common);
    let total: BigInt =
        numerators.into_iter().map(|(denominator, numerator)| numerator * (&common / denominator)).sum();
    Some(Rational::new(total, common))
}

/// A sum for an error line: exact if short, otherwise its first digits; rounded away from 1, so that it is
/// not printed as 1.
fn shown(sum: &Rational) -> String {
    let text = render(sum);
    if text.len() <= 40 {
        return text;
    }
    let rounding = if *sum < Rational::one() { Rounding::Down } else { Rounding::Up };
    format!("about {}", decimal(sum, 20, rounding))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn columns_are_read_in_every_notation() {
        let expected = vec![(ratio(1, 2), ratio(1, 4)), (ratio(1, 2), ratio(3, 4))];
        for text in [
            "1/2,1/4\n1/2,3/4\n",
            "p,q\r\n0.5, 0.25\r\n0.5, 0.75\r\n",
            "\u{feff}P q\n\n# nothing\n5e-1\t0.25 # the first\n0.5  0.75",
            "0.5;0.25\n0.5;0.75",
        ] {
            assert_eq!(columns("f", text).ok(), Some(expected.clone()), "{text:?}");
        }
        for (text, named) in
            [("1/2\n", "line 1"), ("1/2,1/2\n1/2,1/2,0\n", "line 2"), ("x,1\n", "line 1"), ("1,1\np,q\n", "line 2")]
        {
            let line = columns("masses.csv", text).unwrap_err().line().unwrap();
            assert!(line.starts_with("masses.csv: ") && line.contains(named), "{line}");
        }
    }

    #[test]
    fn sums_are_exact_and_bounded() {
        let third = ratio(1, 3);
        assert_eq!(sum(&[&third, &third, &third]), Some(ratio(1, 1)));
        // 1 − 10^-500 is not 1, and is not printed as 1.
        let tiny = parse("1e-500").unwrap();
        let short = ratio(1, 1) - &tiny;
        assert!(!sum(&[&short]).unwrap().is_one());
        assert!(shown(&short).starts_with("about 0.99999999999999999999"), "{}", shown(&short));
        // Without the bound, the sum of 20,000 unit fractions of consecutive denominators would take minutes.
        let fractions: Vec<_> = (30_000..50_000).map(|d| ratio(1, d)).collect();
        assert_eq!(sum(&fractions.iter().collect::<Vec<_>>()), None);
    }

    #[test]
    fn masses_that_are_no_distribution_are_refused() {
        let refused = |outcomes: Vec<(Rational, Rational)>| from_columns("f", outcomes, 1).unwrap_err().line().unwrap();
        assert!(refused(vec![(ratio(1, 2), ratio(1, 1))]).contains("p: must add up to exactly 1, not 1/2"));
        assert!(refused(vec![(ratio(1, 1), ratio(3, 2))]).contains("q: must add up to exactly 1, not 3/2"));
        assert!(
            refused(vec![(ratio(-1, 2), ratio(1, 2)), (ratio(3, 2), ratio(1, 2))]).contains("p: must be probabilities")
        );
        assert!(refused(vec![]).contains("outcomes"));
    }
}
