"""A target of the field audits: a library's mechanism, on two neighbouring inputs, with the claim of the library itself.

    @target("laplace, floats", mechanism="Laplace", a=0.0, b=1.0, claim=(1, 0))
    def laplace(value):
        mechanism = ...            # made once a process
        return lambda: mechanism.randomise(value)

`claim` is (ε, δ), or a function without arguments that reads it from the library. `proof`: noise on integers that is right
by proof, on which an alarm is ours to explain. `public`: where a violation is published already; others are withheld.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TARGETS: list[Target] = []


@dataclass(frozen=True)
class Target:
    name: str
    mechanism: str
    make: Callable[[Any], Callable[[], Any]]
    a: Any
    b: Any
    claim: tuple[float, float] | Callable[[], tuple[float, float]]
    proof: bool
    public: str | None
    samples: int | None

    def claimed(self) -> tuple[float, float]:
        return self.claim() if callable(self.claim) else self.claim


def target(name, *, mechanism, a, b, claim, proof=False, public=None, samples=None):
    """Registers a target; several inputs of one mechanism are several targets."""

    def register(make):
        if any(other.name == name for other in TARGETS):
            raise ValueError(f"two targets are called {name}")
        TARGETS.append(Target(name, mechanism, make, a, b, claim, proof, public, samples))
        return make

    return register


# Noise of floats by inverting a distribution function leaves holes and low bits that tell the input.
FLOATING_POINT = "https://doi.org/10.1145/2382196.2382264"


def text(value: Any) -> str:
    """An output as a line: numbers as they are, lists with brackets."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(part) for part in value) + "]"
    return repr(value) if isinstance(value, float) else str(value)
