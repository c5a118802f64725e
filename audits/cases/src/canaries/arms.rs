//! The trainings: correct ones, and those with a planted bug, each with what its accountant is told.

use certus::exact::{Positive, Probability, Rational};

use crate::{
    CaseError,
    pin::train::{Guard, STEEPNESS},
};

/// A training, and what is claimed of it.
pub(super) struct Arm {
    /// What it is.
    pub(super) name: String,
    /// What is done to the gradients.
    pub(super) guard: Guard,
    /// The noise multiplier that the accountant is told.
    pub(super) told: Positive,
    /// The rate that it is told.
    pub(super) told_rate: Probability,
    /// What it would have to be told so that all is right; nothing where no multiplier is.
    pub(super) truth: Option<Positive>,
    /// Whether it is what the accountant is told.
    pub(super) is_correct: bool,
    /// Whether plans with less noise are tried too, which takes an account of each.
    pub(super) is_searched: bool,
}

impl Arm {
    /// Whether the accountants of both are told the same.
    pub(super) fn claims_as(&self, other: &Self) -> bool {
        self.told == other.told && self.told_rate == other.told_rate
    }
}

/// The multiplier that most bugs claim.
pub(super) const CLAIMED: i64 = 8;
/// Correct multipliers, in tenths.
const CORRECT: [i64; 5] = [3, 10, 20, 40, 80];
/// Those of quick mode, of which one is searched.
const QUICK: [i64; 3] = [3, 20, 80];
const SEARCHED_IN_QUICK: i64 = 20;
/// How far the rate is understated.
const UNDERSTATED: i64 = 10;

fn tenths(n: i64) -> Result<Positive, CaseError> {
    Ok(Positive::new(Rational::new(n.into(), 10.into()))?)
}

/// All of them: without noise, with planted bugs, and correct ones from little noise to much.
pub(super) fn all(rate: &Probability, is_quick: bool) -> Result<Vec<Arm>, CaseError> {
    let claimed = tenths(10 * CLAIMED)?;
    let broken = |name: &str, guard: Guard, told: &Positive, truth: Option<Positive>| Arm {
        name: name.into(),
        guard,
        told: told.clone(),
        told_rate: rate.clone(),
        truth,
        is_correct: false,
        is_searched: false,
    };
    let one = tenths(10)?;
    let steep = Rational::from_integer((STEEPNESS as i64).into());
    let unclipped = Positive::new(claimed.get() / steep)?;
    let understated = Probability::new(rate.get() / Rational::from_integer(UNDERSTATED.into()))?;
    let three_quarters = tenths(15 * CLAIMED / 2)?;
    let mut arms = vec![
        broken("no privacy", Guard::None, &claimed, None),
        broken("clipping, no noise", Guard::Clipping, &claimed, None),
        broken("clipping forgotten", Guard::Unclipped(claimed.clone()), &claimed, Some(unclipped)),
        broken("noise once an epoch", Guard::OnceAnEpoch(claimed.clone()), &claimed, None),
        Arm {
            told_rate: understated,
            ..broken("rate understated tenfold", Guard::Noise(one.clone()), &one, Some(one.clone()))
        },
        broken("accountant told 8 for 1", Guard::Noise(one.clone()), &claimed, Some(one)),
        broken("accountant told 8 for 6", Guard::Noise(three_quarters.clone()), &claimed, Some(three_quarters)),
    ];
    for n in if is_quick { &QUICK[..] } else { &CORRECT[..] } {
        let noise = tenths(*n)?;
        arms.push(Arm {
            is_correct: true,
            is_searched: !is_quick || *n == SEARCHED_IN_QUICK,
            ..broken(&format!("noise {}", *n as f64 / 10.0), Guard::Noise(noise.clone()), &noise, Some(noise.clone()))
        });
    }
    Ok(arms)
}
