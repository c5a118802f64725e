"""The command that answers are compared with: $CERTUS_COMMAND, or the one that `cargo build --release` left."""

import json
import os
import pathlib
import subprocess
import threading
from collections.abc import Callable
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="session")
def command_path() -> pathlib.Path:
    """Where the command is."""
    path = pathlib.Path(os.environ.get("CERTUS_COMMAND", ROOT / "target/release/certus"))
    if not path.exists():
        pytest.skip(f"SKIPPED: there is no command at {path}: build it, or set CERTUS_COMMAND")
    return path


@pytest.fixture(scope="session")
def command(command_path: pathlib.Path) -> Callable[..., Any]:
    """Runs the command and reads its JSON."""

    def run(*arguments: str) -> Any:
        done = subprocess.run([command_path, *arguments, "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run


@pytest.fixture
def other_threads() -> Callable[[Callable[[], object]], int]:
    """How many times another thread looked up, of a hundred times a second, while this one did its work."""

    def count(work: Callable[[], object]) -> int:
        looks, done = 0, threading.Event()

        def look() -> None:
            nonlocal looks
            while not done.wait(0.01):
                looks += 1

        other = threading.Thread(target=look)
        other.start()
        try:
            work()
        finally:
            done.set()
            other.join()
        return looks

    return count
