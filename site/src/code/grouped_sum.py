"""A sum of three rows by group, with OpenDP: CERTUS_SAMPLES releases of three rows that hold VALUE each.

The query, the margin and the bounds are those of https://github.com/opendp/opendp/issues/2945.
"""

import os
import sys

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
SCHEMA = {"A": pl.String, "B": pl.Int32}
domain = dp.with_margin(
    dp.lazyframe_domain([
        dp.series_domain("A", dp.atom_domain(T=str)),
        dp.series_domain("B", dp.atom_domain(T="i32")),
    ]),
    dp.polars.Margin(by=["A"], max_length=3, max_groups=1, invariant="keys"),
)
query = pl.LazyFrame(schema=SCHEMA).group_by("A").agg(pl.col("B").dp.sum((-10, 10), scale=30.0))
release = dp.m.make_private_lazyframe(domain, dp.symmetric_distance(), dp.max_divergence(), query)


def grouped_sum(value: int) -> int:
    """One release. Two data sets of three rows each are at a distance of at most 6: three rows out, three in."""
    data = pl.LazyFrame({"A": ["a"] * 3, "B": [value] * 3}, schema=SCHEMA)
    return int(release(data).collect()["B"].item())


if __name__ == "__main__":
    print(f"OpenDP claims epsilon = {release.map(6)}", file=sys.stderr)
    for _ in range(int(os.environ["CERTUS_SAMPLES"])):
        print(grouped_sum(int(sys.argv[1])))
