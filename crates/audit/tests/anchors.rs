//! The auditor beside what others published (Bichsel et al., "DP-Sniper", 2021; Ding et al., "StatDP", 2018):
//! each mechanism alone, at 95 %, at the same claim.
//!
//! `cargo test --release -p certus-audit --test anchors -- --ignored --nocapture`; `ONLY=svt4` runs one. A
//! tenth of the published time on two cores is the bar, or a tenth of the
//! published 200 million samples.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Instant;

use certus::exact::parse;
use certus_audit::{
    Audit, Claim,
    outputs::{Recording, Tally},
    zoo::{Draw, Line, Random, Side, zoo},
};

struct Anchor {
    name: &'static str,
    claim: &'static str,
    /// The mechanism at another ε than the zoo's.
    at: Option<f64>,
    /// A side.
    samples: u64,
    /// The best bound published, and its seconds.
    published: f64,
    seconds: Option<f64>,
}

const fn anchor(name: &'static str, at: Option<f64>, samples: u64, published: f64, seconds: Option<f64>) -> Anchor {
    Anchor { name, claim: "0.1", at, samples, published, seconds }
}

/// Claims of 0.1 unless stated.
const ANCHORS: [Anchor; 15] = [
    anchor("partial_sum_correct", None, 4_000_000, 0.0968, Some(21.0)),
    anchor("noisy_max_value_laplace", Some(0.1), 40_000_000, 0.249, Some(450.0)),
    anchor("noisy_max_value_exponential", Some(0.1), 8_000_000, 0.353, Some(450.0)),
    anchor("noisy_histogram_wrong_scale", Some(0.1), 30_000_000, 10.0, Some(1223.0)),
    anchor("svt3_outputs_value", Some(0.1), 20_000_000, 0.182, Some(880.0)),
    anchor("svt4_noise_not_scaled", Some(0.1), 150_000_000, 0.172, Some(1002.0)),
    anchor("svt5_no_query_noise", Some(0.1), 400_000_000, 14.3, Some(725.0)),
    anchor("svt6_unbounded_passes", Some(0.1), 50_000_000, 0.322, Some(1378.0)),
    anchor("rappor_half_the_bits", None, 8_000_000, 0.301, None),
    anchor("rappor_one_time_half_the_bits", None, 8_000_000, 0.600, None),
    anchor("truncated_geometric_natural_log", None, 8_000_000, 0.1169, None),
    anchor("prefix_sum_all_move", None, 2_000_000, 0.577, Some(984.0)),
    Anchor { claim: "0.005", ..anchor("parallel_laplace_not_composed", Some(0.005), 10_000_000, 0.035, Some(104.0)) },
    anchor("parallel_svt3_and_svt4", Some(0.1), 80_000_000, 0.262, Some(1117.0)),
    anchor("float_laplace", None, 100_000, 0.252, Some(2125.0)),
];

fn record(make: &dyn Fn() -> Draw, side: Side, samples: u64, seed: u8) -> Tally {
    let (mut draw, mut random, mut line) = (make(), Random::new([seed; 32]), Line::default());
    let mut recording = Recording::new();
    for _ in 0..samples {
        line.clear();
        draw(side, &mut random, &mut line).unwrap();
        recording.line(line.text().as_bytes()).unwrap();
    }
    recording.finish(if side == Side::A { "a" } else { "b" })
}

#[test]
#[ignore = "minutes in release mode: `.ci/run --full` runs it"]
fn bounds_of_others_are_reached_in_a_tenth() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let seed: u8 = std::env::var("SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut short = vec![];
    println!("{:<32} published   here    ratio  samples a side  seconds (a tenth)  event", "mechanism");
    for anchor in ANCHORS.iter().filter(|anchor| anchor.name.contains(&only)) {
        let specimen = *zoo().iter().find(|specimen| specimen.name == anchor.name).unwrap();
        let make = || match (anchor.at, specimen.at) {
            (Some(epsilon), Some(at)) => at(epsilon),
            _ => (specimen.make)(),
        };
        let start = Instant::now();
        let (a, b) = std::thread::scope(|scope| {
            let other = scope.spawn(|| record(&make, Side::B, anchor.samples, 2 * seed + 1));
            (record(&make, Side::A, anchor.samples, 2 * seed), other.join().unwrap())
        });
        let drawn = start.elapsed().as_secs_f64();
        let claim = Claim::new(parse(anchor.claim).unwrap(), parse("0").unwrap()).unwrap();
        let report =
            Audit::new(claim, 0.95).unwrap().seed([0xa0 | seed; 32]).scales(specimen.scales).run(&a, &b).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let ratio = report.epsilon_lower / anchor.published;
        let in_time = anchor.seconds.is_some_and(|published| seconds <= published / 10.0);
        let few = 2 * anchor.samples <= 20_000_000;
        if ratio < 0.97 || !(in_time || few) {
            short.push(anchor.name);
        }
        let tenth = anchor.seconds.map_or("-".to_owned(), |seconds| format!("{:.1}", seconds / 10.0));
        let mut event = report
            .findings
            .iter()
            .map(|finding| format!("{} {:?}; ", finding.event, (finding.pair.x, finding.pair.y)))
            .collect::<String>();
        event = event.chars().take(300).collect();
        println!(
            "{:<32} {:>8} {:>9.4} {:>7.3} {:>12} {:>9.1} ({:.1} drawing; {tenth}) {event}",
            anchor.name, anchor.published, report.epsilon_lower, ratio, anchor.samples, seconds, drawn
        );
    }
    assert!(short.is_empty(), "{short:?}");
}
