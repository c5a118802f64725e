//! Rounding outward is outward.

use super::*;

/// ⌊v/2^bits⌋·2^bits ≤ v < (⌊v/2^bits⌋ + 1)·2^bits, and the mirror image for the ceiling.
fn is_outward(floor: i32, ceil: i32, value: i32, bits: u32) {
    let unit = 1 << bits;
    assert!(floor * unit <= value && value < (floor + 1) * unit);
    assert!((ceil - 1) * unit < value && value <= ceil * unit);
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ values of 16 bits and shifts up to 12.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_shifts() {
        let (value, bits): (i16, u32) = (kani::any(), kani::any());
        kani::assume(bits <= 12);
        let value = i32::from(value);
        is_outward(shift_floor(&value, bits), shift_ceil(&value, bits), value, bits);
        kani::cover!(value == -1 && bits == 4, "just below zero");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_shifts_towards_zero() {
        let (value, bits): (i16, u32) = (kani::any(), kani::any());
        kani::assume(bits <= 12);
        let value = i32::from(value);
        is_outward(value / (1 << bits), shift_ceil(&value, bits), value, bits);
    }
}

#[cfg(test)]
mod properties {
    use super::*;

    #[test]
    fn sixteen_bits_exhaustively() {
        for value in i32::from(i16::MIN)..=i32::from(i16::MAX) {
            for bits in 0..=12 {
                is_outward(shift_floor(&value, bits), shift_ceil(&value, bits), value, bits);
                let big = (shift_floor(&BigInt::from(value), bits), shift_ceil(&BigInt::from(value), bits));
                assert_eq!(big, (shift_floor(&value, bits).into(), shift_ceil(&value, bits).into()));
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_outward(-1 / 16, 0, -1, 4);
    }
}
