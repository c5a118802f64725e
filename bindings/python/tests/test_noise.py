"""Noise: the command's for a seed, in arrays and as integers, and never wrapped."""

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import certus
from certus.testing import seeded

# For calls that a type checker would refuse.
untyped: Any = certus

SAMPLERS: list[Any] = ["prepared", "fixed", "reference"]
NOISE: list[tuple[str, Callable[..., certus.Noise]]] = [
    ("laplace(scale=5/2)", lambda by: certus.Laplace(scale="5/2", sampler=by)),
    ("laplace(scale=1e6)", lambda by: certus.Laplace(scale=1e6, sampler=by)),
    ("gaussian(sigma=10)", lambda by: certus.Gaussian(sigma=10, sampler=by)),
    ("gaussian(sigma2=7/3)", lambda by: certus.Gaussian(sigma2="7/3", sampler=by)),
]


@pytest.mark.parametrize("by", SAMPLERS)
@pytest.mark.parametrize(("spec", "noise"), NOISE)
def test_the_noise_of_a_seed_is_the_commands(
    command: Callable[..., Any], spec: str, noise: Callable[..., certus.Noise], by: str
) -> None:
    document = command("sample", spec, "-n", "3000", "--seed", "2a", "--sampler", by)
    expected = [int(sample) for sample in document["samples"]]
    found = noise(by).sample(3000, source=seeded("2a"))
    if by == "prepared" and spec == "laplace(scale=1e6)":
        # The command draws one by one. In bulk, trials are drawn 64 at a time, and rejected ones are replaced later.
        assert found[:64].tolist() == expected[:64]
        return
    assert found.dtype == np.int64 and found.tolist() == expected
    assert noise(by).sampler == by == document["sampler"]
    assert noise(by).sample_integers(3000, source=seeded("2a")) == expected


@pytest.mark.parametrize("by", SAMPLERS)
def test_what_is_added_is_the_noise(by: Any) -> None:
    noise = certus.Gaussian(sigma=10, sampler=by)
    drawn = noise.sample(1500, source=seeded(bytes(32)))
    x = np.arange(1500, dtype=np.int64)
    before = x.copy()
    added = noise.add(x, source=seeded(bytes(32)))
    assert (x == before).all() and (added == x + drawn).all()
    out = np.empty_like(x)
    assert noise.add(x, out=out, source=seeded(bytes(32))) is out and (out == added).all()
    assert noise.add(x, out=x, source=seeded(bytes(32))) is x and (x == added).all()
    assert noise.add_integers(before, source=seeded(bytes(32))) == added.tolist()


def test_shapes_views_and_shared_memory() -> None:
    noise = certus.Laplace(scale=3)
    table = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
    assert noise.add(table).shape == (2, 3, 4)
    drawn = noise.sample(12, source=seeded("1"))
    # Every other column, which is not contiguous; and in Fortran's order.
    assert (noise.add(table[:, :, ::2], source=seeded("1")).ravel() == table[:, :, ::2].ravel() + drawn).all()
    square = np.asfortranarray(np.arange(12, dtype=np.int64).reshape(3, 4))
    assert (noise.add(square, source=seeded("1")).ravel() == square.ravel() + drawn).all()
    line = np.arange(13, dtype=np.int64)
    noise.add(line[:-1], out=line[1:], source=seeded("1"))
    assert (line[1:] == np.arange(12) + drawn).all()
    assert noise.sample(0).shape == (0,) and noise.add(np.zeros((0, 3), np.int64)).shape == (0, 3)


def test_threads_draw_the_same_however_many() -> None:
    noise = certus.Laplace(scale=100)
    one, four = (noise.sample(100_000, threads=threads, source=seeded("7")) for threads in (1, 4))
    assert (one == four).all()
    x = np.arange(100_000, dtype=np.int64)
    assert (noise.add(x, threads=2, source=seeded("7")) == x + one).all()
    with pytest.raises(ValueError, match="threads: must not be given but for the prepared sampler"):
        certus.Laplace(scale=1, sampler="fixed").sample(3, threads=2)


def test_two_draws_differ_unless_seeded_alike() -> None:
    noise = certus.Gaussian(sigma=1000)
    assert noise.sample(50).tolist() != noise.sample(50).tolist()
    source = seeded("5")
    assert noise.sample(50, source=source).tolist() != noise.sample(50, source=source).tolist()


def test_what_leaves_int64_is_refused_and_nothing_returned() -> None:
    noise = certus.Laplace(scale=10)
    top = np.full(100, np.iinfo(np.int64).max)
    with pytest.raises(OverflowError, match="a sum does not fit int64: add_integers"):
        noise.add(top)
    assert (top == np.iinfo(np.int64).max).all()
    with pytest.raises(OverflowError):
        noise.add(top, out=top)
    assert (top == 0).all(), "neither the answers nor clamped sums are left"
    wide = certus.Gaussian(sigma=2**80)
    assert wide.sampler == "reference"
    with pytest.raises(OverflowError, match="a sample does not fit int64: sample_integers"):
        wide.sample(5)
    big = wide.sample_integers(5, source=seeded("3"))
    assert max(map(abs, big)) > 2**70
    sums = wide.add_integers([10**400] * 5, source=seeded("3"))
    assert sums == [10**400 + noise for noise in big]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda n: n.sample(-1), ValueError, "n: must be an integer from 0 to"),
        (lambda n: n.sample(1.5), ValueError, "n: must be an integer from 0 to"),
        (lambda n: n.sample(1 << 70), ValueError, "n: must be an integer from 0 to"),
        (lambda n: n.sample(None), TypeError, "n: must be an int"),
        (lambda n: n.sample(1 << 50), MemoryError, ""),
        (lambda n: n.add([1, 2]), TypeError, "x: must be a numpy array of int64, not list"),
        (lambda n: n.add(5), TypeError, "x: must be a numpy array of int64, not int"),
        (lambda n: n.add(np.zeros(3)), TypeError, "x: must be a numpy array of int64, not an array of float64"),
        (lambda n: n.add(np.zeros(3, np.int32)), TypeError, "x: must be a numpy array of int64, not an array of int32"),
        (lambda n: n.add(np.zeros(3, ">i8")), TypeError, "x: must be a numpy array of int64, not an array of >i8"),
        (lambda n: n.add(np.zeros(3, object)), TypeError, "x: must be a numpy array of int64, not an array of object"),
        (lambda n: n.add(np.zeros(3, int), out=np.zeros(4, int)), ValueError, "out: must have the shape of x"),
        (lambda n: n.add(np.zeros(3, int), out=np.zeros(6, int)[::2]), ValueError, "out: must be contiguous"),
        (lambda n: n.add(np.zeros(3, int), out=np.broadcast_to(1, 3)), ValueError, "out: must be writable"),
        (lambda n: n.add_integers(5), TypeError, "values: must be a sequence of int, not int"),
        (lambda n: n.add_integers("12"), TypeError, "values: must be a sequence of int, not str"),
        (lambda n: n.add_integers([1.5]), TypeError, "values: must be int"),
        (lambda n: n.sample(3, threads=0), ValueError, "threads: must be an integer from 1 to 1024"),
        (lambda n: n.sample(3, source=7), TypeError, ""),
        (lambda n: untyped.Laplace(scale=1, sampler="best"), ValueError, "sampler: must be 'prepared', 'fixed' or"),
        (lambda n: untyped.Laplace(scale=2**57, sampler="fixed"), ValueError, "scale: the fixed-work sampler takes"),
        (lambda n: untyped.Gaussian(), TypeError, "either sigma or sigma2 must be given"),
        (lambda n: untyped.Gaussian(1, sigma2=1), TypeError, "either sigma or sigma2 must be given"),
        (lambda n: untyped.testing.seeded(b"short"), ValueError, "seed: must be 32 bytes"),
        (lambda n: untyped.testing.seeded("xyz"), ValueError, "seed: must be 32 bytes"),
        (lambda n: untyped.testing.seeded(5), TypeError, "seed: must be 32 bytes"),
    ],
)
def test_bad_input_is_one_clear_exception(
    call: Callable[[certus.Noise], Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as raised:
        call(certus.Laplace(scale=1))
    assert str(raised.value).startswith(text) and "\n" not in str(raised.value)


def test_other_threads_run_meanwhile() -> None:
    noise, ticks, done = certus.Gaussian(sigma=10, sampler="reference"), 0, threading.Event()

    def draw() -> None:
        noise.sample(300_000)
        done.set()

    worker = threading.Thread(target=draw)
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 3


def test_import_takes_no_numpy() -> None:
    code = "import sys, certus; assert 'numpy' not in sys.modules and 'fractions' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_leaked() -> None:
    noise = certus.Laplace(scale=1)
    x = np.zeros(3, np.int64)
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(100):
        noise.add(x, out=x)
        with pytest.raises(ValueError, match="out"):
            noise.add(x, out=np.zeros(4, np.int64))
    gc.collect()
    assert sys.getrefcount(x) == before
