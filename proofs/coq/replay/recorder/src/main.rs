//! Records what the shipped samplers do on bit tapes, for `proofs/coq/replay`: Coq's kernel replays every line on its model of them.
//!
//! ```text
//! cargo run --manifest-path proofs/coq/replay/recorder/Cargo.toml > recorded.txt
//! tree laplace 5 2 : 16 : 3=0 5=-1 16=? …     every tape of up to 16 bits, depth first: bits used = output, or ? if the tape ended
//! tape laplace 5 2 : 0110101 : -3             one random tape, exactly the bits that were used, and its output
//! floors 3 : 7f… bf…                          ⌊G(j)·2^precision⌋ of a fast sampler's cells, in hexadecimal: the tapes after it name it by its number
//! cells 3 laplace 5 2 0 1                     the floors of what: weights, log₂ of a width, both signs or not
//! fixed_cells 5 gaussian 16 1 1 0              the same of a table of fixed work
//! bounds 4 : 0,1 1,2                          the enclosures of a coin's probability at each length
//! coin 4 1 2 3                                what these enclose: p of ε = 1/2 and 3 answers
//! digits 5 2 1 0                              the floors of the last digit, to base 8, of scale 2 and 2^0 places
//! fixed direct Standard 5 : 01… : -3 : 0 1    one fixed-work sample, and which of its trials were ambiguous;
//!                                             `filled`: a slice, and which of each batch
//! bulk table 3 64 : 01… : -3 0 2              a slice of a prepared sampler
//! exp 1 2 30 : 2605029347 2605029348 32       `exp_neg` of 1/2 at 30 bits: its bounds, over 2^32; and so for `ln`
//! ```
//!
//! Only the public API is used, so that what is recorded is what everybody gets. The seeds are fixed: the same code writes the same file.

mod corners;
mod exact;
mod fast;
mod fixed;
mod floors;

use std::{
    error::Error,
    fmt::Display,
    io::{self, BufWriter, Write},
};

use certus::{
    bits::{BitsError, Enumeration, Recorder, seeded},
    exact::{BigInt, BigUint, Integer, NonNegative, Positive, Probability, Rational},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Private, RandomizedResponse,
        selection::{SelectionNoise, SparseVector},
    },
    sample::{Bernoulli, BernoulliExp, Choice, Gaussian, Geometric, Laplace, Program, Uniform, Weight},
};

type Outcome = Result<(), Box<dyn Error>>;

/// How deep the trees are.
const DEPTH: u32 = 16;

/// An output as the model writes it: an integer, a bool as 0 or 1.
trait Written {
    fn written(&self) -> String;
}

impl Written for Integer {
    fn written(&self) -> String {
        self.to_string()
    }
}

impl Written for bool {
    fn written(&self) -> String {
        u8::from(*self).to_string()
    }
}

impl Written for Vec<bool> {
    /// The first is the highest digit after a 1.
    fn written(&self) -> String {
        self.iter().fold(BigUint::from(1u32), |number, &answer| number * 2u32 + u32::from(answer)).to_string()
    }
}

impl Written for usize {
    fn written(&self) -> String {
        self.to_string()
    }
}

/// What to record of each sampler: trees, or so many random tapes.
#[derive(Clone, Copy)]
enum Task {
    Tree,
    Tapes(u32),
}

struct Recording<W> {
    to: W,
    /// The number of the sampler, from which its tapes' seed is made.
    number: u64,
    /// How many lists of floors or bounds there are.
    lists: u64,
}

impl<W: Write> Recording<W> {
    fn record<P: Program<Output: Written>>(
        &mut self,
        task: Task,
        name: &str,
        parameters: &str,
        sampler: &P,
    ) -> Outcome {
        match task {
            Task::Tree => self.tree(name, parameters, sampler),
            Task::Tapes(count) => self.tapes(name, parameters, sampler, count),
        }
    }

    fn tree<P: Program<Output: Written>>(&mut self, name: &str, parameters: &str, sampler: &P) -> Outcome {
        write!(self.to, "tree {name} {parameters} : {DEPTH} :")?;
        let mut tapes = Enumeration::new(DEPTH);
        loop {
            match sampler.sample(&mut tapes) {
                Ok(output) => write!(self.to, " {}={}", tapes.used(), output.written())?,
                Err(BitsError::TapeEnded) => write!(self.to, " {}=?", tapes.used())?,
                Err(error) => return Err(error.into()),
            }
            if !tapes.advance() {
                break;
            }
        }
        writeln!(self.to)?;
        Ok(())
    }

    fn tapes<P: Program<Output: Written>>(&mut self, name: &str, parameters: &str, sampler: &P, count: u32) -> Outcome {
        self.number += 1;
        let mut seed = [0; 32];
        seed.iter_mut().zip(self.number.to_le_bytes()).for_each(|(to, byte)| *to = byte);
        let mut bits = Recorder::new(seeded(seed));
        for _ in 0..count {
            let output = sampler.sample(&mut bits)?;
            writeln!(self.to, "tape {name} {parameters} : {} : {}", bits.cut(), output.written())?;
        }
        Ok(())
    }

    fn uniform(&mut self, task: Task, bound: &BigUint) -> Outcome {
        self.record(task, "uniform", &bound.to_string(), &Uniform::new(bound.clone())?)
    }

    fn bernoulli(&mut self, task: Task, p: Rational) -> Outcome {
        let p = Probability::new(p)?;
        let parameters = fraction(p.numerator(), p.denominator());
        self.record(task, "bernoulli", &parameters, &Bernoulli::new(p))
    }

    fn bernoulli_exp(&mut self, task: Task, x: Rational) -> Outcome {
        let x = NonNegative::new(x)?;
        self.record(task, "bernoulli_exp", &fraction(x.numerator(), x.denominator()), &BernoulliExp::new(&x))
    }

    fn geometric(&mut self, task: Task, scale: Rational) -> Outcome {
        let scale = Positive::new(scale)?;
        self.record(task, "geometric", &fraction(scale.numerator(), scale.denominator()), &Geometric::new(&scale))
    }

    fn laplace(&mut self, task: Task, scale: Rational) -> Outcome {
        let scale = Positive::new(scale)?;
        self.record(task, "laplace", &fraction(scale.numerator(), scale.denominator()), &Laplace::new(&scale))
    }

    fn gaussian(&mut self, task: Task, variance: Rational) -> Outcome {
        let variance = Positive::new(variance)?;
        let parameters = fraction(variance.numerator(), variance.denominator());
        self.record(task, "gaussian", &parameters, &Gaussian::with_variance(&variance))
    }

    /// Weights c·e^-x, each as its factor and its exponent.
    fn choice(&mut self, task: Task, weights: &[(Rational, Rational)]) -> Outcome {
        let mut parameters = Vec::new();
        let mut list = Vec::new();
        for (factor, exponent) in weights {
            let factor = NonNegative::new(factor.clone())?;
            parameters.push(format!(
                "{} {}",
                fraction(factor.numerator(), factor.denominator()),
                fraction(exponent.numer(), exponent.denom())
            ));
            list.push(Weight { factor, exponent: exponent.clone() });
        }
        self.record(task, "choice", &parameters.join(" "), &Choice::new(&list)?)
    }

    fn randomized_response(&mut self, task: Task, p: Rational, answers: u64, truth: i64) -> Outcome {
        let p = Probability::new(p)?;
        let parameters = format!("{} {answers} {truth}", fraction(p.numerator(), p.denominator()));
        let response = RandomizedResponse::truth_with(p, answers);
        self.record(task, "randomized_response", &parameters, &response.on(&Integer::from(truth))?)
    }

    /// Above threshold, or sparse vector: Laplace noise of scale Δ/ε₁ on the threshold and 2cΔ/ε₂ on the queries.
    fn sparse_vector(&mut self, epsilons: [Rational; 2], passes: u64, threshold: i64, queries: &[i64]) -> Outcome {
        let [first, second] = epsilons;
        let scale = Positive::new(first.recip())?;
        let scale_of_queries = Positive::new(Rational::from_integer((2 * passes).into()) / &second)?;
        let unit = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
        let (first, second) = (Positive::new(first)?, Positive::new(second)?);
        let mechanism = SparseVector::new(&unit, threshold.into(), passes, &first, &second, SelectionNoise::Laplace)?;
        let list: Vec<_> = queries.iter().map(ToString::to_string).collect();
        let parameters = format!(
            "{} {} {threshold} {passes} {}",
            fraction(scale.numerator(), scale.denominator()),
            fraction(scale_of_queries.numerator(), scale_of_queries.denominator()),
            list.join(" ")
        );
        let queries: Vec<_> = queries.iter().map(|&query| Integer::from(query)).collect();
        self.record(Task::Tapes(60), "sparse_vector", &parameters, &mechanism.on(&queries)?)
    }
}

fn fraction(numerator: &impl Display, denominator: &impl Display) -> String {
    format!("{numerator} {denominator}")
}

fn over(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

/// 10^`exponent`, of either sign.
fn ten_to(exponent: i32) -> Rational {
    Rational::from_integer(10.into()).pow(exponent)
}

/// Small parameters, on every tape.
fn trees<W: Write>(to: &mut Recording<W>) -> Outcome {
    for bound in [1u32, 2, 3, 4, 5, 6, 7, 8, 9, 17] {
        to.uniform(Task::Tree, &bound.into())?;
    }
    for (n, d) in
        [(0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (3, 4), (2, 5), (5, 7), (6, 7), (1, 10), (999, 1000), (17, 64)]
    {
        to.bernoulli(Task::Tree, over(n, d))?;
    }
    for (n, d) in [(0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (9, 10), (2, 1), (3, 2), (7, 3), (5, 1)] {
        to.bernoulli_exp(Task::Tree, over(n, d))?;
    }
    for (n, d) in [(1, 1), (2, 1), (5, 2), (1, 3)] {
        to.geometric(Task::Tree, over(n, d))?;
    }
    for (n, d) in [(1, 1), (5, 2), (1, 3)] {
        to.laplace(Task::Tree, over(n, d))?;
    }
    for (n, d) in [(1, 1), (7, 3)] {
        to.gaussian(Task::Tree, over(n, d))?;
    }
    to.choice(Task::Tree, &[(over(1, 1), over(0, 1))])?;
    to.choice(Task::Tree, &[(over(1, 1), over(2, 1)), (over(0, 1), over(-5, 1)), (over(3, 1), over(1, 1))])?;
    to.choice(Task::Tree, &[(over(1, 2), over(-1, 2)), (over(2, 3), over(1, 3)), (over(1, 6), over(0, 1))])?;
    for (n, d, answers, truth) in
        [(3, 4, 2, 0), (3, 4, 2, 1), (1, 3, 3, 1), (2, 5, 5, 0), (2, 5, 5, 4), (0, 1, 4, 2), (1, 1, 4, 2)]
    {
        to.randomized_response(Task::Tree, over(n, d), answers, truth)?;
    }
    Ok(())
}

/// Random tapes at many parameters: of one digit and of forty, on words and past them, tiny and huge.
fn tapes<W: Write>(to: &mut Recording<W>) -> Outcome {
    let two_to = |power: u32| BigUint::from(2u32).pow(power);
    let one = || BigUint::from(1u32);
    for bound in [3u32, 5, 10, 1000, 65_537] {
        to.uniform(Task::Tapes(40), &bound.into())?;
    }
    for power in [31, 32, 63, 64, 65, 127, 128, 200] {
        for bound in [two_to(power) - one(), two_to(power), two_to(power) + one()] {
            to.uniform(Task::Tapes(12), &bound)?;
        }
    }
    // Numerators and denominators around the edges of a machine word, and far past them.
    let edge = |power: u32, add: i64| Rational::from_integer(BigInt::from(two_to(power)) + add);
    let odd = vec![
        over(1, 3),
        over(2, 7),
        over(355, 113),
        over(22, 7),
        over(1, 97),
        over(96, 97),
        over(1_000_003, 1_000_000),
        over(49_999_999, 1_000_000),
        over(3, 1),
        over(17, 5),
        over(1, 2),
        over(12, 1),
        over(1000, 1),
        over(2_000_001, 2),
        ten_to(-9),
        ten_to(-30),
        ten_to(9),
        ten_to(18),
        ten_to(30),
        ten_to(-18) * over(7, 1),
        ten_to(25) / over(7, 1),
        edge(64, -1),
        edge(64, 0),
        edge(64, 1),
        edge(63, -1),
        edge(32, 1),
        edge(64, -1) / edge(64, -2).clone(),
        edge(63, 1) / edge(64, -1),
        edge(64, -59) / edge(32, 1),
        edge(128, 1) / edge(127, -1),
        over(1, 1) / edge(64, -1),
        over(1, 1) / edge(100, 0),
        edge(32, 0) / edge(31, -1),
        edge(65, 1) / edge(2, 1),
        edge(33, -9) / over(10, 1),
    ];
    for value in &odd {
        let above_one = *value > over(1, 1);
        let p = if above_one { value.recip() } else { value.clone() };
        to.bernoulli(Task::Tapes(25), p)?;
        to.bernoulli_exp(Task::Tapes(25), value.clone())?;
        to.bernoulli_exp(Task::Tapes(25), value.recip())?;
        to.geometric(Task::Tapes(25), value.clone())?;
        to.geometric(Task::Tapes(10), value.recip())?;
        to.laplace(Task::Tapes(50), value.clone())?;
        to.laplace(Task::Tapes(25), value.recip())?;
        to.gaussian(Task::Tapes(60), value.clone())?;
        to.gaussian(Task::Tapes(30), value.recip())?;
    }
    // The next parameters go through every small fraction.
    for d in 1..=9 {
        for n in 1..=9 {
            to.laplace(Task::Tapes(12), over(n, d))?;
            to.gaussian(Task::Tapes(12), over(n, d))?;
        }
    }
    // Exponents of at most 1, so that trials are accepted; the factors are anything.
    let at_most_one = |x: &Rational| if *x > over(1, 1) { x.recip() } else { x.clone() };
    for exponents in odd.chunks(3) {
        let weights = exponents.iter().zip([over(1, 3), over(2, 1), over(5, 7)]).map(|(x, c)| (c, at_most_one(x)));
        to.choice(Task::Tapes(40), &weights.collect::<Vec<_>>())?;
        let signed = exponents.iter().zip([over(0, 1), over(4, 9), over(1, 1)]).map(|(x, c)| (c, -at_most_one(x)));
        let extremes = [(ten_to(-20), over(0, 1)), (ten_to(3), over(1, 2))];
        to.choice(Task::Tapes(40), &signed.chain(extremes).collect::<Vec<_>>())?;
    }
    for (answers, truth) in [(2, 0), (2, 1), (3, 2), (10, 9), (1000, 0), (i64::MAX.unsigned_abs(), 1 << 62)] {
        for p in [over(3, 4), over(1, 3), over(1, 1000), ten_to(-25), over(999, 1000)] {
            to.randomized_response(Task::Tapes(20), p, answers, truth)?;
        }
    }
    to.sparse_vector([over(1, 2), over(1, 2)], 1, 3, &[0, 2, 4, 1, 9])?;
    to.sparse_vector([over(1, 3), over(2, 1)], 2, -1, &[-5, 0, -2, 3, -1, -1, 0])?;
    Ok(())
}

fn main() -> Outcome {
    let mut to = Recording { to: BufWriter::new(io::stdout().lock()), number: 0, lists: 0 };
    trees(&mut to)?;
    tapes(&mut to)?;
    fast::record(&mut to)?;
    corners::record(&mut to)?;
    fixed::record(&mut to)?;
    exact::record(&mut to)?;
    to.to.flush()?;
    Ok(())
}
