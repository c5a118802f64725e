//! What was computed for one ε and answers others.

use super::spectral::Memory;

/// What the questions of one plan share: spectra that were made for one ε and are right at every other.
///
/// Every answer from it contains the truth; what is in it decides how narrow an answer is, and how soon it
/// comes.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pub(super) spectral: Memory,
}
