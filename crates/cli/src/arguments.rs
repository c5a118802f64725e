//! The arguments, as the parser declares them.

use clap::{ArgGroup, Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

/// Exact differential-privacy noise, and certificates of the code that draws it.
#[derive(Debug, Parser)]
#[command(
    name = "certus",
    version,
    after_help = "Examples:\n  \
        certus sample 'laplace(scale=5/2)' -n 5\n  \
        certus sample 'gaussian(sigma=10)' -n 1000000 --stats > noise.txt\n  \
        certus certify 'gaussian(sigma=2)'\n  \
        certus account 'gaussian(sigma=10)*100' 'laplace(scale=20)*5' --delta 1e-6\n  \
        certus calibrate gaussian --epsilon 1 --delta 1e-5\n  \
        certus audit\n  \
        certus audit --a 'python3 noise.py 0' --b 'python3 noise.py 1' --claim epsilon=1\n  \
        certus ledger init people.ledger --epsilon 1\n  \
        certus release people.csv count --where 'age >= 40' --epsilon 1/10\n  \
        certus mechanisms\n\n\
        Exit status: 0 fine, 1 a violation or a certificate that fails, 2 bad usage or input, 3 the environment failed,\n\
        4 the budget refuses."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    #[command(flatten)]
    pub(super) shared: Shared,
}

impl Cli {
    /// The command with its help as it is read: what every command takes is left out where it does nothing. It is
    /// accepted there all the same.
    pub(super) fn command_for_people() -> clap::Command {
        const IDLE: [(&str, &[&str]); 9] = [
            ("certify", &["seed", "color"]),
            ("account", &["color"]),
            ("calibrate", &["seed", "color"]),
            ("canaries", &["quiet", "color"]),
            ("tally", &["seed", "color"]),
            ("replay", &["color"]),
            ("mechanisms", &["seed", "quiet", "color"]),
            ("completions", &["seed", "quiet", "color", "json"]),
            ("man", &["seed", "quiet", "color", "json"]),
        ];
        let hidden = |name: &'static str| {
            let arg = clap::Arg::new(name).long(name).hide(true);
            match name {
                "seed" => arg.value_name("HEX").allow_hyphen_values(true).value_parser(a_seed),
                "color" => arg.value_parser(clap::builder::EnumValueParser::<Colour>::new()).default_value("auto"),
                _ => arg.action(clap::ArgAction::SetTrue),
            }
        };
        IDLE.iter().fold(Self::command(), |command, (name, idle)| {
            command.mut_subcommand(*name, |command| idle.iter().fold(command, |command, arg| command.arg(hidden(arg))))
        })
    }
}

/// A seed that nothing is drawn from: it must be one all the same.
fn a_seed(text: &str) -> Result<String, String> {
    match super::source::seed(Some(text)) {
        Ok(_) => Ok(text.to_owned()),
        Err(failure) => Err(failure.line().unwrap_or_default()),
    }
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
    /// Colour verdicts: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(super) color: Colour,
}

/// When verdicts are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// Whether standard output is coloured.
    pub(super) fn is_on(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !is_refused && std::io::IsTerminal::is_terminal(&std::io::stdout())
            }
        }
    }
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
    /// Audit a mechanism, anybody's: the smallest delta for its claimed epsilon, from samples. Without an argument, the built-in suite
    Audit(Box<Audit>),
    /// Draw the coins of canaries, and commit to them, for an audit of a training run
    Canaries(super::canaries::arguments::Draw),
    /// Count a stream of outputs into a compact file, for audits of samples that many machines drew
    Tally(Tally),
    /// Test the counterexample of an audit on fresh samples
    Replay(Replay),
    /// Keep a privacy budget in a file that never forgets
    Ledger {
        /// What is done with it
        #[command(subcommand)]
        command: super::ledger::arguments::Ledger,
    },
    /// Private statistics from CSV and Parquet files, by the program `certus-release`: see `certus release --help`
    #[command(disable_help_flag = true)]
    Release {
        /// Its arguments, such as people.csv count --where 'age >= 40' --epsilon 1/10
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// List every mechanism with its keys, or tell all of one
    #[command(after_help = "Examples:\n  certus mechanisms\n  certus mechanisms laplace\n  certus mechanisms --json")]
    Mechanisms {
        /// The mechanism, such as laplace
        name: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page (roff), or write all of them
    #[command(after_help = "Examples:\n  certus man | man -l -\n  certus man audit\n  certus man --folder man1")]
    Man {
        /// The command that it is of, such as audit [default: certus itself]
        #[arg(conflicts_with = "folder")]
        command: Option<String>,
        /// Write the page of every command into this folder, which must exist
        #[arg(long, value_name = "FOLDER")]
        folder: Option<std::path::PathBuf>,
    },
}

/// Draws samples.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    certus sample 'laplace(scale=5/2)' -n 5\n  \
    certus sample 'gaussian(sigma2=7/3)' -n 1e6 --stats > noise.txt\n  \
    certus sample 'laplace(scale=10)' --input 1234\n  \
    certus sample 'randomized_response(epsilon=1, k=5)' -n 3 --input 4 --json\n  \
    certus sample 'histogram(keys=3, scale=2)' --keys red,green,blue --input @votes.txt\n  \
    certus sample 'mean(lower=0, upper=100, scale_sum=200, scale_count=2)' --input @people.csv --column age\n\n\
    A file, or a stream, has one record a line, or with --column one a row of CSV; no ledger is debited for it: `certus release` keeps one.")]
pub(super) struct Sample {
    /// The mechanism, such as 'laplace(scale=5/2)'; `certus mechanisms` lists them
    pub(super) spec: String,
    /// How many samples
    #[arg(short = 'n', value_name = "N", default_value = "1", allow_hyphen_values = true)]
    pub(super) n: String,
    /// What the mechanism runs on: an integer, or records or scores such as 5,17,3, or a file of them, @FILE,
    /// or standard input, -; `certus mechanisms` says which [default: 0, or a small example]
    #[arg(long, value_name = "V|@FILE|-", allow_hyphen_values = true)]
    pub(super) input: Option<String>,
    /// The column of a CSV file that holds the records
    #[arg(long, value_name = "NAME", requires = "input")]
    pub(super) column: Option<String>,
    /// Names of a histogram's keys, which the records then are, or of a selection's candidates; public
    #[arg(long, value_name = "NAME,…|@FILE")]
    pub(super) keys: Option<String>,
    /// Print what was released, also where it is not the statistic itself: the noisy sum and count of a mean
    #[arg(long)]
    pub(super) raw: bool,
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
    /// An input, for a certificate of the guarantee, or a file of its records, @FILE: with --neighbour
    /// [default: two of the worst, where there is no closed form to compare with]
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
    after_help = "The answer is of the pairs of distributions that dominate the plan. Where it is not known that some neighbouring inputs attain\n\
    them, a note says so (with --json, attained is false): then it is an upper bound, and the plan may lose less than the lower end says.\n\n\
    All of a plan is for neighbours of one relation: add_remove (one has a record more) or change_one (one record differs). A stated\n\
    sensitivity, or a pair, goes with either. A mixed plan is refused, unless --relation change_one converts what is for add_remove.\n\
    The first columns (p) of several pairs are taken for one and the same input, unless --relation change_one says that there is no order.\n\n\
    A plan file lists what runs; every number is a string, an integer or a decimal, and is read exactly:\n  \
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
    certus account 'laplace(scale=10, sensitivity=3)*20' --delta 1e-9 --summary\n  \
    certus account 'count(scale=10)' 'randomized_response(gamma=1/4)' --relation change_one --delta 0"
)]
pub(super) struct Account {
    /// What runs: specs such as 'gaussian(sigma=10)*100', and plan files, which end in .toml
    #[arg(value_name = "SPEC")]
    pub(super) specs: Vec<String>,
    /// Also what has these output probabilities on two neighbouring inputs: a file of two columns, p and q, each adding up to exactly 1; run K times
    #[arg(long = "pair", value_name = "FILE[*K]")]
    pub(super) pairs: Vec<String>,
    /// Account for neighbours of this relation: add_remove or change_one. What is for add_remove is taken as
    /// two steps for change_one, where that is known [default: the one that the plan is for]
    #[arg(long, value_name = "RELATION", allow_hyphen_values = true)]
    pub(super) relation: Option<String>,
    /// Ask for the smallest delta at this epsilon (0 or greater)
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(super) epsilon: Option<String>,
    /// Ask for the smallest epsilon at this delta (at least 0, below 1)
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub(super) delta: Option<String>,
    /// Print delta at epsilons from 0 on: the privacy profile. So does a plan without a question
    #[arg(long)]
    pub(super) profile: bool,
    /// The number of epsilons in a profile, from 2 to 1000 [default: 21]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) points: Option<String>,
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
    /// The seed that every command takes, in the place of it: an account draws nothing, so that its help does not offer one
    #[arg(long, hide = true, value_name = "HEX", allow_hyphen_values = true)]
    pub(super) seed: Option<String>,
}

/// Calibrates a mechanism.
#[derive(Args, Debug)]
#[command(
    after_help = "The answer is a multiple of --step that is certified to meet epsilon and delta. It is called the smallest only\n\
    where every smaller multiple is certified to fail: the delta of Gaussian noise on integers is not monotone in sigma.\n\n\
    Examples:\n  \
    certus calibrate gaussian --epsilon 1 --delta 1e-5\n  \
    certus calibrate gaussian --epsilon 1/2 --delta 1e-9 --sensitivity 10 --step 1/8\n  \
    certus calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity2 100 --coordinates 1000\n  \
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
    /// The square of the L2 distance between neighbours' true vectors, a positive integer; with --coordinates
    #[arg(long, value_name = "S2", allow_hyphen_values = true, conflicts_with = "sensitivity")]
    pub(super) sensitivity2: Option<String>,
    /// The noise is on each of so many answers, from 1 to 65536; gaussian alone
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub(super) coordinates: Option<String>,
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

/// Audits a claim.
#[derive(Args, Debug)]
#[command(
    after_help = "A command runs by `sh -c` with CERTUS_SAMPLES=N (how many outputs to print, one a line) and CERTUS_SHARD=i in its environment.\n\
    A line is an integer, a float, a word, or a comma-separated vector; an empty line is \"no output\"; at most 1 MiB.\n\
    Samples must be independent: no two runs of a command, on one side or on both, may share a seed. CERTUS_SHARD differs from run to run, and\n\
    may be one. Runs, files and tallies that share a long run of the same outputs are refused.\n\n\
    Of sample files no record is dropped. A row of CSV has as many fields as the heading: a blank line is an empty output of one column, and\n\
    refused where there are more. A line of NDJSON is one JSON value: different values are different outputs (1, 1.0 and \"1\" are three),\n\
    null is \"no output\", and a key that is there twice is refused.\n\n\
    Verdicts: violation (the claim is false, at the confidence), consistent (in the event that was tested, an excess of 0.1 over the\n\
    claimed delta would have been seen at least every other time; of other kinds of events than those searched, which are listed, it says nothing),\n\
    inconclusive (too few samples to say). With --expect, or in a suite, the exit status is 1 if and only if a verdict is not the expected one.\n\n\
    Examples:\n  \
    certus audit\n  \
    certus audit 'laplace(scale=1)' --claim epsilon=0.9\n  \
    certus audit --a 'python3 noise.py 0' --b 'python3 noise.py 1' --claim epsilon=1,delta=1e-6 --report audit.html\n  \
    certus audit --samples-a with.csv --samples-b without.csv --column answer --claim epsilon=1\n  \
    certus audit --command 'python3 sum.py {}' --base 1,1,1,1 --claim epsilon=1\n  \
    certus audit --tally-a one.tally --tally-a two.tally --tally-b three.tally --claim epsilon=1\n  \
    certus audit --canaries scores.csv --claim epsilon=4,delta=1e-5 --confidence 0.95\n  \
    certus audit --canaries scores.csv --plan 'subsampled_gaussian(sigma=1, rate=1/100)*1000' --delta 1e-5 --independent\n  \
    certus audit --canaries scores.csv --coins coins.csv --commitment commitment.json\n  \
    certus audit targets.toml --junit audit.xml"
)]
pub(super) struct Audit {
    /// A mechanism such as 'laplace(scale=1)', also 'laplace(scale=1)*3', or an audit file, which ends in .toml [default: the built-in suite]
    #[arg(value_name = "SPEC|FILE.toml")]
    pub(super) target: Option<String>,
    /// What is claimed: epsilon=E, or epsilon=E,delta=D [default for a SPEC: what it guarantees]
    #[arg(help_heading = "What is audited", long, value_name = "CLAIM", allow_hyphen_values = true)]
    pub(super) claim: Option<String>,
    /// A command that prints outputs on one input
    #[arg(help_heading = "What is audited", long, value_name = "CMD", requires = "b", conflicts_with_all = ["target", "command", "samples_a", "tally_a"])]
    pub(super) a: Option<String>,
    /// A command that prints outputs on a neighbouring input
    #[arg(help_heading = "What is audited", long, value_name = "CMD", requires = "a")]
    pub(super) b: Option<String>,
    /// A command with {} where its data go, comma-separated: pairs of neighbours (--neighbours) are tried, and the worst is audited on fresh samples
    #[arg(help_heading = "What is audited", long, value_name = "CMD", requires = "base", conflicts_with_all = ["target", "samples_a", "tally_a"])]
    pub(super) command: Option<String>,
    /// The data around which --command is searched
    #[arg(
        help_heading = "What is audited",
        long,
        value_name = "V,V,…",
        requires = "command",
        allow_hyphen_values = true
    )]
    pub(super) base: Option<String>,
    /// Which data the claim calls neighbours
    #[arg(help_heading = "What is audited", long, value_enum, default_value_t = Neighbours::One)]
    pub(super) neighbours: Neighbours,
    /// A file of outputs on one input
    #[arg(help_heading = "What is audited", long, value_name = "FILE", requires = "samples_b", conflicts_with_all = ["target", "tally_a"])]
    pub(super) samples_a: Option<String>,
    /// A file of outputs on a neighbouring input
    #[arg(help_heading = "What is audited", long, value_name = "FILE", requires = "samples_a")]
    pub(super) samples_b: Option<String>,
    /// The format of the sample files [default: by their names, or their first bytes]
    #[arg(help_heading = "What is audited", long, value_enum, requires = "samples_a")]
    pub(super) format: Option<Format>,
    /// The column of a CSV file, or the field of NDJSON objects, that holds the outputs
    #[arg(help_heading = "What is audited", long, value_name = "NAME", requires = "samples_a")]
    pub(super) column: Option<String>,
    /// A tally of outputs on one input, by `certus tally`; may be given many times
    #[arg(
        help_heading = "What is audited",
        long,
        value_name = "FILE",
        requires = "tally_b",
        conflicts_with = "target"
    )]
    pub(super) tally_a: Vec<String>,
    /// A tally of outputs on a neighbouring input; may be given many times
    #[arg(help_heading = "What is audited", long, value_name = "FILE", requires = "tally_a")]
    pub(super) tally_b: Vec<String>,
    /// An input of SPEC, or a file of its records, @FILE [default: with its neighbour, the worst there are]
    #[arg(help_heading = "What is audited", long, value_name = "V", allow_hyphen_values = true, requires_all = ["neighbour", "target"])]
    pub(super) input: Option<String>,
    /// A neighbour of the input
    #[arg(help_heading = "What is audited", long, value_name = "W", allow_hyphen_values = true, requires = "input")]
    pub(super) neighbour: Option<String>,
    /// Canaries of training runs.
    #[command(flatten)]
    pub(super) of_canaries: super::canaries::arguments::OfCanaries,
    /// Outputs a side [default: 100000; of the suite, as many as each target needs; of files, all there are]
    #[arg(help_heading = "How it is tested", long, value_name = "N", allow_hyphen_values = true)]
    pub(super) samples: Option<String>,
    /// The probability that a run calls no true claim false, whatever was tried; between 0 and 1 [default: 0.999]
    #[arg(help_heading = "How it is tested", long, value_name = "C", allow_hyphen_values = true)]
    pub(super) confidence: Option<String>,
    /// Stop as soon as the claim has fallen: bets on batch after batch, valid whenever it stops
    #[arg(help_heading = "How it is tested", long, conflicts_with_all = ["samples_a", "tally_a"])]
    pub(super) sequential: bool,
    /// A number that float outputs may be multiples of, such as the scale of the noise; may be given many times
    #[arg(help_heading = "How it is tested", long, value_name = "S", allow_hyphen_values = true)]
    pub(super) scale: Vec<String>,
    /// How many seconds a command may take [default: 300]
    #[arg(help_heading = "How it is tested", long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(super) timeout: Option<String>,
    /// In how many parts a command's outputs are drawn, all at once; with 1, a seed that both sides share is not noticed [default: as many as processors over both sides, at least 2 a side]
    #[arg(help_heading = "How it is tested", long, value_name = "K", allow_hyphen_values = true)]
    pub(super) shards: Option<String>,
    /// The sampler of a SPEC
    #[arg(help_heading = "What is audited", long, value_enum, default_value_t = Sampler::Auto)]
    pub(super) sampler: Sampler,
    /// The verdict that is expected: the exit status is 1 if and only if it is another
    #[arg(help_heading = "What counts as a failure", long, value_enum)]
    pub(super) expect: Option<Expect>,
    /// Of a suite, only the targets whose name holds this
    #[arg(help_heading = "What counts as a failure", long, value_name = "TEXT")]
    pub(super) only: Option<String>,
    /// Also fail where a verdict is inconclusive
    #[arg(help_heading = "What counts as a failure", long)]
    pub(super) strict: bool,
    /// Write the HTML report into this file [default of the suite: certus-audit.html]
    #[arg(help_heading = "What is written", long, value_name = "FILE")]
    pub(super) report: Option<String>,
    /// Write the counterexample of a violation into this file, for `certus replay`
    #[arg(help_heading = "What is written", long, value_name = "FILE")]
    pub(super) counterexample: Option<String>,
    /// Write the verdicts as JUnit XML into this file
    #[arg(help_heading = "What is written", long, value_name = "FILE")]
    pub(super) junit: Option<String>,
    /// Write the violations as SARIF into this file
    #[arg(help_heading = "What is written", long, value_name = "FILE")]
    pub(super) sarif: Option<String>,
}

/// Counts outputs.
#[derive(Args, Debug)]
#[command(
    after_help = "Tallies of one side merge in any order to the same audit. A shard that is given twice, and two shards with the same outputs in the\n\
    same order or with a long run of them, are refused.\n\n\
    Examples:\n  \
    my-mechanism | certus tally --output a-1.tally\n  \
    certus tally outputs.csv --column answer --id machine-7 --output a-7.tally\n  \
    certus audit --tally-a a-1.tally --tally-a a-7.tally --tally-b b-1.tally --claim epsilon=1"
)]
pub(super) struct Tally {
    /// The file of outputs [default: standard input]
    #[arg(value_name = "FILE")]
    pub(super) file: Option<String>,
    /// Where the tally goes [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<String>,
    /// A name for this part of the samples, of its own [default: a random one]
    #[arg(long, value_name = "NAME")]
    pub(super) id: Option<String>,
    /// The format of the outputs [default: by the file's name or first bytes; of standard input, text]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// The column of a CSV file, or the field of NDJSON objects, that holds the outputs
    #[arg(long, value_name = "NAME")]
    pub(super) column: Option<String>,
}

/// Replays a counterexample.
#[derive(Args, Debug)]
#[command(
    after_help = "The event was chosen before these samples were drawn, so that they test it alone, at the whole confidence.\n\
    Specs and commands are drawn anew. That sample files are fresh is your word; files that share a long run of lines with the\n\
    audit's own, or with each other, are refused.\n\
    Exit status: 1 if the claim is refuted again, 0 if it is not.\n\n\
    A counterexample of commands holds these commands, and whoever wrote the file chose them: they are shown and run by `sh -c` only\n\
    after a yes on the terminal, or with --yes. Specs and sample files need no yes.\n\n\
    Examples:\n  \
    certus audit 'laplace(scale=1)' --claim epsilon=0.9 --counterexample found.json\n  \
    certus replay found.json\n  \
    certus replay found.json --samples 1e6 --confidence 0.999999\n  \
    certus replay of-commands.json --yes\n  \
    certus replay found.json --samples-a fresh-a.txt --samples-b fresh-b.txt"
)]
pub(super) struct Replay {
    /// The counterexample that `certus audit --counterexample FILE` wrote
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// Outputs a side [default: as many as the audit had]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) samples: Option<String>,
    /// The confidence; between 0 and 1 [default: 0.999]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub(super) confidence: Option<String>,
    /// Fresh outputs on the first input, where the audit had files: new ones, none of the audit's own
    #[arg(long, value_name = "FILE", requires = "samples_b")]
    pub(super) samples_a: Option<String>,
    /// Fresh outputs on the second input
    #[arg(long, value_name = "FILE", requires = "samples_a")]
    pub(super) samples_b: Option<String>,
    /// The format of these files
    #[arg(long, value_enum, requires = "samples_a")]
    pub(super) format: Option<Format>,
    /// The column or field of these files
    #[arg(long, value_name = "NAME", requires = "samples_a")]
    pub(super) column: Option<String>,
    /// How many seconds a command may take [default: 300]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(super) timeout: Option<String>,
    /// Run the commands that FILE holds without asking
    #[arg(long)]
    pub(super) yes: bool,
    /// Of several counterexamples, the one of this target
    #[arg(long, value_name = "NAME")]
    pub(super) target: Option<String>,
}

/// Which data are neighbours of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Neighbours {
    /// One entry differs, by one
    One,
    /// One entry is another of the entries of the base: its least, its greatest
    Record,
    /// Every entry may differ by one: answers of queries that one person can change all of
    Each,
}

impl Neighbours {
    /// The same, as the library has it.
    pub(super) fn in_library(self) -> certus_audit::inputs::Neighbours {
        match self {
            Self::One => certus_audit::inputs::Neighbours::One,
            Self::Record => certus_audit::inputs::Neighbours::Record,
            Self::Each => certus_audit::inputs::Neighbours::Each,
        }
    }
}

/// How a file holds outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One output a line
    Text,
    /// A column of a CSV file with a heading
    Csv,
    /// A JSON value a line
    Ndjson,
    /// Raw little-endian floats of 64 bits
    F64,
    /// Raw little-endian integers of 64 bits
    I64,
    /// An array of NumPy, or rows of one
    Npy,
}

impl Format {
    /// As it is written after `--format`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::F64 => "f64",
            Self::I64 => "i64",
            Self::Npy => "npy",
        }
    }
}

/// What a target's verdict should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Expect {
    /// A violation
    Violation,
    /// No violation
    NoViolation,
}

impl Expect {
    /// As it is written after `--expect`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Violation => "violation",
            Self::NoViolation => "no-violation",
        }
    }
}
