"""For tests only: randomness that somebody knows.

>>> import certus
>>> source = certus.testing.seeded("2a")
>>> certus.Laplace(scale="5/2", sampler="reference").sample(5, source=source).tolist()
[0, 0, -4, 0, 1]
"""

from ._certus import Seeded

__all__ = ["Seeded", "seeded"]


def seeded(seed: bytes | str) -> Seeded:
    """A stream of bits under a seed: 32 bytes, or hexadecimal digits as the command's --seed takes them.

    Handed to a call as `source`, it makes what that call draws predictable: for tests, never for a release.
    """
    return Seeded(seed)
