"""For tests only: randomness that somebody knows.

>>> import certus
>>> source = certus.testing.seeded("2a")
>>> certus.Laplace(scale="5/2", sampler="reference").sample(5, source=source).tolist()
[0, 0, -4, 0, 1]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._audit import SAMPLES, AuditResult, audit
from ._certus import Seeded

if TYPE_CHECKING:
    from ._certus import _Number

__all__ = ["Seeded", "assert_private", "seeded"]


def seeded(seed: bytes | str) -> Seeded:
    """A stream of bits under a seed: 32 bytes, or hexadecimal digits as the command's --seed takes them.

    Handed to a call as `source`, it makes what that call draws predictable: for tests, never for a release.
    """
    return Seeded(seed)


def assert_private(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    epsilon: _Number = 1,
    delta: _Number = 0,
    samples: int = SAMPLES,
    confidence: _Number | None = None,
    batched: bool | None = None,
    name: str | None = None,
    strict: bool = False,
    source: Seeded | None = None,
) -> AuditResult:
    """Audits f between the neighbouring inputs a and b, and raises AssertionError if it is not private.

    All arguments are `certus.audit`'s. strict: also where there are too few samples to say. Under pytest all
    audits of a session share one confidence, --certus-confidence.

    >>> noise = certus.Laplace(scale=1)
    >>> certus.testing.assert_private(lambda x, n: x + noise.sample(n), 0, 3, name="weak")
    Traceback (most recent call last):
    AssertionError: weak is not (epsilon = 1, delta = 0)-private between 0 and 3, at confidence 0.999:
      the number is ...: ... times of ... on 0, and ... times of ... on 3
      cause: often noise of too small a scale, or a sensitivity that is understated
      at the claimed delta, epsilon is at least 2...
      at the claimed epsilon, delta is at least 0...
    """
    __tracebackhide__ = True
    result = audit(
        f,
        a,
        b,
        epsilon=epsilon,
        delta=delta,
        samples=samples,
        confidence=confidence,
        batched=batched,
        name=name,
        source=source,
    )
    if result.verdict == "violation" or (strict and result.verdict == "inconclusive"):
        raise AssertionError(explain(result))
    return result


def explain(result: AuditResult) -> str:
    """What was found, for the message of a test that fails."""
    document = result.document
    a, b = document["inputs"] or ("a", "b")
    a, b = (a, b) if a != b else (f"a ({a})", f"b ({b})")
    claim = f"(epsilon = {document['epsilon']}, delta = {document['delta_claimed']})-private between {a} and {b}"
    if result.verdict != "violation":
        return f"{result.name}: the samples are too few to say whether it is {claim}:\n{result}"
    lines = [f"{result.name} is not {claim}, at confidence {document['confidence']}:"]
    counts = result.counts
    if counts is not None:
        times = [f"{inside} times of {of} on {side}" for side, (inside, of) in zip((a, b), counts.values())]
        lines.append(f"  {result.words}: {times[0]}, and {times[1]}")
    if result.cause is not None:
        lines.append(f"  cause: {result.cause}")
    lines.append(f"  at the claimed delta, epsilon is at least {document['epsilon_lower']}")
    if document["delta_lower"] != "0":
        lines.append(f"  at the claimed epsilon, delta is at least {document['delta_lower']}")
    return "\n".join(lines + [f"  note: {note}" for note in result.notes])
