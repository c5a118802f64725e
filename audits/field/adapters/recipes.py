"""Noise as tutorials write it, with NumPy and SciPy. The claims are those of the tutorials: sensitivity/scale."""

import math

import numpy as np
from scipy import stats

from target import FLOATING_POINT, target

generator = np.random.default_rng()


def floats(name, mechanism, noise, a=0.0, b=1.0, claim=(1, 0), public=FLOATING_POINT):
    @target(name, mechanism=mechanism, a=a, b=b, claim=claim, public=public)
    def of(value):
        return lambda: float(value + noise())


floats("laplace", "numpy.laplace", lambda: generator.laplace(0, 1))
# Both answers have the same spacing of floats, which is coarse beside the noise's own bits: these samples do not show the fault.
floats("laplace around 1000", "numpy.laplace", lambda: generator.laplace(0, 1), a=1000.0, b=1001.0, public=None)
floats("laplace by scipy", "scipy.stats.laplace", lambda: stats.laplace.rvs(scale=1))
floats("laplace by inversion", "inverse distribution function", lambda: (lambda u: -math.copysign(1, u) * math.log(1 - 2 * abs(u)))(generator.random() - 0.5))
floats("laplace by two exponentials", "exponential - exponential", lambda: generator.exponential() - generator.exponential())
floats("gaussian, classical sigma", "numpy.normal", lambda: generator.normal(0, math.sqrt(2 * math.log(1.25e5))), claim=(1, 1e-5))


@target("laplace, rounded", mechanism="round(numpy.laplace)", a=0, b=1, claim=(1, 0))
def rounded(value):
    return lambda: int(round(value + generator.laplace(0, 1)))


@target("laplace, rounded to a tenth", mechanism="round(numpy.laplace)", a=0.0, b=1.0, claim=(1, 0))
def tenth(value):
    return lambda: round(float(value + generator.laplace(0, 1)), 1)


@target("two-sided geometric", mechanism="geometric - geometric", a=0, b=1, claim=(1, 0))
def geometric(value):
    p = 1 - math.exp(-1)
    return lambda: int(value + generator.geometric(p) - generator.geometric(p))


@target("randomized response", mechanism="coin", a=0, b=1, claim=(math.log(3), 0))
def response(value):
    return lambda: value if generator.random() < 0.75 else 1 - value


@target("two coins", mechanism="coin", a=0, b=1, claim=(math.log(3), 0))
def coins(value):
    return lambda: value if generator.random() < 0.5 else int(generator.random() < 0.5)


@target("exponential mechanism", mechanism="numpy.choice by exp(score/2)", a=[5, 5, 3], b=[4, 6, 4], claim=(1, 0))
def exponential(scores):
    weights = np.exp(np.array(scores) / 2)
    weights /= weights.sum()
    return lambda: int(generator.choice(len(weights), p=weights))


@target("noisy max, laplace", mechanism="argmax(scores + laplace)", a=[5, 5, 3], b=[4, 6, 4], claim=(1, 0))
def noisy_max(scores):
    scores = np.array(scores, dtype=float)
    return lambda: int(np.argmax(scores + generator.laplace(0, 2, len(scores))))


@target("noisy max with its value", mechanism="max(scores + laplace)", a=[5, 5, 5, 5, 5], b=[6, 6, 6, 6, 6], claim=(1, 0),
        public="https://arxiv.org/abs/1805.10559")
def noisy_value(scores):
    scores = np.array(scores, dtype=float)
    return lambda: float(np.max(scores + generator.laplace(0, 2, len(scores))))


@target("histogram of two", mechanism="numpy.laplace", a=[3.0, 2.0], b=[4.0, 2.0], claim=(1, 0), public=FLOATING_POINT)
def histogram(counts):
    counts = np.array(counts)
    return lambda: counts + generator.laplace(0, 1, len(counts))


@target("mean of clipped ages", mechanism="clipped mean + laplace", a=[0.0] * 9 + [100.0], b=[0.0] * 10, claim=(1, 0), public=FLOATING_POINT)
def mean(ages):
    ages = np.clip(np.array(ages), 0, 100)
    return lambda: float(ages.mean() + generator.laplace(0, 100 / len(ages)))
