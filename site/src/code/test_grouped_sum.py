"""OpenDP's claim as a test. It fails, and has to: see issue 2945 of OpenDP."""

from certus.testing import assert_private
from grouped_sum import grouped_sum, release


def test_grouped_sum() -> None:
    assert_private(grouped_sum, 10, -10, epsilon=release.map(6), samples=4000)
