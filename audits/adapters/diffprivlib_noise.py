"""Mechanisms of diffprivlib: diffprivlib_noise.py laplace|gaussian|geometric|snapping VALUE [EPSILON]

Sensitivity 1; Gaussian at δ = 10^-5; snapping within [0, 10]. Command protocol: CERTUS_SAMPLES outputs, one a line.
"""

import os
import sys

from diffprivlib.mechanisms import GaussianAnalytic, Geometric, Laplace, Snapping

name, value = sys.argv[1], sys.argv[2]
epsilon = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
mechanism, value = {
    "laplace": lambda: (Laplace(epsilon=epsilon, sensitivity=1), float(value)),
    "gaussian": lambda: (GaussianAnalytic(epsilon=epsilon, delta=1e-5, sensitivity=1), float(value)),
    "geometric": lambda: (Geometric(epsilon=epsilon, sensitivity=1), int(value)),
    "snapping": lambda: (Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=10), float(value)),
}[name]()
for _ in range(int(os.environ["CERTUS_SAMPLES"])):
    output = mechanism.randomise(value)
    sys.stdout.write(f"{output if isinstance(output, int) else float(output)!r}\n")
