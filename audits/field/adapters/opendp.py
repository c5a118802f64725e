"""OpenDP: measurements of its constructors, each with the ε (or the δ at an ε) that its own privacy map states at the distance of the inputs."""

import opendp.prelude as dp
import polars as pl

from target import target

dp.enable_features("contrib", "floating-point", "honest-but-curious")


def of(name, mechanism, make, a, b, distance=1, proof=False, public=None, convert=None, samples=None):
    """`convert`: δ, for a measurement whose map is of Rényi or zero-concentrated privacy."""

    def claim():
        made = make()
        if convert is None:
            stated = made.map(distance)
            return stated if isinstance(stated, tuple) else (stated, 0)
        profile = dp.c.make_zCDP_to_approxDP(made).map(distance)
        return profile.epsilon(convert), convert

    @target(name, mechanism=mechanism, a=a, b=b, claim=claim, proof=proof, public=public, samples=samples)
    def draw(value):
        made = make()
        return lambda: made(value)


def space(of_type, **settings):
    return dp.atom_domain(T=of_type, **settings), dp.absolute_distance(T=of_type)


def vector(of_type, metric, **settings):
    return dp.vector_domain(dp.atom_domain(T=of_type, **settings)), metric(T=of_type)


of("laplace of floats", "make_laplace", lambda: dp.m.make_laplace(*space(float, nan=False), scale=1.0), 0.0, 1.0, 1.0)
of("laplace of floats, k=-3", "make_laplace", lambda: dp.m.make_laplace(*space(float, nan=False), scale=1.0, k=-3), 0.0, 1.0, 1.0)
of("laplace of floats, at 1e6", "make_laplace", lambda: dp.m.make_laplace(*space(float, nan=False), scale=1.0), 1e6, 1e6 + 1, 1.0)
of("laplace of integers", "make_laplace", lambda: dp.m.make_laplace(*space(int), scale=1.0), 0, 1, proof=True)
of("laplace of integers, scale 5/2", "make_laplace", lambda: dp.m.make_laplace(*space(int), scale=2.5), 0, 3, 3, proof=True)
of("laplace of integers, at the end of i32", "make_laplace", lambda: dp.m.make_laplace(*space(dp.i32), scale=1.0), 2**31 - 2, 2**31 - 1, proof=True)
of("geometric", "make_geometric", lambda: dp.m.make_geometric(*space(int), scale=1.0), 0, 1, proof=True)
of("geometric, bounded", "make_geometric", lambda: dp.m.make_geometric(*space(int), scale=1.0, bounds=(0, 10)), 0, 1, proof=True)
of("gaussian of integers", "make_gaussian", lambda: dp.m.make_gaussian(*space(int), scale=2.0), 0, 1, proof=True, convert=1e-3)
of("gaussian of floats", "make_gaussian", lambda: dp.m.make_gaussian(*space(float, nan=False), scale=2.0), 0.0, 1.0, 1.0, convert=1e-3)
of("laplace of a vector", "make_laplace", lambda: dp.m.make_laplace(*vector(int, dp.l1_distance), scale=1.0), [0, 0], [1, 0], proof=True)
of("gaussian of a vector", "make_gaussian", lambda: dp.m.make_gaussian(*vector(int, dp.l2_distance), scale=2.0), [0, 0], [1, 0], 1, proof=True, convert=1e-3)
of("canonical noise", "make_canonical_noise", lambda: dp.m.make_canonical_noise(*space(float, nan=False), d_in=1.0, d_out=(1.0, 1e-3)), 0.0, 1.0, 1.0)
of("randomized response", "make_randomized_response", lambda: dp.m.make_randomized_response([0, 1, 2], prob=0.5), 0, 1, proof=True)
of("randomized response of bits", "make_randomized_response_bool", lambda: dp.m.make_randomized_response_bool(prob=0.75), False, True, proof=True)
of("bit vector", "make_randomized_response_bitvec",
   lambda: dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=4), dp.discrete_distance(), f=0.95), b"\x80", b"\x40")
of("noisy max", "make_noisy_max", lambda: dp.m.make_noisy_max(*vector(int, dp.linf_distance), dp.max_divergence(), scale=2.0), [5, 5, 3], [4, 6, 4])
of("noisy max of floats", "make_noisy_max",
   lambda: dp.m.make_noisy_max(*vector(float, dp.linf_distance, nan=False), dp.max_divergence(), scale=2.0), [5.0, 5.0, 3.0], [4.0, 6.0, 4.0], 1.0)


def counted(noise):
    records = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return dp.t.make_count(*records) >> noise


of("count, then laplace", "make_count", lambda: counted(dp.m.then_laplace(scale=1.0)), [1, 2, 3], [1, 2], proof=True)
of("count of nobody", "make_count", lambda: counted(dp.m.then_laplace(scale=1.0)), [], [1], proof=True)


def summed():
    records = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return records >> dp.t.then_clamp(bounds=(0, 10)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=10.0)


of("clamped sum, then laplace", "make_sum", summed, [0, 0, 99], [0, 0], proof=True)


def of_floats():
    records = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=3), dp.symmetric_distance()
    return records >> dp.t.then_clamp(bounds=(0.0, 10.0)) >> dp.t.then_mean() >> dp.m.then_laplace(scale=4.0)


of("mean of known size, then laplace", "make_mean", of_floats, [0.0, 0.0, 10.0], [0.0, 0.0, 0.0], 2)


def quantile():
    records = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return records >> dp.t.then_quantile_score_candidates([0, 5, 10], alpha=0.5) >> dp.m.then_noisy_max(dp.max_divergence(), scale=2.0)


of("quantile on candidates", "make_quantile_score_candidates", quantile, [0, 5, 10], [0, 0, 5, 10])


def grouped_sum():
    """The query, the margin and the bounds of the public report. Two data sets of three rows are at a distance of 6."""
    schema = {"A": pl.String, "B": pl.Int32}
    columns = [dp.series_domain("A", dp.atom_domain(T=str)), dp.series_domain("B", dp.atom_domain(T="i32"))]
    margin = dp.polars.Margin(by=["A"], max_length=3, max_groups=1, invariant="keys")
    query = pl.LazyFrame(schema=schema).group_by("A").agg(pl.col("B").dp.sum((-10, 10), scale=30.0))
    made = dp.m.make_private_lazyframe(dp.with_margin(dp.lazyframe_domain(columns), margin), dp.symmetric_distance(), dp.max_divergence(), query)
    return made, schema


@target("grouped sum", mechanism="make_private_lazyframe", a=10, b=-10, claim=lambda: (grouped_sum()[0].map(6), 0), samples=4000,
        public="https://github.com/opendp/opendp/issues/2945")
def grouped(value):
    made, schema = grouped_sum()
    data = pl.LazyFrame({"A": ["a"] * 3, "B": [value] * 3}, schema=schema)
    return lambda: int(made(data).collect()["B"].item())
