//! Membership (002 §6): who was in a dataset, told from its means.

pub mod bound;
mod present;
pub mod trial;

use certus::bits::Bits;
use certus::exact::{Positive, Rational, parse};
use certus::sample::{FillError, PreparedGaussian, PreparedLaplace};
use rayon::prelude::*;

use crate::exact::float;
use crate::roc::{Roc, Scores};
use crate::{Case, CaseError, Parameter, Setting, Study, Table, Watch, random};
use bound::{Exact, Family, allowed, calibrated, plan};
use trial::{Attacked, Noise, Population};

/// The probability that any of a curve's thresholds breaks a bound by chance.
pub const ALPHA: f64 = 0.001;

/// The rate of false positives that tables are about.
pub const RATE: f64 = 0.01;

/// Experiments that share a seed.
const BATCH: u64 = 250;

/// The case.
pub static CASE: Case = Case {
    name: "membership",
    title: "Membership: who was in the dataset, told from its means",
    source: "002 §6",
    about: "the tracing attack on means of many attributes: without noise, with Laplace, with Gaussian, against e^ε·FPR + δ",
    parameters: &[
        Parameter {
            name: "people",
            about: "people in the dataset",
            default: 100.0,
            quick: 100.0,
            least: 2.0,
            most: 5_000.0,
            whole: true,
        },
        Parameter {
            name: "attributes",
            about: "yes-or-no attributes of each",
            default: 2_000.0,
            quick: 2_000.0,
            least: 1.0,
            most: 20_000.0,
            whole: true,
        },
        Parameter {
            name: "trials",
            about: "experiments",
            default: 40_000.0,
            quick: 6_000.0,
            least: 1_000.0,
            most: 1_000_000.0,
            whole: true,
        },
        Parameter {
            name: "epsilon",
            about: "the wanted ε",
            default: 1.0,
            quick: 1.0,
            least: 0.05,
            most: 20.0,
            whole: false,
        },
        Parameter {
            name: "delta",
            about: "the wanted δ",
            default: 1e-5,
            quick: 1e-5,
            least: 1e-12,
            most: 0.1,
            whole: false,
        },
    ],
    run,
};

/// A release: its noise, and what the accountant says of it.
struct Release {
    name: String,
    noise: Noise,
    /// The standard deviation of one count's noise.
    deviation: f64,
    /// The (ε, δ) that it has, and the whole trade-off; nothing of exact means.
    guarantee: Option<((Rational, Rational), Exact)>,
}

impl Release {
    /// The (ε, δ) that it is held to: its own, or the one that was wanted and that exact means do not have.
    fn promise<'a>(&'a self, wanted: &'a (Rational, Rational)) -> &'a (Rational, Rational) {
        self.guarantee.as_ref().map_or(wanted, |guarantee| &guarantee.0)
    }
}

/// What was measured of a release.
struct Measured {
    tracing: Roc,
    strongest: Roc,
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let (people, attributes) = (setting.count("people"), setting.count("attributes"));
    let wanted = (setting.exact("epsilon"), setting.exact("delta"));
    let trials = setting.count("trials");
    watch.step("calibrating", 0, 1);
    let releases = releases(attributes, &wanted, setting.quick)?;
    let population = Population::new(people, usize::try_from(attributes)?);
    let noises: Vec<Noise> = releases.iter().map(|release| release.noise.clone()).collect();
    let measured = measure(&population, &noises, trials, setting.seed, watch)?;

    let mut study = Study::new();
    study.text(format!(
        "{people} people answer {attributes} yes-or-no questions. The share of each `yes` is published, and nothing else. The attacker sees these {attributes} means; \
         he has Alice's own answers, and knows how common each answer is in the population. He gets a verdict on whether Alice was one of the \
         {people}, which may be all there is to know: the {people} may have been chosen for a disease.\n\n\
         He adds up, over all questions, (published mean − population's share)·(Alice's answer − population's share): if Alice is in, she has pulled every \
         mean a little towards herself. Each pull is small, 1/{people}, but there are {attributes} of them, and they add up \
         like √(attributes/people) = {:.1} standard deviations.\n\n\
         Noise that is calibrated to (ε, δ) leaves him no true-positive rate above e^ε·(false-positive rate) + δ, whatever he knows and computes. \
         That is a promise about sets of outputs; below it is measured, at every threshold.",
        (attributes as f64 / people as f64).sqrt()
    ));
    study.text(
        "Thresholds are set on the first half of the experiments and rates counted on the second. Intervals are Clopper and Pearson's; “possible” encloses the exact trade-off, by the accountant, and “breaks” counts thresholds of the tracing attack at which the \
         true-positive rate is above the bound with the confidence of 99.9 % that no threshold is called so by chance. The strongest attacker is the one that the definition is about: \
         he knows everybody else's answers too, Alice answered yes to everything, and whoever replaces her answered no.",
    );
    study.table(present::rates(&releases, &measured, people, &wanted)?);
    present::figures(&mut study, &releases, &measured, &wanted)?;
    study.text(present::summed(&releases, attributes, &wanted)?);
    study.plot(present::picture(&releases, &measured)?);
    study.plot(present::closeness(&releases, &measured)?);
    sweep(&mut study, setting, &population, watch)?;
    present::findings(&mut study, &releases, &measured, &wanted)?;
    Ok(study)
}

/// Exact means; and three noises that meet (ε, δ).
fn releases(attributes: u64, (epsilon, delta): &(Rational, Rational), quick: bool) -> Result<Vec<Release>, CaseError> {
    let zero = Rational::default();
    let points = if quick { 22 } else { 36 };
    let d = Rational::from_integer(attributes.into());
    let mut releases = vec![Release { name: "no noise".into(), noise: Noise::None, deviation: 0.0, guarantee: None }];
    // The sum over all coordinates, as the textbooks do: pure.
    let pure = Positive::new(&d / epsilon)?;
    let step = Rational::new(1.into(), 4.into());
    let laplace = calibrated(Family::Laplace, attributes, (epsilon, delta), &step)?;
    let gaussian = calibrated(Family::Gaussian, attributes, (epsilon, delta), &step)?;
    for (name, family, scale, delta) in [
        ("Laplace, δ = 0", Family::Laplace, pure, &zero),
        ("Laplace", Family::Laplace, laplace, delta),
        ("Gaussian", Family::Gaussian, gaussian, delta),
    ] {
        let shown = float(scale.get());
        let (noise, deviation) = match family {
            // The variance of discrete Laplace noise is 2q/(1 − q)², q = e^(-1/scale).
            Family::Laplace => {
                let q = (-1.0 / shown).exp();
                (Noise::Laplace(PreparedLaplace::new(&scale)), (2.0 * q).sqrt() / (1.0 - q))
            }
            Family::Gaussian => (Noise::Gaussian(PreparedGaussian::new(&scale)), shown),
        };
        let exact = Exact::new(&plan(family, &scale, attributes), epsilon, points)?;
        let guarantee = Some(((epsilon.clone(), delta.clone()), exact));
        releases.push(Release { name: format!("{name}, scale {shown}"), noise, deviation, guarantee });
    }
    Ok(releases)
}

/// All experiments, on all threads; the same whatever their number.
fn measure(
    population: &Population,
    noises: &[Noise],
    trials: u64,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<Measured>, CaseError> {
    let batches = trials.div_ceil(BATCH);
    let done = std::sync::atomic::AtomicU64::new(0);
    let batch = |number: u64| -> Result<Vec<Vec<Attacked>>, FillError> {
        let mut bits = random::bits(seed, "membership", number);
        bits.begin()?;
        let attacked = (0..BATCH.min(trials - number * BATCH)).map(|_| population.trial(noises, &mut bits)).collect();
        watch.step("experiments", done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, batches);
        attacked
    };
    let all: Vec<Vec<Vec<Attacked>>> = (0..batches).into_par_iter().map(batch).collect::<Result<_, _>>()?;
    let all: Vec<Vec<Attacked>> = all.into_iter().flatten().collect();
    let of = |place: usize, score: fn(&Attacked) -> Scores| {
        let scores: Vec<Scores> = all.iter().filter_map(|attacked| attacked.get(place).map(score)).collect();
        Roc::new(&scores)
    };
    Ok((0..noises.len())
        .map(|place| Measured {
            tracing: of(place, |attacked| attacked.tracing),
            strongest: of(place, |attacked| attacked.strongest),
        })
        .collect())
}

/// The same attack on Gaussian noise for other ε.
fn sweep(study: &mut Study, setting: &Setting, population: &Population, watch: &dyn Watch) -> Result<(), CaseError> {
    let epsilons: &[&str] =
        if setting.quick { &["1/4", "4", "64"] } else { &["1/4", "1", "4", "16", "64", "256", "1024"] };
    let (attributes, delta) = (setting.count("attributes"), setting.exact("delta"));
    let mut table = Table::new(
        "Gaussian noise for other ε, the same people: what the tracing attack makes of it",
        &["ε", "σ of a count", "area under the ROC", "TPR at FPR", "e^ε·1 % + δ", "error of a mean"],
    );
    let mut noises = Vec::new();
    let mut rows = Vec::new();
    for text in epsilons {
        let epsilon = parse(text)?;
        let sigma = calibrated(Family::Gaussian, attributes, (&epsilon, &delta), &Rational::new(1.into(), 16.into()))?;
        let bound = allowed((&epsilon, &delta), RATE)?;
        noises.push(Noise::Gaussian(PreparedGaussian::new(&sigma)));
        rows.push((text, float(sigma.get()), bound));
    }
    let measured = measure(population, &noises, setting.count("trials").min(8_000), setting.seed ^ 1, watch)?;
    for ((text, sigma, bound), measured) in rows.into_iter().zip(&measured) {
        let Some(point) = measured.tracing.at(RATE) else { continue };
        table.row(&[
            text,
            &format!("{sigma:.2}"),
            &format!("{:.3}", measured.tracing.area),
            &point.percent(ALPHA),
            &format!("{:.2} %", 100.0 * bound),
            &format!("{:.4}", sigma / setting.count("people").max(1) as f64),
        ]);
        study.figure(&format!("sweep_{text}_area"), measured.tracing.area);
    }
    study.table(table);
    study.text(
        "The noise of a count does not grow with the number of people, so that its error in a mean falls as 1/people, and it grows with √attributes. Where a mean's error is as large as the mean, there is no room for both: more people, or \
         fewer questions, is what makes a release useful and private.",
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    /// Without noise the attack finds nearly everybody, far over what ε allows; with noise no attacker breaks a promise, and the best there is
    /// reaches exactly what the accountant says.
    #[test]
    fn noise_stops_the_attack() {
        let study = (CASE.run)(&Setting::new(&CASE, true, 1, &[]).unwrap(), &Silent).unwrap();
        let named = |name: &str| study.named(name);
        assert!(named("none_area") > 0.99 && named("none_tracing_tpr") > 0.9, "{:?}", study.figures);
        assert!(named("none_tracing_breaks") > 10.0 && named("none_tracing_tpr") > 20.0 * named("gaussian_bound"));
        for key in ["laplace_pure", "laplace", "gaussian"] {
            let named = |name: &str| named(&format!("{key}_{name}"));
            assert!(named("tracing_breaks") == 0.0 && named("strongest_breaks") == 0.0, "{key} {:?}", study.figures);
            assert!(named("exact_breaks") == 0.0 && named("exact_misses") == 0.0, "{key} {:?}", study.figures);
            assert!(named("area") < 0.56 && named("tracing_tpr") < named("bound"), "{key} {:?}", study.figures);
            assert!(
                named("exact") < named("bound")
                    && named("exact_lower") > 0.01
                    && named("exact") < 1.05 * named("exact_lower"),
                "{key} {:?}",
                study.figures
            );
        }
        // With ε = 64 there is next to no noise, and the attack is back.
        assert!(named("sweep_64_area") > 0.9 && study.findings.len() == 3);
    }

    /// Planted: noise for ε = 8 under the promise of ε = 1. The strongest attacker breaks it; with the noise for ε = 1 he does not.
    #[test]
    fn too_little_noise_is_seen() {
        let (one, eight, delta) = (parse("1").unwrap(), parse("8").unwrap(), parse("1e-5").unwrap());
        let (attributes, step) = (50, parse("1/4").unwrap());
        let noises: Vec<Noise> = [&one, &eight]
            .map(|epsilon| calibrated(Family::Gaussian, attributes, (epsilon, &delta), &step).unwrap())
            .map(|sigma| Noise::Gaussian(PreparedGaussian::new(&sigma)))
            .to_vec();
        let measured = measure(&Population::new(20, 50), &noises, 8_000, 1, &Silent).unwrap();
        let promise = (one, delta);
        let broken: Vec<usize> =
            measured.iter().map(|measured| present::breaks(&measured.strongest, &promise)).collect();
        assert!(broken[0] == 0 && broken[1] > 5, "{broken:?}");
    }
}
