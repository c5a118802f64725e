//! `+`, `−` and `·` for what has them for all operands: the methods of the same names, on references.

use core::ops::{Add, Mul, Neg, Sub};

use super::{Enclosure, Integer};

macro_rules! operators {
    ($($type:ident: $trait:ident $method:ident),*) => {$(
        impl $trait for &$type {
            type Output = $type;

            fn $method(self, other: Self) -> $type {
                $type::$method(self, other)
            }
        }
    )*};
}

macro_rules! negated {
    ($($type:ident),*) => {$(
        impl Neg for &$type {
            type Output = $type;

            fn neg(self) -> $type {
                $type::neg(self)
            }
        }
    )*};
}

operators!(Integer: Add add, Enclosure: Add add, Enclosure: Sub sub, Enclosure: Mul mul);
negated!(Integer, Enclosure);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_the_methods() {
        let (three, five) = (Integer::from(3), Integer::from(5));
        assert_eq!((&three + &five, -&three), (8.into(), (-3).into()));
        let (two, four) = (Enclosure::from_integer(2, 8), Enclosure::from_integer(4, 8));
        assert_eq!((&two + &four, &two - &four), (two.add(&four), two.sub(&four)));
        assert_eq!((&two * &four, -&two), (two.mul(&four), two.neg()));
    }
}
