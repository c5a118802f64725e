"""Poisson samples: exact coins, nothing truncated, one fixed shape, padding of nobody."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import torch

from certus._certus import _poisson_sample
from certus.testing import seeded
from certus.torch import sampling


def test_every_example_is_drawn_by_its_own_coin() -> None:
    times = torch.zeros(40)
    for _ in range(3000):
        for place in sampling.draw(range(40), Fraction(1, 5)):
            times[place] += 1
    # Six standard errors of each.
    assert float((times / 3000 - 0.2).abs().max()) < 6 * (0.16 / 3000) ** 0.5


def test_the_number_drawn_varies_as_a_binomial() -> None:
    counts = torch.tensor([float(len(sampling.draw(range(1000), Fraction(1, 10)))) for _ in range(500)])
    # A batch of fixed size would have no variance.
    assert 60 < float(counts.var()) < 130 and abs(float(counts.mean()) - 100) < 6 * (90 / 500) ** 0.5


def test_coins_are_exact_at_the_ends_and_of_any_fraction() -> None:
    assert sampling.draw(range(1000), Fraction(1)) == list(range(1000))
    assert sampling.draw([], Fraction(1, 3)) == []
    assert sampling.draw(range(1000), Fraction(1, 2**200)) == []
    # The coins of a seed: 1/3 to the last bit, at any width.
    wide = Fraction(2**300 + 1, 3 * 2**300)
    drawn, near = (_poisson_sample(1000, rate, source=seeded("5")).tolist() for rate in ("1/3", wide))
    assert drawn == near and 250 < len(drawn) < 420


def test_two_draws_differ() -> None:
    assert sampling.draw(range(1000), Fraction(1, 2)) != sampling.draw(range(1000), Fraction(1, 2))


def test_the_places_are_those_of_the_rank() -> None:
    assert set(sampling.draw(range(1, 100, 3), Fraction(1))) == set(range(1, 100, 3))


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 24, 25])
def test_nothing_that_was_drawn_is_left_out(count: int) -> None:
    data = (torch.arange(1, 101), torch.arange(101, 201))
    drawn = list(range(3, 3 + count))
    seen = []
    for (first, second), mask in sampling.microbatches(drawn, 8, sampling.fetcher(data)):
        # One shape, whatever the draw.
        assert first.shape == second.shape == mask.shape == (8,)
        assert bool((first[mask == 0] == 0).all()) and bool((second[mask == 0] == 0).all())
        seen += [place for place in first[mask == 1].tolist()]
        assert (second - first)[mask == 1].tolist() == [100] * int(mask.sum())
    assert seen == [place + 1 for place in drawn]


class Rows(torch.utils.data.Dataset):  # type: ignore[misc, type-arg, unused-ignore]
    """A map-style data set."""

    def __len__(self) -> int:
        return 5

    def __getitem__(self, place: int) -> tuple[torch.Tensor, int]:
        return torch.full((2,), float(place)), place


@pytest.mark.parametrize(
    "dataset",
    [
        (torch.arange(5.0)[:, None].expand(5, 2), torch.arange(5)),
        torch.utils.data.TensorDataset(torch.arange(5.0)[:, None].expand(5, 2), torch.arange(5)),
        Rows(),
    ],
)
def test_data_sets(dataset: Any) -> None:
    inputs, targets = sampling.fetcher(dataset)([4, 1])
    assert inputs.tolist() == [[4, 4], [1, 1]] and targets.tolist() == [4, 1]
    assert sampling.size(dataset) == 5


def test_what_is_no_data_set() -> None:
    with pytest.raises(TypeError, match="dataset: must be a tuple of tensors or a map-style data set"):
        sampling.fetcher(7)
    with pytest.raises(ValueError, match="dataset: its tensors must have one row for every example"):
        sampling.fetcher((torch.zeros(3), torch.zeros(4)))


def test_examples_of_two_shapes_are_refused_without_their_shapes() -> None:
    ragged = [(torch.zeros(3), 0), (torch.zeros(41), 1)]
    with pytest.raises(ValueError, match="dataset: its examples must be tensors or numbers, all of one shape") as raised:
        sampling.fetcher(ragged)([0, 1])
    assert "41" not in str(raised.value) and raised.value.__cause__ is None
