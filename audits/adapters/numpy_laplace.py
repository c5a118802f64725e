"""The Laplace mechanism as it is often written: numpy_laplace.py VALUE [EPSILON]

A query of sensitivity 1 and its value; the noise is a float of scale 1/EPSILON. Command protocol: CERTUS_SAMPLES outputs, one a line.
"""

import os
import sys

import numpy

value, epsilon = float(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
samples = int(os.environ["CERTUS_SAMPLES"])
outputs = value + numpy.random.default_rng().laplace(0.0, 1.0 / epsilon, samples)
sys.stdout.write("".join(f"{output!r}\n" for output in outputs.tolist()))
