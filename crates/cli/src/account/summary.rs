//! `--summary`: the plan in other notions of privacy.

use std::io::Write;

use serde_json::{Value, json};

use super::{Question, bounds, profile::BothWays, shown, value};
use crate::Failure;
use certus::{
    account::{GaussianDp, Plan, Precision, TradeOff, gaussian_dp, renyi, zcdp, zcdp_delta},
    exact::{Enclosure, Positive, Probability, Rational, Real, Rounding, decimal, parse, render},
    guarantee::{Guarantee, Privacy, Relation},
};

/// The orders at which Rényi divergences are shown.
const ORDERS: [&str; 5] = ["3/2", "2", "4", "16", "64"];

/// The false-positive rates at which the trade-off curve is shown, with their names.
const RATES: [(&str, &str); 5] = [("1/1000", "0.1%"), ("1/100", "1%"), ("1/20", "5%"), ("1/10", "10%"), ("1/4", "25%")];

/// Digits of what is read off the points of a profile.
const ROUGH: u32 = 4;

/// Digits after the point of the trade-off curve.
const FINE: u32 = 8;

/// What other notions say.
pub(super) struct Summary {
    rho: Option<Enclosure>,
    /// What ρ implies for the question: an upper bound, and whether it is on δ or on ε.
    implied: Option<(&'static str, Rational)>,
    orders: Vec<(Rational, Option<Enclosure>)>,
    rates: Vec<(&'static str, Rational, Option<Enclosure>)>,
    gaussian: Option<GaussianDp>,
}

/// The ε that ρ implies for a δ, rounded up.
fn implied_epsilon(rho: &Positive, delta: &Probability) -> Option<Rational> {
    // Whichever the relation, it is the same.
    let known = Guarantee::zcdp(Relation::ChangeOne, Real::from(rho.get().clone())).ok()?;
    let implied = known.to_approximate(&Real::from(delta.get().clone())).ok()?;
    match implied.privacy() {
        Privacy::Approximate { epsilon, .. } => epsilon.at_most(64),
        _ => None,
    }
}

impl Summary {
    /// From the plan, and from δ of either direction at some epsilons.
    pub(super) fn new(plan: &Plan, question: &Question, points: &BothWays, precision: &Precision) -> Self {
        let rho = zcdp(plan, precision);
        let upper = rho.as_ref().and_then(|rho| Positive::new(rho.upper()).ok());
        let implied = upper.and_then(|rho| match question {
            Question::Delta(epsilon) => Some(("delta", zcdp_delta(&rho, epsilon)?)),
            Question::Epsilon(delta) => Some(("epsilon", implied_epsilon(&rho, delta)?)),
            Question::Profile => None,
        });
        let orders = ORDERS.iter().filter_map(|order| parse(order).ok());
        let orders = orders.map(|order| (order.clone(), renyi(plan, &order, precision))).collect();
        let rates = RATES.iter().filter_map(|(rate, name)| Some((*name, Probability::new(parse(rate).ok()?).ok()?)));
        let (names, rates): (Vec<_>, Vec<_>) = rates.unzip();
        let mut curve = TradeOff::new(plan, &Precision { digits: FINE }).with(&points.forward, &points.backward);
        let missed = curve.at_each(&rates);
        let rates = names.into_iter().zip(rates).zip(missed);
        let rates = rates.map(|((name, rate), missed)| (name, rate.get().clone(), missed)).collect();
        Self { rho, implied, orders, rates, gaussian: gaussian_dp(&points.larger) }
    }

    /// `attained` says whether the numbers are the plan's own.
    pub(super) fn json(&self, digits: u32, attained: bool) -> Value {
        let enclosed = |enclosure: Option<&Enclosure>, digits| {
            enclosure.map_or(Value::Null, |enclosure| bounds(enclosure, digits))
        };
        let orders = self.orders.iter().map(|(order, divergence)| {
            json!({ "order": render(order), "divergence": enclosed(divergence.as_ref(), digits) })
        });
        let rates = self.rates.iter().map(|(_, rate, missed)| {
            json!({ "false_positives": render(rate), "false_negatives": enclosed(missed.as_ref(), FINE) })
        });
        let gaussian = self.gaussian.as_ref().map_or(Value::Null, |found| {
            json!({
                "mu": bounds(&found.mu, ROUGH),
                "epsilon_up_to": render(found.up_to.get()),
                "everywhere": found.everywhere,
            })
        });
        let mut concentrated = json!({ "rho": enclosed(self.rho.as_ref(), digits) });
        if let (Some((name, bound)), Some(fields)) = (&self.implied, concentrated.as_object_mut()) {
            fields.insert(format!("{name}_upper"), decimal(bound, digits.min(15), Rounding::Up).into());
        }
        json!({
            "zcdp": concentrated,
            "renyi": orders.collect::<Vec<_>>(),
            "trade_off": rates.collect::<Vec<_>>(),
            "gaussian_dp": gaussian,
            "attained": attained,
        })
    }

    pub(super) fn print(&self, digits: u32, out: &mut dyn Write) -> Result<(), Failure> {
        let none = || "none known".to_owned();
        let rho = self.rho.as_ref().map_or_else(none, |rho| value(rho, digits));
        writeln!(out, "\nzCDP      rho = {rho}")?;
        if let Some((name, bound)) = &self.implied {
            writeln!(
                out,
                "          from which alone {name} would be known to be at most {}",
                decimal(bound, 6, Rounding::Up)
            )?;
        }
        for (index, (order, divergence)) in self.orders.iter().enumerate() {
            let divergence = divergence.as_ref().map_or_else(none, |divergence| value(divergence, digits));
            writeln!(out, "{:<9} order {:<4} {divergence}", if index == 0 { "Renyi" } else { "" }, shown(order))?;
        }
        for (index, (name, _, missed)) in self.rates.iter().enumerate() {
            let missed = missed.as_ref().map_or_else(none, |missed| value(missed, FINE));
            let head = if index == 0 { "trade-off" } else { "" };
            writeln!(out, "{head:<9} at {name:>4} false positives, a test has at best {missed} false negatives")?;
        }
        match &self.gaussian {
            None => writeln!(out, "Gaussian  none known")?,
            Some(found) => {
                let reserve = if found.everywhere {
                    String::new()
                } else {
                    format!(", for epsilon up to {}", shown(found.up_to.get()))
                };
                writeln!(out, "Gaussian  mu = {}{reserve}", value(&found.mu, ROUGH))?;
            }
        }
        Ok(())
    }
}
