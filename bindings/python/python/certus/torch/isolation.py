"""Is an example's gradient the same bits whoever else is in the batch? A test that can refute it, never prove it.

The account of DP-SGD takes an example's part of a step to be a function of that example alone. Batch norm breaks
that openly; what is hidden breaks it in the last bits: a kernel that is chosen by the batch's shape, lengths that
are padded to the longest, a dropout mask that belongs to a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from . import gradients, sampling
from .conditions import _same_bits

#: What a pass says, and does not.
NO_PROOF = (
    "A pass is no proof: it speaks of these examples, this shape, this machine. isolate=True runs one example a launch, "
    "which has isolation by construction."
)

#: What helps, by the layer's class.
HELP = {
    "BatchNorm": "use GroupNorm or LayerNorm, which look at one example",
    "SyncBatchNorm": "use GroupNorm or LayerNorm, which look at one example",
    "Dropout": "set its probability to 0, or call its eval(): its mask belongs to a slot, not to an example",
}

SHAPE_HELP = (
    "use isolate=True; or one fixed shape, every example padded to one public length, and a number of slots at which "
    "this check finds nothing"
)

Batch = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Isolation:
    """What `check_isolation` found: whether anything differed, in which trial, in which layer, and what helps."""

    isolated: bool
    trial: str = ""
    layer: str = ""
    help: str = ""

    def __str__(self) -> str:
        if self.isolated:
            return f"no gradient differed in its bits. {NO_PROOF}"
        where = f" in the layer {self.layer}" if self.layer else ""
        return f"not isolated: an example's gradient differs {self.trial}, first{where}: {self.help}"

    def __bool__(self) -> bool:
        raise TypeError("a pass is no proof: look at .isolated, and print the result")


def check_isolation(
    model: torch.nn.Module,
    batch: Batch | Sequence[Any],
    loss: gradients.Loss | None = None,
    *,
    collate: Callable[[Sequence[Any]], Batch] | None = None,
    shapes: bool = False,
) -> Isolation:
    """Compares each example's gradient, bit by bit, alone in the same padded shape with what it is among others,
    in other places, and with one example more.

    batch: a tuple of tensors (inputs, targets), or of inputs alone; or, with collate, a list of examples, which it
    makes such a batch of, however it pads. loss: of predictions and targets; without, the sum of squares of what
    the model gives. shapes: also at other numbers of slots, for whoever trains at shapes that vary; most networks
    differ then in their last bits, as kernels are chosen by shape. The model is left as it was.

    The answer names the first layer in which a difference shows, and what helps. A pass is no proof.
    """
    examples = _Examples(batch, collate)
    if examples.count < 2:
        raise ValueError("batch: must have at least two examples")
    state = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    try:
        return _compare(model, examples, loss if loss is not None else _squares, shapes)
    finally:
        for name, buffer in model.named_buffers():
            buffer.detach().copy_(state[name])


def _squares(prediction: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
    return prediction.float().square().sum()


class _Examples:
    """Examples, and the batches that can be made of them."""

    def __init__(self, batch: Any, collate: Callable[[Sequence[Any]], Batch] | None) -> None:
        if collate is not None:
            self._rows, self._collate, self.count = list(batch), collate, len(batch)
            return
        if isinstance(batch, torch.Tensor):
            batch = (batch,)
        if not isinstance(batch, (tuple, list)) or not all(isinstance(part, torch.Tensor) for part in batch):
            raise TypeError("batch: must be a tuple of tensors, or with collate a list of examples")
        parts = tuple(batch)
        self.count = min((len(part) for part in parts), default=0)
        self._rows = [tuple(part[place] for part in parts) for place in range(self.count)]
        self._collate = lambda rows: tuple(torch.stack(column) for column in zip(*rows))

    def at(self, places: Sequence[int], slots: int) -> Batch:
        """These examples in the first slots, in this order, and zeros in the others."""
        batch = self._collate([self._rows[place] for place in places])
        return tuple(sampling.padded(part, slots) for part in batch)


@dataclass(frozen=True)
class _Trial:
    """An example in two batches, in a slot of each."""

    name: str
    one: Batch
    other: Batch
    slots: tuple[int, int]


def _trials(examples: _Examples, shapes: bool) -> list[_Trial]:
    count = examples.count
    everyone, turned = list(range(count)), [*range(1, count), 0]
    trials = []
    for place in range(count):
        alone = examples.at([place], count)
        among = examples.at(everyone, count)
        without_last = [other for other in everyone if other != (place + 1) % count]
        fewer = examples.at(without_last, count)
        trials += [
            _Trial("among others", alone, among, (0, place)),
            _Trial("in another place", among, examples.at(turned, count), (place, (place - 1) % count)),
            _Trial("with one example more", fewer, among, (without_last.index(place), place)),
        ]
        if shapes:
            trials += [
                _Trial("in a batch of one slot", examples.at([place], 1), among, (0, place)),
                _Trial("in a batch of one slot more", among, examples.at(everyone, count + 1), (place, place)),
            ]
    return trials


def _compare(model: torch.nn.Module, examples: _Examples, loss: gradients.Loss, shapes: bool) -> Isolation:
    compute = gradients.per_example(model, loss)
    names = [name for name, _ in gradients.trained(model)]
    for trial in _trials(examples, shapes):
        try:
            one, other = compute(trial.one), compute(trial.other)
        except (RuntimeError, ValueError) as error:
            return _refused(model, examples, error)
        differing = [
            name
            for name, a, b in zip(names, one, other)
            if not _same_bits(a[trial.slots[0]], b[trial.slots[1]])
        ]
        if differing:
            found = _first_layer(model, trial)
            # Where all that layers give is equal, the backward pass differs: last layers come first there.
            layer = found or f"{differing[-1].rpartition('.')[0] or 'the model'} (its backward pass)"
            return Isolation(False, trial.name, layer, _help(layer))
    return Isolation(True)


def _refused(model: torch.nn.Module, examples: _Examples, error: Exception) -> Isolation:
    """torch.func itself refuses some layers: those that write a buffer, and those that draw for a slot."""
    for trial in _trials(examples, shapes=False):
        layer = _first_layer(model, trial)
        if layer:
            return Isolation(False, trial.name, layer, _help(layer))
    for name, module in model.named_modules():
        kind = type(module).__name__
        if module.training and any(known in kind for known in HELP):
            return Isolation(False, "as torch.func refuses it", f"'{name}' ({kind})", _help(kind))
    first = str(error).strip().splitlines()[0]
    return Isolation(False, "as torch.func refuses it", "", first)


def _help(layer: str) -> str:
    return next((text for kind, text in HELP.items() if kind in layer), SHAPE_HELP)


def _first_layer(model: torch.nn.Module, trial: _Trial) -> str:
    """The first layer, in the order in which they run, that gives an example another output in the other batch:
    one that differs by more than rounding, if there is one, and else in its bits."""
    one, other = _outputs(model, trial.one), _outputs(model, trial.other)
    in_bits = ""
    for (name, a), (_, b) in zip(one, other):
        if a.dim() == 0 or b.dim() == 0 or a.shape[0] <= trial.slots[0] or b.shape[0] <= trial.slots[1]:
            continue
        a, b = a[trial.slots[0]], b[trial.slots[1]]
        if a.shape != b.shape or not torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-6, equal_nan=True):
            return name
        if not in_bits and not _same_bits(a, b):
            in_bits = name
    return in_bits


def _outputs(model: torch.nn.Module, batch: Batch) -> list[tuple[str, torch.Tensor]]:
    """What each innermost layer gives, in order; random layers from one seed, so that slots have one mask each."""
    found: list[tuple[str, torch.Tensor]] = []

    def keep(name: str) -> Callable[..., None]:
        def hook(module: torch.nn.Module, _: Any, output: Any) -> None:
            if isinstance(output, torch.Tensor):
                found.append((f"'{name}' ({type(module).__name__})", output.detach().clone()))

        return hook

    innermost = [(name, module) for name, module in model.named_modules() if not any(module.children())]
    hooks = [module.register_forward_hook(keep(name)) for name, module in innermost]
    try:
        with torch.no_grad(), torch.random.fork_rng():
            torch.manual_seed(0)
            found.append(("the model", model(batch[0])))
    finally:
        for hook in hooks:
            hook.remove()
    return found
