//! Gaussian noise for a count at (ε, δ) = (1, 10^-5): the smallest σ on a grid of 1/20, certified, beside the classical formula.
//!
//! ```text
//! $ cargo run --release --example gaussian_calibrated
//! sigma = 15/4, the smallest multiple of 1/20 that meets delta
//! delta = 0.000009626465643884717957…; at 37/10 it would be 0.000011173782347439337501…
//! classical sigma: [4.8448052626053894212452, 4.8448052626053894212589], of which 22.5957 % is saved
//! guarantee: zCDP, rho = 8/225; neighbours: add or remove one
//! released 416 (true 412)
//! ```

use certus::{
    account::{Plan, Precision},
    bits::SystemBits,
    exact::{Integer, NonNegative, Positive, Probability, Rational, Real},
    guarantee::{Attained, Domination, L1, Pair, Relation, Sensitivity},
    mechanism::{Classical, Private, Target, Trend, additive::GaussianMechanism, calibrate},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = Sensitivity::<L1>::of_count(Relation::AddRemove).to_l2_squared();
    let one = Positive::new(Rational::from_integer(1.into()))?;
    let delta = Probability::new(Rational::new(1.into(), 100_000.into()))?;
    let step = Positive::new(Rational::new(1.into(), 20.into()))?;
    let target = Target {
        epsilon: NonNegative::one(),
        delta: delta.clone(),
        step: step.clone(),
        trend: Trend::Gaussian { sensitivity: 1u32.into() },
        most_checked: 1000,
        precision: Precision { digits: 9 },
    };
    let found = calibrate(&target, |sigma| {
        let pair = Pair::Gaussian { variance: sigma.square(), shift: 1u32.into() };
        Plan::of(&Domination::by(pair).attained(Attained::ByAnswers), 1)
    })?;
    let which = if found.is_smallest() { "the smallest multiple" } else { "a multiple" };
    println!("sigma = {}, {which} of {step} that meets delta", found.scale);
    if let Some((below, fails)) = &found.below {
        println!("delta = {}; at {below} it would be {}", found.delta.upper_decimal(), fails.lower_decimal());
    }
    let classical = Classical::new(&one, &one, &delta);
    let saved = (&classical.saved(&found.scale) * &Real::from(100)).enclose(7).map(|share| share.lower_decimal());
    println!("classical sigma: {}, of which {} % is saved", classical.sigma, saved.unwrap_or_default());
    if !classical.holds {
        println!("warning: the classical formula is proven for epsilon up to 1 only");
    }

    let mechanism = GaussianMechanism::with_sigma(&count, found.scale.get())?;
    println!("guarantee: {}", mechanism.guarantee());
    println!("released {} (true 412)", mechanism.release(&Integer::from(412), &mut SystemBits::new()?)?.get());
    Ok(())
}
