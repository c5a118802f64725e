"""Audits by canaries, against the command; and all that is refused."""

import json
import pathlib
import random
import subprocess
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import certus
from certus.testing import seeded


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certus._session.current", None)


def run(count: int, shift: float, seed: int) -> tuple[list[float], list[bool]]:
    """Scores of a run in which those trained on are higher by a shift, and their coins."""
    coins = random.Random(seed)
    flips = [coins.random() < 0.5 for _ in range(count)]
    return [coins.gauss(shift * flip, 1) for flip in flips], flips


def said(program: pathlib.Path, folder: pathlib.Path, table: str, *options: str) -> dict[str, Any]:
    file = folder / "canaries.csv"
    file.write_text(table)
    arguments = [str(program), "audit", "--canaries", str(file), *options, "--json", "--quiet"]
    document: dict[str, Any] = json.loads(subprocess.run(arguments, capture_output=True, check=False).stdout)
    return document


def timeless(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ("seconds", "file")}


def test_what_is_said_is_what_the_command_says(command_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    scores, coins = run(1000, 3.0, 1)
    rows = "".join(f"{score!r},{int(coin)}\n" for score, coin in zip(scores, coins, strict=True))
    theirs = said(
        command_path, tmp_path, "score,in\n" + rows, "--claim", "epsilon=1,delta=1e-5", "--confidence", "0.95"
    )
    ours = certus.audit_canaries(scores, coins, epsilon=1, delta="1e-5", confidence="0.95")
    assert timeless(ours.document) == timeless(theirs)
    assert ours.verdict == "violation" and ours.epsilon_lower is not None and ours.epsilon_lower > 1
    assert ours.epsilon == Fraction(1) and ours.plan_verdict is None and ours.epsilon_accounted is None
    assert len(ours.conditions) == 4 and "epsilon varied" in ours.family


def test_a_run_that_remembers_little_is_no_alarm() -> None:
    scores, coins = run(1000, 0.0, 2)
    result = certus.audit_canaries(np.array(scores), np.array(coins), epsilon=4, delta=1e-5)
    assert result.verdict == "inconclusive"
    assert "no alarm is not evidence of privacy" in str(result)
    with pytest.raises(TypeError, match="verdict"):
        bool(result)


def test_a_plan_at_half_of_its_noise_is_told() -> None:
    scores, coins = run(2000, 2.0, 3)
    plan = certus.Plan("gaussian(sigma=1)")
    result = certus.audit_canaries(scores, coins, plan=plan, delta="1e-5", independent=True, confidence="0.95")
    assert result.verdict == "violation" and result.plan_verdict == "not_the_plan"
    assert result.epsilon is None and result.epsilon_accounted is not None
    assert Decimal(4) < result.epsilon_accounted < Decimal(5)


def test_a_plan_that_was_run_is_not() -> None:
    scores, coins = run(2000, 1.0, 4)
    result = certus.audit_canaries(scores, coins, plan="gaussian(sigma=1)", independent=True)
    assert (result.verdict, result.plan_verdict) == ("inconclusive", "no_alarm")
    assert result.epsilon_lower is None and result.document["plan"] == ["gaussian(sigma=1)"]


def test_pairs_and_many_runs() -> None:
    first, _ = run(800, 0.0, 5)
    second, _ = run(800, 0.0, 6)
    # Of every pair the first is in.
    scores = [score for a, b in zip(first, second, strict=True) for score in (a + 4, b)]
    names = [name for i in range(800) for name in (f"p,{i}", f"p,{i}")]
    result = certus.audit_canaries(scores, [True, False] * 800, pairs=names, epsilon=1, delta="1e-5")
    assert result.verdict == "violation" and result.document["pairs"] is True
    scores, coins = run(2000, 3.0, 7)
    result = certus.audit_canaries(scores, coins, many_runs=True, epsilon=1, delta="1e-5", source=seeded("2a"))
    assert result.verdict == "violation" and result.document["design"] == "many_runs"


def test_options_are_the_commands() -> None:
    scores, coins = run(1000, 3.0, 8)
    result = certus.audit_canaries(
        scores, coins, epsilon=1, delta="1e-5", guesses=[50, 100], method="steinke", source=seeded("1")
    )
    assert [one["guesses"] for one in result.document["guesses"]] == [50, 100]
    assert (result.document["method"], result.document["seeded"]) == ("steinke", True)
    assert certus.audit_canaries(scores, coins, epsilon=1, ratios=True).document["scores"] == "ratios"


def test_views(tmp_path: pathlib.Path) -> None:
    scores, coins = run(500, 3.0, 9)
    result = certus.audit_canaries(scores, coins, epsilon=1)
    assert "<svg" in result.html() and "iframe" in result._repr_html_()
    for end, part in ((".json", '"roc"'), (".html", "<svg"), (".txt", "You assert")):
        result.save(tmp_path / f"a{end}")
        assert part in (tmp_path / f"a{end}").read_text()
    with pytest.raises(ValueError, match=r"\.json, \.html or \.txt"):
        result.save(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("scores", "coins", "options", "said"),
    [
        ([1.0, 2.0], [True], {"epsilon": 1}, "coins: must be as many"),
        ([1.0, 2.0], [True, 0.5], {"epsilon": 1}, "coins: must be True or False"),
        ([float("nan"), 2.0], [True, False], {"epsilon": 1}, "score"),
        ([], [], {"epsilon": 1}, "canaries"),
        ([1.0] * 50, [True, False] * 25, {}, "epsilon: must be given, or plan"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": 1, "plan": "gaussian(sigma=1)"}, "epsilon: must not"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": -1}, "epsilon"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": 1, "confidence": 2}, "confidence"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": 1, "guesses": 51}, "guesses"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": 1, "method": "other"}, "method"),
        ([1.0] * 50, [True, False] * 25, {"plan": "gaussian(sigma=0)"}, "plan"),
        ([1.0] * 50, [True, False] * 25, {"plan": "--json"}, "plan"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": 1, "pairs": [1] * 50}, "pair"),
        ([1.0] * 50, [True, False] * 25, {"epsilon": 1, "pairs": [1]}, "pairs: must be as many"),
    ],
)
def test_bad_input_is_one_line(scores: Any, coins: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        certus.audit_canaries(scores, coins, **options)
    assert "\n" not in str(refused.value) and not str(refused.value).startswith("--")
