"""The command that answers are compared with: $CERTUS_COMMAND, or the one that `cargo build --release` left."""

import json
import os
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="session")
def command() -> Callable[..., Any]:
    """Runs the command and reads its JSON."""
    path = pathlib.Path(os.environ.get("CERTUS_COMMAND", ROOT / "target/release/certus"))
    if not path.exists():
        pytest.skip(f"SKIPPED: there is no command at {path}: build it, or set CERTUS_COMMAND")

    def run(*arguments: str) -> Any:
        done = subprocess.run([path, *arguments, "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run
