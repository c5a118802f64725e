"""Million outputs a second into a tally and through an audit, from numpy: one thread, the process's own time.

Usage: python benches/audit.py [N [ROUNDS]], by default 10^7 outputs a side in 5 rounds. Integers have to reach
20 million a second, from the arrays to the verdict.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import certus


def replayed(sides: list[Any]) -> Callable[[int, int], Any]:
    """An f that hands out prepared outputs, so that no time goes into drawing them."""
    given = [0, 0]

    def f(side: int, n: int) -> Any:
        given[side] += n
        return sides[side][given[side] - n : given[side]]

    return f


def main() -> None:
    n, rounds = (int(float(text)) for text in (sys.argv[1:] + ["1e7", "5"][len(sys.argv) - 1 :]))
    narrow = [side + certus.Laplace(scale=10).sample(n) for side in (0, 1)]
    wide = [side + certus.Gaussian(sigma=10**6).sample(n) for side in (0, 1)]
    few = n // 10
    floats = [np.random.default_rng().laplace(side, 1, few) for side in (0, 1)]
    integers = narrow[0][:few].tolist()
    tasks: dict[str, tuple[int, Callable[[], object]]] = {
        "tally, integers": (n, lambda: certus.Tally.of(narrow[0])),
        "tally, int32": (n, lambda: certus.Tally.of(narrow[0].astype(np.int32))),
        "tally, wide integers": (n, lambda: certus.Tally.of(wide[0])),
        "tally, float64": (few, lambda: certus.Tally.of(floats[0])),
        "tally, rows of 3": (few, lambda: certus.Tally.of(narrow[0][: 3 * few].reshape(-1, 3))),
        "tally, list of int": (few, lambda: certus.Tally.of(integers)),
        "audit, integers": (2 * n, lambda: certus.audit(replayed(narrow), 0, 1, samples=n, progress=False)),
        "audit, wide integers": (2 * n, lambda: certus.audit(replayed(wide), 0, 1, samples=n, progress=False)),
        "audit, float64": (2 * few, lambda: certus.audit(replayed(floats), 0, 1, samples=few, progress=False)),
    }
    for name, (outputs, task) in tasks.items():
        times = []
        for _ in range(rounds):
            started = time.process_time()
            task()
            times.append(time.process_time() - started)
        fastest, middle = (outputs / seconds / 1e6 for seconds in (min(times), sorted(times)[rounds // 2]))
        print(f"{name:22} {fastest:7.1f} million a second at most, {middle:7.1f} in the middle")


main()
