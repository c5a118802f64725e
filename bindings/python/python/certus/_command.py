"""The command `certus`, as `pip install certus` gives it: the same program as the Rust crate's."""

import signal
import sys

from ._certus import run_command

__all__ = ["main"]


def main() -> int:
    """Runs the command on the arguments of this process; the answer is its exit status."""
    # The command handles Ctrl-C itself, and so ends at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["certus", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
