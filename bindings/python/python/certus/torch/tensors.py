"""Exact discrete Gaussian noise on integer tensors, where they lie."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch  # type: ignore[import-not-found, unused-ignore]

from .._certus import Gaussian, _add_in_place, _gpu_add_noise, _gpu_fill

if TYPE_CHECKING:
    from .._certus import Noise, _Number

#: A sum is said to leave its type where |value| + TAIL_SIGMAS·sigma does: noise is beyond twelve sigma with a
#: probability below 2^-104.
TAIL_SIGMAS = 12

#: The fewest values for which threads pay.
FEW = 1 << 20


def add_noise_(
    tensor: torch.Tensor,
    sigma: _Number | None = None,
    *,
    sigma2: _Number | None = None,
    bound: _Number | None = None,
) -> bool:
    """Adds independent discrete Gaussian noise to every value of an int32 or int64 tensor, in place.

    sigma, or its square sigma2, is exact, as of `certus.Gaussian`. bound: a public bound on every |value|, if
    there is one; then a sum that may leave the tensor's type is refused with a ValueError before anything is
    drawn. It is declared, never computed from the tensor, whose maximum is private.

    Sums that leave the type all the same are clamped to its ends, which is post-processing. The answer is
    whether any noisy value lies at an end. It is computed from the noisy values alone, and may be released.

    Every call draws from the operating system afresh. A tensor that is not contiguous is copied, noised and
    copied back. If the source of randomness fails, an OSError is raised and every value is 0.

    A tensor on a GPU gets its noise there, in PyTorch's current stream of its device: bit for bit what the
    processor would draw under the same key. If the driver fails, a RuntimeError is raised and every value is 0.
    """
    gaussian = _gaussian(sigma, sigma2)
    _check(tensor, gaussian, bound)
    _draw_onto(tensor, gaussian)
    ends = torch.iinfo(tensor.dtype)
    return bool(((tensor == ends.min) | (tensor == ends.max)).any())


def noise(
    *shape: Any,
    sigma: _Number | None = None,
    sigma2: _Number | None = None,
    dtype: torch.dtype = torch.int64,
    device: Any = None,
) -> torch.Tensor:
    """A new tensor of independent discrete Gaussian noise, of dtype torch.int64 or torch.int32.

    The shape is given as of `torch.zeros`. A sigma so wide that a sample may leave the type is refused.
    """
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = tuple(shape[0])
    # Refused before there is a tensor of that shape.
    gaussian = _gaussian(sigma, sigma2)
    _check(torch.zeros(0, dtype=dtype, device=device), gaussian, 0)
    drawn = torch.zeros(shape, dtype=dtype, device=device)
    if drawn.is_cuda:
        _on_gpu(_gpu_fill, drawn, gaussian)
    else:
        _draw_onto(drawn, gaussian)
    return drawn


def add_noise_dlpack(
    array: Any,
    sigma: _Number | None = None,
    *,
    sigma2: _Number | None = None,
    bound: _Number | None = None,
) -> tuple[Any, bool]:
    """A copy of an array of numpy, CuPy, JAX or whoever else speaks DLPack, with noise; and `add_noise_`'s answer.

    The copy is an array of the same library, on the same device. The array itself never changes: arrays of JAX
    must not.
    """
    if not hasattr(array, "__dlpack__"):
        raise TypeError(f"array: must have __dlpack__, as arrays of numpy, CuPy and JAX do, not {type(array).__name__}")
    tensor = torch.from_dlpack(array).clone(memory_format=torch.contiguous_format)
    at_an_end = add_noise_(tensor, sigma, sigma2=sigma2, bound=bound)
    return _library(array).from_dlpack(tensor), at_an_end


def _library(array: Any) -> Any:
    """The module that an array is of."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    # Of PyTorch, CuPy, and numpy before 2.0.
    return sys.modules[type(array).__module__.partition(".")[0]]


def _gaussian(sigma: Any, sigma2: Any) -> Gaussian:
    """The prepared sampler, whose tables take milliseconds to build."""
    return _built(sigma, sigma2)


@functools.lru_cache(maxsize=16, typed=True)
def _built(sigma: Any, sigma2: Any) -> Gaussian:
    # By type too: a float is what it prints as, and not the fraction that equals it.
    return Gaussian(sigma, sigma2=sigma2)


def _check(tensor: torch.Tensor, gaussian: Gaussian, bound: _Number | None) -> None:
    """Refuses what is no tensor for this noise, by what is public of it."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"tensor: must be a torch.Tensor, not {type(tensor).__name__}")
    if tensor.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"tensor: must be of torch.int32 or torch.int64, not {tensor.dtype}")
    if any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.shape)):
        raise ValueError("tensor: must have memory of its own for every value: one that was expanded has not")
    declared = 0 if bound is None else _bound(bound)
    reach = TAIL_SIGMAS * (math.isqrt(math.ceil(gaussian.sigma2)) + 1)
    most = int(torch.iinfo(tensor.dtype).max)
    if declared + reach > most:
        what = "sigma" if bound is None or declared <= most < reach else "bound"
        raise ValueError(
            f"{what}: a sum may leave {tensor.dtype}: |value| and {TAIL_SIGMAS} sigma must be at most {most} together"
        )


def _bound(bound: Any) -> int:
    try:
        declared = int(bound.__index__())
    except AttributeError:
        raise TypeError(f"bound: must be an int of 0 or more, not {type(bound).__name__}") from None
    if declared < 0:
        raise ValueError("bound: must be an int of 0 or more")
    return declared


def _draw_onto(tensor: torch.Tensor, gaussian: Gaussian) -> None:
    """Adds noise in place, clamped: the one place that draws, for every device."""
    if not tensor.is_cuda and tensor.device.type != "cpu":
        raise ValueError(f"tensor: must be on the processor or a GPU of NVIDIA's, not on {tensor.device.type}")
    values = tensor.detach().contiguous()
    if tensor.is_cuda:
        _on_gpu(_gpu_add_noise, values, gaussian)
    else:
        threads = torch.get_num_threads() if values.numel() >= FEW else None
        _add_in_place(gaussian, values.numpy(), threads=threads)
    if values.data_ptr() != tensor.data_ptr():
        tensor.detach().copy_(values)


def _on_gpu(draw: Callable[..., object], values: torch.Tensor, sampler: Noise, source: Any = None) -> None:
    """Draws onto a contiguous tensor where it lies; all of it is done when this returns.

    In PyTorch's current stream, so that whatever was queued there before has been done before.
    """
    device = values.device
    stream = torch.cuda.current_stream(device).cuda_stream
    try:
        draw(sampler, values.data_ptr(), values.numel(), values.element_size() * 8, device.index, stream, source=source)
    except Exception:
        # Values that had no noise yet are private.
        values.zero_()
        raise
