"""Tallies on Apache Spark: 10^8 samples a side over 16 partitions, two of which are run again.

`bindings/python/check --spark` runs it: it needs PySpark and a Java runtime. CERTUS_SPARK_SAMPLES is the number
of samples a side, for a shorter run.
"""

import importlib.util
import os
import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

import certus
from certus.testing import seeded

pyspark: Any = pytest.importorskip("pyspark")

SAMPLES = int(os.environ.get("CERTUS_SPARK_SAMPLES", 100_000_000))
PARTITIONS = 16
AGAIN = (3, 11)


def example() -> Any:
    path = pathlib.Path(__file__).parents[2] / "examples/spark_audit.py"
    spec = importlib.util.spec_from_file_location("spark_audit", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["spark_audit"] = module
    spec.loader.exec_module(module)
    return module


spark_audit = example()


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user's own job, not as audits of this session."""
    monkeypatch.setattr("certus._session.current", None)


@pytest.fixture(scope="module")
def context() -> Iterator[Any]:
    # Two threads, and four attempts at a task before it fails for good.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(pathlib.Path(spark_audit.__file__).parent), *sys.path])
    configuration = pyspark.SparkConf().setMaster("local[2,4]").set("spark.ui.enabled", "false")
    context = pyspark.SparkContext(conf=configuration)
    context.setLogLevel("OFF")
    yield context
    context.stop()


class Seeded:
    """A mechanism whose noise depends on partition and side, so that one process can draw the same."""

    def __init__(self, failures: str | None = None) -> None:
        self.failures, self.partition, self.drawn = failures, -1, 0
        self.noise: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "noise": None, "source": None, "drawn": 0}

    def __call__(self, value: int, n: int) -> Any:
        task = pyspark.TaskContext.get()
        partition = self.partition if task is None else task.partitionId()
        if self.noise is None:
            self.noise = certus.Laplace(scale=1)
            self.source = seeded(f"{value:x}{partition:04x}")
        outputs = value + self.noise.sample(n, source=self.source)
        self.drawn += n
        # At the end of the first attempt, when all is drawn and counted but the last chunk.
        last = self.drawn == spark_audit.sizes(SAMPLES, PARTITIONS)[partition]
        if last and self.failures and partition in AGAIN and task is not None and task.attemptNumber() == 0:
            with open(self.failures, "a") as file:
                file.write(f"{value}/{partition}\n")
            raise RuntimeError("a task that fails at its first attempt")
        return outputs


def test_partitions_that_run_again_count_once(context: Any, tmp_path: pathlib.Path) -> None:
    failures = tmp_path / "failures"
    tallies = {}
    for side, value in (("a", 100), ("b", 101)):
        started = time.monotonic()
        tallies[side] = spark_audit.tally(
            context, Seeded(str(failures)), value, samples=SAMPLES, partitions=PARTITIONS, job=f"job/{side}"
        )
        print(f"{side}: {tallies[side]}, {time.monotonic() - started:.1f} s")
    # Two partitions of both sides failed once, after they had drawn.
    assert sorted(failures.read_text().split()) == sorted(f"{v}/{p}" for v in (100, 101) for p in AGAIN)
    for side, value in (("a", 100), ("b", 101)):
        shards = []
        for partition, length in enumerate(spark_audit.sizes(SAMPLES, PARTITIONS)):
            f = Seeded()
            f.partition = partition
            shards.append(spark_audit.draw(f, value, length, f"job/{side}/{partition}"))
        alone = sum(shards[1:], shards[0])
        assert tallies[side].samples == SAMPLES and len(tallies[side].shards) == PARTITIONS
        assert tallies[side].counts() == alone.counts()
        assert tallies[side].to_bytes() == alone.to_bytes()
        # Another attempt at a partition, with the same samples or with fresh ones, is refused.
        fresh = spark_audit.draw(spark_audit.noisy_count, value, 1000, f"job/{side}/3")
        for again in (shards[3], fresh):
            with pytest.raises(ValueError, match=f"shard job/{side}/3 is there twice"):
                tallies[side] + again
    started = time.monotonic()
    assert certus.audit_tallies(tallies["a"], tallies["b"], epsilon=1.001).verdict == "consistent"
    assert certus.audit_tallies(tallies["a"], tallies["b"], epsilon=0.99).verdict == "violation"
    print(f"two audits: {time.monotonic() - started:.1f} s")


def test_a_fresh_job_of_the_example(context: Any) -> None:
    a, b = (
        spark_audit.tally(context, spark_audit.noisy_count, value, samples=200_000, partitions=20, job=f"fresh/{value}")
        for value in (0, 3)
    )
    assert certus.audit_tallies(a, b, epsilon=1).verdict == "violation"


def test_one_seed_on_all_partitions_is_refused(context: Any) -> None:
    def same(value: int, n: int) -> Any:
        return value + certus.Laplace(scale=1).sample(n, source=seeded("7"))

    with pytest.raises(Exception, match="hold the same outputs in the same order"):
        spark_audit.tally(context, same, 0, samples=40_000, partitions=4, job="one seed")
