//! Count, mean, median and the towns of a small registry, each with its guarantee, and what all of it costs together.
//!
//! ```text
//! $ cargo run --release --example statistics_of_ages
//! 65 or older: 145 (pure, epsilon = 1/10; neighbours: add or remove one)
//! mean age: 52 (pure, epsilon = 1/5; neighbours: add or remove one)
//! median age: 50 (pure, epsilon = 1/5; neighbours: add or remove one)
//! towns: Aros 166, Birka 332; Holm, of one person, is not told
//! together: epsilon at most 0.999990225 at delta = 1/1000000
//! ```

use certus::{
    account::{self, Plan, Precision},
    bits::seeded,
    exact::{Positive, Probability, Rational},
    guarantee::Relation,
    mechanism::{
        Private,
        statistic::{Bounds, Mean, Quantile, RecordCount, StabilityHistogram},
    },
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages: Vec<i64> = (0..500).map(|person| 20 + person % 60 + person % 7).collect();
    let towns: Vec<Vec<&str>> =
        (0..500).map(|person| vec![if person % 3 == 0 { "Aros" } else { "Birka" }]).chain([vec!["Holm"]]).collect();
    let number = |n: i64, d: i64| Positive::new(Rational::new(n.into(), d.into()));
    let relation = Relation::AddRemove;
    let bounds = Bounds::new(0, 100)?;

    let count = RecordCount::new(&number(10, 1)?, relation)?;
    let mean = Mean::new(bounds, &number(1000, 1)?, &number(10, 1)?, relation)?;
    let median =
        Quantile::new(&Probability::new(Rational::new(1.into(), 2.into()))?, bounds, &number(1, 5)?, relation)?;
    let histogram = StabilityHistogram::<&str>::new(&number(2, 1)?, 50, 1, relation)?;

    // A seed, so that the text above is what it prints; a release takes `SystemBits`.
    let mut bits = seeded([3; 32]);
    let adults: Vec<bool> = ages.iter().map(|age| *age >= 65).collect();
    let released = count.release(&adults, &mut bits)?;
    println!("65 or older: {} ({})", released.get(), released.guarantee());
    let released = mean.release(&ages, &mut bits)?;
    // The estimate is post-processing: it costs nothing.
    let estimate = mean.estimate(released.get()).unwrap_or_default();
    println!("mean age: {} ({})", estimate.round(), released.guarantee());
    let released = median.release(&ages, &mut bits)?;
    println!("median age: {} ({})", released.get(), released.guarantee());
    let released = histogram.release(&towns, &mut bits)?;
    let told: Vec<_> = released.get().iter().map(|(town, count)| format!("{town} {count}")).collect();
    println!("towns: {}; Holm, of one person, is not told", told.join(", "));

    // All for the same neighbours, or there would be no plan.
    let plan = Plan::of(&count.domination(), 1)
        .with(&mean.domination(), 1)?
        .with(&median.domination(), 1)?
        .with(&histogram.domination(), 1)?;
    let delta = Probability::new(Rational::new(1.into(), 1_000_000.into()))?;
    let together = account::epsilon(&plan, &delta, &Precision { digits: 6 })?;
    println!("together: epsilon at most {} at delta = {delta}", together.enclosure.upper_decimal());
    Ok(())
}
