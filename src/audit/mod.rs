//! Evidence about mechanisms: certificates, which enumerate our own, and statistics, for anybody's.
//!
//! ```text
//! outputs ──► events ──► run ──► report
//!               ▲         ▲
//! statistics ───┴─────────┘
//! ```

pub mod certify;
mod claim;
pub mod events;
pub mod outputs;
mod report;
mod run;
pub mod statistics;
#[cfg(test)]
mod tests;
#[cfg(feature = "cli")]
#[path = "../../audits/zoo/mod.rs"]
pub mod zoo;

pub use claim::{Claim, ClaimError};
pub use report::{CurvePoint, Finding, Report, Verdict};
pub use run::{Audit, AuditError, LEAST_SAMPLES};
