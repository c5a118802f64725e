"""Bugs planted in a copy of the package, one at a time: each must be caught by the test that is named here.

    python tests/torch/planted.py [--native] [PART OF A NAME]

Without --native, those in Python. With it, those in the extension module too, which is built for each: that needs
cargo and the clone. Exits with 1 if a bug survives, or if the named test fails without it.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import torch

import certus

HERE = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(certus.__file__).parent
CLONE = HERE.parents[1]


@dataclass(frozen=True)
class Plant:
    """A bug: what is replaced by what in which file, and the test that must fail then."""

    name: str
    file: str
    old: str
    new: str
    test: str

    @property
    def is_native(self) -> bool:
        """Whether the extension module has to be built."""
        return self.file.startswith("src/")

    @property
    def needs_gpu(self) -> bool:
        """Whether the test runs on a GPU."""
        return self.name.startswith("GPU: ")


PLANTS = [
    Plant(
        "the integer check left out",
        "torch/rounding.py",
        "failing = (squares > bound * bound) & (present != 0)",
        "failing = torch.zeros_like(present, dtype=torch.bool)",
        "test_rounding.py::test_the_norm_is_checked_in_integers_where_the_float_norm_is_low",
    ),
    Plant(
        "a check of each parameter alone",
        "torch/rounding.py",
        "        rows = _rows(gradient)\n        part",
        "        rows, squares = _rows(gradient), torch.zeros_like(weights)\n        part",
        "test_rounding.py::test_the_norm_is_of_all_parameters_together[processor]",
    ),
    Plant(
        "a check that wraps at many coordinates",
        "torch/rounding.py",
        "block = (z * z).sum(dim=1).clamp(max=bound * bound + 1)\n        squares.add_(block).clamp_(max=bound * bound + 1)",
        "squares.add_((z * z).sum(dim=1))",
        "test_rounding.py::test_many_large_coordinates_do_not_wrap_the_check[tensors-16777216]",
    ),
    Plant(
        "a check that wraps at 1e30, which is not clamped",
        "torch/rounding.py",
        "return steps.clamp(-float(bound), float(bound)).to(torch.int64)",
        "return steps.to(torch.int64)",
        "test_rounding.py::test_a_coordinate_of_1e30_does_not_pass_the_check[tensors]",
    ),
    Plant(
        "a shift in place of the division",
        "torch/rounding.py",
        'z = torch.div(z, divisors, rounding_mode="trunc")',
        "z = z >> halvings.unsqueeze(1)",
        "test_rounding.py::test_halving_ends[tensors]",
    ),
    Plant(
        "rounding away from zero",
        "torch/rounding.py",
        "return steps.clamp(-float(bound), float(bound)).to(torch.int64)",
        "return (steps.sign() * steps.abs().ceil()).clamp(-float(bound), float(bound)).to(torch.int64)",
        "test_rounding.py::test_truncation_is_towards_zero[tensors]",
    ),
    Plant(
        "rounding to the nearest",
        "torch/rounding.py",
        "return steps.clamp(-float(bound), float(bound)).to(torch.int64)",
        "return steps.clamp(-float(bound), float(bound)).round().to(torch.int64)",
        "test_rounding.py::test_truncation_is_towards_zero[tensors]",
    ),
    Plant(
        "NaN kept",
        "torch/rounding.py",
        "nan=0.0, posinf",
        "nan=float(bound), posinf",
        "test_rounding.py::test_what_is_no_number_or_too_large[tensors]",
    ),
    Plant(
        "what failed the check left in the sum",
        "torch/rounding.py",
        "        _add_all(gradients, factor, halvings, -failing.to(torch.int64), bound, sums)\n",
        "",
        "test_rounding.py::test_the_norm_is_checked_in_integers_where_the_float_norm_is_low[processor]",
    ),
    Plant(
        "padding counted as examples",
        "torch/sampling.py",
        "mask[:count] = 1",
        "mask[:] = 1",
        "test_sampling.py::test_nothing_that_was_drawn_is_left_out",
    ),
    Plant(
        "a batch truncated to its shape",
        "torch/sampling.py",
        "for first in range(0, len(drawn), shape):",
        "for first in range(0, min(len(drawn), shape), shape):",
        "test_dpsgd.py::test_a_draw_of_more_than_a_microbatch_is_never_truncated",
    ),
    Plant(
        "a batch of fixed size",
        "torch/sampling.py",
        "return [places[index] for index in _poisson_sample(len(places), rate).tolist()]",
        "import random\n    return random.sample(list(places), round(len(places) * rate))",
        "test_sampling.py::test_the_number_drawn_varies_as_a_binomial",
    ),
    Plant(
        "float coins",
        "torch/sampling.py",
        "_poisson_sample(len(places), rate).tolist()",
        "(torch.rand(len(places)) <= float(rate)).nonzero().flatten().tolist() or [0]",
        "test_sampling.py::test_coins_are_exact_at_the_ends_and_of_any_fraction",
    ),
    Plant(
        "the drawn batch size as divisor",
        "torch/dpsgd.py",
        "drawn = sampling.draw(self._places, self.plan.rate)",
        "drawn = sampling.draw(self._places, self.plan.rate)\n"
        "        object.__setattr__(self.plan, 'divisor', max(1, len(drawn)))",
        "test_dpsgd.py::test_the_divisor_is_the_plans_whatever_was_drawn",
    ),
    Plant(
        "len(dataset) as divisor",
        "torch/plan.py",
        "if self.divisor == size and size > 0:",
        "if False:",
        "test_dpsgd.py::TestPlan::test_a_divisor_of_the_data_sets_size_is_refused",
    ),
    Plant(
        "a rate of len(dataset)",
        "torch/plan.py",
        "if size > 0 and _is_of(self.rate, size):",
        "if False:",
        "test_dpsgd.py::TestPlan::test_a_rate_of_the_data_sets_size_is_refused",
    ),
    Plant(
        "an empty draw takes no step",
        "torch/dpsgd.py",
        "noisy = sharding.noisy_total(self._sum(), self._gaussian, self._group)",
        "sums = self._sum()\n        if not bool((sums != 0).any()):\n            return\n"
        "        noisy = sharding.noisy_total(sums, self._gaussian, self._group)",
        "test_dpsgd.py::test_an_empty_draw_is_a_noisy_step",
    ),
    Plant(
        "noise of the multiplier without the grid",
        "torch/dpsgd.py",
        "self._gaussian = _gaussian(self.plan.sigma, None)",
        "self._gaussian = _gaussian(self.plan.noise_multiplier * self.plan.bound / 2, None)",
        "test_dpsgd.py::test_noise_is_sigma_times_the_bound",
    ),
    Plant(
        "a key's range used twice: by two steps",
        "torch/tensors.py",
        "_add_in_place(gaussian, values.numpy(), threads=threads)",
        "from .._certus import Seeded\n        _add_in_place(gaussian, values.numpy(), threads=threads, source=Seeded(bytes(32)))",
        "test_dpsgd.py::test_two_steps_have_noise_of_their_own",
    ),
    Plant(
        "a key's range used twice: by two shards",
        "torch/tensors.py",
        "_add_in_place(gaussian, values.numpy(), threads=threads)",
        "from .._certus import Seeded\n        _add_in_place(gaussian, values.numpy(), threads=threads, source=Seeded(bytes(32)))",
        "test_sharding.py::test_on_ranks[3-shards]",
    ),
    Plant(
        "noise on every rank",
        "torch/sharding.py",
        "    full[:length] = sums\n",
        "    tensors._draw_onto(sums, gaussian)\n    full[:length] = sums\n",
        "test_sharding.py::test_on_ranks[2-noise]",
    ),
    Plant(
        "every rank takes all examples",
        "torch/sharding.py",
        "return range(rank, size, world)",
        "return range(size)",
        "test_sharding.py::test_every_example_has_one_rank_by_its_index",
    ),
    Plant(
        "unsettled slots left at zero",
        "torch/tensors.py",
        "    if values.data_ptr() != tensor.data_ptr():",
        "    values.view(-1)[1::141] = 0\n    if values.data_ptr() != tensor.data_ptr():",
        "test_noise_on_tensors.py::test_no_slot_is_left_without_noise",
    ),
    Plant(
        "a view's noise lost",
        "torch/tensors.py",
        "        tensor.detach().copy_(values)",
        "        pass",
        "test_noise_on_tensors.py::test_views_get_noise_and_their_neighbours_none",
    ),
    Plant(
        "values that got no noise kept",
        "torch/tensors.py",
        "        values.zero_()\n",
        "",
        "test_noise_on_tensors.py::test_values_that_got_no_noise_on_a_gpu_are_zeros",
    ),
    Plant(
        "GPU: another stream than the tensor's",
        "torch/tensors.py",
        "stream = torch.cuda.current_stream(device).cuda_stream",
        "stream = 0",
        "test_gpu.py::test_noise_comes_after_what_its_stream_has_before",
    ),
    Plant(
        "GPU: a key's range used twice",
        "torch/tensors.py",
        "    try:\n        draw(sampler",
        "    from .._certus import Seeded\n    source = Seeded(bytes(32))\n    try:\n        draw(sampler",
        "test_gpu.py::test_two_calls_differ",
    ),
    Plant(
        "GPU: the last values left without noise",
        "torch/tensors.py",
        "values.numel(), values.element_size() * 8",
        "values.numel() - 1, values.element_size() * 8",
        "test_gpu.py::test_the_bits_are_the_processors[4097-10]",
    ),
    Plant(
        "GPU: a view's noise lost",
        "torch/tensors.py",
        "        tensor.detach().copy_(values)",
        "        pass",
        "test_gpu.py::test_views_get_noise_and_their_neighbours_none",
    ),
    Plant(
        "GPU: noise of half the width in a training step",
        "torch/dpsgd.py",
        "self._gaussian = _gaussian(self.plan.sigma, None)",
        "self._gaussian = _gaussian(self.plan.sigma / 2, None)",
        "test_gpu.py::test_a_training_step_has_the_plans_noise",
    ),
    Plant(
        "a step drawn before it is paid",
        "torch/dpsgd.py",
        "        self._pay()\n        # From here on the step counts, whatever becomes of it.\n        self._taken += 1\n"
        "        noisy = sharding.noisy_total(self._sum(), self._gaussian, self._group)\n        self._descend(noisy)",
        "        noisy = sharding.noisy_total(self._sum(), self._gaussian, self._group)\n        self._descend(noisy)\n"
        "        self._pay()\n        self._taken += 1",
        "test_dpsgd.py::TestPayment::test_a_step_is_in_the_ledger_before_it_is_drawn",
    ),
    Plant(
        "a checkpoint gives steps back",
        "torch/dpsgd.py",
        'self._taken = max(self._taken, min(int(state["taken"]), self.plan.steps))',
        'self._taken = int(state["taken"])',
        "test_dpsgd.py::TestPayment::test_an_older_checkpoint_gives_nothing_back",
    ),
    Plant(
        "a filter that is not debited",
        "torch/dpsgd.py",
        "filter._debit(self.epsilon.upper, self._delta)",
        "pass",
        "test_dpsgd.py::TestPayment::test_a_filter_pays_for_the_whole_plan_before_the_first_step",
    ),
    Plant(
        "written buffers not looked at",
        "torch/conditions.py",
        "    if changed:\n",
        "    if False:\n",
        "test_conditions.py::test_written_buffers_are_refused_and_restored",
    ),
    Plant(
        "the test of isolation without other places",
        "torch/isolation.py",
        "            _Trial(\"in another place\", among, examples.at(turned, count), (place, (place - 1) % count)),\n",
        "",
        "test_isolation.py::test_another_place_is_tried",
    ),
    Plant(
        "native: a coordinate that is not clamped",
        "src/gradient.rs",
        "        let magnitude = if magnitude < self.bound { magnitude } else { self.bound };\n",
        "",
        "test_rounding.py::test_a_coordinate_of_1e30_does_not_pass_the_check[processor]",
    ),
    Plant(
        "native: rounding away from zero",
        "src/gradient.rs",
        "nearest.wrapping_sub(i32::from(nearest as f32 > magnitude))",
        "nearest.wrapping_add(i32::from((nearest as f32) < magnitude))",
        "test_rounding.py::test_truncation_is_towards_zero[processor]",
    ),
    Plant(
        "native: a shift in place of the division",
        "src/gradient.rs",
        "*z = z.checked_div(rule.halved).unwrap_or(0)",
        "*z >>= rule.halved.trailing_zeros()",
        "test_rounding.py::test_halving_ends[processor]",
    ),
    Plant(
        "native: a check that wraps",
        "src/gradient.rs",
        "if block >= over { over } else { square.saturating_add(block).min(over) }",
        "square.wrapping_add(block)",
        "test_rounding.py::test_many_large_coordinates_do_not_wrap_the_check[processor-16777216]",
    ),
    Plant(
        "native: the parts of several threads lost",
        "src/gradient.rs",
        "squares.iter_mut().zip(part).for_each(|(square, more)| *square = stopped(*square, more, bound));",
        "squares.iter_mut().zip(part).for_each(|(square, more)| *square = more);",
        "test_rounding.py::test_the_two_forms_give_the_same_integers",
    ),
    Plant(
        "native: 32 bits that wrap",
        "src/in_place.rs",
        "i32::try_from(wide).unwrap_or(if wide < 0 { i32::MIN } else { i32::MAX })",
        "wide as i32",
        "test_noise_on_tensors.py::test_sums_past_the_type_are_clamped_and_flagged",
    ),
    Plant(
        "native: values of 32 bits that get no noise",
        "src/in_place.rs",
        "values.iter_mut().zip(&*wide).for_each(",
        "values.iter_mut().zip(&*wide).take(1 << 10).for_each(",
        "test_noise_on_tensors.py::test_no_slot_is_left_without_noise",
    ),
    Plant(
        "native: the last example never drawn",
        "src/poisson.rs",
        "for place in 0..population {",
        "for place in 0..population.saturating_sub(1) {",
        "test_sampling.py::test_coins_are_exact_at_the_ends_and_of_any_fraction",
    ),
]


def catches(test: str, package: pathlib.Path | None) -> bool:
    """Whether the test fails on this package."""
    path = [str(package.parent)] if package else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")])}
    arguments = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(HERE / test)]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=900)
    if done.returncode not in (0, 1) or "passed" not in done.stdout and "failed" not in done.stdout:
        raise RuntimeError(f"{test} did not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 1


def planted(plant: Plant, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the package with the bug."""
    package = folder / "certus"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    source = (CLONE if plant.is_native else package) / plant.file
    text = source.read_text()
    if text.count(plant.old) != 1:
        raise RuntimeError(f"{plant.name}: its place is not in {plant.file} once")
    source.write_text(text.replace(plant.old, plant.new))
    if plant.is_native:
        try:
            build = ["cargo", "build", "--quiet", "--offline", "--profile", "quick", "-j1"]
            subprocess.run(build, cwd=CLONE, check=True, capture_output=True)
            shutil.copy(CLONE / "target/quick/lib_certus.so", package / "_certus.abi3.so")
        finally:
            source.write_text(text)
    return package


def main() -> int:
    """Plants each, and says which test caught it."""
    native = "--native" in sys.argv
    wanted = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    chosen = [plant for plant in PLANTS if native or not plant.is_native]
    chosen = [plant for plant in chosen if all(part in plant.name for part in wanted)]
    if not torch.cuda.is_available():
        skipped = [plant for plant in chosen if plant.needs_gpu]
        chosen = [plant for plant in chosen if not plant.needs_gpu]
        print(f"SKIPPED: {len(skipped)} bugs whose tests need a GPU")
    survived, sound = [], set()
    for plant in chosen:
        if plant.test not in sound:
            if catches(plant.test, None):
                print(f"FAILS WITHOUT A BUG: {plant.test}")
                survived.append(plant.name)
                continue
            sound.add(plant.test)
        with tempfile.TemporaryDirectory() as folder:
            caught = catches(plant.test, planted(plant, pathlib.Path(folder)))
        print(f"{'caught' if caught else 'SURVIVED'}: {plant.name}: {plant.test}", flush=True)
        if not caught:
            survived.append(plant.name)
    print(f"{len(chosen)} planted, {len(chosen) - len(survived)} caught")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
