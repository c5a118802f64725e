//! Evidence about mechanisms: certificates, which enumerate our own, and statistics, for anybody's.

pub mod certify;
pub mod outputs;
pub mod statistics;
