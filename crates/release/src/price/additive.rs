//! Laplace and Gaussian noise: the scale for a share of the budget, or for an accuracy.

use certus::{
    exact::{BigUint, Positive, Probability, Rational},
    mechanism::CalibratedNoise,
};
use certus_ledger::plan::{Budget, Noise};

use super::{Amount, Law, Part, PriceError, Pricing, Role, Sensitivities, root, text, whole};

impl Pricing<'_> {
    /// Laplace by default, Gaussian under zCDP.
    fn noise(&self) -> Noise {
        let usual = match self.plan.budget {
            Budget::Zcdp { .. } => Noise::Gaussian,
            _ => Noise::Laplace,
        };
        self.query.noise.unwrap_or(usual)
    }

    /// Noise on `entries` numbers, for a share.
    pub(super) fn additive(
        &self,
        role: Role,
        entries: usize,
        moved: &Sensitivities,
        share: &Amount,
    ) -> Result<Part, PriceError> {
        match self.noise() {
            Noise::Laplace => self.laplace(role, entries, moved, share),
            Noise::Gaussian => self.gaussian(role, entries, moved, share),
        }
    }

    /// Scale L1/ε. Under zCDP a pure ε costs ε²/2 (Bun and Steinke 2016, Proposition 1.4).
    pub(super) fn laplace(
        &self,
        role: Role,
        entries: usize,
        moved: &Sensitivities,
        share: &Amount,
    ) -> Result<Part, PriceError> {
        let (epsilon, main) = match self.plan.budget {
            Budget::Zcdp { .. } => {
                let epsilon = root::at_most(&(&share.main * whole(2)));
                let rho = &epsilon * &epsilon / whole(2);
                (epsilon, rho)
            }
            _ => (share.main.clone(), share.main.clone()),
        };
        let scale = positive(integer(&moved.l1) / positive(epsilon)?.get())?;
        let amount = Amount { main, delta: whole(0) };
        self.part(role, &laplace_spec(&scale, entries, &moved.l1), Law::Laplace { scale }, entries, amount)
    }

    /// Under zCDP σ² = L2²/2ρ, which costs ρ exactly. Under (ε, δ) the smallest certified σ of its grid.
    fn gaussian(&self, role: Role, entries: usize, moved: &Sensitivities, share: &Amount) -> Result<Part, PriceError> {
        let square = if entries == 1 { moved.l1.pow(2) } else { moved.l2_squared.clone() };
        let variance = match self.plan.budget {
            Budget::Zcdp { .. } => positive(integer(&square) / (whole(2) * positive(share.main.clone())?.get()))?,
            _ => {
                let epsilon = positive(share.main.clone())?;
                let delta = Probability::new(share.delta.clone()).map_err(|error| PriceError::new("delta", error))?;
                let coordinates = u64::try_from(entries).unwrap_or(u64::MAX);
                let noise = CalibratedNoise::gaussian(square.clone(), coordinates);
                let found = noise.calibrate(&epsilon, &delta, None);
                let (found, _) = found.map_err(|error| PriceError::new("noise", error))?;
                found.scale.square()
            }
        };
        let spec = gaussian_spec(&variance, entries, &square);
        self.part(role, &spec, Law::Gaussian { variance }, entries, share.clone())
    }

    /// What an accuracy costs, of ε or ρ: that of the largest scale with which P(|error| ≥ α) ≤ 1/20.
    pub(super) fn cost_of(&self, alpha: &Positive) -> Result<Rational, PriceError> {
        let moved = self.sensitivities();
        let steps = (alpha.get() / self.step()).floor().to_integer();
        let steps = steps.to_biguint().filter(|steps| *steps > BigUint::from(0_u32));
        let steps = steps.ok_or_else(|| PriceError::new("accuracy", "must be at least a step of the column's grid"))?;
        match self.noise() {
            Noise::Laplace => {
                let scale = Law::widest_laplace(&steps).map_err(|error| PriceError::new("accuracy", error))?;
                let epsilon = integer(&moved.l1) / scale.get();
                Ok(match self.plan.budget {
                    // A hair more, so that the root that is rounded down is this ε at least.
                    Budget::Zcdp { .. } => {
                        let up = epsilon
                            + Rational::new(1.into(), 1_000_000_000_i64.into()) * integer(&moved.l1) / scale.get();
                        &up * &up / whole(2)
                    }
                    _ => epsilon,
                })
            }
            Noise::Gaussian => {
                let square = if self.entries()? == 1 { moved.l1.pow(2) } else { moved.l2_squared };
                let sigma = Law::widest_gaussian(&steps).map_err(|error| PriceError::new("accuracy", error))?;
                Ok(integer(&square) / (sigma.square().get() * whole(2)))
            }
        }
    }

    /// The width of a step of what is released: 1 for counts.
    pub(super) fn step(&self) -> Rational {
        use certus_ledger::plan::Statistic;
        match &self.query.statistic {
            Statistic::Sum { column } => self.plan.columns.get(column).and_then(|column| column.step()),
            _ => None,
        }
        .unwrap_or_else(|| whole(1))
    }
}

pub(super) fn positive(value: Rational) -> Result<Positive, PriceError> {
    Positive::new(value).map_err(|_| PriceError::new("budget", "the share of a query must be positive (> 0)"))
}

pub(super) fn integer(value: &BigUint) -> Rational {
    Rational::from_integer(value.clone().into())
}

fn laplace_spec(scale: &Positive, entries: usize, distance: &BigUint) -> String {
    let scale = text(scale);
    match entries {
        1 => format!("laplace(scale={scale}, sensitivity={distance})"),
        _ => format!("laplace_vector(scale={scale}, coordinates={entries}, sensitivity={distance})"),
    }
}

fn gaussian_spec(variance: &Positive, entries: usize, square: &BigUint) -> String {
    let variance = text(variance);
    match entries {
        1 => format!("gaussian(sigma2={variance}, sensitivity={})", square.sqrt()),
        _ => format!("gaussian_vector(sigma2={variance}, coordinates={entries}, sensitivity2={square})"),
    }
}
