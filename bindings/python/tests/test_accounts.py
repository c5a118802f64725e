"""Accounts: the command's answers."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import certus

# For calls that a type checker would refuse.
untyped: Any = certus


def agrees(found: certus.Enclosure, printed: dict[str, str], digits: int = 15) -> bool:
    """Whether the command's decimals are these bounds, rounded outward to three digits more than were asked for, or
    to fewer where it shows only those that the width leaves."""
    lower, upper = Fraction(printed["lower"]), Fraction(printed["upper"])
    slack = Fraction(1, 10 ** (digits + 2)) * found.upper + found.width
    return lower <= found.lower <= lower + slack and upper - slack <= found.upper <= upper


PLANS = [
    ["laplace(scale=1)"],
    ["gaussian(sigma=10)*100", "laplace(scale=20)*5"],
    ["histogram(keys=2, scale=1)", "count(scale=3)*2"],
    ["subsampled_gaussian(sigma=2, rate=1/100)*50"],
]


@pytest.mark.parametrize("specs", PLANS)
def test_delta_and_epsilon_are_the_commands(command: Callable[..., Any], specs: list[str]) -> None:
    plan = certus.Plan(specs)
    document = command("account", *specs, "--epsilon", "1/2", "--digits", "8")
    found = plan.delta(epsilon=0.5, digits=8)
    assert agrees(found, document["delta"], 8)
    assert (found.method, found.narrow, found.attained) == tuple(document[key] for key in ("method", "narrow", "attained"))
    document = command("account", *specs, "--delta", "1e-6", "--digits", "8")
    found = plan.epsilon(delta=1e-6, digits=8)
    assert agrees(found, document["epsilon"], 8)
    assert plan.relation == document["relation"]


@pytest.mark.parametrize("specs", PLANS[:3])
def test_profiles_are_the_commands(command: Callable[..., Any], specs: list[str]) -> None:
    for options, keywords in [((), {}), (("--to", "2", "--points", "5"), {"to": 2, "points": 5})]:
        rows = command("account", *specs, "--profile", *options)["profile"]
        found = certus.Plan(specs).profile(**keywords)
        assert [str(epsilon) for epsilon, _ in found] == [row["epsilon"] for row in rows]
        assert all(agrees(delta, row["delta"]) for (_, delta), row in zip(found, rows, strict=True))


def test_the_trade_off_curve(command: Callable[..., Any]) -> None:
    specs = ["gaussian(sigma=10)*100"]
    rows = command("account", *specs, "--epsilon", "1", "--summary")["summary"]["trade_off"]
    found = certus.Plan(specs).trade_off([row["false_positives"] for row in rows])
    for rate, row in zip(found, rows, strict=True):
        printed = row["false_negatives"]
        # Two enclosures of one truth.
        assert rate.lower <= Fraction(printed["upper"]) and Fraction(printed["lower"]) <= rate.upper
        assert rate.width < Fraction(1, 10**7)
    one = certus.Plan("randomized_response(gamma=1/4)").trade_off("1/4")
    assert Fraction(1, 4) in one


def test_copies_and_order_do_not_matter() -> None:
    mechanism = certus.Mechanism("gaussian(sigma=10)")
    plans = [
        certus.Plan(["gaussian(sigma=10)*6", "laplace(scale=5)"]),
        certus.Plan(["laplace(scale=5)", (mechanism, 5), mechanism]),
        certus.Plan(["gaussian(sigma2=100)*5", "laplace(scale=5)", ("gaussian(sigma=10)", 1)]),
    ]
    first, *others = (plan.epsilon(delta=1e-6) for plan in plans)
    assert all(other == first for other in others)


def test_relations(command: Callable[..., Any]) -> None:
    specs = ["histogram(keys=2, scale=1)", "mean_of_known(lower=-1, upper=1, records=4, scale=2)"]
    with pytest.raises(ValueError, match="^mechanisms: must all be for the same neighbours: relation='change_one'"):
        certus.Plan(specs)
    plan = certus.Plan(specs, relation="change_one")
    assert plan.relation == "change_one" and plan.epsilon(delta=0).lower == 3
    with pytest.raises(ValueError, match="^relation: "):
        certus.Plan(specs, relation="add_remove")


def test_dp_sgd(command: Callable[..., Any]) -> None:
    plan = certus.dp_sgd(noise_multiplier=2, rate=0.02, steps=20, coordinates=10**6)
    spec = "dp_sgd(noise_multiplier=2, rate=1/50, clip=1048576, coordinates=1000000)*20"
    assert plan.mechanisms == [spec] and plan.relation == "add_remove"
    document = command("account", spec, "--epsilon", "1/4", "--digits", "3")
    assert agrees(plan.delta(epsilon="1/4", digits=3), document["delta"], 3)


@pytest.mark.parametrize(
    ("noise", "keywords"),
    [
        ("gaussian", {"epsilon": 1, "delta": 1e-5}),
        ("gaussian", {"epsilon": 40, "delta": 0.1}),
        ("gaussian", {"epsilon": 1, "delta": 1e-5, "sensitivity": 3, "step": "1/4"}),
        ("gaussian", {"epsilon": 1, "delta": 1e-5, "sensitivity2": 5, "coordinates": 10, "step": 1}),
        ("laplace", {"epsilon": 0.1}),
        ("laplace", {"epsilon": 1, "delta": 0.001, "sensitivity": 2}),
    ],
)
def test_calibrations_are_the_commands(command: Callable[..., Any], noise: Any, keywords: dict[str, Any]) -> None:
    options = [part for key, value in keywords.items() for part in (f"--{key}", str(value))]
    document = command("calibrate", noise, *options, *(() if "delta" in keywords else ("--delta", "0")))
    found = certus.calibrate(noise, **keywords)
    assert found.spec == document["spec"] and str(found.step) == document["step"]
    assert (found.smallest, found.excluded) == (document["smallest"], document["excluded"])
    assert Fraction(document["delta"]["lower"]) <= found.delta.lower
    assert found.delta.upper <= Fraction(document["delta"]["upper"])


@pytest.mark.parametrize(
    ("call", "error", "line"),
    [
        (lambda: untyped.Plan([]), ValueError, "a plan must have at least one mechanism"),
        (lambda: untyped.Plan(5), TypeError, "mechanisms: must be a list of specs, not int"),
        (lambda: untyped.Plan([5]), TypeError, "mechanisms: must be specs, Mechanisms, or pairs"),
        (lambda: untyped.Plan(["laplace(scale=0)"]), ValueError, "mechanisms: laplace: scale: must be positive"),
        (lambda: untyped.Plan([("laplace(scale=1)*2", 3)]), ValueError, "mechanisms: must not have copies both"),
        (lambda: untyped.Plan([("laplace(scale=1)", 0)]), ValueError, "copies: must be an integer from 1 to"),
        (lambda: untyped.Plan("laplace(scale=1)", relation="both"), ValueError, "relation: must be 'add_remove' or"),
        (lambda: untyped.Plan("laplace(scale=1)").delta(epsilon=-1), ValueError, "epsilon: must not be negative"),
        (lambda: untyped.Plan("laplace(scale=1)").delta(epsilon=1, digits=0), ValueError, "digits: must be an integer"),
        (lambda: untyped.Plan("laplace(scale=1)").epsilon(delta=1), ValueError, "delta: must be at least 0 and below 1"),
        (lambda: untyped.Plan("laplace(scale=1)").epsilon(delta=2), ValueError, "delta: must be between 0 and 1"),
        (lambda: untyped.Plan("gaussian(sigma=1)").epsilon(delta=0), ValueError, "no epsilon suffices"),
        (lambda: untyped.Plan("laplace(scale=1)").trade_off(2), ValueError, "false_positives: must be between"),
        (lambda: untyped.Plan("laplace(scale=1)").profile(to=0), ValueError, "to: must be positive"),
        (lambda: untyped.Plan("laplace(scale=1)").profile(points=1), ValueError, "points: must be an integer from 2"),
        (lambda: untyped.calibrate("cauchy", epsilon=1), ValueError, "noise: must be 'laplace' or 'gaussian'"),
        (lambda: untyped.calibrate("gaussian", epsilon=1), ValueError, "delta: must be above 0 for gaussian"),
        (lambda: untyped.calibrate("laplace", epsilon=0), ValueError, "epsilon: must be positive"),
        (lambda: untyped.calibrate("laplace", epsilon=1, coordinates=2), ValueError, "coordinates: must be given for"),
        (lambda: untyped.dp_sgd(noise_multiplier=1, rate=2, steps=1, coordinates=1), ValueError, "rate: must be between"),
    ],
)
def test_bad_input_is_one_clear_exception(call: Callable[[], Any], error: type[Exception], line: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(line) and "\n" not in str(raised.value)
