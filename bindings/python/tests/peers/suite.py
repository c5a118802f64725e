"""A test suite as a user has one: the noise of three libraries, and a mechanism of the user's own.

`test_my_report` has a bug, and has to fail: tests/test_plugin.py runs this file with the plugin and reads what
is said. By itself it is `pytest tests/peers/suite.py`, which needs diffprivlib, opendp and scikit-learn < 1.6.
"""

from typing import Any

import numpy as np
import pytest

from certus.testing import assert_private


def numpy_geometric(x: int, n: int) -> Any:
    """The difference of two geometric variables is discrete Laplace noise: integers, at epsilon 1."""
    rng = np.random.default_rng()
    p = 1 - np.exp(-1.0)
    return x + rng.geometric(p, n) - rng.geometric(p, n)


def test_numpy() -> None:
    assert_private(numpy_geometric, 10, 11, epsilon=1)


def test_diffprivlib() -> None:
    mechanisms = pytest.importorskip("diffprivlib.mechanisms", exc_type=ImportError)
    mechanism = mechanisms.Geometric(epsilon=1, sensitivity=1)
    assert_private(mechanism.randomise, 10, 11, epsilon=1, name="diffprivlib Geometric")


def test_opendp() -> None:
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    # Independent noise on each of n entries: n releases in one call.
    laplace = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=1.0)
    assert_private(lambda x, n: laplace([x] * n), 10, 11, epsilon=laplace.map(1), name="opendp make_laplace")


def my_report(ages: list[int], n: int) -> Any:
    """The mean age with Laplace noise, at epsilon 1: ages are at most 100, which a person moves the sum by.

    Here is the bug: the noise has the scale of a mean over all people who were asked, and the sum is divided
    by the number of those who answered.
    """
    answered = [age for age in ages if age > 0]
    total = sum(min(age, 100) for age in answered)
    noise = np.random.default_rng().laplace(0, 100 / len(ages), n)
    return np.rint(total / len(answered) + noise).astype(np.int64)


def test_my_report() -> None:
    assert_private(my_report, [40, 0, 0, 20], [40, 0, 0, 100], epsilon=1)


def test_floats_of_numpy_are_not_private() -> None:
    """Laplace noise in floats is no real number: which floats come depends on the answer (Mironov 2012)."""
    rng = np.random.default_rng()
    with pytest.raises(AssertionError, match="is not .epsilon = 1, delta = 0.-private"):
        assert_private(lambda x, n: x + rng.laplace(0, 1, n), 0.0, 1.0, epsilon=1, name="numpy laplace")
