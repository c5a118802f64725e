"""DP-SGD whose sum, noise and account are exact."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch  # type: ignore[import-not-found, unused-ignore]
import torch.distributed as dist  # type: ignore[import-not-found, unused-ignore]

from .._certus import Answer, BudgetError, Filter, _Steps
from . import conditions, gradients, rounding, sampling, sharding
from .tensors import _gaussian
from .plan import TrainingPlan

if TYPE_CHECKING:
    from .._certus import _Number


class ExactDPSGD:
    """Trains a model by DP-SGD in which every example's part of a step is a vector of integers of bounded norm,
    the noise is the exact discrete Gaussian, and epsilon is that of the whole plan, enclosed.

    model: its trained parameters are the optimizer's. loss: of predictions and targets, as torch.nn.functional has
    them; it is called on batches of one. dataset: a tuple of tensors (inputs, targets), or a map-style data set.
    clip, noise_multiplier, rate, steps, divisor, most, grid_bits: the `TrainingPlan`. delta: at which epsilon is
    told. microbatch: how many examples a launch computes, the one shape of all launches. isolate: one example a
    launch. scheduler: stepped after the optimizer.

    filter: a `certus.Filter` of epsilon and delta, which pays for the whole plan now. ledger, release_id: a file
    that declares the plan's steps (`certus ledger init FILE --declare '…*STEPS'`), of which each step is paid
    before it is drawn: a restored checkpoint gets none back. group: of torch.distributed. identities: a name for
    each example, by which it goes to a rank; otherwise its index. example: one public example, whose shape the
    checks take; otherwise zeros of the first one's shape. report: what is told of the plan, by default printed.

    No method returns or prints how many examples a step drew, nor a loss.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        loss: gradients.Loss,
        optimizer: torch.optim.Optimizer,
        dataset: Any,
        *,
        clip: _Number,
        noise_multiplier: _Number,
        rate: _Number,
        steps: _Number,
        divisor: _Number,
        delta: _Number,
        most: _Number = 2**32,
        grid_bits: _Number = rounding.MOST_GRID_BITS,
        microbatch: int = 64,
        isolate: bool = False,
        scheduler: Any = None,
        filter: Filter | None = None,
        ledger: str | os.PathLike[str] | None = None,
        release_id: str | None = None,
        group: Any = None,
        identities: Sequence[Any] | None = None,
        example: tuple[torch.Tensor, ...] | None = None,
        report: Callable[[str], object] = print,
    ) -> None:
        parameters = [parameter for _, parameter in gradients.trained(model)]
        if not parameters:
            raise ValueError("model: must have a parameter that is trained")
        self.plan = TrainingPlan.of(
            clip=clip,
            noise_multiplier=noise_multiplier,
            rate=rate,
            steps=steps,
            divisor=divisor,
            coordinates=sum(parameter.numel() for parameter in parameters),
            most=most,
            grid_bits=grid_bits,
        )
        if not isinstance(microbatch, int) or microbatch < 1:
            raise ValueError("microbatch: must be an int of 1 or more")
        self._model, self._optimizer, self._scheduler, self._group = model, optimizer, scheduler, group
        self._parameters, self._device = parameters, parameters[0].device
        self._shape = 1 if isolate else microbatch
        self._fetch = sampling.fetcher(dataset)
        size = sampling.size(dataset)
        self._rank, self._world = sharding.ranks(group)
        self._places = sharding.places(size, self._rank, self._world, identities)
        self._gradients = gradients.per_example(model, loss)
        self._gaussian = _gaussian(self.plan.sigma, None)

        conditions.check_loss_scale(loss, optimizer, scheduler)
        conditions.check_optimizer(optimizer, model)
        conditions.check_scheduler(scheduler)
        conditions.make_deterministic(self._device)
        self.plan.check_public(size)
        self._check_model(example)

        self._delta = delta
        self._taken = 0
        self._steps = self._paid(filter, ledger, release_id)
        self._tell(isolate, report, filter, ledger)

    @functools.cached_property
    def epsilon(self) -> Answer:
        """The epsilon of the whole plan, enclosed; it takes some seconds."""
        return self.plan.epsilon(self._delta)

    def step(self) -> None:
        """One step, paid before it is drawn. RuntimeError where the plan has none left."""
        if self.steps_left == 0:
            raise RuntimeError("steps: all of the plan's have been drawn")
        self._pay()
        # From here on the step counts, whatever becomes of it.
        self._taken += 1
        noisy = sharding.noisy_total(self._sum(), self._gaussian, self._group)
        self._descend(noisy)

    def fit(self) -> None:
        """All steps that are left."""
        while self.steps_left > 0:
            self.step()

    @property
    def steps_left(self) -> int:
        """How many steps of the plan have not been drawn."""
        return self.plan.steps - self._taken

    def state_dict(self) -> dict[str, Any]:
        """The model's and the optimizer's state, for a checkpoint. All of it is a function of noisy sums."""
        state = {"model": self._model.state_dict(), "optimizer": self._optimizer.state_dict(), "taken": self._taken}
        if self._scheduler is not None:
            state["scheduler"] = self._scheduler.state_dict()
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores a checkpoint. Steps that have been drawn since stay drawn: none is given back."""
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        if self._scheduler is not None:
            self._scheduler.load_state_dict(state["scheduler"])
        self._taken = max(self._taken, min(int(state["taken"]), self.plan.steps))

    def _sum(self) -> torch.Tensor:
        """The integers of all examples that this rank draws, added up: private, and without noise."""
        sums = torch.zeros(self.plan.coordinates, dtype=torch.int64, device=self._device)
        drawn = sampling.draw(self._places, self.plan.rate)
        for batch, mask in sampling.microbatches(drawn, self._shape, self._fetch):
            found = self._gradients(tuple(part.to(self._device) for part in batch))
            factors = rounding.factors(found, float(self.plan.clip), self.plan.bound)
            rounding.add_bounded(found, factors, mask.to(self._device), self.plan.bound, sums)
        return sums

    def _descend(self, noisy: torch.Tensor) -> None:
        """The optimizer's step: from here on everything is post-processing, in floats again."""
        scale = float(self.plan.clip / (self.plan.bound * self.plan.divisor))
        offset = 0
        for parameter in self._parameters:
            part = noisy[offset : offset + parameter.numel()]
            offset += parameter.numel()
            parameter.grad = (part.to(torch.float32) * scale).view_as(parameter).to(parameter.dtype)
        self._optimizer.step()
        self._optimizer.zero_grad()
        if self._scheduler is not None:
            self._scheduler.step()

    def _check_model(self, example: tuple[torch.Tensor, ...] | None) -> None:
        """No buffer is written, and gradients of single examples can be had: on zeros, which are nobody's."""
        if example is None:
            if len(self._places) == 0:
                raise ValueError("example: must be given where this process has no example of its own")
            example = tuple(part[0] for part in self._fetch([self._places[0]]))
        batch = tuple(torch.zeros_like(part).to(self._device).unsqueeze(0) for part in example)
        zeros = tuple(sampling.padded(part, self._shape) for part in batch)
        # Two slots at least, which a batch norm needs to be caught at what it does.
        conditions.check_buffers(self._model, lambda: self._model(sampling.padded(batch[0], max(2, self._shape))))
        try:
            self._gradients(zeros)
        except (RuntimeError, ValueError) as error:
            first = str(error).strip().splitlines()[0]
            raise ValueError(
                "model: the gradients of single examples cannot be computed; certus.torch.check_isolation names the "
                f"layer: {first}"
            ) from error

    def _paid(
        self, filter: Filter | None, ledger: str | os.PathLike[str] | None, release_id: str | None
    ) -> _Steps | None:
        """Whoever pays for steps. A filter pays for all of them now; rank 0 pays for all ranks."""
        if (ledger is None) != (release_id is None):
            raise ValueError("release_id: must be given with ledger, and ledger with it")
        steps = None

        def pay() -> None:
            nonlocal steps
            if filter is not None:
                filter._debit(self.epsilon.upper, self._delta)
            if ledger is not None and release_id is not None:
                steps = _Steps(ledger, release_id, self.plan.spec())
                self._taken = min(steps.taken(), self.plan.steps)

        self._on_first(pay)
        if self._world > 1:
            taken = torch.tensor([self._taken], device=self._device)
            dist.broadcast(taken, src=self._global(0), group=self._group)
            self._taken = int(taken)
        return steps

    def _pay(self) -> None:
        """One step, on the disk before anything is drawn."""
        self._on_first(lambda: self._steps.debit() if self._steps is not None else None)

    def _on_first(self, work: Callable[[], None]) -> None:
        """Runs on rank 0; where it fails there, no rank goes on."""
        failed: Exception | None = None
        if self._rank == 0:
            try:
                work()
            except Exception as error:
                failed = error
        if self._world > 1:
            may = torch.tensor([0 if failed else 1], device=self._device)
            dist.broadcast(may, src=self._global(0), group=self._group)
            if not bool(may) and failed is None:
                raise BudgetError("rank 0 could not pay: nothing was drawn")
        if failed is not None:
            raise failed

    def _global(self, rank: int) -> int:
        return rank if self._group is None else int(dist.get_global_rank(self._group, rank))

    def _tell(self, isolate: bool, report: Callable[[str], object], filter: Any, ledger: Any) -> None:
        """The whole plan's epsilon, and the conditions that nothing here can see."""
        if self._rank != 0:
            return
        report(
            f"exact DP-SGD: epsilon is in {self.epsilon} at delta = {self._delta} for all {self.plan.steps} steps; neighbours "
            "differ by one example's presence"
        )
        if filter is None and ledger is None:
            report("  assumed: Budget: nothing records steps, so that a run that is started again pays nothing")
        for condition in conditions.UNSEEN:
            if not (isolate and condition.startswith("Isolation")):
                report(f"  assumed: {condition}")
