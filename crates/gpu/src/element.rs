//! What a tensor may hold.

use certus::exact::Integer;
use certus_gpu_kernel::output::Word;

use crate::driver::Plain;

/// An element of a tensor: `i32` or `i64`.
pub trait Element: Word + Into<i64> + sealed::Sealed {
    /// Its name in a kernel's.
    #[doc(hidden)]
    const NAME: &'static str;
    /// The least.
    #[doc(hidden)]
    const LEAST: Self;
    /// The greatest.
    #[doc(hidden)]
    const GREATEST: Self;
}

pub(crate) mod sealed {
    use super::Plain;

    /// What the driver copies; nobody else's type.
    #[allow(private_bounds, reason = "it is sealed by this")]
    pub trait Sealed: Plain {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

impl Element for i32 {
    const NAME: &'static str = "i32";
    const LEAST: Self = Self::MIN;
    const GREATEST: Self = Self::MAX;
}

impl Element for i64 {
    const NAME: &'static str = "i64";
    const LEAST: Self = Self::MIN;
    const GREATEST: Self = Self::MAX;
}

/// What becomes of an element when the processor has settled its sample; and whether it passed the type: the
/// sum or the end of the range that it passes, or, where the tensor is filled, the sample or 0.
pub(crate) fn settled<T: Element>(before: Option<T>, sample: &Integer) -> (T, bool) {
    let number = match before {
        Some(before) => sample.add(&Integer::from(before.into())),
        None => sample.clone(),
    };
    match (number.to_i64().and_then(|number| T::try_from(number).ok()), before) {
        (Some(element), _) => (element, false),
        (None, None) => (T::default(), true),
        (None, Some(_)) => (if number < Integer::ZERO { T::LEAST } else { T::GREATEST }, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums are clamped at both ends, whatever the size of the sample; samples that do not fit are 0.
    #[test]
    fn what_passes_the_type_is_clamped_or_zero() {
        let far = Integer::from(i64::MAX).add(&Integer::from(i64::MAX));
        assert_eq!(settled(Some(-5i64), &Integer::from(7i64)), (2, false));
        assert_eq!(settled(Some(-5i64), &far), (i64::MAX, true));
        assert_eq!(settled(Some(5i64), &far.clone().neg()), (i64::MIN, true));
        assert_eq!(settled(Some(i64::MIN), &Integer::from(i64::MAX)), (-1, false));
        assert_eq!(settled(Some(1i32), &Integer::from(i64::from(i32::MAX))), (i32::MAX, true));
        assert_eq!(settled(Some(-1i32), &Integer::from(i64::from(i32::MIN))), (i32::MIN, true));
        assert_eq!(settled::<i64>(None, &far), (0, true));
        assert_eq!(settled::<i32>(None, &Integer::from(1i64 << 31)), (0, true));
        assert_eq!(settled::<i32>(None, &Integer::from(-1i64 << 31)), (i32::MIN, false));
    }
}
