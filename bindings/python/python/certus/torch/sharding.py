"""One sum over all ranks, with noise exactly once on every coordinate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]
import torch.distributed as dist  # type: ignore[import-not-found, unused-ignore]

from .._certus import Gaussian
from . import tensors


def ranks(group: Any) -> tuple[int, int]:
    """This process's rank, and how many there are."""
    if group is None and not (dist.is_available() and dist.is_initialized()):
        return 0, 1
    return dist.get_rank(group), dist.get_world_size(group)


def places(size: int, rank: int, world: int, identities: Sequence[Any] | None) -> Sequence[int]:
    """The places of the examples that are this rank's, by identity: its index, or a hash of its name.

    With names, an example's rank does not depend on who else is in the data set.
    """
    if identities is None:
        return range(rank, size, world)
    if len(identities) != size:
        raise ValueError("identities: must be one for every example of the data set")
    return [place for place, name in enumerate(identities) if _hashed(name) % world == rank]


def _hashed(name: Any) -> int:
    return int.from_bytes(hashlib.sha256(repr(name).encode()).digest()[:8], "big")


def noisy_total(sums: torch.Tensor, gaussian: Gaussian, group: Any = None) -> torch.Tensor:
    """The sum over all ranks plus noise, the same on every rank.

    A reduce-scatter leaves each rank one shard of the exact sum; it adds noise of a fresh key of its own there,
    once; and the noisy shards are gathered.
    """
    rank, world = ranks(group)
    if world == 1:
        tensors._draw_onto(sums, gaussian)
        return sums
    length = sums.numel()
    shard = -(-length // world)
    full = sums.new_zeros(shard * world)
    full[:length] = sums
    mine = _reduce_scatter(full, rank, world, shard, group)
    tensors._draw_onto(mine, gaussian)
    parts = [torch.empty_like(mine) for _ in range(world)]
    dist.all_gather(parts, mine, group=group)
    return torch.cat(parts)[:length]


def _reduce_scatter(full: torch.Tensor, rank: int, world: int, shard: int, group: Any) -> torch.Tensor:
    """The sum over all ranks of this rank's shard."""
    mine = full.new_empty(shard)
    try:
        dist.reduce_scatter_tensor(mine, full, group=group)
        return mine
    except (RuntimeError, NotImplementedError):
        # Where a backend has none: every shard is reduced onto its rank.
        parts = [part.clone() for part in full.split(shard)]
        for owner, part in enumerate(parts):
            to = dist.get_global_rank(group, owner) if group is not None else owner
            dist.reduce(part, dst=to, group=group)
        return parts[rank]
