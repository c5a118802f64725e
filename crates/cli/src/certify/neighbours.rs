//! The certificate of a guarantee: the shipped code enumerated on two neighbouring inputs, and δ(ε) between
//! them beside what is stated.

use std::{cmp::Reverse, io::Write, time::Instant};

use serde_json::json;

use super::{DIGITS, MOST_SHOWN, bounds, small, table, upper};
use crate::{
    Failure, SCHEMA_VERSION,
    arguments::{Mode, Shared},
    progress::Progress,
};
use certus::{
    exact::{Enclosure, Rational, Rounding, decimal},
    guarantee::Relation,
    mechanism::{AnyMechanism, Outcome, Spec},
};
use certus_audit::certify::{self, Certificate, CertifyError, Claimant, Enumerable, EnumerateError, Masses, Point};

/// What was found of one input.
struct Side {
    masses: Masses<Outcome>,
    /// Beside the closed form, where there is one.
    certificate: Option<Certificate<Outcome>>,
    /// Flat mode: whether the structural interpreter counts the same tapes.
    tapes_agree: Option<bool>,
}

/// What was found of two neighbouring inputs.
struct Finding {
    sides: [Side; 2],
    points: Vec<Point>,
}

impl Finding {
    fn holds(&self) -> bool {
        let side = |side: &Side| {
            side.certificate.as_ref().is_none_or(Certificate::holds)
                && side.tapes_agree != Some(false)
                && !side.masses.lower().is_empty()
        };
        self.sides.iter().all(side) && self.points.iter().all(Point::holds)
    }

    /// The larger of the two sides' unresolved masses.
    fn unresolved(&self) -> Rational {
        let [first, second] = self.sides.each_ref().map(|side| side.masses.unresolved_share());
        first.max(second)
    }

    /// The larger of the two sides' distances from the closed form.
    fn total_variation(&self) -> Option<Rational> {
        let [first, second] = self.sides.each_ref().map(|side| side.certificate.as_ref());
        Some(first?.total_variation_upper().max(second?.total_variation_upper()).clone())
    }

    fn tapes_agree(&self) -> Option<bool> {
        let [first, second] = self.sides.each_ref().map(|side| side.tapes_agree);
        Some(first? && second?)
    }
}

pub(super) fn run(
    (spec, mechanism): (&Spec, &dyn AnyMechanism),
    (first, second): (&str, &str),
    (mode, depth): (Mode, u32),
    shared: &Shared,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let started = Instant::now();
    let enumerable = certify::enumerable(spec).map_err(|error| Failure::argument("SPEC", error))?;
    let side = |side| find((mechanism, &*enumerable), side, mode, depth, shared.quiet);
    let sides = [side(("--input", first))?, side(("--neighbour", second))?];
    let [a, b] = sides.each_ref().map(|side| &side.masses);
    let points = certify::neighbours(a, b, mechanism.privacy().as_ref(), &mechanism.domination());
    let points = points.ok_or_else(|| {
        Failure::argument("SPEC", "must state an epsilon of which e^-epsilon can be told from 0 at this depth")
    })?;
    let finding = Finding { sides, points };
    let mode = if mode == Mode::Flat { "flat" } else { "structural" };
    if shared.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "spec": spec.to_string(),
            "mode": mode,
            "depth": depth,
            "sampler": "reference",
            "total_variation_upper": finding.total_variation().as_ref().map(upper),
            "unresolved": upper(&finding.unresolved()),
            "holds": finding.holds(),
            "tapes_agree": finding.tapes_agree(),
            "bucket_width": null,
            "inputs": [first, second],
            "relation": mechanism.relation().map(Relation::key),
            "privacy": finding.points.iter().map(point_json).collect::<Vec<_>>(),
            "seconds": started.elapsed().as_secs_f64(),
            "pmf": rows(&finding.sides[0]),
            "neighbour_pmf": rows(&finding.sides[1]),
        });
        writeln!(out, "{document}")?;
    } else {
        writeln!(out, "{spec}: reference sampler, {mode} mode, depth {depth}\n")?;
        writeln!(out, "first input:  {}\nsecond input: {}\n", shown(first), shown(second))?;
        print(&finding, out)?;
    }
    out.flush()?;
    Ok(u8::from(!finding.holds()))
}

fn find(
    (mechanism, enumerable): (&dyn AnyMechanism, &dyn Enumerable),
    (argument, input): (&str, &str),
    mode: Mode,
    depth: u32,
    quiet: bool,
) -> Result<Side, Failure> {
    let refused = |error: EnumerateError| match error {
        EnumerateError::Input(error) => Failure::argument(argument, error),
        EnumerateError::Certify(CertifyError::TooManyOutputs | CertifyError::TooLong | CertifyError::TooDeep) => {
            Failure::argument(
                "SPEC",
                "too many outputs to enumerate at this depth: must have less noise, fewer coordinates, candidates or \
             records, or a smaller --depth",
            )
        }
        error => Failure::argument("SPEC", error),
    };
    let mut progress = Progress::new(None, if mode == Mode::Flat { "tapes" } else { "paths" }, quiet);
    let mut at = |position| progress.at(position);
    let (masses, tapes_agree) = match mode {
        Mode::Structural => (enumerable.structural(input, depth, &mut at).map_err(refused)?, None),
        Mode::Flat => {
            let flat = enumerable.flat(input, depth, &mut at).map_err(refused)?;
            let structural = enumerable.tape_counts(input, depth, &mut at).map_err(refused)?;
            (flat.masses(), Some(flat == structural))
        }
    };
    // The closed form is known well beyond what the enumeration resolves.
    let pmf = mechanism.closed_form(input, depth.max(48) + 32);
    Ok(Side { certificate: pmf.map(|pmf| Certificate::new(&masses, &*pmf)), masses, tapes_agree })
}

fn rows(side: &Side) -> Vec<serde_json::Value> {
    let expected = |place: usize| side.certificate.as_ref()?.rows().get(place).map(|row| &row.expected);
    let enumerated = side.masses.enclosures();
    let rows = enumerated.iter().enumerate().map(|(place, (value, probability))| {
        json!({
            "value": value.to_string(),
            "lower": probability.lower_decimal(),
            "upper": probability.upper_decimal(),
            "expected_lower": expected(place).map(Enclosure::lower_decimal),
            "expected_upper": expected(place).map(Enclosure::upper_decimal),
        })
    });
    rows.collect()
}

fn point_json(point: &Point) -> serde_json::Value {
    let bounds = |delta: &Enclosure| json!({ "lower": delta.lower_decimal(), "upper": delta.upper_decimal() });
    json!({
        "claim": claim(point),
        "epsilon_upper": upper(point.epsilon.get()),
        "delta_claimed_upper": upper(&point.claimed),
        "forward": bounds(&point.forward),
        "backward": bounds(&point.backward),
        "holds": point.holds(),
    })
}

fn claim(point: &Point) -> &'static str {
    match point.claim {
        Claimant::Stated => "stated",
        Claimant::Account => "account",
    }
}

/// An input as a line shows it.
fn shown(input: &str) -> String {
    match input.char_indices().nth(60) {
        _ if input.is_empty() => "(none)".into(),
        None => input.into(),
        Some((end, _)) => format!("{}… ({} characters)", input.get(..end).unwrap_or_default(), input.chars().count()),
    }
}

fn print(finding: &Finding, out: &mut dyn Write) -> Result<(), Failure> {
    print_outputs(finding, out)?;
    writeln!(out, "\nunresolved mass:            {}", small(&finding.unresolved()))?;
    if let Some(distance) = finding.total_variation() {
        writeln!(out, "total variation from paper: {}", small(&distance))?;
    }
    if let Some(agree) = finding.tapes_agree() {
        let verdict = if agree { "the same" } else { "NOT the same" };
        writeln!(out, "tapes of each length:       {verdict} as the structural interpreter counts, output by output")?;
    }
    writeln!(out)?;
    print_points(&finding.points, out)?;
    writeln!(out, "\n{}", verdict(finding))?;
    Ok(())
}

fn print_outputs(finding: &Finding, out: &mut dyn Write) -> Result<(), Failure> {
    let [first, second] = finding.sides.each_ref().map(|side| side.masses.enclosures());
    let differs = |side: &Side, value: &Outcome| {
        let rows = side.certificate.as_ref().map_or(&[][..], Certificate::rows);
        let row = rows.binary_search_by(|row| row.value.cmp(value)).ok().and_then(|place| rows.get(place));
        row.is_some_and(|row| !row.enumerated.intersects(&row.expected))
    };
    let mut likeliest: Vec<(&Outcome, Rational)> = first.iter().chain(&second).map(|(v, p)| (v, p.lower())).collect();
    likeliest.sort_by(|a, b| (Reverse(&a.1), a.0).cmp(&(Reverse(&b.1), b.0)));
    let mut outputs: Vec<&Outcome> = Vec::new();
    for (output, _) in likeliest {
        if outputs.len() < MOST_SHOWN && !outputs.contains(&output) {
            outputs.push(output);
        }
    }
    outputs.sort();
    let of = |side: &std::collections::BTreeMap<Outcome, Enclosure>, output: &Outcome| {
        side.get(output).map_or_else(|| "0, but for the unresolved".into(), bounds)
    };
    let headings = ["output", "probability on the first", "probability on the second", ""].map(String::from);
    let cells = outputs.iter().map(|output| {
        let differs = finding.sides.iter().any(|side| differs(side, output));
        let value = if output.to_string().is_empty() { "(none)".into() } else { output.to_string() };
        [value, of(&first, output), of(&second, output), if differs { "DIFFERS from paper".into() } else { "".into() }]
    });
    table(&std::iter::once(headings).chain(cells).collect::<Vec<_>>(), out)?;
    let all = first.len().max(second.len());
    if all > outputs.len() {
        writeln!(
            out,
            "{:>8}  (the {} likeliest of {all} outputs enumerated; --json prints them all)",
            "…",
            outputs.len()
        )?;
    }
    Ok(())
}

fn print_points(points: &[Point], out: &mut dyn Write) -> Result<(), Failure> {
    let headings = ["epsilon", "delta, first to second", "delta, second to first", "at most"].map(String::from);
    let cells = points.iter().map(|point| {
        let epsilon = point.epsilon.get();
        let epsilon =
            if epsilon.denom().bits() > 32 { decimal(epsilon, DIGITS, Rounding::Up) } else { epsilon.to_string() };
        let verdict = if point.holds() { "" } else { " EXCEEDED" };
        let most = decimal(&point.claimed, DIGITS, Rounding::Up);
        let most = if point.claimed == Rational::from_integer(0.into()) { "0".into() } else { most };
        [epsilon, bounds(&point.forward), bounds(&point.backward), format!("{most} ({}){verdict}", claim(point))]
    });
    table(&std::iter::once(headings).chain(cells).collect::<Vec<_>>(), out)
}

fn verdict(finding: &Finding) -> &'static str {
    if !finding.points.iter().all(Point::holds) {
        "the certificate FAILS: the code is less private on these two inputs than is stated of neighbours"
    } else if finding.tapes_agree() == Some(false) {
        "the certificate FAILS: the two modes disagree about the code"
    } else if !finding.holds() {
        "the certificate FAILS: the code's distribution is not the one on paper"
    } else if finding.unresolved() > Rational::new(1.into(), 2.into()) {
        "the certificate holds, but most of the mass is unresolved: it says little at this depth"
    } else {
        "the certificate holds: on these two inputs the code is as private as is stated"
    }
}
