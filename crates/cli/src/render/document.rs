//! The document of an audit, read field by field. Any field may be missing or null: what is not there is not
//! shown.

use std::borrow::Cow;

use serde_json::Value;

use certus::exact::{Rounding, decimal, parse};

/// What became of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The verdict is the one that was expected.
    AsExpected,
    /// It is not.
    Unexpected,
    /// Nothing was expected, and the claim is refuted.
    Refuted,
    /// Nothing was expected, and the claim is not refuted.
    NotRefuted,
    /// It was not run, and says why.
    Skipped,
    /// It could not be run.
    Failed,
}

/// The targets of a suite, or the one of a single audit.
pub(super) fn targets(document: &Value) -> Vec<Target<'_>> {
    let targets: Vec<&Value> = match document.get("targets").and_then(Value::as_array) {
        Some(targets) => targets.iter().collect(),
        None => vec![document],
    };
    targets.into_iter().enumerate().map(|(index, value)| Target { index, value }).collect()
}

/// Whether the document is a suite's.
pub(super) fn is_suite(document: &Value) -> bool {
    document.get("targets").is_some_and(Value::is_array)
}

/// A field as text: a string as it is, a number as the document writes it.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> Option<Cow<'a, str>> {
    match value.get(field)? {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A list of texts.
pub(super) fn texts<'a>(value: &'a Value, field: &str) -> Vec<Cow<'a, str>> {
    let items = value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let item = |item: &'a Value| match item {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        other => Cow::Owned(other.to_string()),
    };
    items.iter().map(item).collect()
}

/// A number to draw with: never one that is printed.
#[expect(clippy::float_arithmetic, reason = "drawing")]
pub(super) fn to_draw(text: &str) -> Option<f64> {
    let number = match text.split_once('/') {
        Some((over, under)) => over.parse::<f64>().ok()? / under.parse::<f64>().ok()?,
        None => text.parse().ok()?,
    };
    number.is_finite().then_some(number)
}

/// What the audit of a target would have seen, and of which kinds of events, in one sentence without its end;
/// `None` where nothing is known of it, as of an audit that stops by itself.
pub(crate) fn seen(target: &Value) -> Option<String> {
    let searched = texts(target, "searched");
    if text(target, "event").is_none()
        && searched.is_empty()
        && text(target, "mode").is_some_and(|mode| mode == "fixed")
    {
        return Some("no event was tested: the outputs that would have chosen one are all alike".to_owned());
    }
    let kinds = searched.join(", ");
    let power = match text(target, "min_detectable_delta") {
        Some(least) => {
            format!("in the event tested, a δ of {least} or more would have been seen at least every other time")
        }
        None if text(target, "mode")? == "fixed" => {
            "in the event tested, not even a δ of 1 would have been seen every other time".to_owned()
        }
        None => return None,
    };
    Some(format!("{power}; of the kinds of events searched: {kinds}"))
}

/// A number of a claim as people write it: a decimal, a small power of ten as 1e-6, a short fraction as it is. What
/// has many digits is rounded up, as a claim may be.
pub(crate) fn claimed(text: &str) -> String {
    let Ok(value) = parse(text) else { return text.to_owned() };
    if let Some(zeros) = text.strip_prefix("1/1000").filter(|zeros| zeros.bytes().all(|digit| digit == b'0')) {
        return format!("1e-{}", zeros.len() + 3);
    }
    let rounded = decimal(&value, 6, Rounding::Up);
    let is_exact = parse(&rounded).is_ok_and(|rounded| rounded == value);
    let is_kept = text.len() <= LONGEST_FRACTION && (!is_exact || text.contains('e'));
    if is_kept { text.to_owned() } else { rounded }
}

/// A fraction of so many characters is read as it is: 1/3, 355/113.
const LONGEST_FRACTION: usize = 7;

/// The event in words, and how often it was on either side: what somebody can tell a colleague.
pub(crate) fn told(target: &Value) -> Option<String> {
    let words = text(target, "words")?;
    let counts = target.get("counts").filter(|counts| counts.is_object());
    let Some(counts) = counts else { return Some(words.into_owned()) };
    let share = |inside: &str, samples: &str| {
        let (inside, samples) = (counts.get(inside)?.as_u64()?, counts.get(samples)?.as_u64()?);
        Some(percent(inside, samples))
    };
    let (p, q) = (share("p_inside", "p_samples")?, share("q_inside", "q_samples")?);
    let (a, b) =
        if text(target, "direction").is_some_and(|direction| direction == "b over a") { (q, p) } else { (p, q) };
    Some(format!("{words}: {a} on a, {b} on b"))
}

/// A share in percent, with two digits, or three from 10 % on; nothing is rounded to 0 or to 100.
#[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "a share, for people to read")]
fn percent(inside: u64, samples: u64) -> String {
    match inside {
        0 => "never".to_owned(),
        _ if inside == samples => "always".to_owned(),
        _ => {
            let percent = 100.0 * inside as f64 / samples as f64;
            let digits = match percent {
                _ if percent >= 99.95 => 4,
                _ if percent >= 10.0 => 1,
                _ if percent >= 1.0 => 2,
                _ if percent >= 0.01 => 4,
                _ => 6,
            };
            format!("{percent:.digits$} %")
        }
    }
}

/// What the inputs, commands or files of both sides are, where the document says it.
pub(crate) fn sides(target: &Value) -> Option<[String; 2]> {
    let given = ["inputs", "commands", "files"].into_iter().map(|field| texts(target, field));
    let [a, b] = <[Cow<'_, str>; 2]>::try_from(given.into_iter().find(|texts| texts.len() == 2)?).ok()?;
    Some([a.into_owned(), b.into_owned()])
}

/// One target of a document.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    /// Its place in the document, from 0.
    pub(super) index: usize,
    pub(super) value: &'a Value,
}

impl<'a> Target<'a> {
    pub(super) fn text(&self, field: &str) -> Option<Cow<'a, str>> {
        text(self.value, field)
    }

    pub(super) fn texts(&self, field: &str) -> Vec<Cow<'a, str>> {
        texts(self.value, field)
    }

    pub(super) fn draw(&self, field: &str) -> Option<f64> {
        self.text(field).and_then(|text| to_draw(&text))
    }

    /// An object; null is none.
    pub(super) fn object(&self, field: &str) -> Option<&'a Value> {
        self.value.get(field).filter(|value| value.is_object())
    }

    /// The points of the curve.
    pub(super) fn curve(&self) -> &'a [Value] {
        self.value.get("curve").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn name(&self) -> Cow<'a, str> {
        self.text("target").or_else(|| self.text("spec")).unwrap_or(Cow::Borrowed("audit"))
    }

    pub(super) fn is_violation(&self) -> bool {
        self.text("verdict").is_some_and(|verdict| verdict == "violation")
    }

    pub(super) fn is_inconclusive(&self) -> bool {
        self.text("verdict").is_some_and(|verdict| verdict == "inconclusive")
    }

    pub(super) fn standing(&self) -> Standing {
        if self.text("error").is_some() {
            return Standing::Failed;
        }
        if self.text("skipped").is_some() {
            return Standing::Skipped;
        }
        let Some(verdict) = self.text("verdict") else { return Standing::Failed };
        let expected = self.text("expected").map(|expected| (expected == "violation") == (verdict == "violation"));
        match self.value.get("as_expected").and_then(Value::as_bool).or(expected) {
            Some(true) => Standing::AsExpected,
            Some(false) => Standing::Unexpected,
            None if verdict == "violation" => Standing::Refuted,
            None => Standing::NotRefuted,
        }
    }

    /// Whether this is what a reader must see.
    pub(super) fn is_alarming(&self) -> bool {
        matches!(self.standing(), Standing::Unexpected | Standing::Refuted | Standing::Failed)
    }

    /// The claim in words.
    pub(super) fn claim(&self) -> Option<String> {
        let epsilon = claimed(&self.text("epsilon")?);
        Some(match self.text("delta_claimed") {
            Some(delta) => format!("ε = {epsilon}, δ = {}", claimed(&delta)),
            None => format!("ε = {epsilon}"),
        })
    }

    /// How a violation is seen again: by the file that its counterexample was written into, or how to have
    /// one written.
    pub(super) fn replay(&self) -> String {
        match self.text("replay") {
            Some(command) => format!("replay it on fresh samples: {command}"),
            None => {
                "to replay it on fresh samples, audit with --counterexample FILE and run certus replay FILE".to_owned()
            }
        }
    }

    /// What was found, in one sentence.
    pub(super) fn sentence(&self) -> String {
        if let Some(error) = self.text("error") {
            return format!("The audit could not be run: {error}");
        }
        if let Some(why) = self.text("skipped") {
            return format!("Skipped: {why}");
        }
        let claim = self.claim().map_or_else(String::new, |claim| format!(" {claim}"));
        let confidence = self.text("confidence").map_or_else(String::new, |at| format!(" at confidence {at}"));
        let lower = self.text("delta_lower").map_or_else(String::new, |lower| format!(": δ is at least {lower}"));
        let seen = seen(self.value).map_or_else(String::new, |seen| format!("; {seen}"));
        match self.text("verdict").as_deref() {
            Some("violation") => format!("The claim{claim} is refuted{confidence}{lower}."),
            Some("consistent") => format!("The samples do not refute the claim{claim}{seen}."),
            Some("inconclusive") => format!("The samples are too few to judge the claim{claim}{seen}."),
            Some(other) => format!("The verdict on the claim{claim} is {other}."),
            None => "There is no verdict.".to_owned(),
        }
    }
}
