//! Counts of outputs that merge, in any order, to the same.

use super::{Output, Trace, trace::may_share_a_run};

/// One recording that a tally holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    pub(super) id: String,
    pub(super) samples: u64,
    /// A digest of the outputs in their order.
    pub(super) order: u64,
    /// The outputs that are not the most frequent one.
    pub(super) others: u64,
    /// The digest before the last output, by which a recording that is shorter by one is known; not known of
    /// those of version 0.1.0.
    pub(super) before: Option<u64>,
    /// What tells of parts of it.
    pub(super) trace: Trace,
}

impl Shard {
    /// `others` is set by the tally, which knows the counts. White space in a name becomes `-`, so that a
    /// file can hold it.
    pub(super) fn new(id: &str, samples: u64, order: u64) -> Self {
        let id = id.chars().map(|c| if c.is_whitespace() || c.is_control() { '-' } else { c }).collect();
        Self { id, samples, order, others: 0, before: None, trace: Trace::default() }
    }

    /// The name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The outputs recorded.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// A lower bound on the information of its outputs in bits: two independent recordings of this
    /// distribution agree with probability at most 2^-bits.
    ///
    /// Two outputs agree with probability Σ p² ≤ max p ≤ e^-(1 − max p), and 1/ln 2 > 4/3.
    fn bits(&self) -> u64 {
        self.others.saturating_add(self.others / 3)
    }

    /// Whether the outputs are the same in the same order, but perhaps for the last of one: shards of one
    /// command may differ by one in length.
    fn repeats(&self, other: &Self) -> bool {
        let whole = |shard: &Self| Some((shard.samples, shard.order));
        let less = |shard: &Self| Some((shard.samples.checked_sub(1)?, shard.before?));
        whole(self) == whole(other) || less(self) == whole(other) || whole(self) == less(other)
    }
}

/// Why tallies do not merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The same shard twice.
    #[error("shard {id} is there twice: each shard must be counted once")]
    SameShard {
        /// The name.
        id: String,
    },
    /// Two shards with the same outputs in the same order.
    #[error(
        "shards {first} and {second} hold the same outputs in the same order: one was copied, or a seed was used twice"
    )]
    SameOutputs {
        /// One name.
        first: String,
        /// The other.
        second: String,
    },
    /// Two shards with a long run of the same outputs.
    #[error(
        "shards {first} and {second} share a long run of the same outputs in the same order: one holds a part of the other, or a seed was used twice"
    )]
    SharedRun {
        /// One name.
        first: String,
        /// The other.
        second: String,
    },
    /// More samples than can be counted.
    #[error("the tallies hold 2^64 samples or more in all: no count could be right")]
    TooMany,
}

/// Repetitions of so many bits in all are no coincidence: of independent samples they come with probability
/// below e·2^-64.
const COINCIDENCE_BITS: u64 = 64;

/// How often each output was seen, and in which shards.
///
/// Merging is a sum of counts and a union of shards, so it is commutative and associative. A shard counts
/// once: the same name, or the same outputs in the same order, is an error, because samples counted twice are
/// not independent and every bound would be false. A long run of outputs that two shards share is one, too.
/// (Shards that hold hardly more than one value may agree by chance, and may: see [`Trace`].)
///
/// ```
/// use certus_audit::outputs::{Recording, Tally};
///
/// let mut recording = Recording::new();
/// recording.integers(&[1, 1, 2]);
/// let tally = recording.finish("a");
/// assert!(tally.clone().merge(&tally).is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Invariant: strictly ascending outputs, positive counts.
    pub(super) counts: Vec<(Output, u64)>,
    /// Invariant: ascending, no two alike; their samples are the sum of the counts, which is below 2^64.
    pub(super) shards: Vec<Shard>,
}

impl Tally {
    /// `counts` ascend strictly and are positive, and sum to the shard's samples.
    pub(super) fn of_shard(mut shard: Shard, counts: Vec<(Output, u64)>) -> Self {
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        shard.others = shard.samples.saturating_sub(most);
        Self { counts, shards: vec![shard] }
    }

    /// As if these integers had been recorded so often, in an order that `order` stands for.
    #[cfg(test)]
    pub(crate) fn of_counts(id: &str, order: u64, counts: &[u64]) -> Self {
        let counts: Vec<(Output, u64)> =
            (0..).map(Output::from).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
        let samples = counts.iter().map(|(_, count)| count).sum();
        Self::of_shard(Shard::new(id, samples, order), counts)
    }

    /// The outputs seen.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.shards.iter().map(|shard| shard.samples).sum()
    }

    /// How often this output was seen.
    #[must_use]
    pub fn count(&self, output: &Output) -> u64 {
        let place = self.counts.binary_search_by(|(other, _)| other.cmp(output)).ok();
        place.and_then(|place| self.counts.get(place)).map_or(0, |(_, count)| *count)
    }

    /// The outputs with their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&Output, u64)> {
        self.counts.iter().map(|(output, count)| (output, *count))
    }

    /// The number of different outputs.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// What was merged into this.
    #[must_use]
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// Both tallies in one.
    ///
    /// # Errors
    ///
    /// If a shard of one is a shard of the other, or both have 2^64 samples or more.
    pub fn merge(self, other: &Self) -> Result<Self, MergeError> {
        let mut shards = self.shards;
        shards.extend_from_slice(&other.shards);
        shards.sort_unstable();
        check(&shards)?;
        // The counts of an output are at most all samples, so that no sum of counts below is too large
        // either.
        samples_of(&shards).ok_or(MergeError::TooMany)?;
        let mut counts = Vec::with_capacity(self.counts.len().max(other.counts.len()));
        let (mut left, mut right) = (self.counts.into_iter().peekable(), other.counts.iter().cloned().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => left.next(),
                (None, Some(_)) => right.next(),
                (Some(one), Some(two)) => match one.0.cmp(&two.0) {
                    core::cmp::Ordering::Less => left.next(),
                    core::cmp::Ordering::Greater => right.next(),
                    core::cmp::Ordering::Equal => {
                        let more = right.next().map_or(0, |(_, count)| count);
                        left.next().map(|(output, count)| (output, count + more))
                    }
                },
            };
            counts.extend(next);
        }
        Ok(Self { counts, shards })
    }

    /// The digests of its recordings, by which the same samples are known again; none of those that may agree
    /// by chance.
    #[must_use]
    pub fn digests(&self) -> Vec<String> {
        let varied = self.shards.iter().filter(|shard| shard.bits() >= COINCIDENCE_BITS);
        varied.map(|shard| format!("{:016x}-{}", shard.order, shard.samples)).collect()
    }

    /// The trace of all its recordings together.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.shards.iter().fold(Trace::default(), |sum, shard| sum.joined(&shard.trace))
    }

    /// Refuses two sides of an audit that share a shard, as when one file is given for both, or a part of it.
    ///
    /// # Errors
    ///
    /// If a shard of one is a shard of the other.
    pub fn check_apart(&self, other: &Self) -> Result<(), MergeError> {
        let mut shards = [self.shards.as_slice(), &other.shards].concat();
        shards.sort_unstable();
        check(&shards)
    }
}

/// The samples of all of them; `None` if they are 2^64 or more.
pub(super) fn samples_of(shards: &[Shard]) -> Option<u64> {
    shards.iter().try_fold(0_u64, |sum, shard| sum.checked_add(shard.samples))
}

/// The longest part of a name that an error shows, in characters.
const SHOWN: usize = 60;

/// A name, or its beginning: that of a file from elsewhere may be as long as a line.
fn shown(id: &str) -> String {
    let mut start: String = id.chars().take(SHOWN).collect();
    if start.len() < id.len() {
        start.push('…');
    }
    start
}

/// That no shard is there twice, in whole or in part. `shards` are sorted.
pub(super) fn check(shards: &[Shard]) -> Result<(), MergeError> {
    let names = |one: &Shard, two: &Shard| (shown(&one.id), shown(&two.id));
    if let Some((one, _)) = shards.iter().zip(shards.iter().skip(1)).find(|(one, two)| one.id == two.id) {
        return Err(MergeError::SameShard { id: shown(&one.id) });
    }
    // Of N shards of independent outputs each repeats an earlier one with probability at most N·2^-bits. With
    // 2·log2 N bits less for each, the expectation of 2^sum is at most (1 + 1/N)^N < e, and the sum reaches
    // 64 with probability below e·2^-64.
    let allowance = 2 * u64::from(u64::BITS - (shards.len() as u64).leading_zeros());
    let mut repeated_bits = 0_u64;
    for (place, shard) in shards.iter().enumerate() {
        if let Some(earlier) = shards.iter().take(place).find(|earlier| earlier.repeats(shard)) {
            repeated_bits = repeated_bits.saturating_add(shard.bits().saturating_sub(allowance));
            if repeated_bits >= COINCIDENCE_BITS {
                let (first, second) = names(earlier, shard);
                return Err(MergeError::SameOutputs { first, second });
            }
        }
    }
    if !may_share_a_run(shards.iter().map(|shard| &shard.trace)) {
        return Ok(());
    }
    let pairs =
        shards.iter().enumerate().flat_map(|(place, one)| shards.iter().skip(place + 1).map(move |two| (one, two)));
    match pairs.into_iter().find(|(one, two)| one.trace.shares_a_run(&two.trace)) {
        Some((one, two)) => {
            let (first, second) = names(one, two);
            Err(MergeError::SharedRun { first, second })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::Recording;
    use certus::bits::{Bits, seeded};

    fn shard(id: &str, seed: u8, samples: usize, values: u64) -> Tally {
        let mut bits = seeded([seed; 32]);
        let mut recording = Recording::new();
        for _ in 0..samples {
            let value = i64::try_from(bits.take(20).unwrap() % values).unwrap();
            recording.output(&if value % 3 == 0 { Output::parse(&format!("w{value}")) } else { value.into() });
        }
        recording.finish(id)
    }

    #[test]
    fn merging_in_any_order_gives_the_same() {
        let shards: Vec<Tally> = (0..5).map(|i| shard(&format!("s{i}"), i, 500, 40)).collect();
        let orders = [[0, 1, 2, 3, 4], [4, 2, 0, 1, 3], [3, 4, 1, 0, 2]];
        let merged = orders
            .map(|order| order.iter().skip(1).fold(shards[order[0]].clone(), |sum, &i| sum.merge(&shards[i]).unwrap()));
        assert_eq!(merged[0], merged[1]);
        assert_eq!(merged[0], merged[2]);
        let pairs =
            shards[0].clone().merge(&shards[1]).unwrap().merge(&shards[2].clone().merge(&shards[3]).unwrap()).unwrap();
        assert_eq!(pairs.merge(&shards[4]).unwrap(), merged[0]);
        assert_eq!(merged[0].samples(), 2500);
        assert_eq!(merged[0].iter().map(|(_, count)| count).sum::<u64>(), 2500);
    }

    #[test]
    fn a_shard_counts_once() {
        let (one, copy, renamed) = (shard("a", 1, 300, 9), shard("a", 2, 300, 9), shard("b", 1, 300, 9));
        assert_eq!(one.clone().merge(&copy), Err(MergeError::SameShard { id: "a".into() }));
        let long = "é".repeat(1000);
        let told = shard(&long, 1, 300, 9).merge(&shard(&long, 2, 300, 9));
        assert_eq!(told, Err(MergeError::SameShard { id: format!("{}…", "é".repeat(60)) }));
        assert!(matches!(one.clone().merge(&renamed), Err(MergeError::SameOutputs { .. })));
        assert!(one.check_apart(&renamed).is_err());
        // A mechanism without noise prints the same every time, and may.
        assert_eq!(shard("a", 1, 300, 1).merge(&shard("b", 2, 300, 1)).unwrap().samples(), 600);
        // The same counts in another order are another recording.
        let (mut up, mut down) = (Recording::new(), Recording::new());
        (0..1000).for_each(|i| up.integer(i));
        (0..1000).rev().for_each(|i| down.integer(i));
        assert_eq!(up.finish("u").merge(&down.finish("d")).unwrap().samples(), 2000);
    }
}
