"""One confidence for all audits of a test session.

An audit that is at confidence 1 - alpha_k calls a true claim false with probability at most alpha_k. The k-th
audit of a session has alpha_k = alpha / (k * (k + 1)), which add up to alpha over any number of audits: the
session as a whole calls a true claim false with probability at most alpha, whatever the order and the number
of its audits, and wherever it stops. Of W processes that share a session each has alpha / W.
"""

import contextlib
import itertools
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._audit import AuditResult

DEFAULT = Fraction(999, 1000)
LEAST = Fraction(1, 9 * 10**11)  # the least alpha of an audit


@dataclass
class Record:
    """An audit of the session, as the summary shows it."""

    test: str
    name: str
    verdict: str
    epsilon: str
    delta: str
    epsilon_lower: str
    samples: int
    share: str
    own: bool

    def row(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass
class Session:
    """The audits of a session, and what is left of its confidence."""

    confidence: Fraction
    workers: int = 1
    records: list[Record] = field(default_factory=list)
    _taken: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> int:
        """The number of the next audit, from 1: the least that no audit has."""
        with self._lock:
            number = next(k for k in itertools.count(1) if k not in self._taken)
            self._taken.add(number)
            return number

    def give_back(self, number: int) -> None:
        """An audit came to no verdict, and spent nothing."""
        with self._lock:
            self._taken.discard(number)

    def share(self, number: int) -> Fraction:
        """The alpha of an audit."""
        return (1 - self.confidence) / (self.workers * number * (number + 1))

    def note(self, result: "AuditResult", shared: bool) -> None:
        """Keeps what the summary shows of an audit."""
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" ", 1)[0]
        document = result.document
        row = Record(
            test=test,
            name=result.name,
            verdict=result.verdict,
            epsilon=document["epsilon"],
            delta=document["delta_claimed"],
            epsilon_lower=document["epsilon_lower"],
            samples=sum(result.samples),
            share=f"{float(1 - Fraction(document['confidence'])):.2g}",
            own=not shared,
        )
        self.records.append(row)


current: Session | None = None


@contextlib.contextmanager
def confidence(given: Any) -> Iterator[tuple[Any, bool]]:
    """The confidence of an audit, and whether it is a share of the session's, which is spent if all goes well."""
    session = current
    if given is not None or session is None:
        yield (DEFAULT if given is None else given), False
        return
    number = session.take()
    try:
        share = session.share(number)
        if share < LEAST:
            raise ValueError(
                f"the session has no confidence left for an audit number {number}: "
                "ask for less by --certus-confidence, or give an audit its own by confidence="
            )
        yield 1 - share, True
    except BaseException:
        session.give_back(number)
        raise
