"""How far an audit is: a line on a terminal, or in a notebook's cell, for what takes longer than a second."""

import sys
import time
from typing import Any

FIRST = 1.0  # seconds before anything is shown
EVERY = 0.2  # seconds between two looks


class Progress:
    """A line that says how many samples were drawn.

    wanted: True shows it wherever standard error goes, False nowhere, None where somebody sees it: on a
    terminal, and in a notebook.
    """

    def __init__(self, name: str, total: int, wanted: bool | None) -> None:
        self._name, self._total, self._done = name, total, 0
        self._next = time.monotonic() + FIRST
        self._shown = 0
        self._cell: Any = None
        self._display = _notebook() if wanted is not False else None
        self._wanted = sys.stderr.isatty() if wanted is None and sys.stderr is not None else bool(wanted)

    def advance(self, samples: int) -> None:
        """So many more samples were drawn."""
        self._done += samples
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            share = 100 * self._done // max(self._total, 1)
            self.say(f"{self._name}: {self._done:,} of {self._total:,} samples, {share} %")

    def judging(self) -> None:
        """All samples are there, and are being judged."""
        if self._shown or self._cell is not None:
            self.say(f"{self._name}: judging {self._total:,} samples")

    def say(self, line: str) -> None:
        if self._display is not None:
            self._cell = self._display(line, self._cell)
        elif self._wanted:
            sys.stderr.write("\r" + line.ljust(self._shown))
            sys.stderr.flush()
            self._shown = len(line)

    def close(self) -> None:
        """Takes the line away."""
        if self._cell is not None and self._display is not None:
            self._display("", self._cell)
        elif self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()


def _notebook() -> Any:
    """What shows a line in the cell that runs, and in its place the next one; None outside of a notebook."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return None
    running = shell.get_ipython()
    if running is None or not hasattr(running, "kernel"):
        return None
    from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

    def show(line: str, cell: Any) -> Any:
        content = {"text/plain": line}
        if cell is None:
            return display(content, raw=True, display_id=True)
        cell.update(content, raw=True)
        return cell

    return show
