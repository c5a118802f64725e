"""The command that comes with the package, certificates, and plots."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import certus

PROGRAM = [sys.executable, "-m", "certus._command"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True)


def test_the_command_is_the_command(command: Callable[..., Any]) -> None:
    arguments = ["account", "gaussian(sigma=10)*100", "--delta", "1e-6"]
    mine, theirs = json.loads(run(*arguments, "--json").stdout), command(*arguments)
    del mine["seconds"], theirs["seconds"]
    assert mine == theirs
    assert pathlib.Path(sys.executable).with_name("certus").exists(), "the entry point is installed"


def test_exit_codes() -> None:
    assert run("certify", "laplace(scale=1)").returncode == 0
    assert run("audit", "laplace(scale=1)", "--claim", "epsilon=0.5", "--seed", "1").returncode == 1
    bad = run("sample", "laplace(scale=0)")
    assert bad.returncode == 2 and bad.stdout == "" and len(bad.stderr.splitlines()) == 1


def test_control_c_ends_it() -> None:
    process = subprocess.Popen([*PROGRAM, "sample", "gaussian(sigma=10)", "-n", "1000000000"], stdout=subprocess.DEVNULL)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT


def test_certificates(command: Callable[..., Any]) -> None:
    certificate = certus.Mechanism("laplace(scale=1)").certify()
    mine, theirs = certificate.to_dict(), command("certify", "laplace(scale=1)", "--sampler", "reference")
    del mine["seconds"], theirs["seconds"]
    assert certificate.holds and mine == theirs
    assert "the certificate holds" in str(certificate) and json.loads(certificate.json())["holds"]
    prepared = certus.Mechanism("gaussian(sigma=2)", sampler="prepared").certify()
    assert prepared.holds and prepared.to_dict()["sampler"] == "prepared"
    assert certus.Mechanism("laplace(scale=1)").certify(3, 4).holds
    assert certus.Mechanism("laplace(scale=1)").certify(mode="flat", depth=16).holds


def test_a_guarantee_that_neighbours_do_not_have() -> None:
    """They are no neighbours: what is enumerated is more than what is stated."""
    certificate = certus.Mechanism("laplace(scale=1)").certify(3, 6)
    assert not certificate.holds and "FAILS" in repr(certificate)


def test_what_is_refused() -> None:
    laplace = certus.Mechanism("laplace(scale=1)")
    with pytest.raises(ValueError, match="^mode: "):
        laplace.certify(mode="deep")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^neighbour: "):
        laplace.certify(3)
    with pytest.raises(ValueError, match="^depth: "):
        laplace.certify(depth=0)


def test_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    os.environ.setdefault("MPLBACKEND", "Agg")
    matplotlib = pytest.importorskip("matplotlib.pyplot")
    plan = certus.Plan(["gaussian(sigma=10)*100"])
    axes = plan.plot(points=5)
    (line,) = axes.get_lines()
    rows = plan.profile(points=5)
    assert list(line.get_ydata()) == [float(delta.upper) for _, delta in rows]
    assert plan.plot("trade_off", ax=axes) is axes
    matplotlib.close("all")
    with pytest.raises(ValueError, match="^kind: "):
        plan.plot("delta")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plan.plot()
