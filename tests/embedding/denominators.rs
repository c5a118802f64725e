//! Rationals with a zero or negative denominator.
