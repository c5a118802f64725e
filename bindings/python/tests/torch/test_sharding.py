"""Sums over ranks: examples by identity, noise once, shards with noise of their own. On gloo, in processes."""

from __future__ import annotations

import os
import pathlib
import socket
import subprocess
import sys
from typing import Any

import pytest
import torch
import torch.distributed as dist

from certus.torch import sharding

HERE = pathlib.Path(__file__).parent
SECONDS = 300


def test_every_example_has_one_rank_by_its_index() -> None:
    for world in (1, 2, 3):
        parts = [list(sharding.places(10, rank, world, None)) for rank in range(world)]
        assert sorted(sum(parts, [])) == list(range(10))


def test_every_example_has_one_rank_by_its_name() -> None:
    names = [f"person-{i}" for i in range(1000)]
    parts = [list(sharding.places(1000, rank, 3, names)) for rank in range(3)]
    assert sorted(sum(parts, [])) == list(range(1000)) and min(map(len, parts)) > 250
    # Whoever leaves, the others stay where they are.
    ranks = {names[place]: rank for rank, part in enumerate(parts) for place in part}
    fewer = names[:500] + names[501:]
    for rank in range(3):
        assert all(ranks[fewer[place]] == rank for place in sharding.places(999, rank, 3, fewer))
    with pytest.raises(ValueError, match="identities: must be one for every example"):
        sharding.places(3, 0, 2, ["a"])


def on_ranks(world: int, what: str) -> None:
    """Runs one of the functions below on so many processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(world)}
    environment["PYTHONPATH"] = os.pathsep.join([*sys.path, str(HERE)])
    environment["OMP_NUM_THREADS"] = "1"
    started = [
        subprocess.Popen(
            [sys.executable, __file__, what],
            env={**environment, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(world)
    ]
    try:
        said = [process.communicate(timeout=SECONDS)[0] for process in started]
    finally:
        for process in started:
            process.kill()
    assert all(process.returncode == 0 for process in started), "\n".join(said)


@pytest.mark.parametrize(
    ("world", "what"), [(2, "sums"), (3, "sums"), (2, "noise"), (3, "shards"), (2, "training"), (2, "payment")]
)
def test_on_ranks(world: int, what: str) -> None:
    on_ranks(world, what)


def sums(rank: int, world: int) -> None:
    """Without noise: the exact sum, on every rank, also where its length is no multiple of the ranks'."""
    sharding.tensors._draw_onto = lambda values, gaussian: None  # type: ignore[attr-defined]
    for length in (1, 2, 12, 1001):
        mine = (torch.arange(length) + 1) * 2**40 * (rank + 1)
        total = sharding.noisy_total(mine.clone(), gaussian())
        assert (total == (torch.arange(length) + 1) * 2**40 * (world * (world + 1) // 2)).all()


def noise(rank: int, world: int) -> None:
    """Noise once: the variance is σ², not one for every rank; and all ranks have the same."""
    total = sharding.noisy_total(torch.zeros(200_001, dtype=torch.int64), gaussian())
    everyone = [torch.empty_like(total) for _ in range(world)]
    dist.all_gather(everyone, total)
    assert all((other == total).all() for other in everyone)
    # Six standard errors.
    assert abs(float(total.double().square().mean()) / 1e6 - 1) < 6 * (2 / 200_000) ** 0.5
    # On every part of it.
    assert all(abs(float(part.double().square().mean()) / 1e6 - 1) < 0.2 for part in total.split(5000)[:-1])


def shards(rank: int, world: int) -> None:
    """Every shard, and every step, has a key of its own."""
    first, second = (sharding.noisy_total(torch.zeros(30_000, dtype=torch.int64), gaussian()) for _ in range(2))
    parts = [*first.split(10_000), *second.split(10_000)]
    for one in range(len(parts)):
        for other in range(one):
            # By chance one in 3,500 is equal.
            assert int((parts[one] == parts[other]).sum()) < 30, (one, other)


def training(rank: int, world: int) -> None:
    """All examples once, on their ranks; the same model everywhere."""
    from training import flat, run

    kept: list[torch.Tensor] = []
    sharding.tensors._draw_onto = lambda values, gaussian: kept.append(values.clone())  # type: ignore[attr-defined]
    trainer = run(rate=1, steps=2)
    trainer.step()
    whole = [torch.empty_like(kept[0]) for _ in range(world)]
    dist.all_gather(whole, kept[0])
    alone = torch.zeros(12, dtype=torch.int64)
    trainer._places, trainer._world = range(97), 1
    found = trainer._model.state_dict()
    from training import linear

    trainer._model.load_state_dict(linear().state_dict())
    alone += trainer._sum()
    assert int((torch.cat(whole)[:12] - alone).abs().max()) < 97 * 20
    trainer._model.load_state_dict(found)
    models = [torch.empty_like(flat(trainer._model)) for _ in range(world)]
    dist.all_gather(models, flat(trainer._model))
    assert all((model == models[0]).all() for model in models)


def payment(rank: int, world: int) -> None:
    """Rank 0 pays for all; where it cannot, no rank goes on."""
    import certus
    from certus.torch import TrainingPlan
    from training import run

    TrainingPlan.epsilon = lambda plan, delta: certus.Plan(["gaussian(sigma=1)"]).epsilon(delta)  # type: ignore[method-assign, assignment]
    try:
        run(filter=certus.Filter(epsilon="1/100", delta="1e-4"))
    except certus.BudgetError as error:
        assert ("nothing was drawn" in str(error)) and ((rank == 0) == ("rank 0" not in str(error)))
    else:
        raise AssertionError("it had to be refused")
    budget = certus.Filter(epsilon=20, delta="1e-4")
    run(filter=budget).step()
    assert budget.spent.epsilon is not None and (budget.spent.epsilon.upper > 0) == (rank == 0)


def gaussian() -> Any:
    from certus.torch.tensors import _gaussian

    return _gaussian(1000, None)


if __name__ == "__main__":
    from certus.torch import TrainingPlan

    if sys.argv[1] == "training":
        import certus

        TrainingPlan.epsilon = lambda plan, delta: certus.Plan(["gaussian(sigma=1)"]).epsilon(delta)  # type: ignore[method-assign, assignment]
    dist.init_process_group("gloo")
    {"sums": sums, "noise": noise, "shards": shards, "training": training, "payment": payment}[sys.argv[1]](
        dist.get_rank(), dist.get_world_size()
    )
    dist.destroy_process_group()
