//! Spans of a column's numbers: of even weight, or ever finer towards both ends.

use super::numbers::Run;
use super::{Column, Group, Key, add, at};
use crate::outputs::Counts;

/// How numbers are grouped in spans.
#[derive(Clone, Copy, Debug)]
pub(in crate::events) enum Spans {
    /// Of about the same weight.
    Even {
        /// About how many there are at most: each but the last has more than 1/`most` of the weight…
        most: u64,
        /// … and at least this weight.
        least: u64,
    },
    /// Ever finer ones towards both ends, and one for all between.
    Tails {
        /// Each tail has 1/`share` of the weight.
        share: u64,
    },
}

impl Column<'_> {
    /// Spans that cover all numbers.
    pub(super) fn spans(&self, fit: &Counts, check: &Counts, spans: Spans, groups: &mut Vec<Group>) {
        let length = self.numbers.length();
        let weight: u64 = self.numbers.rows(0, length).iter().map(|row| at(fit, *row)).map(|(a, b)| a + b).sum();
        let (enough, tails) = match spans {
            Spans::Even { most, least } => ((weight / most.max(1)).max(least.saturating_sub(1)), Vec::new()),
            Spans::Tails { share } => (u64::MAX, self.tail_cuts(fit, weight / share.max(1))),
        };
        let mut tails = tails.into_iter().peekable();
        let empty = |from| Group { key: Key::Span { from, to: length }, fit: (0, 0), check: (0, 0) };
        let mut group = empty(0);
        let mut from = 0;
        for Run { to, rows, .. } in self.numbers.runs() {
            for row in rows {
                add(&mut group.fit, fit, *row);
                add(&mut group.check, check, *row);
            }
            let is_cut = tails.next_if_eq(&to).is_some() || group.fit.0 + group.fit.1 > enough;
            if is_cut || to == length {
                groups.push(Group { key: Key::Span { from, to }, ..group });
                from = to;
                group = empty(from);
            }
        }
    }

    /// Where the two tails are cut, as ascending places in the order of the numbers.
    ///
    /// From either end the cuts are at the order statistics 1, 2, 4, … of the weight, as far as
    /// `most_weight`, and between two of them where the gap between neighbours is widest: a rare leak that
    /// lies apart from all else is then a span of its own, whatever its number of samples; one that does not
    /// is one to within a factor of two.
    fn tail_cuts(&self, fit: &Counts, most_weight: u64) -> Vec<usize> {
        let mut cuts = tail_from(self.numbers.runs(), |run| run.to, fit, most_weight);
        cuts.extend(tail_from(self.numbers.runs().rev(), |run| run.from, fit, most_weight));
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }
}

/// The cuts of one tail, given the runs from its end inward, and where to cut behind one.
#[expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]
fn tail_from<'n>(
    inward: impl Iterator<Item = Run<'n>>,
    behind: fn(&Run<'n>) -> usize,
    fit: &Counts,
    most_weight: u64,
) -> Vec<usize> {
    let mut cuts = Vec::new();
    let (mut weight, mut next_statistic) = (0, 1_u64);
    let mut widest: Option<(f64, usize)> = None;
    let mut inward = inward.peekable();
    while let Some(run) = inward.next() {
        weight += run.rows.iter().map(|row| at(fit, *row)).map(|(a, b)| a + b).sum::<u64>();
        let Some(next) = inward.peek().filter(|_| weight <= most_weight) else { break };
        let (gap, cut) = ((next.number - run.number).abs(), behind(&run));
        if weight >= next_statistic {
            cuts.extend(widest.take().map(|(_, cut)| cut));
            cuts.push(cut);
            // Samples never number 2^63; a statistic that did not move would only cut more.
            next_statistic = (weight + 1).checked_next_power_of_two().unwrap_or(weight);
        } else if gap > widest.map_or(0.0, |(gap, _)| gap) {
            widest = Some((gap, cut));
        }
    }
    cuts.extend(widest.map(|(_, cut)| cut));
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Reading;

    /// Of 10,000 samples in a row, the first seven and the last five lie apart: they are spans, beside those
    /// of 1, 2 and 4 samples and more, up to the weight of a common span. Spans of even weight have them
    /// among others.
    #[test]
    fn tails_are_cut_finer_and_where_they_gap() {
        let value = |place: i32| {
            f64::from(place) + if place < 7 { -900.0 } else { 0.0 } + if place < 9_995 { 0.0 } else { 900.0 }
        };
        let column = Column::new((0..10_000).rev().map(|place| Reading::Number(value(place))));
        let fit = Counts { a: vec![1; 10_000], b: vec![0; 10_000] };
        let ends = |spans| -> Vec<usize> {
            let groups = column.groups(&fit, &Counts::default(), spans);
            groups.iter().map(|group| if let Key::Span { to, .. } = group.key { to } else { 0 }).collect()
        };
        assert_eq!(ends(Spans::Even { most: 100, least: 0 }).first(), Some(&101));
        let fine = ends(Spans::Tails { share: 100 });
        let low = [1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 33, 64, 65];
        let high = [9_935, 9_936, 9_967, 9_968, 9_983, 9_984, 9_991, 9_992, 9_995, 9_996, 9_997, 9_998, 9_999, 10_000];
        assert_eq!(fine, [&low[..], &high].concat());
        // All alike: there is nothing to cut.
        let column = Column::new((0..100).map(|_| Reading::Number(f64::INFINITY)));
        let fit = Counts { a: vec![1; 100], b: vec![0; 100] };
        assert_eq!(column.groups(&fit, &Counts::default(), Spans::Tails { share: 10 }).len(), 1);
    }
}
