//! What is fixed before scores are seen: by the arguments, or by a commitment to them.

use serde::{Deserialize, Serialize};

use super::arguments::{Bound, Scores, Test};
use crate::{
    Failure,
    audit::{Confidence, claim},
    source::{count, number},
    suggest,
};
use certus::{
    exact::{Probability, render},
    guarantee::Relation,
    mechanism::{Spec, domination},
};
use certus_audit::{
    Claim,
    canaries::{Guessing, Method, default_guesses},
};

/// Where nobody says.
const CONFIDENCE: &str = "0.999";

/// All that is declared, in canonical text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared {
    pub(super) canaries: u64,
    pub(super) relation: String,
    pub(super) claim: Option<String>,
    pub(super) plan: Vec<String>,
    pub(super) delta: Option<String>,
    pub(super) guesses: Vec<u64>,
    pub(super) method: String,
    pub(super) scores: String,
    pub(super) independent: bool,
    pub(super) confidence: String,
}

/// The arguments that declare something.
pub(super) struct Given<'a> {
    pub(super) test: &'a Test,
    pub(super) claim: Option<&'a str>,
    pub(super) confidence: Option<&'a str>,
    pub(super) relation: Option<&'a str>,
}

impl Declared {
    /// What is given, or was committed to, or is the default, of so many canaries.
    pub(super) fn new(given: &Given<'_>, canaries: u64, committed: Option<&Self>) -> Result<Self, Failure> {
        let test = given.test;
        let has_null = given.claim.is_some() || !test.plan.is_empty();
        let old = committed.filter(|_| !has_null);
        let claim = match given.claim {
            Some(text) => Some(canonical(&self::claim("--claim", text)?)),
            None => old.and_then(|old| old.claim.clone()),
        };
        let plan = match test.plan.as_slice() {
            [] => old.map_or_else(Vec::new, |old| old.plan.clone()),
            texts => texts.iter().map(|text| Ok(spec(text)?.to_string())).collect::<Result<_, Failure>>()?,
        };
        let delta = match test.delta.as_deref() {
            Some(text) => Some(render(delta(text)?.get())),
            None => committed.and_then(|old| old.delta.clone()),
        };
        let guesses = match test.guesses.as_deref() {
            Some(text) => guesses(text, canaries)?,
            None => committed.map_or_else(|| vec![default_guesses(canaries)], |old| old.guesses.clone()),
        };
        let name = |given: Option<&'static str>, old: Option<&String>, default: &str| {
            given.map(str::to_owned).or_else(|| old.cloned()).unwrap_or_else(|| default.to_owned())
        };
        let method = test.method.map(|method| if method == Bound::Curve { "curve" } else { "steinke" });
        let scores = test.scores.map(|scores| if scores == Scores::Ranked { "ranked" } else { "ratios" });
        let confidence = match given.confidence {
            Some(text) => Confidence::parse("--confidence", text)?.to_string(),
            None => committed.map_or_else(|| CONFIDENCE.to_owned(), |old| old.confidence.clone()),
        };
        let relation = given.relation.map(crate::account::relation).transpose()?;
        Ok(Self {
            canaries,
            relation: name(relation.map(Relation::key), committed.map(|old| &old.relation), Relation::AddRemove.key()),
            claim,
            plan,
            delta,
            guesses,
            method: name(method, committed.map(|old| &old.method), "curve"),
            scores: name(scores, committed.map(|old| &old.scores), "ranked"),
            independent: test.independent || committed.is_some_and(|old| old.independent),
            confidence,
        })
    }

    /// Refuses whatever is not what was committed to; a claim that was not is the user's word.
    pub(super) fn check(&self, committed: &Self) -> Result<(), Failure> {
        let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
        let mut fields = vec![
            ("--canaries", text(&self.canaries), text(&committed.canaries)),
            ("--relation", text(&self.relation), text(&committed.relation)),
            ("--guesses", text(&self.guesses), text(&committed.guesses)),
            ("--method", text(&self.method), text(&committed.method)),
            ("--scores", text(&self.scores), text(&committed.scores)),
            ("--confidence", text(&self.confidence), text(&committed.confidence)),
        ];
        if committed.has_null() {
            fields.push(("--claim", text(&self.claim), text(&committed.claim)));
            fields.push(("--plan", text(&self.plan), text(&committed.plan)));
            fields.push(("--delta", text(&self.delta), text(&committed.delta)));
            fields.push(("--independent", text(&self.independent), text(&committed.independent)));
        }
        match fields.into_iter().find(|(_, now, then)| now != then) {
            Some((name, now, then)) => {
                let must = format!("must be what was committed to before the scores were seen, {then}, not {now}");
                Err(Failure::argument(name, must))
            }
            None => Ok(()),
        }
    }

    /// Whether it says what is tested.
    pub(super) fn has_null(&self) -> bool {
        self.claim.is_some() || !self.plan.is_empty()
    }

    /// The claim of ε and δ, if it is one.
    pub(super) fn claimed(&self) -> Result<Option<Claim>, Failure> {
        self.claim.as_deref().map(|text| claim("--claim", text)).transpose()
    }

    /// The mechanisms of the plan.
    pub(super) fn specs(&self) -> Result<Vec<Spec>, Failure> {
        self.plan.iter().map(|text| spec(text)).collect()
    }

    /// δ at which a plan's ε is told.
    pub(super) fn delta(&self) -> Result<Option<Probability>, Failure> {
        self.delta.as_deref().map(delta).transpose()
    }

    /// The neighbours.
    pub(super) fn neighbours(&self) -> Result<Relation, Failure> {
        crate::account::relation(&self.relation)
    }

    /// The confidence.
    pub(super) fn confidence(&self) -> Result<Confidence, Failure> {
        Confidence::parse("--confidence", &self.confidence)
    }

    /// The bound.
    pub(super) fn method(&self) -> Method {
        if self.method == "steinke" { Method::Steinke } else { Method::Curve }
    }

    /// How scores become guesses.
    pub(super) fn guessing(&self) -> Guessing {
        if self.scores == "ratios" { Guessing::Ratios } else { Guessing::Ranks }
    }
}

/// A mechanism of a plan.
fn spec(text: &str) -> Result<Spec, Failure> {
    let refused = |error| suggest::refused("--plan", &error);
    let spec: Spec = text.parse().map_err(refused)?;
    domination(&spec.without_copies()).map_err(refused)?;
    Ok(spec)
}

fn canonical(claim: &Claim) -> String {
    format!("epsilon={},delta={}", render(claim.epsilon()), render(claim.delta()))
}

fn delta(text: &str) -> Result<Probability, Failure> {
    let must = "must be a number above 0 and below 1, such as 1e-6 or 1/1000";
    let value = number("--delta", text, must)?;
    let is_inside = value > num_traits::Zero::zero() && value < num_traits::One::one();
    let value = Probability::new(value).ok().filter(|_| is_inside);
    value.ok_or_else(|| Failure::value("--delta", text, must))
}

/// `R` or `R,R,…`.
fn guesses(text: &str, canaries: u64) -> Result<Vec<u64>, Failure> {
    let parts: Vec<u64> =
        text.split(',').map(|part| count("--guesses", part.trim(), 1, canaries)).collect::<Result<_, _>>()?;
    let is_twice = |(place, r): (usize, &u64)| parts.iter().take(place).any(|other| other == r);
    if parts.iter().enumerate().any(is_twice) || parts.len() > 100 {
        return Err(Failure::value(
            "--guesses",
            text,
            "must be at most 100 different integers, such as 100 or 50,100,200",
        ));
    }
    Ok(parts)
}
