//! A block of ChaCha20: sixteen words of 32 bits, or eight of 64, of a key, a counter and a stream.
//!
//! As Bernstein's original has it, with a counter and a stream (his nonce) of 64 bits each; so has
//! `rand_chacha`, whose words these are.

/// The words of "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// How many times the columns and then the diagonals are mixed: 20 rounds.
const DOUBLE_ROUNDS: u32 = 10;

#[inline(always)]
fn quarter_round([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    let a = a.wrapping_add(b);
    let d = (d ^ a).rotate_left(16);
    let c = c.wrapping_add(d);
    let b = (b ^ c).rotate_left(12);
    let a = a.wrapping_add(b);
    let d = (d ^ a).rotate_left(8);
    let c = c.wrapping_add(d);
    let b = (b ^ c).rotate_left(7);
    [a, b, c, d]
}

/// The columns, then the diagonals. Written out: an array that is indexed would be in a GPU's memory.
#[inline(always)]
fn double_round(state: [u32; 16]) -> [u32; 16] {
    let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3] = state;
    let [a0, b0, c0, d0] = quarter_round([a0, b0, c0, d0]);
    let [a1, b1, c1, d1] = quarter_round([a1, b1, c1, d1]);
    let [a2, b2, c2, d2] = quarter_round([a2, b2, c2, d2]);
    let [a3, b3, c3, d3] = quarter_round([a3, b3, c3, d3]);
    let [a0, b1, c2, d3] = quarter_round([a0, b1, c2, d3]);
    let [a1, b2, c3, d0] = quarter_round([a1, b2, c3, d0]);
    let [a2, b3, c0, d1] = quarter_round([a2, b3, c0, d1]);
    let [a3, b0, c1, d2] = quarter_round([a3, b0, c1, d2]);
    [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3]
}

/// The two halves of 64 bits, the low one first.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the halves")]
const fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Block `counter` of a stream of ChaCha20 under a key.
#[inline]
#[must_use]
pub fn block(key: &[u32; 8], counter: u64, stream: u64) -> [u32; 16] {
    let [k0, k1, k2, k3] = CONSTANTS;
    let &[k4, k5, k6, k7, k8, k9, k10, k11] = key;
    let ([k12, k13], [k14, k15]) = (halves(counter), halves(stream));
    let mut state = [k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15];
    let mut round = 0;
    while round < DOUBLE_ROUNDS {
        state = double_round(state);
        round += 1;
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15] = state;
    [
        s0.wrapping_add(k0),
        s1.wrapping_add(k1),
        s2.wrapping_add(k2),
        s3.wrapping_add(k3),
        s4.wrapping_add(k4),
        s5.wrapping_add(k5),
        s6.wrapping_add(k6),
        s7.wrapping_add(k7),
        s8.wrapping_add(k8),
        s9.wrapping_add(k9),
        s10.wrapping_add(k10),
        s11.wrapping_add(k11),
        s12.wrapping_add(k12),
        s13.wrapping_add(k13),
        s14.wrapping_add(k14),
        s15.wrapping_add(k15),
    ]
}

/// The number that two halves write, the low one first.
#[inline(always)]
#[must_use]
pub const fn word(low: u32, high: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

/// The eight words of 64 bits of a block, in order: the low half of each comes first.
#[inline]
#[must_use]
pub const fn words(block: [u32; 16]) -> [u64; 8] {
    let [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15] = block;
    [
        word(w0, w1),
        word(w2, w3),
        word(w4, w5),
        word(w6, w7),
        word(w8, w9),
        word(w10, w11),
        word(w12, w13),
        word(w14, w15),
    ]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "a test may panic")]
mod tests {
    use super::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};

    /// Every block is `rand_chacha`'s, as words of 32 bits and of 64, at both ends of the counter and of the streams.
    #[test]
    fn blocks_are_those_of_rand_chacha() {
        for seed in [[0; 32], core::array::from_fn(|at| at as u8 * 7), [255; 32]] {
            let key: [u32; 8] =
                core::array::from_fn(|at| u32::from_le_bytes(seed[4 * at..4 * at + 4].try_into().unwrap()));
            for stream in [0, 1, 2, 1 << 32, u64::MAX - 1, u64::MAX] {
                for counter in [0, 1, 7, u64::from(u32::MAX), 1 << 32, (1 << 63) + 5, u64::MAX] {
                    let at = || {
                        let mut rng = ChaCha20Rng::from_seed(seed);
                        rng.set_stream(stream);
                        rng.set_word_pos(u128::from(counter) << 4);
                        rng
                    };
                    let (mut halves, mut whole) = (at(), at());
                    let made = block(&key, counter, stream);
                    assert_eq!(made, core::array::from_fn(|_| halves.next_u32()));
                    assert_eq!(words(made), core::array::from_fn(|_| whole.next_u64()));
                }
            }
        }
    }
}
