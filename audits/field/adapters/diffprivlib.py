"""IBM's diffprivlib: its mechanisms and its statistics, on inputs at the edges. A mechanism's claim is the ε (and δ) that it is made with."""

from diffprivlib import mechanisms as m
from diffprivlib import tools

from target import FLOATING_POINT, target


def of(name, make, a, b, claim=(1, 0), public=None, proof=False):
    @target(name, mechanism=name.split(",")[0], a=a, b=b, claim=claim, public=public, proof=proof)
    def mechanism(value):
        made = make()
        return lambda: made.randomise(value)


# Floats.
of("Laplace", lambda: m.Laplace(epsilon=1, sensitivity=1), 0.0, 1.0, public=FLOATING_POINT)
of("Laplace, at 1e6", lambda: m.Laplace(epsilon=1, sensitivity=1), 1e6, 1e6 + 1)
of("Laplace, sensitivity 0.1", lambda: m.Laplace(epsilon=1, sensitivity=0.1), 0.0, 0.1)
of("LaplaceTruncated, at its bound", lambda: m.LaplaceTruncated(epsilon=1, sensitivity=1, lower=0, upper=3), 0.0, 1.0)
of("LaplaceFolded, at its bound", lambda: m.LaplaceFolded(epsilon=1, sensitivity=1, lower=0, upper=3), 0.0, 1.0)
of("LaplaceBoundedDomain, at its bound", lambda: m.LaplaceBoundedDomain(epsilon=1, sensitivity=1, lower=0, upper=3), 0.0, 1.0)
of("LaplaceBoundedDomain, narrow", lambda: m.LaplaceBoundedDomain(epsilon=1, sensitivity=1, lower=0, upper=1), 0.0, 1.0)
of("LaplaceBoundedNoise", lambda: m.LaplaceBoundedNoise(epsilon=1, delta=0.1, sensitivity=1), 0.0, 1.0, claim=(1, 0.1))
of("Gaussian", lambda: m.Gaussian(epsilon=0.9, delta=1e-3, sensitivity=1), 0.0, 1.0, claim=(0.9, 1e-3))
of("GaussianAnalytic", lambda: m.GaussianAnalytic(epsilon=1, delta=1e-5, sensitivity=1), 0.0, 1.0, claim=(1, 1e-5), public=FLOATING_POINT)
of("Snapping", lambda: m.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10), 0.0, 1.0)
of("Snapping, at its upper bound", lambda: m.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10), 9.0, 10.0)
of("Staircase", lambda: m.Staircase(epsilon=1, sensitivity=1), 0.0, 1.0)
of("Uniform", lambda: m.Uniform(delta=0.1, sensitivity=1), 0.0, 1.0, claim=(0, 0.1))
# Integers and names.
of("Geometric", lambda: m.Geometric(epsilon=1, sensitivity=1), 0, 1)
of("Geometric, sensitivity 3", lambda: m.Geometric(epsilon=1, sensitivity=3), 0, 3)
of("GeometricTruncated, at its bound", lambda: m.GeometricTruncated(epsilon=1, sensitivity=1, lower=0, upper=5), 0, 1)
of("GeometricFolded, at its bound", lambda: m.GeometricFolded(epsilon=1, sensitivity=1, lower=0, upper=5), 0, 1)
of("GaussianDiscrete", lambda: m.GaussianDiscrete(epsilon=1, delta=1e-3, sensitivity=1), 0, 1, claim=(1, 1e-3), proof=True)
of("Binary", lambda: m.Binary(epsilon=1, value0="no", value1="yes"), "no", "yes")


@target("Exponential", mechanism="Exponential", a=[5.0, 5.0, 3.0], b=[4.0, 6.0, 4.0], claim=(1, 0))
def exponential(utility):
    made = m.Exponential(epsilon=1, sensitivity=1, utility=list(utility))
    return made.randomise


@target("Exponential, monotonic", mechanism="Exponential", a=[5.0, 5.0, 3.0], b=[6.0, 5.0, 4.0], claim=(1, 0))
def monotonic(utility):
    made = m.Exponential(epsilon=1, sensitivity=1, utility=list(utility), monotonic=True)
    return made.randomise


@target("PermuteAndFlip", mechanism="PermuteAndFlip", a=[5.0, 5.0, 3.0], b=[4.0, 6.0, 4.0], claim=(1, 0))
def permute_and_flip(utility):
    made = m.PermuteAndFlip(epsilon=1, sensitivity=1, utility=list(utility))
    return made.randomise


@target("ExponentialCategorical", mechanism="ExponentialCategorical", a="a", b="b", claim=(1, 0))
def categorical(value):
    made = m.ExponentialCategorical(epsilon=1, utility_list=[("a", "b", 1), ("a", "c", 2), ("b", "c", 2)])
    return lambda: made.randomise(value)


def statistic(name, call, a, b, claim=(1, 0), public=None):
    @target(name, mechanism=name.split(",")[0], a=a, b=b, claim=claim, public=public, samples=20_000)
    def of_records(records):
        import numpy as np

        records = np.array(records)
        return lambda: call(records)


statistic("tools.count_nonzero", lambda x: int(tools.count_nonzero(x, epsilon=1)), [1, 0, 1], [1, 0, 0])
statistic("tools.sum", lambda x: float(tools.sum(x, epsilon=1, bounds=(0, 10))), [0.0, 0.0, 10.0], [0.0, 0.0, 0.0])
statistic("tools.sum, integers", lambda x: float(tools.sum(x, epsilon=1, bounds=(0, 10))), [0, 0, 10], [0, 0, 0])
statistic("tools.mean", lambda x: float(tools.mean(x, epsilon=1, bounds=(0, 10))), [0.0, 0.0, 10.0], [0.0, 0.0, 0.0])
statistic("tools.var", lambda x: float(tools.var(x, epsilon=1, bounds=(0, 10))), [0.0, 0.0, 10.0], [0.0, 0.0, 0.0])
statistic("tools.std", lambda x: float(tools.std(x, epsilon=1, bounds=(0, 10))), [0.0, 0.0, 10.0], [0.0, 0.0, 0.0])
statistic("tools.median", lambda x: float(tools.median(x, epsilon=1, bounds=(0, 10))), [0.0, 5.0, 10.0], [0.0, 0.0, 10.0])
statistic("tools.quantile, of ties", lambda x: float(tools.quantile(x, 0.5, epsilon=1, bounds=(0, 10))), [5.0, 5.0, 5.0], [5.0, 5.0, 0.0])
statistic("tools.histogram", lambda x: [int(v) for v in tools.histogram(x, epsilon=1, bins=2, range=(0, 10))[0]], [1.0, 9.0], [1.0])
