//! Numbers of many rows in ascending order, each kept once.

/// The different numbers in ascending order, and the rows in the order of their numbers.
#[derive(Clone, Debug)]
pub(in crate::events) struct Numbers {
    /// Each number with the place where its run of rows ends.
    runs: Vec<(f64, usize)>,
    rows: Vec<u32>,
}

/// The rows of one number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'n> {
    pub(super) number: f64,
    /// The places of its rows in the order.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) rows: &'n [u32],
}

impl Numbers {
    /// Sorts numbers, none of them NaN.
    pub(super) fn new(mut numbers: Vec<(f64, u32)>) -> Self {
        // Which of equal numbers comes first does not matter: they are never parted.
        numbers.sort_unstable_by(|one, two| one.0.total_cmp(&two.0));
        let mut runs: Vec<(f64, usize)> = Vec::new();
        for (place, (number, _)) in numbers.iter().enumerate() {
            #[expect(clippy::float_cmp, reason = "the very same number")]
            match runs.last_mut() {
                Some(last) if last.0 == *number => last.1 = place + 1,
                _ => runs.push((*number, place + 1)),
            }
        }
        runs.shrink_to_fit();
        Self { runs, rows: numbers.iter().map(|(_, row)| *row).collect() }
    }

    /// How many rows there are.
    pub(super) fn length(&self) -> usize {
        self.rows.len()
    }

    /// How many different numbers there are.
    pub(super) fn different(&self) -> usize {
        self.runs.len()
    }

    /// The rows from a place in the order to below another.
    pub(super) fn rows(&self, from: usize, to: usize) -> &[u32] {
        self.rows.get(from..to).unwrap_or_default()
    }

    /// The different numbers, ascending.
    pub(super) fn runs(&self) -> impl DoubleEndedIterator<Item = Run<'_>> {
        (0..self.runs.len()).filter_map(|place| {
            let &(number, to) = self.runs.get(place)?;
            let from = place.checked_sub(1).and_then(|before| self.runs.get(before)).map_or(0, |(_, to)| *to);
            Some(Run { number, from, to, rows: self.rows(from, to) })
        })
    }

    /// The number at a place in the order.
    pub(super) fn at(&self, place: usize) -> Option<f64> {
        let run = self.runs.partition_point(|(_, to)| *to <= place);
        self.runs.get(run).map(|(number, _)| *number)
    }
}
