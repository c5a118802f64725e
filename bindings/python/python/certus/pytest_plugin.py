"""The pytest plugin: one confidence for all audits of a session, and a summary of them at the end.

It is loaded by itself where certus is installed. Every `certus.audit`, `certus.audit_tallies` and
`certus.testing.assert_private` without a confidence of its own has a share of --certus-confidence: the k-th
has alpha / (k * (k + 1)) of alpha = 1 - confidence. The shares add up to alpha however many there are, so
that a session of true claims fails with probability at most alpha.

With pytest-xdist each of W workers has alpha / W to share, and the summary is of all of them. (A worker that
crashes and is replaced makes one more than W: such a session has failed anyway.)
"""

from fractions import Fraction
from typing import Any

import pytest

from . import _session
from ._certus import _check_claim
from ._shares import Record, Session


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("certus", "privacy audits")
    group.addoption(
        "--certus-confidence",
        default="0.999",
        metavar="C",
        help="the confidence of all audits of this session together (0.999)",
    )


def pytest_configure(config: pytest.Config) -> None:
    text = config.getoption("--certus-confidence")
    try:
        _check_claim(0, 0, text)
    except ValueError as error:
        raise pytest.UsageError(f"--certus-confidence: {error}") from None
    # xdist tells its workers how many they are.
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    _session.current = Session(Fraction(text), workers)


def pytest_unconfigure() -> None:
    _session.current = None


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None and _session.current is not None:
        output["certus"] = [record.row() for record in _session.current.records]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker of xdist is done: its audits are shown with all others."""
    if _session.current is not None:
        rows = getattr(node, "workeroutput", {}).get("certus", [])
        _session.current.records += [Record(**row) for row in rows]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    session = _session.current
    if session is None or not session.records:
        return
    terminalreporter.section("certus audits")
    heading = ("verdict", "claim", "epsilon is at least", "samples", "alpha", "audit")
    rows = [heading] + [_row(record) for record in session.records]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heading))]
    for row in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line(line.rstrip())
    own = sum(record.own for record in session.records)
    beside = f"; {own} with a confidence of their own beside it" if own else ""
    confidence = f"{float(session.confidence):.12g}"
    audits = "1 audit" if len(session.records) == 1 else f"{len(session.records)} audits"
    terminalreporter.write_line(f"{audits}, at confidence {confidence} for all together{beside}")


def _row(record: Record) -> tuple[str, ...]:
    claim = f"epsilon={record.epsilon}" + ("" if record.delta == "0" else f", delta={record.delta}")
    share = record.share + (" (own)" if record.own else "")
    name = f"{record.name} ({record.test})" if record.test else record.name
    return record.verdict, claim, record.epsilon_lower, f"{record.samples:,}", share, name
