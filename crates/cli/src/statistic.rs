//! What a release tells, for people: the mean instead of a noisy sum and a noisy count, the name of a key
//! instead of its number, and how far off it may be. All of it is computed from the release and from public
//! parameters.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::Failure;
use certus::{
    exact::{Integer, NonNegative, Positive, Probability, Rational, Rounding, decimal},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{
        Accuracy, Outcome, Spec, Value,
        additive::LaplaceMechanism,
        statistic::{Bounds, Mean, MeanOfKnown, Variance},
    },
};

/// The digits of a statistic.
const DIGITS: u32 = 8;

/// How an output is shown.
#[derive(Debug)]
pub(super) enum Shown {
    /// As it is.
    Plain,
    /// A count or a sum: as it is, too, with the noise's α.
    Noisy(BigInt),
    /// Counts of so many keys at once.
    Counts(BigInt),
    Mean(Mean, Bounds, [BigInt; 2]),
    MeanOfKnown(MeanOfKnown, Rational),
    Variance(Variance, Bounds, [BigInt; 3]),
}

/// α with P(|noise| ≥ α) ≤ β of Laplace noise, over this many of them.
fn alpha(scale: &Rational, many: usize, beta: (u32, u32)) -> Option<BigInt> {
    let one = NonNegative::new(Rational::from_integer(1.into())).ok()?;
    let noise = LaplaceMechanism::with_scale(&Sensitivity::<L1>::new(one, Relation::AddRemove), scale).ok()?;
    let beta = Probability::new(Rational::new(beta.0.into(), beta.1.into())).ok()?;
    let bound = if many == 1 { noise.error_bound(&beta) } else { noise.vector(many).ok()?.error_bound(&beta) };
    Some(bound.ok()?.alpha().clone().into())
}

impl Shown {
    /// How the outputs of a mechanism are shown.
    pub(super) fn of(spec: &Spec) -> Self {
        Self::of_statistic(spec).unwrap_or(Self::Plain)
    }

    fn of_statistic(spec: &Spec) -> Option<Self> {
        let number = |key: &str| match spec.arguments().iter().find(|(name, _)| name == key) {
            Some((_, Value::Number(number))) => Some(number.clone()),
            _ => None,
        };
        let word = |key: &str| i64::try_from(number(key)?.to_integer()).ok();
        let bounds = || Bounds::new(word("lower")?, word("upper")?).ok();
        let positive = |key: &str| Positive::new(number(key)?).ok();
        let one_in = |of: u32| move |key: &str| alpha(&number(key)?, 1, (1, of));
        match spec.name() {
            "count" | "sum" | "clamped_sum" => Some(Self::Noisy(one_in(20)("scale")?)),
            "histogram" => {
                let keys = usize::try_from(number("keys")?.to_integer()).ok()?;
                Some(Self::Counts(alpha(&number("scale")?, keys, (1, 20))?))
            }
            "mean" => {
                let (sum, count) = (positive("scale_sum")?, positive("scale_count")?);
                let mean = Mean::new(bounds()?, &sum, &count, Relation::AddRemove).ok()?;
                Some(Self::Mean(mean, bounds()?, [one_in(40)("scale_sum")?, one_in(40)("scale_count")?]))
            }
            "mean_of_known" => {
                let records = u64::try_from(number("records")?.to_integer()).ok()?;
                let mean = MeanOfKnown::new(bounds()?, records, &positive("scale")?).ok()?;
                Some(Self::MeanOfKnown(mean, Rational::new(one_in(20)("scale")?, records.into())))
            }
            "variance" => {
                let keys = ["scale_count", "scale_sum", "scale_squares"];
                let [count, sum, squares] = keys.map(positive);
                let variance = Variance::new(bounds()?, [count?, sum?, squares?], Relation::AddRemove).ok()?;
                let [count, sum, squares] = keys.map(one_in(60));
                Some(Self::Variance(variance, bounds()?, [count?, sum?, squares?]))
            }
            _ => None,
        }
    }

    /// The statistic that an output tells, where it is not the output itself.
    pub(super) fn statistic(&self, output: &Outcome) -> Option<String> {
        let value = match (self, output) {
            (Self::Mean(mean, ..), output) => mean.estimate(&integers(output)?)?,
            (Self::MeanOfKnown(mean, _), Outcome::Integer(sum)) => mean.estimate(sum),
            (Self::Variance(variance, ..), output) => variance.estimate(&integers(output)?)?,
            _ => return None,
        };
        Some(decimal(&value, DIGITS, Rounding::Down))
    }

    /// How far off a release may be, at 95 %; of one output, where that depends on it.
    pub(super) fn accuracy(&self, output: &Outcome) -> Option<String> {
        let within = |alpha: &dyn std::fmt::Display, of: &str| {
            Some(format!("with probability at least 0.95, it is off by less than {alpha}{of}"))
        };
        let between = |of: &str, (lower, upper): (Rational, Rational)| {
            let (lower, upper) = (decimal(&lower, DIGITS, Rounding::Down), decimal(&upper, DIGITS, Rounding::Up));
            Some(format!("{of} of the clamped records is from {lower} to {upper}, with confidence at least 0.95"))
        };
        match self {
            Self::Plain => None,
            Self::Noisy(alpha) => within(alpha, ""),
            Self::Counts(alpha) => within(alpha, " in any of the counts"),
            Self::MeanOfKnown(_, alpha) => within(&decimal(alpha, DIGITS, Rounding::Up), " (of the clamped records)"),
            Self::Mean(_, bounds, alphas) => between("the mean", mean_interval(bounds, alphas, &integers(output)?)?),
            Self::Variance(_, bounds, alphas) => {
                between("the variance", variance_interval(bounds, alphas, &integers(output)?)?)
            }
        }
    }
}

fn integers(output: &Outcome) -> Option<Vec<Integer>> {
    let Outcome::Vector(entries) = output else { return None };
    let integer = |entry: &Outcome| match entry {
        Outcome::Integer(integer) => Some(integer.clone()),
        _ => None,
    };
    entries.iter().map(integer).collect()
}

/// All that x/n may be for |x − sum| ≤ a and |n − count| ≤ b, n ≥ 1, and x/n at most `most` in size, as of records
/// that are clamped.
fn ratio(
    (sum, a): (&BigInt, &BigInt),
    (count, b): (&BigInt, &BigInt),
    most: &Rational,
) -> Option<(Rational, Rational)> {
    let one = BigInt::from(1);
    let (fewest, greatest) = ((count - b).max(one.clone()), (count + b).max(one));
    let ends = [sum - a, sum + a].map(|x| [&fewest, &greatest].map(|n| Rational::new(x.clone(), n.clone())));
    let (lower, upper) = (ends.iter().flatten().min()?.clone(), ends.iter().flatten().max()?.clone());
    Some((lower.clamp(-most, most.clone()), upper.clamp(-most, most.clone())))
}

fn mean_interval(bounds: &Bounds, [a, b]: &[BigInt; 2], released: &[Integer]) -> Option<(Rational, Rational)> {
    let [sum, count] = released else { return None };
    let most = Rational::from_integer(bounds.width().into());
    let (lower, upper) = ratio((&sum.to_big(), a), (&count.to_big(), b), &most)?;
    let middle = Rational::from_integer(BigInt::from(bounds.lower()) + BigInt::from(bounds.upper()));
    let half = |value: Rational| (&middle + value) / Rational::from_integer(2.into());
    Some((half(lower), half(upper)))
}

fn variance_interval(bounds: &Bounds, [b, a, c]: &[BigInt; 3], released: &[Integer]) -> Option<(Rational, Rational)> {
    let [count, sum, squares] = released else { return None };
    let (count, width) = (count.to_big(), Rational::from_integer(bounds.width().into()));
    let most = &width * &width;
    let (low, high) = ratio((&sum.to_big(), a), (&count, b), &width)?;
    let (least, greatest) = ratio((&squares.to_big(), c), (&count, b), &most)?;
    let square = |value: &Rational| value * value;
    let zero = Rational::from_integer(0.into());
    let squared_least = if low <= zero && high >= zero { zero.clone() } else { square(&low).min(square(&high)) };
    let squared_most = square(&low).max(square(&high));
    let (two, four) = (Rational::from_integer(2.into()), Rational::from_integer(4.into()));
    let of = |squares: Rational, mean: Rational| {
        (((squares + &most) / &two - mean) / &four).clamp(zero.clone(), &most / &four)
    };
    Some((of(least, squared_most), of(greatest, squared_least)))
}

/// Names of the keys of a histogram, or of the candidates of a selection.
#[derive(Debug)]
pub(super) struct Names {
    names: Vec<String>,
    is_histogram: bool,
}

impl Names {
    /// From `--keys`: as many as the mechanism has, and none twice.
    pub(super) fn new(argument: &str, given: &str, spec: &Spec) -> Result<Self, Failure> {
        let names = match given.strip_prefix('@') {
            Some(_) => super::data::records(argument, given, None)?,
            None => given.split(',').map(|name| name.trim().to_owned()).collect(),
        };
        let is_histogram = spec.name() == "histogram";
        let key = if is_histogram { "keys" } else { "candidates" };
        let many = spec.arguments().iter().find(|(name, _)| name == key).map(|(_, value)| value.to_string());
        let Some(many) = many else {
            return Err(Failure::argument(argument, "is for histogram and for selections, which have candidates"));
        };
        if many != names.len().to_string() {
            let must = format!("must have as many names as {key}={many}: it has {}", names.len());
            return Err(Failure::argument(argument, must));
        }
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        if distinct.len() != names.len() || names.iter().any(String::is_empty) {
            return Err(Failure::argument(argument, "must be names of which none is empty, and none is there twice"));
        }
        Ok(Self { names, is_histogram })
    }

    /// Records that are names, as the numbers that a histogram counts. One that is not among the keys counts
    /// for none. Scores stay what they are.
    pub(super) fn numbered(&self, records: &str) -> String {
        if !self.is_histogram || records.trim().is_empty() {
            return records.to_owned();
        }
        let places: HashMap<&str, String> =
            self.names.iter().enumerate().map(|(place, name)| (name.as_str(), place.to_string())).collect();
        let number = |record: &str| places.get(record.trim()).map_or("-1", String::as_str);
        records.split(',').map(number).collect::<Vec<_>>().join(",")
    }

    /// An output by its names.
    pub(super) fn shown(&self, output: &Outcome) -> String {
        let name = |place: &str| {
            let place: Option<usize> = place.parse().ok();
            place.and_then(|place| self.names.get(place)).map_or_else(String::new, |name| quoted(name))
        };
        match output {
            Outcome::Vector(counts) if self.is_histogram => {
                let counts = self.names.iter().zip(counts).map(|(name, count)| format!("{}={count}", quoted(name)));
                counts.collect::<Vec<_>>().join(",")
            }
            Outcome::Vector(places) => {
                places.iter().map(|place| name(&place.to_string())).collect::<Vec<_>>().join(",")
            }
            output => name(&output.to_string()),
        }
    }
}

/// A name as it is, or in quotes where it holds what parts names.
fn quoted(name: &str) -> String {
    let is_plain = !name.contains([',', '=', '"']) && !name.chars().any(char::is_control);
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        text.parse().unwrap()
    }

    fn vector(entries: &[i64]) -> Outcome {
        Outcome::Vector(entries.iter().map(|entry| Outcome::Integer(Integer::from(*entry))).collect())
    }

    #[test]
    fn statistics_and_what_they_are_worth() {
        let mean = Shown::of(&spec("mean(lower=0, upper=100, scale_sum=100, scale_count=1)"));
        // A thousand records of 30: the doubled, centred sum is −40,000.
        assert_eq!(mean.statistic(&vector(&[-40_000, 1000])).unwrap(), "30");
        let said = mean.accuracy(&vector(&[-40_000, 1000])).unwrap();
        assert!(said.starts_with("the mean of the clamped records is from 29.7"), "{said}");
        let variance = Shown::of(&spec("variance(lower=0, upper=2, scale_count=1, scale_sum=1, scale_squares=1)"));
        // Half 0 and half 2: y = ±2, 2y² − w² = 4, and the variance is 1.
        assert_eq!(variance.statistic(&vector(&[1000, 0, 4000])).unwrap(), "1");
        assert!(variance.accuracy(&vector(&[1000, 0, 4000])).unwrap().contains("to 1, "));
        let known = Shown::of(&spec("mean_of_known(lower=0, upper=10, records=4, scale=2)"));
        assert_eq!(known.statistic(&Outcome::Integer(Integer::from(10))).unwrap(), "2.5");
        let count = Shown::of(&spec("count(scale=10)"));
        assert_eq!(count.statistic(&Outcome::Integer(Integer::from(7))), None);
        // As the documentation of `Accuracy` has it for the same noise.
        assert!(count.accuracy(&Outcome::Nothing).unwrap().ends_with("less than 31"));
        assert!(matches!(Shown::of(&spec("laplace(scale=1)")), Shown::Plain));
    }

    /// The interval of a mean holds every mean that the noise bounds allow, by brute force over small cases.
    #[test]
    fn intervals_hold_all_that_is_possible() {
        let bounds = Bounds::new(0, 4).unwrap();
        let alphas = [BigInt::from(3), BigInt::from(2)];
        for records in [vec![0, 4, 4], vec![1], vec![2, 2, 3, 0, 0], vec![4; 6]] {
            let n = i64::try_from(records.len()).unwrap();
            let total: i64 = records.iter().sum();
            let mean = Rational::new(total.into(), n.into());
            let y: Vec<i64> = records.iter().map(|x| 2 * x - 4).collect();
            let squares: i64 = y.iter().map(|y| 2 * y * y - 16).sum();
            let second: i64 = records.iter().map(|x| x * x).sum();
            let variance = Rational::new(second.into(), n.into()) - &mean * &mean;
            for (s, c, q) in (-3..=3).flat_map(|s| (-2..=2).flat_map(move |c| (-4..=4).map(move |q| (s, c, q)))) {
                let released = [y.iter().sum::<i64>() + s, n + c].map(Integer::from);
                let (lower, upper) = mean_interval(&bounds, &alphas, &released).unwrap();
                assert!(lower <= mean && mean <= upper, "{records:?} {s} {c}");
                let released = [n + c, y.iter().sum::<i64>() + s, squares + q].map(Integer::from);
                let alphas = [2, 3, 4].map(BigInt::from);
                let (lower, upper) = variance_interval(&bounds, &alphas, &released).unwrap();
                assert!(lower <= variance && variance <= upper, "{records:?} {s} {c} {q}");
            }
        }
    }

    #[test]
    fn names_go_in_and_come_out() {
        let of = |spec_text: &str, given: &str| Names::new("--keys", given, &spec(spec_text));
        let colours = of("histogram(keys=3, scale=2)", "red, green,blue").unwrap();
        assert_eq!(colours.numbered("blue,red, black"), "2,0,-1");
        assert_eq!(colours.numbered(""), "");
        assert_eq!(colours.shown(&vector(&[3, 0, -1])), "red=3,green=0,blue=-1");
        let one = of("exponential(epsilon=1, candidates=2)", "yes,no").unwrap();
        assert_eq!(one.numbered("5,7"), "5,7");
        assert_eq!(one.shown(&Outcome::Integer(Integer::from(1))), "no");
        for (spec, given) in [
            ("histogram(keys=3, scale=2)", "a,b"),
            ("histogram(keys=2, scale=2)", "a,a"),
            ("histogram(keys=2, scale=2)", "a,"),
            ("laplace(scale=1)", "a"),
        ] {
            assert_eq!(of(spec, given).unwrap_err().status(), 2, "{given}");
        }
    }
}
