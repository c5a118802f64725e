//! Evidence about mechanisms: certificates, which enumerate our own, and statistics, for anybody's.
//!
//! ```text
//! outputs ──► events ──► run ──► report
//!               ▲         ▲
//! statistics ───┴─────────┘
//! ```

pub mod certify;
pub(crate) mod claim;
pub mod events;
pub mod outputs;
mod own;
mod report;
mod run;
mod sampled;
mod sequential;
pub mod statistics;
#[cfg(test)]
mod tests;
#[cfg(feature = "cli")]
#[path = "../../audits/zoo/mod.rs"]
pub mod zoo;

pub use claim::{Claim, ClaimError};
pub use own::Own;
pub use report::{CurvePoint, Finding, Report, Verdict};
pub use run::{Audit, AuditError, LEAST_SAMPLES};
pub use sampled::{SampleError, Sampled, Side, fresh_seed, tallies, tallies_counted};
pub use sequential::Sequential;
