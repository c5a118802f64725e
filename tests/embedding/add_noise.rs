//! Noise added in place.

use certus::{
    bits::{Bits, BitsError, Key, Replay, Tape, seeded},
    sample::{PreparedGaussian, PreparedLaplace},
};

use crate::positive;

/// So many words, then a failure.
struct Fails(u64);

impl Bits for Fails {
    fn take(&mut self, _: u32) -> Result<u64, BitsError> {
        self.0 = self.0.checked_sub(1).ok_or(BitsError::Source)?;
        Ok(self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// A source that fails at any word leaves nothing of the caller's values: neither those that have noise, which say something
/// together with an error, nor those that have none.
#[test]
fn no_exact_value_is_left_when_the_source_fails() {
    for scale in ["1", "1000000", "1e15", "1e30"] {
        for words in [0, 1, 60, 63, 64, 65, 66, 80, 128, 129] {
            let mut values = [7_777_777_777_i64; 130];
            let failed = PreparedLaplace::new(&positive(scale)).add_noise(&mut Fails(words), &mut values);
            assert_eq!(failed.map(|_| ()), Err(BitsError::Source), "{scale} {words}");
            assert_eq!(values, [0; 130], "{scale} {words}");
            let mut values = [7_777_777_777_i64; 130];
            let failed = PreparedGaussian::new(&positive(scale)).add_noise(&mut Fails(words), &mut values);
            assert_eq!(failed.map(|_| ()), Err(BitsError::Source), "{scale} {words}");
            assert_eq!(values, [0; 130], "{scale} {words}");
        }
    }
}

/// A source that cannot even begin, and one that is at its end.
#[test]
fn nor_when_it_does_not_begin() {
    struct NeverBegins;
    impl Bits for NeverBegins {
        fn begin(&mut self) -> Result<(), BitsError> {
            Err(BitsError::Source)
        }
        fn take(&mut self, _: u32) -> Result<u64, BitsError> {
            Ok(0)
        }
    }
    let noise = PreparedLaplace::new(&positive("3"));
    let mut values = [5; 3];
    assert!(noise.add_noise(&mut NeverBegins, &mut values).is_err());
    assert_eq!(values, [0; 3]);
    let mut values = [5; 3];
    assert!(noise.add_noise(&mut Replay::new(Tape::default()), &mut values).is_err());
    assert_eq!(values, [0; 3]);
    assert_eq!(Key::drawn_from(&mut NeverBegins).map(|_| ()), Err(BitsError::Source));
}

/// What is clamped is counted: exactly where the exact sum passes a word.
#[test]
fn clamped_sums_are_counted() {
    for (scale, value) in [("1", 0), ("1", i64::MAX), ("1e6", i64::MIN), ("1e15", i64::MAX), ("1e18", 0), ("1e30", 3)] {
        let noise = PreparedLaplace::new(&positive(scale));
        let mut sums = vec![value; 1000];
        let clamped = noise.add_noise(&mut seeded([5; 32]), &mut sums).unwrap();
        let mut exact = vec![certus::exact::Integer::ZERO; 1000];
        noise.fill(&mut seeded([5; 32]), &mut exact).unwrap();
        let past = exact.iter().filter(|noise| noise.add(&value.into()).to_i64().is_none()).count();
        assert_eq!(clamped, past, "{scale} {value}");
        // Longer than what one thread draws, where there are several.
        let range = || Key::drawn_from(&mut seeded([5; 32])).unwrap().range(40_000).unwrap();
        let mut sums = vec![value; 40_000];
        let clamped = noise.add_noise_at(range(), &mut sums).unwrap();
        let mut exact = vec![certus::exact::Integer::ZERO; 40_000];
        noise.fill_at(range(), &mut exact).unwrap();
        let past = exact.iter().filter(|noise| noise.add(&value.into()).to_i64().is_none()).count();
        assert_eq!(clamped, past, "{scale} {value}");
    }
}
