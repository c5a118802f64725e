"""The public constants of a training run, and what it costs: fixed before the data are looked at."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .._certus import Answer, Plan, _rational, dp_sgd
from .rounding import MOST_GRID_BITS

if TYPE_CHECKING:
    from .._certus import _Number

#: bound·most is below this, and noise too, so that a noisy sum fits int64.
MOST_SUM = 2**62

#: The widest noise, in steps of the grid.
MOST_SIGMA = 2**50


class PlanWarning(UserWarning):
    """A constant of a plan may have been computed from private data."""


@dataclass(frozen=True)
class TrainingPlan:
    """Every step draws each example with probability `rate`, adds up gradients of norm `clip`, adds noise of
    `noise_multiplier`·clip, divides by `divisor`, and hands this to the optimizer; `steps` times.

    All are public constants. None may be computed from the data set, whose size is private, nor from the number
    of examples that a step drew. most: no step draws more examples than this. The grid has 2^`grid_bits` steps a
    clip norm. `coordinates` is the number of trained parameters.
    """

    clip: Fraction
    noise_multiplier: Fraction
    rate: Fraction
    steps: int
    divisor: Fraction
    coordinates: int
    most: int = 2**32
    grid_bits: int = MOST_GRID_BITS

    @classmethod
    def of(
        cls,
        *,
        clip: _Number,
        noise_multiplier: _Number,
        rate: _Number,
        steps: _Number,
        divisor: _Number,
        coordinates: int,
        most: _Number = 2**32,
        grid_bits: _Number = MOST_GRID_BITS,
    ) -> TrainingPlan:
        """A plan whose constants are read exactly, and are in range."""
        plan = cls(
            clip=_positive(clip, "clip"),
            noise_multiplier=_positive(noise_multiplier, "noise_multiplier"),
            rate=_rational(rate, "rate"),
            steps=_count(steps, "steps", 10**9),
            divisor=_positive(divisor, "divisor"),
            coordinates=_count(coordinates, "coordinates", 2**40),
            most=_count(most, "most", 2**61),
            grid_bits=_count(grid_bits, "grid_bits", MOST_GRID_BITS),
        )
        if not 0 < plan.rate <= 1:
            raise ValueError("rate: must be above 0 and at most 1")
        if not 2.0**-100 < float(plan.clip) < 2.0**100:
            raise ValueError("clip: must be between 2^-100 and 2^100")
        if plan.bound * plan.most >= MOST_SUM:
            raise ValueError("most: must be below 2^62 divided by 2^grid_bits, so that sums fit int64")
        if plan.sigma > MOST_SIGMA:
            raise ValueError("noise_multiplier: must be at most 2^50 divided by 2^grid_bits, so that sums fit int64")
        return plan

    @property
    def bound(self) -> int:
        """The clip norm in steps of the grid: the L2 sensitivity of the sum."""
        return 1 << self.grid_bits

    @property
    def sigma(self) -> Fraction:
        """The noise in steps of the grid."""
        return self.noise_multiplier * self.bound

    def account(self, steps: int | None = None) -> Plan:
        """The account of the whole plan, or of so many steps that were declared beforehand."""
        return dp_sgd(
            noise_multiplier=self.noise_multiplier,
            rate=self.rate,
            steps=self.steps if steps is None else steps,
            coordinates=self.coordinates,
            clip=self.bound,
        )

    def spec(self) -> str:
        """One step, as `certus ledger init --declare` takes it, with *steps behind it."""
        return self.account(steps=1).mechanisms[0]

    def epsilon(self, delta: _Number) -> Answer:
        """The epsilon of the whole plan at a delta, to two digits; its upper end is what is guaranteed."""
        return self.account().epsilon(delta, digits=2)

    def check_public(self, size: int) -> None:
        """Refuses a divisor or rate that is plainly computed from the data set's size, and warns where it may be.

        Neighbours differ by one example, so such a plan is two plans. The size itself is never in the message.
        """
        if self.divisor == size and size > 0:
            raise ValueError("divisor: is the size of the data set, which is private: give a constant")
        if size > 0 and _is_of(self.rate, size):
            raise ValueError(
                "rate: is a batch divided by the size of the data set, which is private: give a constant, such as 0.01"
            )
        if self.divisor == self.rate * size:
            warnings.warn(
                "divisor: is rate times the size of the data set: if it was computed from len(dataset), it tells the "
                "size, which is private; give a constant",
                PlanWarning,
                stacklevel=4,
            )


def _is_of(rate: Fraction, size: int) -> bool:
    """Whether a rate is so many examples out of just this size, exactly or as the float that a division gives.

    A decimal of at most four places, and one part of at most a thousand, is what people write down.
    """
    if (rate * 10_000).denominator == 1 or (rate.numerator == 1 and rate.denominator <= 1000):
        return False
    batch = round(rate * size)
    return rate in (Fraction(batch, size), Fraction(repr(batch / size)))


def _positive(value: Any, name: str) -> Fraction:
    number = _rational(value, name)
    if number <= 0:
        raise ValueError(f"{name}: must be positive")
    return number


def _count(value: Any, name: str, most: int) -> int:
    number = _rational(value, name)
    if number.denominator != 1 or not 1 <= number <= most:
        raise ValueError(f"{name}: must be an integer from 1 to {most}")
    return int(number)
