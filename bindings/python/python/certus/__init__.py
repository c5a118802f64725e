"""Exact differential-privacy noise, mechanisms and accounts: no float decides anything.

Numbers are int, Fraction, Decimal or text, exactly; a float parameter is what it prints as, so that 0.1 is
1/10, and a float in data is the dyadic number that it is. Computed numbers are integers and fractions, or an
`Enclosure` that contains the truth.
"""

from . import testing
from ._audit import AuditResult, audit, audit_tallies
from ._canaries import CanaryResult, audit_canaries
from ._certus import (
    Answer,
    BudgetError,
    Calibration,
    Certificate,
    Column,
    Enclosure,
    Filter,
    Gaussian,
    Guarantee,
    Laplace,
    Mechanism,
    Noise,
    Odometer,
    Plan,
    Recording,
    Tally,
    calibrate,
    describe,
    dp_sgd,
    mechanisms,
)
from ._release import Release, release

__all__ = [
    "Answer",
    "AuditResult",
    "BudgetError",
    "Calibration",
    "CanaryResult",
    "Certificate",
    "Column",
    "Enclosure",
    "Filter",
    "Gaussian",
    "Guarantee",
    "Laplace",
    "Mechanism",
    "Noise",
    "Odometer",
    "Plan",
    "Recording",
    "Release",
    "Tally",
    "audit",
    "audit_canaries",
    "audit_tallies",
    "calibrate",
    "describe",
    "dp_sgd",
    "mechanisms",
    "release",
    "testing",
]
