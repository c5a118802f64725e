"""Compares the browser's functions with the command: compare.py ANSWER COMMAND

ANSWER is the example `answer`, built for this machine. `faults` compares two documents: site/check uses it too.
"""

import json
import re
import subprocess
import sys

# Arguments of the function, and the command's. The last ones are refused by both.
CASES = [
    (["account", "gaussian(sigma=10)*100\nlaplace(scale=20)*5", "delta", "1e-6", ""],
     ["account", "gaussian(sigma=10)*100", "laplace(scale=20)*5", "--delta", "1e-6"]),
    (["account", "gaussian(sigma=10)*100", "epsilon", "1", ""], ["account", "gaussian(sigma=10)*100", "--epsilon", "1"]),
    (["account", "laplace(scale=1)", "profile", "", ""], ["account", "laplace(scale=1)", "--profile"]),
    (["account", "histogram(keys=2, scale=1)\nmean_of_known(lower=-1, upper=1, records=4, scale=2)", "delta", "0", "change_one"],
     ["account", "histogram(keys=2, scale=1)", "mean_of_known(lower=-1, upper=1, records=4, scale=2)", "--relation", "change_one",
      "--delta", "0"]),
    (["account", "gaussian_vector(sigma=100, coordinates=10, sensitivity2=10000)", "delta", "1e-6", ""],
     ["account", "gaussian_vector(sigma=100, coordinates=10, sensitivity2=10000)", "--delta", "1e-6"]),
    (["calibrate", "gaussian", "1", "1e-5", "1", ""], ["calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-5"]),
    (["calibrate", "gaussian", "40", "0.1", "1", ""], ["calibrate", "gaussian", "--epsilon", "40", "--delta", "0.1"]),
    (["calibrate", "laplace", "1/3", "0", "2", "1/8"],
     ["calibrate", "laplace", "--epsilon", "1/3", "--sensitivity", "2", "--step", "1/8"]),
    (["certify", "gaussian(sigma=2)", "structural", ""], ["certify", "gaussian(sigma=2)"]),
    (["certify", "laplace(scale=1)", "flat", "12"], ["certify", "laplace(scale=1)", "--mode", "flat", "--depth", "12"]),
    (["certify", "exponential(epsilon=1, candidates=3)", "structural", ""], ["certify", "exponential(epsilon=1, candidates=3)"]),
    (["account", "laplace(scale=0)", "delta", "0", ""], ["account", "laplace(scale=0)", "--delta", "0"]),
    (["account", "laplace(scale=1)", "delta", "2", ""], ["account", "laplace(scale=1)", "--delta", "2"]),
    (["calibrate", "gaussian", "1", "0", "1", ""], ["calibrate", "gaussian", "--epsilon", "1"]),
    (["certify", "laplace(scale=1)*2", "structural", ""], ["certify", "laplace(scale=1)*2"]),
]
# What only one of the two has.
BESIDE = {"seconds", "specs", "attacker"}
LEAST = {
    "account": {"method", "narrow", "attained", "relation", "digits", "schema_version"},
    "calibrate": {"spec", "delta", "below", "smallest", "excluded", "classical", "saved", "step"},
    "certify": {"spec", "mode", "depth", "holds", "unresolved", "pmf"},
}


def faults(name, document, expected):
    """How a document of the browser's differs from the command's, on the keys of both, which are at least LEAST."""
    both = (document.keys() & expected.keys()) - BESIDE
    wrong = [f"no {key}" for key in sorted(LEAST[name] - both)]
    wrong += [f"{key}: {str(document[key])[:200]}, and the command says {str(expected[key])[:200]}"
              for key in sorted(both) if document[key] != expected[key]]
    return wrong + [f"the command has no {key}" for key in sorted(document.keys() - expected.keys() - BESIDE)]


def rates(text):
    """The attacker's rates that the command's text has, in per cent."""
    found = re.search(r"^meaning .* at most ([\d.e-]+)% true positives; with 0\.1%, at most ([\d.e-]+)%", text, re.M)
    return list(found.groups()) if found else None


def main():
    answer, command = sys.argv[1:]
    wrong = []
    for ours, theirs in CASES:
        mine = subprocess.run([answer, *ours], capture_output=True, text=True, check=False)
        yours = subprocess.run([command, *theirs, "--json", "--quiet"], capture_output=True, text=True, check=False)
        if yours.returncode == 2:
            wrong += [f"{ours}: answered, and the command refuses it"] if mine.returncode == 0 else []
            continue
        if mine.returncode:
            wrong.append(f"{ours}: {mine.stderr}")
            continue
        document = json.loads(mine.stdout)
        wrong += [f"{ours}: {what}" for what in faults(ours[0], document, json.loads(yours.stdout))]
        if "attacker" in document:
            text = rates(subprocess.run([command, *theirs, "--quiet"], capture_output=True, text=True, check=False).stdout)
            mine = [document["attacker"]["at_1_percent"], document["attacker"]["at_0.1_percent"]]
            wrong += [] if text is None or text == mine else [f"{ours}: rates {mine}, and the command says {text}"]
    for what in wrong:
        print(what, file=sys.stderr)
    print(f"{len(CASES)} questions, {len(wrong)} differences from the command")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
