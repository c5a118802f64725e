//! A mean of 200 values from −1 to 1, on a grid of 1/1000: rational all the way, with noise that no floating point touches.
//!
//! ```text
//! $ cargo run --example mean_on_a_grid
//! sensitivity 1/100, 10 steps of 1/1000
//! guarantee: pure, epsilon = 1; neighbours: change one
//! released 247/1000 (true 1/4)
//! ```

use certus::{
    bits::SystemBits,
    exact::Rational,
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{
        Private,
        additive::{Grid, LaplaceMechanism, OnGrid, Rounding},
    },
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let whole = |n: i64| Rational::from_integer(n.into());
    let mean = Sensitivity::<L1>::of_mean(&whole(-1), &whole(1), 200)?;
    assert_eq!(mean.relation(), Relation::ChangeOne);
    let grid = Grid::new(&Rational::new(1.into(), 1000.into()), Rounding::Nearest)?;
    let steps = grid.scalar(&mean);
    println!("sensitivity {}, {} steps of {}", mean.get(), steps.get(), grid.step());
    let mechanism = OnGrid::new(grid, LaplaceMechanism::with_epsilon(&steps, &whole(1))?);
    println!("guarantee: {}", mechanism.guarantee());
    let truth = Rational::new(1.into(), 4.into());
    println!("released {} (true {truth})", mechanism.release(&truth, &mut SystemBits::new()?)?.get());
    Ok(())
}
