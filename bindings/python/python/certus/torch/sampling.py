"""Poisson samples by exact coins, in microbatches of one fixed shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from .._certus import _poisson_sample


def draw(places: Sequence[int], rate: Fraction) -> list[int]:
    """Each of the places with probability `rate`, exactly, by a coin of its own from the operating system."""
    return [places[index] for index in _poisson_sample(len(places), rate).tolist()]


def microbatches(
    drawn: Sequence[int], shape: int, fetch: Callable[[Sequence[int]], tuple[torch.Tensor, ...]]
) -> Iterator[tuple[tuple[torch.Tensor, ...], torch.Tensor]]:
    """As many batches of `shape` slots as the draw needs, each with a mask of the slots that hold an example.

    Nothing that was drawn is left out. Slots past the end hold zeros, never another example.
    """
    for first in range(0, len(drawn), shape):
        chosen = drawn[first : first + shape]
        yield tuple(padded(values, shape) for values in fetch(chosen)), _mask(len(chosen), shape)


def padded(values: torch.Tensor, shape: int) -> torch.Tensor:
    """A tensor of `shape` slots that begins with these."""
    if values.shape[0] == shape:
        return values
    full = values.new_zeros((shape, *values.shape[1:]))
    full[: values.shape[0]] = values
    return full


def _mask(count: int, shape: int) -> torch.Tensor:
    mask = torch.zeros(shape, dtype=torch.int64)
    mask[:count] = 1
    return mask


def fetcher(dataset: Any) -> Callable[[Sequence[int]], tuple[torch.Tensor, ...]]:
    """How to get examples by their places: of a tuple of tensors, or of a map-style data set."""
    if isinstance(dataset, torch.utils.data.TensorDataset):
        dataset = dataset.tensors
    if isinstance(dataset, (tuple, list)) and dataset and all(isinstance(part, torch.Tensor) for part in dataset):
        tensors = tuple(dataset)
        if len({len(part) for part in tensors}) != 1:
            raise ValueError("dataset: its tensors must have one row for every example, each as many")
        return lambda places: tuple(part[torch.as_tensor(list(places))] for part in tensors)

    def fetch(places: Sequence[int]) -> tuple[torch.Tensor, ...]:
        try:
            batch = torch.utils.data.default_collate([dataset[place] for place in places])
        except (RuntimeError, TypeError):
            # What torch says has the shapes of private examples in it.
            raise ValueError("dataset: its examples must be tensors or numbers, all of one shape: pad them") from None
        return tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)

    if not hasattr(dataset, "__getitem__") or not hasattr(dataset, "__len__"):
        raise TypeError(
            "dataset: must be a tuple of tensors or a map-style data set (with len and indices), "
            f"not {type(dataset).__name__}"
        )
    return fetch


def size(dataset: Any) -> int:
    """How many examples there are, which is private."""
    if isinstance(dataset, (tuple, list)) and dataset and all(isinstance(part, torch.Tensor) for part in dataset):
        return len(dataset[0])
    return len(dataset)
