//! What `certus-audit` sees of the samplers to enumerate them: their tables, their words, their edges. No
//! part of the API:
//! it changes without notice.

use alloc::vec::Vec;

use num_bigint::BigUint;

pub use super::program::Execution;
use super::{
    Program,
    fixed::{FixedGaussian, FixedLaplace},
    prepared::{PreparedGaussian, PreparedLaplace},
};
use crate::bits::{Bits, BitsError};

pub mod machine {
    //! Machine words, the short ones too.
    pub use crate::sample::machine::*;
}

pub mod prepared {
    //! The constructions of the prepared samplers.
    pub use crate::sample::prepared::{Construction, SignedWord, Trial, Trials};

    pub mod bulk {
        //! Many samples at a time.
        use super::{SignedWord, Trial};
        use crate::bits::{Bits, BitsError};
        use crate::sample::prepared::bulk;
        pub use crate::sample::prepared::bulk::*;

        /// Fills a slice by a construction.
        ///
        /// # Errors
        ///
        /// Those of the shipped fill.
        pub fn fill<C: Trial, T: Slot<C::Word>, B: Bits + ?Sized>(
            construction: &C,
            bits: &mut B,
            out: &mut [T],
        ) -> Result<(), FillError> {
            bulk::fill(construction, bits, out)
        }

        /// Adds the noise of a construction to values.
        ///
        /// # Errors
        ///
        /// If the source fails.
        pub fn add_noise<C: Trial, B: Bits + ?Sized>(
            construction: &C,
            bits: &mut B,
            values: &mut [SignedWord<C>],
        ) -> Result<usize, BitsError> {
            bulk::add_noise(construction, bits, values)
        }
    }
    pub mod cells {
        //! Cells of a decay.
        pub use crate::sample::prepared::cells::*;
    }
    pub mod inversion {
        //! Inversion by a table.
        pub use crate::sample::prepared::inversion::*;
    }
    pub mod table {
        //! One word a sample.
        pub use crate::sample::prepared::table::*;
    }
    pub mod wide {
        //! Buckets under an envelope.
        pub use crate::sample::prepared::wide::*;
    }
}

pub mod fixed {
    //! The kernel of the fixed-work samplers.
    pub use crate::sample::fixed::{
        edges::{Edge, Stated},
        kernel::Kernel,
    };
}

/// Runs a program to its end, without [`Bits::begin`].
///
/// # Errors
///
/// If the source fails.
pub fn execute<P: Program, B: Bits + ?Sized>(program: &P, bits: &mut B) -> Result<P::Output, BitsError> {
    super::execute(program, bits)
}

/// Prepared samplers: the construction that draws.
pub trait Shipped {
    /// The sampler that draws where there is no construction.
    type Reference;

    /// The construction that draws.
    fn shipped(&self) -> &prepared::Construction<Self::Reference>;
}

/// Fixed-work samplers: what their words weigh, and where they change their mind.
pub trait FixedWork {
    /// Visits every outcome with the number of words that settle it; the digits of those words together, or
    /// nothing if the
    /// kernel does not say what it must at both ends of every run of words.
    fn settled(&self, visit: &mut dyn FnMut(Option<i64>, BigUint)) -> Option<u32>;

    /// Tapes on both sides of every edge, and what they give.
    fn edges(&self) -> Option<Vec<fixed::Edge>>;

    /// What the acceptance states about its error, if there is one.
    fn stated(&self) -> Option<fixed::Stated>;
}

macro_rules! hooks {
    ($prepared:ident, $reference:ident, $fixed:ident) => {
        impl Shipped for $prepared {
            type Reference = super::$reference;

            fn shipped(&self) -> &prepared::Construction<super::$reference> {
                self.shipped()
            }
        }

        impl FixedWork for $fixed {
            fn settled(&self, visit: &mut dyn FnMut(Option<i64>, BigUint)) -> Option<u32> {
                self.settled(visit)
            }

            fn edges(&self) -> Option<Vec<fixed::Edge>> {
                self.edges()
            }

            fn stated(&self) -> Option<fixed::Stated> {
                self.stated()
            }
        }
    };
}

hooks!(PreparedLaplace, Laplace, FixedLaplace);
hooks!(PreparedGaussian, Gaussian, FixedGaussian);
