//! Evidence about mechanisms: for now certificates, which enumerate our own.

pub mod certify;

#[cfg(feature = "cli")]
#[path = "../../audits/zoo/mod.rs"]
pub mod zoo;
