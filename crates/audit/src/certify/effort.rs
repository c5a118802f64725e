//! How much work a structural certificate may take.

use std::time::{Duration, Instant};

use super::CertifyError;

/// A bound of the work: outputs (and states at once) of a program, and the time. What would take more is
/// refused; what is certified does not depend on it.
///
/// ```
/// use std::time::Duration;
///
/// use certus_audit::certify::{CertifyError, Effort, structural_within};
/// use certus::{exact::{Positive, Rational}, sample::Laplace};
///
/// let noise = Laplace::new(&Positive::new(Rational::from_integer(50.into()))?);
/// let within = |outputs| structural_within(&noise, 30, &Effort::new(outputs, Duration::from_secs(60)), &mut |_| {});
/// assert!(within(1 << 14).is_ok());
/// assert_eq!(within(100), Err(CertifyError::TooManyOutputs));
/// # Ok::<(), certus::exact::NotPositiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Effort {
    outputs: usize,
    until: Option<Instant>,
}

/// Now; nothing where there is no clock, as in a browser: time is not bounded there.
fn now() -> Option<Instant> {
    (!cfg!(target_family = "wasm")).then(Instant::now)
}

/// The most outputs (or states at once) that a program may have.
const MOST_OUTPUTS: usize = 1 << 20;

impl Effort {
    /// At most so many outputs, 2^20 or fewer, and from now on so much time.
    #[must_use]
    pub fn new(outputs: usize, time: Duration) -> Self {
        Self { outputs: outputs.min(MOST_OUTPUTS), until: now().and_then(|now| now.checked_add(time)) }
    }

    /// 2^20 outputs, and any time.
    pub(super) fn most() -> Self {
        Self { outputs: MOST_OUTPUTS, until: None }
    }

    pub(super) fn check_outputs(&self, outputs: usize) -> Result<(), CertifyError> {
        if outputs > self.outputs { Err(CertifyError::TooManyOutputs) } else { Ok(()) }
    }

    pub(super) fn check_time(&self) -> Result<(), CertifyError> {
        if self.until.is_some_and(|until| now() > Some(until)) { Err(CertifyError::TooLong) } else { Ok(()) }
    }
}
