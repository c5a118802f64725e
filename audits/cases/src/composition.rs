//! Composition and group privacy (000 §2, 002 §5, 004 §3): what many releases cost, by four accounts.

use certus::bits::Bits;
use certus::exact::{Positive, Rational, Real};
use certus::guarantee::{Guarantee, Privacy, Relation};
use certus::sample::PreparedLaplace;

use crate::exact::{float, middle, show};
use crate::privacy::{self, rational};
use crate::{Axis, Case, CaseError, Mark, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "composition",
    title: "What many releases cost",
    source: "000 §2, §6; 002 §5; 004 §3",
    about: "sequential, advanced and exact composition on one plot; Gaussian noise; families of k",
    parameters: &[
        Parameter {
            name: "most",
            about: "the most releases",
            default: 10_000.0,
            quick: 10_000.0,
            least: 10.0,
            most: 100_000.0,
            whole: true,
        },
        Parameter {
            name: "trials",
            about: "attacks that are simulated",
            default: 20_000.0,
            quick: 2000.0,
            least: 500.0,
            most: 1e6,
            whole: true,
        },
    ],
    run,
};

const DELTA: &str = "1e-6";

type Part = fn(&Setting, &mut Study) -> Result<(), CaseError>;

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let mut study = Study::new();
    let parts: [Part; 4] = [attack, accounts, gaussian, families];
    for (place, part) in parts.iter().enumerate() {
        watch.step("parts", place as u64, parts.len() as u64);
        part(setting, &mut study)?;
    }
    Ok(study)
}

fn upper(value: &Real) -> f64 {
    value.enclose(64).map_or(f64::NAN, |value| float(&value.upper()))
}

/// How often the mean of k answers tells 0 from 1: above ½ is taken for 1. The truth is 1 in every other trial.
fn right(scale: &Rational, k: usize, trials: u64, bits: &mut impl Bits) -> Result<f64, CaseError> {
    let sampler = PreparedLaplace::new(&Positive::new(scale.clone())?);
    let mut noise = vec![0_i64; k];
    let mut hits = 0_u64;
    for trial in 0..trials {
        let truth = trial % 2 == 1;
        sampler.fill(bits, &mut noise)?;
        let above = noise.iter().filter(|noise| **noise + i64::from(truth) > 0).count();
        // An answer above 0 speaks for 1: discrete Laplace noise moved by 1 has two likelihood ratios, and this is which.
        hits += u64::from((2 * above > k) == truth && 2 * above != k) + u64::from(2 * above == k && bits.take(1)? == 1);
    }
    Ok(hits as f64 / trials as f64)
}

fn attack(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let trials = setting.count("trials");
    let mut table = Table::new(
        &format!(
            "Does the count have 1 more? k answers at ε = 0.1 each, or k answers at ε = 1 in all; {trials} attacks each"
        ),
        &["k", "ε = 0.1 each: right", "at best, exact", "ε = 1 in all: right", "at best, exact"],
    );
    let mut bits = random::bits(setting.seed, "attack", 0);
    let (mut open, mut kept, mut best_open, mut best_kept) = (vec![], vec![], vec![], vec![]);
    for k in [1_usize, 10, 100, 1000] {
        let each = right(&rational("10")?, k, trials, &mut bits)?;
        let shared = right(&Rational::from_integer(k.into()), k, trials, &mut bits)?;
        let best = |scale: &str| -> Result<f64, CaseError> {
            Ok(f64::midpoint(1.0, middle(&privacy::delta(&format!("laplace(scale={scale})*{k}"), &rational("0")?)?)))
        };
        let (at_best, at_best_shared) = (best("10")?, best(&k.to_string())?);
        let place = k as f64;
        open.push((place, each));
        kept.push((place, shared));
        best_open.push((place, at_best));
        best_kept.push((place, at_best_shared));
        table.row(&[
            &k.to_string(),
            &format!("{each:.3}"),
            &format!("{at_best:.3}"),
            &format!("{shared:.3}"),
            &format!("{at_best_shared:.3}"),
        ]);
    }
    let (before, after) =
        (open.last().map_or(f64::NAN, |point| point.1), kept.last().map_or(f64::NAN, |point| point.1));
    let bound = 1.0 / (1.0 + (-1.0_f64).exp());
    study.text(format!(
        "The attacker asks again and again, and gets a fresh noisy count each time. Each answer is 0.1-private, and tells next to nothing: the best guess is right {:.1} % of the time. With a thousand of them he \
         is right about you {:.1} % of the time. What stops it is to account for all answers together: with noise for ε = 1 in all, whatever their number, he is right {:.1} % of the time, and by ε = 1 it cannot be \
         more than {:.1} %. How to account is what this case is about: the crude sum is safe and wastes nearly everything.",
        100.0 * best_open.first().map_or(f64::NAN, |point| point.1),
        100.0 * before,
        100.0 * after,
        100.0 * bound
    ));
    study.table(table);
    study.plot(Plot {
        title: "How often the attacker is right".into(),
        x: Axis::log("answers"),
        y: Axis::linear("share").from(0.45, 1.02),
        series: vec![
            Series::new("ε = 0.1 for each answer: the best attack, exact", Shape::Line(best_open)),
            Series::new("simulated", Shape::Points(open)),
            Series::new("ε = 1 for all answers: the best attack, exact", Shape::Line(best_kept)),
            Series::new("simulated", Shape::Points(kept)),
        ],
        marks: vec![Mark::Level(bound, "the most that ε = 1 allows".into())],
    });
    study.figure("right_before", before);
    study.figure("right_after", after);
    study.figure("right_bound", bound);
    Ok(())
}

/// ε·√(2k·ln(1/δ)) + kε(e^ε − 1): Dwork, Rothblum and Vadhan 2010, Theorem III.3.
fn advanced(copies: &Real, epsilon: &Real, slack: &Real) -> Real {
    let spread = epsilon * &(&(&Real::from(2) * copies) * &-&slack.ln()).sqrt();
    &spread + &(&(copies * epsilon) * &(&epsilon.exp() - &Real::from(1)))
}

/// Sequential, advanced (two forms) and exact, for k releases of ε = 0.1.
fn accounts(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let one = Guarantee::pure(Relation::AddRemove, Real::ratio(1, 10))?;
    let slack: Real = Real::from(rational(DELTA)?);
    let epsilon = Real::ratio(1, 10);
    let mut table = Table::new(
        &format!("k releases of ε = 0.1 each: ε of all of them (δ = 0 for the sum, {DELTA} for the others)"),
        &["k", "sequential (000, 002, 004)", "advanced (DRV10)", "advanced (KOV15)", "exact, Laplace noise"],
    );
    let (mut sums, mut drv, mut kov, mut exact) = (vec![], vec![], vec![], vec![]);
    let mut is_ordered = true;
    let most = setting.count("most");
    for k in [1_u64, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000].into_iter().filter(|k| *k <= most) {
        let Privacy::Pure { epsilon: sum } = one.k_fold(k)?.privacy().clone() else { continue };
        let copies = Real::from(Rational::from_integer(k.into()));
        let old = advanced(&copies, &epsilon, &slack);
        let Privacy::Approximate { epsilon: new, .. } = one.advanced(k, &slack)?.privacy().clone() else { continue };
        let truth = privacy::epsilon(&format!("laplace(scale=10)*{k}"), &rational(DELTA)?)?;
        let place = k as f64;
        let values = [upper(&sum), upper(&old), upper(&new), middle(&truth)];
        is_ordered &= values[3] <= values[2] + 1e-9 && values[2] <= values[0].min(values[1]) + 1e-9;
        for (line, value) in [&mut sums, &mut drv, &mut kov, &mut exact].into_iter().zip(values) {
            line.push((place, value));
        }
        let cells = values.map(|value| format!("{value:.3}"));
        table.row(&[&k.to_string(), &cells[0], &cells[1], &cells[2], &show(&truth, 6)]);
        if k == 100 {
            for (name, value) in ["sequential_100", "drv_100", "kov_100", "exact_100"].iter().zip(values) {
                study.figure(name, value);
            }
        }
    }
    study.table(table);
    study.plot(Plot {
        title: format!("k releases of ε = 0.1, at δ = {DELTA}"),
        x: Axis::log("k"),
        y: Axis::log("ε of all together"),
        series: vec![
            Series::new("sequential: kε", Shape::Line(sums)),
            Series::new("advanced, Dwork, Rothblum and Vadhan 2010", Shape::Dashed(drv)),
            Series::new("advanced, Kairouz, Oh and Viswanath 2015", Shape::Dashed(kov)),
            Series::new("exact, of Laplace noise (certus)", Shape::Line(exact)),
        ],
        marks: vec![],
    });
    // The first k at which the theorem of 2010 says less than the sum.
    let pays = (1..=1000_u32).find(|k| {
        let copies = Real::from(i64::from(*k));
        advanced(&copies, &epsilon, &slack).compare(&(&copies * &epsilon)) == Some(std::cmp::Ordering::Less)
    });
    let first_advanced = pays.map_or(f64::NAN, f64::from);
    study.figure("advanced_from", first_advanced);
    study.finding(
        "000 Theorem 2.8, 002 Theorem 5.1, 004 Lemma 5: k releases are (Σεᵢ, Σδᵢ)-private",
        "A bound that always holds, and tight for δ = 0: certus gives kε exactly for k Laplace releases. At δ > 0 it is far above the truth. The proofs are for releases chosen beforehand and \
         δ = 0; 000 and 002 state it for adaptive ones too, and that holds as well (Dwork and Roth 2014, Theorem 3.16).",
        is_ordered && privacy::epsilon("laplace(scale=10)*100", &rational("0")?)?.contains(&rational("10")?),
    );
    study.differs(
        "004 Lemma 5, proof: p_A(S)/p_A(S′) = p_A1(S)(c₁)·p_A2(S)(c₂)/(p_A1(S′)(c₁)·p_A2(S)(c₂))",
        "A slip: the last S must be S′, or the second factor is 1 and ε₂ is free. The lemma holds.",
    );
    study.differs(
        "000 §6: advanced composition improves on sequential composition by allowing repeated use on different databases with the same individual, and by a lower loss due to an improved bound on δ",
        format!(
            "The first, sequential composition has too. The second is the other way round: it is ε that grows with √k, and it is paid for with a δ that pure releases did not have. It is no improvement for few releases: at \
             ε = 0.1 and δ = {DELTA} the theorem of 2010 is below kε from k = {first_advanced} on, and the exact account is below both from the start."
        ),
    );
    Ok(())
}

/// Gaussian noise: composition by (ε, δ) of each against the exact one.
fn gaussian(_: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let (one, five) = (rational("1")?, rational("1e-5")?);
    // On integers, as certus releases: 3.75 is certified to meet (1, 1e-5). The least that continuous noise needs is a little less.
    let sigma = rational("15/4")?;
    let certified = privacy::delta(&format!("gaussian(sigma={sigma})"), &one)?;
    let least = privacy::gaussian_sigma(&one, &five, &rational("1/1000")?)
        .ok_or_else(|| CaseError::Refused("no sigma".into()))?;
    let mut table = Table::new(
        &format!("k counts with Gaussian noise of σ = {}, each (1, 1e-5)-private", float(&sigma)),
        &[
            "k",
            "sequential ε",
            "sequential δ",
            "exact ε at that δ",
            "exact ε at δ = 1e-5",
            "σ for (1, 1e-5) in all: by splitting",
            "exact",
        ],
    );
    let (mut sums, mut exact) = (vec![], vec![]);
    let mut at_hundred = (f64::NAN, f64::NAN);
    for k in [1_u64, 4, 10, 100, 1000] {
        let count = Rational::from_integer(k.into());
        let spec = format!("gaussian(sigma={sigma})*{k}");
        let total = &five * &count;
        let (at_sum, at_five) = (privacy::epsilon(&spec, &total)?, privacy::epsilon(&spec, &five)?);
        // To have (1, 1e-5) in all: by giving each (1/k, 1e-5/k), or √k times the σ for one.
        let split = privacy::gaussian_sigma(&(&one / &count), &(&five / &count), &rational("1/10")?)
            .map_or(f64::NAN, |sigma| float(&sigma));
        let together = float(&least) * (k as f64).sqrt();
        if k == 100 {
            at_hundred = (split, together);
            study.figure("gaussian_exact_100", middle(&at_five));
        }
        sums.push((k as f64, k as f64));
        exact.push((k as f64, middle(&at_five)));
        table.row(&[
            &k.to_string(),
            &k.to_string(),
            &format!("{:.0e}", float(&total)),
            &show(&at_sum, 4),
            &show(&at_five, 4),
            &format!("{split:.1}"),
            &format!("{together:.1}"),
        ]);
    }
    study.text(
        "Gaussian noise composes better than any theorem on (ε, δ) can say: the sum of k answers says all that they say together, and it has Gaussian noise again. So k releases of σ are, for privacy, exactly one release of σ/√k \
         (of continuous noise; on integers nearly so): no δ is added up, and none is lost. Whoever only keeps the pairs (ε, δ) has thrown this away.",
    );
    study.table(table);
    study.plot(Plot {
        title: format!("k Gaussian releases of (1, 1e-5) each, σ = {}", float(&sigma)),
        x: Axis::log("k"),
        y: Axis::log("ε of all together"),
        series: vec![
            Series::new("sequential, at δ = k·1e-5", Shape::Dashed(sums)),
            Series::new("exact, at δ = 1e-5 (certus)", Shape::Line(exact)),
        ],
        marks: vec![],
    });
    // k releases of σ, and one of σ/√k: the same profile.
    let (many, single) = (privacy::delta("gaussian(sigma=20)*100", &one)?, privacy::delta("gaussian(sigma=2)", &one)?);
    let continuous = privacy::gaussian_delta(&rational("2")?, &one).map_or(f64::NAN, |delta| middle(&delta));
    study.figure("gaussian_many", middle(&many));
    study.figure("gaussian_single", continuous);
    study.figure("gaussian_certified", float(&certified.upper()));
    study.finding(
        "000 Theorems 2.8 and 4.11, 002 §5 together: k Gaussian releases of (ε, δ) each are (kε, kδ)-private",
        format!(
            "True for ε ≤ 1, where Theorem 4.11 holds, and very loose: 100 releases of (1, 1e-5) have ε = {:.2} at δ = 1e-5, not 100 at 1e-3. For (1, 1e-5) in all, splitting the budget asks for σ = {:.0} on each of 100 answers, and {:.1} suffice. \
             100 releases of σ = 20 on integers have δ(1) = {}, one continuous release of σ = 2 {continuous:.6}, and one of σ = 2 on integers {}: the lattice is coarser.",
            study.named("gaussian_exact_100"),
            at_hundred.0,
            at_hundred.1,
            show(&many, 5),
            show(&single, 5)
        ),
        certified.upper() <= five,
    );
    Ok(())
}

/// Families of k: kε, and δ's k·e^((k−1)ε).
fn families(_: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let one = rational("1")?;
    let single = privacy::delta("gaussian(sigma=5)", &one)?;
    let mut table = Table::new(
        &format!(
            "Families of k: Laplace noise of scale 1; Gaussian noise of σ = 5, (1, {})-private for one person",
            show(&single, 3)
        ),
        &["k", "Laplace: kε", "exact", "Gaussian: k·e^((k−1)ε)·δ", "δ·(e^(kε) − 1)/(e^ε − 1)", "exact δ at kε"],
    );
    let (mut documents, mut exact) = (vec![], vec![]);
    let mut is_tight = true;
    for k in [1_u32, 2, 3, 4, 5, 8, 10, 15, 20] {
        let times = Rational::from_integer(k.into());
        let pure = privacy::epsilon(&format!("laplace(scale=1, sensitivity={k})"), &rational("0")?)?;
        is_tight &= pure.contains(&times);
        let truth = privacy::delta(&format!("gaussian(sigma=5, sensitivity={k})"), &times)?;
        let stated = Guarantee::approximate(Relation::AddRemove, Real::from(1), Real::from(single.upper()))?;
        let document = f64::from(k) * f64::from(k - 1).exp() * middle(&single);
        // Certus states the sum of the steps rather than its largest term k times; above 1 it says 1.
        let Privacy::Approximate { delta: stepwise, .. } = stated.group(k.into())?.privacy().clone() else { continue };
        documents.push((f64::from(k), document));
        exact.push((f64::from(k), middle(&truth)));
        table.row(&[
            &k.to_string(),
            &k.to_string(),
            &show(&pure, 4),
            &format!("{document:.2e}"),
            &format!("{:.2e}", upper(&stepwise)),
            &show(&truth, 3),
        ]);
        if k == 10 {
            study.figure("group_document", document);
            study.figure("group_exact", middle(&truth));
        }
    }
    study.table(table);
    study.plot(Plot {
        title: "δ for a family of k at kε: Gaussian noise, σ = 5, ε = 1".into(),
        x: Axis::linear("k"),
        y: Axis::log("δ"),
        series: vec![
            Series::new("the bound k·e^((k−1)ε)·δ", Shape::Dashed(documents)),
            Series::new("exact (certus)", Shape::Line(exact)),
        ],
        marks: vec![Mark::Level(1.0, "above this the bound says nothing".into())],
    });
    study.finding(
        "000 Theorem 2.7, 002 Exercise 5.2: ε-private is kε-private for groups of k",
        "And for Laplace noise it is tight: exactly k for scale 1.",
        is_tight,
    );
    let (document, truth) = (study.named("group_document"), study.named("group_exact"));
    study.agrees(
        "000 §2: for groups δ increases exponentially: (kε, k·e^((k−1)ε)·δ)",
        format!(
            "The bound does (k·e^((k−1)ε) times is itself more than the steps add up to, (e^(kε) − 1)/(e^ε − 1)). The truth need not: for Gaussian noise of σ = 5 and k = 10, at ε = 10, it is {truth:.2e} where the bound \
             says {document:.2e}."
        ),
    );
    study.agrees(
        "002 §5: if ε ≪ 1/n nothing can be learned: any two datasets of n records give roughly the same output",
        format!(
            "By the theorem for k = n: e^(nε). At n = 1000 and ε = 10^-5 even the best test of an empty against a full dataset is right {:.4} of the time.",
            f64::midpoint(1.0, middle(&privacy::delta("laplace(scale=100000, sensitivity=1000)", &rational("0")?)?))
        ),
    );
    Ok(())
}
