"""A step of exact DP-SGD beside the same loop with float noise, interleaved; medians.

    python benches/dp_sgd.py [--device cpu|cuda] [--parameters 10000000] [--examples 32] [--microbatch 16] [--rounds 7]

Both loops compute the same gradients of single examples by torch.func on the same examples, all of them in every
step, clip them to the same norm, and take the same optimizer's step. The float loop adds up in float32 and adds
torch.normal's noise; the exact one rounds, checks, adds up in int64 and adds exact noise. The third line is the
exact loop with one example a launch (isolate=True).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
import torch.nn.functional as F
from certus.torch import ExactDPSGD, TrainingPlan, gradients, sampling

FEATURES, CLASSES = 1000, 10


def network(parameters: int, device: str) -> torch.nn.Module:
    """Two hidden layers of equal width, of about so many parameters in all."""
    width = int(((FEATURES + CLASSES) ** 2 + 4 * parameters) ** 0.5 - (FEATURES + CLASSES)) // 2
    layers = [torch.nn.Linear(FEATURES, width), torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, CLASSES)).to(device)


class FloatDPSGD:
    """DP-SGD as people write it, in floats."""

    def __init__(self, model: torch.nn.Module, data: tuple[torch.Tensor, ...], microbatch: int, divisor: float) -> None:
        self.parameters = [parameter for _, parameter in gradients.trained(model)]
        self.gradients = gradients.per_example(model, F.cross_entropy)
        self.optimizer = torch.optim.SGD(self.parameters, lr=0.1)
        self.data, self.microbatch, self.divisor = data, microbatch, divisor

    def step(self) -> None:
        """One step: clip norm 1, σ = 1."""
        sums = [torch.zeros_like(parameter) for parameter in self.parameters]
        drawn = range(len(self.data[0]))
        for batch, mask in sampling.microbatches(drawn, self.microbatch, sampling.fetcher(self.data)):
            found = self.gradients(batch)
            norms = torch.stack([torch.linalg.vector_norm(part.flatten(1), dim=1) for part in found])
            factor = mask.to(norms) / torch.linalg.vector_norm(norms, dim=0).clamp(min=1.0)
            for total, part in zip(sums, found):
                total += torch.einsum("i,i...->...", factor, part)
        for parameter, total in zip(self.parameters, sums):
            parameter.grad = total.add_(torch.normal(0.0, 1.0, total.shape, device=total.device)) / self.divisor
        self.optimizer.step()
        self.optimizer.zero_grad()


def seconds(work: Callable[[], Any], device: str) -> float:
    """How long it takes, with all that it started on the device."""
    if device == "cuda":
        torch.cuda.synchronize()
    begun = time.perf_counter()
    work()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - begun


def main() -> None:
    """Prints three lines: seconds a step, and how many times the float loop's."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    for name, value in (("parameters", 10**7), ("examples", 32), ("microbatch", 16), ("rounds", 7)):
        options.add_argument(f"--{name}", type=int, default=value)
    given = options.parse_args()
    # The account takes seconds, and is no part of a step.
    TrainingPlan.epsilon = lambda plan, delta: None  # type: ignore[method-assign, assignment, return-value]
    data = (
        torch.randn(given.examples, FEATURES, device=given.device),
        torch.randint(0, CLASSES, (given.examples,), device=given.device),
    )
    loops: dict[str, Any] = {}
    # Deterministic algorithms are on for all of them, as the exact loop turns them on.
    for name, isolate in (("exact", False), ("exact, isolate=True", True)):
        model = network(given.parameters, given.device)
        loops[name] = ExactDPSGD(
            model,
            F.cross_entropy,
            torch.optim.SGD(model.parameters(), lr=0.1),
            data,
            clip=1,
            noise_multiplier=1,
            rate=1,
            steps=10**6,
            divisor=1000,
            delta="1e-5",
            microbatch=given.microbatch,
            isolate=isolate,
            report=lambda line: None,
        )
    loops = {"float": FloatDPSGD(network(given.parameters, given.device), data, given.microbatch, 1000.0), **loops}
    count = loops["exact"].plan.coordinates
    times: dict[str, list[float]] = {name: [] for name in loops}
    for turn in range(given.rounds + 1):
        for name, loop in loops.items():
            taken = seconds(loop.step, given.device)
            if turn > 0:
                times[name].append(taken)
    print(f"{count:,} parameters, {given.examples} examples in microbatches of {given.microbatch}, on {given.device}")
    base = statistics.median(times["float"])
    for name, found in times.items():
        print(f"{name:20} {statistics.median(found):8.4f} s a step   {statistics.median(found) / base:5.2f} x")


if __name__ == "__main__":
    main()
