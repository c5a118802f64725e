//! What an audit by canaries found, for people to read.

use std::io::{self, Write};

use serde_json::Value;

/// Prints the document.
pub(super) fn print(document: &Value, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    let of = Fields(document);
    let (verdict, claimed) = (verdict(document), claimed(document));
    let colour = if of.text("verdict") == "violation" { "31" } else { "33" };
    let verdict = if is_coloured { format!("\u{1b}[{colour}m{verdict}\u{1b}[0m") } else { verdict.to_owned() };
    writeln!(out, "verdict     {verdict}")?;
    writeln!(out, "claim       {claimed}")?;
    writeln!(out, "neighbours  {}; confidence {}", of.text("relation"), of.text("confidence"))?;
    if of.text("design") == "many_runs" {
        print_many_runs(&of, out)?;
    } else {
        print_one_run(document, &of, out)?;
    }
    match of.text("commitment") {
        "" => writeln!(out, "commitment  none: nothing shows what was fixed before the scores were seen")?,
        sha256 => writeln!(out, "commitment  {sha256}: the coins and all that was declared are those committed to")?,
    }
    if document.get("seeded") == Some(&Value::Bool(true)) {
        writeln!(out, "seeded      the confidence assumes a seed that is independent of coins and scores")?;
    }
    writeln!(out, "\nYou assert:")?;
    print_list(document.get("conditions"), out)?;
    writeln!(out, "\nnote: {}", of.text("note"))
}

/// The verdict on the claim, in words.
pub(super) fn verdict(document: &Value) -> &'static str {
    match Fields(document).text("claim_verdict") {
        "violation" => "violation: the claim is false, at the confidence",
        "consistent" => "consistent",
        _ => "inconclusive: no alarm",
    }
}

/// What is claimed, in words.
pub(super) fn claimed(document: &Value) -> String {
    let of = Fields(document);
    match document.get("plan").and_then(Value::as_array) {
        Some(plan) => {
            let plan: Vec<&str> = plan.iter().filter_map(Value::as_str).collect();
            format!("that it satisfies the profiles of {}", plan.join(" + "))
        }
        None => format!("epsilon = {}, delta = {}", of.text("epsilon"), of.text("delta_claimed")),
    }
}

fn print_many_runs(of: &Fields<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "runs        {} with the canary, {} without", of.count("samples_a"), of.count("samples_b"))?;
    writeln!(out, "epsilon     at least {} along {}", of.text("epsilon_lower"), of.text("family"))?;
    writeln!(out, "delta       at least {} at the claimed epsilon", of.text("delta_lower"))?;
    if !of.text("min_detectable_delta").is_empty() {
        writeln!(
            out,
            "power       a delta of {} would have been seen every other time",
            of.text("min_detectable_delta")
        )?;
    }
    if !of.text("event").is_empty() {
        writeln!(out, "event       {}", of.text("event"))?;
    }
    Ok(())
}

fn print_one_run(document: &Value, of: &Fields<'_>, out: &mut dyn Write) -> io::Result<()> {
    let what = if document.get("pairs") == Some(&Value::Bool(true)) { "pairs" } else { "canaries" };
    let (total, of_in, of_out) = (of.count("canaries"), of.count("samples_a"), of.count("samples_b"));
    match what {
        "pairs" => writeln!(out, "pairs       {total}, one of each in")?,
        _ => writeln!(out, "canaries    {total}: {of_in} in, {of_out} out")?,
    }
    print_guesses(document, out)?;
    print_epsilon(of, of.text("family"), out)?;
    for rate in document.get("rates").and_then(Value::as_array).into_iter().flatten() {
        let share = |key: &str| rate.get(key).map(|share| Fields(share).share()).unwrap_or_default();
        let (wanted, found, mistaken) =
            (Fields(rate).text("wanted"), share("true_positives"), share("false_positives"));
        writeln!(
            out,
            "rates       at {wanted} false positives: {found} of those in are found, {mistaken} of those out"
        )?;
    }
    let Some(plan) = document.get("plan_verdict").filter(|plan| plan.is_object()) else { return Ok(()) };
    let verdict = match Fields(plan).text("verdict") {
        "not_the_plan" => "THIS RUN WAS NOT THAT PLAN, at the confidence",
        _ => "no alarm",
    };
    writeln!(out, "\nplan        {verdict}")?;
    print_guesses(plan, out)?;
    print_epsilon(&Fields(plan), of.text("family"), out)?;
    writeln!(out, "            Of the plan you attest:")?;
    print_list(plan.get("conditions"), out)?;
    writeln!(out)
}

fn print_guesses(of: &Value, out: &mut dyn Write) -> io::Result<()> {
    for one in of.get("guesses").and_then(Value::as_array).into_iter().flatten() {
        let one = Fields(one);
        let needed = match one.0.get("needed").and_then(Value::as_u64) {
            Some(needed) => format!("{needed} refute the claim"),
            None => "no number refutes the claim".to_owned(),
        };
        writeln!(
            out,
            "guesses     {}: {} right (p at most {}); {needed}; about {} where canaries attain it",
            one.count("guesses"),
            one.count("right"),
            one.text("p_value"),
            one.count("expected"),
        )?;
    }
    Ok(())
}

fn print_epsilon(of: &Fields<'_>, family: &str, out: &mut dyn Write) -> io::Result<()> {
    if !of.text("epsilon_lower").is_empty() {
        writeln!(out, "epsilon     at least {} along {family}", of.text("epsilon_lower"))?;
    }
    if !of.text("refuted").is_empty() {
        writeln!(out, "refuted     up to {}", of.text("refuted"))?;
    }
    if !of.text("epsilon_expected").is_empty() {
        let expected = of.text("epsilon_expected");
        writeln!(
            out,
            "power       of a mechanism exactly at the claim, so many canaries show about epsilon {expected}"
        )?;
    }
    Ok(())
}

fn print_list(list: Option<&Value>, out: &mut dyn Write) -> io::Result<()> {
    for line in list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        writeln!(out, "  * {line}")?;
    }
    Ok(())
}

/// The fields of a document.
struct Fields<'v>(&'v Value);

impl<'v> Fields<'v> {
    /// A text; empty where there is none.
    fn text(&self, key: &str) -> &'v str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn count(&self, key: &str) -> u64 {
        self.0.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    /// A share with its interval.
    fn share(&self) -> String {
        format!("{}/{} [{}, {}]", self.count("count"), self.count("of"), self.text("lower"), self.text("upper"))
    }
}
