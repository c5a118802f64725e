//! Every certificate of a prepared or fixed-work sampler that a planted bug may fail; prints those that do,
//! exit status 1 if any does.

use std::process::ExitCode;

use certus::{
    certify::{self, Certificate},
    exact::{GaussianPmf, Integer, LaplacePmf, Pmf, Positive, parse},
    sample::{
        PreparedGaussian, PreparedLaplace,
        fixed::{FixedGaussian, FixedLaplace, Mode},
    },
};

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).expect("a number")).expect("positive")
}

/// The parts of a prepared sampler's certificate that fail.
fn prepared(found: Option<certify::Prepared>) -> Vec<&'static str> {
    let Some(found) = found else { return vec!["no certificate"] };
    let parts = [
        (found.certificate.holds(), "masses"),
        (found.squeezes_hold, "squeezes"),
        (found.acceptance_holds, "acceptance"),
        (found.outputs_hold, "outputs"),
        (found.short_words_hold, "short words"),
    ];
    parts.into_iter().filter(|(holds, _)| !holds).map(|(_, part)| part).collect()
}

/// The parts of a fixed-work sampler's certificate that fail.
fn fixed(
    masses: Result<certify::Masses<Integer>, certify::CertifyError>,
    pmf: &dyn Pmf<Integer>,
    outputs: certify::FixedOutputs,
) -> Vec<&'static str> {
    let holds = masses.is_ok_and(|masses| Certificate::new(&masses, pmf).holds());
    let parts = [(holds, "masses"), (outputs.outputs_hold, "outputs"), (outputs.error_holds, "stated error")];
    parts.into_iter().filter(|(holds, _)| !holds).map(|(_, part)| part).collect()
}

fn main() -> ExitCode {
    let note = |what: String, parts: Vec<&str>| {
        if !parts.is_empty() {
            println!("{what}: {}", parts.join(", "));
            std::process::exit(1);
        }
    };
    // A table, wide in a word, wide in a word and a quarter: up to 2^62, past which an eighth of the noise is past 64 bits.
    for scale in ["30", "5000", "4611686018427387904"] {
        let noise = PreparedLaplace::new(&positive(scale));
        note(format!("prepared laplace({scale})"), prepared(certify::prepared_laplace(&noise)));
    }
    for sigma in ["3", "4611686018427387904"] {
        let noise = PreparedGaussian::new(&positive(sigma));
        note(format!("prepared gaussian({sigma})"), prepared(certify::prepared_gaussian(&noise)));
    }
    for mode in [Mode::Standard, Mode::Wide] {
        // Direct, digits, digits with offsets; direct, bucketed.
        for scale in ["1/3", "2", "10"] {
            let (noise, pmf) = (FixedLaplace::new(&positive(scale), mode), LaplacePmf::new(&positive(scale), 150));
            let parts = noise.map_or(vec!["not built"], |noise| {
                fixed(certify::fixed_laplace(&noise), &pmf, certify::fixed_laplace_outputs(&noise))
            });
            note(format!("fixed laplace({scale}), {mode:?}"), parts);
        }
        for sigma in ["1", "10"] {
            let square = positive(sigma).square();
            let (noise, pmf) = (FixedGaussian::new(&positive(sigma), mode), GaussianPmf::new(&square, 150).expect("a pmf"));
            let parts = noise.map_or(vec!["not built"], |noise| {
                fixed(certify::fixed_gaussian(&noise), &pmf, certify::fixed_gaussian_outputs(&noise))
            });
            note(format!("fixed gaussian({sigma}), {mode:?}"), parts);
        }
    }
    ExitCode::SUCCESS
}
