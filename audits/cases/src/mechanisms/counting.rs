//! Counts, one and many, and histograms (000 Examples 4.8, 4.9; 001; 003).

use certus::exact::Rational;

use crate::exact::float;
use crate::privacy::{self, rational};
use crate::{Axis, CaseError, Mark, Plot, Series, Setting, Shape, Study, Table, random};

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// P(|Laplace noise of this scale on the integers| > t) = 2q^(t+1)/(1 + q).
fn beyond(scale: f64, t: i32) -> f64 {
    let q = (-1.0 / scale).exp();
    2.0 * q.powi(t + 1) / (1.0 + q)
}

pub(super) fn study(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    one_count(setting, study)?;
    many_counts(study)?;
    histogram(study)?;
    a_sum(study);
    Ok(())
}

fn one_count(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    const TRUTH: i64 = 14_235;
    let scale = rational("10")?;
    let draws = usize::try_from(setting.count("draws"))?;
    let noise = privacy::laplace(&scale, draws, &mut random::bits(setting.seed, "one count", 0))?;
    let absolute = mean(noise.iter().map(|noise| noise.abs() as f64));
    let square = mean(noise.iter().map(|noise| (*noise as f64).powi(2))).sqrt();
    let within = |t: i64| noise.iter().filter(|noise| noise.abs() <= t).count() as f64 / draws as f64;
    let first: Vec<String> = noise.iter().take(8).map(|noise| (TRUTH + noise).to_string()).collect();
    study.text(format!(
        "One count: 003 asks how many of the adults of a census file are 40 or older, 14,235, at ε = 0.1, and gets 14238.147…. Eight answers by certus: {}.",
        first.join(", ")
    ));
    let mut table =
        Table::new(&format!("Laplace noise of scale 10 on a count: {draws} draws"), &["", "simulated", "exact"]);
    table.row(&[
        "expected |error|",
        &format!("{absolute:.3}"),
        &format!("{:.3}", 2.0 * (-0.1_f64).exp() / (1.0 - (-0.2_f64).exp())),
    ]);
    table.row(&[
        "standard deviation",
        &format!("{square:.3}"),
        &format!("{:.3}", (2.0 * (-0.1_f64).exp()).sqrt() / (1.0 - (-0.1_f64).exp())),
    ]);
    for t in [3_i32, 10, 30, 46] {
        table.row(&[
            &format!("within {t}"),
            &format!("{:.4}", within(t.into())),
            &format!("{:.4}", 1.0 - beyond(10.0, t)),
        ]);
    }
    study.table(table);
    study.figure("one_count_absolute", absolute);
    study.figure("one_count_deviation", square);
    study.agrees(
        "003: the expected distortion of Lap(1/ε) is 1/ε, independent of the size of the database",
        format!("{absolute:.3} for 1/ε = 10; on the integers it is 9.983 exactly."),
    );
    study.differs(
        "000 Lemma 4.4: the expected error of Lap(σ) is σ√2",
        format!("The proof computes the standard deviation, which is σ√2 (simulated {square:.2} for σ = 10). The expected error E|X| is σ ({absolute:.2})."),
    );
    study.agrees(
        "003: at ε = 0.1 the answer 14238.147 for a truth of 14,235 is typical, and most are close enough",
        format!(
            "Off by at most 3: {:.0} % of the time; by at most 30, a fifth of a percent of the truth: {:.0} %. But all those digits after the point are from a float sampler: certus’ answers are integers.",
            100.0 * within(3),
            100.0 * within(30)
        ),
    );
    let looser = privacy::laplace(&rational("1")?, draws, &mut random::bits(setting.seed, "one count", 1))?;
    let loose = mean(looser.iter().map(|noise| noise.abs() as f64));
    study.differs(
        "003, drawback (ii): large epsilon values produce results that are less accurate",
        format!("Backwards: the error is 1/ε. At ε = 0.1 it is {absolute:.2}, at ε = 1 {loose:.2}. A large ε is accurate and hardly private."),
    );
    Ok(())
}

fn many_counts(study: &mut Study) -> Result<(), CaseError> {
    let mut table = Table::new(
        "m counts at a total ε of 1: what each must carry, certified by the accountant",
        &["m", "scale", "ε of all m together", "expected |error| of each"],
    );
    let mut is_tight = true;
    for m in [1_u32, 10, 100, 1000] {
        let total = privacy::epsilon(&format!("laplace(scale={m})*{m}"), &rational("0")?)?;
        is_tight &= total.contains(&rational("1")?);
        let q = (-1.0 / f64::from(m)).exp();
        let error = 2.0 * q / (1.0 - q * q);
        table.row(&[&m.to_string(), &m.to_string(), &crate::exact::show(&total, 6), &format!("{error:.2}")]);
    }
    study.table(table);
    study.finding(
        "000 Example 4.8: one counting query errs by O(1/ε), whatever the size of the database; m of them by O(m/ε) each",
        "With noise of scale m on each, all m together have ε = 1 exactly; for pure ε that is tight when one person can change every answer. With δ > 0 it is far from tight: see the vectors below.",
        is_tight,
    );
    Ok(())
}

fn histogram(study: &mut Study) -> Result<(), CaseError> {
    // 3 colours; m people all go from blue to red.
    let mut table = Table::new(
        "A histogram of k = 3 colours; m people change from blue to red; noise of scale 2 (ε = 1 for one person who changes)",
        &["m", "counts move by (ℓ1)", "the document's bound, k", "ε for the m of them"],
    );
    let mut worst = 0;
    for m in [1_i64, 2, 5, 10] {
        let (before, after) = ([20_i64, 7, 3], [20 - m, 7 + m, 3]);
        let moved: i64 = before.iter().zip(after).map(|(before, after)| (before - after).abs()).sum();
        worst = worst.max(moved);
        // Two coordinates, each moved by m.
        let epsilon = privacy::epsilon(&format!("laplace(scale=2, sensitivity={m})*2"), &rational("0")?)?;
        table.row(&[&m.to_string(), &moved.to_string(), "3", &crate::exact::show(&epsilon, 6)]);
    }
    study.table(table);
    study.figure("histogram_moved", worst as f64);
    study.differs(
        "000 Example 4.9: if m people change their colour the sensitivity is at most k, the number of colours, and the error O(k/ε) is independent of m",
        "All m may change from blue to red: the counts move by 2m, whatever k is (20 for m = 10 and k = 3). The sensitivity for m people is 2m, and ε is m times that for one.",
    );
    study.finding(
        "000 Example 4.9: the sensitivity of a histogram is 2, and the error O(1/ε)",
        "2 where a neighbour changes one record. By the document's own Definition 2.2, neighbours are ‖x − y‖₁ = 1 apart, one record added or removed: then it is 1, and a change is two steps. The error per colour is 2/ε or \
         1/ε; it does not grow with the number of colours.",
        true,
    );
    Ok(())
}

/// 001's example: seven noisy sums.
fn a_sum(study: &mut Study) {
    const DATA: [i64; 7] = [1, 3, 4, 4, 3, 55, 1];
    const RESULTS: [f64; 7] = [82.4386, 66.1222, 79.5883, 66.4617, 51.2372, 101.7916, 64.7038];
    let sum: i64 = DATA.iter().sum();
    let scale = 61.0 / 2.0;
    let total: f64 = RESULTS.iter().map(|result| (result - sum as f64).abs() / scale).sum();
    // |Lap(b)|/b is exponential: seven of them add up to a Gamma(7).
    let mut term = 1.0;
    let mut tail = 0.0;
    for order in 0..7 {
        tail += term;
        term *= total / f64::from(order + 1);
    }
    let chance = 1.0 - (-total).exp() * tail;
    let mut table =
        Table::new("001's seven results of a sum of 71 with Lap(61/2)", &["result", "error", "error/scale"]);
    for result in RESULTS {
        table.row(&[
            &result.to_string(),
            &format!("{:+.2}", result - sum as f64),
            &format!("{:+.2}", (result - sum as f64) / scale),
        ]);
    }
    study.table(table);
    study.figure("sum", sum as f64);
    study.figure("sum_chance", chance);
    study.agrees(
        "001: x in {−1, …, 60}ⁿ, f = sum, Δf = 61, ε = 2: noise Lap(0, 61/2), f(x) = 71",
        format!("The sum is {sum}; one record that changes moves it by at most 60 − (−1) = 61 (one that is added or removed, by 60); 61/(61/2) = 2."),
    );
    study.differs(
        "001: possible results 82.4, 66.1, 79.6, 66.5, 51.2, 101.8, 64.7",
        format!(
            "Possible, but closer to 71 than such noise is: their mean error is {:.1} where 30.5 is expected. Seven draws of Lap(61/2) come out so close {:.1} % of the time.",
            total * scale / 7.0,
            100.0 * chance
        ),
    );
}

/// How the error of m counts grows, for the pictures of the vectors.
#[must_use]
pub(super) fn laplace_deviation(scale: &Rational) -> f64 {
    let q = (-1.0 / float(scale)).exp();
    (2.0 * q).sqrt() / (1.0 - q)
}

/// Both densities of 003's picture.
pub(super) fn picture(study: &mut Study, sigma: f64) {
    let points = |density: &dyn Fn(f64) -> f64| {
        (-150..=150).map(|x| f64::from(x) / 10.0).map(|x| (x, density(x))).collect::<Vec<_>>()
    };
    study.plot(Plot {
        title: "One number at ε = 1: Laplace, and Gaussian with 003's σ".into(),
        x: Axis::linear("noise"),
        y: Axis::linear("density"),
        series: vec![
            Series::new("Laplace, scale 1", Shape::Line(points(&|x| (-x.abs()).exp() / 2.0))),
            Series::new(
                &format!("Gaussian, σ = {sigma:.3}"),
                Shape::Line(points(&|x| {
                    (-x * x / (2.0 * sigma * sigma)).exp() / (sigma * std::f64::consts::TAU.sqrt())
                })),
            ),
        ],
        marks: vec![Mark::Upright(0.0, "the truth".into())],
    });
}
