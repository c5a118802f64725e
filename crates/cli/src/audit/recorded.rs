//! Audits of samples that the caller has recorded: the command's own document, and the views of it.
//!
//! For bindings of other languages, which draw and count by themselves and must not say anything else than
//! the command does.
//!
//! ```
//! use certus_audit::{Claim, outputs::Recording};
//! use certus_cli::report::{Subject, audit, text};
//! use certus::exact::parse;
//!
//! let side = |value: i64, name: &str| {
//!     let mut recording = Recording::new();
//!     (0..1000).for_each(|_| recording.integer(value));
//!     recording.finish(name)
//! };
//! let claim = Claim::new(parse("1")?, parse("0")?)?;
//! let line = |failure: certus_cli::Failure| failure.line().unwrap_or_default();
//! let subject = Subject::new("no noise", claim, parse("0.999")?).map_err(line)?.inputs("7", "8");
//! let document = audit(&subject, None, &side(7, "a"), &side(8, "b")).map_err(line)?;
//! assert_eq!(document["verdict"], "violation");
//! assert!(text(&document).contains("ε=1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use certus::{bits::seeded, exact::Rational};
use certus_audit::{Claim, fresh_seed, outputs::Tally};
use serde_json::Value;

use super::{
    add_replays, alone, counterexamples,
    judge::{Streams, examine},
    print_alone,
    settings::Confidence,
    suite::Judged,
    target::{Origin, Target},
};
use crate::{Failure, render};

pub use super::json_value::word;

/// What is claimed, of what, and how sure a verdict has to be.
#[derive(Debug)]
pub struct Subject {
    name: String,
    claim: Claim,
    confidence: Confidence,
    inputs: Option<(String, String)>,
}

impl Subject {
    /// A claim on whatever has this name, and the confidence of the verdict.
    ///
    /// # Errors
    ///
    /// If the confidence is not above 0, or above 1 − 1.2·10^-12.
    pub fn new(name: &str, claim: Claim, confidence: Rational) -> Result<Self, Failure> {
        let confidence = Confidence::new(confidence)
            .ok_or_else(|| Failure::argument("confidence", "must be between 0 and 1, and at most 1 - 1.2e-12"))?;
        Ok(Self { name: name.to_owned(), claim, confidence, inputs: None })
    }

    /// Of a function that was called on these inputs, told for people to read. Without, the samples are two
    /// tallies of which no more is known.
    #[must_use]
    pub fn inputs(mut self, a: &str, b: &str) -> Self {
        self.inputs = Some((a.to_owned(), b.to_owned()));
        self
    }
}

/// The document of an audit, as `certus audit --json` prints it.
///
/// `seed` is what [`fresh_seed`] draws from the source of the run: of the command's `--seed` it gives the
/// numbers that the command prints for `--tally-a` and `--tally-b`. Without, the coins are fresh.
///
/// # Errors
///
/// If the samples are too few, or too many, or both sides share some; or there is no randomness.
pub fn audit(subject: &Subject, seed: Option<[u8; 32]>, a: &Tally, b: &Tally) -> Result<Value, Failure> {
    let origin = match &subject.inputs {
        Some(inputs) => Origin::Function { inputs: inputs.clone() },
        None => Origin::Tallies { a: Vec::new(), b: Vec::new(), arguments: ("a".to_owned(), "b".to_owned()) },
    };
    let target = Target::new(&subject.name, subject.claim.clone(), origin);
    // The first target's seed of a run, and of that the coins.
    let coins = seed.map(|seed| Ok::<_, Failure>(Streams::of(fresh_seed(&mut seeded(seed))?)?.coins)).transpose()?;
    let outcome = examine(&target, &subject.confidence, coins, (a, b))?;
    let judged = Judged { target, outcome: Ok(outcome) };
    let mut document = alone(judged.json(&subject.confidence, false));
    add_replays(&mut document, None);
    Ok(document)
}

/// A document from its text. Numbers keep their digits.
///
/// # Errors
///
/// If the text is no JSON.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// As the command prints it: the table, and what there is to say.
#[must_use]
pub fn text(document: &Value) -> String {
    let mut text = Vec::new();
    // A vector takes all that is written.
    let _ = print_alone(document, false, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The page that `--report` writes.
#[must_use]
pub fn html(document: &Value) -> String {
    render::html(document)
}

/// The XML that `--junit` writes.
#[must_use]
pub fn junit(document: &Value) -> String {
    render::junit(document)
}

/// The JSON that `--sarif` writes.
#[must_use]
pub fn sarif(document: &Value) -> String {
    format!("{:#}\n", render::sarif(document))
}

/// The JSON that `--counterexample` writes; nothing where the claim is not refuted.
#[must_use]
pub fn counterexample(document: &Value) -> Option<String> {
    let found = counterexamples(document);
    (!found.is_null()).then(|| format!("{found:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::{bits::Bits as _, exact::parse};
    use certus_audit::outputs::Recording;

    /// Random integers, from `from` on, in an order that depends on the name.
    fn tally(id: &str, from: i64, values: i64) -> Tally {
        let (mut recording, mut seed) = (Recording::new(), [7; 32]);
        seed[..id.len()].copy_from_slice(id.as_bytes());
        let mut bits = seeded(seed);
        (0..30_000).for_each(|_| recording.integer(from + bits.take(40).unwrap().cast_signed() % values));
        recording.finish(id)
    }

    /// What the command says of the files of the same tallies, with the same seed.
    #[test]
    fn the_document_is_the_commands() {
        let folder = std::env::temp_dir().join(format!("certus-recorded-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (shift, epsilon) in [(0, "1"), (3, "0.2")] {
            let (a, b) = (tally("one", 0, 9), tally("two", shift, 9));
            let paths = [("a", &a), ("b", &b)].map(|(name, tally)| {
                let path = folder.join(name).display().to_string();
                tally.write(std::fs::File::create(&path).unwrap()).unwrap();
                path
            });
            let claim = format!("epsilon={epsilon}");
            let arguments = ["certus", "audit", "--tally-a", &paths[0], "--tally-b", &paths[1], "--claim", &claim];
            let arguments = [&arguments[..], &["--seed", "2a", "--json", "--confidence", "0.95"]].concat();
            let mut out = Vec::new();
            crate::run(arguments.into_iter().map(Into::into), &mut out).unwrap();
            let mut command: Value = read(std::str::from_utf8(&out).unwrap()).unwrap();

            let subject =
                Subject::new("tallies", super::super::claim("", &claim).unwrap(), parse("0.95").unwrap()).unwrap();
            let mut seed = [0; 32];
            seed[31] = 0x2a;
            let seed = fresh_seed(&mut seeded(seed)).unwrap();
            let mut ours = audit(&subject, Some(seed), &a, &b).unwrap();
            assert_eq!(ours["verdict"], if shift == 0 { "consistent" } else { "violation" });
            assert_eq!(counterexample(&ours).is_some(), shift != 0);
            for document in [&mut command, &mut ours] {
                let fields = document.as_object_mut().unwrap();
                fields.remove("seconds");
                fields.remove("files");
                if let Some(found) = fields.get_mut("counterexample").and_then(Value::as_object_mut) {
                    found["origin"].as_object_mut().unwrap().remove("files");
                }
            }
            assert_eq!(ours.to_string(), command.to_string());
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_function_is_named_with_its_inputs() {
        let claim = Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap();
        let subject = Subject::new("noisy", claim.clone(), parse("0.999").unwrap()).unwrap().inputs("[0]", "[1]");
        let document = audit(&subject, None, &tally("one", 0, 9), &tally("two", 9, 9)).unwrap();
        assert_eq!((&document["kind"], &document["inputs"][1]), (&"function".into(), &"[1]".into()));
        assert_eq!(document["counterexample"]["origin"]["kind"], "function");
        assert!(text(&document).contains("violation") && html(&document).contains("noisy"));
        assert!(junit(&document).contains("<failure") && sarif(&document).contains("2.1.0"));
        assert!(text(&audit(&subject, None, &tally("1", 0, 9), &tally("2", 0, 8)).unwrap()).contains("confidence"));
        for bad in ["0", "1", "0.999999999999999"] {
            assert!(Subject::new("", claim.clone(), parse(bad).unwrap()).is_err(), "{bad}");
        }
        let few = audit(&subject, None, &Tally::default(), &tally("2", 0, 8)).unwrap_err();
        assert_eq!(few.line().unwrap(), "noisy: an audit needs at least 20 samples a side");
    }
}
