"""Noise on a GPU of NVIDIA's: the processor's bits, on the tensor's own memory and stream."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

# Before the first use of the GPU: training is deterministic.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
# JAX would take most of the GPU's memory when it starts.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np
import pytest
import torch
from training import data, flat, run

from certus import Gaussian, Laplace, testing
from certus._certus import Noise, _add_in_place, _gpu_add_noise, _gpu_fill
from certus.torch import add_noise_, add_noise_dlpack, noise, rounding, tensors

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="SKIPPED: there is no GPU: NOTHING of certus on a GPU was tested here"
)
BOTH = pytest.mark.parametrize("dtype", [torch.int32, torch.int64])


@BOTH
@pytest.mark.parametrize("sigma", [1, 10, "2001/2", 2**20])
def test_the_noise_has_its_moments(dtype: torch.dtype, sigma: Any) -> None:
    count, width = 10**7, float(Fraction(sigma))
    added = torch.zeros(count, dtype=dtype, device="cuda")
    add_noise_(added, sigma=sigma)
    for drawn in (added.double(), noise(count, sigma=sigma, dtype=dtype, device="cuda").double()):
        # Six standard errors: one run in 10^8 fails by chance.
        assert abs(float(drawn.mean())) < 6 * width / count**0.5
        assert abs(float(drawn.square().mean()) / width**2 - 1) < 6 * (2 / count) ** 0.5
        # Slots that are left at zero, or a uniform in place of a Gaussian, have another kurtosis.
        assert abs(float(drawn.pow(4).mean()) / width**4 - 3) < 6 * (96 / count) ** 0.5


@pytest.mark.parametrize("sigma", [1, 10, 1000, 2**20, 2**45])
@pytest.mark.parametrize("count", [1, 7, 4097, 3_000_001])
def test_the_bits_are_the_processors(sigma: int, count: int) -> None:
    start = np.arange(count)
    expected = start.copy()
    _add_in_place(Gaussian(sigma), expected, threads=2, source=testing.seeded("5"))
    values = torch.from_numpy(start).cuda()
    tensors._on_gpu(_gpu_add_noise, values, Gaussian(sigma), testing.seeded("5"))
    assert torch.equal(values.cpu(), torch.from_numpy(expected))
    filled = torch.full_like(values, 77)
    tensors._on_gpu(_gpu_fill, filled, Gaussian(sigma), testing.seeded("5"))
    assert torch.equal(filled.cpu(), torch.from_numpy(expected - start))


@pytest.mark.parametrize("sampler", [Gaussian(30), Gaussian(2**24), Laplace(20), Laplace(2**22)])
def test_the_bits_are_the_processors_in_32_bits_and_of_both_noises(sampler: Noise) -> None:
    expected = np.arange(1 << 20, dtype=np.int32)
    values = torch.from_numpy(expected.copy()).cuda()
    _add_in_place(sampler, expected, threads=2, source=testing.seeded("6"))
    tensors._on_gpu(_gpu_add_noise, values, sampler, testing.seeded("6"))
    assert torch.equal(values.cpu(), torch.from_numpy(expected))


@BOTH
def test_no_slot_is_left_without_noise(dtype: torch.dtype) -> None:
    values = torch.zeros(3, 500_001, dtype=dtype, device="cuda")
    add_noise_(values, sigma=2**20)
    # Each is 0 with probability 2^-21.4: 0.6 are expected.
    assert int((values == 0).sum()) < 12
    assert all(bool((part != 0).any()) for part in values.flatten().split(17))


def test_in_place_and_in_the_tensors_own_memory() -> None:
    values = torch.arange(1000, device="cuda")
    address = values.data_ptr()
    assert add_noise_(values, sigma=1) is False
    assert values.data_ptr() == address
    difference = values.cpu() - torch.arange(1000)
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
    base = torch.zeros(6, 8, dtype=torch.int64, device="cuda")
    mask = torch.zeros_like(base)
    view(mask).fill_(1)
    add_noise_(view(base), sigma=2**40)
    assert bool(((base != 0) == (mask != 0)).all())


def test_two_calls_differ() -> None:
    first, second = (noise(1000, sigma=1000, device="cuda") for _ in range(2))
    assert int((first == second).sum()) < 20
    values = torch.zeros(2, 1000, dtype=torch.int64, device="cuda")
    for row in values:
        add_noise_(row, sigma=1000)
    assert int((values[0] == values[1]).sum()) < 20


def test_noise_comes_after_what_its_stream_has_before() -> None:
    add_noise_(torch.zeros(1 << 20, dtype=torch.int64, device="cuda"), sigma=3)
    values = torch.zeros(1 << 20, dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        # A tenth of a second, and then what would overwrite noise that did not wait.
        torch.cuda._sleep(200_000_000)
        values.fill_(10**6)
        add_noise_(values, sigma=3)
    stream.synchronize()
    difference = (values - 10**6).double()
    assert abs(float(difference.square().mean()) / 9 - 1) < 0.02 and abs(float(difference.mean())) < 0.02


@BOTH
def test_sums_past_the_type_are_clamped_and_flagged(dtype: torch.dtype) -> None:
    ends = torch.iinfo(dtype)
    for end, other in ((ends.max, ends.max - 10**6), (ends.min, ends.min + 10**6)):
        values = torch.full((1000,), end, dtype=dtype, device="cuda")
        assert add_noise_(values, sigma=100) is True
        assert bool((values == end).any()) and bool((values != end).any())
        assert bool(((values < 0) == (end < 0)).all()), "clamped, never wrapped to the other end"
        far = torch.full((1000,), other, dtype=dtype, device="cuda")
        assert add_noise_(far, sigma=100) is False


def test_threads_share_a_device() -> None:
    drawn: list[torch.Tensor] = []
    threads = [threading.Thread(target=lambda: drawn.append(noise(1_000_003, sigma=1000, device="cuda"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 8
    for first, second in zip(drawn, drawn[1:]):
        assert abs(float(first.double().square().mean()) / 10**6 - 1) < 0.01
        assert int((first == second).sum()) < 1000


def test_the_other_refusals_are_those_of_the_processor() -> None:
    with pytest.raises(TypeError, match="tensor: must be of torch.int32 or torch.int64"):
        add_noise_(torch.zeros(3, device="cuda"), sigma=1)
    with pytest.raises(ValueError, match="bound: a sum may leave torch.int32"):
        add_noise_(torch.zeros(3, dtype=torch.int32, device="cuda"), sigma=1000, bound=2**31 - 10_000)
    with pytest.raises(ValueError, match="^noise: must be of the prepared sampler"):
        _gpu_add_noise(Gaussian(3, sampler="reference"), 4096, 1, 64, 0, 0)


@pytest.mark.parametrize("examples", [1, 3, 64])
@pytest.mark.parametrize("length", [1, 2047, 2049, 1_050_001])
def test_gradients_become_the_processors_integers(examples: int, length: int) -> None:
    generator = torch.Generator().manual_seed(length)
    rows = torch.randn(examples, length, generator=generator)
    for place, wrong in enumerate((float("nan"), float("inf"), -float("inf"), 1e30, -0.0)):
        rows[place % examples, place % length] = wrong
    factor = torch.rand(examples, generator=generator) * 10.0 ** torch.randint(0, 7, (examples,), generator=generator)
    halvings = torch.arange(examples) % 25
    weights = torch.arange(examples) % 3 - 1
    sums, squares = torch.ones(length, dtype=torch.int64), torch.zeros(examples, dtype=torch.int64)
    total = sums.cuda()
    rounding.round_and_add(rows, factor, halvings, weights, 2**20, sums, squares)
    # In two parts, as of two parameters.
    parts = [part.cuda() for part in (rows[:, : length // 3], rows[:, length // 3 :]) if part.numel() > 0]
    found = rounding._add_all_on_gpu(parts, factor.cuda(), halvings.cuda(), weights.cuda(), 2**20, total)
    assert torch.equal(total.cpu(), sums) and torch.equal(found.cpu(), squares)


def test_a_training_step_has_the_plans_noise() -> None:
    # Examples are hardly ever drawn: what a step changes is noise.
    model = torch.nn.Linear(300, 400).cuda()
    before = flat(model)
    inputs = torch.randn(50, 300, device="cuda")
    dataset = (inputs, (inputs[:, 0] > 0).long())
    trainer = run(dataset, model, rate="1/1000000000", steps=2, noise_multiplier=2, divisor=10)
    trainer.step()
    change = (flat(model) - before).double()
    assert change.is_cuda
    # A clip norm times 2 over 10, six standard errors.
    assert abs(float(change.square().mean()) / 0.2**2 - 1) < 6 * (2 / change.numel()) ** 0.5


def test_training_on_a_gpu_learns() -> None:
    inputs, targets = (part.cuda() for part in data(2000))
    model = torch.nn.Linear(5, 2).cuda()
    run((inputs, targets), model, rate="1/4", steps=60, divisor=500, noise_multiplier=1, microbatch=64).fit()
    assert float((model(inputs).argmax(dim=1) == targets).double().mean()) > 0.85


def test_arrays_of_cupy_by_dlpack() -> None:
    cupy = pytest.importorskip("cupy", reason="SKIPPED: cupy is not installed")
    for dtype in (cupy.int32, cupy.int64):
        array = cupy.arange(24, dtype=dtype).reshape(4, 6)
        for view in (array, array[:, ::2], array.T):
            noisy, at_an_end = add_noise_dlpack(view, sigma=5)
            assert isinstance(noisy, cupy.ndarray) and noisy.dtype == dtype and noisy.shape == view.shape
            assert at_an_end is False and 0 < int(cupy.abs(noisy - view).max()) < 60
        assert bool((array == cupy.arange(24).reshape(4, 6)).all()), "the array itself never changes"


def test_arrays_of_jax_by_dlpack() -> None:
    jax = pytest.importorskip("jax", reason="SKIPPED: jax is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("SKIPPED: jax has no GPU here")
    array = jax.numpy.arange(24, dtype=jax.numpy.int32).reshape(4, 6)
    noisy, _ = add_noise_dlpack(array, sigma=5)
    assert isinstance(noisy, jax.Array) and noisy.dtype == array.dtype and noisy.shape == array.shape
    assert noisy.devices() == array.devices()
    assert 0 < int(abs(noisy - array).max()) < 60 and int(array[3, 5]) == 23
