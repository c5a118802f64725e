"""Audits of a training run by canaries: records that were in or out by a coin, and their scores."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import _session
from ._audit import _decimal, _fraction, _framed, _parsed, _written
from ._certus import Plan, Seeded, _audit_canaries, _render

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from ._certus import _Number


class CanaryResult:
    """What an audit by canaries found: the command's document, and views of it.

    verdict: 'violation' (the claim is refuted at the confidence, or this was not the plan), or 'inconclusive':
    no alarm, which is not evidence of privacy. Where runs were many, also 'consistent'.
    """

    def __init__(self, document: str) -> None:
        self._text = document
        self._document: dict[str, Any] = _parsed(document)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of `certus audit --canaries FILE --json`; numbers that are bounds are text."""
        return _parsed(self._text)

    @property
    def verdict(self) -> Literal["violation", "consistent", "inconclusive"]:
        """'violation', 'inconclusive', or, of many runs, also 'consistent'."""
        verdict: Literal["violation", "consistent", "inconclusive"] = self._document["verdict"]
        return verdict

    @property
    def plan_verdict(self) -> Literal["not_the_plan", "no_alarm"] | None:
        """Whether this run was that plan, where canaries are attested to be independent; None otherwise."""
        found = self._document["plan_verdict"]
        verdict: Literal["not_the_plan", "no_alarm"] | None = None if found is None else found["verdict"]
        return verdict

    @property
    def epsilon(self) -> Fraction | None:
        """The claimed epsilon; None of a plan."""
        epsilon = self._document["epsilon"]
        return None if epsilon is None else _fraction(epsilon)

    @property
    def epsilon_lower(self) -> Decimal | None:
        """Every epsilon below this is refuted, along the family of claims that is named; rounded down.

        None where there is no delta at which to tell it, as of a plan without one.
        """
        lower = self._document["epsilon_lower"]
        return None if lower is None else _decimal(lower)

    @property
    def epsilon_accounted(self) -> Decimal | None:
        """The plan's own epsilon at the delta; None of a claim, and where no delta is given."""
        accounted = self._document.get("epsilon_accounted")
        return None if accounted is None else _decimal(accounted)

    @property
    def family(self) -> str:
        """Which claims epsilon_lower is told along."""
        return str(self._document["family"])

    @property
    def conditions(self) -> list[str]:
        """What no table can show, and the caller asserts."""
        return list(self._document["conditions"])

    def json(self) -> str:
        """The document, as `certus audit --canaries FILE --json` prints it."""
        return self._text + "\n"

    def text(self) -> str:
        """What the command prints."""
        return _render(self._text, "text") or ""

    def html(self) -> str:
        """A page by itself, as the command's --report: with the picture of how well canaries are told apart."""
        return _render(self._text, "html") or ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file by its suffix: .json, .html or .txt."""
        _written(path, {".json": self.json, ".html": self.html, ".txt": self.text})

    def _repr_html_(self) -> str:
        return _framed(self.html())

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<certus.CanaryResult: {self.verdict}>"

    def __bool__(self) -> bool:
        raise TypeError("an audit has more than two verdicts: compare .verdict")


def audit_canaries(
    scores: Iterable[float],
    coins: Iterable[bool],
    *,
    epsilon: _Number | None = None,
    delta: _Number | None = None,
    plan: Plan | str | list[str] | None = None,
    guesses: int | list[int] | None = None,
    method: Literal["curve", "steinke"] | None = None,
    ratios: bool = False,
    independent: bool = False,
    pairs: Iterable[Any] | None = None,
    many_runs: bool = False,
    confidence: _Number | None = None,
    source: Seeded | None = None,
) -> CanaryResult:
    """Tests on canaries whether a training run is (epsilon, delta)-private, or was a plan.

    scores: of every canary a number, greater where it seems to have been trained on. coins: of every canary
    whether it was (True or 1) or not (False or 0); each coin fair, and drawn by itself before the run
    (`certus canaries --draw N --commit FILE` draws them, and commits to them and to what is declared).
    epsilon, delta: the claim. plan: instead of epsilon, what was run, such as
    'subsampled_gaussian(sigma=1, rate=1/100)*1000'; delta is then where its epsilon is told.
    guesses: how many canaries are guessed, fixed before the scores are seen; several share the risk. If none
    is given, three times the root of their number. method: 'steinke' for the bound of Steinke, Nasr and
    Jagielski in place of the curve's. ratios: whether scores are log-likelihood ratios, guessed by their sign.
    independent: you attest that canaries are independent channels, so that the plan itself is tested too.
    pairs: of every canary the name of its pair, of which one is in; the claim is then for change-one.
    many_runs: every score is of a run of its own. confidence: 0.999 if none is given; under the pytest plugin,
    a share of the session's. source: certus.testing.seeded, for tests only: ties are broken by its coins.

    No alarm is not evidence of privacy: it says what these canaries could show.

    >>> import certus
    >>> coins = [i % 3 == 0 for i in range(900)]
    >>> certus.audit_canaries([float(coin) for coin in coins], coins, epsilon=1, delta="1e-5").verdict
    'violation'
    """
    if epsilon is not None and plan is not None:
        raise ValueError("epsilon: must not be given beside plan: the claim is one or the other")
    if epsilon is None and plan is None:
        raise ValueError("epsilon: must be given, or plan")
    options = ["--method", method] if method is not None else []
    if plan is not None:
        specs = plan.mechanisms if isinstance(plan, Plan) else [plan] if isinstance(plan, str) else plan
        for spec in specs:
            options += [f"--plan={spec}"]
    if guesses is not None:
        several = guesses if isinstance(guesses, list) else [guesses]
        options += ["--guesses", ",".join(str(int(one)) for one in several)]
    if ratios:
        options += ["--scores", "ratios"]
    if independent:
        options += ["--independent"]
    if pairs is not None:
        options += ["--relation", "change_one"]
    table = _table(list(scores), list(coins), pairs, many_runs)
    with _session.confidence(confidence) as (level, _):
        document = _audit_canaries(
            table, options, epsilon=epsilon, delta=delta, confidence=level, source=source
        )
    return CanaryResult(document)


def _table(scores: list[Any], coins: list[Any], pairs: Iterable[Any] | None, many_runs: bool) -> str:
    """The table as the command reads it."""
    if len(scores) != len(coins):
        raise ValueError(f"coins: must be as many as scores, {len(scores)}, not {len(coins)}")
    columns = [[repr(float(score)) for score in scores], [_coin(coin) for coin in coins]]
    heading = "score,in"
    if pairs is not None:
        # By number, so that a name may be anything.
        numbers: dict[Any, int] = {}
        named = [str(numbers.setdefault(pair, len(numbers) + 1)) for pair in pairs]
        if len(named) != len(scores):
            raise ValueError(f"pairs: must be as many as scores, {len(scores)}, not {len(named)}")
        heading, columns = heading + ",pair", [*columns, named]
    if many_runs:
        heading, columns = heading + ",run", [*columns, [str(run) for run in range(1, len(scores) + 1)]]
    return "\n".join([heading, *(",".join(row) for row in zip(*columns))]) + "\n"


def _coin(coin: Any) -> str:
    # Of numpy too; 0.5 is no coin.
    if coin == 0 or coin == 1:
        return str(int(coin))
    raise ValueError("coins: must be True or False, or 1 or 0")
