"""What Python's outputs are as lines of a tally, against the command where it reads the same."""

import json
import pathlib
import subprocess
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import certus


def counts(outputs: Any) -> dict[str, int]:
    return certus.Tally.of(outputs).counts()


def test_objects_are_the_commands_json_values(command_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    values: list[Any] = [
        None, 0, -7, 10**30, True, False, "yes", "", "1", "true", "null", "a,b", 'a"b', "é", "line\nbreak", "-", "[",
        (1, 2), [1, None, "x"], (), (5,), ((1, 2), 3), ("a,b", "c"), 0.5, -1.25, [0.5, 2], "1", (1, 2),
    ]
    file = tmp_path / "values.ndjson"
    file.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    written = subprocess.run(
        [command_path, "tally", str(file), "--format", "ndjson", "--id", "s"], capture_output=True, check=True
    )
    ours = certus.Tally.of(values, shard="s")
    assert ours.to_bytes() == written.stdout
    assert ours.distinct == len(values) - 2


def test_integers_are_the_commands_lines(command_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    values = np.concatenate([np.arange(-300, 300).repeat(3), [2**62, -(2**63), 2**63 - 1, 40_000, -40_000]])
    np.random.default_rng(1).shuffle(values)
    file = tmp_path / "values.txt"
    file.write_text("".join(f"{value}\n" for value in values.tolist()))
    written = subprocess.run([command_path, "tally", str(file), "--id", "job-7"], capture_output=True, check=True)
    assert certus.Tally.of(values, shard="job-7").to_bytes() == written.stdout
    # By file, by list, by other widths, byte orders and strides, and in parts: the same bytes.
    near = values[(-(2**31) < values) & (values < 2**31)]
    expected = certus.Tally.of(near, shard="x")
    recording = certus.Recording()
    for part in np.array_split(near, 7):
        assert recording.record(part) == len(part)
    assert recording.samples == len(near)
    same: list[Any] = [near.tolist(), near.astype(np.int32), near.astype(">i8"), near.repeat(2)[::2], near[:, None]]
    for other in [*(certus.Tally.of(one, shard="x") for one in same), recording.tally("x")]:
        assert other == expected and other.to_bytes() == expected.to_bytes()


def test_unsigned_words() -> None:
    assert counts(np.array([0, 2**63, 2**64 - 1], np.uint64)) == {"0": 1, str(2**63): 1, str(2**64 - 1): 1}
    assert counts(np.array([255, 0], np.uint8)) == {"255": 1, "0": 1}


@pytest.mark.parametrize("kind, word", [(np.float64, np.uint64), (np.float32, np.uint32)])
def test_floats_keep_every_bit(kind: Any, word: Any) -> None:
    """A billionth beside a float, both zeros, every nan: what differs in a bit is another output."""
    rng = np.random.default_rng(2)
    bits = rng.integers(0, np.iinfo(word).max, 20_000, dtype=word, endpoint=True)
    top, quiet = np.iinfo(word).bits - 1, 22 if word is np.uint32 else 51
    infinity = np.array(np.inf, kind).view(word)
    odd = [infinity, infinity | word(1), infinity | word(1 << quiet), (infinity | word(1)) | word(1 << top), 0, 1 << top]
    bits = np.unique(np.concatenate([bits, np.array(odd, word), np.array([0.1, 1, -1], kind).view(word)]))
    # The next float, too.
    bits = np.unique(np.concatenate([bits, bits[:-1] + word(1)]))
    tally = certus.Tally.of(bits.view(kind))
    assert tally.distinct == len(bits) == tally.samples
    finite = bits.view(kind)[np.isfinite(bits.view(kind))]
    back = np.array([float(text) for text in certus.Tally.of(finite).counts()])
    assert set(back.astype(kind).view(word).tolist()) == set(finite.view(word).tolist())


def test_floats_of_lists_and_arrays_are_one() -> None:
    values = [0.1, 1.0, -0.0, 1e300, 5e-324, float("inf"), 0.1 + 0.2]
    assert certus.Tally.of(values, "s").to_bytes() == certus.Tally.of(np.array(values), "s").to_bytes()
    assert counts([np.float32(0.1), np.float64(0.1), np.int8(3), np.bool_(True), np.str_("x")]).keys() == {
        "0.10000000149011612", "0.1", "3", "true", "x"
    }
    assert counts([Fraction(7, 4), Fraction(3), b"yes", "NaN", float("nan"), "inf"]).keys() == {
        "7/4", "3", "yes", '"NaN"', "NaN", '"inf"'
    }


def test_rows_are_vectors() -> None:
    rows = np.array([[1, -2, 3], [1, -2, 3], [0, 0, 0]])
    assert counts(rows) == {"1,-2,3": 2, "0,0,0": 1}
    assert counts(np.asfortranarray(rows)) == counts([tuple(row) for row in rows.tolist()]) == counts(rows)
    assert counts(rows / 2) == {"0.5,-1.0,1.5": 2, "0.0,0.0,0.0": 1}
    assert counts(rows > 0) == {"true,false,true": 2, "false,false,false": 1}
    assert counts(np.array([["a", "b,c"]])) == {'a,"b,c"': 1}
    assert counts(np.array([[1.5], [2.5]])) == counts(np.array([1.5, 2.5]))
    assert counts(np.zeros((3, 0))) == counts([()] * 3) == {"[]": 3}
    # A vector in a list, from numpy.
    assert counts([rows[0], rows[2]]) == {"1,-2,3": 1, "0,0,0": 1}


def test_text_structures_and_masks() -> None:
    assert counts(np.array(["yes", "no", "1"])) == counts(["yes", "no", "1"])
    assert counts(np.array([b"yes", b"no"])) == {"yes": 1, "no": 1}
    assert counts(np.array([(1, "x"), (2, "y")], dtype="i8,U1")) == {"1,x": 1, "2,y": 1}
    assert counts(np.ma.array([1, 2, 3], mask=[False, True, False])) == {"1": 1, "": 1, "3": 1}


def test_arrow() -> None:
    arrow = pytest.importorskip("pyarrow")
    integers = [5, -1, None, 2**40, 5]
    for kind in (arrow.int64(), arrow.uint64()):
        values = [abs(value) if value is not None else None for value in integers]
        assert counts(arrow.array(values, kind)) == counts(values)
    assert counts(arrow.array(integers).slice(1, 3)) == counts(integers[1:4])
    assert counts(arrow.chunked_array([integers, [7]])) == counts([*integers, 7])
    assert counts(arrow.array([0.1, None, -0.0])) == counts([0.1, None, -0.0])
    assert counts(arrow.array([0.1], arrow.float32())) == counts(np.array([0.1], np.float32))
    assert counts(arrow.array([True, None, False, True]).slice(1)) == counts([None, False, True])
    for kind in (arrow.string(), arrow.large_string(), arrow.string_view()):
        assert counts(arrow.array(["a", None, "1", ""], kind)) == counts(["a", None, "1", ""])
    assert counts(arrow.nulls(3)) == {"": 3}
    many = np.arange(5_000_000) % 1000
    assert certus.Tally.of(arrow.array(many), "s") == certus.Tally.of(many, "s")
    for bad in (arrow.array([[1]]), arrow.array([{"a": 1}]), arrow.array([b"x"]), arrow.table({"a": [1]})):
        with pytest.raises(TypeError, match="outputs: must be an Arrow array of integers"):
            certus.Tally.of(bad)


def test_columns_of_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    assert counts(pandas.Series([1, 2, 2])) == {"1": 1, "2": 2}
    polars = pytest.importorskip("polars")
    assert counts(polars.Series([1, None, 2])) == {"1": 1, "": 1, "2": 1}


@pytest.mark.parametrize(
    "bad, said",
    [
        (np.zeros((2, 2, 2)), "must have one or two dimensions, not 3"),
        (np.array(5), "must have one or two dimensions, not 0"),
        (np.array([1, "x", None], object), "must not be an array of objects"),
        (np.array([1j]), "must be of integers, float64, float32, booleans or text, not complex128"),
        (np.array(["2026-01-01"], "M8[D]"), "not datetime64"),
        (np.array([1], np.longdouble), "must be of integers, float64, float32"),
        ({"a": 1}, "must be a numpy array of one or two dimensions, an Arrow array or a list of outputs, not dict"),
        ("abc", "not str"),
        (7, "not int"),
        (None, "not NoneType"),
        ([1, object()], "an output must be int, float, bool, str, bytes, Fraction, None"),
        ([{1}], "not set"),
    ],
)
def test_what_is_no_output_is_one_type_error(bad: Any, said: str) -> None:
    with pytest.raises(TypeError) as caught:
        certus.Tally.of(bad)
    assert said in str(caught.value) and str(caught.value).startswith("outputs: ")
    recording = certus.Recording()
    recording.record([1])
    with pytest.raises(TypeError):
        recording.record(bad)
    # Nothing of it was recorded.
    assert recording.tally().counts() == {"1": 1}


def test_values_that_no_line_holds() -> None:
    for bad in (["x" * (1 << 21)], [b"\xff"], ["\ud800"]):
        with pytest.raises(ValueError):
            certus.Tally.of(bad)
    deep: Any = ()
    for _ in range(200):
        deep = (deep,)
    with pytest.raises(ValueError, match="at most 100 lists"):
        certus.Tally.of([deep])


def test_a_recording_does_not_change_its_type() -> None:
    recording = certus.Recording()
    recording.record(np.array([1, 2]))
    recording.record(np.array([3], np.uint8))
    with pytest.raises(TypeError, match="outputs: must not change its type, from integers to float64"):
        recording.record(np.array([1.0]))
    assert recording.tally("s").samples == 3
    for call in (lambda: recording.record([1]), lambda: recording.tally()):
        with pytest.raises(RuntimeError, match="begin a new one"):
            call()


@pytest.mark.parametrize("make", [lambda x: x.tolist(), lambda x: x.reshape(-1, 1).repeat(2, 1), lambda x: x.astype("u8")])
def test_long_batches_are_whole(make: Callable[[Any], Any]) -> None:
    """Batches are recorded in parts: none of them is left out, taken twice, or cut elsewhere."""
    outputs = make(np.arange(2_200_000) % 1237)
    recording = certus.Recording()
    recording.record(outputs[:1_000_000])
    recording.record(outputs[1_000_000:])
    assert recording.tally("s").to_bytes() == certus.Tally.of(outputs, "s").to_bytes()
    assert certus.Tally.of(outputs, "s").distinct == 1237


def test_seconds_pass_for_other_threads(other_threads: Callable[[Callable[[], object]], int]) -> None:
    """The interpreter's lock is released while outputs are recorded."""
    values = np.arange(20_000_000) % 1000
    assert other_threads(lambda: certus.Tally.of(values)) > 5
