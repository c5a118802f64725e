//! The question of `certus certify`, of the reference sampler.

use certus::{
    exact::{Enclosure, Integer, Rational, Rounding, decimal},
    guarantee::Relation,
    mechanism::{AnyMechanism, Outcome, Spec, from_spec},
    sample::Sampler,
};
use certus_audit::certify::{
    self, Certificate, CertifyError, Claimant, Enumerable, EnumerateError, Enumeration, Masses, Noise, Point, Row,
    SamplerCertificate,
};
use serde_json::{Value, json};

use crate::{
    SCHEMA_VERSION,
    text::{count, refused, whole_bounds},
};

/// Significant digits of a bound of mass.
const DIGITS: u32 = 10;

/// A question, as text.
#[derive(Clone, Copy, Debug)]
pub struct Certify<'a> {
    /// The mechanism.
    pub spec: &'a str,
    /// "structural" or "flat".
    pub mode: &'a str,
    /// How deep, or nothing.
    pub depth: &'a str,
}

/// The answer, with the keys of the command's document.
///
/// # Errors
///
/// If an argument is bad, or there is too much to enumerate.
pub fn certify(asked: &Certify<'_>) -> Result<Value, String> {
    let spec: Spec = asked.spec.trim().parse().map_err(|error| refused("SPEC", error))?;
    let mechanism = from_spec(&spec).map_err(|error| refused("SPEC", error))?;
    if spec.copies().is_some() {
        return Err(refused("SPEC", "*k (k copies) is not accepted here: a certificate is of one mechanism"));
    }
    let (enumeration, default, most) = match asked.mode {
        "structural" => (Enumeration::Structural, 48, certify::FINEST),
        "flat" => (Enumeration::Flat, 20, certify::DEEPEST),
        _ => return Err(refused("--mode", "must be structural or flat")),
    };
    let depth = match asked.depth {
        "" => default,
        text => u32::try_from(count("--depth", text, 1, most.into())?).unwrap_or(default),
    };
    let mut document = match Noise::of(&spec) {
        Some(noise) => {
            let found = noise.certify(Sampler::Reference, enumeration, depth, &mut |_| {});
            of_noise(&found.map_err(|error| refused("SPEC", error))?)
        }
        None => of_neighbours(&spec, &*mechanism, enumeration, depth)?,
    };
    if let Some(fields) = document.as_object_mut() {
        fields.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        fields.insert("spec".to_owned(), spec.to_string().into());
        fields.insert("mode".to_owned(), asked.mode.into());
        fields.insert("depth".to_owned(), depth.into());
        fields.insert("sampler".to_owned(), "reference".into());
    }
    Ok(document)
}

fn upper(bound: &Rational) -> String {
    decimal(bound, DIGITS, Rounding::Up)
}

/// Noise beside its closed form.
fn of_noise(found: &SamplerCertificate) -> Value {
    let row = |row: &Row<Integer>| {
        json!({
            "value": row.value.to_string(),
            "lower": row.enumerated.lower_decimal(),
            "upper": row.enumerated.upper_decimal(),
            "expected_lower": row.expected.lower_decimal(),
            "expected_upper": row.expected.upper_decimal(),
        })
    };
    json!({
        "total_variation_upper": upper(found.certificate.total_variation_upper()),
        "unresolved": upper(found.certificate.unresolved()),
        "holds": found.holds(),
        "tapes_agree": found.tapes_agree,
        "pmf": found.certificate.rows().iter().map(row).collect::<Vec<_>>(),
    })
}

/// What was found of one input: its masses; the closed form beside them, where there is one; and in flat mode
/// whether the structural interpreter counts the same tapes.
struct Side {
    masses: Masses<Outcome>,
    certificate: Option<Certificate<Outcome>>,
    tapes_agree: Option<bool>,
}

impl Side {
    fn find(
        (mechanism, enumerable): (&dyn AnyMechanism, &dyn Enumerable),
        input: &str,
        enumeration: Enumeration,
        depth: u32,
    ) -> Result<Self, String> {
        let too_many = "too many outputs to enumerate at this depth: must have less noise, fewer coordinates, \
                        candidates or records, or a smaller --depth";
        let failed = |error: EnumerateError| match error {
            EnumerateError::Certify(CertifyError::TooManyOutputs | CertifyError::TooLong | CertifyError::TooDeep) => {
                refused("SPEC", too_many)
            }
            error => refused("SPEC", error),
        };
        let (masses, tapes_agree) = if enumeration == Enumeration::Flat {
            let flat = enumerable.flat(input, depth, &mut |_| {}).map_err(failed)?;
            let structural = enumerable.tape_counts(input, depth, &mut |_| {}).map_err(failed)?;
            (flat.masses(), Some(flat == structural))
        } else {
            (enumerable.structural(input, depth, &mut |_| {}).map_err(failed)?, None)
        };
        // The closed form is known well beyond what the enumeration resolves.
        let pmf = mechanism.closed_form(input, depth.max(48) + 32);
        Ok(Self { certificate: pmf.map(|pmf| Certificate::new(&masses, &*pmf)), masses, tapes_agree })
    }

    fn holds(&self) -> bool {
        self.certificate.as_ref().is_none_or(Certificate::holds)
            && self.tapes_agree != Some(false)
            && !self.masses.lower().is_empty()
    }

    fn rows(&self) -> Vec<Value> {
        let expected = |place: usize| self.certificate.as_ref()?.rows().get(place).map(|row| &row.expected);
        let enumerated = self.masses.enclosures();
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
}

/// Whatever else, on two of its worst neighbouring inputs, beside what is stated.
fn of_neighbours(
    spec: &Spec,
    mechanism: &dyn AnyMechanism,
    enumeration: Enumeration,
    depth: u32,
) -> Result<Value, String> {
    let (first, second) = mechanism.neighbours();
    let enumerable = certify::enumerable(spec).map_err(|error| refused("SPEC", error))?;
    let side = |input| Side::find((mechanism, &*enumerable), input, enumeration, depth);
    let (a, b) = (side(first)?, side(second)?);
    let points = certify::neighbours(&a.masses, &b.masses, mechanism.privacy().as_ref(), &mechanism.domination());
    let points = points
        .ok_or_else(|| refused("SPEC", "must state an epsilon of which e^-epsilon can be told from 0 at this depth"))?;
    let point = |point: &Point| {
        json!({
            "claim": if point.claim == Claimant::Stated { "stated" } else { "account" },
            "epsilon_upper": upper(point.epsilon.get()),
            "delta_claimed_upper": upper(&point.claimed),
            "forward": whole_bounds(&point.forward),
            "backward": whole_bounds(&point.backward),
            "holds": point.holds(),
        })
    };
    let distance = a.certificate.as_ref().zip(b.certificate.as_ref());
    let distance = distance.map(|(a, b)| upper(a.total_variation_upper().max(b.total_variation_upper())));
    Ok(json!({
        "total_variation_upper": distance,
        "unresolved": upper(&a.masses.unresolved_share().max(b.masses.unresolved_share())),
        "holds": a.holds() && b.holds() && points.iter().all(Point::holds),
        "tapes_agree": a.tapes_agree.zip(b.tapes_agree).map(|(a, b)| a && b),
        "inputs": [first, second],
        "relation": mechanism.relation().map(Relation::key),
        "privacy": points.iter().map(point).collect::<Vec<_>>(),
        "pmf": a.rows(),
        "neighbour_pmf": b.rows(),
    }))
}
