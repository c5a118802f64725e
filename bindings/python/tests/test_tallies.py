"""Tallies: sums in any order, files, pickles, and shards that count once."""

import pathlib
import pickle
import subprocess
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import certus

VALUE = st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.booleans()
OUTPUT = VALUE | st.tuples(VALUE, VALUE)
SHARDS = st.lists(st.lists(OUTPUT, max_size=20), min_size=3, max_size=3)


@given(SHARDS)
@settings(deadline=None)
def test_sums_do_not_depend_on_the_order(shards: list[list[Any]]) -> None:
    a, b, c = (certus.Tally.of(outputs, f"s{place}") for place, outputs in enumerate(shards))
    assert a + b == b + a and (a + b).to_bytes() == b.merge(a).to_bytes()
    assert (a + b) + c == a + (b + c) == c + a + b == sum([c, a, b], start=0)
    assert len(a + b + c) == sum(map(len, shards)) == (a + b + c).samples
    assert (a + b + c).counts() == certus.Tally.of([one for shard in shards for one in shard]).counts()
    assert (c + a).shards == ["s0", "s2"]


@given(st.lists(OUTPUT, max_size=30), st.text(min_size=1, max_size=20).filter(lambda name: len(name.encode()) < 200))
@settings(deadline=None)
def test_a_tally_survives_its_file(outputs: list[Any], name: str) -> None:
    tally = certus.Tally.of(outputs, name)
    for copy in (certus.Tally.from_bytes(tally.to_bytes()), pickle.loads(pickle.dumps(tally))):
        assert copy == tally and copy.to_bytes() == tally.to_bytes()
    assert sum(tally.counts().values()) == tally.samples == len(outputs)
    assert all(tally.count(text) == count for text, count in tally.counts().items())


def test_files_are_the_commands(command_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    theirs, ours = tmp_path / "theirs.tally", tmp_path / "ours.tally"
    (tmp_path / "lines").write_text("3\n\nyes\n3\n0.5\n1,2\n")
    subprocess.run([command_path, "tally", str(tmp_path / "lines"), "--id", "x", "--output", str(theirs)], check=True)
    tally = certus.Tally.of([3, None, "yes", 3, 0.5, (1, 2)], "x")
    tally.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert certus.Tally.load(theirs) == certus.Tally.load(str(ours)) == tally
    with pytest.raises(FileNotFoundError):
        certus.Tally.load(tmp_path / "none")
    damaged = ours.read_bytes().replace(b"2 3", b"3 3")
    with pytest.raises(ValueError, match="damaged"):
        certus.Tally.from_bytes(damaged)
    with pytest.raises(ValueError, match="not a tally"):
        certus.Tally.from_bytes(b"")


def test_a_shard_counts_once() -> None:
    noise = certus.Laplace(scale=3)
    outputs = noise.sample(1000)
    one, two = certus.Tally.of(outputs, "job-1/a/0"), certus.Tally.of(noise.sample(1000), "job-1/a/1")
    total = one + two
    # The same shard, whether its task drew the same outputs again or fresh ones.
    for again in (one, certus.Tally.of(noise.sample(1000), "job-1/a/0"), pickle.loads(pickle.dumps(one))):
        for first, second in ((total, again), (again, total), (again, one)):
            with pytest.raises(ValueError, match="shard job-1/a/0 is there twice: each shard must be counted once"):
                first + second
    # The same outputs by another name, and a part of them.
    with pytest.raises(ValueError, match="hold the same outputs in the same order"):
        total + certus.Tally.of(outputs, "job-1/a/2")
    with pytest.raises(ValueError, match="share a long run"):
        total + certus.Tally.of(outputs[300:], "job-1/a/2")
    assert total.samples == 2000
    with pytest.raises(ValueError, match="shard"):
        certus.audit_tallies(total, certus.Tally.of(outputs, "b"))


def test_names() -> None:
    free = {certus.Tally.of([1]).shards[0] for _ in range(50)}
    assert len(free) == 50 and all(len(name) == 16 for name in free)
    for bad in ("", "x" * 201):
        with pytest.raises(ValueError, match="shard: must be a name of 1 to 200 bytes"):
            certus.Tally.of([1], bad)
    with pytest.raises(TypeError):
        certus.Tally.of([1]) + 1  # type: ignore[operator]
    with pytest.raises(TypeError, match="a tally is added to a tally, not to int"):
        1 + certus.Tally.of([1])  # type: ignore[operator]
    assert repr(certus.Tally.of(np.array([1, 1, 2]))) == "<certus.Tally: 3 samples, 2 distinct, shards: 1>"
    assert certus.Tally.of([1], "s") != 1 and certus.Tally.of([1], "s") != certus.Tally.of([1], "t")
