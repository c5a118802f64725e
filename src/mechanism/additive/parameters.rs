//! The parameters of each mechanism (feature `serde`), from which it is built again with all of its checks.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::{
    AdditiveError, BoundedLaplace, Clamped, GaussianMechanism, GaussianVector, Grid, LaplaceMechanism, LaplaceVector,
    Rounding, StaircaseMechanism, TruncatedGaussian, TruncatedLaplace,
};
use crate::{
    exact::{Integer, NonNegative, Positive, Rational},
    guarantee::{Relation, Sensitivity},
    mechanism::Private,
    sample::Sampler,
};

/// A number that is not negative.
fn non_negative(value: Rational) -> NonNegative {
    NonNegative::new(value).unwrap_or_else(|_| NonNegative::zero())
}

fn of_natural(value: &BigUint) -> NonNegative {
    non_negative(Rational::from_integer(value.clone().into()))
}

fn natural(value: &NonNegative) -> Result<BigUint, AdditiveError> {
    if value.get().is_integer() { Ok(value.numerator().clone()) } else { Err(AdditiveError::NotWhole) }
}

/// Parameters, and the two conversions.
macro_rules! parameters {
    ($parameters:ident of $mechanism:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* } from |$from:ident| $write:expr; into |$into:ident| $read:expr) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $parameters {
            $($(#[$attribute])* $field: $type),*
        }

        impl From<$mechanism> for $parameters {
            fn from($from: $mechanism) -> Self {
                $write
            }
        }

        impl TryFrom<$parameters> for $mechanism {
            type Error = AdditiveError;
            fn try_from($into: $parameters) -> Result<Self, AdditiveError> {
                $read
            }
        }
    };
}

/// The default, which is not written.
fn is_reference(sampler: &Sampler) -> bool {
    *sampler == Sampler::Reference
}

parameters!(LaplaceParameters of LaplaceMechanism {
    scale: Positive, sensitivity: NonNegative, relation: Relation,
    #[serde(default, skip_serializing_if = "is_reference")] sampler: Sampler
}
from |it| Self {
    scale: it.scale().clone(),
    sensitivity: non_negative(it.sensitivity().get().clone()),
    relation: it.sensitivity().relation(),
    sampler: it.drawn_by(),
};
into |it| {
    let sensitivity = Sensitivity::new(it.sensitivity, it.relation);
    Ok(Self::with_scale(&sensitivity, it.scale.get())?.with_sampler(it.sampler)?)
});

parameters!(LaplaceVectorParameters of LaplaceVector {
    scale: Positive, sensitivity: NonNegative, relation: Relation, coordinates: usize,
    #[serde(default, skip_serializing_if = "is_reference")] sampler: Sampler
}
from |it| {
    let LaplaceParameters { scale, sensitivity, relation, sampler } = it.each().clone().into();
    Self { scale, sensitivity, relation, coordinates: it.coordinates(), sampler }
};
into |it| {
    let sensitivity = Sensitivity::new(it.sensitivity, it.relation);
    LaplaceMechanism::with_scale(&sensitivity, it.scale.get())?.with_sampler(it.sampler)?.vector(it.coordinates)
});

parameters!(GaussianParameters of GaussianMechanism {
    variance: Positive, squared_sensitivity: NonNegative, relation: Relation,
    #[serde(default, skip_serializing_if = "is_reference")] sampler: Sampler
}
from |it| Self {
    variance: it.variance().clone(),
    squared_sensitivity: non_negative(it.sensitivity().get().clone()),
    relation: it.sensitivity().relation(),
    sampler: it.drawn_by(),
};
into |it| {
    let sensitivity = Sensitivity::new(it.squared_sensitivity, it.relation);
    Ok(Self::with_variance(&sensitivity, it.variance.get())?.with_sampler(it.sampler)?)
});

parameters!(GaussianVectorParameters of GaussianVector {
    variance: Positive, squared_sensitivity: NonNegative, relation: Relation, coordinates: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")] bins: Option<usize>,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")] shared: bool,
    #[serde(default, skip_serializing_if = "is_reference")] sampler: Sampler
}
from |it| {
    let GaussianParameters { variance, squared_sensitivity, relation, sampler } = it.each().clone().into();
    Self { variance, squared_sensitivity, relation, coordinates: it.coordinates(), bins: it.bins(), shared: it.is_shared(), sampler }
};
into |it| {
    let sensitivity = Sensitivity::new(it.squared_sensitivity, it.relation);
    let each = GaussianMechanism::with_variance(&sensitivity, it.variance.get())?.with_sampler(it.sampler)?;
    match it.bins {
        Some(bins) => each.histogram(it.coordinates, bins),
        None if it.shared => each.shared_histogram(it.coordinates),
        None => each.vector(it.coordinates),
    }
});

parameters!(TruncatedLaplaceParameters of TruncatedLaplace {
    scale: Positive, bound: NonNegative, sensitivity: NonNegative, relation: Relation
}
from |it| Self {
    scale: it.scale().clone(),
    bound: of_natural(it.bound()),
    sensitivity: of_natural(it.shift()),
    relation: it.guarantee().relation(),
};
into |it| Self::new(&Sensitivity::new(it.sensitivity, it.relation), it.scale.get(), natural(&it.bound)?));

parameters!(TruncatedGaussianParameters of TruncatedGaussian {
    variance: Positive, bound: u32, squared_sensitivity: NonNegative, relation: Relation, epsilon: NonNegative
}
from |it| Self {
    variance: it.variance().clone(),
    bound: it.bound(),
    squared_sensitivity: of_natural(&BigUint::from(it.shift()).pow(2)),
    relation: it.guarantee().relation(),
    epsilon: it.epsilon().clone(),
};
into |it| {
    let sensitivity = Sensitivity::new(it.squared_sensitivity, it.relation);
    Self::new(&sensitivity, it.variance.get(), it.bound, it.epsilon.get())
});

parameters!(BoundedLaplaceParameters of BoundedLaplace {
    scale: Positive, lower: Integer, upper: Integer, sensitivity: NonNegative, relation: Relation
}
from |it| Self {
    scale: it.scale().clone(),
    lower: it.bounds().0.clone(),
    upper: it.bounds().1.clone(),
    sensitivity: of_natural(it.shift()),
    relation: it.guarantee().relation(),
};
into |it| Self::new(&Sensitivity::new(it.sensitivity, it.relation), it.scale.get(), it.lower, it.upper));

parameters!(StaircaseParameters of StaircaseMechanism {
    epsilon: Positive, step: NonNegative, sensitivity: NonNegative, relation: Relation
}
from |it| Self {
    epsilon: it.epsilon().clone(),
    step: of_natural(it.step()),
    sensitivity: of_natural(it.sensitivity()),
    relation: it.guarantee().relation(),
};
into |it| Self::new(&Sensitivity::new(it.sensitivity, it.relation), it.epsilon.get(), natural(&it.step)?));

parameters!(GridParameters of Grid { step: Positive, rounding: Rounding }
from |it| Self { step: it.step().clone(), rounding: it.rounding() };
into |it| Self::new(it.step.get(), it.rounding));

/// Of a clamped mechanism.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClampedParameters<M> {
    mechanism: M,
    lower: Integer,
    upper: Integer,
}

impl<M: Clone> From<Clamped<M>> for ClampedParameters<M> {
    fn from(it: Clamped<M>) -> Self {
        let (lower, upper) = it.bounds();
        Self { lower: lower.clone(), upper: upper.clone(), mechanism: it.mechanism().clone() }
    }
}

impl<M> TryFrom<ClampedParameters<M>> for Clamped<M> {
    type Error = AdditiveError;
    fn try_from(it: ClampedParameters<M>) -> Result<Self, AdditiveError> {
        Self::new(it.mechanism, it.lower, it.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mechanism::additive::OnGrid, sample::fixed::Mode};
    use core::fmt::Debug;
    use serde::de::DeserializeOwned;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    fn both_ways<M: Serialize + DeserializeOwned + PartialEq + Debug>(mechanism: &M) -> alloc::string::String {
        let text = serde_json::to_string(mechanism).unwrap();
        assert_eq!(&serde_json::from_str::<M>(&text).unwrap(), mechanism, "{text}");
        text
    }

    #[test]
    fn each_comes_back() {
        let l1 = Sensitivity::new(NonNegative::new(rational(5, 2)).unwrap(), Relation::ChangeOne);
        let l2 = Sensitivity::new(NonNegative::new(rational(2, 1)).unwrap(), Relation::AddRemove);
        let laplace = LaplaceMechanism::with_scale(&l1, &rational(1, 10)).unwrap();
        assert_eq!(both_ways(&laplace), r#"{"scale":"1/10","sensitivity":"5/2","relation":"change_one"}"#);
        both_ways(&laplace.clone().vector(3).unwrap());
        let gaussian = GaussianMechanism::with_sigma(&l2, &rational(3, 1)).unwrap();
        assert_eq!(both_ways(&gaussian), r#"{"variance":"9","squared_sensitivity":"2","relation":"add_remove"}"#);
        both_ways(&gaussian.clone().vector(3).unwrap());
        assert_eq!(
            both_ways(&laplace.clone().prepared()),
            r#"{"scale":"1/10","sensitivity":"5/2","relation":"change_one","sampler":"prepared"}"#
        );
        let fixed = both_ways(&gaussian.fixed(Mode::Wide).unwrap().vector(3).unwrap());
        assert!(fixed.ends_with(r#""coordinates":3,"sampler":{"fixed":"wide"}}"#), "{fixed}");
        both_ways(&TruncatedLaplace::new(&l1, &rational(3, 1), 20u32.into()).unwrap());
        both_ways(&TruncatedGaussian::new(&l2, &rational(3, 1), 20, &rational(1, 2)).unwrap());
        both_ways(&BoundedLaplace::new(&l1, &rational(3, 1), 0.into(), 9.into()).unwrap());
        both_ways(&StaircaseMechanism::new(&l1, &rational(1, 1), 2u32.into()).unwrap());
        let clamped = Clamped::new(laplace.clone(), 0.into(), 255.into()).unwrap();
        both_ways(&clamped);
        let grid = Grid::new(&rational(1, 100), Rounding::Nearest).unwrap();
        assert_eq!(both_ways(&grid), r#"{"step":"1/100","rounding":"nearest"}"#);
        both_ways(&OnGrid::new(grid, laplace));
    }

    /// What no constructor would build is not read either, and the reason is the same.
    #[test]
    fn checks_are_not_bypassed() {
        let refused = |text: &str| serde_json::from_str::<StaircaseMechanism>(text).unwrap_err().to_string();
        let text = |step: &str| {
            alloc::format!(r#"{{"epsilon":"1","step":"{step}","sensitivity":"2","relation":"change_one"}}"#)
        };
        assert_eq!(refused(&text("3")), AdditiveError::Step.to_string());
        assert_eq!(refused(&text("1/2")), AdditiveError::NotWhole.to_string());
        let unknown = r#"{"scale":"1","sensitivity":"1","relation":"change_one","epsilon":"1"}"#;
        assert!(serde_json::from_str::<LaplaceMechanism>(unknown).is_err());
        let reversed = r#"{"scale":"1","lower":"3","upper":"2","sensitivity":"1","relation":"change_one"}"#;
        assert!(serde_json::from_str::<BoundedLaplace>(reversed).is_err());
    }
}
