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
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    # What needs PyTorch is run by tests/torch/test_torch_readme.py.
    before, _, rest = text.partition("## PyTorch\n")
    section, heading, after = rest.partition("\n## ")
    kept = before + "\n" * section.count("\n") + heading + after
    example = doctest.DocTestParser().get_doctest(kept, {}, "README.md", "README.md", 0)
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert section and found.attempted > 15 and found.failed == 0


def test_docstrings_are_true() -> None:
    for module, least in ((certus.testing, 3), (importlib.import_module("certus._audit"), 4)):
        found = doctest.testmod(module, extraglobs={"certus": certus}, optionflags=doctest.ELLIPSIS)
        assert found.attempted > least and found.failed == 0


def test_the_stubs_have_what_the_module_has(tmp_path: pathlib.Path) -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("SKIPPED: mypy is not installed")
    # Of certus.torch, whose types are in its sources, there is nothing to compare where torch cannot be imported.
    allowed = tmp_path / "allowed"
    torch = importlib.util.find_spec("torch")
    # The folder tests/torch is found too, and has no origin.
    allowed.write_text("" if torch and torch.origin else "certus\\.torch.*\n")
    stubs = [sys.executable, "-m", "mypy.stubtest", "certus", "--ignore-disjoint-bases", "--allowlist", str(allowed)]
    done = subprocess.run([*stubs, "--ignore-unused-allowlist"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
