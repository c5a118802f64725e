//! Tensors of 32 or 64 bits, filled or added to.

/// An element of a tensor, which the GPU reads and writes 16 bytes at a time where they are aligned for it.
pub trait Word: Copy + Default + TryFrom<i64> {
    /// The sum, or the end of the range that it passes; and whether it passes one.
    fn plus(self, sample: i64) -> (Self, bool);

    /// Puts something for each of eight elements, by what was there, if that is read, and by a sample: 16 bytes
    /// at a time, the first element lowest. (Elements of their own would be merged with the stores of [`each`].)
    ///
    /// # Safety
    ///
    /// `to` points to eight elements and is a multiple of 16.
    unsafe fn each_chunk(to: *mut Self, samples: [i64; 8], put: impl FnMut(Self, i64) -> Self, reads: bool);

    /// Adds eight samples to eight elements; the answer is how many sums were clamped.
    ///
    /// # Safety
    ///
    /// `to` points to eight elements and is aligned as they are.
    #[inline]
    unsafe fn add_eight(to: *mut Self, samples: [i64; 8]) -> u32 {
        let mut past = 0;
        let add = |before: Self, sample| {
            let (sum, is_past) = before.plus(sample);
            past += u32::from(is_past);
            sum
        };
        // SAFETY: the caller's.
        unsafe { each(to, samples, add, true) };
        past
    }

    /// Writes eight samples; the answer is how many do not fit, and are written as 0.
    ///
    /// # Safety
    ///
    /// `to` points to eight elements and is aligned as they are.
    #[inline]
    unsafe fn write_eight(to: *mut Self, samples: [i64; 8]) -> u32 {
        let mut past = 0;
        let write = |_: Self, sample| {
            Self::try_from(sample).unwrap_or_else(|_| {
                past += 1;
                Self::default()
            })
        };
        // SAFETY: the caller's.
        unsafe { each(to, samples, write, false) };
        past
    }
}

/// Puts something for each of eight elements, by what was there, if that is read, and by a sample.
///
/// # Safety
///
/// `to` points to eight elements and is aligned as they are.
#[inline]
unsafe fn each<T: Word>(to: *mut T, samples: [i64; 8], mut put: impl FnMut(T, i64) -> T, reads: bool) {
    if (to as usize).is_multiple_of(16) {
        // SAFETY: the caller's.
        return unsafe { T::each_chunk(to, samples, put, reads) };
    }
    macro_rules! each {
        ($($at:literal)*) => { $(
            // SAFETY: one of the eight.
            unsafe {
                let to = to.add($at);
                to.write(put(if reads { to.read() } else { T::default() }, samples[$at]));
            }
        )* };
    }
    each!(0 1 2 3 4 5 6 7);
}

impl Word for i64 {
    /// Wraps at first, and mends what has passed the range, which is rare.
    #[inline]
    unsafe fn add_eight(to: *mut i64, samples: [i64; 8]) -> u32 {
        let mut signs = 0;
        let add = |before: i64, sample: i64| {
            let sum = before.wrapping_add(sample);
            // Negative where both have a sign that the sum has not.
            signs |= (sum ^ before) & (sum ^ sample);
            sum
        };
        // SAFETY: the caller's.
        unsafe { each(to, samples, add, true) };
        let mut past = 0;
        if signs < 0 {
            macro_rules! mend {
                ($($at:literal)*) => { $(
                    // SAFETY: one of the eight. Volatile, or the compiler would keep all values for this.
                    unsafe {
                        let to = to.add($at);
                        let before = to.read_volatile().wrapping_sub(samples[$at]);
                        let (sum, is_past) = before.plus(samples[$at]);
                        to.write(sum);
                        past += u32::from(is_past);
                    }
                )* };
            }
            mend!(0 1 2 3 4 5 6 7);
        }
        past
    }

    #[inline]
    fn plus(self, sample: i64) -> (i64, bool) {
        let sum = self.wrapping_add(sample);
        // Both have a sign that the sum has not.
        let is_past = (sum ^ self) & (sum ^ sample) < 0;
        (if is_past { (self >> 63) ^ i64::MAX } else { sum }, is_past)
    }

    #[inline]
    unsafe fn each_chunk(to: *mut i64, samples: [i64; 8], mut put: impl FnMut(i64, i64) -> i64, reads: bool) {
        let to = to.cast::<u128>();
        let [a, b, c, d, e, f, g, h] = samples;
        macro_rules! chunks {
            ($($at:literal $one:ident $two:ident)*) => { $(
                // SAFETY: one of four chunks.
                unsafe {
                    let to = to.add($at);
                    let before = if reads { to.read() } else { 0 };
                    let (one, two) = (put(before as i64, $one), put((before >> 64) as i64, $two));
                    to.write(u128::from(one.cast_unsigned()) | u128::from(two.cast_unsigned()) << 64);
                }
            )* };
        }
        chunks!(0 a b 1 c d 2 e f 3 g h);
    }
}

impl Word for i32 {
    #[inline]
    fn plus(self, sample: i64) -> (i32, bool) {
        // A sum past 64 bits is past 32, too.
        let sum = sample.saturating_add(self.into());
        match i32::try_from(sum) {
            Ok(sum) => (sum, false),
            Err(_) => (if sum < 0 { i32::MIN } else { i32::MAX }, true),
        }
    }

    #[inline]
    unsafe fn each_chunk(to: *mut i32, samples: [i64; 8], mut put: impl FnMut(i32, i64) -> i32, reads: bool) {
        let to = to.cast::<u128>();
        let [a, b, c, d, e, f, g, h] = samples;
        macro_rules! chunks {
            ($($at:literal $one:ident $two:ident $three:ident $four:ident)*) => { $(
                // SAFETY: one of two chunks.
                unsafe {
                    let to = to.add($at);
                    let before = if reads { to.read() } else { 0 };
                    let mut put = |shift: u32, sample| {
                        u128::from(put((before >> shift) as i32, sample).cast_unsigned()) << shift
                    };
                    to.write(put(0, $one) | put(32, $two) | put(64, $three) | put(96, $four));
                }
            )* };
        }
        chunks!(0 a b c d 1 e f g h);
    }
}
