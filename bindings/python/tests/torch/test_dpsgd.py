"""Steps of exact DP-SGD: what they add up, divide by, pay and give back; and what is refused of a plan."""

from __future__ import annotations

import io
import pathlib
import warnings
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from training import OPTIONS, data, flat, linear, run

import certus
from certus.torch import PlanWarning, TrainingPlan, sampling, sharding, tensors


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """Steps without noise, and the exact sums that would have had it."""
    sums: list[torch.Tensor] = []

    def keep(values: torch.Tensor, gaussian: Any) -> None:
        sums.append(values.clone())

    monkeypatch.setattr(tensors, "_draw_onto", keep)
    return sums


def clipped_sum(places: list[int], clip: float = 1.0) -> torch.Tensor:
    """The sum of clipped gradients of these examples, in floats and one by one."""
    inputs, targets = data()
    total = torch.zeros(12, dtype=torch.float64)
    for place in places:
        model = linear().double()
        loss = F.cross_entropy(model(inputs[place : place + 1].double()), targets[place : place + 1])
        gradient = torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))])
        total += gradient * min(1.0, clip / float(gradient.norm()))
    return total


@pytest.mark.parametrize("options", [{}, {"isolate": True}, {"microbatch": 100}, {"grid_bits": 16}])
def test_the_sum_is_that_of_clipped_gradients(no_noise: list[torch.Tensor], options: dict[str, Any]) -> None:
    trainer = run(rate=1, divisor="12.5", **options)
    trainer.step()
    bound = 2 ** options.get("grid_bits", 20)
    expected = clipped_sum(list(range(97)))
    # Each of 97 examples loses less than a step a coordinate, and 4 parts in a million.
    assert float((no_noise[0].double() / bound - expected).abs().max()) < 97 * (1.1 / bound + 5e-6)
    moved = flat(linear()) - flat(trainer._model)
    assert torch.allclose(moved.double(), expected / 12.5, atol=1e-3, rtol=1e-4)


def test_no_example_moves_a_sum_by_more_than_the_bound(no_noise: list[torch.Tensor]) -> None:
    inputs, targets = data()
    inputs = inputs * torch.logspace(-3, 30, 97)[:, None]
    inputs[5, 2], inputs[6] = float("nan"), float("inf")
    run((inputs, targets), rate=1).step()
    for left_out in (0, 5, 6, 50, 96):
        kept = torch.arange(97) != left_out
        run((inputs[kept], targets[kept]), rate=1, isolate=True).step()
        run((inputs, targets), rate=1, isolate=True).step()
        difference = no_noise[-1] - no_noise[-2]
        assert sum(value * value for value in difference.tolist()) <= 2**40


def test_the_divisor_is_the_plans_whatever_was_drawn(
    no_noise: list[torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    for places in ([3], [3, 4, 5, 6, 7, 8, 9, 10, 11]):
        monkeypatch.setattr(sampling, "draw", lambda *_, places=places: list(places))
        trainer = run(divisor=4)
        trainer.step()
        moved = flat(linear()) - flat(trainer._model)
        assert torch.allclose(moved.double(), clipped_sum(places) / 4, atol=1e-5)


def test_a_draw_of_more_than_a_microbatch_is_never_truncated(
    no_noise: list[torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "draw", lambda *_: list(range(50)))
    run(microbatch=8).step()
    assert torch.allclose(no_noise[0].double() / 2**20, clipped_sum(list(range(50))), atol=1e-3)


def test_an_empty_draw_is_a_noisy_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "draw", lambda *_: [])
    trainer = run(steps=2)
    trainer.step()
    first = flat(trainer._model)
    assert bool((first != flat(linear())).all())
    trainer.step()
    # Noise of σ = B/divisor, on every coordinate, afresh in every step.
    steps = [first - flat(linear()), flat(trainer._model) - first]
    assert all(0.01 < float(step.std()) < 0.4 for step in steps)
    assert float((steps[0] - steps[1]).abs().min()) > 0


def test_noise_is_sigma_times_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "draw", lambda *_: [])
    model = torch.nn.Linear(300, 300)
    before = flat(model)
    inputs = (torch.zeros(3, 300), torch.zeros(3, dtype=torch.int64))
    run(inputs, model, noise_multiplier="3/2", clip=2, divisor=5).step()
    moved = (flat(model) - before).double()
    # σ·clip/divisor = 0.6, to six standard errors.
    assert abs(float(moved.square().mean()) / 0.36 - 1) < 6 * (2 / moved.numel()) ** 0.5


def test_two_steps_have_noise_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "draw", lambda *_: [])
    noisy: list[torch.Tensor] = []
    whole = sharding.noisy_total

    def keep(*arguments: Any) -> torch.Tensor:
        noisy.append(whole(*arguments).clone())
        return noisy[-1]

    monkeypatch.setattr(sharding, "noisy_total", keep)
    trainer = run()
    trainer.fit()
    assert len(noisy) == 20 and trainer.steps_left == 0
    assert len({tuple(values.tolist()) for values in noisy}) == 20
    with pytest.raises(RuntimeError, match="steps: all of the plan's have been drawn"):
        trainer.step()


def test_training_learns() -> None:
    inputs, targets = data(2000)
    model = linear()
    run((inputs, targets), model, divisor=180, steps=30, microbatch=64).fit()
    assert float((model(inputs).argmax(1) == targets).float().mean()) > 0.9


def test_what_is_drawn_is_told_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    printed = io.StringIO()
    monkeypatch.setattr(sampling, "draw", lambda *_: list(range(73)))
    with redirect_stdout(printed), redirect_stderr(printed):
        trainer = run(report=told.append)
        assert trainer.step() is None and trainer.fit() is None  # type: ignore[func-returns-value]
    text = printed.getvalue() + "".join(told) + repr(trainer.state_dict()) + repr(vars(trainer).get("__repr__"))
    assert "73" not in "".join(told) + printed.getvalue() and "drawn" not in trainer.state_dict() and text


@pytest.mark.parametrize("seed", range(2))
def test_the_gradients_of_opacus_are_those_of_torch_func(no_noise: list[torch.Tensor], seed: int) -> None:
    opacus = pytest.importorskip("opacus", reason="SKIPPED: opacus is not installed")
    model = opacus.GradSampleModule(linear(), loss_reduction=("mean", "sum")[seed])
    run(model=model, rate=1, optimizer=torch.optim.SGD(model.parameters(), lr=1.0)).step()
    run(rate=1).step()
    assert float((no_noise[0] - no_noise[1]).abs().max()) < 97 * 20


def test_frozen_parameters_stay(no_noise: list[torch.Tensor]) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Linear(4, 2))
    model[0].requires_grad_(False)
    before = flat(model[0])
    trainer = run(model=model, optimizer=torch.optim.SGD(model[1].parameters(), lr=1.0), rate=1)
    trainer.step()
    assert trainer.plan.coordinates == 10 and bool((flat(model[0]) == before).all())


class TestPlan:
    """Its constants, their account, and what is refused of them."""

    @pytest.mark.account
    def test_the_account_is_the_packages(self) -> None:
        plan = TrainingPlan.of(clip=3, noise_multiplier=2, rate="1/50", steps=3, divisor=5, coordinates=12)
        found = plan.epsilon("1e-5")
        expected = certus.dp_sgd(noise_multiplier=2, rate="1/50", steps=3, coordinates=12, clip=2**20)
        assert plan.account().mechanisms == expected.mechanisms
        assert plan.spec() == "dp_sgd(noise_multiplier=2, rate=1/50, clip=1048576, coordinates=12)"
        assert found.upper == expected.epsilon("1e-5", digits=2).upper > 0
        assert plan.sigma == 2 * 2**20 and plan.bound == 2**20

    def test_the_whole_plans_epsilon_is_told_with_the_conditions(self) -> None:
        told: list[str] = []
        trainer = run(report=told.append)
        assert f"epsilon is in {trainer.epsilon} at delta = 1e-5 for all 20 steps" in told[0]
        text = "\n".join(told)
        for condition in ("Isolation", "Constants", "Timing", "ChaCha20", "early stopping", "Budget"):
            assert condition in text
        isolated: list[str] = []
        run(report=isolated.append, isolate=True)
        assert "Isolation" not in "\n".join(isolated)

    def test_a_divisor_of_the_data_sets_size_is_refused(self) -> None:
        with pytest.raises(ValueError, match="divisor: is the size of the data set, which is private") as refused:
            run(divisor=97)
        assert "97" not in str(refused.value)

    @pytest.mark.parametrize("rate", [Fraction(16, 97), 16 / 97, "16/97"])
    def test_a_rate_of_the_data_sets_size_is_refused(self, rate: Any) -> None:
        with pytest.raises(ValueError, match="rate: is a batch divided by the size of the data set") as refused:
            run(rate=rate)
        assert "97" not in str(refused.value)

    def test_a_divisor_of_rate_times_the_size_is_warned_of(self) -> None:
        with pytest.warns(PlanWarning, match="divisor: is rate times the size of the data set"):
            run(divisor="9.7")
        with warnings.catch_warnings():
            warnings.simplefilter("error", PlanWarning)
            run()
            run(data(100), rate=0.25, divisor=20)
            run(data(96), rate="1/16", divisor=7)

    @pytest.mark.parametrize(
        ("changed", "text"),
        [
            ({"rate": 0}, "rate: must be above 0 and at most 1"),
            ({"rate": "3/2"}, "rate: must be above 0 and at most 1"),
            ({"rate": "one"}, "rate: "),
            ({"noise_multiplier": 0}, "noise_multiplier: must be positive"),
            ({"noise_multiplier": 2**40}, "noise_multiplier: must be at most 2^50"),
            ({"clip": -1}, "clip: must be positive"),
            ({"clip": "1e-40"}, "clip: must be between 2^-100 and 2^100"),
            ({"divisor": 0}, "divisor: must be positive"),
            ({"steps": 0}, "steps: must be an integer from 1 to"),
            ({"steps": 1.5}, "steps: must be an integer from 1 to"),
            ({"grid_bits": 21}, "grid_bits: must be an integer from 1 to 20"),
            ({"most": 2**42}, "most: must be below 2^62 divided by 2^grid_bits"),
            ({"microbatch": 0}, "microbatch: must be an int of 1 or more"),
            ({"release_id": "a"}, "release_id: must be given with ledger, and ledger with it"),
        ],
    )
    def test_bad_constants_are_one_clear_line(self, changed: dict[str, Any], text: str) -> None:
        with pytest.raises(ValueError) as refused:
            run(**changed)
        assert str(refused.value).startswith(text) and "\n" not in str(refused.value)


class TestPayment:
    """A step is paid before it is drawn, and none is given back."""

    @pytest.fixture
    def ledger(self, tmp_path: pathlib.Path, command_path: pathlib.Path) -> pathlib.Path:
        import subprocess

        path = tmp_path / "train.ledger"
        plan = TrainingPlan.of(**{key: OPTIONS[key] for key in ("clip", "noise_multiplier", "rate", "divisor")}, steps=1, coordinates=12)
        subprocess.run([command_path, "ledger", "init", path, "--declare", f"{plan.spec()}*5", "--json"], check=True)
        return path

    def test_a_filter_pays_for_the_whole_plan_before_the_first_step(self) -> None:
        budget = certus.Filter(epsilon=20, delta="1e-4")
        trainer = run(filter=budget)
        assert budget.spent.epsilon is not None and budget.spent.epsilon.upper == trainer.epsilon.upper
        assert budget.spent.delta is not None and budget.spent.delta.upper == Fraction(1, 10**5)
        with pytest.raises(certus.BudgetError, match="nothing was drawn"):
            run(filter=certus.Filter(epsilon="1/2", delta="1e-4"))
        closed = certus.Filter(epsilon=20, delta="1e-4")
        with closed:
            pass
        with pytest.raises(certus.BudgetError, match="closed"):
            run(filter=closed)

    def test_a_step_is_in_the_ledger_before_it_is_drawn(
        self, ledger: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trainer = run(ledger=ledger, release_id="model", steps=5)
        assert trainer._steps is not None
        paid: list[int] = []
        drawn = sampling.draw

        def look(*arguments: Any) -> list[int]:
            assert trainer._steps is not None
            paid.append(trainer._steps.taken())
            return drawn(*arguments)

        monkeypatch.setattr(sampling, "draw", look)
        trainer.fit()
        assert paid == [1, 2, 3, 4, 5]

    def test_an_older_checkpoint_gives_nothing_back(self, ledger: pathlib.Path) -> None:
        trainer = run(ledger=ledger, release_id="model", steps=5)
        trainer.step()
        checkpoint = trainer.state_dict()
        trainer.step()
        trainer.step()
        trainer.load_state_dict(checkpoint)
        assert trainer.steps_left == 2
        del trainer
        # And in another process, from the file.
        again = run(ledger=ledger, release_id="model", steps=5)
        again.load_state_dict(checkpoint)
        assert again.steps_left == 2
        again.fit()
        del again
        over = run(ledger=ledger, release_id="another", steps=5)
        with pytest.raises(certus.BudgetError, match="ledger: no step of this plan is left"):
            over.step()

    def test_a_step_that_fails_has_been_paid(self, ledger: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
        trainer = run(ledger=ledger, release_id="model", steps=5)

        def fails(*_: Any) -> None:
            raise OSError("no randomness")

        monkeypatch.setattr(sharding, "noisy_total", fails)
        with pytest.raises(OSError, match="no randomness"):
            trainer.step()
        assert trainer.steps_left == 4 and trainer._steps is not None and trainer._steps.taken() == 1

    def test_a_ledger_that_declares_another_plan_is_refused(self, ledger: pathlib.Path, tmp_path: pathlib.Path) -> None:
        with pytest.raises(ValueError, match="ledger: must declare this plan: certus ledger init FILE --declare 'dp_sgd"):
            run(ledger=ledger, release_id="model", noise_multiplier=2)
        with pytest.raises((OSError, ValueError), match="ledger: "):
            run(ledger=tmp_path / "nothing", release_id="model")

    def test_a_checkpoint_of_this_run_gives_nothing_back_without_a_ledger(self) -> None:
        trainer = run()
        checkpoint = trainer.state_dict()
        trainer.step()
        trainer.load_state_dict(checkpoint)
        assert trainer.steps_left == 19


