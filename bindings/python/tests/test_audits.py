"""Audits of functions and of tallies, against the command; and all that is refused."""

import copy
import functools
import json
import pathlib
import re
import subprocess
import sys
import types
import xml.etree.ElementTree
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import certus
from certus.testing import assert_private, seeded

NOISE = certus.Laplace(scale=1)


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin has its own tests: here the confidence is what an audit by itself has."""
    monkeypatch.setattr("certus._session.current", None)


def noisy(x: int, n: int) -> Any:
    return x + NOISE.sample(n)


def no_noise(x: int, n: int) -> Any:
    return np.full(n, x)


def test_what_is_printed_is_not_seen() -> None:
    with pytest.raises(ValueError, match="must return its outputs, not print them"):
        certus.audit(lambda x: None, 0, 1, samples=100)
    with pytest.raises(ValueError, match="every one of them is None"):
        certus.audit(lambda x, n: [None] * n, 0, 1, samples=100)
    # Where one side has outputs, none on the other is what is audited.
    assert certus.audit(lambda x, n: [x or None] * n, 0, 1, samples=1000).verdict == "violation"


def test_verdicts() -> None:
    # A true claim with room to spare is called false hardly ever, rather than once in a thousand runs.
    private = certus.audit(noisy, 0, 1, epsilon=1.2)
    assert (private.verdict, private.name, private.samples) == ("consistent", "noisy", (100_000, 100_000))
    assert private.counterexample is None and private.epsilon_lower <= 1.2 and private.delta_lower == 0
    broken = certus.audit(noisy, 0, 2, epsilon=1)
    assert broken.verdict == "violation" and 1 < broken.epsilon_lower <= 2 and broken.delta_lower > 0
    assert broken.counterexample is not None and broken.counterexample["origin"]["inputs"] == ["0", "2"]
    assert broken.event and broken.counts and set(broken.counts) == {"a", "b"}
    assert certus.audit(noisy, 0, 1, samples=20).verdict == "inconclusive"
    assert isinstance(broken.epsilon_lower, Decimal) and broken.epsilon == 1 and broken.confidence == Decimal("0.999")


def test_counts_are_of_their_side() -> None:
    """What one input alone gives is counted on its side, and the document says which that is."""
    rng = np.random.default_rng()

    def f(values: int, n: int) -> Any:
        return rng.integers(0, values, n)

    for a, b, more, less in ((4, 3, "a", "b"), (3, 4, "b", "a")):
        result = certus.audit(f, a, b)
        counts = result.counts
        assert counts is not None and result.verdict == "violation"
        # The event is the fourth value: a quarter of one side.
        assert counts[less][0] == 0 and 0.2 < counts[more][0] / counts[more][1] < 0.3
        assert result.document["direction"] == f"{more} over {less}"
        with pytest.raises(AssertionError) as caught:
            assert_private(f, a, b)
        first, second = re.findall(r"(\d+) times of \d+ on", str(caught.value))
        assert (first == "0") == (less == "a") and (second == "0") == (less == "b")


@pytest.mark.parametrize("gap, epsilon", [(1, "1"), (2, "1/2")])
def test_the_document_is_the_commands(
    gap: int, epsilon: str, command_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    sides = {}
    for side, x in (("a", 0), ("b", gap)):
        parts = [certus.Tally.of(x + NOISE.sample(20_000, source=seeded(f"{x}{part}")), f"{side}{part}") for part in "12"]
        sides[side] = sum(parts[1:], parts[0])
        sides[side].save(tmp_path / side)
    arguments = ["audit", "--tally-a", "a", "--tally-b", "b", "--claim", f"epsilon={epsilon},delta=1e-6"]
    arguments += ["--seed", "2a", "--confidence", "0.99"]
    views = ["--report", "r.html", "--junit", "r.xml", "--sarif", "r.sarif", "--counterexample", "c.json"]

    def command(*more: str) -> str:
        done = subprocess.run([command_path, *arguments, *more], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == (gap == 2), done.stderr
        return done.stdout

    theirs = command("--json", *views)
    result = certus.audit_tallies(
        sides["a"], sides["b"], epsilon=epsilon, delta=1e-6, confidence=0.99, source=seeded("2a")
    )
    # The command names the files, which Python has not, and both their own time and replay.
    document = json.loads(theirs)
    mine = result.document
    assert document["files"] == [["a"], ["b"]] and mine["files"] == [[], []]
    for one in (document, mine):
        one.update(files=None, seconds=None, replay=None)
        if one["counterexample"]:
            one["counterexample"]["origin"] = None
    assert json.dumps(document) == json.dumps(mine)
    assert result.json().endswith("}\n") and json.loads(result.json()) == result.document
    # The views of its document are those of Python's, byte for byte.
    theirs_result = certus.AuditResult(theirs.rstrip("\n"))
    for suffix, written in ((".html", "r.html"), (".xml", "r.xml"), (".sarif", "r.sarif")):
        theirs_result.save(tmp_path / f"mine{suffix}")
        assert (tmp_path / f"mine{suffix}").read_bytes() == (tmp_path / written).read_bytes()
    if gap == 2:
        theirs_result.save(tmp_path / "mine.counterexample.json")
        assert (tmp_path / "mine.counterexample.json").read_bytes() == (tmp_path / "c.json").read_bytes()
    assert theirs_result.text() == command()
    assert str(result) == result.text().rstrip("\n")


def test_views(tmp_path: pathlib.Path) -> None:
    result = certus.audit(no_noise, 0, 1, name="<no & noise>")
    assert xml.etree.ElementTree.fromstring(result.junit()).attrib["failures"] == "1"
    assert json.loads(result.sarif())["version"] == "2.1.0"
    assert result.html().startswith("<!DOCTYPE html>") and "&lt;no &amp; noise&gt;" in result.html()
    notebook = result._repr_html_()
    assert notebook.startswith("<iframe srcdoc=") and "<no" not in notebook and notebook.count('"') == 8
    for suffix in (".json", ".html", ".xml", ".sarif", ".txt", ".counterexample.json"):
        result.save(tmp_path / f"audit{suffix}")
        assert (tmp_path / f"audit{suffix}").stat().st_size > 100
    with pytest.raises(ValueError, match="path: must end in .json, .html, .xml, .sarif, .txt"):
        result.save(tmp_path / "audit.pdf")
    with pytest.raises(ValueError, match="there is no counterexample"):
        certus.audit(noisy, 0, 1).save(tmp_path / "x.counterexample.json")
    with pytest.raises(TypeError, match="three verdicts"):
        bool(result)
    assert repr(result) == "<certus.AuditResult: <no & noise>: violation>"
    result.document["verdict"] = "none"
    assert result.verdict == "violation"


def test_a_counterexample_is_replayed_by_the_command(command_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    certus.audit(noisy, 0, 3, epsilon=1).save(tmp_path / "x.counterexample.json")
    for side, x in (("a", 0), ("b", 3)):
        (tmp_path / side).write_text("".join(f"{value}\n" for value in noisy(x, 100_000).tolist()))
    replay = [str(command_path), "replay", "x.counterexample.json"]
    done = subprocess.run(replay, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and "a function of Python" in done.stderr
    done = subprocess.run([*replay, "--samples-a", "a", "--samples-b", "b"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "the violation is confirmed" in done.stdout


@pytest.mark.parametrize(
    "f",
    [
        lambda x, n: (x + NOISE.sample(n)).astype(np.float64),
        lambda x, n: [str(value) for value in (x + NOISE.sample(n)).tolist()],
        lambda x, n: [(value, "x") for value in (x + NOISE.sample(n)).tolist()],
        lambda x, n: np.stack([x + NOISE.sample(n), np.zeros(n, np.int64)], axis=1),
        lambda x, n: [value if value > 0 else None for value in (x + NOISE.sample(n)).tolist()],
        lambda x: int(x + NOISE.sample(1)[0]),
        lambda x, scale=1: x + NOISE.sample_integers(1)[0],
        lambda x, n=1: x + NOISE.sample(n),
    ],
)
def test_every_kind_of_output(f: Any) -> None:
    source = seeded("5")
    assert certus.audit(f, 0, 1, epsilon=1.3, samples=20_000, source=source).verdict != "violation"
    assert certus.audit(f, 0, 3, epsilon=1, samples=20_000, source=source).verdict == "violation"


def test_how_f_is_called() -> None:
    calls: list[tuple[Any, ...]] = []

    def one(x: int) -> int:
        calls.append((x,))
        return 0

    def many(x: int, /, n: int, *, scale: int = 1) -> list[int]:
        calls.append((x, n))
        return [0] * n

    certus.audit(one, 3, 4, samples=20)
    assert calls == [(3,)] * 20 + [(4,)] * 20
    calls.clear()
    certus.audit(many, 3, 4, samples=25)
    assert calls == [(3, 13), (3, 12), (4, 13), (4, 12)]
    calls.clear()
    certus.audit(lambda *args: many(*args), 3, 4, samples=20, batched=True)
    assert len(calls) == 4
    certus.audit(functools.partial(many, scale=2), 3, 4, samples=20)
    for bad, said in [
        (lambda: 0, "must take"),
        (lambda x, y, z: 0, "must take"),
        (lambda *args: 0, "say batched="),
        (7, "must be callable, not int"),
    ]:
        with pytest.raises(TypeError, match="f: .*" + said):
            certus.audit(bad, 0, 1)  # type: ignore[arg-type]


class Boom(Exception):
    pass


def raises(x: int, n: int) -> Any:
    raise Boom("as it is")


def raises_late(x: int, n: int) -> Any:
    if x == 1:
        raise Boom("as it is")
    return noisy(x, n)


@pytest.mark.parametrize("f", [raises, raises_late, lambda x: raises(x, 1)])
def test_what_f_raises_is_raised(f: Any) -> None:
    with pytest.raises(Boom, match="^as it is$"):
        certus.audit(f, 0, 1)


def changing(values: list[Any]) -> Callable[[int, int], Any]:
    """Returns another kind of outputs in every call."""
    rest = iter(values)
    return lambda x, n: next(rest)(n)


@pytest.mark.parametrize(
    "f, error, said",
    [
        (lambda x, n: noisy(x, n - 1), ValueError, "broken: must return 10 outputs if asked for 10, not 9"),
        (lambda x, n: noisy(x, n + 1), ValueError, "broken: must return 10 outputs if asked for 10, not 11"),
        (lambda x, n: [], ValueError, "not 0"),
        (lambda x, n: None, TypeError, "broken: must be a numpy array .*, not NoneType"),
        (lambda x, n: 5, TypeError, "not int"),
        (lambda x, n: np.zeros((n, 2, 2)), TypeError, "not 3"),
        (lambda x, n: np.array([object()] * n), TypeError, "must not be an array of objects"),
        (lambda x, n: np.zeros(n, complex), TypeError, "complex128"),
        (lambda x, n: [object()] * n, TypeError, "not object"),
        (lambda x: object(), TypeError, "not object"),
        (changing([lambda n: np.arange(n), lambda n: np.ones(n)]), TypeError, "must not change its type, from integers to"),
        (changing([np.arange, lambda n: list(range(n))]), TypeError, "from integers to a list"),
        (changing([np.arange, np.arange, np.ones]), TypeError, "from integers to float64"),
        (lambda x, n: np.random.default_rng(7).integers(0, 99, n), ValueError, "must draw fresh noise in every call"),
    ],
)
def test_bad_outputs_are_one_error(f: Any, error: type[Exception], said: str) -> None:
    samples = 200 if "fresh" in said else 20
    with pytest.raises(error, match=said) as caught:
        certus.audit(f, 0, 1, samples=samples, name="broken")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        ({"epsilon": -1}, ValueError, "epsilon"),
        ({"epsilon": 101}, ValueError, "epsilon must be from 0 to 100"),
        ({"epsilon": float("nan")}, ValueError, "epsilon"),
        ({"delta": 1}, ValueError, "delta must be from 0 to below 1"),
        ({"delta": "x"}, ValueError, "delta"),
        ({"confidence": 1}, ValueError, "confidence: must be between 0 and 1"),
        ({"confidence": None, "epsilon": None}, TypeError, "epsilon"),
        ({"samples": 19}, ValueError, "samples: must be from 20 to 1000000000"),
        ({"samples": 10**10}, ValueError, "samples"),
        ({"samples": 1e5}, TypeError, "samples: must be an int, not float"),
    ],
)
def test_bad_arguments_call_nothing(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        certus.audit(raises, 0, 1, **arguments)
    assert "samples" in arguments or pytest.raises(error, certus.audit_tallies, *[certus.Tally.of([1])] * 2, **arguments)


def test_tallies_that_cannot_be_audited() -> None:
    few = certus.Tally.of(list(range(10)), "few")
    with pytest.raises(ValueError, match="at least 20 samples"):
        certus.audit_tallies(few, few)
    # The same recording on both sides; a name is no matter.
    one = certus.Tally.of(list(range(100)), "random")
    with pytest.raises(ValueError, match="shard random is there twice"):
        certus.audit_tallies(one, one, name="random")
    with pytest.raises(TypeError, match="a: must be a certus.Tally, not list"):
        certus.audit_tallies([1], few)  # type: ignore[arg-type]


def test_private_data_stay_out_of_a_report() -> None:
    """Long inputs, and those of other types, are named by their type alone."""
    for secret in (list(range(1000)), np.arange(3), {"secret": 1}):
        result = certus.audit(lambda x, n: noisy(0, n), secret, copy.copy(secret), samples=1000)
        assert result.document["inputs"] == [type(secret).__name__] * 2


def test_assert_private() -> None:
    assert assert_private(noisy, 0, 1, epsilon=1.2).verdict == "consistent"
    with pytest.raises(AssertionError) as caught:
        assert_private(noisy, 0, 2, epsilon=1, name="half the noise")
    first, words, cause, epsilon, delta = str(caught.value).splitlines()
    assert first == "half the noise is not (epsilon = 1, delta = 0)-private between 0 and 2, at confidence 0.999:"
    assert words.startswith("  the number is ") and " times of " in words and " on 0, and " in words
    assert cause.startswith("  cause: often noise of too small a scale")
    assert epsilon.startswith("  at the claimed delta, epsilon is at least 1.")
    assert delta.startswith("  at the claimed epsilon, delta is at least 0.")
    assert assert_private(noisy, 0, 1, samples=20).verdict == "inconclusive"
    with pytest.raises(AssertionError, match="too few to say whether it is"):
        assert_private(noisy, 0, 1, samples=20, strict=True)


def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certus._progress.FIRST", 0.0)
    monkeypatch.setattr("certus._progress.EVERY", 0.0)
    for wanted, shown in ((True, True), (False, False), (None, False)):
        certus.audit(noisy, 0, 1, samples=100_000, progress=wanted)
        said = capsys.readouterr()
        assert ("noisy: 50,000 of 200,000 samples, 25 %" in said.err) is shown and said.out == ""
        assert not shown or said.err.endswith("\r")


def test_progress_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cell is updated in place, and is empty at the end."""
    shown: list[str] = []

    class Cell:
        def update(self, content: dict[str, str], raw: bool) -> None:
            shown.append(content["text/plain"])

    def display(content: dict[str, str], raw: bool, display_id: bool) -> Cell:
        shown.append("new")
        return Cell()

    shell, displays = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    monkeypatch.setattr(shell, "get_ipython", lambda: types.SimpleNamespace(kernel=1), raising=False)
    monkeypatch.setattr(displays, "display", display, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    monkeypatch.setattr("certus._progress.FIRST", 0.0)
    monkeypatch.setattr("certus._progress.EVERY", 0.0)
    certus.audit(noisy, 0, 1)
    assert shown[0] == "new" and shown[1].startswith("noisy: 100,000 of 200,000") and shown[-1] == "", shown
    assert shown.count("new") == 1 and "noisy: judging 200,000 samples" in shown


def test_ctrl_c_ends_an_audit(tmp_path: pathlib.Path) -> None:
    """In f, while outputs are recorded, and while they are judged: KeyboardInterrupt within seconds."""
    program = tmp_path / "interrupted.py"
    program.write_text(
        "import os, signal, sys, threading, time, numpy as np, certus\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it\n"
        "floats = np.random.default_rng().random\n"
        "tallies = [certus.Tally.of(floats(400_000)) for _ in '12'] if sys.argv[1] == 'judge' else []\n"
        "array = floats(50_000_000, np.float32) if sys.argv[1] == 'record' else []\n"
        "work = {\n"
        "    'f': lambda: certus.audit(lambda x, n: time.sleep(20), 0, 1),\n"
        "    'record': lambda: certus.Tally.of(array),\n"
        "    'judge': lambda: certus.audit_tallies(*tallies),\n"
        "}[sys.argv[1]]\n"
        "started = []\n"
        "def interrupt():\n"
        "    started.append(time.monotonic())\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Timer(0.3, interrupt).start()\n"
        "try:\n"
        "    work()\n"
        "    print('done')\n"
        "except KeyboardInterrupt:\n"
        "    late = time.monotonic() - started[0]\n"
        "    print('interrupted' if late < 4 else f'late by {late}')\n"
        "sys.stdout.flush()\n"
        "os._exit(0)\n"
    )
    for what in ("f", "record", "judge"):
        done = subprocess.run([sys.executable, str(program), what], capture_output=True, text=True, timeout=120)
        assert done.stdout.strip() == "interrupted", (what, done.stdout, done.stderr)


def test_the_lock_is_free_while_an_audit_runs(other_threads: Callable[[Callable[[], object]], int]) -> None:
    rng = np.random.default_rng()
    a, b = (certus.Tally.of(rng.random(200_000)) for _ in range(2))
    assert other_threads(lambda: certus.audit_tallies(a, b)) > 5
