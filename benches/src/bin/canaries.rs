//! What audits of one run find in given tables: `canaries PLAN FILE …`, for `benches/canaries`.
//!
//! A table has a line a canary, its score and its coin (`0.25,1`). The scores are logarithms of likelihood
//! ratios. A line a table comes out, at confidence 0.95 and δ = 1e-5: the ε found by Steinke, Nasr and
//! Jagielski, by the recursion for (ε, δ), by the recursion for the plan's curves, and for the plan itself.
#![allow(missing_docs, reason = "a program")]

use std::{env, error::Error, fs};

use certus::{bits::SystemBits, exact::parse, guarantee::Relation};
use certus_audit::{
    Claim,
    canaries::{Canaries, Canary, Guessing, Method, OneRun, Pairs, Plans},
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let plan = arguments.next().ok_or("PLAN: is missing")?;
    let delta = parse("1e-5")?;
    let mut plans = Plans::new(&[plan.parse()?], Relation::AddRemove, Some(delta.clone().try_into()?))?;
    let mut pairs = Pairs::new(Claim::new(parse("1")?, delta)?);
    let mut bits = SystemBits::new()?;
    for file in arguments {
        let canary = |line: &str| -> Option<Canary> {
            let (score, coin) = line.split_once(',')?;
            Some(Canary { score: score.parse().ok()?, is_in: coin == "1" })
        };
        let list = fs::read_to_string(&file)?.lines().map(canary).collect::<Option<Vec<_>>>();
        let canaries = Canaries::new(&list.ok_or_else(|| format!("{file}: a line is no score and coin"))?, &mut bits)?;
        let audit = OneRun::new(0.95)?.guessing(Guessing::Ratios);
        let steinke = audit.clone().method(Method::Steinke).run(&canaries, &mut pairs)?;
        let recursion = audit.run(&canaries, &mut pairs)?;
        let plan = audit.independent().run(&canaries, &mut plans)?;
        let itself = plan.plan.and_then(|plan| plan.epsilon_lower);
        let found = [steinke.claim.epsilon_lower, recursion.claim.epsilon_lower, plan.claim.epsilon_lower, itself];
        println!("{}", found.map(|epsilon| epsilon.unwrap_or(0.0).to_string()).join(","));
    }
    Ok(())
}
