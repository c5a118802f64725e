"""Audits of anybody's mechanism: a claim tested on its outputs on two neighbouring inputs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from . import _session
from ._certus import Recording, Seeded, Tally, _audit, _check_claim, _render
from ._progress import Progress

# The package is imported at once: what only an audit needs is imported by it.
if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from ._certus import _Number

SAMPLES = 100_000
LEAST_SAMPLES, MOST_SAMPLES = 20, 1_000_000_000
BATCH = 1 << 20  # the most outputs that f is asked for at once
CALLS = 1 << 10  # calls of f(input) between two records
SHARD = 1 << 16  # a side has a shard for so many samples, at least two, at most 16
LONGEST_LABEL = 60


class AuditResult:
    """What an audit found: the command's document, and views of it.

    verdict: 'violation' (the claim is refuted at the confidence), 'consistent' (it is not, and a violation of
    a size that is stated would have been seen), or 'inconclusive' (there are too few samples to say).
    """

    def __init__(self, document: str) -> None:
        self._text = document
        self._document: dict[str, Any] = _parsed(document)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of `certus audit --json`; numbers that are bounds are text."""
        return _parsed(self._text)

    @property
    def name(self) -> str:
        """What was audited."""
        return str(self._document["target"])

    @property
    def verdict(self) -> Literal["violation", "consistent", "inconclusive"]:
        """'violation', 'consistent' or 'inconclusive'."""
        verdict: Literal["violation", "consistent", "inconclusive"] = self._document["verdict"]
        return verdict

    @property
    def epsilon(self) -> Fraction:
        """The claimed epsilon."""
        return _fraction(self._document["epsilon"])

    @property
    def delta(self) -> Fraction:
        """The claimed delta."""
        return _fraction(self._document["delta_claimed"])

    @property
    def epsilon_lower(self) -> Decimal:
        """Every epsilon below this is refuted at the claimed delta; rounded down."""
        return _decimal(self._document["epsilon_lower"])

    @property
    def delta_lower(self) -> Decimal:
        """The smallest delta at the claimed epsilon is at least this; rounded down."""
        return _decimal(self._document["delta_lower"])

    @property
    def delta_upper(self) -> Decimal | None:
        """It is at most this, between these two inputs; rounded up. None where the samples give no bound."""
        upper = self._document["delta_upper"]
        return None if upper is None else _decimal(upper)

    @property
    def confidence(self) -> Decimal:
        """How sure all of these are together; rounded down."""
        return _decimal(self._document["confidence"])

    @property
    def samples(self) -> tuple[int, int]:
        """The outputs of both sides."""
        return self._document["samples_a"], self._document["samples_b"]

    @property
    def event(self) -> str | None:
        """The event that tells the inputs apart best, as `certus replay` reads it."""
        event: str | None = self._document["event"]
        return event

    @property
    def words(self) -> str | None:
        """The event in words."""
        words: str | None = self._document["words"]
        return words

    @property
    def cause(self) -> str | None:
        """What usually causes such an event, where that is known."""
        cause: str | None = self._document["cause"]
        return cause

    @property
    def counts(self) -> dict[str, tuple[int, int]] | None:
        """How often the event came on 'a' and on 'b', each with the samples that were kept for the test."""
        counts = self._document["counts"]
        if counts is None:
            return None
        p, q = ("a", "b") if self._document["direction"] == "a over b" else ("b", "a")
        found = {
            p: (counts["p_inside"], counts["p_samples"]),
            q: (counts["q_inside"], counts["q_samples"]),
        }
        return {side: found[side] for side in "ab"}

    @property
    def counterexample(self) -> dict[str, Any] | None:
        """What anybody needs to test a violation again; None where there is none."""
        found: dict[str, Any] | None = self.document["counterexample"]
        return found

    @property
    def notes(self) -> list[str]:
        """What there is to say of the samples."""
        return list(self._document["notes"])

    def json(self) -> str:
        """The document, as `certus audit --json` prints it."""
        return self._text + "\n"

    def text(self) -> str:
        """What the command prints."""
        return self._view("text")

    def html(self) -> str:
        """A page by itself, as the command's --report."""
        return self._view("html")

    def junit(self) -> str:
        """JUnit XML, as the command's --junit."""
        return self._view("junit")

    def sarif(self) -> str:
        """SARIF, as the command's --sarif."""
        return self._view("sarif")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file by its suffix: .json, .html, .xml (JUnit), .sarif or .txt.

        What ends in .counterexample.json is the counterexample, for `certus replay`: a ValueError where there
        is none.
        """
        views = {
            ".json": self.json,
            ".html": self.html,
            ".xml": self.junit,
            ".sarif": self.sarif,
            ".txt": self.text,
            ".counterexample.json": self._found,
        }
        _written(path, views)

    def _found(self) -> str:
        found = _render(self._text, "counterexample")
        if found is None:
            raise ValueError("path: the claim is not refuted, and there is no counterexample")
        return found

    def _view(self, view: str) -> str:
        return _render(self._text, view) or ""

    def _repr_html_(self) -> str:
        return _framed(self.html())

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<certus.AuditResult: {self.name}: {self.verdict}>"

    def __bool__(self) -> bool:
        raise TypeError("an audit has three verdicts: compare .verdict, or use certus.testing.assert_private")


def audit(
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
    progress: bool | None = None,
    source: Seeded | None = None,
) -> AuditResult:
    """Tests on samples whether f is (epsilon, delta)-private between the neighbouring inputs a and b.

    f: called as f(input, n), it returns n outputs: a numpy array of integers, floats, booleans or text (a row
    of a 2-D array is one output), an Arrow array, or a list of int, float, str, tuple or None, which is no
    output. It is called like that if it has a second positional parameter without a default, or one that is
    named n; otherwise as f(input), and returns one output. batched=True or False says which.
    samples: the outputs a side. confidence: of the verdict, 0.999 if none is given; under the pytest plugin,
    a share of the session's. name: of f in the report. progress: True, False, or None where somebody sees
    it. source: certus.testing.seeded, for tests only; without it the coins of the audit are fresh.

    f must draw fresh noise in every call: outputs that come again in the same order are a ValueError, and so
    are outputs of which every one is None. What f raises is raised as it is. The inputs are named in the report
    if they are short.

    >>> import certus
    >>> noise = certus.Laplace(scale=2)
    >>> certus.audit(lambda x, n: x + noise.sample(n), 0, 1, epsilon=1).verdict
    'consistent'
    >>> certus.audit(lambda x, n: x + noise.sample(n), 0, 3, epsilon=1).verdict
    'violation'
    """
    if not callable(f):
        raise TypeError(f"f: must be callable, not {type(f).__name__}")
    if isinstance(samples, bool) or not isinstance(samples, int):
        raise TypeError(f"samples: must be an int, not {type(samples).__name__}")
    if not LEAST_SAMPLES <= samples <= MOST_SAMPLES:
        raise ValueError(f"samples: must be from {LEAST_SAMPLES} to {MOST_SAMPLES}")
    batched = _is_batched(f) if batched is None else batched
    name = _name(f) if name is None else str(name)
    _check_claim(epsilon, delta, _session.DEFAULT if confidence is None else confidence)
    bar = Progress(name, 2 * samples, progress)
    try:
        recording = Recording()
        tallies = []
        some = False
        for side, value in (("a", a), ("b", b)):
            shards = []
            for shard, length in enumerate(_shards(samples)):
                recording = recording._next()
                some |= _draw(f, value, length, batched, name, recording, bar)
                shards.append(recording.tally(f"{side}-{shard}"))
            tallies.append(_summed(shards, name))
        if not some:
            raise ValueError(f"{name}: must return its outputs, not print them: every one of them is None")
        bar.judging()
        # Only now is anything spent of a session's confidence.
        inputs = (_label(a), _label(b))
        return _judged(tallies[0], tallies[1], name, inputs, epsilon, delta, confidence, source)
    finally:
        bar.close()


def audit_tallies(
    a: Tally,
    b: Tally,
    *,
    epsilon: _Number = 1,
    delta: _Number = 0,
    confidence: _Number | None = None,
    name: str = "tallies",
    source: Seeded | None = None,
) -> AuditResult:
    """Tests on two tallies whether what was counted is (epsilon, delta)-private, as `audit` does.

    >>> import certus
    >>> noise = certus.Laplace(scale=2)
    >>> a, b = (certus.Tally.of(x + noise.sample(100_000)) for x in (0, 1))
    >>> certus.audit_tallies(a, b, epsilon=1).verdict
    'consistent'
    """
    for side, tally in (("a", a), ("b", b)):
        if not isinstance(tally, Tally):
            raise TypeError(f"{side}: must be a certus.Tally, not {type(tally).__name__}")
    _check_claim(epsilon, delta, _session.DEFAULT if confidence is None else confidence)
    return _judged(a, b, name, None, epsilon, delta, confidence, source)


def _judged(
    a: Tally,
    b: Tally,
    name: str,
    inputs: tuple[str, str] | None,
    epsilon: _Number,
    delta: _Number,
    confidence: _Number | None,
    source: Seeded | None,
) -> AuditResult:
    with _session.confidence(confidence) as (level, shared):
        document = _audit(a, b, name, inputs=inputs, epsilon=epsilon, delta=delta, confidence=level, source=source)
    result = AuditResult(document)
    if _session.current is not None:
        _session.current.note(result, shared)
    return result


def _draw(
    f: Callable[..., Any], value: Any, length: int, batched: bool, name: str, recording: Recording, bar: Progress
) -> bool:
    """Records so many outputs of f, and says whether any of them is more than None."""
    some = False
    while length > 0:
        n = min(length, BATCH if batched else CALLS)
        outputs = f(value, n) if batched else [f(value) for _ in range(n)]
        recording._add(outputs, name, n)
        some = some or not isinstance(outputs, list) or any(output is not None for output in outputs)
        bar.advance(n)
        length -= n
    return some


def _shards(samples: int) -> list[int]:
    """The samples of each shard of a side: an f that seeds itself in every call is seen by two alike."""
    shards = max(2, min(16, samples // SHARD))
    return [samples // shards + (place < samples % shards) for place in range(shards)]


def _summed(shards: list[Tally], name: str) -> Tally:
    try:
        return sum(shards[1:], shards[0])
    except ValueError as error:
        raise ValueError(f"{name}: must draw fresh noise in every call: {error}") from None


def _is_batched(f: Callable[..., Any]) -> bool:
    """Whether f is called as f(input, n)."""
    import inspect

    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        raise TypeError("f: has no signature to read: say batched=True for f(input, n) or False for f(input)") from None
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    spread = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    required = [one for one in positional if one.default is one.empty]
    if len(required) > 2 or not (positional or spread):
        raise TypeError("f: must take (input, n) and return n outputs, or (input) and return one")
    if spread and len(positional) < 2:
        raise TypeError("f: takes any number of arguments: say batched=True for f(input, n) or False for f(input)")
    second = positional[1] if len(positional) > 1 else None
    return second is not None and (second.default is second.empty or second.name == "n")


def _framed(page: str) -> str:
    """A page in a frame of its own: it has a style, and a notebook has another."""
    import html

    page = html.escape(page, quote=True)
    return (
        f'<iframe srcdoc="{page}" sandbox="" title="Privacy audit" '
        'style="width: 100%; height: 40em; border: 0"></iframe>'
    )


def _written(path: str | os.PathLike[str], views: dict[str, Callable[[], str]]) -> None:
    """Writes the view that the end of the file's name asks for: the longest that it has."""
    import pathlib

    path = pathlib.Path(path)
    ends = [end for end in views if path.name.endswith(end)]
    if not ends:
        *others, last = views
        raise ValueError(f"path: must end in {', '.join(others)} or {last}")
    path.write_text(views[max(ends, key=len)](), encoding="utf-8", newline="\n")


def _parsed(document: str) -> dict[str, Any]:
    import json

    parsed: dict[str, Any] = json.loads(document)
    return parsed


def _fraction(text: str) -> Fraction:
    from fractions import Fraction

    return Fraction(text)


def _decimal(text: str) -> Decimal:
    from decimal import Decimal

    return Decimal(text)


def _name(f: Callable[..., Any]) -> str:
    return str(getattr(f, "__qualname__", type(f).__name__))


def _label(value: Any) -> str:
    """An input as the report shows it: a plain value if it is short, and otherwise its type."""
    if value is None or isinstance(value, (bool, int, float, str, tuple, list)):
        label = repr(value)
        if len(label) <= LONGEST_LABEL:
            return label
    return type(value).__name__
