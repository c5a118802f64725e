"""certus.release: what the program is given, and what becomes of its answer. With the real program, where it is."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def is_installed() -> bool:
    return Path(sys.executable).with_name("certus-release").is_file() or shutil.which("certus-release") is not None


real = pytest.mark.skipif(not is_installed(), reason="the program certus-release is not installed")


@real
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


# At this price a release is exact but with probability below 2e^-100.
EXACT = """
format = "certus-release/1"
[person]
column = "id"
rows = 10
[budget]
epsilon = 100000
[columns.age]
type = "integer"
lower = 0
upper = 100
[columns.income]
type = "number"
lower = 0
upper = 10
grid = 0.25
[columns.sex]
type = "text"
values = ["f", "m"]
[[query]]
name = "adults"
statistic = "count"
where = "age >= 18 AND income IS NOT NULL"
by = ["sex"]
[[query]]
name = "income"
statistic = "sum"
column = "income"
"""
PEOPLE: dict[str, list[Any]] = {
    "id": ["ann", "ann", "bob", None, "eve", "eve", "eve", "eve", "eve"],
    "age": [40, None, 17, 50, 18, 1000, 30, 30, 30],
    "income": [1.25, 2.5, float("nan"), 9.0, float("inf"), -4.0, 0.125, None, 1e-300],
    "sex": ["f", "f", "m", "m", "m", "x", "m", "m", "m"],
}


@pytest.fixture
def people(request: pytest.FixtureRequest) -> Any:
    """The table as one library holds it."""
    match request.param:
        case "pyarrow":
            return pytest.importorskip("pyarrow").table(PEOPLE)
        case "pandas":
            return pytest.importorskip("pandas").DataFrame(PEOPLE)
        case "polars":
            return pytest.importorskip("polars").DataFrame(PEOPLE)
        case _:
            if shutil.which("java") is None:
                pytest.skip("there is no Java")
            sql = pytest.importorskip("pyspark.sql")
            session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
            request.addfinalizer(session.stop)
            rows = list(zip(*PEOPLE.values(), strict=True))
            return session.createDataFrame(rows, "id string, age bigint, income double, sex string")


@real
@pytest.mark.parametrize("people", ["pyarrow", "pandas", "polars", "pyspark"], indirect=True)
def test_data_frames(people: Any, command_path: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "people.ledger"
    subprocess.run([command_path, "ledger", "init", ledger, "--epsilon", "100000"], check=True, capture_output=True)
    released = certus.release(people, EXACT, ledger=ledger, release_id="r1")
    # What is missing or NaN is nothing, what is out of bounds is clamped, 0.125 is rounded up, nobody's row is dropped.
    assert [row["value"] for row in released["adults"]] == ["1", "3"]
    assert [row["value"] for row in released["income"]] == ["14"]
    assert released.receipt is not None and released.receipt["ledger_head"] is not None
    # Printed again at no cost; another release is refused.
    assert certus.release(people, EXACT, ledger=ledger, release_id="r1").rows == released.rows
    with pytest.raises(certus.BudgetError):
        certus.release(people, EXACT, ledger=ledger, release_id="r2")
    assert certus.release(people, "count", person="id", rows=10, epsilon=10000).rows[0]["value"] == "8"
