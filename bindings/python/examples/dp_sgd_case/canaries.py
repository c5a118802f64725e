"""Audits of training runs by canaries: examples that are in or out by a coin each, and the bugs that they can see.

A canary has features of its own, so that it moves weights that nobody else moves, always by the clip norm together; the
score is how far the two classes' weights moved apart. So canaries are independent channels, and each step is one subsampled Gaussian.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from unittest import mock

import certus
import torch
from certus.torch import rounding, tensors
from training import Data, Setting, train_exactly, train_in_floats

#: All examples in every step, so that the account of the plan is quick; and a rate of learning so small that the canaries' gradients stay what they are at the start.
AUDITED = Setting(
    noise_multiplier=Fraction(2), rate=Fraction(1), steps=4, divisor=1, rate_of_learning=2.0**-24, microbatch=256
)
PLAN = "gaussian(sigma=2)*4"

#: How many features a canary has: so many that none of its coordinates is clamped where its norm is wrong.
WIDTH = 16

#: A feature whose gradient's square no float holds.
LARGE = 1e30

Train = Callable[[torch.nn.Module, Data], Any]


def audit(train: Train, count: int, size: float = 100.0) -> certus.CanaryResult:
    """One run with `count` canaries, each in by a fair coin, and its verdict."""
    fresh = random.SystemRandom()
    coins = [fresh.random() < 0.5 for _ in range(count)]
    own = torch.diag(torch.full((count,), size)).repeat_interleave(WIDTH, dim=1)
    inputs = own[torch.tensor(coins)]
    model = torch.nn.Linear(count * WIDTH, 2, bias=False)
    torch.nn.init.zeros_(model.weight)
    train(model, (inputs, torch.ones(len(inputs), dtype=torch.int64)))
    moved = model.weight.detach().double()
    # What is not clamped may move both weights the same way.
    scores = (moved[1] - moved[0] if size < LARGE else moved.abs().sum(0)).view(count, WIDTH).sum(1).tolist()
    return certus.audit_canaries(scores, coins, plan=PLAN, delta="1e-5", independent=True)


def in_floats(model: torch.nn.Module, data: Data) -> None:
    """The float loop."""
    train_in_floats(model, data, AUDITED)


def exactly(model: torch.nn.Module, data: Data) -> None:
    """The exact one."""
    example = (torch.zeros(data[0].shape[1]), torch.tensor(0))
    train_exactly(model, data, AUDITED, example=example)


@contextlib.contextmanager
def _replaced(owner: Any, name: str, by: Any) -> Iterator[None]:
    with mock.patch.object(owner, name, by):
        yield


def _without_noise() -> Any:
    return _replaced(tensors, "_draw_onto", lambda values, gaussian: None)


def _third_of_the_noise() -> Any:
    draw = tensors._draw_onto
    return _replaced(tensors, "_draw_onto", lambda values, _: draw(values, certus.Gaussian("2097152/3")))


def _one_key_twice() -> Any:
    """The second half of the coordinates, as of a second shard, has the noise of the first."""
    draw = tensors._draw_onto

    def twice(values: torch.Tensor, gaussian: certus.Gaussian) -> None:
        noise = torch.zeros(values.numel() // 2, dtype=torch.int64)
        draw(noise, gaussian)
        values += noise.repeat(2)

    return _replaced(tensors, "_draw_onto", twice)


@contextlib.contextmanager
def _norm_too_low(is_checked: bool) -> Iterator[None]:
    """Float norms that are a quarter of what they should be; and, perhaps, no integer check."""
    factors, add_all = rounding.factors, rounding._add_all
    wrong = mock.patch.object(rounding, "factors", lambda *arguments: 4 * factors(*arguments))
    unchecked = mock.patch.object(rounding, "_add_all", lambda *arguments: 0 * add_all(*arguments))
    with wrong, contextlib.nullcontext() if is_checked else unchecked:
        yield


@contextlib.contextmanager
def _wraps_at_1e30() -> Iterator[None]:
    """Infinite norms taken for the clip norm; not clamped, and a check in which squares wrap."""

    def add_all(
        gradients: Any, factor: torch.Tensor, _: Any, weights: torch.Tensor, bound: int, sums: torch.Tensor
    ) -> torch.Tensor:
        z = (gradients[0].flatten(1) * bound).to(torch.int64)
        sums += (z * weights[:, None]).sum(0)
        return (z * z).sum(1)

    with mock.patch.object(rounding, "_add_all", add_all):
        yield


#: What is planted, whether canaries can see it, and the size of their features.
BUGS: list[tuple[str, Callable[[], Any], bool, float]] = [
    ("no noise", _without_noise, True, 100.0),
    ("a third of the noise", _third_of_the_noise, True, 100.0),
    ("one key for two shards", _one_key_twice, True, 100.0),
    ("float norms a quarter, no integer check", lambda: _norm_too_low(False), True, 100.0),
    ("float norms a quarter, integer check kept", lambda: _norm_too_low(True), False, 100.0),
    ("1e30 not clamped, the check wraps", _wraps_at_1e30, True, LARGE),
]
