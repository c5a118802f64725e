"""Validates plans against the published JSON Schema, with the package `jsonschema`; SKIPPED where it is absent.

Each plan that the parser accepts must validate; each of a list of plans that it refuses by form must not.
Run from the repository's root: python3 crates/ledger/schema/check.py
"""

import copy
import json
import pathlib
import sys
import tomllib

try:
    import jsonschema
except ImportError:
    print("SKIPPED: the Python package jsonschema is not installed")
    sys.exit(0)

FOLDER = pathlib.Path(__file__).parent
SCHEMA = json.loads((FOLDER / "release-plan-1.json").read_text())
EXAMPLE = tomllib.loads((FOLDER / "example.toml").read_text())

jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def changed(path, value):
    plan = copy.deepcopy(EXAMPLE)
    *folders, last = path
    place = plan
    for folder in folders:
        place = place[folder]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return plan


VALIDATOR.validate(EXAMPLE)
for path, value in [
    (("budget",), {"rho": "1/2"}),
    (("budget",), {"epsilon": 0.5}),
    (("query", 0, "weight"), "1/3"),
    (("person",), None),
    (("columns", "age"), {"type": "integer"}),
]:
    VALIDATOR.validate(changed(path, value))
REFUSED = [
    (("format",), "certus-release/2"),
    (("budget",), None),
    (("budget",), {"epsilon": 1, "rho": 1}),
    (("budget",), {"delta": 1e-6}),
    (("budget", "epsilon"), -1),
    (("columns", "age", "grid"), 1),
    (("columns", "age", "upper"), None),
    (("columns", "income", "grid"), None),
    (("columns", "sex", "values"), []),
    (("columns", "sex", "values"), ["f", "f"]),
    (("query",), []),
    (("query", 0, "statistic"), "counts"),
    (("query", 0, "wheer"), "age > 1"),
    (("query", 0, "noise"), "cauchy"),
    (("person", "rows"), 0),
    (("columns", "sex", "values_from"), "also.csv"),
]
for path, value in REFUSED:
    if VALIDATOR.is_valid(changed(path, value)):
        sys.exit(f"the schema accepts {path} = {value!r}")
print(f"the schema accepts the example and refuses {len(REFUSED)} plans that are none")
