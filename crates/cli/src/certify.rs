//! `certus certify`: the shipped sampler's distribution, enumerated and compared with the closed form.

mod neighbours;

use std::{io::Write, time::Instant};

use num_bigint::BigUint;
use serde_json::json;

use super::{
    Failure, SCHEMA_VERSION,
    arguments::{Certify, Mode, Sampler, Shared},
    data,
    progress::Progress,
    source::{count, mechanism, seed},
};
use certus::{
    exact::{Enclosure, Integer, Rational, Rounding, decimal},
    mechanism::SamplerError,
    sample::{self, fixed},
};
use certus_audit::certify::{self, Enumeration, Noise, Row, SamplerCertificate, SamplerCertifyError};

/// Significant digits of a bound.
const DIGITS: u32 = 10;

/// How many outputs the table shows: the likeliest.
const MOST_SHOWN: usize = 9;

pub(super) fn run(options: &Certify, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let (spec, mechanism) = mechanism(&options.spec)?;
    seed(shared.seed.as_deref())?;
    let (mode, default, most) = match options.mode {
        Mode::Structural => ("structural", 48, certify::FINEST),
        Mode::Flat => ("flat", 20, certify::DEEPEST),
    };
    let depth = match &options.depth {
        None => default,
        Some(text) => u32::try_from(count("--depth", text, 1, most.into())?).unwrap_or(default),
    };
    // Noise with a closed form is compared with it; whatever else, and two inputs that are named, with what
    // is guaranteed.
    let given = data::both(options.input.as_deref(), options.neighbour.as_deref(), &spec)?;
    let inputs = given.as_ref().map(|(input, neighbour)| (&**input, &**neighbour));
    let noise = match Noise::of(&spec) {
        Some(noise) if inputs.is_none() => noise,
        _ => {
            match options.sampler {
                Sampler::Auto | Sampler::Reference => {}
                Sampler::Prepared => return Err(refused(SamplerCertifyError::NotPrepared)),
                Sampler::Fixed => return Err(refused(SamplerError::NoNoise.into())),
            }
            let inputs = inputs.unwrap_or_else(|| mechanism.neighbours());
            return neighbours::run((&spec, &*mechanism), inputs, (options.mode, depth), shared, out);
        }
    };
    let started = Instant::now();
    let (name, sampler) = match options.sampler {
        Sampler::Prepared => ("prepared", sample::Sampler::Prepared),
        Sampler::Fixed => ("fixed", sample::Sampler::Fixed(fixed::Mode::Standard)),
        Sampler::Auto | Sampler::Reference => ("reference", sample::Sampler::Reference),
    };
    let (enumeration, unit) = match options.mode {
        Mode::Structural => (Enumeration::Structural, "paths"),
        Mode::Flat => (Enumeration::Flat, "tapes"),
    };
    let mut progress = Progress::new(None, unit, shared.quiet);
    let found = noise.certify(sampler, enumeration, depth, &mut |position| progress.at(position)).map_err(refused)?;
    let seconds = started.elapsed();
    // The shipped look-up is evaluated at its edges, which has no depth.
    let (mode, depth) = if name != "reference" && mode == "structural" { ("edges", 64) } else { (mode, depth) };
    if shared.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "spec": spec.to_string(),
            "mode": mode,
            "depth": depth,
            "sampler": name,
            "total_variation_upper": upper(found.certificate.total_variation_upper()),
            "unresolved": upper(found.certificate.unresolved()),
            "holds": found.holds(),
            "tapes_agree": found.tapes_agree,
            "bucket_width": found.buckets.map(|(log, _)| (BigUint::from(1u32) << log).to_string()),
            "outputs_hold": found.whole.as_ref().map(|whole| whole.outputs_hold && whole.also_holds),
            "tapes": found.whole.as_ref().map(|whole| whole.tapes),
            "covers": found.whole.as_ref().map(|whole| &whole.covers),
            "not_enumerated": found.whole.as_ref().map(|whole| &whole.leaves_out),
            "seconds": seconds.as_secs_f64(),
            "pmf": found.certificate.rows().iter().map(row_json).collect::<Vec<_>>(),
        });
        writeln!(out, "{document}")?;
    } else {
        writeln!(out, "{spec}: {name} sampler, {mode} mode, depth {depth}\n")?;
        print(&found, out)?;
    }
    out.flush()?;
    Ok(status(&found))
}

/// The exit status: 1 for a certificate that fails.
fn status(found: &SamplerCertificate) -> u8 {
    u8::from(!found.holds())
}

/// The argument that is refused, in the command's words.
fn refused(error: SamplerCertifyError) -> Failure {
    match error {
        SamplerCertifyError::NotPrepared
        | SamplerCertifyError::NotKnown
        | SamplerCertifyError::NoClosedForm
        | SamplerCertifyError::Sampler(_) => Failure::argument("--sampler", error),
        SamplerCertifyError::NoShortTable => {
            Failure::argument("--sampler", "prepared: --mode flat takes a scale or sigma up to 1024")
        }
        SamplerCertifyError::FixedTooDeep { .. } => Failure::argument("--depth", error),
        SamplerCertifyError::NoShortKernel => Failure::argument(
            "SPEC",
            "--mode flat runs the fixed sampler on words of 8 bits, which take a scale or sigma below 64",
        ),
        error => Failure::argument("SPEC", error),
    }
}

fn row_json(row: &Row<Integer>) -> serde_json::Value {
    json!({
        "value": row.value.to_string(),
        "lower": row.enumerated.lower_decimal(),
        "upper": row.enumerated.upper_decimal(),
        "expected_lower": row.expected.lower_decimal(),
        "expected_upper": row.expected.upper_decimal(),
    })
}

fn print(found: &SamplerCertificate, out: &mut dyn Write) -> Result<(), Failure> {
    let certificate = &found.certificate;
    let mut shown: Vec<&Row<Integer>> = certificate.rows().iter().collect();
    shown.sort_by_key(|row| std::cmp::Reverse(row.enumerated.lower()));
    shown.truncate(MOST_SHOWN);
    shown.sort_by(|a, b| a.value.cmp(&b.value));
    let headings = [
        if found.buckets.is_some() { "bucket" } else { "output" },
        "probability by the code",
        "probability on paper",
        "",
    ]
    .map(String::from);
    let cells = shown.iter().map(|row| {
        let differs = !row.enumerated.intersects(&row.expected);
        let verdict = if differs { "DIFFERS" } else { "" };
        [row.value.to_string(), bounds(&row.enumerated), bounds(&row.expected), verdict.into()]
    });
    table(&std::iter::once(headings).chain(cells).collect::<Vec<_>>(), out)?;
    let outputs = certificate.rows().len();
    if outputs > shown.len() {
        writeln!(
            out,
            "{:>8}  (the {} likeliest of {outputs} outputs enumerated; --json prints them all)",
            "…",
            shown.len()
        )?;
    }
    writeln!(out, "\nunresolved mass:            {}", small(certificate.unresolved()))?;
    writeln!(out, "total variation from paper: {}", small(certificate.total_variation_upper()))?;
    if let Some((log, squeezes)) = found.buckets {
        let verdict = if squeezes { "accept only what e^-x accepts" } else { "do NOT accept as e^-x does" };
        writeln!(
            out,
            "buckets:                    of 2^{log} outputs of either sign, each then accepted with its e^-x"
        )?;
        writeln!(out, "squeezes:                   {verdict}")?;
    }
    if let Some(agree) = found.tapes_agree {
        let verdict = if agree { "the same" } else { "NOT the same" };
        writeln!(out, "tapes of each length:       {verdict} as the structural interpreter counts, output by output")?;
    }
    if let Some(whole) = &found.whole {
        let says = |holds: bool| if holds { "as they must be" } else { "NOT as they must be" };
        writeln!(out, "returned values:            {}, on {} crafted tapes", says(whole.outputs_hold), whole.tapes)?;
        let verdict = if whole.also_holds { "holds" } else { "does NOT hold" };
        writeln!(out, "also:                       {}: {verdict}", whole.also)?;
        for (heading, lines) in [("covers", &whole.covers), ("not enumerated", &whole.leaves_out)] {
            writeln!(out, "{heading}:")?;
            for line in lines {
                writeln!(out, "  {line}")?;
            }
        }
    }
    let verdict = match (certificate.holds(), found.tapes_agree) {
        _ if found.whole.as_ref().is_some_and(|whole| !whole.outputs_hold) => {
            "the certificate FAILS: a function does not return what its words say"
        }
        _ if found.whole.as_ref().is_some_and(|whole| !whole.also_holds) => {
            "the certificate FAILS: what is named above does not hold"
        }
        _ if found.buckets.is_some_and(|(_, squeezes)| !squeezes) => {
            "the certificate FAILS: a bucket does not accept as e^-x does"
        }
        (false, _) => "the certificate FAILS: the code's distribution is not the one on paper",
        (true, Some(false)) => "the certificate FAILS: the two modes disagree about the code",
        _ if *certificate.unresolved() > Rational::new(1.into(), 2.into()) => {
            "the certificate holds, but most of the mass is unresolved: it says little at this depth"
        }
        (true, _) => "the certificate holds: every enumerated probability agrees with the one on paper",
    };
    writeln!(out, "{verdict}")?;
    Ok(())
}

/// Rows of cells in columns: the first to the right, the others to the left.
fn table(rows: &[[String; 4]], out: &mut dyn Write) -> Result<(), Failure> {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    for [value, code, paper, verdict] in rows {
        let line = format!("  {value:>first$}  {code:<second$}  {paper:<third$}  {verdict}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Both bounds, rounded outward.
fn bounds(enclosure: &Enclosure) -> String {
    let lower = decimal(&enclosure.lower(), DIGITS, Rounding::Down);
    format!("[{lower}, {}]", decimal(&enclosure.upper(), DIGITS, Rounding::Up))
}

fn upper(bound: &Rational) -> String {
    decimal(bound, DIGITS, Rounding::Up)
}

/// An upper bound as a decimal and as a power of two.
fn small(bound: &Rational) -> String {
    let decimal = decimal(bound, 3, Rounding::Up);
    // n < 2^bits(n) and d ≥ 2^(bits(d) − 1).
    let exponent = bound.denom().bits().saturating_sub(1).saturating_sub(bound.numer().bits());
    if exponent == 0 { format!("at most {decimal}") } else { format!("at most {decimal}, below 2^-{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::{
        exact::parse,
        mechanism::{Private as _, Spec, additive::LaplaceMechanism},
    };
    use certus_audit::certify::{Certificate, Whole};

    /// The code's masses at one scale beside the closed form of another, or of its own.
    fn finding(expected: &str, tapes_agree: Option<bool>) -> SamplerCertificate {
        let spec = |text: &str| text.parse::<Spec>().unwrap();
        let laplace = LaplaceMechanism::try_from(&spec("laplace(scale=1)")).unwrap();
        let Ok(release) = laplace.on(&Integer::ZERO);
        let masses = certify::structural(&release, 48, &mut |_| {}).unwrap();
        let pmf = Noise::of(&spec(expected)).unwrap().pmf(80).unwrap();
        SamplerCertificate::of(Certificate::new(&masses, &*pmf), tapes_agree)
    }

    fn text(finding: &SamplerCertificate) -> String {
        let mut out = Vec::new();
        print(finding, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_certificate_that_fails_is_status_1_and_says_so() {
        for agree in [None, Some(true)] {
            let good = finding("laplace(scale=1)", agree);
            assert_eq!(status(&good), 0);
            assert!(text(&good).contains("the certificate holds"));
        }
        let biased = finding("laplace(scale=1.000001)", None);
        assert_eq!(status(&biased), 1);
        assert!(text(&biased).contains("FAILS") && text(&biased).contains("DIFFERS"));
        let disagreeing = finding("laplace(scale=1)", Some(false));
        assert_eq!(status(&disagreeing), 1);
        assert!(text(&disagreeing).contains("FAILS"));
        let squeezed = SamplerCertificate { buckets: Some((4, false)), ..finding("laplace(scale=1)", None) };
        assert_eq!(status(&squeezed), 1);
        for (outputs, also, status) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
            let (covers, leaves_out) = (vec!["signs"], vec!["offsets"]);
            let (outputs_hold, also_holds, also) = (outputs, also, "short words");
            let whole = Some(Whole { outputs_hold, tapes: 7, also_holds, also, covers, leaves_out });
            let found = SamplerCertificate { whole, ..finding("laplace(scale=1)", None) };
            let text = text(&found);
            assert_eq!(super::status(&found), status);
            assert_eq!(text.contains("FAILS"), status == 1, "{text}");
            assert!(text.contains("7 crafted tapes") && text.contains("not enumerated:\n  offsets\n"), "{text}");
        }
    }

    #[test]
    fn printed_bounds_are_upper_bounds() {
        for bound in [Rational::new(1.into(), 3.into()), Rational::new(2.into(), 3_000_000_000_001i64.into())] {
            assert!(parse(&upper(&bound)).unwrap() >= bound);
            let decimal = small(&bound).replace("at most ", "");
            assert!(parse(decimal.split(',').next().unwrap()).unwrap() >= bound);
        }
    }
}
