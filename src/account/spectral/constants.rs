//! Every constant of the method. Each affects width and time, never soundness.

/// Working digits beyond those of the fixed point: as many as all copies may have, and some.
pub(super) const LIMBS_GUARD_BITS: u32 = 96;

/// Working digits of what only bounds: moments of aliases and of rare outcomes.
pub(super) const BOUND_BITS: u32 = 128;

/// The fewest and the most limbs of a number.
pub(super) const FEWEST_LIMBS: u32 = 2;
pub(super) const MOST_LIMBS: u32 = 4;

/// Gaussian tails below 2^-this are left out at first: 17 standard deviations.
pub(super) const TAIL_BITS: u32 = 208;

/// What is left out in all is below 2^-this of δ.
pub(super) const TAIL_OF_DELTA_BITS: u32 = 48;

/// More outcomes than this are taken in blocks.
pub(super) const MOST_LISTED_OUTCOMES: usize = 2_500;

/// The frequencies that a first sum has, and the most.
pub(super) const FIRST_FREQUENCIES: usize = 1 << 10;
pub(super) const MOST_FREQUENCIES: usize = 1 << 16;

/// Each error term but the smoothing may be so many times smaller than the width that is asked for.
pub(super) const TOLERANCE_PARTS: f64 = 30.0;

/// No answer is made narrower than one part in 10^this.
pub(super) const FINEST_DECIMAL_DIGITS: u32 = 6;

/// The same of a plan in blocks, for each trial of a search for ε.
pub(super) const TRIAL_DECIMAL_DIGITS: u32 = 3;

/// The most attempts of one question.
pub(super) const MOST_ATTEMPTS: usize = 14;

/// A tilt whose pref exceeds δ by more than e^this is chosen only where no other will do.
pub(super) const LARGEST_PREFACTOR_NATS: f64 = 45.0;

/// The tilts that are looked at for one sum, and those for its aliases.
pub(super) const TILTS: u32 = 24;
pub(super) const ALIAS_TILTS: u32 = 32;

/// The exponents r that are looked at for rare outcomes.
pub(super) const RARE_EXPONENTS: u32 = 24;

/// The points at which the curve of wide noise is met at first.
pub(super) const COARSE_POINTS: u32 = 96;

/// The most blocks that a plan of wide noise has in all; the most of a part, and the fewest.
pub(super) const MOST_BLOCKS: usize = 50_000;
pub(super) const MOST_BLOCKS_OF_PART: usize = 1 << 12;
pub(super) const BLOCKS_FOR_THREE_DIGITS: usize = 512;
pub(super) const FEWEST_BLOCKS: usize = 96;

/// The blocks of a part of wide noise for an answer that is as wide as itself; and those that are told to
/// reach it, where there are no more.
pub(super) const BLOCKS_FOR_ONE: f64 = 28.0;
pub(super) const BLOCKS_REACHING_ONE: f64 = 16.0;

/// A spectrum that takes up to e^this as many frequencies as the best is used again.
pub(super) const REUSE_NATS: f64 = 0.7;

/// Tails that a first idea of δ leaves out.
pub(super) const ROUGH_TAIL_BITS: u32 = 96;

/// The relative width of a first idea of δ.
pub(super) const ROUGH_WIDTH: f64 = 0.2;

/// Blocks are chosen anew for a tilt that is so many times as great, or as small.
pub(super) const FOCUS_FACTOR: f64 = 2.0;

/// Of a plan in blocks either side is asked for an answer so many times narrower.
pub(super) const SIDES_PARTS: f64 = 4.0;

/// The most sums of jumps that are listed, and the most steps of a search for them.
pub(super) const MOST_JUMP_SUMS: usize = 4_000;
pub(super) const MOST_JUMP_STEPS: usize = 1 << 18;

/// The tilts that are looked at for one sum of jumps, and how often the list is made anew once it tells more
/// of δ.
pub(super) const JUMP_TILTS: u32 = 128;
pub(super) const MOST_JUMP_ROUNDS: usize = 3;

/// Jumps are listed if an answer is so many times as wide as is asked for.
pub(super) const JUMPS_FROM_WIDTHS: f64 = 10.0;
