"""Noise on tensors: the distribution, in place, refused beforehand, clamped and flagged."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from certus import Gaussian
from certus._certus import _gpu_add_noise, _gpu_fill
from certus.torch import add_noise_, add_noise_dlpack, noise


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("sigma", [1, 10, "2001/2", 2**20])
def test_the_noise_has_its_moments(dtype: torch.dtype, sigma: Any) -> None:
    drawn = noise(200_000, sigma=sigma, dtype=dtype).double()
    width = float(Fraction(sigma))
    # Six standard errors: one run in 10^8 fails by chance.
    assert abs(float(drawn.mean())) < 6 * width / 200_000**0.5
    assert abs(float(drawn.square().mean()) / width**2 - 1) < 6 * (2 / 200_000) ** 0.5
    # Kurtosis: slots that are left at zero, or a uniform in place of a Gaussian, have another one.
    assert abs(float(drawn.pow(4).mean()) / width**4 - 3) < 6 * (96 / 200_000) ** 0.5


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_no_slot_is_left_without_noise(dtype: torch.dtype) -> None:
    values = torch.zeros(3, 50_001, dtype=dtype)
    add_noise_(values, sigma=2**20)
    # Each is 0 with probability 2^-21.4: 50 of 150,003 would be a wonder, 1 in 10^9 of runs has 5.
    assert int((values == 0).sum()) < 5
    # Also in every part of the tensor, ends included.
    assert all(bool((part != 0).any()) for part in values.flatten().split(17))


def test_in_place_and_by_the_tensors_own_memory() -> None:
    values = torch.arange(1000)
    address = values.data_ptr()
    assert add_noise_(values, sigma=1) is False
    assert values.data_ptr() == address
    difference = values - torch.arange(1000)
    assert 0 < int(difference.abs().max()) < 12 and int((difference != 0).sum()) > 300


@pytest.mark.parametrize(
    "view",
    [
        lambda base: base[:, ::2],
        lambda base: base.t(),
        lambda base: base[1:, 1:],
        lambda base: base.unfold(0, 2, 2),
        lambda base: base[3],
        lambda base: base[0, 0],
        lambda base: base[:0],
    ],
)
def test_views_get_noise_and_their_neighbours_none(view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    base = torch.zeros(6, 8, dtype=torch.int64)
    mask = torch.zeros_like(base)
    view(mask).fill_(1)
    add_noise_(view(base), sigma=2**40)
    assert bool(((base != 0) == (mask != 0)).all())


def test_two_calls_differ() -> None:
    first, second = noise(1000, sigma=1000), noise(1000, sigma=1000)
    assert int((first == second).sum()) < 20
    assert int((first[:500] == first[500:]).sum()) < 20


def test_many_values_on_threads_are_independent() -> None:
    drawn = noise(3 << 20, sigma=1000)
    # Of streams of their own: no chunk repeats another.
    chunks = drawn.view(-1, 1 << 14)
    assert int((chunks[0] == chunks[1:]).sum(dim=1).max()) < 100


@pytest.mark.parametrize("sigma", [3, "3", Fraction(3), Decimal(3), 3.0])
def test_sigma_is_exact(sigma: Any) -> None:
    assert noise(2, 3, sigma=sigma).shape == (2, 3) and noise((2, 3), sigma=sigma).shape == (2, 3)


def test_a_float_is_what_it_prints_as() -> None:
    from certus.torch.tensors import _gaussian

    assert _gaussian(Fraction(0.1), None).sigma2 != Fraction(1, 100)
    assert _gaussian(0.1, None).sigma2 == Fraction(1, 100) == _gaussian("0.1", None).sigma2


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_sums_past_the_type_are_clamped_and_flagged(dtype: torch.dtype) -> None:
    ends = torch.iinfo(dtype)
    for end, other in ((ends.max, ends.max - 10**6), (ends.min, ends.min + 10**6)):
        values = torch.full((1000,), end, dtype=dtype)
        assert add_noise_(values, sigma=100) is True
        assert bool((values == end).any()) and bool((values != end).any())
        # Clamped, never wrapped to the other end.
        assert bool(((values < 0) == (end < 0)).all())
        far = torch.full((1000,), other, dtype=dtype)
        assert add_noise_(far, sigma=100) is False


def test_declared_bounds_refuse_beforehand() -> None:
    values = torch.zeros(10, dtype=torch.int32)
    with pytest.raises(ValueError, match=r"bound: a sum may leave torch.int32: \|value\| and 12 sigma must be at most"):
        add_noise_(values, sigma=1000, bound=2**31 - 10_000)
    with pytest.raises(ValueError, match="sigma: a sum may leave torch.int32"):
        add_noise_(values, sigma=2**30)
    with pytest.raises(ValueError, match="sigma: a sum may leave torch.int64"):
        noise(5, sigma=2**60)
    assert bool((values == 0).all()), "nothing was drawn"
    assert add_noise_(values, sigma=1000, bound=2**31 - 20_000) is False
    # Never from the tensor's own maximum, which is private.
    add_noise_(torch.full((3,), 2**31 - 1, dtype=torch.int32), sigma=1000, bound=10)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: add_noise_(torch.zeros(3), sigma=1), TypeError, "tensor: must be of torch.int32 or torch.int64"),
        (lambda: add_noise_(torch.zeros(3, dtype=torch.int16), sigma=1), TypeError, "tensor: must be of torch.int32"),
        (lambda: add_noise_(np.zeros(3, int), sigma=1), TypeError, "tensor: must be a torch.Tensor, not ndarray"),
        (lambda: add_noise_(torch.zeros(1, dtype=torch.int64).expand(3), sigma=1), ValueError, "tensor: must have mem"),
        (lambda: add_noise_(torch.zeros(3, dtype=torch.int64)), TypeError, "either sigma or sigma2 must be given"),
        (lambda: add_noise_(torch.zeros(3, dtype=torch.int64), sigma=0), ValueError, "sigma: "),
        (lambda: add_noise_(torch.zeros(3, dtype=torch.int64), sigma=1, bound=-1), ValueError, "bound: must be an int"),
        (lambda: add_noise_(torch.zeros(3, dtype=torch.int64), sigma=1, bound=1.5), TypeError, "bound: must be an int"),
        (lambda: add_noise_(torch.zeros(3, dtype=torch.int64, device="meta"), sigma=1), ValueError, "tensor: must be on"),
        (lambda: noise(3, sigma=1, dtype=torch.float32), TypeError, "tensor: must be of torch.int32"),
        (lambda: add_noise_dlpack([1, 2], sigma=1), TypeError, "array: must have __dlpack__"),
    ],
)
def test_bad_input_is_one_clear_exception(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(text) and "\n" not in str(raised.value)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arrays_by_dlpack_come_back_as_they_went(dtype: Any) -> None:
    array = np.arange(24, dtype=dtype).reshape(4, 6)
    for view in (array, array[:, ::2], array.T):
        noisy, at_an_end = add_noise_dlpack(view, sigma=5)
        assert isinstance(noisy, np.ndarray) and noisy.dtype == dtype and noisy.shape == view.shape
        assert at_an_end is False and 0 < int(np.abs(noisy - view).max()) < 60
    assert (array == np.arange(24).reshape(4, 6)).all(), "the array itself never changes"


def test_arrays_of_jax_by_dlpack() -> None:
    jax = pytest.importorskip("jax", reason="SKIPPED: jax is not installed")
    array = jax.numpy.arange(24, dtype=jax.numpy.int32).reshape(4, 6)
    noisy, _ = add_noise_dlpack(array, sigma=5)
    assert isinstance(noisy, jax.Array) and noisy.dtype == array.dtype and noisy.shape == array.shape
    assert 0 < int(abs(noisy - array).max()) < 60 and int(array[3, 5]) == 23


@pytest.fixture
def pretended_gpu(monkeypatch: pytest.MonkeyPatch) -> torch.Tensor:
    """Values of the processor that say they are on a GPU, where there is none."""
    if torch.cuda.is_available():
        pytest.skip("SKIPPED: there is a GPU: tests/torch/test_gpu.py is about it")
    values = torch.full((3,), 12345)
    monkeypatch.setattr(torch.Tensor, "is_cuda", True)
    monkeypatch.setattr(torch.Tensor, "device", torch.device("cuda", 0))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: SimpleNamespace(cuda_stream=0))
    return values


def test_where_there_is_no_gpu_one_line_says_so(pretended_gpu: torch.Tensor) -> None:
    with pytest.raises(RuntimeError, match="^there is no GPU: ") as raised:
        add_noise_(pretended_gpu, sigma=1)
    assert "\n" not in str(raised.value)


def test_values_that_got_no_noise_on_a_gpu_are_zeros(pretended_gpu: torch.Tensor) -> None:
    with pytest.raises(RuntimeError):
        add_noise_(pretended_gpu, sigma=1)
    assert pretended_gpu.tolist() == [0, 0, 0]


@pytest.mark.parametrize("draw", [_gpu_add_noise, _gpu_fill])
def test_the_ways_to_a_gpu_refuse_what_has_no_tables(draw: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="^bits: must be 32 or 64$"):
        draw(Gaussian(3), 4096, 1, 16, 0, 0)
    with pytest.raises((ValueError, RuntimeError), match="^(there is no GPU: |noise: must be of the prepared sampler)"):
        draw(Gaussian(3, sampler="fixed"), 4096, 1, 64, 0, 0)


def test_a_device_that_is_not_there_is_no_gpu() -> None:
    with pytest.raises(RuntimeError, match="^there is no GPU: "):
        _gpu_add_noise(Gaussian(3), 4096, 1, 64, 4095, 0)
