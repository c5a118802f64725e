//! Evidence about mechanisms: for now certificates, which enumerate our own.

pub mod certify;
