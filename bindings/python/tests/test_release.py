"""certus.release: what the program is given, and what becomes of its answer. With the real program, where it is."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

import certus

DOCUMENT = {
    "schema_version": 1,
    "dry_run": False,
    "plan": "ab",
    "release": "r1",
    "neighbours": "add_remove",
    "budget": {"kind": "pure", "epsilon": "1"},
    "cost": {"kind": "pure", "epsilon": "1"},
    "confidence": "95 %",
    "accuracy_of": "the clamped and bounded statistic",
    "queries": [
        {"name": "n", "by": ["sex"], "results": [{"group": ["<f>"], "cell": None, "value": "42", "accuracy": "3"}]},
        {"name": "m", "by": [], "results": [{"group": [], "cell": None, "value": "1/2", "accuracy": None}]},
    ],
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in that writes its arguments, and a Parquet file that it was given, beside itself."""
    path = tmp_path / "certus-release"
    path.write_text(
        f"""#!/bin/sh
printf '%s\\n' "$@" >{tmp_path}/arguments
for last; do case $last in *.parquet) cp "$last" {tmp_path}/given.parquet ;; *plan.toml) cp "$last" {tmp_path}/given.toml ;; esac; done
if [ -f {tmp_path}/refuse ]; then echo 'note: something' >&2; echo "error: $(cat {tmp_path}/refuse)" >&2; exit "$(cat {tmp_path}/status)"; fi
cat {tmp_path}/document
"""
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "document").write_text(json.dumps(DOCUMENT))
    monkeypatch.setattr("certus._release._program", lambda: str(path))
    return tmp_path


def given(program: Path) -> list[str]:
    return (program / "arguments").read_text().splitlines()


def test_arguments(program: Path) -> None:
    released = certus.release("people.csv", "sum", "hours[0..80]", where="age >= 40", by=["sex{f,m}", "job"], epsilon="1/10", threshold=True)
    arguments = given(program)
    assert arguments[:7] == ["people.csv", "sum", "hours[0..80]", "--where=age >= 40", "--by=sex{f,m}", "--by=job", "--epsilon=1/10"]
    assert "--threshold" in arguments and arguments[-2:] == ["--json", "--quiet"]
    assert [row["value"] for row in released.rows] == ["42", "1/2"] and released.rows[0]["sex"] == "<f>"
    assert released["m"] == [{"query": "m", "cell": None, "value": "1/2", "accuracy": None}]
    assert "&lt;f&gt;" in released._repr_html_() and "2 numbers for epsilon = 1" in repr(released)
    assert not released.dry_run and released.cost["epsilon"] == "1"
    with pytest.raises(KeyError):
        released["x"]
    certus.release("people.parquet", "plan.toml", ledger="l", release_id="r1", analyst="ann", expect_head="ab")
    arguments = given(program)
    assert arguments[:3] == ["plan.toml", "--data", "people.parquet"]
    assert "--ledger\nl\n--release-id\nr1\n--analyst\nann\n--expect-head\nab" in "\n".join(arguments)
    certus.release("people.csv", 'format = "certus-release/1"\n[budget]\nepsilon = 1\n', dry_run=True)
    assert (program / "given.toml").read_text().startswith("format") and "--dry-run" in given(program)
    assert "--receipt" not in given(program)


def test_tables(program: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"id": ["a", None], "age": [1, 2]})
    certus.release(table, "count", epsilon=1)
    assert parquet.read_table(program / "given.parquet").equals(table)
    # The file is gone, with its folder.
    assert not os.path.exists(given(program)[0])


@pytest.mark.parametrize(("status", "kind"), [(2, ValueError), (3, OSError), (4, certus.BudgetError)])
def test_refusals(program: Path, status: int, kind: type[Exception]) -> None:
    (program / "refuse").write_text("epsilon: 1 is left, and 2 was asked")
    (program / "status").write_text(str(status))
    with pytest.raises(kind, match="^epsilon: 1 is left, and 2 was asked$"):
        certus.release("people.csv", "count", epsilon=2)


def test_bad_input(program: Path) -> None:
    for data in ("people.txt", 3, None):
        with pytest.raises(ValueError, match="data: must be a"):
            certus.release(data, "count", epsilon=1)
    with pytest.raises(ValueError, match="must not be given beside a plan"):
        certus.release("people.csv", "plan.toml", epsilon=1)
    assert not (program / "arguments").exists()


def test_without_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError, match="pip install certus-release"):
        certus.release("people.csv", "count", epsilon=1)


@pytest.mark.skipif(shutil.which("certus-release") is None, reason="the program certus-release is not installed")
def test_the_real_program(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"id": [f"p{i // 2}" for i in range(2000)], "age": [i % 90 for i in range(2000)]})
    released = certus.release(table, "count", where="age >= 40", person="id", rows=2, epsilon=1)
    (row,) = released.rows
    assert abs(int(row["value"]) - 1100) < 100 and released.receipt is not None
    data = tmp_path / "people.csv"
    data.write_text("id,age\n" + "".join(f"p{i // 2},{i % 90}\n" for i in range(2000)))
    dry = certus.release(str(data), "mean", "age[0..120]", epsilon=1, dry_run=True)
    assert dry.dry_run and dry.rows == []
    with pytest.raises(ValueError, match="age"):
        certus.release(str(data), "sum", "age", epsilon=1)
