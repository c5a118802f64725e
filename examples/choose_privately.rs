//! Selection: which candidate is best, which are the two best, and which queries pass a threshold.
//!
//! `cargo run --example choose_privately`

use certus::{
    bits::seeded,
    exact::{Integer, NonNegative, Positive, Rational},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Private,
        selection::{Candidates, Noise, Peeling, PermuteAndFlip, SparseVector},
    },
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A seed, so that the output is always the same: for examples only. A release takes its bits from `SystemBits`.
    let mut bits = seeded([7; 32]);
    let whole = |n: i64| Rational::from_integer(n.into());

    // How many people voted for each of four candidates: one vote more raises one score by 1, and lowers none.
    let votes = [112, 340, 295, 17];
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    let candidates = Candidates::new(votes.len(), &sensitivity)?.monotone();
    let scores = votes.map(whole);

    let best = PermuteAndFlip::new(candidates.clone(), Positive::new(whole(1))?)?;
    let winner = best.release(&scores, &mut bits)?;
    println!("the winner is {} ({})", winner.get(), winner.guarantee());

    let two = Peeling::new(candidates, 2, Positive::new(whole(1))?)?;
    let podium = two.release(&scores, &mut bits)?;
    println!("the two best are {:?} ({})", podium.get(), podium.guarantee());

    // Which of a stream of counts reach 300, until two have.
    let half = Positive::new(Rational::new(1.into(), 2.into()))?;
    let test = SparseVector::new(&sensitivity, Integer::from(300), 2, &half, &half, Noise::Laplace)?.monotone();
    let passed = test.release(&votes.map(Integer::from), &mut bits)?;
    println!("at least 300: {:?} ({})", passed.get(), passed.guarantee());

    assert_eq!((winner.get(), podium.get().len()), (&1, 2));
    Ok(())
}
