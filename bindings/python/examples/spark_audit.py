"""A mechanism audited on Apache Spark: each partition draws and counts, treeReduce adds the tallies up.

    pip install certus pyspark
    python examples/spark_audit.py 100000000 16

What leaves a partition is a tally, some kilobytes whatever the number of samples. `tally` runs unchanged on a
cluster: give it the SparkContext of one, where certus is installed on the workers.

Spark runs a task again if it fails, or seems slow, and keeps one of its results. A task that runs again draws
fresh samples under the same shard, which its job, side and partition name. If both got in, their sum would be
a ValueError: a shard counts once.
"""

import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark import SparkContext

import certus

CHUNK = 1 << 20


def draw(f: Callable[[Any, int], Any], value: Any, samples: int, shard: str) -> certus.Tally:
    """So many outputs of f, counted as one shard: what a task does."""
    recording = certus.Recording()
    while recording.samples < samples:
        recording.record(f(value, min(CHUNK, samples - recording.samples)))
    return recording.tally(shard)


def sizes(samples: int, partitions: int) -> list[int]:
    """The samples of each partition."""
    return [samples // partitions + (place < samples % partitions) for place in range(partitions)]


def tally(
    context: SparkContext, f: Callable[[Any, int], Any], value: Any, *, samples: int, partitions: int, job: str
) -> certus.Tally:
    """So many outputs of f on one input, drawn by Spark. job: a name that no other tally here has."""
    lengths = sizes(samples, partitions)

    def work(partition: int, _: Iterable[int]) -> Iterator[certus.Tally]:
        yield draw(f, value, lengths[partition], f"{job}/{partition}")

    tasks = context.parallelize(range(partitions), partitions).mapPartitionsWithIndex(work)
    total: certus.Tally = tasks.treeReduce(lambda one, two: one + two)
    return total


def noisy_count(count: int, n: int) -> NDArray[np.int64]:
    """The mechanism: n releases of a count. Its noise is made where it runs, and is fresh in every call."""
    return count + certus.Laplace(scale=1).sample(n)


def main() -> None:
    samples, partitions = (int(text) for text in (sys.argv[1:] + ["10000000", "16"][len(sys.argv) - 1 :]))
    context = SparkContext.getOrCreate()
    run = uuid.uuid4().hex
    a, b = (
        tally(context, noisy_count, count, samples=samples, partitions=partitions, job=f"{run}/{side}")
        for side, count in (("a", 100), ("b", 101))
    )
    print(certus.audit_tallies(a, b, epsilon=1, name="noisy_count"))
    context.stop()


if __name__ == "__main__":
    main()
