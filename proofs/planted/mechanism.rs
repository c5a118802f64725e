//! What the certificates need of the layer `mechanism`, which the scratch package leaves out.

use crate::{
    exact::Integer,
    sample::{PreparedGaussian, PreparedLaplace},
};

/// A prepared sampler, and the input.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Release {
    PreparedLaplace(PreparedLaplace, Integer),
    PreparedGaussian(PreparedGaussian, Integer),
    Other,
}
