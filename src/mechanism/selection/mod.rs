//! Selection: which candidate is best, which queries are above a threshold.
//!
//! | mechanism | releases | guarantee |
//! | --- | --- | --- |
//! | [`Exponential`] | one candidate, P ∝ e^(ε·score/span) | ε |
//! | [`PermuteAndFlip`] | one candidate, at least as good as the former | ε |
//! | [`NoisyMax`] | the argmax of noisy scores, ties to the lower index | ε |
//! | [`NoisyTopK`] | the k best noisy scores' indices, from one round of noise | ε |
//! | [`Peeling`] | k candidates, one after the other | ε |
//! | [`SparseVector`] | which of a stream of queries pass a threshold, up to c of them | ε₁ + ε₂ |
//! | [`NumericSparseVector`] | the same, with noisy answers of those that pass | ε₁ + ε₂ + ε₃ |
//!
//! The first five see [`Candidates`]: how many there are, and by how much the *difference of two scores* can
//! change between neighbours, their span: 2Δ in general, Δ if all scores move the same way. Each guarantee is
//! proven from the span alone.

mod candidates;
mod exponential;
mod inversion;
mod noise;
mod noisy_max;
mod noisy_top_k;
mod numeric_sparse_vector;
mod peeling;
mod permute_and_flip;
mod race;
mod sparse_vector;

pub(in crate::mechanism) use candidates::dominated_by_a_response;
pub use candidates::{Candidates, ScoresError, SelectionError};
pub use exponential::Exponential;
pub use inversion::{Inversion, NoWeightError};
pub(crate) use noise::reaches;
pub use noise::{NoiseSampler, SelectionNoise};
pub use noisy_max::{NoisyArgmax, NoisyMax};
pub use noisy_top_k::{NoisyRanking, NoisyTopK};
pub use numeric_sparse_vector::{NumericAnswers, NumericSparseVector};
pub use peeling::{Peel, Peeling};
pub use permute_and_flip::{Flips, PermuteAndFlip};
pub use sparse_vector::{AskError, Comparison, SparseAnswers, SparseVector, Stream, ThresholdError};
