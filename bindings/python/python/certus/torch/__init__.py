"""Exact noise on tensors of PyTorch, and DP-SGD whose sum, noise and account are exact.

* `add_noise_`, `noise`, `add_noise_dlpack`: discrete Gaussian noise on integers (`tensors.py`);
* `ExactDPSGD`: training by integer gradients (`dpsgd.py`), which follows a `TrainingPlan` of public constants
  (`plan.py`): examples are drawn by exact coins (`sampling.py`), their gradients (`gradients.py`) rounded to
  integers of a bounded norm (`rounding.py`), added up on all ranks and noised (`sharding.py`), under conditions
  that are checked where they can be seen (`conditions.py`);
* `check_isolation`: whether an example's gradient depends on who else is in the batch (`isolation.py`).
"""

try:
    # A folder that is named torch would do for `import torch` alone.
    import torch.nn as _nn  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ImportError as error:
    raise ImportError("certus.torch needs PyTorch, which is not installed: pip install torch") from error

from .dpsgd import ExactDPSGD
from .isolation import Isolation, check_isolation
from .tensors import add_noise_, add_noise_dlpack, noise
from .plan import PlanWarning, TrainingPlan

__all__ = [
    "ExactDPSGD",
    "Isolation",
    "PlanWarning",
    "TrainingPlan",
    "add_noise_",
    "add_noise_dlpack",
    "check_isolation",
    "noise",
]
