"""Mechanisms of OpenDP: opendp_noise.py laplace|laplace_integer|gaussian VALUE [EPSILON]

Sensitivity 1; Gaussian of scale 1/EPSILON. Command protocol: CERTUS_SAMPLES outputs, one a line.
"""

import os
import sys

import opendp.prelude as dp

dp.enable_features("contrib")
name, value = sys.argv[1], sys.argv[2]
epsilon = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
is_integer = name == "laplace_integer"
space = dp.atom_domain(T=int) if is_integer else dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=int if is_integer else float)
make = dp.m.make_gaussian if name == "gaussian" else dp.m.make_laplace
measurement = make(*space, scale=1.0 / epsilon)
value = int(value) if is_integer else float(value)
for _ in range(int(os.environ["CERTUS_SAMPLES"])):
    sys.stdout.write(f"{measurement(value)!r}\n")
