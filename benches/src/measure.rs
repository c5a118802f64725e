//! Time, on a machine that others use too.
//!
//! Samplers take turns: in every round each draws one batch, so that a disturbance meets all of them, and a ratio of two
//! samplers compares batches drawn milliseconds apart. The clock is the thread's own, which stands still while another process has
//! the core. The minimum is the machine undisturbed, the median the machine as it is.

use std::{hint::black_box, time::Duration};

use cpu_time::ThreadTime;

use crate::{
    group::Group,
    peers::{Peer, Sampler},
};

/// Samples drawn by one call of a sampler: 8 KiB, which stay in the first cache.
const CHUNK: usize = 1024;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Batches of each sampler.
    pub rounds: usize,
    /// What a batch should take.
    batch: Duration,
    /// A batch has at least so many samples, however slow: the work of a sample is random, and its mean is what we want.
    least: usize,
}

impl Plan {
    /// The table of the README.
    pub const FULL: Self = Self { rounds: 60, batch: Duration::from_millis(2), least: 1000 };
    /// A look: some seconds, some percent of error.
    pub const QUICK: Self = Self { rounds: 10, batch: Duration::from_micros(250), least: 200 };
}

/// Nanoseconds, a number for each round.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    /// The fastest round.
    pub fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The round in the middle.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// The median over the rounds of this sampler's time over another's in the same round.
    pub fn median_ratio(&self, other: &Self) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(ours, theirs)| ours / theirs).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Measures the samplers round by round; the answers are in their order.
pub fn interleaved(samplers: &mut [Box<dyn Sampler>], plan: Plan) -> Vec<Times> {
    let batches: Vec<usize> = samplers.iter_mut().map(|sampler| batch(sampler.as_mut(), plan)).collect();
    let mut times = vec![Times(Vec::with_capacity(plan.rounds)); samplers.len()];
    for round in 0..plan.rounds {
        for turn in 0..samplers.len() {
            // Who goes first changes, so that nobody always follows the same neighbour's leftovers.
            let who = (round + turn) % samplers.len();
            // An eighth of a batch untimed, to have its tables and its branches back from the neighbours.
            draw(samplers[who].as_mut(), batches[who] / 8);
            let elapsed = draw(samplers[who].as_mut(), batches[who]);
            times[who].0.push(nanoseconds(elapsed) / batches[who] as f64);
        }
    }
    times
}

/// How long a peer takes to build a sampler of the group, in nanoseconds: ten times over.
pub fn building(peer: &Peer, group: &Group) -> Times {
    let build = |_| {
        let start = ThreadTime::now();
        let sampler = (peer.build)(group);
        let elapsed = start.elapsed();
        black_box(sampler);
        nanoseconds(elapsed)
    };
    Times((0..10).map(build).collect())
}

/// Draws samples, and says how long it took.
pub fn draw(sampler: &mut dyn Sampler, samples: usize) -> Duration {
    let mut buffer = [0; CHUNK];
    let start = ThreadTime::now();
    let mut left = samples;
    while left > 0 {
        let chunk = &mut buffer[..left.min(CHUNK)];
        sampler.fill(chunk);
        left -= chunk.len();
        black_box(chunk);
    }
    start.elapsed()
}

/// The size of a batch that takes about as long as the plan says. Finding it warms the sampler up.
fn batch(sampler: &mut dyn Sampler, plan: Plan) -> usize {
    let mut samples = 64;
    loop {
        let elapsed = draw(sampler, samples);
        if elapsed * 2 >= plan.batch {
            let fitting = samples as f64 * nanoseconds(plan.batch) / nanoseconds(elapsed);
            return (fitting as usize).max(plan.least);
        }
        samples *= 2;
    }
}

fn nanoseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_medians() {
        let (ours, theirs) = (Times(vec![3.0, 1.0, 8.0, 2.0]), Times(vec![1.0, 2.0, 2.0, 2.0]));
        assert_eq!((ours.min(), ours.median(), theirs.median()), (1.0, 2.5, 2.0));
        // 3, 1/2, 4, 1
        assert_eq!(ours.median_ratio(&theirs), 2.0);
    }

    #[test]
    fn a_batch_is_drawn_in_full() {
        let count = std::rc::Rc::new(std::cell::Cell::new(0));
        let seen = count.clone();
        let mut fill = move |samples: &mut [i64]| seen.set(seen.get() + samples.len());
        draw(&mut fill, 2 * CHUNK + 5);
        assert_eq!(count.get(), 2 * CHUNK + 5);
    }
}
