//! Gaussian noise: the acceptance's exponent is (|y|·a − b)² exactly, or nothing.

use super::*;

/// (y·a − b)² of a double-width model; nothing iff y·a or the square does not fit.
fn is_the_square_u8(exponent: impl Fn(&u8, &u8, &u8) -> Option<u8>, y: u8, a: u8, b: u8) {
    let scaled = u16::from(y) * u16::from(a);
    let difference = scaled.abs_diff(b.into());
    // 16² = 256.
    let fits = scaled <= 255 && difference < 16;
    assert!(exponent(&y, &a, &b).map(u16::from) == fits.then(|| difference * difference));
}

/// Planted: wraps.
#[cfg(any(test, certus_controls))]
fn wrapping(y: &u8, a: &u8, b: &u8) -> Option<u8> {
    let difference = y.wrapping_mul(*a).abs_diff(*b);
    Some(difference.wrapping_mul(difference))
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ |y|, a, b of 8 bits. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_exponent_u8() {
        let (y, a, b): (u8, u8, u8) = (kani::any(), kani::any(), kani::any());
        is_the_square_u8(exponent, y, a, b);
        kani::cover!(exponent(&y, &a, &b) == Some(225), "the greatest square");
        kani::cover!(exponent(&y, &a, &b).is_none(), "past the width");
        kani::cover!(u16::from(y) * u16::from(a) < u16::from(b) && exponent(&y, &a, &b) == Some(4), "below b");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_exponent_wrapping() {
        is_the_square_u8(wrapping, kani::any(), kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// The same at 16 bits, by comparing factors: the square of |y·a − b|.
    fn is_the_square_u16(y: u16, a: u16, b: u16) {
        let scaled = u32::from(y) * u32::from(a);
        let difference = scaled.abs_diff(b.into());
        let fits = scaled < 1 << 16 && difference < 1 << 8;
        assert!(exponent(&y, &a, &b).map(u32::from) == fits.then(|| difference * difference));
    }

    #[test]
    fn bytes_exhaustively() {
        for y in 0..=u8::MAX {
            for a in 0..=u8::MAX {
                for b in 0..=u8::MAX {
                    is_the_square_u8(exponent, y, a, b);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_the_square_u8(wrapping, 20, 20, 1);
    }

    proptest! {
        #[test]
        fn sixteen_bits(y: u16, a: u16, b: u16, narrow in 0u32..16) {
            is_the_square_u16(y >> narrow, a >> (15 - narrow), b);
            // Near b, where the square fits.
            let product = (y >> narrow).checked_mul(a >> (15 - narrow));
            if let Some(product) = product {
                is_the_square_u16(y >> narrow, a >> (15 - narrow), product.wrapping_add(b >> 7));
                is_the_square_u16(y >> narrow, a >> (15 - narrow), product.wrapping_sub(b >> 7));
            }
        }
    }
}
