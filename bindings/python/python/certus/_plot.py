"""A plan's privacy profile and trade-off curve, drawn with matplotlib, which is imported here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Plan

__all__ = ["plot"]

# Where the trade-off curve is asked: close together at the ends, where it bends.
RATES = sorted({f"{i}/200" for i in range(0, 201, 5)} | {f"{i}/1000" for i in (1, 2, 5, 10, 990, 995, 998, 999)})


def plot(plan: Plan, kind: str, ax: Any, **options: Any) -> Any:
    """Draws the curve of this kind on the axes, which are made if there are none."""
    if kind not in ("profile", "trade_off"):
        raise ValueError("kind: must be 'profile' or 'trade_off'")
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("a plot needs matplotlib: pip install matplotlib") from error
    if kind == "profile":
        rows = plan.profile(**options)
        xs = [float(epsilon) for epsilon, _ in rows]
        ends = [(float(delta.lower), float(delta.upper)) for _, delta in rows]
        labels = ("ε", "δ(ε)")
    else:
        from fractions import Fraction

        rates = sorted(Fraction(rate) for rate in RATES)
        xs = [float(rate) for rate in rates]
        ends = [(float(rate.lower), float(rate.upper)) for rate in plan.trade_off(list(rates), **options)]
        labels = ("false positives", "least false negatives")
    if ax is None:
        _, ax = plt.subplots()
    line = ax.plot(xs, [upper for _, upper in ends], marker="." if len(xs) < 50 else "")[0]
    # Both ends: a line where they meet, a band where they do not.
    ax.fill_between(xs, [lower for lower, _ in ends], [upper for _, upper in ends], color=line.get_color(), alpha=0.3)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    ax.set_title(" + ".join(plan.mechanisms))
    if kind == "profile" and all(upper > 0 for _, upper in ends):
        ax.set_yscale("log")
    return ax
