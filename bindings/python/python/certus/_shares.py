"""One confidence for all audits of a test session.

An audit at confidence 1 - alpha_k calls a true claim false with probability at most alpha_k. The k-th audit
of a session has alpha_k = alpha / (k * (k + 1)), which add up to alpha over any number of audits: the session
as a whole calls a true claim false with probability at most alpha, whatever the order and the number of its
audits, and wherever it stops. Of W processes that share a session each has alpha / W.
"""

from __future__ import annotations

import itertools
import os
import threading
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._audit import AuditResult

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

    def confidence_of(self, number: int) -> Fraction:
        """The confidence of an audit; ValueError where there is too little left."""
        share = self.share(number)
        if share < LEAST:
            raise ValueError(
                f"the session has no confidence left for an audit number {number}: "
                "ask for less by --certus-confidence, or give an audit its own by confidence="
            )
        return 1 - share

    def note(self, result: AuditResult, shared: bool) -> None:
        """Keeps what the summary shows of an audit."""
        document = result.document
        record = Record(
            test=os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" ", 1)[0],
            name=result.name,
            verdict=result.verdict,
            epsilon=document["epsilon"],
            delta=document["delta_claimed"],
            epsilon_lower=document["epsilon_lower"],
            samples=sum(result.samples),
            share=f"{float(1 - Fraction(document['confidence'])):.2g}",
            own=not shared,
        )
        self.records.append(record)
