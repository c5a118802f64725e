//! The arguments of `certus ledger`, as the parser declares them.

use clap::{ArgGroup, Args, Subcommand};

/// What is done with a ledger.
#[derive(Debug, Subcommand)]
pub(crate) enum Ledger {
    /// Make a ledger in a new file: what may be spent, and by whom
    Init(Init),
    /// Show what was spent, what is left, and the releases
    Show(Look),
    /// Verify the whole chain of records; exit status 1 if it is damaged, or does not have the expected head
    Verify(Look),
    /// Print the head: the hash of the last record
    Head(Look),
}

/// Makes a ledger.
#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("budget").args(["epsilon", "rho", "declare"]).required(true).multiple(true),
    after_help = "Budgets, which cannot change afterwards:\n  \
    --epsilon E             pure epsilon, summed over mechanisms that may be chosen adaptively\n  \
    --epsilon E --delta D   (epsilon, delta), both summed\n  \
    --rho R                 zCDP, summed\n  \
    --declare SPEC*K ...    a list of mechanisms, fixed now, whose exact account is the budget: releases tick them off in any\n                          \
                            order. --delta D prints its epsilon, --epsilon E its delta, as `certus account` does\n\n\
    The head that is printed names the whole ledger. Keep it, or the latest one, outside the file: nothing inside a file can tell\n\
    that it was truncated or restored from a backup, and --expect-head can.\n\n\
    Examples:\n  \
    certus ledger init people.ledger --epsilon 1\n  \
    certus ledger init people.ledger --epsilon 1 --delta 1e-6 --analyst ana=1/2,1e-7 --analyst ben=1/2,1e-7\n  \
    certus ledger init people.ledger --rho 1/8 --relation change_one\n  \
    certus ledger init people.ledger --declare 'gaussian(sigma=10)*100' --declare 'laplace(scale=20)*5' --delta 1e-6\n  \
    certus ledger init people.ledger --declare plan.toml --delta 1e-6"
)]
pub(crate) struct Init {
    /// The file to make; a file that is there is never replaced
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// The budget in epsilon; beside --declare, the epsilon at which to print delta
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(super) epsilon: Option<String>,
    /// The budget in delta, beside --epsilon; beside --declare, the delta at which to print epsilon
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub(super) delta: Option<String>,
    /// The budget in zCDP's rho
    #[arg(long, value_name = "R", allow_hyphen_values = true, conflicts_with_all = ["epsilon", "delta", "declare"])]
    pub(super) rho: Option<String>,
    /// A mechanism of a declared plan, such as 'gaussian(sigma=10)*100', or a plan file as of `certus account`,
    /// which ends in .toml; may be given many times
    #[arg(long, value_name = "SPEC|FILE.toml")]
    pub(super) declare: Vec<String>,
    /// Whom the budget protects: add_remove or change_one [default: add_remove, or the one that the declared plan
    /// is for]
    #[arg(long, value_name = "RELATION", allow_hyphen_values = true)]
    pub(super) relation: Option<String>,
    /// An analyst, and what they may spend of the budget: NAME=E, NAME=E,D, NAME=R or NAME=SPEC*K; may be given
    /// many times
    #[arg(long, value_name = "NAME=BUDGET", allow_hyphen_values = true)]
    pub(super) analyst: Vec<String>,
}

/// Looks at a ledger.
#[derive(Args, Debug)]
#[command(after_help = "Nothing is written: a torn last write is told, and mended by the next release.\n\n\
    Examples:\n  \
    certus ledger show people.ledger\n  \
    certus ledger verify people.ledger --expect-head \"$(cat head)\"\n  \
    certus ledger head people.ledger > head")]
pub(crate) struct Look {
    /// The ledger
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// A head that the ledger had: 64 hex digits. Refused if it is not in the chain, as in a restored backup or a
    /// truncated file
    #[arg(long, value_name = "HEAD", allow_hyphen_values = true)]
    pub(super) expect_head: Option<String>,
}
