"""The examples of the README and of the package's docstrings, run; and the types of the tests."""

import doctest
import importlib
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import certus.testing

HERE = pathlib.Path(__file__).parent


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user reads it, not as audits of this session."""
    monkeypatch.setattr("certus._session.current", None)



def test_the_readme_is_true() -> None:
    found = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 15 and found.failed == 0


def test_docstrings_are_true() -> None:
    for module, least in ((certus.testing, 3), (importlib.import_module("certus._audit"), 4)):
        found = doctest.testmod(module, extraglobs={"certus": certus}, optionflags=doctest.ELLIPSIS)
        assert found.attempted > least and found.failed == 0


def test_the_stubs_have_what_the_module_has() -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("SKIPPED: mypy is not installed")
    stubs = [sys.executable, "-m", "mypy.stubtest", "certus", "--ignore-disjoint-bases"]
    done = subprocess.run(stubs, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
