//! The public keys of a column and of a query: what is listed in a release, also where nobody is in it.

use super::{Column, PlanError, Query, ReleasePlan};

impl Column {
    /// The bounds, in steps; nothing for texts and where there are none.
    #[must_use]
    pub fn steps(&self) -> Option<(i64, i64)> {
        match self {
            Self::Integer { bounds } => *bounds,
            Self::Number { bounds, .. } => Some(*bounds),
            Self::Text { .. } => None,
        }
    }

    /// How many keys it has; nothing where they are not public.
    #[must_use]
    pub fn keys(&self) -> Option<u64> {
        match self {
            Self::Text { values } => values.as_ref().and_then(|values| u64::try_from(values.len()).ok()),
            _ => self.steps().map(|(lower, upper)| upper.abs_diff(lower).saturating_add(1)),
        }
    }

    /// The key at a place, as the engine writes it: a text, or an integer (steps) in decimal.
    #[must_use]
    pub fn key(&self, index: u64) -> Option<String> {
        if index >= self.keys()? {
            return None;
        }
        match self {
            Self::Text { values } => values.as_ref()?.get(usize::try_from(index).ok()?).cloned(),
            _ => self.steps()?.0.checked_add_unsigned(index).map(|step| step.to_string()),
        }
    }
}

impl ReleasePlan {
    /// The number of public groups of a query: 1 without columns to group by.
    ///
    /// # Errors
    ///
    /// If a column has no public keys.
    pub fn public_keys(&self, query: &Query) -> Result<usize, PlanError> {
        let mut groups = 1_u64;
        for name in &query.by {
            let keys = self.columns.get(name).and_then(Column::keys).ok_or_else(|| {
                let what = "must have a list of values or bounds, or keys must be thresholded";
                PlanError::new(format!("column {name}"), what)
            })?;
            groups = groups.saturating_mul(keys);
        }
        Ok(usize::try_from(groups).unwrap_or(usize::MAX))
    }

    /// Every public key of a query, the last column changing fastest. One empty key without columns.
    #[must_use]
    pub fn keys_of(&self, query: &Query) -> Vec<Vec<String>> {
        let mut keys = vec![Vec::new()];
        for name in &query.by {
            let column = self.columns.get(name);
            let own: Vec<String> = match column {
                Some(column) => (0..column.keys().unwrap_or(0)).map_while(|index| column.key(index)).collect(),
                None => Vec::new(),
            };
            keys = keys
                .iter()
                .flat_map(|key| own.iter().map(move |own| key.iter().cloned().chain([own.clone()]).collect()))
                .collect();
        }
        keys
    }
}
