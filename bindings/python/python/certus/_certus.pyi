from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, SupportsIndex, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Answer",
    "Calibration",
    "Enclosure",
    "Gaussian",
    "Guarantee",
    "Laplace",
    "Mechanism",
    "Noise",
    "Plan",
    "Seeded",
    "calibrate",
    "describe",
    "dp_sgd",
    "mechanisms",
]

_Number: TypeAlias = int | float | str | Fraction | Decimal | SupportsIndex
_Sampler: TypeAlias = Literal["prepared", "fixed", "reference"]
_Relation: TypeAlias = Literal["add_remove", "change_one"]
_Released: TypeAlias = None | int | Fraction | str | list["_Released"]

class Enclosure:
    @property
    def lower(self) -> Fraction: ...
    @property
    def upper(self) -> Fraction: ...
    @property
    def width(self) -> Fraction: ...
    @property
    def is_exact(self) -> bool: ...
    def __contains__(self, key: _Number, /) -> bool: ...

@final
class Answer(Enclosure):
    @property
    def method(self) -> str: ...
    @property
    def narrow(self) -> bool: ...
    @property
    def attained(self) -> bool: ...

@final
class Seeded:
    def __new__(cls, seed: bytes | str) -> Seeded: ...

class Noise:
    @property
    def sampler(self) -> _Sampler: ...
    def sample(
        self, n: _Number, *, threads: _Number | None = None, source: Seeded | None = None
    ) -> NDArray[np.int64]: ...
    def sample_integers(self, n: _Number, *, source: Seeded | None = None) -> list[int]: ...
    def add(
        self,
        x: NDArray[np.int64],
        *,
        out: NDArray[np.int64] | None = None,
        threads: _Number | None = None,
        source: Seeded | None = None,
    ) -> NDArray[np.int64]: ...
    def add_integers(self, values: Iterable[SupportsIndex], *, source: Seeded | None = None) -> list[int]: ...

@final
class Laplace(Noise):
    def __new__(cls, scale: _Number, *, sampler: _Sampler = "prepared") -> Laplace: ...
    @property
    def scale(self) -> Fraction: ...

@final
class Gaussian(Noise):
    def __new__(
        cls, sigma: _Number | None = None, *, sigma2: _Number | None = None, sampler: _Sampler = "prepared"
    ) -> Gaussian: ...
    @property
    def sigma2(self) -> Fraction: ...

@final
class Guarantee:
    @property
    def kind(self) -> Literal["pure", "approximate", "zcdp", "renyi"]: ...
    @property
    def epsilon(self) -> Enclosure | None: ...
    @property
    def delta(self) -> Enclosure | None: ...
    @property
    def rho(self) -> Enclosure | None: ...
    @property
    def alpha(self) -> Enclosure | None: ...
    @property
    def relation(self) -> _Relation | None: ...

@final
class Mechanism:
    def __new__(cls, spec: str, *, sampler: _Sampler | None = None) -> Mechanism: ...
    def release(self, data: Any, *, source: Seeded | None = None) -> _Released: ...
    def sample_many(self, data: Any, n: _Number, *, source: Seeded | None = None) -> list[_Released]: ...
    @property
    def guarantee(self) -> Guarantee | None: ...
    @property
    def spec(self) -> str: ...
    @property
    def sampler(self) -> _Sampler: ...
    @property
    def neighbours(self) -> tuple[str, str]: ...

@final
class Plan:
    def __new__(
        cls,
        mechanisms: str | Mechanism | Iterable[str | Mechanism | tuple[str | Mechanism, _Number]],
        *,
        relation: _Relation | None = None,
    ) -> Plan: ...
    def delta(self, epsilon: _Number, *, digits: _Number | None = None) -> Answer: ...
    def epsilon(self, delta: _Number, *, digits: _Number | None = None) -> Answer: ...
    def profile(
        self, *, to: _Number | None = None, points: _Number | None = None, digits: _Number | None = None
    ) -> list[tuple[Fraction, Answer]]: ...
    @overload
    def trade_off(self, false_positives: _Number, *, digits: _Number | None = None) -> Enclosure: ...
    @overload
    def trade_off(
        self, false_positives: list[_Number] | tuple[_Number, ...], *, digits: _Number | None = None
    ) -> list[Enclosure]: ...
    @property
    def mechanisms(self) -> list[str]: ...
    @property
    def relation(self) -> _Relation | None: ...

@final
class Calibration:
    @property
    def scale(self) -> Fraction: ...
    @property
    def step(self) -> Fraction: ...
    @property
    def delta(self) -> Enclosure: ...
    @property
    def below(self) -> tuple[Fraction, Enclosure] | None: ...
    @property
    def smallest(self) -> bool: ...
    @property
    def excluded(self) -> Literal["every", "next", "nothing"]: ...
    @property
    def spec(self) -> str: ...

def calibrate(
    noise: Literal["laplace", "gaussian"],
    *,
    epsilon: _Number,
    delta: _Number | None = None,
    sensitivity: _Number | None = None,
    sensitivity2: _Number | None = None,
    coordinates: _Number | None = None,
    step: _Number | None = None,
) -> Calibration: ...
def dp_sgd(
    *, noise_multiplier: _Number, rate: _Number, steps: _Number, coordinates: _Number, clip: _Number | None = None
) -> Plan: ...
def mechanisms() -> list[str]: ...
def describe(name: str) -> str: ...
