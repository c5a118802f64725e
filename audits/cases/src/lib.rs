//! The case studies: attacks that work, and noise that stops them.
//!
//! A [`Case`] is a file or folder of its own. It runs under a [`Setting`] and gives a [`Study`]: text, tables, pictures, and what it found
//! of every number that the documents state. The command prints it, and [`site`] makes all of them one page.
//!
//! These are applications: floats simulate, attack and draw. What is *private* never rests on one: every ε and δ comes from certus'
//! accountant or auditor, and every noise from its samplers, but for those that are broken on purpose.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod case;
pub mod cases;
pub mod exact;
pub mod plot;
pub mod privacy;
pub mod proportion;
pub mod random;
pub mod roc;
pub mod site;
pub mod study;
pub mod terminal;

mod averaging;
mod canaries;
mod census;
mod composition;
mod exercises;
mod floating_point;
mod mechanisms;
mod membership;
mod pin;
mod survey;
mod timing;

pub use case::{Case, CaseError, Parameter, Setting, SettingError, Silent, Watch};
pub use cases::CASES;
pub use plot::{Axis, Mark, Plot, Series, Shape};
pub use study::{Block, Finding, Study, Table};
