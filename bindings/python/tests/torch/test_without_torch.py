"""The package imports without torch, and says in one line what certus.torch needs."""

import importlib.util
import subprocess
import sys

import pytest

HIDDEN = "import sys; sys.modules['torch'] = None\n"


def test_torch_is_there_or_skipped() -> None:
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        pytest.skip("SKIPPED: torch is not installed: NOTHING of certus.torch was tested here")


def test_the_package_imports_without_torch() -> None:
    code = HIDDEN + "import certus; certus.Gaussian(sigma=3).sample(2)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_takes_no_torch() -> None:
    subprocess.run([sys.executable, "-c", "import sys, certus; assert 'torch' not in sys.modules"], check=True)


def test_what_is_missing_is_said() -> None:
    code = HIDDEN + "import certus.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ImportError: certus.torch needs PyTorch, which is not installed: pip install torch"
