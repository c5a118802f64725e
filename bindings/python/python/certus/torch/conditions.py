"""What a step's privacy assumes of the code around it: checked at the start where it can be seen, and printed
where it cannot."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from .gradients import trained

#: Optimizers that evaluate the loss themselves, and so read the data without noise.
READS_DATA = ("LBFGS", "SAM", "ASAM", "GSAM", "ESAM", "LookSAM", "SLS", "SPS")

#: What nothing here can see. Printed once, before the first step.
UNSEEN = (
    "Isolation: an example's gradient must not depend on who else is in the batch. certus.torch.check_isolation can "
    "refute it, never prove it; isolate=True has it by construction.",
    "Constants: rate, steps, divisor, clip and most were not computed from the data.",
    "One run: tuning, early stopping, a training loss and accuracies on private data are releases of their own. To stop "
    "after a look costs the whole plan.",
    "Randomness: noise is ChaCha20 under keys of the operating system; whoever reads this process's memory reads them.",
    "Timing: how long a step takes tells how many examples it drew, and something about the noise; nobody untrusted "
    "measures it.",
    "Code: the loss and the model are functions of one example, with no state between steps.",
)


def make_deterministic(device: torch.device) -> None:
    """Deterministic kernels, for whatever follows in this process; no kernels chosen by a race."""
    if device.type == "cuda" and os.environ.get("CUBLAS_WORKSPACE_CONFIG") not in (":4096:8", ":16:8"):
        raise RuntimeError("CUBLAS_WORKSPACE_CONFIG: must be ':4096:8' before the first use of the GPU")
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False


def check_optimizer(optimizer: Any, model: torch.nn.Module) -> None:
    """Its step must read the noisy gradient alone, and its parameters must be those that are trained."""
    names = {kind.__name__ for kind in type(optimizer).__mro__}
    if names & set(READS_DATA):
        raise ValueError(
            f"optimizer: {type(optimizer).__name__} evaluates the loss on data without noise: use one whose step reads "
            "gradients alone, such as SGD or Adam"
        )
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(f"optimizer: must be a torch.optim.Optimizer, not {type(optimizer).__name__}")
    closure = inspect.signature(type(optimizer).step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        raise ValueError(f"optimizer: {type(optimizer).__name__}.step needs a closure, which reads data without noise")
    theirs = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    mine = {id(parameter) for _, parameter in trained(model)}
    if theirs != mine:
        raise ValueError("optimizer: must have the model's trained parameters, and no others")


def check_scheduler(scheduler: Any) -> None:
    """Its step must read nothing but its own count."""
    if scheduler is None:
        return
    if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
        raise ValueError("scheduler: ReduceLROnPlateau reads a loss, which is a release of its own: use a fixed schedule")
    if not callable(getattr(scheduler, "step", None)):
        raise TypeError(f"scheduler: must be one of torch.optim.lr_scheduler, not {type(scheduler).__name__}")


def check_loss_scale(*parts: Any) -> None:
    """A dynamic loss scale skips everyone's step where one example overflows: it may be nowhere in sight."""
    seen = list(parts)
    for part in parts:
        function = getattr(part, "__func__", part)
        seen.append(getattr(part, "__self__", None))
        if inspect.isfunction(function):
            found = inspect.getclosurevars(function)
            seen.extend([*found.nonlocals.values(), *found.globals.values()])
    for part in seen:
        if any(kind.__name__ == "GradScaler" for kind in type(part).__mro__) and part.is_enabled():
            raise ValueError("loss: a GradScaler's scale depends on every example of a batch: leave it out")


def check_buffers(model: torch.nn.Module, forward: Callable[[], Any]) -> None:
    """No buffer is written by a forward pass: what it keeps of the data would reach a checkpoint without noise."""
    before = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    with torch.no_grad():
        forward()
    after = dict(model.named_buffers())
    changed = sorted({*before} ^ {*after} or {name for name in before if not _same_bits(before[name], after[name])})
    for name, buffer in before.items():
        if name in after and after[name].shape == buffer.shape:
            after[name].copy_(buffer)
    if changed:
        layer, _, buffer_name = changed[0].rpartition(".")
        kind = type(model.get_submodule(layer)).__name__
        raise ValueError(
            f"model: its layer '{layer}' ({kind}) writes the buffer '{buffer_name}' in the forward pass, which keeps data "
            "without noise: call its eval(), or use a layer without state such as GroupNorm or LayerNorm"
        )


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.numel() == 0:
        return True
    one, other = (part.detach().contiguous().view(-1).view(torch.uint8) for part in (a, b))
    return bool((one == other).all())
