"""Arrow, in and out by the PyCapsule interface, and without a copy."""

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import certus
from certus.testing import seeded

NOISE = certus.Gaussian(sigma=10)


def test_columns_out() -> None:
    column = NOISE.sample(1000, into="arrow", source=seeded("1"))
    array = pa.array(column)
    assert array.type == pa.int64() and array.null_count == 0 and len(column) == 1000
    assert array.to_pylist() == NOISE.sample(1000, source=seeded("1")).tolist() == column.to_pylist()
    # Twice, and the memory is the same: nothing was copied.
    assert pa.array(column).buffers()[1].address == array.buffers()[1].address


def test_columns_in() -> None:
    values = np.arange(1000)
    expected = NOISE.add(values, source=seeded("1")).tolist()
    array = pa.array(values)
    assert NOISE.add(array, source=seeded("1")).to_pylist() == expected
    # A slice has an offset; a chunked column comes as a stream.
    longer = pa.array(np.arange(-5, 1005))
    assert NOISE.add(longer.slice(5, 1000), source=seeded("1")).to_pylist() == expected
    assert longer.to_pylist() == list(range(-5, 1005)), "a column never changes"
    chunked = pa.chunked_array([array.slice(0, 300), array.slice(300)])
    assert NOISE.add(chunked, source=seeded("1")).to_pylist() == expected
    assert NOISE.add(NOISE.sample(5, into="arrow")).to_pylist() != []
    assert len(NOISE.add(pa.array([], pa.int64()))) == 0


@pytest.mark.parametrize(
    ("array", "error", "told"),
    [
        (pa.array([1, None]), ValueError, "x: must have no nulls"),
        (pa.array([1], pa.int32()), TypeError, "x: must be an Arrow column of int64, not of Int32"),
        (pa.array([1.5]), TypeError, "x: must be an Arrow column of int64, not of Float64"),
        (pa.array(["1"]), TypeError, "x: must be an Arrow column of int64, not of Utf8"),
    ],
)
def test_what_is_refused(array: pa.Array, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        NOISE.add(array)


def test_a_sum_that_leaves_int64() -> None:
    with pytest.raises(OverflowError):
        certus.Gaussian(sigma=1000).add(pa.array(np.full(100, 2**63 - 1)))
    with pytest.raises(ValueError, match="^out: "):
        NOISE.add(pa.array([1]), out=np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="^into: "):
        NOISE.sample(3, into="pandas")  # type: ignore[call-overload]


def test_mechanisms_on_columns() -> None:
    mechanism = certus.Mechanism("mean(lower=0, upper=10, scale_sum=10, scale_count=1)")
    data = [1.0, 2.0, 7.0]
    expected = mechanism.release(data, source=seeded("1"))
    assert mechanism.release(pa.array(data), source=seeded("1")) == expected
    assert mechanism.release(pa.chunked_array([data[:1], data[1:]]), source=seeded("1")) == expected
    assert certus.Mechanism("count(scale=2)").release(pa.array([1, 0, 1], pa.uint8())) is not None
    with pytest.raises(ValueError, match="^data: must have no nulls"):
        mechanism.release(pa.array([1, None]))
    with pytest.raises(TypeError, match="^data: must be an Arrow column of integers or floats"):
        mechanism.release(pa.array(["1"]))
