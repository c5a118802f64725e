//! Many answers at once: Laplace on the ℓ1 sensitivity, Gaussian on the ℓ2, and the largest error (003, 004).

use certus::exact::{Rational, normal_tail};

use super::counting::laplace_deviation;
use crate::exact::{float, middle, show};
use crate::privacy::{self, gaussian_sigma, rational};
use crate::{Axis, CaseError, Plot, Series, Setting, Shape, Study, Table, random};

const DELTA: &str = "1e-5";

pub(super) fn study(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    crossing(setting, study)?;
    largest_error(setting, study)?;
    lemma_6(setting, study)
}

/// The smallest Laplace scale on a grid of 1/20 with which k answers together are (1, δ)-private; δ falls with the scale.
fn laplace_scale(k: u64) -> Result<Rational, CaseError> {
    let delta = rational(DELTA)?;
    let at = |count: u64| Rational::new(count.into(), 20.into());
    let meets = |count: u64| -> Result<bool, CaseError> {
        Ok(privacy::delta(&format!("laplace(scale={})*{k}", at(count)), &rational("1")?)?.upper() <= delta)
    };
    // Scale k meets ε = 1 with δ = 0; 0.9·√k is too little, and asked about all the same.
    let mut high = 20 * k;
    let mut low = ((k as f64).sqrt() * 18.0) as u64;
    if meets(low)? {
        return Err(CaseError::Refused(format!("k = {k}: the search for a scale begins too high")));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if meets(middle)? { high = middle } else { low = middle }
    }
    Ok(at(high))
}

fn crossing(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let longest = setting.count("longest");
    let sigma = gaussian_sigma(&rational("1")?, &rational(DELTA)?, &rational("1e-6")?)
        .ok_or_else(|| CaseError::Refused("no sigma".into()))?;
    let one = float(&sigma);
    let classical = (2.0 * (1.25e5_f64).ln()).sqrt();
    let lengths: Vec<u64> =
        [1, 2, 4, 7, 10, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000].into_iter().filter(|k| *k <= longest).collect();
    let mut table = Table::new(
        &format!(
            "k answers, each of which one person moves by 1, at (1, {DELTA}): standard deviation of the noise on each"
        ),
        &[
            "k",
            "Laplace, pure ε = 1",
            "Laplace, accounted",
            "Gaussian, exact σ",
            "its δ (certus, integers)",
            "Gaussian, classical σ",
        ],
    );
    let (mut pure, mut accounted, mut exact, mut old) = (vec![], vec![], vec![], vec![]);
    let mut is_met = true;
    for k in lengths {
        let root = (k as f64).sqrt();
        let widest = laplace_deviation(&Rational::from_integer(k.into()));
        let scale = laplace_scale(k)?;
        // Rounded up to a twentieth, and certified as certus releases it: on integers.
        let used = Rational::new(((one * root * 20.0).ceil() as u64).into(), 20.into());
        let delta = privacy::delta(&format!("gaussian(sigma={used})*{k}"), &rational("1")?)?;
        is_met &= delta.upper() <= rational(DELTA)?;
        let place = k as f64;
        pure.push((place, widest));
        accounted.push((place, laplace_deviation(&scale)));
        exact.push((place, one * root));
        old.push((place, classical * root));
        table.row(&[
            &k.to_string(),
            &format!("{widest:.2}"),
            &format!("{:.2}", laplace_deviation(&scale)),
            &format!("{:.2}", one * root),
            &show(&delta, 3),
            &format!("{:.2}", classical * root),
        ]);
    }
    // √2·k < σ·√k as long as k < σ²/2; Laplace noise on the integers is a little narrower than √2·k.
    let cross = |sigma: f64| {
        (1..10_000_u64).find(|k| sigma * (*k as f64).sqrt() < laplace_deviation(&Rational::from_integer((*k).into())))
    };
    let (first, first_classical) = (cross(one).unwrap_or(0), cross(classical).unwrap_or(0));
    let first_accounted = accounted
        .iter()
        .zip(&exact)
        .find(|(laplace, gaussian)| gaussian.1 < laplace.1)
        .map_or(f64::NAN, |(at, _)| at.0);
    let ahead = accounted.last().zip(exact.last()).map_or(f64::NAN, |(laplace, gaussian)| laplace.1 / gaussian.1);
    study.text(format!(
        "Many answers: the ℓ1 sensitivity of k counts is k, the ℓ2 sensitivity √k, and so Laplace noise grows with k and Gaussian noise with √k. At (1, {DELTA}) they cross at k = {first}, or at {first_classical} with \
         the classical σ. But then Laplace noise is asked for δ = 0 and Gaussian noise is not. If δ is spent on Laplace noise too, by exact accounting, it also grows with √k from about k = 10 on, and Gaussian noise \
         is ahead of it from k = {first_accounted} on, by {ahead:.2} for the longest vectors (√2 in the limit)."
    ));
    study.table(table);
    study.plot(Plot {
        title: format!("k answers at (1, {DELTA})"),
        x: Axis::log("k"),
        y: Axis::log("standard deviation of each"),
        series: vec![
            Series::new("Laplace, ε = 1, δ = 0: scale k", Shape::Line(pure)),
            Series::new("Laplace, the smallest scale that the accountant certifies", Shape::Line(accounted)),
            Series::new("Gaussian, the smallest σ", Shape::Line(exact)),
            Series::new("Gaussian, classical σ", Shape::Dashed(old)),
        ],
        marks: vec![],
    });
    study.figure("crossing", first as f64);
    study.figure("crossing_classical", first_classical as f64);
    study.figure("crossing_accounted", first_accounted);
    study.figure("sigma_one", one);
    study.finding(
        "003: a vector of k 1-sensitive results has ℓ1 sensitivity k and ℓ2 sensitivity √k; where ℓ2 is much lower, the Gaussian mechanism adds much less noise",
        format!("From k = {first} on at (1, {DELTA}), against pure Laplace; on integers, with σ rounded up to a twentieth, certus certifies δ ≤ {DELTA} for every k."),
        is_met,
    );
    study.agrees(
        "003: for one number the Gaussian mechanism is less accurate than the Laplace mechanism",
        format!(
            "At (1, {DELTA}): deviation {one:.2} with the smallest σ ({classical:.2} with the classical one) against {:.2}. It is so for one number, not in general: see the crossing.",
            laplace_deviation(&Rational::from_integer(1.into()))
        ),
    );
    Ok(())
}

/// 004 Lemma 3: P(‖error‖_∞ ≥ ln(K/β)·B/ε) ≤ β.
fn largest_error(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    const BETA: f64 = 0.05;
    const TRIALS: usize = 20_000;
    let mut table = Table::new(
        &format!(
            "004 Lemma 3 at β = {BETA}, ε = 1, B = K: how often the largest of K errors reaches ln(K/β)·K; {TRIALS} vectors each"
        ),
        &["K", "ln(K/β)·B/ε", "simulated", "exact, on integers", "exact, continuous", "the lemma"],
    );
    let mut is_near = true;
    let mut last = 0.0;
    for k in [1_usize, 10, 50] {
        let scale = k as f64;
        let reach = (scale / BETA).ln() * scale;
        let mut bits = random::bits(setting.seed, "largest error", k as u64);
        let noise = privacy::laplace(&Rational::from_integer(k.into()), k * TRIALS, &mut bits)?;
        let reached = noise.chunks(k).filter(|vector| vector.iter().any(|noise| noise.abs() as f64 >= reach)).count();
        let simulated = reached as f64 / TRIALS as f64;
        let q = (-1.0 / scale).exp();
        let one = 2.0 * q.powf(reach.ceil()) / (1.0 + q);
        let discrete = 1.0 - (1.0 - one).powf(scale);
        let continuous = 1.0 - (1.0 - BETA / scale).powf(scale);
        // Five standard deviations.
        is_near &= (simulated - discrete).abs() < 5.0 * (discrete * (1.0 - discrete) / TRIALS as f64).sqrt()
            && continuous <= BETA + 1e-12;
        last = simulated;
        table.row(&[
            &k.to_string(),
            &format!("{reach:.1}"),
            &format!("{simulated:.4}"),
            &format!("{discrete:.4}"),
            &format!("{continuous:.4}"),
            &format!("≤ {BETA}"),
        ]);
    }
    study.table(table);
    study.figure("largest_error", last);
    study.finding(
        "004 Lemma 3: P(‖F(S) − A(S)‖_∞ ≥ ln(K/δ)·B/ε) ≤ δ",
        "It holds and is nearly tight: 1 − (1 − δ/K)^K. (The proof writes X for the noise with its factor B/ε, where Lemma 2 writes X for the noise without it.) It is a lemma on continuous noise: on the \
         integers P(|noise| ≥ t) is 2q^⌈t⌉/(1 + q) with q = e^(−ε/B), up to 2/(1 + q) times as much as q^t, and the lemma is missed by a little: 0.073 for 0.05 at K = 1, 0.051 at K = 10.",
        is_near,
    );
    study.differs(
        "004 Lemma 1, proof: the ratio of the densities is e^(−ε|x − f(S)|/2M)/e^(−ε|x − f(S′)|/2M) ≤ e^ε",
        "The 2 is a slip: the density is (ε/2M)·e^(−ε|x − f(S)|/M), the 2 belongs to the normaliser, and with it in the exponent the noise would be e^(ε/2)-private. The lemma holds, and is tight: \
         certus says ε = 1 for scale 1 on a sensitivity of 1. The same 2 is in the proof of Lemma 2.",
    );
    study.agrees(
        "004 §2: the mean of n numbers in [−1, 1] moves by at most 2/n, and Laplace noise of scale 2/(εn) makes it ε-private",
        format!("On a grid of 1/n the sum moves by 2: certus says ε = {} for scale 2/ε = 20 on a sensitivity of 2.", show(&privacy::epsilon("laplace(scale=20, sensitivity=2)", &rational("0")?)?, 4)),
    );
    Ok(())
}

/// P(‖Z‖₂ > t) for a standard normal Z in an even number of dimensions.
fn radius_beyond(t: f64, dimensions: u32) -> f64 {
    let half = t * t / 2.0;
    let mut term = (-half).exp();
    let mut sum = 0.0;
    for place in 0..dimensions / 2 {
        sum += term;
        term *= half / f64::from(place + 1);
    }
    sum
}

/// 004 Lemma 6: the proof bounds the loss by ‖x − F(S)‖₂, which grows with the dimension.
fn lemma_6(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let c = (2.0 * 1.25e5_f64.ln()).sqrt();
    let reach = c - 1.0 / (2.0 * c);
    let sigma = rational("4844805/1000000")?;
    let exact = privacy::gaussian_delta(&sigma, &rational("1")?).map_or(f64::NAN, |delta| middle(&delta));
    let mut table = Table::new(
        &format!("004 Lemma 6 at (1, {DELTA}), σ = {c:.4}·B: what the proof needs to be at most δ, and what δ is"),
        &["K", "P(‖x − F(S)‖₂ > σ²ε/B − B/2)", "δ(1), exact"],
    );
    let one = normal_tail(&certus::exact::from_f64(reach)?, 40).map_or(f64::NAN, |tail| 2.0 * middle(&tail));
    table.row(&["1", &format!("{one:.2e}"), &format!("{exact:.3e}")]);
    for dimensions in [2, 4, 10, 20, 50, 100] {
        table.row(&[
            &dimensions.to_string(),
            &format!("{:.2e}", radius_beyond(reach, dimensions)),
            &format!("{exact:.3e}"),
        ]);
    }
    study.table(table);
    // Simulated where it is large: K = 20, noise on a grid of B/1000.
    const VECTORS: usize = 5000;
    let fine = Rational::from_integer(1000.into());
    let noise = privacy::gaussian(&(&sigma * &fine), 20 * VECTORS, &mut random::bits(setting.seed, "lemma 6", 0))?;
    let far = noise.chunks(20).filter(|vector| {
        let square: f64 = vector.iter().map(|noise| (*noise as f64 / 1000.0).powi(2)).sum();
        square.sqrt() > reach * float(&sigma)
    });
    let share = far.count() as f64 / VECTORS as f64;
    study.figure("lemma_6_at_20", share);
    study.figure("lemma_6_at_20_exact", radius_beyond(reach, 20));
    study.figure("lemma_6_delta", exact);
    study.differs(
        "004 Lemma 6, proof: P(‖x − F(S)‖₂ > σ²ε/B − B/2) ≤ δ for σ = cB/ε",
        format!(
            "Only for K = 1: already in 2 dimensions it is {:.1e}, and in 20 it is {:.2} (simulated with certus’ noise: {share:.2}). The step before threw too much away, (x − F)ᵀ(F − F′) ≤ ‖x − F‖₂·B. \
             The lemma holds all the same (for ε ≤ 1): (x − F)ᵀ(F − F′) is normal with deviation at most σB in any dimension, so K drops out, and δ(1) = {exact:.2e} for every K. \
             (The proof also calls σ the variance.)",
            radius_beyond(reach, 2),
            radius_beyond(reach, 20)
        ),
    );
    Ok(())
}
