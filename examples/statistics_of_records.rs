//! Statistics: a mean, a median and a histogram over unknown keys, from records to releases.
//!
//! `cargo run --example statistics_of_records`

use certus::{
    bits::seeded,
    exact::{Positive, Probability, Rational},
    guarantee::Relation,
    mechanism::{
        Private, from_spec,
        statistic::{Bounds, Mean, Quantile, StabilityHistogram},
    },
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A seed, so that the output is always the same: for examples only. A release takes its bits from `SystemBits`.
    let mut bits = seeded([7; 32]);
    let positive = |n: i64| Positive::new(Rational::from_integer(n.into()));
    let ages: Vec<i64> = (0..2_000).map(|i| 20 + (i * 7) % 60).collect();
    let bounds = Bounds::new(0, 110)?;

    let mean = Mean::new(bounds, &positive(220)?, &positive(2)?, Relation::AddRemove)?;
    let released = mean.release(&ages, &mut bits)?;
    let estimate = mean.estimate(released.get()).ok_or("two numbers are released")?;
    println!("the mean age is about {} ({})", estimate.round(), released.guarantee());

    let half = Probability::new(Rational::new(1.into(), 2.into()))?;
    let median = Quantile::new(&half, bounds, &positive(1)?, Relation::AddRemove)?;
    let released = median.release(&ages, &mut bits)?;
    println!("the median age is about {} ({})", released.get(), released.guarantee());

    // Keys that nobody knew beforehand: those that one person alone has are released with probability delta.
    let towns: Vec<Vec<&str>> =
        (0..300).map(|i| vec![if i < 180 { "Delft" } else { "Leiden" }]).chain([vec!["Urk"]]).collect();
    let histogram = StabilityHistogram::new(&positive(1)?, 20, 1, Relation::AddRemove)?;
    let released = histogram.release(&towns, &mut bits)?;
    println!("{:?} ({})", released.get(), released.guarantee());
    assert!(!released.get().iter().any(|(town, _)| *town == "Urk"));

    // The same by its spec, as the command has it.
    let count = from_spec(&"count(scale=2)".parse()?)?;
    println!("a count: {}", count.on("1,1,0,1")?.draw(&mut bits)?);
    Ok(())
}
