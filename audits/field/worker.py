"""Outputs of a target: worker.py LIBRARY TARGET a|b, by the protocol of commands: CERTUS_SAMPLES outputs, one a line.

worker.py LIBRARY --list prints the targets as JSON, with the claims that the installed library makes. What cannot be made
here (a mechanism that this version does not have) says why instead.
"""

import importlib
import json
import os
import sys

import target as field


def listed():
    for one in field.TARGETS:
        row = {"name": one.name, "mechanism": one.mechanism, "a": field.text(one.a), "b": field.text(one.b),
               "proof": one.proof, "public": one.public, "samples": one.samples}
        try:
            epsilon, delta = one.claimed()
            one.make(one.a)(), one.make(one.b)()
            row |= {"epsilon": repr(float(epsilon)), "delta": repr(float(delta))}
        except Exception as error:  # a library's own: it is told, and the others go on
            row |= {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
        yield row


def main():
    library, *what = sys.argv[1:]
    importlib.import_module(f"adapters.{library}")
    if what == ["--list"]:
        json.dump(list(listed()), sys.stdout)
        return
    name, side = what
    one = next(one for one in field.TARGETS if one.name == name)
    draw = one.make({"a": one.a, "b": one.b}[side])
    left = int(os.environ["CERTUS_SAMPLES"])
    while left > 0:
        batch = min(left, 1000)
        sys.stdout.write("".join(f"{field.text(draw())}\n" for _ in range(batch)))
        left -= batch


if __name__ == "__main__":
    main()
