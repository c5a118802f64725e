"""What is refused at the start: what reads the data without noise, keeps state, or scales by the batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from training import data, linear, run

from certus.torch import conditions


class SAM(torch.optim.SGD):
    """As the one that evaluates the loss a second time."""


class Closing(torch.optim.SGD):
    """Its step cannot do without a closure."""

    def step(self, closure: Any) -> None:  # type: ignore[override]
        closure()


@pytest.mark.parametrize("kind", [torch.optim.LBFGS, SAM, Closing])
def test_optimizers_that_read_the_data_are_refused(kind: Any) -> None:
    model = linear()
    with pytest.raises(ValueError, match="optimizer: .* data without noise"):
        run(model=model, optimizer=kind(model.parameters(), lr=1.0))


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad])
def test_optimizers_that_read_the_noisy_gradient_are_accepted(kind: Any) -> None:
    model = linear()
    run(model=model, optimizer=kind(model.parameters(), lr=0.1)).step()


def test_an_optimizer_of_other_parameters_is_refused() -> None:
    for parameters in (linear().parameters(), [torch.nn.Parameter(torch.zeros(3))]):
        with pytest.raises(ValueError, match="optimizer: must have the model's trained parameters"):
            run(optimizer=torch.optim.SGD(parameters, lr=1.0))
    with pytest.raises(TypeError, match="optimizer: must be a torch.optim.Optimizer, not int"):
        run(optimizer=7)


def test_schedules() -> None:
    model = linear()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    with pytest.raises(ValueError, match="scheduler: ReduceLROnPlateau reads a loss"):
        run(model=model, optimizer=optimizer, scheduler=torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer))
    run(model=model, optimizer=optimizer, scheduler=torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)).step()
    assert optimizer.param_groups[0]["lr"] == 0.5
    with pytest.raises(TypeError, match="scheduler: must be one of torch.optim.lr_scheduler, not int"):
        run(scheduler=5)


def test_a_dynamic_loss_scale_is_refused() -> None:
    scaler = torch.amp.GradScaler("cpu")

    def loss(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return scaler.scale(F.cross_entropy(prediction, target))

    for bad in (loss, scaler.scale):
        with pytest.raises(ValueError, match="loss: a GradScaler's scale depends on every example"):
            run(loss=bad)


class Counting(torch.nn.Module):
    """Keeps a running mean of what it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(5))
        self.inner = linear()

    def forward(self, inputs: torch.Tensor) -> Any:
        self.mean = 0.9 * self.mean + 0.1 * inputs.mean(0) + 1
        return self.inner(inputs)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (lambda: torch.nn.Sequential(torch.nn.BatchNorm1d(5), linear()), "layer '0' (BatchNorm1d) writes the buffer"),
        (lambda: torch.nn.Sequential(Counting()), "layer '0' (Counting) writes the buffer 'mean'"),
    ],
)
def test_written_buffers_are_refused_and_restored(model: Any, named: str) -> None:
    built = model()
    before = {name: buffer.clone() for name, buffer in built.named_buffers()}
    with pytest.raises(ValueError) as refused:
        run(model=built, optimizer=torch.optim.SGD(built.parameters(), lr=1.0))
    assert named in str(refused.value) and "\n" not in str(refused.value)
    assert all(bool((before[name] == buffer).all()) for name, buffer in built.named_buffers())


def test_unseeded_dropout_is_refused() -> None:
    model = torch.nn.Sequential(torch.nn.Dropout(0.5), linear())
    with pytest.raises(ValueError, match="model: the gradients of single examples cannot be computed"):
        run(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    model.eval()
    run(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0)).step()


def test_kernels_are_deterministic_from_the_start() -> None:
    torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.benchmark = True
    run()
    assert torch.are_deterministic_algorithms_enabled() and not torch.backends.cudnn.benchmark


def test_a_gpu_needs_its_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    with pytest.raises(RuntimeError, match="CUBLAS_WORKSPACE_CONFIG: must be ':4096:8'"):
        conditions.make_deterministic(torch.device("cuda"))


def test_a_process_without_examples_needs_a_public_one() -> None:
    nothing = tuple(part[:0] for part in data())
    with pytest.raises(ValueError, match="example: must be given where this process has no example"):
        run(nothing)
    run(nothing, example=(torch.zeros(5), torch.tensor(0))).step()


def test_a_model_without_parameters_is_refused() -> None:
    with pytest.raises(ValueError, match="model: must have a parameter that is trained"):
        run(model=torch.nn.Flatten(), optimizer=torch.optim.SGD(linear().parameters(), lr=1.0))
