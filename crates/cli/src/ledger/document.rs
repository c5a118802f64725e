//! Budgets as JSON and as lines.

use serde_json::{Map, Value, json};

use certus::exact::Rounding;
use certus_ledger::book::{Budget, State};

/// `{"kind": "pure", "epsilon": "1"}`, or `{"kind": "declared", "parts": {"laplace(scale=1)": 3}}`.
pub(super) fn json(budget: &Budget) -> Value {
    match budget {
        Budget::Sum(amount) => {
            let mut fields = Map::from_iter([("kind".to_owned(), amount.kind().into())]);
            let numbers = serde_json::to_value(amount).ok();
            // The numbers, out of the kind that holds them.
            if let Some(Value::Object(numbers)) = numbers.and_then(|value| value.get(amount.kind()).cloned()) {
                fields.extend(numbers);
            }
            fields.into()
        }
        Budget::Declared(parts) => {
            let parts: Map<_, _> = parts.iter().map(|(name, copies)| (name.to_owned(), copies.into())).collect();
            json!({ "kind": "declared", "parts": parts })
        }
    }
}

/// What was there, is spent and is left, of the dataset and of each analyst.
pub(super) fn spending(state: &State) -> Value {
    let analyst = |name| {
        let (budget, spent, left) = state.of_analyst(name)?;
        Some((name.to_string(), json!({ "budget": json(budget), "spent": json(&spent), "left": json(&left) })))
    };
    let analysts: Map<_, _> = state.analysts().filter_map(analyst).collect();
    json!({
        "ledger": state.ledger(),
        "relation": state.relation().key(),
        "budget": json(state.budget()),
        "spent": json(&state.spent()),
        "left": json(&state.left()),
        "analysts": analysts,
    })
}

/// A budget in words: one line for a sum, one a part for a declared plan.
pub(super) fn lines(budget: &Budget, rounding: Rounding) -> Vec<String> {
    match budget {
        Budget::Sum(amount) => vec![amount.shown(rounding)],
        Budget::Declared(parts) if parts.is_empty() => vec!["nothing".to_owned()],
        Budget::Declared(parts) => parts.iter().map(|(name, copies)| format!("{name}*{copies}")).collect(),
    }
}
