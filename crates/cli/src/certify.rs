//! `certus certify`: the shipped sampler's distribution, enumerated and compared with the closed form.

mod neighbours;

use std::{convert::Infallible, io::Write, time::Instant};

use num_bigint::BigUint;
use serde_json::json;

use super::{
    Failure, SCHEMA_VERSION,
    arguments::{Certify, Mode, Sampler, Shared},
    progress::Progress,
    source::{count, mechanism, seed},
};
use certus::{
    exact::{Enclosure, GaussianPmf, Integer, LaplacePmf, Pmf, Rational, Rounding, decimal},
    mechanism::{
        Private, RandomizedResponse, SamplerError, Spec,
        additive::{GaussianMechanism, LaplaceMechanism},
    },
    sample::{
        PreparedGaussian, PreparedLaplace, Program,
        fixed::{self, FixedGaussian, FixedLaplace},
        hooks::fixed::Kernel,
    },
};
use certus_audit::certify::{self, Certificate, CertifyError, Masses, Row};

/// A mechanism whose samplers are certified by themselves, beside the closed form.
enum Noise {
    Laplace(LaplaceMechanism),
    Gaussian(GaussianMechanism),
    Response(RandomizedResponse),
}

impl Noise {
    fn of(spec: &Spec) -> Option<Self> {
        let laplace = LaplaceMechanism::try_from(spec).map(Self::Laplace);
        let gaussian = |_| GaussianMechanism::try_from(spec).map(Self::Gaussian);
        laplace.or_else(gaussian).or_else(|_| RandomizedResponse::try_from(spec).map(Self::Response)).ok()
    }

    /// Whether few enough outputs matter for all of them to be enumerated: a scale, σ or number of answers of
    /// at most `widest`.
    fn is_enumerable(&self, widest: u32) -> bool {
        let bound = BigUint::from(widest);
        match self {
            Self::Laplace(laplace) => *laplace.scale().numerator() <= bound * laplace.scale().denominator(),
            Self::Gaussian(gaussian) => {
                *gaussian.variance().numerator() <= bound.pow(2) * gaussian.variance().denominator()
            }
            Self::Response(response) => response.answers() <= widest.into(),
        }
    }

    /// The closed form of the noise, or of the response to 0; nothing if that would take too long to write
    /// down.
    fn pmf(&self, precision: u32) -> Option<Box<dyn Pmf<Integer>>> {
        Some(match self {
            Self::Laplace(laplace) => Box::new(LaplacePmf::new(laplace.scale(), precision)),
            Self::Gaussian(gaussian) => Box::new(GaussianPmf::new(gaussian.variance(), precision)?),
            Self::Response(response) => Box::new(response.pmf(&Integer::ZERO, precision)?),
        })
    }
}

/// Significant digits of a bound.
const DIGITS: u32 = 10;

/// How many outputs the table shows: the likeliest.
const MOST_SHOWN: usize = 9;

/// Why there is nothing prepared to certify.
const NOT_PREPARED: &str = "prepared: must be laplace or gaussian, of a scale or sigma below 2^63";

/// What was found.
struct Finding {
    certificate: Certificate<Integer>,
    /// Flat mode: whether the structural interpreter counts the same tapes of every length, for every output.
    tapes_agree: Option<bool>,
    sampler: &'static str,
    /// A wide prepared sampler: log₂ of the outputs of each bucket, and whether each accepts as it may.
    buckets: Option<(u32, bool)>,
    /// A prepared or fixed-work sampler at the width that ships: from words to the returned value.
    whole: Option<Whole>,
}

/// What was found of a sampler from its words to the value that it returns.
struct Whole {
    /// Whether the public functions return what plain arithmetic says, and on how many tapes.
    outputs: (bool, u64),
    /// Whether what else was evaluated is as it must be, and what that is.
    also: (bool, &'static str),
    covers: Vec<&'static str>,
    leaves_out: Vec<&'static str>,
}

impl Finding {
    /// A certificate of outputs.
    fn of(sampler: &'static str, certificate: Certificate<Integer>, tapes_agree: Option<bool>) -> Self {
        Self { certificate, tapes_agree, sampler, buckets: None, whole: None }
    }

    /// The exit status: 1 for a certificate that fails.
    fn status(&self) -> u8 {
        u8::from(!self.holds())
    }

    fn holds(&self) -> bool {
        self.certificate.holds()
            && self.tapes_agree != Some(false)
            && self.buckets.is_none_or(|(_, squeezes)| squeezes)
            && self.whole.as_ref().is_none_or(|whole| whole.outputs.0 && whole.also.0)
    }
}

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
    let inputs = options.input.as_deref().zip(options.neighbour.as_deref());
    let noise = match Noise::of(&spec) {
        Some(noise) if inputs.is_none() => noise,
        _ => {
            match options.sampler {
                Sampler::Auto | Sampler::Reference => {}
                Sampler::Prepared => return Err(Failure::argument("--sampler", NOT_PREPARED)),
                Sampler::Fixed => return Err(Failure::argument("--sampler", SamplerError::NoNoise)),
            }
            let inputs = inputs.unwrap_or_else(|| mechanism.neighbours());
            return neighbours::run((&spec, &*mechanism), inputs, (options.mode, depth), shared, out);
        }
    };
    let started = Instant::now();
    let finding = match options.sampler {
        Sampler::Prepared => find_prepared(&noise, options.mode, depth, shared.quiet)?,
        Sampler::Fixed => find_fixed(&noise, options.mode, depth, shared.quiet)?,
        Sampler::Auto | Sampler::Reference => find(&noise, options.mode, depth, shared.quiet)?,
    };
    let seconds = started.elapsed();
    let holds = finding.holds();
    let (sampler, certificate) = (finding.sampler, &finding.certificate);
    // The shipped look-up is evaluated at its edges, which has no depth.
    let (mode, depth) = if sampler != "reference" && mode == "structural" { ("edges", 64) } else { (mode, depth) };
    if shared.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "spec": spec.to_string(),
            "mode": mode,
            "depth": depth,
            "sampler": sampler,
            "total_variation_upper": upper(certificate.total_variation_upper()),
            "unresolved": upper(certificate.unresolved()),
            "holds": holds,
            "tapes_agree": finding.tapes_agree,
            "bucket_width": finding.buckets.map(|(log, _)| (BigUint::from(1u32) << log).to_string()),
            "outputs_hold": finding.whole.as_ref().map(|whole| whole.outputs.0 && whole.also.0),
            "tapes": finding.whole.as_ref().map(|whole| whole.outputs.1),
            "covers": finding.whole.as_ref().map(|whole| &whole.covers),
            "not_enumerated": finding.whole.as_ref().map(|whole| &whole.leaves_out),
            "seconds": seconds.as_secs_f64(),
            "pmf": certificate.rows().iter().map(row_json).collect::<Vec<_>>(),
        });
        writeln!(out, "{document}")?;
    } else {
        writeln!(out, "{spec}: {sampler} sampler, {mode} mode, depth {depth}\n")?;
        print(&finding, out)?;
    }
    out.flush()?;
    Ok(finding.status())
}

fn find(noise: &Noise, mode: Mode, depth: u32, quiet: bool) -> Result<Finding, Failure> {
    // About 20 s of work at the widest: it grows with the number of outputs and with their bits.
    let widest = 96_000 / depth.max(48);
    let too_wide = || {
        let what = format!("must be a scale, sigma or number of answers up to {widest} to be enumerated at this depth");
        Failure::argument("SPEC", what)
    };
    let refused = |error: CertifyError| match error {
        CertifyError::TooManyOutputs => too_wide(),
        error => Failure::argument("SPEC", error),
    };
    if !noise.is_enumerable(widest) {
        return Err(too_wide());
    }
    // The closed form is known well beyond what the enumeration resolves.
    let pmf = noise.pmf(depth.max(48) + 32).ok_or_else(too_wide)?;
    let mut progress = Progress::new(None, if mode == Mode::Flat { "tapes" } else { "paths" }, quiet);
    let mut at = |position| progress.at(position);
    let enumerated = match noise {
        Noise::Laplace(laplace) => enumerate(laplace, mode, depth, &mut at),
        Noise::Gaussian(gaussian) => enumerate(gaussian, mode, depth, &mut at),
        Noise::Response(response) => enumerate(response, mode, depth, &mut at),
    };
    let (masses, tapes_agree) = enumerated.map_err(refused)?;
    Ok(Finding::of("reference", Certificate::new(&masses, &*pmf), tapes_agree))
}

/// The masses on the input 0; and, flat, whether the structural interpreter counts the same tapes.
fn enumerate<M>(
    mechanism: &M,
    mode: Mode,
    depth: u32,
    at: &mut certify::Progress<'_>,
) -> Result<(Masses<Integer>, Option<bool>), CertifyError>
where
    M: Private<Input = Integer, Release: Program<Output = Integer>, Error = Infallible>,
{
    let Ok(release) = mechanism.on(&Integer::ZERO);
    Ok(match mode {
        Mode::Structural => (certify::structural(&release, depth, at)?, None),
        Mode::Flat => {
            let flat = certify::flat(&release, depth, at)?;
            let structural = certify::tape_counts(&release, depth, at)?;
            (flat.masses(), Some(flat == structural))
        }
    })
}

/// A prepared sampler at the width that ships, by its edges; or, flat, its table at words of 8 bits.
fn find_prepared(noise: &Noise, mode: Mode, depth: u32, quiet: bool) -> Result<Finding, Failure> {
    /// Either.
    enum Prepared {
        Laplace(PreparedLaplace),
        Gaussian(PreparedGaussian),
    }
    let prepared = match noise {
        Noise::Laplace(laplace) => Some(PreparedLaplace::new(laplace.scale()))
            .filter(|noise| noise.construction() != "reference")
            .map(Prepared::Laplace),
        Noise::Gaussian(gaussian) => Some(PreparedGaussian::with_variance(gaussian.variance()))
            .filter(|noise| noise.construction() != "reference")
            .map(Prepared::Gaussian),
        Noise::Response(_) => None,
    };
    let prepared = prepared.ok_or_else(|| Failure::argument("--sampler", NOT_PREPARED))?;
    let none = |what: &str| Failure::argument("--sampler", format_args!("prepared: {what}"));
    match mode {
        Mode::Structural => {
            let found = match &prepared {
                Prepared::Laplace(noise) => certify::prepared_laplace(noise),
                Prepared::Gaussian(noise) => certify::prepared_gaussian(noise),
            };
            let found = found.ok_or_else(|| none("the closed form is out of reach"))?;
            let buckets = found.bucket.map(|log| (log, found.squeezes_hold && found.acceptance_holds));
            let whole = Whole {
                outputs: (found.outputs_hold, found.outputs),
                also: (found.short_words_hold, "the same code on machine words of a few bits, on every tape"),
                covers: found.covers,
                leaves_out: found.leaves_out,
            };
            Ok(Finding { buckets, whole: Some(whole), ..Finding::of("prepared", found.certificate, None) })
        }
        Mode::Flat => {
            let mut progress = Progress::new(None, "tapes", quiet);
            let mut at = |position| progress.at(position);
            let found = match &prepared {
                Prepared::Laplace(noise) => certify::prepared_laplace_flat(noise, depth, &mut at),
                Prepared::Gaussian(noise) => certify::prepared_gaussian_flat(noise, depth, &mut at),
            };
            let found = found.map_err(|error| Failure::argument("SPEC", error))?;
            let certificate = found.ok_or_else(|| none("--mode flat takes a scale or sigma up to 1024"))?;
            Ok(Finding::of("prepared", certificate, None))
        }
    }
}

/// A fixed-work sampler: at the width that ships, by the ends of the runs of words that settle an outcome;
/// or, flat, its kernel at words of 8 bits, on every tape.
fn find_fixed(noise: &Noise, mode: Mode, depth: u32, quiet: bool) -> Result<Finding, Failure> {
    let refused = |error: CertifyError| Failure::argument("SPEC", error);
    let too_wide = || Failure::argument("SPEC", "too wide to enumerate: certify takes a scale or sigma up to 10000");
    if !noise.is_enumerable(10_000) {
        return Err(too_wide());
    }
    let work = fixed::Mode::Standard;
    if mode == Mode::Structural && depth > work.bits() {
        return Err(Failure::argument(
            "--depth",
            "must be at most 53 for the fixed sampler: the rest is its ambiguous event",
        ));
    }
    let no_sampler = |error: SamplerError| Failure::argument("--sampler", error);
    let pmf = noise.pmf(128).ok_or_else(too_wide)?;
    let mut progress = Progress::new(None, "tapes", quiet);
    let mut at = |position| progress.at(position);
    if mode == Mode::Structural {
        let (masses, outputs) = match noise {
            Noise::Laplace(laplace) => {
                let noise = FixedLaplace::new(laplace.scale(), work).map_err(|error| no_sampler(error.into()))?;
                (certify::fixed_laplace(&noise), certify::fixed_laplace_outputs(&noise))
            }
            Noise::Gaussian(gaussian) => {
                let noise = FixedGaussian::with_variance(gaussian.variance(), work);
                let noise = noise.map_err(|error| no_sampler(error.into()))?;
                (certify::fixed_gaussian(&noise), certify::fixed_gaussian_outputs(&noise))
            }
            Noise::Response(_) => return Err(no_sampler(SamplerError::NoNoise)),
        };
        let masses = masses.map_err(refused)?;
        let whole = Whole {
            outputs: (outputs.outputs_hold, outputs.outputs),
            also: (outputs.error_holds, "the stated error of the acceptance, summed up again"),
            covers: certify::FIXED_COVERS.to_vec(),
            leaves_out: certify::FIXED_LEAVES_OUT.to_vec(),
        };
        return Ok(Finding { whole: Some(whole), ..Finding::of("fixed", Certificate::new(&masses, &*pmf), None) });
    }
    let kernel = match noise {
        Noise::Laplace(laplace) => Kernel::<u8>::laplace(laplace.scale()),
        Noise::Gaussian(gaussian) => Kernel::<u8>::gaussian(gaussian.variance()),
        Noise::Response(_) => return Err(no_sampler(SamplerError::NoNoise)),
    };
    let kernel = kernel.ok_or_else(|| {
        Failure::argument(
            "SPEC",
            "--mode flat runs the fixed sampler on words of 8 bits, which take a scale or sigma below 64",
        )
    })?;
    let tapes = certify::flat(&kernel, depth, &mut at).map_err(refused)?;
    let structural = certify::tape_counts(&kernel, depth, &mut at).map_err(refused)?;
    Ok(Finding::of("fixed", Certificate::new(&tapes.masses(), &*pmf), Some(tapes == structural)))
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

fn print(finding: &Finding, out: &mut dyn Write) -> Result<(), Failure> {
    let certificate = &finding.certificate;
    let mut shown: Vec<&Row<Integer>> = certificate.rows().iter().collect();
    shown.sort_by_key(|row| std::cmp::Reverse(row.enumerated.lower()));
    shown.truncate(MOST_SHOWN);
    shown.sort_by(|a, b| a.value.cmp(&b.value));
    let headings = [
        if finding.buckets.is_some() { "bucket" } else { "output" },
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
    if let Some((log, squeezes)) = finding.buckets {
        let verdict = if squeezes { "accept only what e^-x accepts" } else { "do NOT accept as e^-x does" };
        writeln!(
            out,
            "buckets:                    of 2^{log} outputs of either sign, each then accepted with its e^-x"
        )?;
        writeln!(out, "squeezes:                   {verdict}")?;
    }
    if let Some(agree) = finding.tapes_agree {
        let verdict = if agree { "the same" } else { "NOT the same" };
        writeln!(out, "tapes of each length:       {verdict} as the structural interpreter counts, output by output")?;
    }
    if let Some(whole) = &finding.whole {
        let says = |holds: bool| if holds { "as they must be" } else { "NOT as they must be" };
        let (holds, tapes) = whole.outputs;
        writeln!(out, "returned values:            {}, on {tapes} crafted tapes", says(holds))?;
        let (holds, what) = whole.also;
        writeln!(out, "also:                       {what}: {}", if holds { "holds" } else { "does NOT hold" })?;
        for (heading, lines) in [("covers", &whole.covers), ("not enumerated", &whole.leaves_out)] {
            writeln!(out, "{heading}:")?;
            for line in lines {
                writeln!(out, "  {line}")?;
            }
        }
    }
    let verdict = match (certificate.holds(), finding.tapes_agree) {
        _ if finding.whole.as_ref().is_some_and(|whole| !whole.outputs.0) => {
            "the certificate FAILS: a function does not return what its words say"
        }
        _ if finding.whole.as_ref().is_some_and(|whole| !whole.also.0) => {
            "the certificate FAILS: what is named above does not hold"
        }
        _ if finding.buckets.is_some_and(|(_, squeezes)| !squeezes) => {
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
    use certus::exact::parse;

    /// The code's masses at one scale beside the closed form of another, or of its own.
    fn finding(expected: &str, tapes_agree: Option<bool>) -> Finding {
        let of = |text: &str| LaplaceMechanism::try_from(&text.parse::<Spec>().unwrap()).unwrap();
        let (masses, _) = enumerate(&of("laplace(scale=1)"), Mode::Structural, 48, &mut |_| {}).unwrap();
        let pmf = Noise::Laplace(of(expected)).pmf(80).unwrap();
        Finding::of("reference", Certificate::new(&masses, &*pmf), tapes_agree)
    }

    fn text(finding: &Finding) -> String {
        let mut out = Vec::new();
        print(finding, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_certificate_that_fails_is_status_1_and_says_so() {
        for agree in [None, Some(true)] {
            let good = finding("laplace(scale=1)", agree);
            assert_eq!(good.status(), 0);
            assert!(text(&good).contains("the certificate holds"));
        }
        let biased = finding("laplace(scale=1.000001)", None);
        assert_eq!(biased.status(), 1);
        assert!(text(&biased).contains("FAILS") && text(&biased).contains("DIFFERS"));
        let disagreeing = finding("laplace(scale=1)", Some(false));
        assert_eq!(disagreeing.status(), 1);
        assert!(text(&disagreeing).contains("FAILS"));
        let squeezed = Finding { buckets: Some((4, false)), ..finding("laplace(scale=1)", None) };
        assert_eq!(squeezed.status(), 1);
        for (outputs, also, status) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
            let (covers, leaves_out) = (vec!["signs"], vec!["offsets"]);
            let whole = Some(Whole { outputs: (outputs, 7), also: (also, "short words"), covers, leaves_out });
            let found = Finding { whole, ..finding("laplace(scale=1)", None) };
            let text = text(&found);
            assert_eq!(found.status(), status);
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
