//! For the samplers' tests: a kernel at two widths draws the same output from the same bits, and as many of
//! them.

use core::fmt::Debug;

use super::{Program, execute};
use crate::bits::{BitsError, Enumeration, Meter, seeded};

/// `samples` draws from each of two equal streams; `equal` compares outputs of two types.
pub(crate) fn same_on_a_stream<A, B>(a: &A, b: &B, samples: u32, equal: impl Fn(&A::Output, &B::Output) -> bool)
where
    A: Program<Output: Debug> + Debug,
    B: Program<Output: Debug> + Debug,
{
    let (mut one, mut other) = (Meter::new(seeded([42; 32])), Meter::new(seeded([42; 32])));
    for _ in 0..samples {
        let (x, y) = (a.sample(&mut one).unwrap(), b.sample(&mut other).unwrap());
        assert!(equal(&x, &y), "{a:?} draws {x:?}, {b:?} draws {y:?}");
        assert_eq!(one.used(), other.used(), "{a:?} and {b:?} draw {x:?} from different bits");
    }
}

/// Every tape of at most `depth` bits: the same output after the same bits, or neither ends.
pub(crate) fn same_on_every_tape<A, B>(a: &A, b: &B, depth: u32, equal: impl Fn(&A::Output, &B::Output) -> bool)
where
    A: Program<Output: Debug> + Debug,
    B: Program<Output: Debug> + Debug,
{
    let (mut one, mut other) = (Enumeration::new(depth), Enumeration::new(depth));
    loop {
        match (execute(a, &mut one), execute(b, &mut other)) {
            (Ok(x), Ok(y)) => assert!(equal(&x, &y), "{a:?} ends in {x:?}, {b:?} in {y:?}"),
            (Err(BitsError::TapeEnded), Err(BitsError::TapeEnded)) => {}
            (x, y) => panic!("{a:?} ends in {x:?}, {b:?} in {y:?}"),
        }
        assert_eq!(one.used(), other.used(), "{a:?} and {b:?} read different bits");
        let more = one.advance();
        assert_eq!(more, other.advance());
        if !more {
            return;
        }
    }
}
