"""`check_isolation`: what breaks isolation is found, the layer is named, and a pass claims nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from certus.torch import Isolation, check_isolation


class Scaled(nn.Module):
    """A weight for every input, added up one by one: no kernel of its own for any shape."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 1, count))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return (inputs * self.weight).sum(-1)


class Centred(nn.Module):
    """Takes the batch's mean away."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs - inputs.mean(0, keepdim=True)


class ByShape(nn.Module):
    """As a kernel that is chosen by the shape of the batch: the same sum, in another order."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        if inputs.shape[0] > 4:
            return inputs.flip(-1).cumsum(-1).flip(-1)
        return inputs.cumsum(-1)


class BySlot(nn.Module):
    """A mask that belongs to a slot, from a generator of its own."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        masks = torch.rand(inputs.shape, generator=torch.Generator().manual_seed(1))
        return inputs * (masks > 0.5)


class Averaged(nn.Module):
    """The mean over all that was padded."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs.mean(1)


INPUTS = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))


def plainly(model: nn.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients as of a trainer that looks at the whole batch, not through torch.func, which looks at one."""

    def per_example(_: nn.Module, loss: Any) -> Any:
        parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

        def gradients(batch: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
            outputs = model(batch[0])
            rows = [torch.autograd.grad(loss(row[None]), parameters, retain_graph=True) for row in outputs]
            return [torch.stack(column) for column in zip(*rows)]

        return gradients

    monkeypatch.setattr("certus.torch.isolation.gradients.per_example", per_example)


def test_a_pass_says_that_it_is_no_proof() -> None:
    found = check_isolation(nn.Sequential(Scaled(8)), (INPUTS,))
    assert found.isolated and "A pass is no proof" in str(found)
    with pytest.raises(TypeError, match="a pass is no proof"):
        bool(found)


@pytest.mark.parametrize("keeps", [True, False])
def test_batch_norm_fails_and_is_named(keeps: bool) -> None:
    model = nn.Sequential(nn.LayerNorm(8), nn.BatchNorm1d(8, track_running_stats=keeps), Scaled(8))
    before = [buffer.clone() for buffer in model.buffers()]
    found = check_isolation(model, (INPUTS,))
    assert not found.isolated and "'1' (BatchNorm1d)" in found.layer and "GroupNorm" in str(found)
    assert all(bool((a == b).all()) for a, b in zip(before, model.buffers()))


def test_the_batchs_own_mean_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.Sequential(Scaled2(), Centred(), Scaled(8))
    plainly(model, monkeypatch)
    found = check_isolation(model, (INPUTS,))
    assert not found.isolated and found.layer == "'1' (Centred)" and "among others" in found.trial


class Scaled2(nn.Module):
    """Twice its input."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs * 2


def test_dropout_fails_and_is_named() -> None:
    found = check_isolation(nn.Sequential(Scaled2(), nn.Dropout(0.5), Scaled(8)), (INPUTS,))
    assert not found.isolated and "'1' (Dropout)" in found.layer and "eval()" in found.help


def test_a_mask_tied_to_a_slot_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.Sequential(BySlot(), Scaled(8))
    plainly(model, monkeypatch)
    found = check_isolation(model, (INPUTS,))
    assert not found.isolated and found.layer == "'0' (BySlot)"


def test_kernels_chosen_by_shape_fail_where_shapes_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.Sequential(ByShape(), Scaled(8))
    plainly(model, monkeypatch)
    assert check_isolation(model, (INPUTS,)).isolated
    found = check_isolation(model, (INPUTS,), shapes=True)
    assert not found.isolated and found.layer == "'0' (ByShape)" and "one fixed shape" in found.help


def padded_to_the_longest(rows: Any) -> tuple[torch.Tensor, ...]:
    return (nn.utils.rnn.pad_sequence(list(rows), batch_first=True),)


def padded_to_nine(rows: Any) -> tuple[torch.Tensor, ...]:
    return (torch.stack([nn.functional.pad(row, (0, 0, 0, 9 - len(row))) for row in rows]),)


def test_lengths_padded_to_the_longest_fail() -> None:
    rows = [INPUTS[:3], INPUTS[:5], INPUTS[:2], INPUTS]
    model = nn.Sequential(Averaged(), Scaled(8))
    found = check_isolation(model, rows, collate=padded_to_the_longest)
    assert not found.isolated and found.layer == "'0' (Averaged)" and "one public length" in found.help
    assert check_isolation(model, rows, collate=padded_to_nine).isolated


def test_one_example_more_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(nn.Module):
        """Sees how many slots hold something."""

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            count = (inputs.abs().sum(-1) > 0).sum()
            # One, or all: only the step between five and six is seen.
            return inputs * (1 + (count == 5))

    model = nn.Sequential(Counted(), Scaled(8))
    plainly(model, monkeypatch)
    found = check_isolation(model, (INPUTS,))
    assert not found.isolated and found.trial == "with one example more" and found.layer == "'0' (Counted)"


def test_another_place_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    class Placed(nn.Module):
        """The last slot is not as the others; alone, an example is in the first."""

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            scale = torch.ones(len(inputs), 1)
            scale[-1] = 1 + 2**-20
            return inputs * scale

    model = nn.Sequential(Placed(), Scaled(8))
    plainly(model, monkeypatch)
    found = check_isolation(model, (INPUTS,))
    assert not found.isolated and found.layer == "'0' (Placed)" and "in another place" in found.trial


@pytest.mark.parametrize("bad", [(INPUTS[:1],), INPUTS[:1]])
def test_too_few_examples(bad: Any) -> None:
    with pytest.raises(ValueError, match="batch: must have at least two examples"):
        check_isolation(nn.Sequential(Scaled(8)), bad)


def test_what_is_no_batch() -> None:
    with pytest.raises(TypeError, match="batch: must be a tuple of tensors, or with collate"):
        check_isolation(nn.Sequential(Scaled(8)), [1, 2, 3])


def test_what_is_found_is_told_in_one_line() -> None:
    found = Isolation(False, "among others", "'1' (Centred)", "do this")
    text = "not isolated: an example's gradient differs among others, first in the layer '1' (Centred): do this"
    assert str(found) == text
