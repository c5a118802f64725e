//! Randomized response: a survey in which nobody's answer says anything for certain (000 §3).

use certus::bits::Bits as _;

use crate::{Axis, Case, CaseError, Parameter, Plot, Series, Setting, Shape, Study, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "survey",
    title: "A survey that nobody need fear",
    source: "000 §3",
    about: "randomized response: what 10,000 surveys estimate, and what one answer tells",
    parameters: &[Parameter {
        name: "trials",
        about: "how many surveys are simulated",
        default: 10_000.0,
        quick: 10_000.0,
        least: 100.0,
        most: 1e7,
        whole: true,
    }],
    run,
};

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let mut study = Study::new();
    let trials = setting.count("trials");
    let mut bits = random::bits(setting.seed, "survey", 0);
    let mut counts = [0_u32; 101];
    for trial in 0..trials {
        watch.step("surveys", trial, trials);
        let mut yes = 0;
        for person in 0..100 {
            let lie = bits.take(2)? == 0;
            yes += usize::from(lie != (person < 20));
        }
        if let Some(count) = counts.get_mut(yes) {
            *count += 1;
        }
    }
    study.text("To be written.");
    study.plot(Plot {
        title: "10,000 surveys".into(),
        x: Axis::linear("estimate"),
        y: Axis::linear("surveys"),
        series: vec![Series::new(
            "surveys",
            Shape::Bars(
                0.02,
                counts.iter().enumerate().map(|(yes, count)| (yes as f64 / 50.0 - 0.5, f64::from(*count))).collect(),
            ),
        )],
        marks: Vec::new(),
    });
    study.figure("trials", trials as f64);
    Ok(study)
}
