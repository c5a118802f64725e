//! What a query must be: its statistic, its groups, and what is made of it afterwards.

use certus::mechanism::Excerpt;

use crate::plan::{
    After, Budget, Column, Keys, Noise, PlanError, Query, ReleasePlan, Share, Statistic,
    limits::{MOST_CANDIDATES, MOST_NAME, MOST_THRESHOLDED_GROUPS, MOST_VALUES, MOST_VARIANCE_STEPS},
};

impl Query {
    pub(super) fn check(&self, plan: &ReleasePlan) -> Result<(), PlanError> {
        let is_printable = self.name.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if self.name.is_empty() || self.name.len() > MOST_NAME || !is_printable {
            return Err(PlanError::new("name", format!("must be 1 to {MOST_NAME} printable ASCII characters")));
        }
        self.statistic.check(plan)?;
        if let Some(filter) = &self.filter {
            filter.check(plan)?;
        }
        self.check_groups(plan)?;
        self.check_share()?;
        self.check_noise(plan)?;
        self.check_after(plan)
    }

    /// Whether one number a group (or in all) comes out, with noise on it.
    fn is_additive(&self) -> bool {
        matches!(
            self.statistic,
            Statistic::Count | Statistic::Persons | Statistic::Sum { .. } | Statistic::Histogram { .. }
        )
    }

    fn check_groups(&self, plan: &ReleasePlan) -> Result<(), PlanError> {
        if self.by.is_empty() {
            return match self.keys {
                Keys::Public => Ok(()),
                Keys::Thresholded => {
                    Err(PlanError::new("keys", "thresholded keys need columns to group by (by = […])"))
                }
            };
        }
        if matches!(self.statistic, Statistic::Histogram { .. } | Statistic::Quantile { .. } | Statistic::TopK { .. }) {
            return Err(PlanError::new("by", "must be given for count, persons, sum, mean or variance alone"));
        }
        for (i, name) in self.by.iter().enumerate() {
            if self.by.iter().take(i).any(|earlier| earlier == name) {
                return Err(PlanError::new("by", format!("{} must be named once", Excerpt::new(name))));
            }
            plan.column(name).map_err(|error| error.within("by"))?;
        }
        match self.keys {
            Keys::Public => {
                let groups = plan.public_keys(self).map_err(|error| error.within("by"))?;
                if groups > MOST_VALUES {
                    return Err(PlanError::new("by", format!("must give at most {MOST_VALUES} groups, not {groups}")));
                }
                Ok(())
            }
            Keys::Thresholded => {
                if !matches!(plan.budget, Budget::Approximate { .. }) {
                    return Err(PlanError::new("keys", "thresholded keys need a budget of epsilon and delta"));
                }
                if plan.contribution(self).groups > MOST_THRESHOLDED_GROUPS {
                    let most = format!("must be at most {MOST_THRESHOLDED_GROUPS} where keys are thresholded");
                    return Err(PlanError::new("person: groups", most));
                }
                Ok(())
            }
        }
    }

    fn check_share(&self) -> Result<(), PlanError> {
        let is_direct = self.is_additive() && self.keys == Keys::Public && !self.after.contains(&After::Consistent);
        if matches!(self.share, Share::Accuracy(_)) && !is_direct {
            let what = "must be asked of a count, persons, sum or histogram over public keys, without after = [\"consistent\"]; give weight or cost";
            return Err(PlanError::new("accuracy", what));
        }
        Ok(())
    }

    fn check_noise(&self, plan: &ReleasePlan) -> Result<(), PlanError> {
        let refused = |what: &str| Err(PlanError::new("noise", what));
        match self.noise {
            None => Ok(()),
            Some(_) if matches!(self.statistic, Statistic::Quantile { .. } | Statistic::TopK { .. }) => {
                refused("must not be given for a quantile or top_k, which choose among candidates")
            }
            Some(Noise::Laplace) => Ok(()),
            Some(Noise::Gaussian) => match (&plan.budget, self.keys, &self.share) {
                (Budget::Pure { .. }, _, _) => refused("gaussian noise needs a budget of rho, or of epsilon and delta"),
                (_, Keys::Thresholded, _) => refused("must be laplace where keys are thresholded"),
                (Budget::Approximate { .. }, _, Share::Accuracy(_)) => {
                    refused("gaussian noise by accuracy needs a budget of rho; give weight or cost")
                }
                _ => Ok(()),
            },
        }
    }

    fn check_after(&self, plan: &ReleasePlan) -> Result<(), PlanError> {
        let refused = |what: &str| Err(PlanError::new("after", what));
        for (i, after) in self.after.iter().enumerate() {
            if self.after.iter().take(i).any(|earlier| earlier == after) {
                return refused("must name each step once");
            }
            match after {
                After::NonNegative if !self.is_additive() => {
                    return refused("non_negative must be asked of a count, persons, sum or histogram");
                }
                After::NonNegative => {
                    if let Statistic::Sum { column } = &self.statistic
                        && plan.column(column)?.steps().is_some_and(|(lower, _)| lower < 0)
                    {
                        return refused("non_negative must be asked of a column whose lower bound is at least 0");
                    }
                }
                After::Consistent => {
                    let has_parts = match &self.statistic {
                        Statistic::Histogram { .. } => true,
                        Statistic::Count | Statistic::Sum { .. } => !self.by.is_empty() && self.keys == Keys::Public,
                        _ => false,
                    };
                    if !has_parts {
                        return refused("consistent must be asked of a histogram, or a count or sum by public keys");
                    }
                }
            }
        }
        Ok(())
    }
}

impl Statistic {
    /// The column that it reads, if any.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Count | Self::Persons => None,
            Self::Sum { column }
            | Self::Mean { column }
            | Self::Variance { column }
            | Self::Histogram { column, .. }
            | Self::Quantile { column, .. }
            | Self::TopK { column, .. } => Some(column),
        }
    }

    fn check(&self, plan: &ReleasePlan) -> Result<(), PlanError> {
        let Some(name) = self.column() else { return Ok(()) };
        let column = plan.column(name)?;
        let refused = |what: String| Err(PlanError::new("column", format!("{} {what}", Excerpt::new(name))));
        match self {
            Self::Count | Self::Persons => Ok(()),
            Self::Sum { .. } => numeric(name, column).map(|_| ()),
            Self::Mean { .. } => numeric(name, column).map(|_| ()),
            Self::Variance { .. } => {
                let (lower, upper) = numeric(name, column)?;
                if lower.abs_diff(upper) > MOST_VARIANCE_STEPS {
                    return refused("must have a range of at most 2^30 steps for a variance: take a wider grid".into());
                }
                Ok(())
            }
            Self::Histogram { cuts, .. } => match column {
                Column::Text { values: Some(_) } if cuts.is_empty() => Ok(()),
                Column::Text { values: Some(_) } => Err(PlanError::new("cuts", "must not be given for texts")),
                Column::Text { values: None } => refused("must have a list of values for a histogram".into()),
                _ => {
                    numeric(name, column)?;
                    increasing("cuts", cuts, 2, MOST_VALUES)
                }
            },
            Self::Quantile { candidates, .. } => {
                numeric(name, column)?;
                increasing("candidates", candidates, 1, MOST_CANDIDATES)
            }
            Self::TopK { k, .. } => match column {
                Column::Text { values: Some(values) } if values.len() <= MOST_CANDIDATES => {
                    if *k == 0 || usize::try_from(*k).map_or(true, |k| k > values.len()) {
                        return Err(PlanError::new("k", format!("must be from 1 to {}", values.len())));
                    }
                    Ok(())
                }
                _ => refused(format!("must be a text with a list of at most {MOST_CANDIDATES} values for top_k")),
            },
        }
    }
}

/// The bounds of a column that a statistic adds up.
fn numeric(name: &str, column: &Column) -> Result<(i64, i64), PlanError> {
    column.steps().ok_or_else(|| {
        let what = match column {
            Column::Text { .. } => "must be an integer or a number",
            _ => "must have public bounds (lower and upper)",
        };
        PlanError::new("column", format!("{} {what}", Excerpt::new(name)))
    })
}

fn increasing(key: &str, points: &[i64], least: usize, most: usize) -> Result<(), PlanError> {
    if points.len() < least || points.len() > most {
        return Err(PlanError::new(key, format!("must be {least} to {most} numbers")));
    }
    let rises = points.iter().zip(points.iter().skip(1)).all(|(a, b)| a < b);
    if rises { Ok(()) } else { Err(PlanError::new(key, "must increase, as counted in steps of the grid")) }
}
