"""The integer rule, in all of its forms: on tensors anywhere, the processor's own, and a GPU's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from certus._certus import _add_rounded
from certus.torch import rounding

Form = Callable[..., None]


def native(
    rows: torch.Tensor,
    factor: torch.Tensor,
    halvings: torch.Tensor,
    weights: torch.Tensor,
    bound: int,
    sums: torch.Tensor,
    squares: torch.Tensor,
) -> None:
    """The processor's form, called as the other one."""
    _add_rounded(
        rows.numpy(), factor.numpy(), halvings.numpy(), weights.numpy(), bound, sums.numpy(), squares.numpy(), threads=2
    )


def on_gpu(
    rows: torch.Tensor,
    factor: torch.Tensor,
    halvings: torch.Tensor,
    weights: torch.Tensor,
    bound: int,
    sums: torch.Tensor,
    squares: torch.Tensor,
) -> None:
    """A GPU's form, called as the other ones with what the processor has."""
    moved, total = [part.cuda() for part in (factor, halvings, weights)], sums.cuda()
    found = rounding._add_all_on_gpu([rows.cuda()], *moved, bound, total)
    sums.copy_(total)
    squares.add_(found.cpu()).clamp_(max=bound * bound + 1)


@pytest.fixture(params=["tensors", "processor", "gpu"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Form:
    """One of the forms, which `add_bounded` takes then too."""
    if request.param == "processor":
        return native
    if request.param == "gpu" and not torch.cuda.is_available():
        pytest.skip("SKIPPED: there is no GPU")
    form = on_gpu if request.param == "gpu" else rounding.round_and_add

    def add_all(
        gradients: list[torch.Tensor],
        factor: torch.Tensor,
        halvings: torch.Tensor,
        weights: torch.Tensor,
        bound: int,
        sums: torch.Tensor,
    ) -> torch.Tensor:
        squares, offset = torch.zeros_like(weights), 0
        for gradient in gradients:
            rows = rounding._rows(gradient)
            part = sums[offset : offset + rows.shape[1]]
            form(rows, factor, halvings, weights, bound, part, squares)
            offset += rows.shape[1]
        return squares

    monkeypatch.setattr(rounding, "_add_all", add_all)
    return form


def rounded(form: Form, rows: torch.Tensor, bound: int, factor: float = 1.0, halvings: int = 0) -> tuple[list[int], int]:
    """The integers of one gradient, and Σ z², as the form has them."""
    sums = torch.zeros(rows.shape[-1], dtype=torch.int64)
    squares = torch.zeros(1, dtype=torch.int64)
    each = torch.ones(1, dtype=torch.int64)
    form(rows.view(1, -1).float(), torch.tensor([factor]), each * halvings, each, bound, sums, squares)
    return sums.tolist(), int(squares)


def bounded(gradients: list[torch.Tensor], factor: torch.Tensor, bound: int, present: torch.Tensor | None = None) -> torch.Tensor:
    """What `add_bounded` adds."""
    sums = torch.zeros(sum(gradient[0].numel() for gradient in gradients), dtype=torch.int64)
    here = torch.ones(len(factor), dtype=torch.int64) if present is None else present
    rounding.add_bounded(gradients, factor, here, bound, sums)
    return sums


def square(z: torch.Tensor) -> int:
    """Σ z², which does not wrap."""
    return sum(value * value for value in z.tolist())


def test_truncation_is_towards_zero(form: Form) -> None:
    rows = torch.tensor([0.999, -0.999, 1.5, -1.5, 2.5, -2.5, 1e-30, -1e-30, 7.0, -7.0])
    assert rounded(form, rows, 8)[0] == [0, 0, 1, -1, 2, -2, 0, 0, 7, -7]


def test_what_is_no_number_or_too_large(form: Form) -> None:
    rows = torch.tensor([float("nan"), float("inf"), -float("inf"), 1e30, -1e30, 3e9, -3e9, 2**31, -(2.0**63)])
    assert rounded(form, rows, 8) == ([0, 8, -8, 8, -8, 8, -8, 8, -8], 65)
    assert rounded(form, rows, 8, factor=0.0)[0] == [0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert rounded(form, torch.ones(3), 8, factor=float("nan")) == ([0, 0, 0], 0)


def test_a_coordinate_of_1e30_does_not_pass_the_check(form: Form) -> None:
    # As the least int64 its square would wrap to 0.
    for coordinate in (1e30, -1e30):
        sums = bounded([torch.tensor([[coordinate, 4.0]])], torch.ones(1), 8)
        assert 0 < square(sums) <= 64


@pytest.mark.parametrize("count", [10**7, 2**24])
def test_many_large_coordinates_do_not_wrap_the_check(form: Form, count: int) -> None:
    # 2^24 squares of 2^40 are 2^64: all of them wrap to nothing.
    bound = 1 << 20
    rows = torch.full((1, count), float(bound))
    squares = torch.zeros(1, dtype=torch.int64)
    sums = torch.zeros(count, dtype=torch.int64)
    one = torch.ones(1, dtype=torch.int64)
    form(rows, torch.ones(1), one * 0, one, bound, sums, squares)
    assert int(squares) == bound**2 + 1
    if count > 10**7:
        return
    total = bounded([rows], torch.ones(1), bound)
    # 2^20 halved until 10^7 of them have a norm of at most 2^20.
    assert int(total.min()) == int(total.max()) > 0 and int(total[0]) ** 2 * count <= bound**2


def test_a_block_at_a_time_counts_every_square(form: Form) -> None:
    # 2^20 + 3 ones have the square norm that they have, on both sides of a block's end.
    count = rounding.BLOCK + 3
    assert rounded(form, torch.ones(count), 1025)[1] == min(count, 1025**2 + 1)
    assert rounded(form, torch.ones(count), 1024)[1] == 1024**2 + 1


def test_the_norm_is_checked_in_integers_where_the_float_norm_is_low(form: Form) -> None:
    # A factor as of a float norm that is a hundredth too low: Σ z² is above the bound's square.
    bound, gradient = 1000, torch.tensor([[600.0, 800.0]])
    low = bounded([gradient], torch.tensor([1.01]), bound)
    assert low.tolist() == [303, 404]
    exact = bounded([gradient], torch.tensor([1.0]), bound)
    assert exact.tolist() == [600, 800]


def test_the_norm_is_of_all_parameters_together(form: Form) -> None:
    parts = [torch.tensor([[600.0]]), torch.tensor([[[800.0], [0.0]]])]
    assert bounded(parts, torch.tensor([1.01]), 1000).tolist() == [303, 404, 0]


def test_halving_ends(form: Form) -> None:
    # Divided towards zero, −1 becomes 0. Shifted, it would stay −1 for ever.
    assert rounded(form, torch.tensor([-1.0, -3.0, 3.0]), 8, halvings=1)[0] == [0, -1, 1]
    assert rounded(form, torch.tensor([-8.0, 8.0]), 8, halvings=40)[0] == [0, 0]
    many = torch.full((1, 100), -1.0)
    assert bounded([many], torch.ones(1), 8).tolist() == [0] * 100


def test_every_example_is_bounded_by_itself(form: Form) -> None:
    generator = torch.Generator().manual_seed(5)
    for bound in (1, 2, 7, 1024, 1 << 20):
        for factor in (0.5, 1.0, 3.0, 1e6):
            rows = torch.randn(6, 40, generator=generator) * bound
            rows[1, 3], rows[2, 0], rows[3] = float("nan"), 1e30, -1.0
            alone = [bounded([rows[i : i + 1]], torch.tensor([factor]), bound) for i in range(6)]
            assert all(square(z) <= bound**2 for z in alone)
            assert bool((bounded([rows], torch.full((6,), factor), bound) == sum(alone)).all())


def test_padding_adds_nothing(form: Form) -> None:
    rows = torch.tensor([[3.0, 4.0], [100.0, 100.0], [float("nan"), 1e30]])
    present = torch.tensor([1, 0, 0])
    assert bounded([rows], torch.ones(3), 5, present).tolist() == [3, 4]


def test_the_two_forms_give_the_same_integers() -> None:
    generator = torch.Generator().manual_seed(7)
    for shape in ((1, 1), (5, 17), (3, 4096), (2, 9001), (3, 700_001)):
        rows = torch.randn(shape, generator=generator) * 3e4
        rows[0, 0], rows[-1, -1] = float("nan"), -1e30
        factor = torch.rand(shape[0], generator=generator) * 40
        halvings = torch.arange(shape[0]) % 3
        weights = torch.arange(shape[0]) % 3 - 1
        results = []
        for form in (native, rounding.round_and_add):
            sums, squares = torch.ones(shape[1], dtype=torch.int64), torch.zeros(shape[0], dtype=torch.int64)
            form(rows, factor, halvings, weights, 1 << 20, sums, squares)
            results.append((sums, squares))
        assert all(bool((a == b).all()) for a, b in zip(*results))


def test_the_two_forms_agree_on_every_kind_of_float() -> None:
    generator = torch.Generator().manual_seed(11)
    bits = torch.randint(-(2**31), 2**31, (64, 4096), generator=generator).to(torch.int32)
    near = torch.randint(0, 2**20, (8, 4096), generator=generator).float()
    edges = torch.cat([torch.nextafter(near, near * 0 - 1), near, -torch.nextafter(near, near + 2), near + 0.5])
    for rows in (bits.view(torch.float32), edges):
        for bound in (1, 1000, 1 << 20):
            results = []
            for form in (native, rounding.round_and_add):
                sums, squares = torch.zeros(rows.shape[1], dtype=torch.int64), torch.zeros(len(rows), dtype=torch.int64)
                each = torch.ones(len(rows), dtype=torch.int64)
                form(rows.contiguous(), torch.ones(len(rows)), each * 0, each, bound, sums, squares)
                results.append((sums, squares))
            assert all(bool((a == b).all()) for a, b in zip(*results))


def test_factors_bring_the_norm_to_the_bound() -> None:
    gradients = [torch.tensor([[30.0], [0.3]]), torch.tensor([[[40.0]], [[0.4]]])]
    found = rounding.factors(gradients, clip=5.0, bound=1000)
    assert found.tolist() == pytest.approx([1000 / 50, 1000 / 5], rel=1e-5)
    # Above the norm that is asked for never by more than floats are wrong.
    assert bounded(gradients, found, 1000).abs().sum() > 0
    strange = rounding.factors([torch.tensor([[float("inf")], [float("nan")]])], clip=1.0, bound=8)
    assert bounded([torch.tensor([[float("inf")], [float("nan")]])], strange, 8).tolist() == [0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_gradients_of_any_float_type(form: Form, dtype: torch.dtype) -> None:
    assert bounded([torch.tensor([[3.0, -4.0]], dtype=dtype)], torch.ones(1), 5).tolist() == [3, -4]
