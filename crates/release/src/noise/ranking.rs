//! Choices: scores of public candidates, of which one or some are drawn.

use certus::exact::{BigInt, Rational, render};
use certus_ledger::plan::{Column, Statistic};

use super::{
    Draw, DrawError, Drawing, Row, Value,
    source::{Failed, integers},
};
use crate::{
    aggregates::Group,
    price::{Expected, whole},
};

impl Drawing<'_> {
    pub(super) fn chosen(
        &self,
        groups: &[Group],
        source: &mut Draw<'_>,
        samplers: &mut Vec<&'static str>,
    ) -> Result<Vec<Row>, DrawError> {
        let refused = |what: &str| self.failed(Failed::Refused(what.into()));
        let part = self.priced.parts.first().ok_or_else(|| refused("there is none"))?;
        let scores: Vec<String> = match &self.query.statistic {
            Statistic::Quantile { level, candidates, .. } => {
                let cells = self.by_cell(groups, candidates.len() * 2 + 1)?;
                let rows = |cell: &Option<Group>| cell.as_ref().map_or(0, |group| group.rows);
                quantile_scores(&cells.iter().map(rows).collect::<Vec<_>>(), level.get()).iter().map(render).collect()
            }
            _ => {
                let listed = self.column().and_then(Column::keys).and_then(|n| usize::try_from(n).ok());
                let cells = self.by_cell(groups, listed.unwrap_or(0))?;
                cells.iter().map(|cell| cell.as_ref().map_or(0, |group| group.rows).to_string()).collect()
            }
        };
        let drawn = source.outcome(&part.spec, &scores.join(","));
        let (outcome, sampler) = drawn.map_err(|error| self.failed(error))?;
        samplers.push(sampler);
        let alpha = match &self.priced.expected {
            Expected::Rank { alpha } | Expected::Count { alpha } => Some(alpha.clone()),
            _ => None,
        };
        let places = integers(&outcome).ok_or_else(|| refused("it gave no places"))?;
        let place = |place: &BigInt| usize::try_from(place.clone()).ok();
        let rows = places.iter().zip(1_u32..).map(|(chosen, rank)| match &self.query.statistic {
            Statistic::Quantile { candidates, .. } => {
                let steps = candidates.get(place(chosen)?)?;
                let value = Value::Number(whole(*steps) * self.step());
                Some(Row { key: Vec::new(), label: None, value, alpha: alpha.clone() })
            }
            _ => {
                let value = Value::Word(self.column()?.key(u64::try_from(chosen.clone()).ok()?)?);
                Some(Row { key: Vec::new(), label: Some(rank.to_string()), value, alpha: alpha.clone() })
            }
        });
        rows.collect::<Option<Vec<_>>>().ok_or_else(|| refused("it gave a place that is none"))
    }
}

/// −|(1 − level)·below − level·above| of each candidate i, from the rows of cells: 2i strictly between
/// candidates i − 1 and i, 2i + 1 at candidate i.
fn quantile_scores(cells: &[u64], level: &Rational) -> Vec<Rational> {
    let number = |n: &BigInt| Rational::from_integer(n.clone());
    let all: BigInt = cells.iter().map(|rows| BigInt::from(*rows)).sum();
    let mut below = BigInt::from(0);
    let mut scores = Vec::new();
    for pair in cells.chunks(2) {
        let [before, at] = pair else { break };
        below += *before;
        let above = &all - &below - *at;
        let inside = (whole(1) - level) * number(&below) - level * number(&above);
        scores.push(if inside > whole(0) { -inside } else { inside });
        below += *at;
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_definition() {
        // Values 1, 1, 2, 5, 9 and candidates 0, 2, 6: between −∞ and 0, at 0, between, at 2, ….
        let cells = [0, 0, 2, 1, 1, 0, 1];
        let half = Rational::new(1.into(), 2.into());
        let scores = quantile_scores(&cells, &half);
        // 0: 0 below, 5 above. 2: 2 below, 2 above. 6: 4 below, 1 above.
        assert_eq!(scores, [Rational::new((-5).into(), 2.into()), whole(0), Rational::new((-3).into(), 2.into())]);
        let quarter = Rational::new(1.into(), 4.into());
        assert_eq!(quantile_scores(&cells, &quarter)[1], whole(-1));
    }
}
