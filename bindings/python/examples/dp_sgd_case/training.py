"""The data that the study makes, its model, and the two ways to train it at the same noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest import mock

import torch
import torch.nn.functional as F
from certus.torch import ExactDPSGD, TrainingPlan
from torch.func import functional_call, grad, vmap

Data = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Setting:
    """The public constants of a run; both ways take the same."""

    noise_multiplier: Fraction = Fraction(2)
    rate: Fraction = Fraction(1, 10)
    steps: int = 100
    divisor: int = 180
    rate_of_learning: float = 2.0
    clip: int = 1
    microbatch: int = 64
    delta: str = "1e-5"


def rings(count: int, seed: int) -> Data:
    """Points on two noisy rings in ten coordinates, of which eight are noise: no line separates them."""
    generator = torch.Generator().manual_seed(seed)
    targets = torch.randint(0, 2, (count,), generator=generator)
    angle = torch.rand(count, generator=generator) * 6.2832
    radius = 1.0 + 1.2 * targets + 0.25 * torch.randn(count, generator=generator)
    plane = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return torch.cat([plane, 0.3 * torch.randn(count, 8, generator=generator)], dim=1), targets


def network(seed: int) -> torch.nn.Module:
    """A small network, from weights of a seed."""
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))


def accuracy(model: torch.nn.Module, data: Data) -> float:
    """On data that nobody owns."""
    with torch.no_grad():
        return float((model(data[0]).argmax(1) == data[1]).float().mean())


def plan(model: torch.nn.Module, setting: Setting) -> TrainingPlan:
    """What `ExactDPSGD` accounts for."""
    return TrainingPlan.of(
        clip=setting.clip,
        noise_multiplier=setting.noise_multiplier,
        rate=setting.rate,
        steps=setting.steps,
        divisor=setting.divisor,
        coordinates=sum(parameter.numel() for parameter in model.parameters()),
    )


def train_exactly(model: torch.nn.Module, data: Data, setting: Setting, **options: Any) -> None:
    """By `certus.torch.ExactDPSGD`. What its plan costs is told once, for all runs."""
    with mock.patch.object(TrainingPlan, "epsilon", lambda *_: None):
        trainer = ExactDPSGD(
            model,
            F.cross_entropy,
            torch.optim.SGD(model.parameters(), lr=setting.rate_of_learning),
            data,
            clip=setting.clip,
            noise_multiplier=setting.noise_multiplier,
            rate=setting.rate,
            steps=setting.steps,
            divisor=setting.divisor,
            delta=setting.delta,
            microbatch=setting.microbatch,
            report=lambda line: None,
            **options,
        )
    trainer.fit()


def train_in_floats(model: torch.nn.Module, data: Data, setting: Setting) -> None:
    """DP-SGD as people write it: float norms, float sums, torch.normal. Its noise is not of a seed, either."""
    inputs, targets = data
    fresh = torch.Generator()
    fresh.seed()
    parameters = dict(model.named_parameters())

    def loss(weights: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(functional_call(model, weights, (x[None],)), y[None])

    per_example = vmap(grad(loss), in_dims=(None, 0, 0))
    for _ in range(setting.steps):
        drawn = (torch.rand(len(inputs), generator=fresh) < float(setting.rate)).nonzero().flatten()
        sums = {name: torch.zeros_like(weight) for name, weight in parameters.items()}
        for places in drawn.split(setting.microbatch):
            weights = {name: weight.detach() for name, weight in parameters.items()}
            found = per_example(weights, inputs[places], targets[places])
            norm = torch.stack([part.flatten(1).norm(dim=1) for part in found.values()]).norm(dim=0)
            factor = setting.clip / norm.clamp(min=setting.clip)
            for name, part in found.items():
                sums[name] += torch.einsum("i,i...->...", factor, part)
        for name, weight in parameters.items():
            width = float(setting.noise_multiplier * setting.clip)
            noisy = sums[name] + torch.normal(0.0, width, weight.shape, generator=fresh)
            weight.data -= setting.rate_of_learning * noisy / setting.divisor
