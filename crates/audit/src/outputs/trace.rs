//! What a recording keeps of its order, so that the same samples are known again wherever a copy begins.
//!
//! Two recordings that share a long run of outputs are no independent samples: one is a part of the other, or
//! a seed was used twice. The outputs are read as *runs*: an output, and how often it came in a row. If
//! outputs are independent and of one distribution, m runs in a row of two recordings agree with probability
//! about 3^-m at most, whatever the distribution: 3^-m is a fair coin's, and all others have less. So a
//! thousand zeros are one run and say nothing, and rare outputs say where they came.

use std::collections::BTreeSet;

use super::recording::mix;

/// The runs of a window. At the n·m pairs of places of two recordings of independent outputs, 64 runs in a
/// row agree somewhere with probability at most n·m·3^-64 < n·m·2^-101: below 2^-41 for a billion outputs
/// each.
const WINDOW_RUNS: u64 = 64;

/// The windows that are kept: those with the least digests, which are the same ones in every recording that
/// holds them.
const WINDOWS: usize = 128;

/// So many windows in common are a long run in common. (The digests of different windows, of 64 bits, agree
/// among those that are kept with probability below 2^-34, and those of their neighbours too below 2^-50.)
const COMMON_WINDOWS: usize = 2;

/// Digests of parts of a recording: of its first and its last window of 64 runs, and of some between.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(into = "[String; 2]", try_from = "[String; 2]")]
pub struct Trace {
    /// Of the first and the last window; none of a recording of fewer runs. Ascending.
    ends: Vec<u64>,
    /// The least of all windows'. Ascending, no two alike.
    windows: Vec<u64>,
}

impl Trace {
    /// Whether two recordings share a long run of outputs: their beginnings, their ends, or windows between.
    ///
    /// If the outputs are independent, the answer is wrongly yes with probability below 2^-40. It may be no
    /// of a run in the midst of both that has few of the windows which are kept: one that makes up a tenth of
    /// the longer recording is missed in one case of a hundred, and a third in one of 10^9, if it has some
    /// hundred runs.
    #[must_use]
    pub fn shares_a_run(&self, other: &Self) -> bool {
        common(&self.ends, &other.ends) > 0 || common(&self.windows, &other.windows) >= COMMON_WINDOWS
    }

    /// That of both recordings.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let union = |one: &[u64], two: &[u64]| -> Vec<u64> {
            one.iter().chain(two).copied().collect::<BTreeSet<u64>>().into_iter().collect()
        };
        let mut windows = union(&self.windows, &other.windows);
        windows.truncate(WINDOWS);
        Self { ends: union(&self.ends, &other.ends), windows }
    }

    /// Whether there is nothing to compare.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.windows.is_empty()
    }

    /// As two words without white space.
    pub(super) fn words(&self) -> [String; 2] {
        [&self.ends, &self.windows].map(|digests| {
            let digests: Vec<String> = digests.iter().map(|digest| format!("{digest:016x}")).collect();
            if digests.is_empty() { "-".to_owned() } else { digests.join(",") }
        })
    }

    /// From these words.
    pub(super) fn of_words(ends: &str, windows: &str) -> Option<Self> {
        let digests = |word: &str| -> Option<Vec<u64>> {
            if word == "-" {
                return Some(Vec::new());
            }
            let digests = word.split(',').map(|digest| u64::from_str_radix(digest, 16).ok());
            digests.collect::<Option<Vec<u64>>>().filter(|digests| digests.is_sorted())
        };
        let windows = digests(windows).filter(|windows| windows.len() <= WINDOWS)?;
        Some(Self { ends: digests(ends)?, windows })
    }
}

impl From<Trace> for [String; 2] {
    fn from(trace: Trace) -> Self {
        trace.words()
    }
}

impl TryFrom<[String; 2]> for Trace {
    type Error = &'static str;

    fn try_from([ends, windows]: [String; 2]) -> Result<Self, Self::Error> {
        Self::of_words(&ends, &windows)
            .ok_or("two lists of digests were expected, each of 16 hexadecimal digits, ascending")
    }
}

/// Whether two of these may share a run: always so if two do.
///
/// It is one sort of all digests, and two traces meet only at a digest that both have, which independent
/// recordings hardly ever do: the comparisons of all pairs, hundreds of digests each, are for those who must
/// name the two.
pub(super) fn may_share_a_run<'a>(traces: impl Iterator<Item = &'a Trace>) -> bool {
    let (mut ends, mut windows) = (Vec::new(), Vec::new());
    for (place, trace) in traces.enumerate() {
        let mut own = trace.ends.clone();
        own.dedup();
        ends.append(&mut own);
        windows.extend(trace.windows.iter().map(|window| (*window, place)));
    }
    ends.sort_unstable();
    windows.sort_unstable();
    let mut met = BTreeSet::new();
    let mut again = |same: &[(u64, usize)]| {
        let later = |at: usize| same.iter().skip(at + 1);
        let mut pairs = same.iter().enumerate().flat_map(|(at, one)| later(at).map(|two| (one.1, two.1)));
        pairs.any(|pair| !met.insert(pair))
    };
    ends.windows(2).any(|two| two.first() == two.last()) || windows.chunk_by(|one, two| one.0 == two.0).any(&mut again)
}

/// How many numbers two ascending lists share.
fn common(one: &[u64], two: &[u64]) -> usize {
    let mut two = two.iter().peekable();
    let mut shared = 0;
    for digest in one {
        while two.next_if(|other| *other < digest).is_some() {}
        shared += usize::from(two.next_if_eq(&digest).is_some());
    }
    shared
}

/// Draws the trace of a recording, output by output.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracer {
    /// The hash of the last output, and how often it came in a row.
    last: Option<u64>,
    length: u64,
    /// The runs that have ended.
    runs: u64,
    /// The digest of the last 64 of them: each is shifted by one bit with every run that follows, and out by
    /// the 64th.
    window: u64,
    /// Of the first 64.
    opening: u64,
    /// The least digests.
    windows: BTreeSet<u64>,
    /// The greatest of them, if there are as many as are kept.
    most: Option<u64>,
}

impl Tracer {
    /// The next output, by its hash.
    #[inline]
    pub(super) fn output(&mut self, hash: u64) {
        match self.last {
            Some(last) if last == hash => self.length += 1,
            Some(last) => {
                let run = mix(last ^ 0x517C_C1B7_2722_0A95, self.length);
                (self.last, self.length) = (Some(hash), 1);
                self.run(run);
            }
            None => (self.last, self.length) = (Some(hash), 1),
        }
    }

    #[inline]
    fn run(&mut self, run: u64) {
        self.runs += 1;
        self.window = (self.window << 1).wrapping_add(run);
        if self.runs >= WINDOW_RUNS && self.most.is_none_or(|most| self.window < most) {
            self.keep();
        }
    }

    fn keep(&mut self) {
        if self.runs == WINDOW_RUNS {
            self.opening = mix(self.window, 0);
        }
        self.windows.insert(self.window);
        if self.windows.len() > WINDOWS {
            self.windows.pop_last();
        }
        self.most = self.windows.last().copied().filter(|_| self.windows.len() == WINDOWS);
    }

    /// The trace of all outputs so far. The run that has not ended is left out: a copy may go on with it.
    pub(super) fn trace(self) -> Trace {
        let mut ends = Vec::new();
        if self.runs >= WINDOW_RUNS {
            ends = vec![self.opening, mix(self.window, u64::MAX)];
            ends.sort_unstable();
        }
        Trace { ends, windows: self.windows.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::{Output, Recording, Tally};
    use certus::bits::{Bits, seeded};

    /// Outputs of very different information: nothing at all, rare ones, a fair coin, a few words, and
    /// numbers that hardly come twice.
    const SOURCES: [fn(u64) -> i64; 6] = [
        |_| 7,
        |word| i64::from(word % 1024 == 0),
        |word| i64::from(word % 64 == 0),
        |word| i64::from(word % 2 == 0),
        |word| i64::from(word.trailing_ones()),
        |word| (word % 100_000).cast_signed(),
    ];

    fn outputs(source: fn(u64) -> i64, seed: u16, count: usize) -> Vec<i64> {
        let mut key = [3; 32];
        key[..2].copy_from_slice(&seed.to_le_bytes());
        let mut bits = seeded(key);
        (0..count).map(|_| source(bits.take(40).unwrap())).collect()
    }

    fn tally(id: &str, outputs: &[i64]) -> Tally {
        let mut recording = Recording::new();
        recording.integers(outputs);
        recording.finish(id)
    }

    /// A common beginning or end of a hundred outputs, of 20,000: few of its windows are kept, if any, but
    /// those of both ends are.
    #[test]
    fn common_ends_are_noticed() {
        let of = |seed: u16, count: usize| outputs(SOURCES[5], seed, count);
        for seed in (0..60).step_by(3) {
            let (shared, one, two) = (of(seed, 100), of(seed + 1, 20_000), of(seed + 2, 20_000));
            let trace = |parts: [&[i64]; 2]| tally("one", &parts.concat()).trace();
            assert!(trace([&shared, &one]).shares_a_run(&trace([&shared, &two])), "{seed}: beginnings");
            assert!(trace([&one, &shared]).shares_a_run(&trace([&two, &shared])), "{seed}: ends");
        }
    }

    /// Of independent outputs no two recordings are taken for copies: 40 of each source and length, all pairs
    /// of them. The probability that one of these tests fails is below 2^-40, were the seeds not fixed.
    #[test]
    fn independent_recordings_are_never_refused() {
        for (place, source) in (0..).zip(SOURCES) {
            for (step, count) in [(0, 20), (1, 250), (2, 251), (3, 3_000), (4, 20_000)] {
                let mut merged = Tally::default();
                for run in 0..40_u16 {
                    // Every other one is shorter by one output, as shards of a command may be.
                    let outputs = outputs(source, 1000 * place + 100 * step + run, count - usize::from(run % 2));
                    merged = merged.merge(&tally(&format!("{run}"), &outputs)).unwrap();
                }
                assert_eq!(merged.shards().len(), 40);
            }
        }
        // Nor are two sides with other shares of the same two words.
        for run in 0..100 {
            let (a, b) = (outputs(SOURCES[3], run, 5_000), outputs(SOURCES[4], 1000 + run, 5_000));
            tally("a", &a).check_apart(&tally("b", &b)).unwrap();
        }
    }

    /// A copy is known wherever it begins and ends, and whatever single output it lacks, as soon as it has
    /// some hundred runs.
    #[test]
    fn copies_are_known_in_part() {
        for (source, count) in [(SOURCES[2], 60_000), (SOURCES[3], 6_000), (SOURCES[4], 6_000), (SOURCES[5], 3_000)] {
            for seed in 0..10 {
                let all = outputs(source, seed, count);
                let whole = tally("whole", &all);
                let mut parts: Vec<Vec<i64>> = vec![
                    all[..count / 3].to_vec(),
                    all[count / 3..].to_vec(),
                    all[count / 4..count / 4 * 3].to_vec(),
                    all[..count - 1].to_vec(),
                    all[1..].to_vec(),
                ];
                for lacks in [0, count / 2, count - 1] {
                    let mut part = all.clone();
                    part.remove(lacks);
                    parts.push(part);
                }
                // In the midst of others.
                parts.push(
                    [&outputs(source, seed + 500, count)[..], &all, &outputs(source, seed + 600, count)].concat(),
                );
                for (place, part) in parts.iter().enumerate() {
                    assert!(whole.check_apart(&tally("part", part)).is_err(), "part {place} of {seed}, {count}");
                }
            }
        }
    }

    /// One recording that is shorter by one, of too few runs for a trace: the digest before the last output
    /// knows it. And many that say little each say enough together.
    #[test]
    fn short_repetitions_add_up() {
        // About 25 outputs of 400 are others, of some 33 bits by the bound; less what 80 shards may do by
        // chance, 19.
        let rare = |seed| outputs(|word| i64::from(word % 16 == 0), seed, 400);
        let coins = outputs(SOURCES[5], 1, 60);
        assert!(tally("a", &coins).check_apart(&tally("b", &coins[..59])).is_err());
        assert!(tally("a", &coins).check_apart(&tally("b", &coins[1..])).is_ok());
        let mut merged = Tally::default();
        let mut refused_at = None;
        for batch in 0..40_u16 {
            for copy in 0..2 {
                let one = tally(&format!("{batch}-{copy}"), &rare(batch));
                match merged.clone().merge(&one) {
                    Ok(sum) => merged = sum,
                    Err(_) => refused_at = refused_at.or(Some(batch)),
                }
            }
        }
        assert!(refused_at.is_some_and(|batch| (1..8).contains(&batch)), "{refused_at:?}");
    }

    /// Few digests, so that all kinds of agreement come: what the pairs say, the sort does not miss; and where
    /// no digest is twice in one trace, it says nothing else.
    #[test]
    fn the_sort_misses_no_pair() {
        let mut bits = seeded([5; 32]);
        let mut seen = [0_u32; 2];
        for round in 0..4000_u64 {
            let mut digests = |count: u64, among: u64| -> Vec<u64> {
                let drawn = (0..count).map(|_| bits.take(32).unwrap() % among);
                drawn.collect::<BTreeSet<u64>>().into_iter().collect()
            };
            let among = 20 + round % 300;
            let traces: Vec<Trace> =
                (0..4).map(|_| Trace { ends: digests(2, among * 4), windows: digests(5, among) }).collect();
            let pairs = (0..4).flat_map(|one| (0..one).map(move |two| (one, two)));
            let shares = pairs.into_iter().any(|(one, two)| traces[one].shares_a_run(&traces[two]));
            assert_eq!(may_share_a_run(traces.iter()), shares, "{traces:?}");
            seen[usize::from(shares)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 400), "{seen:?}");
    }

    #[test]
    fn traces_are_stored_and_joined() {
        let (one, two) = (tally("1", &outputs(SOURCES[5], 1, 30_000)), tally("2", &outputs(SOURCES[5], 2, 30_000)));
        let both = one.trace().joined(&two.trace());
        assert_eq!((both.ends.len(), both.windows.len()), (4, WINDOWS));
        assert!(both.shares_a_run(&one.trace()) && both.shares_a_run(&two.trace()));
        assert!(!both.shares_a_run(&tally("3", &outputs(SOURCES[5], 3, 30_000)).trace()));
        assert!(!both.is_empty() && Trace::default().is_empty());
        let stored = serde_json::to_string(&both).unwrap();
        assert_eq!(serde_json::from_str::<Trace>(&stored).unwrap(), both);
        for bad in ["[\"x\",\"-\"]", "[\"2,1\",\"-\"]", "[\"-\"]", "\"-\"", "[\"-\",\"3,2\"]"] {
            assert!(serde_json::from_str::<Trace>(bad).is_err(), "{bad}");
        }
        let mut file = Vec::new();
        one.write(&mut file).unwrap();
        assert_eq!(Tally::read(&file[..]).unwrap(), one);
        assert_eq!(one.count(&Output::from(-1)), 0);
    }
}
