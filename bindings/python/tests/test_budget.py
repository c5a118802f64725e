"""Budgets: a release is paid for before it is drawn, or refused; saved, restored, closed, forked."""

import os
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import certus
from certus.testing import seeded

COUNT = "count(scale=2)"


def spent(filter: certus.Filter | certus.Odometer) -> Fraction:
    epsilon = filter.spent.epsilon
    assert epsilon is not None and epsilon.is_exact
    return epsilon.lower


def spent_upper(filter: certus.Filter) -> Fraction:
    assert filter.spent.epsilon is not None
    return filter.spent.epsilon.upper


def test_a_budget_stops_where_it_ends() -> None:
    with certus.Filter(epsilon=1) as budget:
        first = budget.release(COUNT, [1, 1, 0], source=seeded("1"))
        assert first == certus.Mechanism(COUNT).release([1, 1, 0], source=seeded("1"))
        assert spent(budget) == Fraction(1, 2)
        budget.release(certus.Mechanism(COUNT), "1,1")
        with pytest.raises(certus.BudgetError) as refused:
            budget.release(COUNT, [1])
        assert str(refused.value) == (
            "the budget does not suffice: asked for pure, epsilon = 0.5, left pure, epsilon = 0; nothing was spent"
        )
        assert spent(budget) == 1
    with pytest.raises(certus.BudgetError, match="closed"):
        budget.release("laplace(scale=1000)", 1)
    assert spent(budget) == 1


def test_what_is_refused_costs_nothing() -> None:
    budget = certus.Filter(epsilon=1)
    refusals: list[tuple[Callable[[], Any], type[Exception]]] = [
        (lambda: budget.release(COUNT, "abc"), ValueError),
        (lambda: budget.release(COUNT, object()), TypeError),
        (lambda: budget.release("nothing(scale=1)", 1), ValueError),
        (lambda: budget.release(7, 1), TypeError),  # type: ignore[arg-type]
        (lambda: budget.release("gaussian(sigma=10)", 1), certus.BudgetError),
        (lambda: budget.release("randomized_response(gamma=1/4)", 1), certus.BudgetError),
        (lambda: budget.release("laplace(scale=1/2)", 1), certus.BudgetError),
    ]
    for attempt, error in refusals:
        with pytest.raises(error):
            attempt()
        assert spent(budget) == 0


def test_kinds() -> None:
    with certus.Filter(rho="1/100") as zcdp:
        zcdp.release("gaussian(sigma=10)", 3)
        assert zcdp.remaining.rho is not None and zcdp.remaining.rho.lower == Fraction(1, 200)
    approximate = certus.Filter(epsilon=1, delta=1e-6)
    approximate.release(COUNT, [1])
    assert approximate.remaining.delta is not None and approximate.remaining.delta.lower == Fraction(1, 10**6)
    renyi = certus.Filter(alpha=4, epsilon=1)
    renyi.release("gaussian(sigma=10)", 3)
    assert renyi.spent.epsilon is not None and renyi.spent.epsilon.upper == Fraction(4, 200)
    changed = certus.Filter(epsilon=2, relation="change_one")
    changed.release("randomized_response(gamma=1/4)", 1)
    before = spent_upper(changed)
    # A change is a removal and an addition: two steps of 1/4.
    changed.release("count(scale=4)", [1])
    assert spent_upper(changed) - before == Fraction(1, 2)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "budget"),
        ({"epsilon": 1, "rho": 1}, "budget"),
        ({"delta": 0.1}, "budget"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "budget"),
        ({"alpha": 1, "epsilon": 1}, "budget"),
        ({"epsilon": 1, "relation": "any"}, "relation"),
    ],
)
def test_bad_budgets(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}: "):
        certus.Filter(**arguments)


def test_saved_and_restored() -> None:
    budget = certus.Filter(epsilon=1)
    budget.release(COUNT, [1])
    text = budget.save()
    for gone in (lambda: budget.release(COUNT, [1]), budget.save, lambda: budget.spent):
        with pytest.raises(certus.BudgetError, match="saved"):
            gone()
    again = certus.Filter.restore(text)
    assert spent(again) == Fraction(1, 2)
    again.release(COUNT, [1])
    with pytest.raises(certus.BudgetError):
        again.release(COUNT, [1])
    for bad in ("", "{}", text.replace("1/2", "3/2"), text * 10000):
        with pytest.raises(ValueError, match="^text: must be what save"):
            certus.Filter.restore(bad)


def test_an_odometer_counts_without_an_end() -> None:
    with certus.Odometer("pure") as odometer:
        for _ in range(5):
            odometer.release(COUNT, [1])
        assert spent(odometer) == Fraction(5, 2)
    with pytest.raises(certus.BudgetError, match="closed"):
        odometer.release(COUNT, [1])
    again = certus.Odometer.restore(odometer.save())
    again.release(COUNT, [1])
    assert spent(again) == 3
    renyi = certus.Odometer("renyi", alpha="3/2")
    renyi.release("gaussian(sigma=10)", 0)
    assert renyi.spent.alpha is not None and renyi.spent.alpha.lower == Fraction(3, 2)
    for kind, options in (("zCDP", {}), ("renyi", {}), ("pure", {"alpha": 2}), ("renyi", {"alpha": 1})):
        with pytest.raises(ValueError, match="^(kind|alpha): "):
            certus.Odometer(kind, **options)  # type: ignore[arg-type]


def test_a_child_of_a_fork_does_not_spend() -> None:
    budget = certus.Filter(epsilon=1)
    attempts: list[Callable[[], Any]] = [lambda: budget.release(COUNT, [1]), budget.save]
    for attempt in attempts:
        child = os.fork()
        if child == 0:
            try:
                attempt()
            except certus.BudgetError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_threads_never_pass_it_together() -> None:
    budget = certus.Filter(epsilon=10)
    paid: list[Any] = []

    def work() -> None:
        for _ in range(50):
            try:
                paid.append(budget.release("laplace(scale=10)", 0))
            except certus.BudgetError:
                return

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paid) == 100 and spent(budget) == 10


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_the_sum_of_what_was_paid_is_exact(scales: list[int]) -> None:
    budget, total = certus.Filter(epsilon=1), Fraction(0)
    for scale in scales:
        cost = Fraction(1, scale)
        if total + cost <= 1:
            budget.release(f"laplace(scale={scale})", 0)
            total += cost
        else:
            with pytest.raises(certus.BudgetError):
                budget.release(f"laplace(scale={scale})", 0)
        assert spent(budget) == total
