//! Choices among public candidates: quantiles and top-k.

use certus::exact::{Positive, Rational, render};
use certus_ledger::plan::{Budget, Statistic};

use super::{Amount, Law, Part, PriceError, Pricing, Role, additive::positive, root, whole};

impl Pricing<'_> {
    pub(super) fn choice(&self, share: &Amount) -> Result<Part, PriceError> {
        match &self.query.statistic {
            Statistic::Quantile { level, candidates, .. } => self.quantile(level.get(), candidates.len(), share),
            Statistic::TopK { column, k } => {
                let listed = self.plan.columns.get(column).and_then(|column| column.keys());
                let candidates = listed.and_then(|n| usize::try_from(n).ok());
                self.top_k(candidates.unwrap_or(0), *k, share)
            }
            _ => Err(PriceError::new("statistic", "is no choice among candidates")),
        }
    }

    /// The exponential mechanism: ε; under zCDP ε²/8, which `Exponential::zcdp` proves.
    fn quantile(&self, level: &Rational, candidates: usize, share: &Amount) -> Result<Part, PriceError> {
        let score = self.quantile_score(level);
        let (epsilon, amount) = self.priced(share, &whole(8))?;
        let span = &score.sensitivity * whole(2);
        let spec = format!(
            "exponential(epsilon={}, candidates={candidates}, sensitivity={})",
            render(epsilon.get()),
            render(&score.sensitivity)
        );
        let law = Law::Choice { scale: positive(span / epsilon.get())?, rounds: 1 };
        self.part(Role::Choice, &spec, law, candidates, amount)
    }

    /// One round of noise: ε. Under zCDP k exponential mechanisms with ε/k each: ε²/8k, which `Peeling::zcdp`
    /// proves.
    fn top_k(&self, candidates: usize, k: u32, share: &Amount) -> Result<Part, PriceError> {
        let score = self.count_score();
        let rounds = whole(i64::from(k));
        let (epsilon, amount) = self.priced(share, &(whole(8) * &rounds))?;
        let name = if matches!(self.plan.budget, Budget::Zcdp { .. }) { "peeling" } else { "noisy_top_k" };
        let sides = if score.is_monotone { 1 } else { 2 };
        let scale = positive(&score.sensitivity * whole(sides) * &rounds / epsilon.get())?;
        let law = match name {
            "peeling" => Law::Choice { scale, rounds: k },
            _ => Law::Laplace { scale },
        };
        let spec = format!(
            "{name}(epsilon={}, candidates={candidates}, k={k}, sensitivity={}, monotone={})",
            render(epsilon.get()),
            render(&score.sensitivity),
            u8::from(score.is_monotone)
        );
        self.part(Role::Choice, &spec, law, candidates, amount)
    }

    /// ε and its cost; under zCDP the ε with ε²/divisor at most ρ.
    fn priced(&self, share: &Amount, divisor: &Rational) -> Result<(Positive, Amount), PriceError> {
        let (epsilon, main) = match self.plan.budget {
            Budget::Zcdp { .. } => {
                let epsilon = root::at_most(&(&share.main * divisor));
                let rho = &epsilon * &epsilon / divisor;
                (epsilon, rho)
            }
            _ => (share.main.clone(), share.main.clone()),
        };
        Ok((positive(epsilon)?, Amount { main, delta: whole(0) }))
    }
}
