"""The examples of the README's section on PyTorch, run."""

import doctest
import pathlib

import pytest


@pytest.mark.account
def test_the_readmes_section_is_true() -> None:
    text = (pathlib.Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    section = text.partition("## PyTorch\n")[2].partition("\n## ")[0]
    example = doctest.DocTestParser().get_doctest("import certus\n" + section, {}, "PyTorch", "README.md", 0)
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert found.attempted > 8 and found.failed == 0
