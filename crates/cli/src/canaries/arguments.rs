//! The arguments of audits by canaries, as the parser declares them.

use clap::{Args, ValueEnum};

/// What `certus audit --canaries` takes.
#[derive(Args, Debug)]
pub(crate) struct OfCanaries {
    /// A CSV file of canaries, a row each: score, and in (1 if it was trained on, 0 if not); where there are, pair (one of two is in) or run (a training run a row)
    #[arg(
        help_heading = "Canaries",
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "target", "a", "b", "command", "base", "neighbours", "samples_a", "samples_b", "format", "column", "tally_a",
            "tally_b", "input", "neighbour", "samples", "sequential", "scale", "timeout", "shards", "sampler", "only",
            "counterexample", "junit", "sarif",
        ]
    )]
    pub(crate) canaries: Option<String>,
    /// The coins that `certus canaries` drew, in place of the column in
    #[arg(help_heading = "Canaries", long, value_name = "FILE", requires = "canaries")]
    pub(super) coins: Option<String>,
    /// The commitment to these coins and to what was declared: it is checked, and what it declares need not be said again
    #[arg(help_heading = "Canaries", long, value_name = "FILE", requires = "coins")]
    pub(super) commitment: Option<String>,
    /// Which neighbours the claim is for: add_remove, or change_one, which a file with pairs needs
    #[arg(help_heading = "Canaries", long, value_name = "RELATION", requires = "canaries")]
    pub(super) relation: Option<String>,
    /// How it is tested.
    #[command(flatten)]
    pub(super) test: Test,
}

/// All that is fixed before scores are seen, besides the claim and the confidence.
#[derive(Args, Debug)]
pub(crate) struct Test {
    /// In place of a claim, the plan that the run was, such as 'subsampled_gaussian(sigma=1, rate=1/100)*1000'; may be given many times
    #[arg(help_heading = "Canaries", long, value_name = "SPEC", conflicts_with = "claim")]
    pub(super) plan: Vec<String>,
    /// The delta at which a plan's epsilon is told
    #[arg(help_heading = "Canaries", long, value_name = "D", requires = "plan", allow_hyphen_values = true)]
    pub(super) delta: Option<String>,
    /// How many canaries are guessed, R or R,R,… which share 1 - confidence; to be fixed before scores are seen [default: 3 times the root of the canaries]
    #[arg(help_heading = "Canaries", long, value_name = "R", allow_hyphen_values = true)]
    pub(super) guesses: Option<String>,
    /// The bound on right guesses [default: curve]
    #[arg(help_heading = "Canaries", long, value_enum)]
    pub(super) method: Option<Bound>,
    /// What scores are [default: ranked]
    #[arg(help_heading = "Canaries", long, value_enum)]
    pub(super) scores: Option<Scores>,
    /// You attest that canaries are independent channels (orthogonal, clipped, the plan's noise): also says whether the run was the plan itself
    #[arg(help_heading = "Canaries", long, requires = "plan")]
    pub(super) independent: bool,
}

impl Test {
    /// The first of its options that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--plan", !self.plan.is_empty()),
            ("--delta", self.delta.is_some()),
            ("--guesses", self.guesses.is_some()),
            ("--method", self.method.is_some()),
            ("--scores", self.scores.is_some()),
            ("--independent", self.independent),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// A bound on the number of right guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bound {
    /// For any claim that is a curve (Mahloujifar, Melis and Chaudhuri 2024)
    Curve,
    /// For epsilon and delta (Steinke, Nasr and Jagielski 2023)
    Steinke,
}

/// What scores are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scores {
    /// Of any unit: the greatest are guessed in, the least out
    Ranked,
    /// Logarithms of likelihood ratios, or centred like them: those of the greatest size are guessed by their sign
    Ratios,
}

/// Draws coins.
#[derive(Args, Debug)]
#[command(
    after_help = "Canary i is trained on if and only if its coin is 1. Keep the coins secret (the file can be read by you alone) and publish the\n\
    commitment before you train: it is a salted SHA-256 over the coins and all that is declared here. Score every canary without the coins, then\n\
    audit. A file that is there is never replaced.\n\n\
    Examples:\n  \
    certus canaries --draw 1000 --commit commitment.json\n  \
    certus canaries --draw 1000 --commit commitment.json --claim epsilon=4,delta=1e-5 --guesses 100 --confidence 0.95\n  \
    certus canaries --draw 1e4 --commit c.json --plan 'subsampled_gaussian(sigma=1, rate=1/100)*1000' --delta 1e-5\n  \
    certus audit --canaries scores.csv --coins coins.csv --commitment commitment.json"
)]
pub(crate) struct Draw {
    /// How many canaries, and coins
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) draw: String,
    /// Where the commitment goes, to be published
    #[arg(long, value_name = "FILE")]
    pub(super) commit: String,
    /// Where the coins go, to be kept secret
    #[arg(long, value_name = "FILE", default_value = "coins.csv")]
    pub(super) coins: String,
    /// What is claimed: epsilon=E, or epsilon=E,delta=D
    #[arg(long, value_name = "CLAIM", allow_hyphen_values = true)]
    pub(super) claim: Option<String>,
    /// The confidence of the audit; between 0 and 1 [default: 0.999]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub(super) confidence: Option<String>,
    /// How it will be tested.
    #[command(flatten)]
    pub(super) test: Test,
}
