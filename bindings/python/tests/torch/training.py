"""A small run for tests: a linear model on data that nobody owns."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from certus.torch import ExactDPSGD

OPTIONS: dict[str, Any] = {
    "clip": 1,
    "noise_multiplier": 1,
    "rate": "1/10",
    "steps": 20,
    "divisor": 10,
    "delta": "1e-5",
    "microbatch": 8,
    "report": lambda line: None,
}


def data(count: int = 97) -> tuple[torch.Tensor, torch.Tensor]:
    """Examples of two classes."""
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randn(count, 5, generator=generator)
    return inputs, (inputs[:, 0] > 0).long()


def linear() -> torch.nn.Module:
    """A linear model, always of the same weights."""
    model = torch.nn.Linear(5, 2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.1)
    return model


def run(dataset: Any = None, model: torch.nn.Module | None = None, **changed: Any) -> ExactDPSGD:
    """A trainer of that model, with these options changed."""
    model = linear() if model is None else model
    optimizer = changed.pop("optimizer", None) or torch.optim.SGD(model.parameters(), lr=1.0)
    loss = changed.pop("loss", F.cross_entropy)
    return ExactDPSGD(model, loss, optimizer, data() if dataset is None else dataset, **{**OPTIONS, **changed})


def flat(model: torch.nn.Module) -> torch.Tensor:
    """All of its weights."""
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
