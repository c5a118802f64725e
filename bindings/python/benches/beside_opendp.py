"""Noise on a vector of 10^6 integers, beside opendp's, which is exact too: one interleaved run, one thread.

Usage: python benches/beside_opendp.py [N [ROUNDS]], by default 10^6 entries in 3 rounds. It needs `pip install opendp`.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import opendp.prelude as dp

import certus


def main() -> None:
    n, rounds = (int(float(text)) for text in (sys.argv[1:] + ["1e6", "3"][len(sys.argv) - 1 :]))
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs, ours = dp.m.make_laplace(*space, scale=10.0), certus.Laplace(scale=10)
    as_list, as_array = [0] * n, np.zeros(n, np.int64)
    tasks: dict[str, Callable[[], object]] = {
        "opendp": lambda: theirs(as_list),
        "certus": lambda: ours.add(as_array),
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            started = time.process_time()
            task()
            times[name].append((time.process_time() - started) / n * 1e9)
    for name, each in times.items():
        print(f"{name:8} {min(each):8.1f} ns at least, {sorted(each)[len(each) // 2]:8.1f} in the middle")
    middle = {name: sorted(each)[len(each) // 2] for name, each in times.items()}
    print(f"certus is {min(times['opendp']) / min(times['certus']):.0f} and {middle['opendp'] / middle['certus']:.0f} times as fast")


main()
