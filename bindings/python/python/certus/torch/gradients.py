"""The gradient of every example of a batch: by `torch.func`, or from Opacus's `GradSampleModule`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]
from torch.func import functional_call, grad, vmap  # type: ignore[import-not-found, unused-ignore]

#: A loss of predictions and targets, for a batch of one: what torch.nn.functional has.
Loss = Callable[..., torch.Tensor]

#: Takes a batch (the inputs, then what the loss takes beside predictions), and returns the gradients of every
#: parameter, in the order of `trained`, with the examples along their first axis.
PerExample = Callable[[tuple[torch.Tensor, ...]], list[torch.Tensor]]


def trained(model: torch.nn.Module) -> list[tuple[str, torch.nn.Parameter]]:
    """The parameters that are trained, by name."""
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]


def per_example(model: torch.nn.Module, loss: Loss) -> PerExample:
    """The gradients of single examples, by the way that the model asks for."""
    return _of_opacus(model, loss) if is_of_opacus(model) else _of_func(model, loss)


def is_of_opacus(model: torch.nn.Module) -> bool:
    """Whether it is a GradSampleModule, also where Opacus is imported under another name."""
    return any(kind.__name__ == "GradSampleModule" for kind in type(model).__mro__)


def _of_func(model: torch.nn.Module, loss: Loss) -> PerExample:
    names = [name for name, _ in trained(model)]

    def loss_of_one(weights: dict[str, torch.Tensor], fixed: dict[str, torch.Tensor], *example: torch.Tensor) -> Any:
        inputs, *targets = (part.unsqueeze(0) for part in example)
        return loss(functional_call(model, {**fixed, **weights}, (inputs,)), *targets)

    def gradients(batch: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        weights = {name: parameter.detach() for name, parameter in trained(model)}
        fixed = {name: parameter.detach() for name, parameter in model.named_parameters() if name not in weights}
        fixed.update((name, buffer.detach()) for name, buffer in model.named_buffers())
        # Randomness that two examples share, or that is tied to a slot, is an error, and so is a written buffer.
        over = (None, None, *(0 for _ in batch))
        found = vmap(grad(loss_of_one), in_dims=over, randomness="error")(weights, fixed, *batch)
        return [found[name] for name in names]

    return gradients


def _of_opacus(model: Any, loss: Loss) -> PerExample:
    parameters = [parameter for _, parameter in trained(model)]

    def loss_of_one(prediction: torch.Tensor, *targets: torch.Tensor) -> torch.Tensor:
        return loss(prediction.unsqueeze(0), *(target.unsqueeze(0) for target in targets))

    def gradients(batch: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        for parameter in parameters:
            parameter.grad, parameter.grad_sample = None, None
        inputs, *targets = batch
        losses = vmap(loss_of_one, randomness="error")(model(inputs), *targets)
        # Opacus multiplies by the batch's shape where it was told that losses are averaged.
        (losses.mean() if getattr(model, "loss_reduction", "mean") == "mean" else losses.sum()).backward()
        found = [parameter.grad_sample for parameter in parameters]
        for parameter in parameters:
            parameter.grad, parameter.grad_sample = None, None
        if any(not isinstance(samples, torch.Tensor) for samples in found):
            raise ValueError("model: its GradSampleModule has no gradient of single examples for every parameter")
        return found

    return gradients
