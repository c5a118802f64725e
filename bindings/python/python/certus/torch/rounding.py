"""Gradients of single examples onto the integer grid: the rule that a step's privacy rests on.

Whatever an example's gradient is, in floats and however computed, it becomes a vector z of integers with
Σ z² ≤ bound², in integers, so that an example changes the sum by a vector of L2 norm at most `bound`. The rule
is total: nothing is refused for what an example holds.

1. A factor brings the gradient to the grid: bound/clip steps a unit, times clip/norm where the norm is above
   clip. Floats decide this.
2. NaN becomes 0, and each coordinate is clamped to [−bound, bound] **in floats**: 1e30 would become the least
   int64, whose square wraps to 0 and passes any check.
3. Truncation **towards zero**: magnitudes only fall.
4. Σ z² ≤ bound² is checked **in integers**. Squares are summed in blocks of at most 2^20 coordinates, each sum
   at most 2^60, and a block above bound² fails before it is added: 10^7 squares of 2^40 would wrap.
5. Where it does not hold, as the float norm was a little wrong, z is **divided** by 2 towards zero until it
   does. (A shift would leave −1 at −1 for ever.)

`round_and_add` is the rule for tensors anywhere. The processor's own form (`src/gradient.rs`) and a kernel for GPUs
of NVIDIA's give the same integers in one pass over the gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch  # type: ignore[import-not-found, unused-ignore]

from .._certus import _add_rounded, _gpu_add_rounded

#: The most grid bits: 2^20 steps a clip norm.
MOST_GRID_BITS = 20

#: How many squares are summed before they are compared.
BLOCK = 1 << 20

#: How many threads a thread block of a GPU has (`ROUNDING_THREADS` of `certus-gpu`), and the most thread blocks:
#: a sum of squares for each thread is then at most 2^17 numbers an example.
GPU_THREADS, GPU_BLOCKS = 256, 512

#: How many coordinates a thread has at a time.
GPU_COORDINATES = 8

#: Factors are this much smaller than the float norm asks for, so that a norm that is a rounding error too low
#: costs its example four parts in a million and not a half.
MARGIN = 1 - 2.0**-18


def factors(gradients: Sequence[torch.Tensor], clip: float, bound: int) -> torch.Tensor:
    """What each example's gradient is multiplied by, in floats: steps of the grid, clipped to the norm.

    gradients: of every parameter, a tensor whose first axis is the examples. A norm that is not finite gives a
    factor of 0 or NaN, and such a gradient is zero.
    """
    norms = torch.stack([torch.linalg.vector_norm(_rows(gradient), dim=1) for gradient in gradients])
    norm = torch.linalg.vector_norm(norms, dim=0)
    return (bound * MARGIN) / norm.clamp(min=clip)


def add_bounded(
    gradients: Sequence[torch.Tensor], factor: torch.Tensor, present: torch.Tensor, bound: int, sums: torch.Tensor
) -> None:
    """Adds every present example's integers, bounded as above, to `sums`, a flat tensor of int64.

    present: 1 for an example, 0 for a slot that is padding.
    """
    halvings = torch.zeros_like(present)
    squares = _add_all(gradients, factor, halvings, present, bound, sums)
    failing = (squares > bound * bound) & (present != 0)
    # Rare, as the factors have a margin; who can measure time sees it, as everything that this page calls timing.
    while bool(failing.any()):
        # Taken out of the sum, exactly; and put in again, halved once more.
        _add_all(gradients, factor, halvings, -failing.to(torch.int64), bound, sums)
        halvings = halvings + failing.to(torch.int64)
        squares = _add_all(gradients, factor, halvings, failing.to(torch.int64), bound, sums)
        failing = failing & (squares > bound * bound)


def _add_all(
    gradients: Sequence[torch.Tensor],
    factor: torch.Tensor,
    halvings: torch.Tensor,
    weights: torch.Tensor,
    bound: int,
    sums: torch.Tensor,
) -> torch.Tensor:
    """Rounds and adds the gradients of all parameters; the answer is each example's Σ z², or bound² + 1 above it."""
    if sums.is_cuda:
        return _add_all_on_gpu(gradients, factor, halvings, weights, bound, sums)
    squares = torch.zeros_like(weights)
    offset = 0
    for gradient in gradients:
        rows = _rows(gradient)
        part = sums[offset : offset + rows.shape[1]]
        offset += rows.shape[1]
        if rows.device.type == "cpu":
            _add_rounded(
                rows.contiguous().numpy(),
                factor.contiguous().numpy(),
                halvings.numpy(),
                weights.numpy(),
                bound,
                part.numpy(),
                squares.numpy(),
                threads=torch.get_num_threads(),
            )
        else:
            round_and_add(rows, factor, halvings, weights, bound, part, squares)
    return squares


def _add_all_on_gpu(
    gradients: Sequence[torch.Tensor],
    factor: torch.Tensor,
    halvings: torch.Tensor,
    weights: torch.Tensor,
    bound: int,
    sums: torch.Tensor,
) -> torch.Tensor:
    """As `_add_all`, by a kernel that reads the gradients once, and waits for nothing."""
    factor, halvings, weights = factor.contiguous(), halvings.contiguous(), weights.contiguous()
    device = sums.device
    stream = torch.cuda.current_stream(device).cuda_stream
    longest = max(gradient[0].numel() for gradient in gradients)
    blocks = min(-(-longest // (GPU_THREADS * GPU_COORDINATES)), GPU_BLOCKS)
    # What each thread saw of each example, of all parameters together: it stops at 2^63 − 1.
    squares = torch.zeros(len(factor), blocks * GPU_THREADS, dtype=torch.int64, device=device)
    offset = 0
    for gradient in gradients:
        rows = _rows(gradient).contiguous()
        examples, length = rows.shape
        part = sums[offset : offset + length]
        offset += length
        tensors = (rows, factor, halvings, weights, part, squares)
        addresses = tuple(tensor.data_ptr() for tensor in tensors)
        _gpu_add_rounded(addresses, length, examples, bound, blocks, device.index, stream)
    # At most 2^17 numbers, cut to bound² + 1 before they are added: 2^58.
    over = bound * bound + 1
    return squares.clamp_(max=over).sum(dim=1).clamp_(max=over)


def round_and_add(
    rows: torch.Tensor,
    factor: torch.Tensor,
    halvings: torch.Tensor,
    weights: torch.Tensor,
    bound: int,
    sums: torch.Tensor,
    squares: torch.Tensor,
) -> None:
    """The rule, on any device: adds weight·z to `sums` and Σ z² to `squares`, which stop at bound² + 1."""
    divisors = torch.pow(2, halvings.clamp(max=30)).unsqueeze(1)
    for first in range(0, rows.shape[1], BLOCK):
        z = rounded(rows[:, first : first + BLOCK], factor, bound)
        z = torch.div(z, divisors, rounding_mode="trunc")
        # At most 2^20 squares of at most 2^40; what is above bound² is cut to bound² + 1 before it is added.
        block = (z * z).sum(dim=1).clamp(max=bound * bound + 1)
        squares.add_(block).clamp_(max=bound * bound + 1)
        sums[first : first + BLOCK].add_((z * weights.unsqueeze(1)).sum(dim=0))


def rounded(rows: torch.Tensor, factor: torch.Tensor, bound: int) -> torch.Tensor:
    """NaN to 0, clamped in floats, then truncated towards zero, as int64."""
    steps = torch.nan_to_num(rows * factor.unsqueeze(1), nan=0.0, posinf=float(bound), neginf=-float(bound))
    return steps.clamp(-float(bound), float(bound)).to(torch.int64)


def _rows(gradient: torch.Tensor) -> torch.Tensor:
    """One row an example, of float32."""
    return gradient.detach().flatten(1).to(torch.float32) if gradient.dim() > 1 else gradient.detach()[:, None].float()
