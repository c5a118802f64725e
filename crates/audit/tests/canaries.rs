//! Audits by canaries, simulated: how often true claims are called false, and how much of ε is found.
//!
//! `CERTUS_FULL=1 cargo test --release -p certus-audit --test canaries -- --nocapture` runs 2,000 audits a
//! design where `cargo test` runs 200, and prints the figures.
#![expect(
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "simulations, and a test may panic"
)]

use std::{collections::BTreeMap, ops::RangeInclusive};

use certus::{
    bits::{Bits as _, seeded},
    exact::{Probability, parse},
    guarantee::Relation,
};
use certus_audit::{
    Claim,
    canaries::{
        Canaries, Canary, CanaryError, Curve, Family, Guessing, Method, OneRun, OneRunReport, Pairs, Plans,
        ProfilePoint,
    },
    statistics::real,
};
use statrs::distribution::{ContinuousCDF as _, Normal};

/// Uniform numbers and coins of a run.
struct Draws(certus::bits::BitStream<rand_chacha::ChaCha20Rng>);

impl Draws {
    fn new(design: u8, run: u64) -> Self {
        let mut seed = [design; 32];
        seed[..8].copy_from_slice(&run.to_le_bytes());
        Self(seeded(seed))
    }

    fn uniform(&mut self) -> f64 {
        (real(self.0.take(53).unwrap()) + 0.5) / 9_007_199_254_740_992.0
    }

    fn coin(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    fn normal(&mut self) -> f64 {
        Normal::standard().inverse_cdf(self.uniform())
    }

    /// m canaries of fair coins, whose score this says.
    fn canaries(&mut self, m: usize, mut score: impl FnMut(&mut Self, bool) -> f64) -> Vec<Canary> {
        let mut canary = || {
            let is_in = self.coin(0.5);
            Canary { score: score(self, is_in), is_in }
        };
        (0..m).map(|_| canary()).collect()
    }
}

/// δ(ε) of Gaussian noise whose sensitivity is μ standard deviations.
fn gaussian_delta(mu: f64, epsilon: f64) -> f64 {
    let normal = Normal::standard();
    normal.cdf(mu / 2.0 - epsilon / mu) - epsilon.exp() * normal.cdf(-mu / 2.0 - epsilon / mu)
}

/// What rises is this at the answer.
fn solve(value: f64, rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 30.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if rising(middle) < value { low = middle } else { high = middle }
    }
    low
}

/// Gaussian mechanisms, a share of the runs of which tells anything at all; μ varied, ε at δ = 10^-5.
struct Gaussians {
    mu: f64,
    share: f64,
    known: BTreeMap<i32, Curve>,
}

impl Gaussians {
    fn new(mu: f64, share: f64) -> Self {
        Self { mu, share, known: BTreeMap::new() }
    }

    fn mu(&self, place: i32) -> f64 {
        self.mu * (f64::from(place) / 128.0).exp2()
    }
}

impl Family for Gaussians {
    fn name(&self) -> String {
        "Gaussian".into()
    }

    fn places(&self) -> RangeInclusive<i32> {
        -512..=512
    }

    fn curve(&mut self, place: i32) -> Result<Curve, CanaryError> {
        let (mu, share) = (self.mu(place), self.share);
        let curve = self.known.entry(place).or_insert_with(|| {
            let point = |place: u32| {
                let epsilon = f64::from(place) / 20.0;
                let delta = (share * gaussian_delta(mu, epsilon) + 1e-15).clamp(0.0, 1.0);
                ProfilePoint { epsilon, delta_in: delta, delta_out: delta }
            };
            Curve::new(&(0..=160).map(point).collect::<Vec<_>>()).unwrap()
        });
        Ok(curve.clone())
    }

    fn pair(&self, _: i32) -> Option<(f64, f64)> {
        None
    }

    fn epsilon_below(&mut self, place: i32) -> Result<Option<f64>, CanaryError> {
        let mu = self.mu(place);
        Ok(Some(solve(-1e-5, |epsilon| -gaussian_delta(mu, epsilon))))
    }

    fn member(&mut self, place: i32) -> String {
        format!("mu = {}", self.mu(place))
    }
}

fn pairs(epsilon: &str, delta: &str) -> Pairs {
    Pairs::new(Claim::new(parse(epsilon).unwrap(), parse(delta).unwrap()).unwrap())
}

fn is_full() -> bool {
    std::env::var_os("CERTUS_FULL").is_some()
}

/// Runs a design, and says how many of its verdicts on the claim, and on the plan, are alarms.
fn alarms(
    name: &str,
    design: u8,
    audit: &OneRun,
    family: &mut dyn Family,
    mut draw: impl FnMut(&mut Draws) -> Vec<Canary>,
) -> (u32, u32) {
    let runs = if is_full() { 2_000 } else { 200 };
    let (mut claim, mut plan) = (0, 0);
    for run in 0..runs {
        let mut draws = Draws::new(design, run);
        let list = draw(&mut draws);
        let report = audit.run(&Canaries::new(&list, &mut draws.0).unwrap(), family).unwrap();
        claim += u32::from(report.claim.is_refuted);
        plan += u32::from(report.plan.is_some_and(|plan| plan.is_refuted));
    }
    println!("{name}: of {runs} runs, alarms on the claim {claim}, on the plan {plan}");
    (claim, plan)
}

/// 5 % of the runs, and three standard errors.
fn most() -> f64 {
    let runs: f64 = if is_full() { 2_000.0 } else { 200.0 };
    0.05 * runs + 3.0 * (0.05 * 0.95 * runs).sqrt()
}

fn audit() -> OneRun {
    OneRun::new(0.95).unwrap()
}

/// Randomized response on every coin, at its ε: tied scores of two values, sorted by the coins or not; scores
/// of which a random number are strong; and telling all with probability δ, which is the worst there is.
#[test]
fn true_claims_of_epsilon_and_delta_stand() {
    let (m, q) = (400, 1_f64.exp() / (1.0 + 1_f64.exp()));
    let answer = move |draws: &mut Draws, is_in: bool| if draws.coin(q) == is_in { 1.0 } else { -1.0 };
    let mut design = 0;
    for method in [Method::Curve, Method::Steinke] {
        for guessing in [Guessing::Ranks, Guessing::Ratios] {
            design += 10;
            let audit = audit().method(method).guessing(guessing);
            let name = |of: &str| format!("{of} ({method:?}, {guessing:?})");
            for several in [&[40_u64, 400][..], &[60]] {
                let audit = audit.clone().guesses(several);
                let (found, _) = alarms(&name("randomized response"), design, &audit, &mut pairs("1", "0"), |draws| {
                    draws.canaries(m, answer)
                });
                assert!(f64::from(found) <= most(), "{found}");
            }
            let sorted = |draws: &mut Draws| {
                let mut list = draws.canaries(m, answer);
                list.sort_by_key(|canary| !canary.is_in);
                list
            };
            let (found, _) = alarms(&name("sorted by the coins"), design + 1, &audit, &mut pairs("1", "0"), sorted);
            assert!(f64::from(found) <= most(), "{found}");
            let signalling = |draws: &mut Draws| {
                let strong = draws.uniform();
                draws.canaries(m, |draws, is_in| {
                    let strength = if draws.coin(strong) { 5.0 } else { 1.0 };
                    answer(draws, is_in) * (strength + draws.uniform())
                })
            };
            let (found, _) =
                alarms(&name("a random number is strong"), design + 2, &audit, &mut pairs("1", "0"), signalling);
            assert!(f64::from(found) <= most(), "{found}");
            let telling = |draws: &mut Draws| {
                let all = draws.coin(0.04);
                draws.canaries(m, |draws, is_in| match (all, is_in) {
                    (true, true) => 1.0,
                    (true, false) => -1.0,
                    (false, _) => answer(draws, is_in),
                })
            };
            let (found, _) =
                alarms(&name("telling all at times"), design + 3, &audit, &mut pairs("1", "0.04"), telling);
            assert!(f64::from(found) <= most(), "{found}");
        }
    }
}

/// Gaussian noise at its own curve, for the claim and for the plan; and a mechanism whose canaries share a
/// mode, for the claim: **it is no plan of independent canaries, and the verdict on the plan may alarm**.
#[test]
fn true_curves_stand() {
    for (design, mu, m) in [(50, 0.5, 500), (51, 1.0, 500), (52, 2.0, 200)] {
        for guessing in [Guessing::Ranks, Guessing::Ratios] {
            let audit = audit().guessing(guessing).independent();
            let name = format!("Gaussian of mu = {mu} ({guessing:?})");
            let (claim, plan) = alarms(&name, design, &audit, &mut Gaussians::new(mu, 1.0), |draws| {
                draws.canaries(m, |draws, is_in| draws.normal() + if is_in { mu / 2.0 } else { -mu / 2.0 })
            });
            assert!(f64::from(claim) <= most() && f64::from(plan) <= most(), "{claim} {plan}");
        }
    }
    let (mu, share) = (4.0, 0.045);
    let (claim, plan) = alarms("a shared mode", 60, &audit().independent(), &mut Gaussians::new(mu, share), |draws| {
        let tells = draws.coin(share);
        let centre = if tells { mu / 2.0 } else { 0.0 };
        draws.canaries(500, |draws, is_in| draws.normal() + if is_in { centre } else { -centre })
    });
    println!("(a shared mode is no plan: {plan})");
    assert!(f64::from(claim) <= most(), "{claim}");
}

/// A plan as claimed, and no other: its account is asked for once.
struct Alone(Plans);

impl Family for Alone {
    fn name(&self) -> String {
        self.0.name()
    }

    fn places(&self) -> RangeInclusive<i32> {
        0..=0
    }

    fn curve(&mut self, place: i32) -> Result<Curve, CanaryError> {
        self.0.curve(place)
    }

    fn pair(&self, _: i32) -> Option<(f64, f64)> {
        None
    }

    fn epsilon_below(&mut self, place: i32) -> Result<Option<f64>, CanaryError> {
        self.0.epsilon_below(place)
    }

    fn member(&mut self, place: i32) -> String {
        self.0.member(place)
    }
}

/// Discrete Gaussian noise, by inversion.
struct Noise(Vec<(f64, f64)>);

impl Noise {
    fn new(sigma: f64) -> Self {
        let weight = |k: i32| (-f64::from(k * k) / (2.0 * sigma * sigma)).exp();
        let all: f64 = (-20..=20).map(weight).sum();
        let mut sum = 0.0;
        let mut entry = |k: i32| {
            sum += weight(k) / all;
            (sum, f64::from(k))
        };
        Self((-20..=20).map(&mut entry).collect())
    }

    fn draw(&self, draws: &mut Draws) -> f64 {
        let uniform = draws.uniform();
        self.0.iter().find(|(sum, _)| uniform <= *sum).map_or(20.0, |(_, k)| *k)
    }
}

/// Steps on Poisson samples, a coordinate a canary, the exact likelihood ratio of this σ as the score.
fn dp_sgd(draws: &mut Draws, m: usize, noise: &Noise, (sigma, rate, steps): (f64, f64, u32)) -> Vec<Canary> {
    draws.canaries(m, |draws, is_in| {
        let step = |_| {
            let taken = is_in && draws.coin(rate);
            let x = noise.draw(draws) + if taken { 1.0 } else { 0.0 };
            (1.0 - rate + rate * ((2.0 * x - 1.0) / (2.0 * sigma * sigma)).exp()).ln()
        };
        (0..steps).map(step).sum()
    })
}

/// A plan's certified profiles, from end to end: its own runs stand, and runs with 0.6 of
/// the noise do not, every other time.
#[test]
fn a_plan_of_sampled_steps() {
    let spec = "subsampled_gaussian(sigma=1, rate=1/4)*4".parse().unwrap();
    let delta = Probability::new(parse("1e-5").unwrap()).unwrap();
    let mut claimed = Alone(Plans::new(&[spec], Relation::AddRemove, Some(delta)).unwrap());
    let audit = audit().guessing(Guessing::Ratios).independent();
    let (own, less) = (Noise::new(1.0), Noise::new(0.6));
    let (claim, plan) =
        alarms("sampled steps", 70, &audit, &mut claimed, |draws| dp_sgd(draws, 300, &own, (1.0, 0.25, 4)));
    assert!(f64::from(claim) <= most() && f64::from(plan) <= most(), "{claim} {plan}");
    let (_, plan) =
        alarms("with less noise", 71, &audit, &mut claimed, |draws| dp_sgd(draws, 300, &less, (0.6, 0.25, 4)));
    assert!(plan > if is_full() { 1_000 } else { 100 }, "{plan}");
}

/// The median of what 50 runs find.
fn median(
    design: u8,
    audit: &OneRun,
    family: &mut dyn Family,
    m: usize,
    mu: f64,
    of: impl Fn(&OneRunReport) -> Option<f64>,
) -> f64 {
    let mut found: Vec<f64> = (0..50)
        .map(|run| {
            let mut draws = Draws::new(design, run);
            let list = draws.canaries(m, |draws, is_in| draws.normal() + if is_in { mu / 2.0 } else { -mu / 2.0 });
            of(&audit.run(&Canaries::new(&list, &mut draws.0).unwrap(), family).unwrap()).unwrap()
        })
        .collect();
    found.sort_by(f64::total_cmp);
    f64::midpoint(found[24], found[25])
}

/// Gaussian noise of ε = 4 at δ = 10^-5, 50 runs: at least what the trial that the design comes from found,
/// less its own spread. What is expected of a mechanism at the claim is near what is found.
#[test]
fn power_on_gaussian_noise() {
    let mu = solve(1e-5, |mu| if mu > 0.0 { gaussian_delta(mu, 4.0) } else { 0.0 });
    let claim = |report: &OneRunReport| report.claim.epsilon_lower;
    for (m, bars) in [(1_000, [1.3, 1.3, 2.0, 3.2]), (10_000, [2.1, 2.0, 2.7, 3.75])] {
        let steinke = audit().method(Method::Steinke);
        let found = [
            median(80, &audit(), &mut pairs("4", "1e-5"), m, mu, claim),
            median(80, &steinke, &mut pairs("4", "1e-5"), m, mu, claim),
            median(80, &audit(), &mut Gaussians::new(mu, 1.0), m, mu, claim),
            median(80, &audit().independent(), &mut Gaussians::new(mu, 1.0), m, mu, |report| {
                report.plan.as_ref().and_then(|plan| plan.epsilon_lower)
            }),
        ];
        let expected =
            median(80, &audit(), &mut Gaussians::new(mu, 1.0), m, mu, |report| report.claim.epsilon_expected);
        println!(
            "m = {m}: (epsilon, delta) {:.3}, Steinke {:.3}, curve {:.3} ({expected:.3} expected), plan {:.3}",
            found[0], found[1], found[2], found[3]
        );
        assert!(found.iter().zip(bars).all(|(found, bar)| *found >= bar), "{found:?} {bars:?}");
        assert!((expected - found[2]).abs() < 0.15, "{expected} {found:?}");
    }
}
