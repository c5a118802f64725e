//! Where a case's randomness comes from: one seed, and a name for each use.

use certus::bits::{BitStream, Bits, BitsError, seeded};
use rand_chacha::ChaCha20Rng;

/// The seed of one use, as the bytes that certus takes: another for another name or number.
#[must_use]
pub fn seed(seed: u64, name: &str, number: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    // FNV-1a over the name: names of one case differ, and nothing else is asked of it.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    for (place, word) in bytes.chunks_exact_mut(8).zip([seed, hash, number, 0x0063_6173_6573]) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// The bits of one use.
#[must_use]
pub fn bits(from: u64, name: &str, number: u64) -> BitStream<ChaCha20Rng> {
    seeded(seed(from, name, number))
}

/// A float uniform on the multiples of 2^-53 in [0, 1): for simulations and attacks, never for noise.
///
/// # Errors
///
/// If the source fails.
pub fn uniform(bits: &mut impl Bits) -> Result<f64, BitsError> {
    Ok(bits.take(53)? as f64 * 2_f64.powi(-53))
}
