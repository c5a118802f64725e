//! Budgets: from any valid state, one debit keeps spent ≤ budget or is refused and changes nothing.

use super::*;

/// A debit books spent + cost, exactly, iff that fits the budget in both parameters; never less than was spent before. It is the whole of what
/// [`Filter::debit`] decides, over any ordered numbers.
fn debits_or_refuses(
    debited: impl Fn(&Amount<i32>, &Amount<i32>, &Amount<i32>) -> Option<Amount<i32>>,
    [spent, cost, budget]: [(i16, i16); 3],
) {
    let amount = |(main, delta): (i16, i16)| Amount { main: i32::from(main), delta: i32::from(delta) };
    let (spent, cost, budget) = (amount(spent), amount(cost), amount(budget));
    assert!(spent.fits(&budget) && cost.main >= 0 && cost.delta >= 0);
    let fits = spent.main + cost.main <= budget.main && spent.delta + cost.delta <= budget.delta;
    match debited(&spent, &cost, &budget) {
        Some(after) => {
            assert!(fits && after.fits(&budget));
            assert!(after.main == spent.main + cost.main && after.delta == spent.delta + cost.delta);
            assert!(spent.fits(&after));
        }
        None => assert!(!fits),
    }
}

/// Three debits from nothing spent: what is booked is the sum of what was admitted, and only that, and it fits the budget throughout.
fn books_what_is_admitted(
    debited: impl Fn(&Amount<i32>, &Amount<i32>, &Amount<i32>) -> Option<Amount<i32>>,
    costs: [(i16, i16); 3],
    budget: (i16, i16),
) {
    let amount = |(main, delta): (i16, i16)| Amount { main: i32::from(main), delta: i32::from(delta) };
    let budget = amount(budget);
    let mut spent = Amount { main: 0, delta: 0 };
    let (mut main, mut delta) = (0, 0);
    for cost in costs {
        let cost = amount(cost);
        assert!(cost.main >= 0 && cost.delta >= 0);
        if let Some(after) = debited(&spent, &cost, &budget) {
            spent = after;
            main += cost.main;
            delta += cost.delta;
        } else {
            // Refused, and rightly: the sum of what was admitted has no room for it.
            assert!(main + cost.main > budget.main || delta + cost.delta > budget.delta);
        }
        assert!(spent.main == main && spent.delta == delta && spent.fits(&budget));
    }
}

/// Planted: a cost that fits alone is admitted, and what was spent before it forgotten.
#[cfg(any(test, certus_controls))]
fn forgetful(_: &Amount<i32>, cost: &Amount<i32>, budget: &Amount<i32>) -> Option<Amount<i32>> {
    Some(cost.clone()).filter(|after| after.fits(budget))
}

/// Planted: forgets δ.
#[cfg(any(test, certus_controls))]
fn main_alone(spent: &Amount<i32>, cost: &Amount<i32>, budget: &Amount<i32>) -> Option<Amount<i32>> {
    let after = spent.add(cost);
    (after.main <= budget.main).then_some(after)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_state() -> [(i16, i16); 3] {
        let state: [(i16, i16); 3] =
            [(kani::any(), kani::any()), (kani::any(), kani::any()), (kani::any(), kani::any())];
        let [spent, cost, budget] = state;
        kani::assume(spent.0 <= budget.0 && spent.1 <= budget.1 && cost.0 >= 0 && cost.1 >= 0);
        state
    }

    /// ∀ valid states, costs and budgets of 16 bits, in both parameters: the inductive step.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_debit() {
        let state = any_state();
        debits_or_refuses(Amount::debited, state);
        kani::cover!(state[0].0 == 6 && state[2].0 == 7 && state[1].0 == 1 && state[1].1 == 0, "exactly all");
        kani::cover!(state[1].0 == 0 && state[1].1 == 1 && state[0].1 == state[2].1, "refused for delta alone");
    }

    fn any_costs() -> ([(i16, i16); 3], (i16, i16)) {
        let costs = [(kani::any(), kani::any()), (kani::any(), kani::any()), (kani::any(), kani::any())];
        let budget: (i16, i16) = (kani::any(), kani::any());
        let [a, b, c]: [(i16, i16); 3] = costs;
        kani::assume(a.0 >= 0 && a.1 >= 0 && b.0 >= 0 && b.1 >= 0 && c.0 >= 0 && c.1 >= 0);
        kani::assume(budget.0 >= 0 && budget.1 >= 0);
        (costs, budget)
    }

    /// ∀ three costs and budgets of 16 bits, from nothing spent: what is booked is what was admitted.
    #[kani::proof]
    #[kani::unwind(4)] // three costs
    #[kani::solver(minisat)]
    fn verify_debits_add_up() {
        let (costs, budget) = any_costs();
        books_what_is_admitted(Amount::debited, costs, budget);
        kani::cover!(costs == [(3, 0), (3, 0), (1, 0)] && budget.0 == 4, "refused, then admitted to the last");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(4)]
    #[kani::solver(minisat)]
    fn refute_debits_forgetful() {
        let (costs, budget) = any_costs();
        books_what_is_admitted(forgetful, costs, budget);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_debit_main_alone() {
        debits_or_refuses(main_alone, any_state());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_amounts_exhaustively() {
        let pairs = || (0..6i16).flat_map(|a| (0..6i16).map(move |b| (a, b)));
        for spent in pairs() {
            for cost in pairs() {
                for budget in pairs().filter(|budget| spent.0 <= budget.0 && spent.1 <= budget.1) {
                    debits_or_refuses(Amount::debited, [spent, cost, budget]);
                }
            }
        }
    }

    #[test]
    fn small_costs_exhaustively() {
        let pairs = || (0..3i16).flat_map(|a| (0..3i16).map(move |b| (a, b)));
        for a in pairs() {
            for b in pairs() {
                for c in pairs() {
                    for budget in pairs() {
                        books_what_is_admitted(Amount::debited, [a, b, c], budget);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_forgetfulness_is_seen() {
        books_what_is_admitted(forgetful, [(3, 0), (3, 0), (1, 0)], (4, 0));
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        debits_or_refuses(main_alone, [(0, 5), (1, 1), (5, 5)]);
    }

    proptest! {
        #[test]
        fn costs(a in (0i16.., 0i16..), b in (0i16.., 0i16..), c in (0i16.., 0i16..), budget in (0i16.., 0i16..)) {
            books_what_is_admitted(Amount::debited, [a, b, c], budget);
        }

        #[test]
        fn amounts(spent: (i16, i16), cost in (0i16.., 0i16..), more in (0i16.., 0i16..)) {
            let budget = (spent.0.saturating_add(more.0), spent.1.saturating_add(more.1));
            debits_or_refuses(Amount::debited, [spent, cost, budget]);
        }
    }
}
