//! Three ways to keep noise in bounds, and what each costs: truncated noise a δ, bounded outputs a larger ε, clamping nothing; staircase noise, for comparison, has
//! the ε of Laplace noise and a smaller error.
//!
//! ```text
//! $ cargo run --example bounded_noise
//! truncated: approximate, epsilon = 1, delta = [0.0000010445382699669818, 0.0000010445382699669954]; neighbours: add or remove one
//! bounded:   pure, epsilon = [1.2090804542319126849104, 1.2090804542319126849241]; neighbours: add or remove one
//! clamped:   pure, epsilon = 1; neighbours: add or remove one
//! 3 3 3
//! staircase: pure, epsilon = 4; neighbours: change one; errs by 1.332606078 on average, Laplace noise by 2.434556961
//! 70
//! ```

use certus::{
    bits::SystemBits,
    exact::{Integer, Rational},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{
        Accuracy, Private,
        additive::{BoundedLaplace, Clamped, LaplaceMechanism, StaircaseMechanism, TruncatedLaplace},
    },
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let whole = |n: i64| Rational::from_integer(n.into());
    let count = Sensitivity::<L1>::of_count(Relation::AddRemove);
    let mut bits = SystemBits::new()?;
    let answer = Integer::from(3);

    let truncated = TruncatedLaplace::new(&count, &whole(1), 13u32.into())?;
    println!("truncated: {}", truncated.guarantee());
    let bounded = BoundedLaplace::new(&count, &whole(1), 0.into(), 100.into())?;
    println!("bounded:   {}", bounded.guarantee());
    let clamped = Clamped::new(LaplaceMechanism::with_scale(&count, &whole(1))?, 0.into(), 100.into())?;
    println!("clamped:   {}", clamped.guarantee());
    println!(
        "{} {} {}",
        truncated.release(&answer, &mut bits)?.get(),
        bounded.release(&answer, &mut bits)?.get(),
        clamped.release(&answer, &mut bits)?.get(),
    );

    // A sum of entries from 0 to 10 at ε = 4: steps of 10, the first after 2.
    let sum = Sensitivity::<L1>::of_sum(&whole(0), &whole(10), Relation::ChangeOne)?;
    let staircase = StaircaseMechanism::new(&sum, &whole(4), 2u32.into())?;
    let laplace = LaplaceMechanism::with_epsilon(&sum, &whole(4))?;
    if let (Some(steps), Some(plain)) = (staircase.mean_absolute_error(20), laplace.mean_absolute_error(20)) {
        let (steps, plain) = (steps.upper_decimal(), plain.lower_decimal());
        println!("staircase: {}; errs by {steps} on average, Laplace noise by {plain}", staircase.guarantee());
    }
    println!("{}", staircase.release(&Integer::from(71), &mut bits)?.get());
    Ok(())
}
