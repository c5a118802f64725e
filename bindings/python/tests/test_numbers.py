"""Numbers in: exactly, and what is none is refused. Enclosures out."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import certus


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-6, Fraction(1, 10**6)),
        (1e22, Fraction(10**22)),
        (5e-324, Fraction(5, 10**324)),
        ("5/2", Fraction(5, 2)),
        ("1e-3", Fraction(1, 1000)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Decimal("1E+3"), Fraction(1000)),
        (np.int32(7), Fraction(7)),
        (np.float64(0.1), Fraction(1, 10)),
        (10**400, Fraction(10**400)),
        (Fraction(1, 3**500), Fraction(1, 3**500)),
    ],
)
def test_a_parameter_is_what_it_prints_as(given: Any, exact: Fraction) -> None:
    assert certus.Laplace(scale=given, sampler="reference").scale == exact


@pytest.mark.parametrize("float_", [0.1, 1 / 3, 2**0.5, 1e300, 1.7976931348623157e308, 2.2250738585072014e-308])
def test_a_float_is_its_repr(float_: float) -> None:
    assert certus.Laplace(scale=float_, sampler="reference").scale == Fraction(repr(float_))


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (0, ValueError, "scale: must be positive (> 0)"),
        (-1, ValueError, "scale: must be positive (> 0)"),
        (float("nan"), ValueError, "scale: must be finite: not nan or infinity"),
        (float("inf"), ValueError, "scale: must be finite: not nan or infinity"),
        (Decimal("NaN"), ValueError, "scale: must be finite: not nan or infinity"),
        (Decimal("-Infinity"), ValueError, "scale: must be finite: not nan or infinity"),
        (Decimal("1e999999"), ValueError, "scale: "),
        ("1/0", ValueError, "scale: must have a denominator other than zero"),
        ("abc", ValueError, "scale: must be an integer, a decimal"),
        ("inf", ValueError, "scale: must be an integer, a decimal"),
        (1 << 10_000, ValueError, "scale: must have at most 8192 binary digits"),
        (True, TypeError, "scale: must be an int, a Fraction, a Decimal, a float or text"),
        (None, TypeError, "scale: must be an int"),
        ([1], TypeError, "scale: must be an int"),
        (1j, TypeError, "scale: must be an int"),
    ],
)
def test_what_is_no_number_is_refused_in_one_line(given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        certus.Laplace(scale=given)
    assert str(raised.value).startswith(text)
    assert "\n" not in str(raised.value)


def test_enclosures() -> None:
    answer = certus.Plan(["gaussian(sigma=10)*100"]).epsilon(delta=1e-6)
    assert isinstance(answer, certus.Enclosure)
    assert isinstance(answer.lower, Fraction) and answer.lower < answer.upper
    assert answer.width == answer.upper - answer.lower
    assert answer.lower in answer and answer.upper + 1 not in answer
    assert str(answer).startswith("[4.") and len(str(answer)) < 24
    assert repr(answer) == f"<Answer {answer}, by {answer.method}>"
    exact = certus.Mechanism("laplace(scale=3)").guarantee
    assert exact is not None and exact.epsilon is not None
    assert exact.epsilon.is_exact and exact.epsilon.lower == Fraction(1, 3)
    assert str(exact.epsilon) == "1/3"
