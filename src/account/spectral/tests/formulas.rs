//! The inequalities that the bounds rest on, in floats: on grids, and by quadrature.

#![expect(clippy::float_arithmetic, reason = "inequalities, checked numerically")]

use core::f64::consts::{PI, SQRT_2};

use super::super::{sketch::log, tools};
use crate::exact::{Working, from_f64};

/// (1 − e^(−u))·e^(−xu) ≤ c(x) and (e^u − 1)·e^(−(1+x)u) ≤ c(x), with equality somewhere.
#[test]
fn c_is_the_largest_value() {
    let working = Working::new(100);
    for x in [0.001, 0.01, 0.5, 1.0, 3.0, 40.0] {
        let c = libm::exp(log(&tools::c(&from_f64(x).unwrap(), &working).unwrap()));
        let grid = (-4_000..40_000).map(|i| f64::from(i) / 2_000.0);
        let of_loss = |u: f64| -libm::expm1(-u) * libm::exp(-x * u);
        let of_gain = |u: f64| libm::expm1(u) * libm::exp(-(1.0 + x) * u);
        for value in [grid.clone().map(of_loss).fold(0.0, f64::max), grid.map(of_gain).fold(0.0, f64::max)] {
            assert!(value <= c * (1.0 + 1e-12) && value >= c * (1.0 - 1e-4), "{value} {c} at {x}");
        }
    }
}

/// b(u) = s/√(2π)·e^(−u/2 − u²/2s²).
fn bell(s: f64, u: f64) -> f64 {
    s / libm::sqrt(2.0 * PI) * libm::exp(-u / 2.0 - u * u / (2.0 * s * s))
}

/// ∫ of a function over s²·middle ± 14·s, whose ends are next to nothing: a sum, which for such functions is
/// as good as any quadrature.
fn integral(s: f64, middle: f64, of: impl Fn(f64) -> f64) -> f64 {
    let step = s / 64.0;
    (-896..=896).map(|i| of(middle + f64::from(i) * step)).sum::<f64>() * step
}

/// What the fictitious mechanism adds at u = S − ε is at most b(u), and is what its definition says.
#[test]
fn the_excess_is_at_most_the_bell() {
    let tail = |x: f64| libm::erfc(x / SQRT_2) / 2.0;
    for s in [0.001, 0.1, 1.0, 4.0] {
        // The curve of the fictitious mechanism.
        let curve = |a: f64| tail(a / s - s / 2.0) - libm::exp(a) * tail(a / s + s / 2.0);
        let density =
            |y: f64| libm::exp(-(y - s * s / 2.0) * (y - s * s / 2.0) / (2.0 * s * s)) / (s * libm::sqrt(2.0 * PI));
        for i in -40..=40 {
            let u = s * f64::from(i) / 8.0;
            let excess = libm::exp(-u / 2.0 - u.abs() / 2.0) * curve(u.abs());
            assert!(excess <= bell(s, u) * (1.0 + 1e-9) + 1e-15, "{excess} {} at {u}, s = {s}", bell(s, u));
            let with = integral(s, s * s / 2.0, |y| (-libm::expm1(-u - y)).max(0.0) * density(y));
            let direct = with - (-libm::expm1(-u)).max(0.0);
            assert!((direct - excess).abs() <= 2e-4 * s, "{direct} {excess} at {u}, s = {s}");
        }
    }
}

/// ∫ b(u)·e^(−zu) du = s²·e^(s²/8)·e^(s²w/2), w = z(z+1), with z = θ + it.
#[test]
fn the_transform_of_the_bell() {
    for s in [0.001, 0.1, 1.0, 3.0] {
        for (theta, t) in [(0.7, 1.3), (-0.4, 2.0), (2.0, -0.3), (-0.9, 0.0)] {
            let middle = -s * s * (theta + 0.5);
            let part =
                |turn: fn(f64) -> f64| integral(s, middle, |u| bell(s, u) * libm::exp(-theta * u) * turn(-t * u));
            let w = (theta * (theta + 1.0) - t * t, t * (2.0 * theta + 1.0));
            let size = s * s * libm::exp(s * s / 8.0 + s * s * w.0 / 2.0);
            let whole = s * s * libm::exp(s * s / 8.0 + s * s * theta * (theta + 1.0) / 2.0);
            let angle = s * s * w.1 / 2.0;
            assert!((part(libm::cos) - size * libm::cos(angle)).abs() <= whole * 1e-12, "{s} {theta} {t}");
            assert!((part(libm::sin) - size * libm::sin(angle)).abs() <= whole * 1e-12, "{s} {theta} {t}");
        }
    }
}
