//! The arguments, as the parser declares them.

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

/// Exact differential-privacy noise, and certificates of the code that draws it.
#[derive(Debug, Parser)]
#[command(
    name = "certus",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
        certus sample 'laplace(scale=5/2)' -n 5\n  \
        certus sample 'gaussian(sigma=10)' -n 1000000 --stats > noise.txt\n  \
        certus certify 'gaussian(sigma=2)'\n  \
        certus account 'gaussian(sigma=10)*100' 'laplace(scale=20)*5' --delta 1e-6\n  \
        certus calibrate gaussian --epsilon 1 --delta 1e-5\n  \
        certus mechanisms\n\n\
        Exit status: 0 fine, 1 a certificate that fails, 2 bad usage or input, 3 the environment failed."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    #[command(flatten)]
    pub(super) shared: Shared,
}

/// What every command takes.
#[derive(Args, Debug)]
pub(super) struct Shared {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Draw from this seed of 1 to 64 hex digits instead of the system's randomness: repeatable, for tests only, NOT private
    #[arg(long, global = true, value_name = "HEX", allow_hyphen_values = true)]
    pub(super) seed: Option<String>,
    /// Show no progress
    #[arg(long, global = true)]
    pub(super) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Draw samples of a mechanism, one a line
    Sample(Sample),
    /// Enumerate the shipped sampler's own output distribution and compare it with the closed form
    Certify(Certify),
    /// Enclose the smallest delta for an epsilon, or the smallest epsilon for a delta, of a plan of mechanisms
    Account(Account),
    /// Find the least noise that is certified to meet epsilon and delta
    Calibrate(Calibrate),
    /// List every mechanism with its keys
    Mechanisms,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// Draws samples.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    certus sample 'laplace(scale=5/2)' -n 5\n  \
    certus sample 'gaussian(sigma2=7/3)' -n 1e6 --stats > noise.txt\n  \
    certus sample 'laplace(scale=10)' --input 1234\n  \
    certus sample 'randomized_response(epsilon=1, k=5)' -n 3 --input 4 --json\n  \
    certus sample 'histogram(keys=3, scale=2)' --input 0,2,2")]
pub(super) struct Sample {
    /// The mechanism, such as 'laplace(scale=5/2)'; `certus mechanisms` lists them
    pub(super) spec: String,
    /// How many samples
    #[arg(short = 'n', value_name = "N", default_value = "1", allow_hyphen_values = true)]
    pub(super) n: String,
    /// What the mechanism runs on: an integer, or records or scores such as 5,17,3; `certus mechanisms` says which [default: 0, or a small example]
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub(super) input: Option<String>,
    /// Report the random bits used, on standard error (with --json, in the document); `auto` then is the reference sampler
    #[arg(long)]
    pub(super) stats: bool,
    /// The sampler
    #[arg(long, value_enum, default_value_t = Sampler::Auto)]
    pub(super) sampler: Sampler,
}

/// Certifies a sampler.
#[derive(Args, Debug)]
#[command(after_help = "Modes:\n  \
    structural  solves the sampler's loops exactly; depth: bits of unresolved mass (default 48, at most 1024)\n  \
    flat        runs the sampler on every bit tape and assumes nothing; depth: the longest tape (default 20, at most 36);\n              \
                it also counts the tapes of each length per output, and compares them with the structural interpreter's\n\n\
    Examples:\n  \
    certus certify 'laplace(scale=5/2)'\n  \
    certus certify 'gaussian(sigma=2)' --mode flat --depth 24\n  \
    certus certify 'gaussian(sigma=50)' --json > certificate.json\n  \
    certus certify 'exponential(epsilon=1, candidates=3)' --input 1,5,5 --neighbour 0,6,6")]
pub(super) struct Certify {
    /// The mechanism, such as 'gaussian(sigma=2)'; `certus mechanisms` lists them
    pub(super) spec: String,
    /// An input, for a certificate of the guarantee: with --neighbour [default: two of the worst, where there is no closed form to compare with]
    #[arg(long, value_name = "V", allow_hyphen_values = true, requires = "neighbour")]
    pub(super) input: Option<String>,
    /// A neighbour of the input
    #[arg(long, value_name = "W", allow_hyphen_values = true, requires = "input")]
    pub(super) neighbour: Option<String>,
    /// How to enumerate
    #[arg(long, value_enum, default_value_t = Mode::Structural)]
    pub(super) mode: Mode,
    /// How deep to enumerate: bits of unresolved mass (structural), or the longest tape (flat)
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub(super) depth: Option<String>,
    /// The sampler
    #[arg(long, value_enum, default_value_t = Sampler::Auto)]
    pub(super) sampler: Sampler,
}

/// Accounts for a plan.
#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("question").args(["epsilon", "delta", "profile"]),
    after_help = "A plan file lists what runs; every number is a string, an integer or a decimal, and is read exactly:\n  \
    [[mechanism]]\n  \
    spec = \"gaussian(sigma=10)\"\n  \
    copies = 100\n  \
    [[mechanism]]                      # the outputs' probabilities on two neighbouring inputs\n  \
    p = [\"1/2\", \"1/4\", \"1/4\"]\n  \
    q = [\"1/4\", \"1/4\", \"1/2\"]\n  \
    [[mechanism]]\n  \
    pair = \"masses.csv\"                # a file as for --pair, relative to the plan\n\n\
    Examples:\n  \
    certus account 'gaussian(sigma=10)' --epsilon 1/2\n  \
    certus account 'gaussian(sigma=10)*100' 'laplace(scale=20)*5' --delta 1e-6\n  \
    certus account 'randomized_response(gamma=1/4)*3' --profile --plot profile.svg\n  \
    certus account plan.toml --epsilon 1 --digits 40 --json\n  \
    certus account --pair 'masses.csv*3' --epsilon 0.1\n  \
    certus account 'laplace(scale=10, sensitivity=3)*20' --delta 1e-9 --summary"
)]
pub(super) struct Account {
    /// What runs: specs such as 'gaussian(sigma=10)*100', and plan files, which end in .toml
    #[arg(value_name = "SPEC")]
    pub(super) specs: Vec<String>,
    /// Also what has these output probabilities on two neighbouring inputs: a file of two columns, p and q, each adding up to exactly 1; run K times
    #[arg(long = "pair", value_name = "FILE[*K]")]
    pub(super) pairs: Vec<String>,
    /// Ask for the smallest delta at this epsilon (0 or greater)
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(super) epsilon: Option<String>,
    /// Ask for the smallest epsilon at this delta (at least 0, below 1)
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub(super) delta: Option<String>,
    /// Print delta at epsilons from 0 on: the privacy profile. So does a plan without a question
    #[arg(long)]
    pub(super) profile: bool,
    /// The number of epsilons in a profile, from 2 to 1000
    #[arg(long, value_name = "N", default_value = "21", allow_hyphen_values = true)]
    pub(super) points: String,
    /// The largest epsilon in a profile; by default one at which delta is at most 1e-10
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(super) to: Option<String>,
    /// How many significant digits the answer should have, from 1 to 1000
    #[arg(long, value_name = "N", default_value = "15", allow_hyphen_values = true)]
    pub(super) digits: String,
    /// Also say what the plan is in other notions: zCDP, Renyi, trade-off (f-DP), Gaussian DP
    #[arg(long)]
    pub(super) summary: bool,
    /// Also draw the profile into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) plot: Option<String>,
}

/// Calibrates a mechanism.
#[derive(Args, Debug)]
#[command(
    after_help = "The answer is a multiple of --step that is certified to meet epsilon and delta. It is called the smallest only\n\
    where every smaller multiple is certified to fail: the delta of Gaussian noise on integers is not monotone in sigma.\n\n\
    Examples:\n  \
    certus calibrate gaussian --epsilon 1 --delta 1e-5\n  \
    certus calibrate gaussian --epsilon 1/2 --delta 1e-9 --sensitivity 10 --step 1/8\n  \
    certus calibrate laplace --epsilon 0.1 --sensitivity 61 --json"
)]
pub(super) struct Calibrate {
    /// The noise
    #[arg(value_enum, value_name = "NAME")]
    pub(super) noise: Noise,
    /// The epsilon to meet, a positive number
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(super) epsilon: String,
    /// The delta to meet, at least 0 and below 1; gaussian needs one above 0
    #[arg(long, value_name = "D", default_value = "0", allow_hyphen_values = true)]
    pub(super) delta: String,
    /// The distance between neighbours' true answers, a positive integer
    #[arg(long, value_name = "S", default_value = "1", allow_hyphen_values = true)]
    pub(super) sensitivity: String,
    /// The grid: the answer is a multiple of this. By default a power of ten, about a thousandth of the answer
    #[arg(long, value_name = "G", allow_hyphen_values = true)]
    pub(super) step: Option<String>,
}

/// The noise that can be calibrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Noise {
    /// Discrete Laplace noise, by its scale
    #[value(alias = "geometric")]
    Laplace,
    /// Discrete Gaussian noise, by its sigma
    Gaussian,
}

/// Which implementation of the same distribution runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Sampler {
    /// The fastest that pays: prepared from 1000 samples on, else the reference
    Auto,
    /// The short and readable one
    Reference,
    /// Tables built first, then much faster
    Prepared,
    /// Work that does not depend on the noise, but for an event of probability at most 2^-53 a sample
    Fixed,
}

/// How a certificate enumerates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    /// By the sampler's structure
    Structural,
    /// Every tape
    Flat,
}
