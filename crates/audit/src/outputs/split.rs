//! Splitting counts at random, without looking at the values: an exact multivariate hypergeometric draw.

use std::num::NonZeroU64;

use certus::{
    bits::{Bits, BitsError},
    sample::Uniform,
};

/// The rate of the first thinning is a multiple of 2^-RATE_BITS.
const RATE_BITS: u32 = 6;

/// Draws `size` of the items at random without replacement, all subsets alike; answers how many of each kind.
///
/// The answer is multivariate hypergeometric: P(h) = Π C(kᵢ, hᵢ) / C(N, size) for counts k of sum N. `size`
/// over N is taken for N.
///
/// # Algorithm
///
/// Each item is first taken with probability r/2^6, for the nearest r, by comparing six bits with r (64 items
/// at once, by words). Given their number T, the taken items are a uniform T-subset, because every subset of
/// a size is equally likely. A uniform subset of |T − size| of the taken (or of the others) is then given
/// back (or taken too), which leaves a uniform subset of the right size. That second subset is Floyd's:
/// distinct places below T, all sets of them alike (Bentley and Floyd 1987). All of it is comparisons of
/// integers on fair bits: no approximation.
///
/// # Errors
///
/// If the source fails.
///
/// ```
/// use certus_audit::outputs::draw;
/// use certus::bits::seeded;
///
/// let drawn = draw(&[5, 0, 1_000], 100, &mut seeded([0; 32]))?;
/// assert_eq!(drawn.iter().sum::<u64>(), 100);
/// assert!(drawn[0] <= 5 && drawn[1] == 0);
/// # Ok::<(), certus::bits::BitsError>(())
/// ```
pub fn draw<B: Bits>(counts: &[u64], size: u64, bits: &mut B) -> Result<Vec<u64>, BitsError> {
    bits.begin()?;
    let total: u64 = counts.iter().sum();
    let size = size.min(total);
    // ⌊size·64/total⌋ ≤ 64, in 128 bits since size·64 may not fit in 64.
    let rate = (u128::from(size) << RATE_BITS).checked_div(u128::from(total)).unwrap_or(0);
    let rate = u64::try_from(rate).unwrap_or(0);
    let mut taken = Vec::with_capacity(counts.len());
    let mut coins = Coins { rate, ready: 0, left: 0 };
    for &count in counts {
        taken.push(coins.thin(count, bits)?);
    }
    let drawn: u64 = taken.iter().sum();
    if drawn > size {
        let back = subset(&taken, drawn, drawn - size, bits)?;
        taken.iter_mut().zip(back).for_each(|(taken, back)| *taken -= back);
    } else {
        let others: Vec<u64> = counts.iter().zip(&taken).map(|(count, taken)| count - taken).collect();
        let more = subset(&others, total - drawn, size - drawn, bits)?;
        taken.iter_mut().zip(more).for_each(|(taken, more)| *taken += more);
    }
    Ok(taken)
}

/// Coins of probability rate/2^RATE_BITS, for rate ≤ 2^RATE_BITS: 64 at a time, each used once.
struct Coins {
    rate: u64,
    /// The coins that have not been used, in the low bits.
    ready: u64,
    left: u32,
}

impl Coins {
    /// How many of `count` items are taken.
    fn thin<B: Bits>(&mut self, count: u64, bits: &mut B) -> Result<u64, BitsError> {
        if self.rate >> RATE_BITS > 0 {
            return Ok(count);
        }
        if self.rate == 0 {
            return Ok(0);
        }
        let (mut taken, mut wanted) = (0, count);
        while wanted > 0 {
            if self.left == 0 {
                (self.ready, self.left) = (toss(self.rate, bits)?, 64);
            }
            // At most 64.
            let lanes = u32::try_from(wanted).unwrap_or(64).min(self.left);
            taken += u64::from((self.ready & (u64::MAX >> (64 - lanes))).count_ones());
            self.ready = self.ready.checked_shr(lanes).unwrap_or(0);
            self.left -= lanes;
            wanted -= u64::from(lanes);
        }
        Ok(taken)
    }
}

/// Lane by lane: is a uniform number of RATE_BITS bits, from its lowest bit up, below the rate?
fn toss<B: Bits>(rate: u64, bits: &mut B) -> Result<u64, BitsError> {
    let mut below = 0_u64;
    for place in 0..RATE_BITS {
        let word = bits.take(64)?;
        // A rate bit of 1 over a drawn 0 decides for below, 0 over 1 against; equal bits leave it to the
        // lower ones.
        below = if (rate >> place) & 1 == 1 { !word | below } else { !word & below };
    }
    Ok(below)
}

/// A uniform subset of `size` of the `total` items with these counts.
fn subset<B: Bits>(counts: &[u64], total: u64, size: u64, bits: &mut B) -> Result<Vec<u64>, BitsError> {
    let mut places = std::collections::BTreeSet::new();
    for last in total - size..total {
        let place = Uniform::word_below(NonZeroU64::MIN.saturating_add(last), bits)?;
        if !places.insert(place) {
            places.insert(last);
        }
    }
    let mut places = places.into_iter().peekable();
    let mut end = 0;
    let mut answer = Vec::with_capacity(counts.len());
    for &count in counts {
        end += count;
        let mut inside = 0;
        while places.next_if(|place| *place < end).is_some() {
            inside += 1;
        }
        answer.push(inside);
    }
    Ok(answer)
}

#[cfg(test)]
#[expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the statistics of the tests"
)]
mod tests {
    use super::*;
    use certus::bits::seeded;
    use std::collections::HashMap;

    fn choose(n: u64, k: u64) -> f64 {
        if k > n { 0.0 } else { (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product() }
    }

    /// Pearson's chi-square against P(h) = Π C(kᵢ,hᵢ)/C(N,s), for sizes that make the correction go up and
    /// down. Alpha: below 10^-6 for each (mean ± 5.5 standard deviations and a skew margin).
    #[test]
    fn the_draw_is_hypergeometric() {
        let counts = [3_u64, 1, 0, 5, 2];
        for size in [1_u64, 4, 7, 10] {
            let mut bits = seeded([size as u8; 32]);
            let runs = 40_000;
            let mut seen: HashMap<Vec<u64>, u64> = HashMap::new();
            for _ in 0..runs {
                *seen.entry(draw(&counts, size, &mut bits).unwrap()).or_default() += 1;
            }
            let (mut chi, mut cells, mut mass) = (0.0, 0, 0.0);
            for code in 0..4 * 2 * 6 * 3 {
                let h = [code % 4, code / 4 % 2, 0, code / 8 % 6, code / 48];
                if h.iter().sum::<u64>() != size {
                    continue;
                }
                let p = counts.iter().zip(h).map(|(&k, h)| choose(k, h)).product::<f64>() / choose(11, size);
                let expected = p * runs as f64;
                chi += (seen.get(&h[..]).copied().unwrap_or(0) as f64 - expected).powi(2) / expected;
                mass += p;
                cells += 1;
            }
            assert!((mass - 1.0).abs() < 1e-12);
            let freedom = f64::from(cells - 1);
            assert!(chi < freedom + 5.5 * (2.0 * freedom).sqrt() + 15.0, "size {size}: chi-square {chi} of {freedom}");
        }
    }

    #[test]
    fn sizes_are_kept_and_edges_hold() {
        let mut bits = seeded([1; 32]);
        let counts = [1_000_000_u64, 3, 0, 77_777];
        for size in [0, 1, 5, 100_000, 1_077_779, 1_077_780, u64::MAX] {
            let drawn = draw(&counts, size, &mut bits).unwrap();
            assert_eq!(drawn.iter().sum::<u64>(), size.min(1_077_780));
            assert!(drawn.iter().zip(counts).all(|(drawn, count)| *drawn <= count));
        }
        assert_eq!(draw(&[], 5, &mut bits).unwrap(), Vec::<u64>::new());
        // A kind's share is right within six standard deviations.
        let drawn = draw(&counts, 200_000, &mut bits).unwrap();
        let expected = 200_000.0 * 77_777.0 / 1_077_780.0;
        assert!((drawn[3] as f64 - expected).abs() < 6.0 * expected.sqrt());
    }
}
