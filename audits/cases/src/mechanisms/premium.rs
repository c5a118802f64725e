//! Alice's premium (000 Example 2.5): what an insurer learns from a study that she takes part in.

use certus::exact::{Rational, Real};

use crate::exact::float;
use crate::privacy::{self, rational};
use crate::{CaseError, Setting, Study, Table, random};

const EPSILON: &str = "0.01";
const SUM: f64 = 100_000.0;

/// P(k)/Q(k) of discrete Laplace noise on a count of 1 more against one of 0 more.
fn ratio(output: i64, epsilon: f64) -> f64 {
    (epsilon * (output.abs() - (output - 1).abs()) as f64).exp()
}

pub(super) fn study(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let epsilon = rational(EPSILON)?;
    let factor = Real::from(epsilon.clone()).exp();
    let factor = factor.enclose(64).map_or(f64::NAN, |factor| float(&factor.upper()));
    let prior = 0.02;
    // The odds are multiplied by e^ε at most: a posterior that is a little below 2 %·e^ε.
    let most = prior * factor / (prior * factor + 1.0 - prior);

    // The study releases how many have the condition. Everybody else's answer is known to the insurer, and taken off.
    let mut bits = random::bits(setting.seed, "premium", 0);
    let draws = usize::try_from(setting.count("draws"))?;
    let noise = privacy::laplace(&(Rational::from_integer(1.into()) / &epsilon), draws, &mut bits)?;
    let posteriors = noise.iter().map(|noise| {
        let odds = prior / (1.0 - prior) * ratio(noise + 1, float(&epsilon));
        odds / (1.0 + odds)
    });
    let highest = posteriors.fold(0.0, f64::max);

    study.text(format!(
        "The attacker is Alice's insurer. He knows the answers of everybody else in a study and reads off its result whether Alice has a fatal heart condition: without noise, the count less what he knows \
         is her answer, and her premium is set by it. With noise for ε = {EPSILON} on the count (certus, Laplace, scale 100) he is no wiser: in {draws} runs of the study, all with Alice ill, his \
         belief never rose from 2 % to more than {:.4} %.",
        100.0 * highest
    ));
    let mut table =
        Table::new("Alice's premium on $100,000, after a study that she takes part in", &["", "belief", "premium"]);
    table.row(&["before the study", "2 %", "$2,000.00"]);
    table.row(&["her 10 % risk is told", "10 %", "$10,000.00"]);
    table.row(&["her certain death is told", "100 %", "$100,000.00"]);
    table.row(&[
        "with noise, the document's bound 2 %·e^ε",
        &format!("{:.4} %", 100.0 * prior * factor),
        &format!("${:.2}", SUM * prior * factor),
    ]);
    table.row(&[
        "with noise, the most that Bayes' rule allows",
        &format!("{:.4} %", 100.0 * most),
        &format!("${:.2}", SUM * most),
    ]);
    table.row(&[
        &format!("with noise, the most in {draws} runs"),
        &format!("{:.4} %", 100.0 * highest),
        &format!("${:.2}", SUM * highest),
    ]);
    study.table(table);
    study.figure("belief_before", 1.0);
    study.figure("belief_after", highest);
    study.figure("belief_bound", most);
    study.figure("premium_document", SUM * prior * factor);
    study.figure("premium_most", SUM * most);
    study.agrees(
        "000 Example 2.5: with a 0.01-private summary her risk is put at no more than 2 %·e^0.01 ≈ 2.02 %, and her premium at no more than $2020",
        format!(
            "2 %·e^0.01 = {:.4} %, ${:.2}. Not all of that can be reached: e^ε bounds the odds, so the belief is at most {:.4} %, ${:.2}.",
            100.0 * prior * factor,
            SUM * prior * factor,
            100.0 * most,
            SUM * most
        ),
    );
    study.agrees(
        "000 Example 2.5: Alice could lose up to $98,000 by participating",
        "$100,000 − $2,000, if her death were certain and told.",
    );
    study.finding(
        "000 Example 2.5: if Alice prizes what she learns at $20 she makes a profit",
        format!(
            "Just so: her premium rises by at most ${:.2}. By the document's own bound, ${:.2}, she might lose ten cents.",
            SUM * (most - prior),
            SUM * (prior * factor - prior)
        ),
        SUM * (most - prior) < 20.0,
    );
    Ok(())
}
