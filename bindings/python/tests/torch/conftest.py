"""Tests with PyTorch, which is not installed by `check`: `check --torch` does, and elsewhere they are skipped."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

import certus

FOUND = importlib.util.find_spec("torch")
#: This very folder is found too, where its parent is on the path; it has no origin.
HAS_TORCH = FOUND is not None and FOUND.origin is not None


def pytest_ignore_collect(collection_path: Any) -> bool | None:
    """Files of tests import torch on top: without it, one test says so for all."""
    if not HAS_TORCH and collection_path.name.startswith("test_") and collection_path.name != "test_without_torch.py":
        return True
    return None


@pytest.fixture(autouse=True)
def quick_account(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """An account takes seconds: where a test is not about it, that of one Gaussian stands in its place."""
    if HAS_TORCH and "account" not in request.keywords:
        from certus.torch import TrainingPlan

        def epsilon(plan: Any, delta: Any) -> certus.Answer:
            return certus.Plan([f"gaussian(sigma={plan.noise_multiplier})"]).epsilon(delta, digits=2)

        monkeypatch.setattr(TrainingPlan, "epsilon", epsilon)
    yield


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "account: a test that takes the plan's own account")
