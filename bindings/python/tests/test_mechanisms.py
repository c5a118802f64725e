"""Mechanisms: all of the catalogue, with the command's outputs for a seed."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import certus
from certus.testing import seeded


def example(name: str) -> str:
    """The first spec that the catalogue gives for a mechanism."""
    text = certus.describe(name)
    return text.split("for example: ")[1].split("; ")[0]


def text(released: Any) -> str:
    """As the command prints it."""
    if isinstance(released, list):
        return ",".join("-" if entry is None else text(entry) for entry in released)
    return "" if released is None else str(released)


@pytest.mark.parametrize("name", certus.mechanisms())
def test_every_mechanism_releases_what_the_command_does(command: Callable[..., Any], name: str) -> None:
    mechanism = certus.Mechanism(example(name))
    data = mechanism.neighbours[0]
    arguments = ["--seed", "5", "--input", data, "--sampler", "reference", "--raw"]
    document = command("sample", mechanism.spec, "-n", "40", *arguments)
    found = mechanism.sample_many(data, 40, source=seeded("5"))
    assert [text(released) for released in found] == document["samples"]
    assert text(mechanism.release(data, source=seeded("5"))) == document["samples"][0]


@pytest.mark.parametrize("by", ["prepared", "fixed"])
def test_samplers(command: Callable[..., Any], by: Any) -> None:
    mechanism = certus.Mechanism("gaussian(sigma=10)", sampler=by)
    assert mechanism.sampler == by
    document = command("sample", mechanism.spec, "-n", "2000", "--seed", "5", "--input", "7", "--sampler", by)
    assert list(map(str, mechanism.sample_many(7, 2000, source=seeded("5")))) == document["samples"]


def test_guarantees() -> None:
    pure = certus.Mechanism("exponential(epsilon=1, candidates=3)").guarantee
    assert pure is not None and pure.kind == "pure" and pure.epsilon is not None and pure.epsilon.upper == 1
    zcdp = certus.Mechanism("gaussian(sigma=10)").guarantee
    assert zcdp is not None and zcdp.rho is not None and zcdp.rho.lower == Fraction(1, 200) and zcdp.epsilon is None
    told = certus.Mechanism("randomized_response(gamma=1/4)").guarantee
    assert told is not None and str(told) == "pure, epsilon = [1.09861, 1.09862]; neighbours: change_one"
    assert certus.Mechanism("randomized_response(p=1)").guarantee is None


@pytest.mark.parametrize(
    ("spec", "data", "same"),
    [
        ("laplace(scale=2)", 10**30, str(10**30)),
        ("laplace(scale=2)", np.int64(7), "7"),
        ("exponential(epsilon=1, candidates=3)", [1, Fraction(1, 3), "0.1"], "1,1/3,0.1"),
        # A float in data is the dyadic number that it is.
        ("exponential(epsilon=1000000000000000000000, candidates=2)", [0.1, "0.1"], "3602879701896397/36028797018963968,0.1"),
        ("histogram(keys=3, scale=2)", np.array([0, 2, 2]), "0,2,2"),
        ("histogram(keys=3, scale=2)", (0, 2, 2), "0,2,2"),
        ("histogram(keys=3, scale=2)", [], ""),
        ("count(scale=2)", [True, False, True], "1,0,1"),
        ("count(scale=2)", np.array([True, False, True]), "1,0,1"),
    ],
)
def test_data_is_exact(spec: str, data: Any, same: str) -> None:
    mechanism = certus.Mechanism(spec)
    assert mechanism.sample_many(data, 20, source=seeded("1")) == mechanism.sample_many(same, 20, source=seeded("1"))


def test_people_and_their_keys() -> None:
    mechanism = certus.Mechanism(example("stability_histogram"))
    people = [["a", "b"], ["a"], [], ["c"]] * 30
    same = ";".join(",".join(keys) for keys in people)
    assert mechanism.release(people, source=seeded("1")) == mechanism.release(same, source=seeded("1"))
    for bad in [["a", "b"], [["a,b"]], [["a;b"]], [[" a"]], [[""]], [[1]], 5, {"a": 1}]:
        with pytest.raises((TypeError, ValueError), match="^data: "):
            mechanism.release(bad)


@pytest.mark.parametrize(
    ("spec", "data", "error", "line"),
    [
        ("exponential(epsilon=1, candidates=3)", [1, 2], ValueError, "data: "),
        ("laplace(scale=2)", 1.5, ValueError, "data: must be an integer"),
        ("laplace(scale=2)", float("nan"), ValueError, "data: must be finite: not nan or infinity"),
        ("laplace(scale=2)", None, TypeError, "data: must be numbers, not NoneType"),
        ("laplace(scale=2)", {"a": 1}, TypeError, "data: must be numbers, not dict"),
        ("histogram(keys=3, scale=2)", b"012", TypeError, "data: must be a number or a sequence of numbers, not bytes"),
        ("histogram(keys=3, scale=2)", [[1, 2]], TypeError, "data: must be numbers, not list"),
        ("histogram(keys=3, scale=2)", np.zeros((2, 2), int), TypeError, "data: must be numbers, not list"),
        ("histogram(keys=3, scale=2)", [1, None], TypeError, "data: must be numbers, not NoneType"),
        ("histogram(keys=3, scale=2)", [1, "x"], ValueError, "data: must be"),
    ],
)
def test_bad_data_is_one_clear_exception(spec: str, data: Any, error: type[Exception], line: str) -> None:
    with pytest.raises(error) as raised:
        certus.Mechanism(spec).release(data)
    assert str(raised.value).startswith(line) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("exponental(epsilon=1)", "spec: .*mechanism"),
        ("laplace(scale=0)", "spec: laplace: scale: must be positive"),
        ("laplace(scale=1, sclae=2)", "spec: laplace: sclae: unknown key; accepted: scale"),
        ("laplace(scale=1)*3", re.escape("spec: *k (k copies) is not accepted here: a plan takes copies")),
        ("laplace", "spec: "),
    ],
)
def test_bad_specs(spec: str, line: str) -> None:
    with pytest.raises(ValueError, match=line):
        certus.Mechanism(spec)


def test_no_fixed_work_for_choices() -> None:
    with pytest.raises(ValueError, match="sampler: the fixed-work sampler draws laplace and gaussian noise only"):
        certus.Mechanism("exponential(epsilon=1, candidates=3)", sampler="fixed")
