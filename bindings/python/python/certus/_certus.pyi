from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Answer",
    "BudgetError",
    "Calibration",
    "Certificate",
    "Column",
    "Enclosure",
    "Filter",
    "Gaussian",
    "Guarantee",
    "Laplace",
    "Mechanism",
    "Noise",
    "Odometer",
    "Plan",
    "Seeded",
    "calibrate",
    "describe",
    "dp_sgd",
    "mechanisms",
    "run_command",
]

_Number: TypeAlias = int | float | str | Fraction | Decimal | SupportsIndex
_Sampler: TypeAlias = Literal["prepared", "fixed", "reference"]
_Relation: TypeAlias = Literal["add_remove", "change_one"]
_Released: TypeAlias = None | int | Fraction | str | list["_Released"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Arrow: TypeAlias = _ArrowArray | _ArrowStream

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
    @overload
    def sample(
        self,
        n: _Number,
        *,
        into: Literal["numpy"] = "numpy",
        threads: _Number | None = None,
        source: Seeded | None = None,
    ) -> NDArray[np.int64]: ...
    @overload
    def sample(
        self, n: _Number, *, into: Literal["arrow"], threads: _Number | None = None, source: Seeded | None = None
    ) -> Column: ...
    def sample_integers(self, n: _Number, *, source: Seeded | None = None) -> list[int]: ...
    @overload
    def add(
        self, x: _Arrow, *, threads: _Number | None = None, source: Seeded | None = None
    ) -> Column: ...
    @overload
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
    def certify(
        self,
        data: Any | None = None,
        neighbour: Any | None = None,
        *,
        mode: Literal["structural", "flat"] = "structural",
        depth: _Number | None = None,
    ) -> Certificate: ...
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
class Certificate:
    @property
    def holds(self) -> bool: ...
    def json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

@final
class Column:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def to_pylist(self) -> list[int]: ...

class BudgetError(RuntimeError): ...

@final
class Filter:
    def __new__(
        cls,
        *,
        epsilon: _Number | None = None,
        delta: _Number | None = None,
        rho: _Number | None = None,
        alpha: _Number | None = None,
        relation: _Relation | None = None,
    ) -> Filter: ...
    def release(self, mechanism: str | Mechanism, data: Any, *, source: Seeded | None = None) -> _Released: ...
    @property
    def spent(self) -> Guarantee: ...
    @property
    def remaining(self) -> Guarantee: ...
    def save(self) -> str: ...
    @staticmethod
    def restore(text: str) -> Filter: ...
    def __enter__(self) -> Filter: ...
    def __exit__(self, *_exception: object) -> bool: ...

@final
class Odometer:
    def __new__(
        cls,
        kind: Literal["pure", "approximate", "zcdp", "renyi"],
        *,
        alpha: _Number | None = None,
        relation: _Relation | None = None,
    ) -> Odometer: ...
    def release(self, mechanism: str | Mechanism, data: Any, *, source: Seeded | None = None) -> _Released: ...
    @property
    def spent(self) -> Guarantee: ...
    def save(self) -> str: ...
    @staticmethod
    def restore(text: str) -> Odometer: ...
    def __enter__(self) -> Odometer: ...
    def __exit__(self, *_exception: object) -> bool: ...

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
    def plot(
        self, kind: Literal["profile", "trade_off"] = "profile", *, ax: Any | None = None, **options: Any
    ) -> Any: ...
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
def run_command(arguments: list[str]) -> int: ...
