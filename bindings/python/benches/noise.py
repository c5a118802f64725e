"""Nanoseconds a sample into numpy, beside numpy's own floats rounded: one interleaved run, one thread.

Usage: python benches/noise.py [N [ROUNDS]], by default 10^7 samples in 7 rounds.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

import certus


def main() -> None:
    n, rounds = (int(float(text)) for text in (sys.argv[1:] + ["1e7", "7"][len(sys.argv) - 1 :]))
    rng = np.random.default_rng()
    gaussian, laplace = certus.Gaussian(sigma=10), certus.Laplace(scale=10)
    x = np.zeros(n, np.int64)
    tasks: dict[str, Callable[[], object]] = {
        "gaussian, numpy": lambda: np.rint(rng.normal(0, 10, n)).astype(np.int64),
        "gaussian, certus": lambda: gaussian.sample(n),
        "laplace, numpy": lambda: np.rint(rng.laplace(0, 10, n)).astype(np.int64),
        "laplace, certus": lambda: laplace.sample(n),
        "gaussian, certus, in place": lambda: gaussian.add(x, out=x),
        "gaussian, certus, added": lambda: gaussian.add(x),
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            # The process's own time: what else the machine does is not in it.
            started = time.process_time()
            task()
            times[name].append((time.process_time() - started) / n * 1e9)
    for name, each in times.items():
        base = times[name.split(",")[0] + ", numpy"]
        print(f"{name:28} {min(each):6.1f} ns at least, {sorted(each)[len(each) // 2]:6.1f} in the middle, "
              f"{min(each) / min(base):5.2f} x numpy")


main()
