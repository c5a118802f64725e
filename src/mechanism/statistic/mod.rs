//! Statistics of data: from records to a release, with the sensitivity proven beside the query.
//!
//! | statistic | of | noise | guarantee |
//! | --- | --- | --- | --- |
//! | [`RecordCount`] | how many records hold | Laplace | 1/scale |
//! | [`ClampedSum`] | integers, clamped | Laplace | Δ/scale |
//! | [`Mean`], [`MeanOfKnown`] | integers, clamped; n private or public | Laplace | |
//! | [`Variance`] | integers, clamped | Laplace | |
//! | [`Histogram`] | keys known beforehand | Laplace | 1/scale, or 2/scale |
//! | [`StabilityHistogram`] | keys that the data bring | Laplace, threshold | (ε, δ), δ exact |
//! | [`PrefixCounts`] | a stream's running counts, by the binary tree | Laplace | levels/scale |
//! | [`Quantile`] | integers, clamped | exponential mechanism | ε |
//! | [`SmoothMedian`] | integers, clamped; n public | Waring, by smooth sensitivity | ε |
//! | [`MedianTest`] | integers, clamped; n public | Laplace, propose-test-release | (ε, δ) |
//! | [`Survey`] | one answer a person | randomized response | ln(p/q) |
//! | [`Rappor`] | a few bits a person | randomized response on every bit | |
//!
//! Errors speak of public parameters alone; records out of range are clamped, or counted nowhere, and never
//! refused one by one.

mod bounds;
mod count;
mod histogram;
mod laplace_tail;
mod mean;
mod median_test;
mod noisy;
mod order;
mod prefix_counts;
mod proportion;
mod quantile;
mod rappor;
mod smooth_median;
mod smooth_sensitivity;
mod stability_histogram;
mod sum;
mod survey;
mod variance;
mod waring;

pub use bounds::{Bounds, RecordsError, StatisticError};
pub use count::RecordCount;
pub use histogram::Histogram;
pub use laplace_tail::laplace_tail;
pub use mean::{Mean, MeanOfKnown};
pub use median_test::{MedianTest, TestedMedian};
pub use noisy::{NoisyInteger, NoisyVector};
pub use order::OrderedRecords;
pub use prefix_counts::{NoisyPrefixes, PrefixCounts};
pub use proportion::{Proportion, ProportionError};
pub use quantile::{Quantile, SegmentChoice};
pub use rappor::{Rappor, RapporBits};
pub use smooth_median::{MedianWithNoise, SmoothMedian};
pub use stability_histogram::{NoisyKeys, StabilityHistogram};
pub use sum::ClampedSum;
pub use survey::Survey;
pub use variance::Variance;
pub use waring::Waring;
