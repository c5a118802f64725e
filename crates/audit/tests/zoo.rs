//! The zoo under the auditor: broken mechanisms are refuted, and no correct twin is.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use certus::exact::parse;
use certus_audit::{
    Audit, Claim, Report, Verdict,
    outputs::{Recording, Tally},
    zoo::{Line, Random, Side, Specimen, zoo},
};

fn record(specimen: &Specimen, side: Side, samples: u64, seed: u8) -> Tally {
    let (mut draw, mut random, mut line) = ((specimen.make)(), Random::new([seed; 32]), Line::default());
    let mut recording = Recording::new();
    for _ in 0..samples {
        line.clear();
        draw(side, &mut random, &mut line).unwrap();
        recording.line(line.text().as_bytes()).unwrap();
    }
    recording.finish(if side == Side::A { "a" } else { "b" })
}

/// The confidence is that of a family of a hundred at 99.9 %.
fn audit(specimen: &Specimen, samples: u64) -> Report {
    let (a, b) = (record(specimen, Side::A, samples, 1), record(specimen, Side::B, samples, 2));
    let claim = Claim::new(parse(specimen.epsilon).unwrap(), parse(specimen.delta).unwrap()).unwrap();
    Audit::new(claim, 0.99999).unwrap().seed([3; 32]).scales(specimen.scales).run(&a, &b).unwrap()
}

/// With 3,000 samples a side, seeds fixed: no twin is refuted, and the gross ones are.
#[test]
fn a_glance_tells_the_gross_ones() {
    let mut refuted = vec![];
    for specimen in zoo() {
        let report = audit(specimen, 3_000);
        if report.verdict == Verdict::Violation {
            assert!(specimen.broken, "{} is correct, and was refuted by {:?}", specimen.name, report.findings);
            refuted.push(specimen.name);
        }
    }
    assert!(refuted.len() >= 20, "{}: {refuted:?}", refuted.len());
    for gross in ["float_laplace", "length_leak", "nan_injected", "noise_reused", "seed_reused", "svt5_no_query_noise"]
    {
        assert!(refuted.contains(&gross), "{gross} was not refuted");
    }
}

/// Each at its own number of samples: about half a minute of CPU in release mode. `cargo test --release -p
/// certus-audit --test zoo -- --ignored --nocapture`
#[test]
#[ignore = "half a minute in release mode"]
fn each_is_told_from_its_twin() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = vec![];
    for specimen in zoo().into_iter().filter(|specimen| specimen.name.contains(&only)) {
        let report = audit(specimen, specimen.samples);
        if (report.verdict == Verdict::Violation) != specimen.broken {
            wrong.push(specimen.name);
        }
        let event = report.findings.first().map(|finding| finding.event.to_string()).unwrap_or_default();
        println!(
            "{:<36} claim {:>8} {:?}: delta >= {:.6}, epsilon >= {:.4}: {event}",
            specimen.name, specimen.epsilon, report.verdict, report.delta_lower, report.epsilon_lower
        );
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
