"""Google's library through PyDP (python-dp): Laplace and Gaussian mechanisms and the bounded statistics, at the ε that they are made with."""

from pydp.algorithms import laplacian as l
from pydp.algorithms import numerical_mechanisms as n

from target import target


def of(name, make, a, b, claim=(1, 0)):
    @target(name, mechanism=name.split(",")[0], a=a, b=b, claim=claim)
    def mechanism(value):
        made = make()
        return lambda: made.add_noise(value)


of("LaplaceMechanism", lambda: n.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), 0.0, 1.0)
of("LaplaceMechanism, integers", lambda: n.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), 0, 1)
of("LaplaceMechanism, at 1e6", lambda: n.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), 1e6, 1e6 + 1)
of("LaplaceMechanism, small sensitivity", lambda: n.LaplaceMechanism(epsilon=1.0, sensitivity=1e-6), 0.0, 1e-6)
of("GaussianMechanism", lambda: n.GaussianMechanism(1.0, 1e-3, 1.0), 0.0, 1.0, claim=(1, 1e-3))


def statistic(name, make, a, b):
    @target(name, mechanism=name.split(",")[0], a=a, b=b, claim=(1, 0), samples=20_000)
    def of_records(records):
        return lambda: make().quick_result(list(records))


statistic("Count", lambda: l.Count(epsilon=1.0, dtype="int"), [1, 1], [1])
statistic("Count, of nobody", lambda: l.Count(epsilon=1.0, dtype="int"), [], [1])
statistic("BoundedSum, integers", lambda: l.BoundedSum(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int"), [0, 10], [0])
statistic("BoundedSum, floats", lambda: l.BoundedSum(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="float"), [0.0, 10.0], [0.0])
statistic("BoundedSum, negative", lambda: l.BoundedSum(epsilon=1.0, lower_bound=-10, upper_bound=5, dtype="int"), [5, -10], [5])
statistic("BoundedMean", lambda: l.BoundedMean(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="float"), [0.0, 0.0, 10.0], [0.0, 0.0])
statistic("BoundedVariance", lambda: l.BoundedVariance(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="float"), [0.0, 0.0, 10.0], [0.0, 0.0])
statistic("BoundedStandardDeviation", lambda: l.BoundedStandardDeviation(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="float"), [0.0, 0.0, 10.0], [0.0, 0.0])
statistic("Max", lambda: l.Max(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int"), [0, 0, 10], [0, 0])
statistic("Min", lambda: l.Min(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int"), [10, 10, 0], [10, 10])
statistic("Median", lambda: l.Median(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int"), [0, 10, 10], [0, 10])
