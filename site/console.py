"""Runs the commands of the site's console blocks: console.py COMMAND [--full]

COMMAND is the built `certus`. A block that opens with ```console is deterministic: it prints exactly what the page says.
The tests of crates/cli run these too. With --full, blocks that open with ```console full are run as well, each page in a
folder of its own with the files of src/code. They draw fresh noise, or need a package from PyPI: numbers may differ from
the page's by a factor of 2, or by 2, digests and times in any way; of symmetric noise either tail may be found; and a line
"…" stands for any lines. What lacks its program is SKIPPED, aloud.
CERTUS_BLESS=1 writes what the commands print into the pages; of a `full` block, only where that no longer agrees.
Exit 0: as the pages say; 1: not so; 4: all that could be run agrees, and something was skipped.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGES = pathlib.Path(__file__).resolve().parent / "src"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")
# What differs from run to run in words: digests, how long it took, and which of two symmetric tails an audit found.
FRESH = [(re.compile(pattern), word) for pattern, word in [
    (r"\b[0-9a-f]{32,64}\b", "digest"),
    (r"\bin [\d.]+s( \([\d:]+\))?", "in a while"),
    (r"is (more than )?(-?\d+)( or less)?:", r"is beyond \2:"),
    (r"value (<=|>) ", "value beyond "),
    (r" on (a|b|-?10)\b", " on one"),
]]
# The programs that a command needs beside `certus`: if this succeeds, they are there.
NEEDS = {
    "certus release": "certus release --version",
    "certus audit --a 'python3 grouped_sum.py": "python3 -c 'import opendp.prelude, polars'",
    "pytest": "python3 -c 'import certus.testing, opendp.prelude, polars, pytest'",
}


def blocks(text):
    """The document in parts: text as it is, or (opening line, [(command, lines printed)])."""
    parts, block = [], None
    for line in text.splitlines(keepends=True):
        if block is not None:
            if line.startswith("```"):
                parts += [block, line]
                block = None
            elif line.startswith("$ "):
                block[1].append((line[2:].rstrip("\n"), []))
            elif block[1]:
                block[1][-1][1].append(line)
        elif line.rstrip("\n") in ("```console", "```console full"):
            block = (line, [])
        else:
            parts.append(line)
    return parts


def close(a, b):
    return abs(a - b) <= 2 or (a * b > 0 and 0.5 <= a / b <= 2)


def alike(expected, printed):
    """Whether two lines are the same but for spaces, rules of dashes, the size of numbers and what is fresh."""
    lines = [" ".join(re.sub(r"[-=_]{3,}", "", line).split()) for line in (expected, printed)]
    for pattern, word in FRESH:
        lines = [pattern.sub(word, line) for line in lines]
    words = [NUMBER.sub("#", line) for line in lines]
    numbers = [sorted(abs(float(number)) for number in NUMBER.findall(line)) for line in lines]
    return words[0] == words[1] and all(map(close, *numbers))


def agree(expected, printed):
    """Whether printed lines are those expected, where "…" is any number of lines."""
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(agree(expected[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and alike(expected[0], printed[0]) and agree(expected[1:], printed[1:])


def run(command, folder, environment):
    """What a command prints on standard output, and its status."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, timeout=1200, check=False)
    return done.stdout, done.returncode, done.stderr


def page(path, is_full, environment):
    """The faults of a page, what was skipped of it, how many commands ran, and its text with what they print."""
    faults, skipped, ran, rewritten = [], [], 0, ""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(PAGES / "code", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.csv"))
        for part in blocks(path.read_text(encoding="utf-8")):
            if isinstance(part, str):
                rewritten += part
                continue
            opening, commands = part
            rewritten += opening
            fresh = opening.strip() != "```console"
            for command, expected in commands:
                lacks = [need for start, need in NEEDS.items() if command.startswith(start) and run(need, folder, environment)[1]]
                # What follows on a page may need what was skipped.
                if (fresh and (not is_full or skipped)) or lacks:
                    skipped += [f"{path.name}: {command}: needs {need}" for need in lacks if is_full]
                    rewritten += f"$ {command}\n" + "".join(expected)
                    continue
                printed, status, errors = run(command, folder, environment)
                ran += 1
                lines = printed.splitlines(keepends=True)
                holds = agree(expected, lines) if fresh else "".join(expected) == printed
                # A violation that a page shows is status 1.
                if status not in ((0, 1) if fresh else (0,)):
                    faults.append(f"{path.name}: {command}: status {status}: {errors[-400:]}")
                elif not holds:
                    difference = "".join(difflib.unified_diff(expected, lines, "the page", "the command"))
                    faults.append(f"{path.name}: {command}:\n{difference}")
                rewritten += f"$ {command}\n" + "".join(expected if holds or status > 1 else lines)
    return faults, skipped, ran, rewritten


def main():
    command, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(pathlib.Path(command).resolve(), pathlib.Path(folder, "certus"))
        beside = pathlib.Path(command).resolve().parent
        environment = os.environ | {"PATH": f"{folder}:{beside}:{os.environ['PATH']}", "NO_COLOR": "1"}
        environment.pop("CERTUS_SAMPLES", None)
        all_faults, all_skipped, total = [], [], 0
        for path in sorted(PAGES.glob("*.md")):
            faults, skipped, ran, rewritten = page(path, "--full" in options, environment)
            if os.environ.get("CERTUS_BLESS") and rewritten != path.read_text(encoding="utf-8"):
                path.write_text(rewritten, encoding="utf-8")
                print(f"{path.name}: written anew")
            else:
                all_faults += faults
            all_skipped += skipped
            total += ran
    for line in all_faults:
        print(line, file=sys.stderr)
    for line in all_skipped:
        print(f"SKIPPED {line}")
    print(f"{total} commands of the pages were run, {len(all_faults)} do not print what their page says")
    if total == 0:
        print("no command was run", file=sys.stderr)
    return 1 if all_faults or total == 0 else 4 if all_skipped else 0


if __name__ == "__main__":
    sys.exit(main())
