"""Private releases: `certus.release` runs the program `certus-release`, of the wheel of that name."""

from __future__ import annotations

import csv
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ._certus import BudgetError

__all__ = ["Release", "release"]

_PROGRAM = "certus-release"
_SUFFIXES = (".csv", ".parquet")
_TABLE = "certus_release_data"


class Release:
    """What `certus.release` released: numbers with their accuracy, and the receipt.

    `document` is all of it, as the command prints it with `--json`. `rows` has a dict for each number.
    """

    def __init__(self, document: dict[str, Any], receipt: dict[str, Any] | None) -> None:
        self.document = document
        self.receipt = receipt

    @property
    def dry_run(self) -> bool:
        """Whether nothing was drawn: what it would cost, and how accurate it would be."""
        return bool(self.document["dry_run"])

    @property
    def cost(self) -> dict[str, str]:
        """What it costs: `kind`, and `epsilon`, `delta` or `rho` as exact text."""
        return dict(self.document["cost"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One dict a number: query, group, cell, value and accuracy (at 95 %), as exact text."""
        return [
            {
                "query": query["name"],
                **dict(zip(query["by"], row["group"], strict=True)),
                "cell": row["cell"],
                "value": row["value"],
                "accuracy": row["accuracy"],
            }
            for query in self.document["queries"]
            for row in query["results"]
        ]

    def __getitem__(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query, by its name in the plan."""
        if query not in {known["name"] for known in self.document["queries"]}:
            raise KeyError(query)
        return [row for row in self.rows if row["query"] == query]

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        return import_module("pandas").DataFrame(self.rows)

    def __repr__(self) -> str:
        cost = ", ".join(f"{name} = {value}" for name, value in self.cost.items() if name != "kind")
        if self.dry_run:
            return f"<certus.Release: nothing drawn; it would cost {cost}>"
        lines = [" ".join(str(value) for value in row.values() if value is not None) for row in self.rows[:20]]
        return "\n".join([f"<certus.Release: {len(self.rows)} numbers for {cost}>", *lines])

    def _repr_html_(self) -> str:
        rows = self.rows
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(row.get(name) or ''))}</td>" for name in names) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def release(
    data: Any,
    plan: str | os.PathLike[str],
    column: str | None = None,
    *,
    ledger: str | os.PathLike[str] | None = None,
    release_id: str | None = None,
    analyst: str | None = None,
    expect_head: str | None = None,
    dry_run: bool = False,
    sampler: str = "fixed",
    **options: Any,
) -> Release:
    """Private statistics of a table, with their accuracy.

    `data` is a path (.csv or .parquet), an Arrow table, or a pandas, Polars or Spark data frame. `plan` is a plan
    file (.toml), the text of one, or a statistic (count, persons, sum, mean, variance, histogram, quantile,
    median, top_k); the options of the command's one-line form are keywords then, `column` the statistic's own:

    >>> certus.release("people.csv", "mean", "income=number[0..1e5]/1", epsilon="1/2")  # doctest: +SKIP

    With a `ledger` (made by `certus ledger init`) the cost is debited before anything is read; a `release_id`
    whose result the ledger holds is returned again at no cost. Without, nothing records what was spent. A Spark
    data frame is aggregated where it is; exact aggregates then come here, and are confidential.

    Raises BudgetError where a budget refuses, ValueError for a wrong argument, OSError where the system failed.
    """
    program = _program()
    with tempfile.TemporaryDirectory(prefix="certus-release-") as folder:
        path, words = _plan(plan, column, options, Path(folder))
        run = ["--sampler", sampler]
        for name, value in (("ledger", ledger), ("release-id", release_id), ("analyst", analyst), ("expect-head", expect_head)):
            if value is not None:
                run += [f"--{name}", os.fspath(value)]
        receipt = Path(folder, "receipt.json")
        if dry_run:
            run += ["--dry-run"]
        else:
            run += ["--receipt", str(receipt)]
        with _given(program, data, path, words, Path(folder), dry_run) as arguments:
            text = _run([program, *arguments, *run, "--json", "--quiet"])
        found = json.loads(receipt.read_text()) if receipt.exists() else None
    return Release(json.loads(text), found)


def _program() -> str:
    """Beside this Python, or on the PATH."""
    beside = Path(sys.executable).with_name(_PROGRAM)
    found = str(beside) if beside.is_file() else shutil.which(_PROGRAM)
    if found is None:
        raise FileNotFoundError(f"the program {_PROGRAM} is not installed: pip install {_PROGRAM}")
    return found


def _plan(
    plan: str | os.PathLike[str], column: str | None, options: Mapping[str, Any], folder: Path
) -> tuple[str | None, list[str]]:
    """A plan file, or nothing and the words of the one-line form."""
    text = os.fspath(plan)
    if text.endswith(".toml") or "\n" in text:
        if column is not None or options:
            raise ValueError("column and options must not be given beside a plan, which has its own")
        if "\n" not in text:
            return text, []
        file = folder / "plan.toml"
        file.write_text(text, encoding="utf-8")
        return str(file), []
    words = [text] if column is None else [text, column]
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            several = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
            for one in several:
                words.append(f"{option}={one}")
    return None, words


@contextmanager
def _given(
    program: str, data: Any, plan: str | None, words: list[str], folder: Path, dry_run: bool
) -> Iterator[list[str]]:
    """The program's first arguments: the plan and where its data are."""
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        if not isinstance(path, str) or not path.endswith(_SUFFIXES):
            raise ValueError("data: must be a .csv or .parquet file, an Arrow table, or a data frame")
        yield _arguments(path, plan, words)
    elif hasattr(data, "sparkSession") and not dry_run:
        # The one-line form names a file, which is not read where aggregates are given.
        arguments = _arguments("data.csv", plan, words)
        yield [*arguments[:1], *words, "--aggregates", _by_spark(program, data, arguments, folder)]
    else:
        path = str(folder / "data.parquet")
        if not dry_run:
            _write(data, path)
        yield _arguments(path, plan, words)


def _arguments(path: str, plan: str | None, words: list[str]) -> list[str]:
    return [path, *words] if plan is None else [plan, "--data", path]


def _by_spark(program: str, data: Any, arguments: list[str], folder: Path) -> str:
    """The aggregates of a Spark data frame, in a private file."""
    session, name = data.sparkSession, _TABLE
    data.select([_text(field.name, field.dataType.typeName()) for field in data.schema]).createOrReplaceTempView(name)
    try:
        without_data = [word for word in arguments if word != "--data"][:1] if "--data" in arguments else arguments
        result = session.sql(_run([program, *without_data, "--emit-sql", "spark", "--table", name]))
        path = folder / "aggregates.csv"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(result.columns)
            for row in result.toLocalIterator():
                writer.writerow(["" if value is None else value for value in row])
    finally:
        session.catalog.dropTempView(name)
    return str(path)


def _text(column: str, kind: str) -> Any:
    """A column of Spark as text, whose rule knows exponents of two digits: other doubles are clamped or 0 anyway."""
    functions = import_module("pyspark.sql.functions")
    value = functions.col(f"`{column.replace('`', '``')}`")
    if kind in ("double", "float"):
        value, most = value.cast("double"), functions.lit(1e90)
        within = functions.least(functions.greatest(value, -most), most)
        small = functions.when(functions.abs(value) < 1e-90, functions.lit(0.0)).otherwise(within)
        # The least and the greatest pass over nulls.
        value = functions.when(value.isNull() | functions.isnan(value), functions.lit(None)).otherwise(small)
    return value.cast("string").alias(column)


def _write(data: Any, path: str) -> None:
    """A table into a Parquet file of a private folder."""
    if hasattr(data, "write_parquet"):
        data.write_parquet(path)
        return
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ValueError("data: needs pyarrow (pip install pyarrow), unless it is a path or a Polars data frame") from None
    table: Any
    if isinstance(data, pyarrow.Table):
        table = data
    elif hasattr(data, "__arrow_c_stream__"):
        table = pyarrow.table(data)
    elif hasattr(data, "to_records"):
        table = pyarrow.Table.from_pandas(data, preserve_index=False)
    else:
        raise ValueError("data: must be a .csv or .parquet file, an Arrow table, or a pandas, Polars or Spark data frame")
    parquet.write_table(table, path)


def _run(words: list[str]) -> str:
    """What the program prints; what it refuses, as an exception with its one line."""
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.strip().splitlines() or [f"{_PROGRAM} ended with status {done.returncode}"]
    line = lines[-1].removeprefix("error: ")
    if done.returncode == 4:
        raise BudgetError(line)
    if done.returncode == 2:
        raise ValueError(line)
    raise OSError(line)
