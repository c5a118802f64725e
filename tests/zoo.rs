//! The zoo under the auditor: every broken mechanism is refuted, and no correct twin is.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Instant;

use certus::{
    audit::{
        Audit, Claim, Verdict,
        outputs::Recording,
        zoo::{Line, Random, Side, Specimen, zoo},
    },
    exact::parse,
};

fn record(specimen: &Specimen, side: Side, seed: u8) -> certus::audit::outputs::Tally {
    let (mut draw, mut random, mut line) = ((specimen.make)(), Random::new([seed; 32]), Line::default());
    let mut recording = Recording::new();
    for _ in 0..specimen.samples {
        line.clear();
        draw(side, &mut random, &mut line).unwrap();
        recording.line(line.text().as_bytes()).unwrap();
    }
    recording.finish(if side == Side::A { "a" } else { "b" })
}

#[test]
fn each_is_told_from_its_twin() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = 0;
    for specimen in zoo().into_iter().filter(|specimen| specimen.name.contains(&only)) {
        let started = Instant::now();
        let (a, b) = (record(specimen, Side::A, 1), record(specimen, Side::B, 2));
        let drawn = started.elapsed();
        let claim = Claim::new(parse(specimen.epsilon).unwrap(), parse(specimen.delta).unwrap()).unwrap();
        let report = Audit::new(claim, 0.99999).unwrap().scales(specimen.scales).run(&a, &b).unwrap();
        let violation = report.verdict == Verdict::Violation;
        let mark = if violation == specimen.broken { "" } else { "WRONG" };
        wrong += usize::from(violation != specimen.broken);
        println!(
            "{mark:<6}{:<36} {:>8} {:>12?} delta {:.6} epsilon {:.4} draw {:.2?} all {:.2?} {}",
            specimen.name,
            specimen.epsilon,
            report.verdict,
            report.delta_lower,
            report.epsilon_lower,
            drawn,
            started.elapsed(),
            report.findings.first().map(|finding| finding.event.to_string()).unwrap_or_default()
        );
    }
    assert_eq!(wrong, 0);
}
