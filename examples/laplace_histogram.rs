//! A histogram released with Laplace noise: what it guarantees, and how accurate it is.
//!
//! ```text
//! $ cargo run --example laplace_histogram
//! guarantee: pure, epsilon = 1/2; neighbours: change one
//! with probability 95 %, every count errs by less than 17
//! a count errs by 3.958741 on average
//! blue 106 (true 120)
//! red 39 (true 45)
//! green -2 (true 7)
//! ```
//!
//! The noise, and with it the last three lines, differs from run to run.

use certus::{
    bits::SystemBits,
    exact::{Integer, Probability, Rational},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{Accuracy, Private, additive::LaplaceMechanism},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (colours, counts) = (["blue", "red", "green"], [120, 45, 7]);
    // One person has one favourite colour: if it changes, two counts move by one each.
    let sensitivity = Sensitivity::<L1>::of_histogram(Relation::ChangeOne);
    let epsilon = Rational::new(1.into(), 2.into());
    let mechanism = LaplaceMechanism::with_epsilon(&sensitivity, &epsilon)?.vector(counts.len())?;
    println!("guarantee: {}", mechanism.guarantee());

    let beta = Probability::new(Rational::new(1.into(), 20.into()))?;
    println!("with probability 95 %, every count errs by less than {}", mechanism.error_bound(&beta)?.alpha());
    if let Some(mean) = mechanism.mean_absolute_error(10) {
        println!("a count errs by {} on average", mean.upper_decimal());
    }

    let released = mechanism.release(&counts.map(Integer::from), &mut SystemBits::new()?)?;
    for ((colour, count), noisy) in colours.iter().zip(counts).zip(released.get()) {
        println!("{colour} {noisy} (true {count})");
    }
    Ok(())
}
