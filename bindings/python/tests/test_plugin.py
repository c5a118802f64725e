"""The pytest plugin: shares that add up, a summary, several workers, and a suite with a bug in it."""

import importlib.util
import pathlib
import re
import subprocess
import sys
from fractions import Fraction

import pytest

from certus._shares import Session

HERE = pathlib.Path(__file__).parent

# Claims with room to spare, so that none of them is called false by chance.
SUITE = """
import certus
from certus.testing import assert_private
noise = certus.Laplace(scale=1)

def noisy(x, n):
    return x + noise.sample(n)

def test_one():
    assert_private(noisy, 0, 1, epsilon=2, samples=1000)

def test_two():
    assert certus.audit(noisy, 0, 1, epsilon=2, samples=1000).verdict != "violation"
    a, b = (certus.Tally.of(noisy(x, 500)) for x in (0, 1))
    certus.audit_tallies(a, b, epsilon=2)

def test_own():
    assert_private(noisy, 0, 1, epsilon=2, samples=1000, confidence=0.9)

def test_nothing_is_spent():
    for bad in (lambda x, n: [], lambda x, n: [object()] * n):
        try:
            certus.audit(bad, 0, 1)
        except (TypeError, ValueError):
            pass
    same = certus.Tally.of(list(range(100)))
    try:
        certus.audit_tallies(same, same)
    except ValueError:
        pass

def test_three():
    assert_private(noisy, 0, 1, epsilon=2, samples=1000)
"""


def run(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "test_suite.py").write_text(SUITE)
    return tmp_path


def test_shares_add_up_to_the_session() -> None:
    session = Session(Fraction("0.999"))
    shares = [session.share(session.take()) for _ in range(1000)]
    assert shares[:3] == [Fraction(1, 2000), Fraction(1, 6000), Fraction(1, 12000)]
    assert sum(shares) == Fraction(1, 1000) * Fraction(1000, 1001)
    # An audit without a verdict gives its number back, and the next one has it.
    session.give_back(7)
    assert (session.take(), session.take()) == (7, 1001)
    of_four = Session(Fraction("0.999"), workers=4)
    assert of_four.share(1) * 4 == shares[0]


def test_a_session_is_told(folder: pathlib.Path) -> None:
    done = run(folder, "--certus-confidence", "0.98")
    assert done.returncode == 0, done.stdout
    said = done.stdout[done.stdout.index("certus audits") :]
    # alpha is 0.02: 1/2, 1/6, 1/12 and 1/20 of it, whatever fails and whatever has its own.
    for share, test in [("0.01", "one"), ("0.0033", "two"), ("0.0017", "two"), ("0.1 (own)", "own"), ("0.001", "three")]:
        row = rf"^(consistent|inconclusive) +epsilon=2 .* {re.escape(share)} +.*test_{test}\)$"
        assert re.search(row, said, re.MULTILINE), (row, said)
    assert "5 audits, at confidence 0.98 for all together; 1 with a confidence of their own beside it" in said


def test_without_audits_there_is_no_summary(folder: pathlib.Path) -> None:
    assert "certus audits" not in run(folder, "-k", "nothing").stdout
    bad = run(folder, "--certus-confidence", "1")
    assert bad.returncode == 4 and "--certus-confidence: confidence: must be between 0 and 1" in bad.stderr
    assert "--certus-confidence" in run(folder, "--help").stdout


def test_workers_share_what_there_is(folder: pathlib.Path) -> None:
    if importlib.util.find_spec("xdist") is None:
        pytest.skip("SKIPPED: pytest-xdist is not installed")
    done = run(folder, "--certus-confidence", "0.98", "-n", "2", "--dist", "loadfile")
    assert done.returncode == 0, done.stdout
    said = done.stdout[done.stdout.index("certus audits") :]
    # One of the two workers has all tests: its first share is half of a half.
    for share in ("0.005", "0.0017", "0.00083", "0.0005", "0.1 (own)"):
        assert f" {share} " in said, (share, said)
    assert "5 audits, at confidence 0.98 for all together" in said


def test_a_suite_with_a_bug_in_it() -> None:
    done = run(HERE / "peers", "suite.py", "-ra", "--tb=short")
    said = done.stdout
    assert done.returncode == 1 and "1 failed" in said, said
    assert "FAILED suite.py::test_my_report" in said
    assert "my_report is not (epsilon = 1, delta = 0)-private between [40, 0, 0, 20] and [40, 0, 0, 100]" in said
    assert re.search(r'E +the .*: \d+ times of \d+ on \[40, 0, 0, 20\], and \d+ times of', said), said
    assert re.search(r"E +at the claimed delta, epsilon is at least 1\.", said), said
    assert re.search(r"^violation +epsilon=1 .* my_report \(.*suite.py::test_my_report\)$", said, re.MULTILINE), said
    for library in ("diffprivlib.mechanisms", "opendp.prelude"):
        missing = f"could not import '{library}'" in said
        print("SKIPPED" if missing else "audited", library)
