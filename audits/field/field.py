"""Runs the field audits: see `run`."""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
RESULTS, WITHHELD = HERE / "results", HERE / "withheld"
CONFIDENCE = "0.999"


def environment(name, library, version):
    """The Python of an environment with this version; None where it cannot be had."""
    root = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target")) / "field" / f"{name}-{version}"
    python = root / "bin" / "python"
    if not (root / "complete").exists():
        print(f"-- {name} {version}: an environment", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", root], check=True)
        packages = [f"{library['package']}=={version}", *library["with"]]
        if subprocess.run([python, "-m", "pip", "--quiet", "install", *packages], check=False).returncode:
            return None
        (root / "complete").touch()
    return python


def audited(name, version, python, targets, samples):
    """The document of the command for each target, by name."""
    worker = f"{shlex.quote(str(python))} -B {shlex.quote(str(HERE / 'worker.py'))} {name}"
    entries = [f"[defaults]\nconfidence = {CONFIDENCE}\ntimeout = 1200\n"]
    for one in targets:
        command = {side: json.dumps(f"{worker} {shlex.quote(one['name'])} {side}") for side in "ab"}
        entries.append(f"[[target]]\nname = {json.dumps(one['name'])}\nsamples = {one['samples'] or samples}\n"
                       f"claim = {{ epsilon = \"{one['epsilon']}\", delta = \"{one['delta']}\" }}\n"
                       f"a = {command['a']}\nb = {command['b']}\n")
    folder = python.parent.parent
    file = folder / "audit.toml"
    file.write_text("\n".join(entries), encoding="utf-8")
    done = subprocess.run([os.environ["CERTUS_COMMAND"], "audit", file, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{name} {version}: certus audit ended with {done.returncode}")
    (folder / "audit.json").write_text(done.stdout, encoding="utf-8")
    return {one["target"]: one for one in json.loads(done.stdout)["targets"]}


def told(one, document):
    """What is remembered of a target: all of it where it may be told, that it is withheld where not."""
    found = document["verdict"] == "violation"
    row = {"mechanism": one["mechanism"], "inputs": [one["a"], one["b"]], "epsilon": one["epsilon"], "delta": one["delta"],
           "samples": document["samples_a"], "seconds": round(document["seconds"], 1)}
    if found and not one["public"]:
        return row | {"verdict": "withheld"}
    row |= {"verdict": document["verdict"], "epsilon_refuted": document["epsilon_lower"] if found else None,
            "seen_from": document.get("min_detectable_delta")}
    return row | ({"event": document.get("words") or document.get("event"), "public": one["public"]} if found else {})


def library(name, library, version, samples):
    """Audits a library, remembers what was found, and returns the faults."""
    python = environment(name, library, version)
    if python is None:
        print(f"SKIPPED {name} {version}: it cannot be installed", file=sys.stderr)
        return None
    listed = json.loads(subprocess.run([python, "-B", HERE / "worker.py", name, "--list"], stdout=subprocess.PIPE, text=True,
                                       check=True).stdout)
    missing = {one["name"]: one["error"] for one in listed if "error" in one}
    targets = [one for one in listed if "error" not in one]
    documents = audited(name, version, python, targets, samples)
    rows = {one["name"]: told(one, documents[one["name"]]) for one in targets}
    rows |= {target: {"verdict": "not here", "error": error} for target, error in missing.items()}
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    memory = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    before = {version_before: kept for version_before, kept in memory.items() if version_before != version}
    for version_before, kept in list(before.items())[-1:]:
        for target, row in rows.items():
            was = kept.get(target, {}).get("verdict")
            if was and was != row["verdict"]:
                print(f"CHANGED {name}: {target}: {was} in {version_before}, {row['verdict']} in {version}")
    memory[version] = rows
    path.write_text(json.dumps(memory, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    faults = []
    for one in targets:
        document = documents[one["name"]]
        found = document["verdict"] == "violation"
        if found and not one["public"]:
            WITHHELD.mkdir(exist_ok=True)
            file = WITHHELD / f"{name}-{version}-{one['name'].replace(' ', '_').replace('/', '_')}.json"
            file.write_text(json.dumps(document, indent=1), encoding="utf-8")
        if found and one["proof"]:
            faults.append(f"{name}: {one['name']}: an alarm on what is right by proof")
        if one["public"] and not found:
            faults.append(f"{name}: {one['name']}: its public fault was not found")
    return faults


def page():
    """The page of all that is remembered."""
    lines = ["# Libraries in the field", "",
             f"Written by `audits/field/run`. Each mechanism is audited on two neighbouring inputs against what its library claims, at confidence {CONFIDENCE} a target.",
             "*consistent* is no proof: beside it stands the smallest δ that would have been seen every other time. *withheld*: a violation",
             "that is not public; its authors are told first (CONTRIBUTING.md).", ""]
    for path in sorted(RESULTS.glob("*.json")):
        for version, rows in json.loads(path.read_text(encoding="utf-8")).items():
            lines += [f"## {path.stem} {version}", "", "| target | mechanism | inputs | claim | verdict | ε refuted to | seen from δ | event | s |",
                      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
            for name, row in rows.items():
                if "error" in row:
                    lines.append(f"| {name} | | | | {row['verdict']}: {row['error'].replace('|', '/')} | | | | |")
                    continue
                claim = f"ε={float(row['epsilon']):.6g}" + ("" if float(row["delta"]) == 0 else f", δ={float(row['delta']):.6g}")
                event = (row.get("event") or "").replace("|", "\\|")
                event += f" ([public]({row['public']}))" if row.get("public") else ""
                lines.append(f"| {name} | {row['mechanism']} | {', '.join(row['inputs'])[:60]} | {claim} | {row['verdict']} | "
                             f"{row.get('epsilon_refuted') or ''} | {row.get('seen_from') or ''} | {event} | {row['seconds']} |")
            lines.append("")
    (RESULTS / "README.md").write_text("\n".join(lines), encoding="utf-8")


def main():
    libraries = tomllib.loads((HERE / "libraries.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="audits/field/run", description="Audits libraries from PyPI against their own claims.")
    parser.add_argument("--library", choices=sorted(libraries), help="one library; without it, all")
    parser.add_argument("--version", help="another version of it than that of libraries.toml")
    parser.add_argument("--samples", type=int, default=100_000, help="samples a side (default: 100000)")
    parser.add_argument("--quick", action="store_true", help="4000 samples a side")
    options = parser.parse_args()
    if options.version and not options.library:
        parser.error("--version: needs --library")
    if not 2 <= options.samples <= 10**8:
        parser.error("--samples: must be from 2 to 100000000")
    names, faults, skipped = [options.library] if options.library else list(libraries), [], False
    for name in names:
        found = library(name, libraries[name], options.version or libraries[name]["version"], 4000 if options.quick else options.samples)
        skipped |= found is None
        faults += found or []
        if found is not None:
            page()
    for fault in faults:
        print(fault)
    return 1 if faults else 4 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
