"""Float DP-SGD beside exact DP-SGD at the same noise: accuracy, epsilon, time; and audits by canaries of both.

    python examples/dp_sgd_case/run.py [--quick]

Data and first weights are of seeds; noise and samples are fresh in every run. Prints the tables of README.md.
Exits with 1 if an audit's verdict is not the expected one.
"""

from __future__ import annotations

import statistics
import sys
import time

import torch
from canaries import BUGS, audit, exactly, in_floats
from training import Setting, accuracy, network, plan, rings, train_exactly, train_in_floats

QUICK = "--quick" in sys.argv


def compare(seeds: int, setting: Setting) -> None:
    """Accuracy and seconds a run, over seeds."""
    test = rings(4000, seed=10_000)
    found: dict[str, list[float]] = {"float": [], "exact": []}
    seconds: dict[str, list[float]] = {"float": [], "exact": []}
    for seed in range(seeds):
        data = rings(2000, seed)
        for name, train in (("float", train_in_floats), ("exact", train_exactly)):
            model = network(seed)
            begun = time.perf_counter()
            train(model, data, setting)
            seconds[name].append(time.perf_counter() - begun)
            found[name].append(accuracy(model, test))
    begun = time.perf_counter()
    epsilon = plan(network(0), setting).epsilon(setting.delta)
    accounted = time.perf_counter() - begun
    print(f"{seeds} seeds, {setting.steps} steps, noise multiplier {setting.noise_multiplier}, rate {setting.rate}\n")
    print("| | accuracy, mean | least to most | seconds a run | epsilon at delta = 1e-5 |")
    print("| --- | --- | --- | --- | --- |")
    for name, told in (("float", "of another mechanism than the one that ran"), ("exact", str(epsilon))):
        spread = f"{min(found[name]):.3f} to {max(found[name]):.3f}"
        median = statistics.median(seconds[name])
        print(f"| {name} DP-SGD | {statistics.mean(found[name]):.3f} | {spread} | {median:.2f} | {told} |")
    print(f"\nThe account took {accounted:.0f} s more, once.")


def audits(count: int) -> bool:
    """One audited run of each; whether every verdict is the expected one."""
    print(f"\n{count} canaries, in one run each\n")
    print("| run | claim | plan | epsilon is at least | expected |")
    print("| --- | --- | --- | --- | --- |")
    as_expected = True
    results = [("float DP-SGD", audit(in_floats, count), False), ("exact DP-SGD", audit(exactly, count), False)]
    for name, plant, seen, size in BUGS:
        with plant():
            results.append((f"planted: {name}", audit(exactly, count, size), seen))
    for name, result, seen in results:
        alarm = result.verdict == "violation" or result.plan_verdict == "not_the_plan"
        as_expected &= alarm == seen
        expected = "an alarm" if seen else "no alarm"
        print(f"| {name} | {result.verdict} | {result.plan_verdict} | {result.epsilon_lower} | {expected} |")
    return as_expected


if __name__ == "__main__":
    torch.set_num_threads(1)
    compare(seeds=2 if QUICK else 10, setting=Setting(steps=30) if QUICK else Setting())
    sys.exit(0 if audits(300 if QUICK else 1000) else 1)
